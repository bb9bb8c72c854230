"""A subroutine as it is kept: what it is called, takes and does, where it comes from, and the script itself.

It is a folder of files that a person can read and change: `subroutine.json`, `body.js`, `context.txt`.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from perception.errors import SubroutineBrokenError


class Stored(msgspec.Struct, frozen=True):
    """What `subroutine.json` holds; `body` and `context` are files of their own.

    `recordings` and `plan_reason` are its provenance; `candidates` the requests that were ranked, best first, as
    `score method path`; `background` what the page sends by
    itself, as `method path`. `body_sha256` is of the body as it was generated: another one was changed by hand.
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


BODY, MANIFEST, CONTEXT = "body.js", "subroutine.json", "context.txt"


def files_of(stored: Stored) -> dict[str, bytes]:
    """Its files by name."""
    manifest = msgspec.structs.replace(stored, body="", context="", body_sha256=digest(stored.body))
    fields = {key: value for key, value in msgspec.to_builtins(manifest).items() if key not in ("body", "context")}
    return {
        MANIFEST: msgspec.json.format(msgspec.json.encode(fields), indent=2) + b"\n",
        BODY: stored.body.encode(),
        CONTEXT: stored.context.encode(),
    }


def read_files(files: dict[str, bytes]) -> Stored:
    """The subroutine out of its files.

    Raises:
        SubroutineBrokenError: one is missing, or not what it should be.
    """
    try:
        fields = msgspec.json.decode(files[MANIFEST])
        parts = {"body": files[BODY].decode(), "context": files.get(CONTEXT, b"").decode()}
        return msgspec.convert({**fields, **parts}, Stored)
    except (KeyError, TypeError, UnicodeDecodeError, msgspec.MsgspecError) as exc:
        raise SubroutineBrokenError(
            f"a subroutine's files cannot be read ({exc}): delete it and create it again"
        ) from exc


def digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def id_of(origin: str, name: str) -> str:
    """A folder's name, the same for the same name and origin.

    >>> id_of("https://a.org", "Add user")[:9]
    'add-user-'
    """
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "subroutine"
    return f"{words}-{digest(f'{origin} {name}')[:8]}"
