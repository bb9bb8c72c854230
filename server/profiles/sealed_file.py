"""The file of one profile: a header in clear, and a state that is encrypted and bound to that header (AES-256-GCM).

A file is replaced as a whole: its new content is written beside it, flushed to the disk, and renamed over it. Whatever
ends the process on the way leaves the old file or the new one.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import msgspec

from perception.errors import ProfileDamagedError, ProfileKeyWrongError
from perception.server.files.stored_file import read_beginning, read_stored
from perception.server.profiles.keys import ProfileKey

MAGIC = b"perception profile 1\n"
NONCE_BYTES = 12
MAX_HEADER_BYTES = 4096
PART = ".part"
"""Ends the name of a file that is being written."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a profile without its key.

    Attributes:
        name, principal: whose profile it is.
        key_id: of the key that it is encrypted with.
        created_s, saved_s: seconds since 1970.
        cookies, origins: how many there are.
    """

    name: str
    principal: str
    key_id: str
    created_s: float
    saved_s: float
    cookies: int
    origins: int


def write_sealed(path: Path, header: Header, content: bytes, key: ProfileKey) -> None:
    """Replaces a profile's file. Raises OSError; the file from before then is still there."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # only services with profiles need it

    head = MAGIC + msgspec.json.encode(header) + b"\n"
    nonce = secrets.token_bytes(NONCE_BYTES)
    sealed = head + nonce + AESGCM(key.secret).encrypt(nonce, content, head)
    part = path.with_name(path.name + PART)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        _write_all(handle, sealed)
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(part, path)
    _sync_folder(path.parent)


def read_header(path: Path) -> Header:
    """A profile's header.

    Raises:
        OSError: there is no such file, or it is not a regular one.
        ProfileDamagedError: it is not a profile's file.
    """
    return _split(read_beginning(path, MAX_HEADER_BYTES))[0]


def read_sealed(path: Path, key: ProfileKey) -> tuple[Header, bytes]:
    """A profile's header and content.

    Raises:
        OSError: there is no such file, or it is not a regular one.
        ProfileKeyWrongError: it is encrypted with another key.
        ProfileDamagedError: it was changed or cut off.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    data = read_stored(path)
    header, head = _split(data)
    if header.key_id != key.key_id:
        raise ProfileKeyWrongError(
            f"profile {header.name!r} is encrypted with key {header.key_id}, and this service has key {key.key_id}: "
            "start it with that key, or delete the profile",
            profile=header.name,
        )
    nonce, sealed = data[len(head) : len(head) + NONCE_BYTES], data[len(head) + NONCE_BYTES :]
    try:
        return header, AESGCM(key.secret).decrypt(nonce, sealed, head)
    except (InvalidTag, ValueError) as exc:
        raise ProfileDamagedError(
            f"the file of profile {header.name!r} was changed or cut off: restore it from a backup, or delete "
            "the profile",
            profile=header.name,
        ) from exc


def _split(data: bytes) -> tuple[Header, bytes]:
    """The header, and the bytes of it that the content is bound to."""
    end = data.find(b"\n", len(MAGIC), MAX_HEADER_BYTES)
    try:
        if not data.startswith(MAGIC) or end < 0:
            raise ValueError("no header")
        return msgspec.json.decode(data[len(MAGIC) : end], type=Header), data[: end + 1]
    except (ValueError, msgspec.MsgspecError) as exc:
        raise ProfileDamagedError(
            "a profile's file is damaged: restore it from a backup, or delete the profile"
        ) from exc


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _sync_folder(folder: Path) -> None:
    """Makes a rename last beyond a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
