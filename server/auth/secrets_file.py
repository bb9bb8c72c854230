"""The secrets file: what an operator writes of each secret.

[bank]
value = "…"
origins = ["https://bank.example"]   # pages that it may be typed into; without, any
principals = ["ana"]                 # who may use it; without, everybody
"""

from __future__ import annotations

import tomllib
from typing import Any
from urllib.parse import urlsplit

from perception.errors import BadInputError
from perception.secrets import MAX_VALUE, MIN_VALUE, NamedSecret
from perception.server.auth.token_file import is_name

_KEYS = frozenset({"value", "origins", "principals"})


def parse_secrets(data: bytes) -> tuple[NamedSecret, ...]:
    """Raises BadInputError for an invalid one; its message contains no value."""
    try:
        tables = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        # Not raised from it: the decoder's words hold a part of the text.
        raise BadInputError('the secrets file is not valid TOML: write [name] and value = "…" below it') from None
    return tuple(_parse_one(name, table) for name, table in tables.items())


def _parse_one(name: str, table: Any) -> NamedSecret:
    if not is_name(name):
        raise BadInputError(f"the secrets file: {name[:40]!r} is not a name: use letters, digits and . _ @ -")
    if not isinstance(table, dict) or not isinstance(table.get("value"), str):
        raise BadInputError(f'secret {name}: write [{name}] and value = "…" below it')
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise BadInputError(f"secret {name}: there is no {unknown[0][:40]!r}; it has value, origins and principals")
    value = table["value"]
    if not MIN_VALUE <= len(value) <= MAX_VALUE or not value.strip():
        raise BadInputError(
            f"secret {name} has not {MIN_VALUE} to {MAX_VALUE} characters: a shorter one may occur in other text"
        )
    if "\0" in value:
        raise BadInputError(f"secret {name} holds a NUL character, which cannot be typed: remove it")
    origins = tuple(_origin(name, each) for each in _texts(name, table, "origins"))
    return NamedSecret(name, value, origins, tuple(_texts(name, table, "principals")))


def _texts(name: str, table: dict[str, Any], key: str) -> list[str]:
    given: Any = table.get(key, [])
    is_right = isinstance(given, list) and all(isinstance(each, str) and each for each in given)
    if not is_right or (key in table and not given):  # nobody means an empty list as all
        raise BadInputError(f'secret {name}: {key} is a list of texts, such as ["…"]; leave it out for all')
    return list(given)


def _origin(name: str, text: str) -> str:
    """As browsers write it."""
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or parts.path.strip("/") or parts.query or parts.username:
        raise BadInputError(f"secret {name}: {text[:80]!r} is not an origin: write https://HOST or https://HOST:PORT")
    host = f"[{host}]" if ":" in host else host
    is_default = port in (None, {"http": 80, "https": 443}[parts.scheme])
    return f"{parts.scheme}://{host}" + ("" if is_default else f":{port}")
