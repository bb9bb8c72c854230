"""Signed session ids: they name the worker that has the session, so that any edge finds it without a lookup.

An id is `s` and 28 characters of base64url: the worker's number (4 bytes), its epoch (4), the slot (2), a serial number
(3), and the first 8 bytes of an HMAC-SHA256 over these. Whoever has no key makes no id; the caller's own rights are
checked beside it.

Rule 1: keys are in no log, no error and no answer.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import struct
from dataclasses import dataclass, field
from functools import cached_property

from perception.errors import BadInputError

PREFIX = "s"
"""An id never begins like an option of a command line."""

CHARACTERS = 28

MAC_BYTES = 8
"""A guess is right once in 2^64, and each one costs a call."""

KEY_BYTES = 32

MAX_KEYS = 8
"""Most keys of a file. Each id is checked against all of them."""

KEYS_NAME = "the session keys"
"""The key file's name in messages and in the log."""

_LAYOUT = struct.Struct(">IIH3s")

MAX_SERIAL = 2**24

_SEPARATORS = {"ids": b"perception session id 1\0", "callers": b"perception caller 1\0"}
"""Each use of a key has its own derived key."""


@dataclass(frozen=True, slots=True)
class SessionId:
    """What a signed id says.

    Attributes:
        worker: number of the worker, as `worker_number` makes it of the worker's name.
        epoch: of the worker: another number after each start.
        slot: of the worker's sessions.
        serial: counts the sessions of that epoch.
    """

    worker: int
    epoch: int
    slot: int
    serial: int


def worker_number(name: str) -> int:
    """The number of a worker of that name: 32 bits of its SHA-256, so that nobody has to hand numbers out."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4])


@dataclass(frozen=True)
class ClusterKey:
    """One key that edges and workers share."""

    secret: bytes = field(repr=False)

    @cached_property
    def ids(self) -> bytes:
        """Signs session ids."""
        return hmac.digest(self.secret, _SEPARATORS["ids"], "sha256")

    @cached_property
    def callers(self) -> bytes:
        """Signs who calls, from an edge to a worker."""
        return hmac.digest(self.secret, _SEPARATORS["callers"], "sha256")


def parse_keys(data: bytes) -> tuple[ClusterKey, ...]:
    """A key file: 32 bytes in base64 a line. The first one signs, all of them are accepted; `#` begins a comment.

    Raises:
        BadInputError: a line is not a key, or there are none or too many.
    """
    keys = []
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            secret = base64.b64decode(text, validate=True)
        except (ValueError, binascii.Error):
            secret = b""
        if len(secret) != KEY_BYTES:
            raise BadInputError(
                f"line {number} of the session keys is not a key: write 32 bytes in base64, as "
                "`openssl rand -base64 32` prints"
            )
        keys.append(ClusterKey(secret))
    if not 1 <= len(keys) <= MAX_KEYS:
        raise BadInputError(f"the session keys are {len(keys)} lines: write 1 to {MAX_KEYS}, the one that signs first")
    return tuple(keys)


def write_session_id(session: SessionId, key: ClusterKey) -> str:
    """The id as text."""
    body = _LAYOUT.pack(session.worker, session.epoch, session.slot % 2**16, session.serial.to_bytes(3))
    return _encoded(body + _mac(body, key))


def looks_signed(text: str) -> bool:
    """Whether a text has the form of a signed id, whoever made it."""
    return _decoded(text) is not None


def read_session_id(text: str, keys: tuple[ClusterKey, ...]) -> SessionId | None:
    """What an id says; None for one that none of the keys has signed. Takes the same time for each forged one."""
    whole = _decoded(text)
    if whole is None:
        return None
    body, mac = whole[: _LAYOUT.size], whole[_LAYOUT.size :]
    matches = [hmac.compare_digest(mac, _mac(body, key)) for key in keys]
    if not any(matches):
        return None
    worker, epoch, slot, serial = _LAYOUT.unpack(body)
    return SessionId(worker, epoch, slot, int.from_bytes(serial))


def _mac(body: bytes, key: ClusterKey) -> bytes:
    return hmac.digest(key.ids, body, "sha256")[:MAC_BYTES]


def _decoded(text: str) -> bytes | None:
    if len(text) != len(PREFIX) + CHARACTERS or not text.startswith(PREFIX) or not text.isascii():
        return None
    try:
        whole = base64.urlsafe_b64decode(text.removeprefix(PREFIX))
    except (ValueError, binascii.Error):
        return None
    return whole if _encoded(whole) == text else None  # the decoder takes other spellings of the same bytes


def _encoded(whole: bytes) -> str:
    return PREFIX + base64.urlsafe_b64encode(whole).decode()
