"""The key that profiles are encrypted with: from a file, or from the system's keyring.

Rule 1: the key is in no log, no error and no answer; `key_id` names it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from perception.errors import BadInputError, ProfileKeyWrongError
from perception.server.auth.private_file import read_private
from perception.server.environment import how_to_set
from perception.server.write_once import write_once

KEY_BYTES = 32
"""AES-256."""

KEYRING = "keyring"
"""The value of the setting that means the system's keyring."""

DEFAULT_KEY = "profiles.key"
"""Name of the key file that is made where the operator names none."""

_SERVICE, _USER = "perception", "profile key"
"""What the key is filed under in the keyring."""


@dataclass(frozen=True, slots=True)
class ProfileKey:
    """A key, and its id: eight hexadecimal digits that say nothing of it."""

    secret: bytes = field(repr=False)

    @property
    def key_id(self) -> str:
        return hashlib.sha256(b"perception profile key\0" + self.secret).hexdigest()[:8]


def load_key(setting: str, folder: Path) -> ProfileKey:
    """The key of a service.

    Args:
        setting: a file, `keyring`, or empty for a file of the service's own, which is made where there is none.
        folder: where that one lies.

    Raises:
        ProfileKeyWrongError: there is no key, or it is not valid.
        OSError: the service's own file cannot be made.
    """
    try:
        if setting == KEYRING:
            return ProfileKey(_decode(_from_keyring(), "the key in the system's keyring"))
        path = Path(setting) if setting else _own_key_file(folder)
        return ProfileKey(
            _decode(read_private(path, "the profile key file").decode("ascii", "replace"), "the profile key file")
        )
    except BadInputError as exc:
        raise ProfileKeyWrongError(f"profiles cannot be used: {exc} ({how_to_set('profile_key')})") from exc


def new_key() -> str:
    """A new key as text."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def _decode(text: str, what: str) -> bytes:
    """A key from base64 or hexadecimal digits."""
    given = text.strip()
    decoders: tuple[Callable[[str], bytes], ...] = (bytes.fromhex, lambda each: base64.b64decode(each, validate=True))
    for decode in decoders:
        try:
            key = decode(given)
        except (ValueError, binascii.Error):
            continue
        if len(key) == KEY_BYTES:
            return key
    raise BadInputError(f"{what} holds no key: it has to be 32 bytes in base64, as `openssl rand -base64 32` prints")


def _own_key_file(folder: Path) -> Path:
    """The service's own key file. Two services that start at once take the same one."""
    path = folder / DEFAULT_KEY
    write_once(path, lambda: new_key() + "\n")
    return path


def _from_keyring() -> str:
    try:
        import keyring
        import keyring.errors
    except ImportError as exc:
        raise BadInputError("the system's keyring needs pip install 'perception-service[keyring]'") from exc
    try:
        found = keyring.get_password(_SERVICE, _USER)
        if found is None:
            found = new_key()
            keyring.set_password(_SERVICE, _USER, found)
    except keyring.errors.KeyringError as exc:
        raise BadInputError(
            f"the system's keyring does not answer ({type(exc).__name__}): unlock it, or name a key file"
        ) from exc
    return str(found)
