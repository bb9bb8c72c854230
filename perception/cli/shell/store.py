"""What belongs to a session between commands: a small file for each, that only this user can read.

Rule 1: a file is replaced whole. Who changes it holds the lock and reads it first: two shells may use one session.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from perception.client.user_folder import locked
from perception.errors import BadInputError

VERSION = 1
LOCK_SECONDS = 5.0
"""Longest wait for another shell that changes the same file, which takes a millisecond."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a session.

    Attributes:
        name: of the session.
        address: of its service.
        session_id: the service's id of it.
        access: how to authenticate there, as of `perception.client.access.prepare_access`.
        is_own: the service was started for this user's shells.
        snapshot_id: the last snapshot that was shown.
        look, whole_look: as of `perception.interaction.session_state.SessionState`.
    """

    name: str
    address: str
    session_id: str
    access: Mapping[str, str] = field(default_factory=dict)
    is_own: bool = True
    snapshot_id: str = ""
    look: Mapping[str, Any] = field(default_factory=dict)
    whole_look: Mapping[str, Any] = field(default_factory=dict)


def file_of(folder: Path, name: str) -> Path:
    """The file of a session; names may be paths."""
    safe = "".join(each if each.isascii() and each.isalnum() else "-" for each in name)[-60:]
    return folder / f"{safe}-{zlib.crc32(name.encode()):08x}.session"


def read(path: Path) -> Known | None:
    """What a file says; None where there is none.

    Raises:
        BadInputError: it is damaged, or of another version of this program.
    """
    try:
        told = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        raise BadInputError(f"the session's file {path} is damaged: {_ANEW}") from exc
    if not isinstance(told, dict) or told.pop("version", None) != VERSION:
        raise BadInputError(f"the session's file {path} is of another version of this program: {_ANEW}")
    try:
        known = Known(**told)
    except TypeError as exc:
        raise BadInputError(f"the session's file {path} is damaged: {_ANEW}") from exc
    if not all(isinstance(getattr(known, each.name), _TYPES[str(each.type)]) for each in fields(Known)):
        raise BadInputError(f"the session's file {path} is damaged: {_ANEW}")
    return known


_ANEW = "open a new session with `perception open URL`, which replaces it"
_TYPES: dict[str, type] = {"str": str, "bool": bool, "Mapping[str, str]": dict, "Mapping[str, Any]": dict}


def write(folder: Path, known: Known) -> None:
    """Writes a session's file, whatever was there. Raises DeadlineError where the lock is held for too long."""
    with locked(folder / "sessions.lock", time.monotonic() + LOCK_SECONDS):
        _replace(file_of(folder, known.name), {"version": VERSION, **asdict(known)})


def update(folder: Path, name: str, session_id: str, **changes: Any) -> None:
    """Changes what is known of a session, unless another shell has closed or replaced it. Raises as `write`."""
    path = file_of(folder, name)
    with locked(folder / "sessions.lock", time.monotonic() + LOCK_SECONDS), suppress(BadInputError):
        known = read(path)
        if known is not None and known.session_id == session_id:
            _replace(path, {"version": VERSION, **asdict(replace(known, **changes))})


def forget(folder: Path, name: str) -> None:
    """Removes a session's file, if there is one."""
    file_of(folder, name).unlink(missing_ok=True)


def all_known(folder: Path) -> tuple[Known, ...]:
    """All sessions, by name. Files that cannot be read are left out."""
    found = []
    for path in sorted(folder.glob("*.session")):
        with suppress(BadInputError):
            if known := read(path):
                found.append(known)
    return tuple(found)


def _replace(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a file that is either the old one or the new one, never a part."""
    part = path.with_suffix(f".{os.getpid()}")
    with suppress(FileNotFoundError):
        part.unlink()
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(part, path)
