"""A browser's state as a value, in the fields of Playwright's storage state. Pure.

Values of cookies and storage are credentials: nothing here shows them in a `repr` or in an error.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from perception.errors import StateInvalidError

MAX_STATE_BYTES = 12 * 2**20
"""Limit of a state as JSON: it fits a message of 16 MiB with room for the rest. Chosen by hand."""

MAX_COOKIES = 5000
"""Chromium keeps 3,300 of all sites together (net::CookieMonster::kMaxCookies)."""

MAX_STATE_ORIGINS = 200
"""Origins with storage in one state: each is opened once to read or write it, which takes about 20 ms. Chosen by
hand."""

SameSite = Literal["Strict", "Lax", "None"]


class Cookie(msgspec.Struct, rename="camel", omit_defaults=True, frozen=True):
    """A cookie.

    Attributes:
        domain: with a leading dot for all names below it; without for this host only.
        expires: seconds since 1970; -1 for a cookie that ends with the browser.
        same_site: None for what the browser does by default.
        partition_key: the top-level site of a partitioned cookie; None for one that is not partitioned.
        cross_site_ancestor: of a partitioned cookie: a frame of another site lies between.
    """

    name: str
    value: str
    domain: str
    path: str = "/"
    expires: float = -1
    http_only: bool = False
    secure: bool = False
    same_site: SameSite | None = None
    partition_key: str | None = None
    cross_site_ancestor: bool | None = msgspec.field(default=None, name="_crHasCrossSiteAncestor")

    def __repr__(self) -> str:
        return f"Cookie(name={self.name!r}, domain={self.domain!r})"

    @property
    def identity(self) -> tuple[str, str, str, str | None]:
        """What makes two cookies the same."""
        return self.name, self.domain, self.path, self.partition_key


class StorageItem(msgspec.Struct, frozen=True):
    """An item of localStorage."""

    name: str
    value: str

    def __repr__(self) -> str:
        return f"StorageItem(name={self.name!r})"


class DatabaseIndex(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    """An index of an object store."""

    name: str
    multi_entry: bool
    unique: bool
    key_path: str | None = None
    key_path_array: list[str] | None = None


class ObjectStore(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    """An object store; each record has `key` or `keyEncoded` unless there is a key path, and `value` or
    `valueEncoded`."""

    name: str
    records: list[dict[str, Any]]
    indexes: list[DatabaseIndex]
    auto_increment: bool
    key_path: str | None = None
    key_path_array: list[str] | None = None

    def __repr__(self) -> str:
        return f"ObjectStore(name={self.name!r}, records={len(self.records)})"


class Database(msgspec.Struct, frozen=True):
    """A database of IndexedDB."""

    name: str
    version: int
    stores: list[ObjectStore] = []


class OriginStorage(msgspec.Struct, frozen=True, rename={"local_storage": "localStorage", "databases": "indexedDB"}):
    """The storage of one origin."""

    origin: str
    local_storage: list[StorageItem] = []
    databases: list[Database] = []

    @property
    def is_empty(self) -> bool:
        return not self.local_storage and not self.databases


class BrowserState(msgspec.Struct, frozen=True):
    """Cookies and storage."""

    cookies: list[Cookie] = []
    origins: list[OriginStorage] = []

    def __repr__(self) -> str:
        return f"BrowserState(cookies={len(self.cookies)}, origins={len(self.origins)})"

    def to_json(self) -> bytes:
        """As Playwright's file: every field of a cookie is there."""
        return msgspec.json.encode(
            {
                "cookies": [{"sameSite": "Lax"} | playwright_cookie(each) for each in self.cookies],
                "origins": self.origins,
            }
        )


def playwright_cookie(cookie: Cookie) -> Any:
    """A cookie as Playwright's `add_cookies` takes it."""
    shown = {"path": cookie.path, "expires": cookie.expires, "httpOnly": cookie.http_only, "secure": cookie.secure}
    fields: dict[str, Any] = msgspec.to_builtins(cookie)
    return shown | fields


def read_json(data: bytes) -> Any:
    """Raises StateInvalidError for what is not JSON, or only its beginning."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        cut = "truncated" in str(exc)
        why = f"it ends in the middle, after {len(data)} bytes" if cut else str(exc).partition(" (")[0][:100]
        raise StateInvalidError(
            f"the state is not complete JSON: {why}: export it again, and pass the file's bytes as they are"
        ) from exc


def convert_state(content: dict[str, Any]) -> tuple[BrowserState, list[str]]:
    """A state from Playwright's JSON, and what of it is not kept.

    Raises:
        StateInvalidError: a field has another type than in Playwright's file; names the field and no value.
    """
    try:
        state = msgspec.convert(content, BrowserState)
    except msgspec.ValidationError as exc:
        raise StateInvalidError(f"the state is not as Playwright writes it: {_without_values(exc)}") from exc
    omitted = [f"{name}: a state here has only cookies and origins" for name in _others(content)]
    for origin in content.get("origins", []):
        if origin.get("opfs"):
            omitted.append(f"files of {str(origin.get('origin'))[:100]} (opfs): a state here has no files")
    return state, omitted


def _others(content: dict[str, Any]) -> list[str]:
    return [name[:40] for name in content if name not in ("cookies", "origins") and content[name]]


def _without_values(exc: msgspec.ValidationError) -> str:
    """msgspec says types and paths; of enums also the value."""
    text = str(exc)
    if text.startswith("Invalid enum value"):
        return f"a value that the field does not take{text[text.rfind(' - at') :] if ' - at' in text else ''}"
    return text[:200]
