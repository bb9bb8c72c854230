"""The stored form of a subroutine: a folder of files that a person can read and edit.

The files are `subroutine.json`, `body.js`, `generated.js` and `context.txt`.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from perception.errors import SubroutineBrokenError


class Stored(msgspec.Struct, frozen=True):
    """A subroutine. `body`, `generated` and `context` are stored in files of their own, the rest in `subroutine.json`.

    Attributes:
        subroutine_id: id, and name of the folder.
        name: name of the tool.
        description: what it does.
        origin: the only origin that it runs on.
        plan: kind of plan.
        plan_reason: why this plan was chosen.
        parameters_schema: JSON Schema of its parameters.
        created_s: creation time, seconds since 1970.
        recordings: ids of its recordings.
        candidates: ranked requests, best first, as `score method path`.
        background: requests that the page sends without input, as `method path`.
        body_sha256: digest of the generated body; another digest means that it was edited.
        body: the script.
        context: text about the recording.
        success: the success condition in words; empty where none could be learned.
        generated: the script as it was made of the recordings; "" if it is the body, or is not known.
        renamed: present names of the parameters by those of the generated script; empty if these are the same.
    """

    subroutine_id: str
    name: str
    description: str
    origin: str
    plan: str
    plan_reason: str
    parameters_schema: dict[str, Any]
    created_s: float
    recordings: tuple[str, ...]
    candidates: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    body_sha256: str = ""
    body: str = ""
    context: str = ""
    success: tuple[str, ...] = ()
    generated: str = ""
    renamed: dict[str, str] = {}

    @property
    def generated_body(self) -> str:
        """The script that was made of the recordings; "" if it is not known."""
        is_body = not self.generated and (not self.body_sha256 or digest(self.body) == self.body_sha256)
        return self.body if is_body else self.generated


BODY, MANIFEST, CONTEXT, GENERATED = "body.js", "subroutine.json", "context.txt", "generated.js"

_APART = ("body", "context", "generated")


def files_of(stored: Stored) -> dict[str, bytes]:
    """The files of a subroutine, content by name."""
    manifest = msgspec.structs.replace(stored, body_sha256=digest(stored.generated_body))
    fields = {key: value for key, value in msgspec.to_builtins(manifest).items() if key not in _APART}
    return {
        MANIFEST: msgspec.json.format(msgspec.json.encode(fields), indent=2) + b"\n",
        BODY: stored.body.encode(),
        CONTEXT: stored.context.encode(),
        GENERATED: stored.generated_body.encode(),
    }


def read_files(files: dict[str, bytes]) -> Stored:
    """Reads a subroutine from its files.

    Raises:
        SubroutineBrokenError: a file is missing or invalid.
    """
    try:
        fields = msgspec.json.decode(files[MANIFEST])
        parts = {
            "body": files[BODY].decode(),
            "context": files.get(CONTEXT, b"").decode(),
            "generated": files.get(GENERATED, b"").decode(),
        }
        return msgspec.convert({**fields, **parts}, Stored)
    except (KeyError, TypeError, UnicodeDecodeError, msgspec.MsgspecError) as exc:
        raise SubroutineBrokenError(
            f"a subroutine's files cannot be read ({exc}): delete it and create it again"
        ) from exc


def digest(body: str) -> str:
    """SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(body.encode()).hexdigest()


def id_of(origin: str, name: str) -> str:
    """Id of a subroutine: always the same for the same name and origin.

    >>> id_of("https://a.org", "Add user")[:9]
    'add-user-'
    """
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "subroutine"
    return f"{words}-{digest(f'{origin} {name}')[:8]}"
