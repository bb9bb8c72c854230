"""The vault: secrets that an operator keeps for the service, used by name, typed where they may be, seen by nobody.

[bank]
value = "…"
origins = ["https://bank.example"]   # pages that it may be typed into; without, any
principals = ["ana"]                 # who may use it; without, everybody
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import structlog
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Value

from perception.browser.page import PageLink
from perception.budget import Budget
from perception.errors import BadInputError, SecretOriginError, UnknownSecretError
from perception.named_secrets import MAX_VALUE, MIN_VALUE, Masker, NamedSecret
from perception.server.doors import is_name
from perception.server.private_file import reread_private

log = structlog.get_logger(__name__)

_KEYS = frozenset({"value", "origins", "principals"})

_OURS = frozenset({"ref", "frame", "cursor", "mime_type", "stage"})
"""Fields whose words are the service's own, beside ids and refs: a mask in them would name something else."""

_OUR_ENDS = ("_id", "_ids", "_ref", "_refs", "_cursor", "_token")


class Vault:
    """The secrets of one service. Without a file there are none."""

    def __init__(self, path: Path | None) -> None:
        """Raises BadInputError, as `parse_secrets` and `read_private`."""
        global _logged
        self._file = reread_private(path, "the secrets file", parse_secrets) if path is not None else None
        for each in self._file.content if self._file else ():
            if not each.origins:
                log.warning("secret may be typed into every page: give it origins", secret=each.name)
        if self._file is not None:
            _logged = self

    def take(self, name: str, principal: str) -> NamedSecret:
        """Raises UnknownSecretError, also of one that somebody else may use."""
        for each in self._all():
            if each.name == name and _is_for(each, principal):
                return each
        raise UnknownSecretError(f"no secret {name[:40]!r}: the service's operator names those there are")

    def masker(self, principal: str) -> Masker | None:
        """Masks what a principal may use; None where that is nothing. Others' are not masked: what is would tell
        which guess of them is right."""
        secrets = self._all()
        return _masker_for(secrets, principal) if secrets else None

    def concealer(self, principal: str) -> Callable[[], Masker | None] | None:
        """Gives that masker, as of then; None where no secrets are kept."""
        return partial(self.masker, principal) if self._file is not None else None

    def whole_masker(self) -> Masker | None:
        """Masks all, for what the operator keeps."""
        secrets = self._all()
        return _masker_of(secrets) if secrets else None

    def _all(self) -> tuple[NamedSecret, ...]:
        return self._file.content if self._file is not None else ()


_logged: Vault | None = None
"""Logging is one for the process; so is what it masks."""


def mask_log(logger: Any, method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A structlog processor, to stand behind whatever makes text: masks every secret."""
    masker = _logged.whole_masker() if _logged is not None else None
    return event if masker is None else {key: _masked_value(masker, value) for key, value in event.items()}


def parse_secrets(data: bytes) -> tuple[NamedSecret, ...]:
    """Raises BadInputError for what is none; tells no value."""
    try:
        tables = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        # Not raised from it: the decoder's words hold a part of the text.
        raise BadInputError('the secrets file is no TOML: write [name] and value = "…" below it') from None
    return tuple(_parse_one(name, table) for name, table in tables.items())


def _parse_one(name: str, table: Any) -> NamedSecret:
    if not is_name(name):
        raise BadInputError(f"the secrets file: {name[:40]!r} is no name: use letters, digits and . _ @ -")
    if not isinstance(table, dict) or not isinstance(table.get("value"), str):
        raise BadInputError(f'secret {name}: write [{name}] and value = "…" below it')
    unknown = sorted(set(table) - _KEYS)
    if unknown:
        raise BadInputError(f"secret {name}: there is no {unknown[0][:40]!r}; it has value, origins and principals")
    value = table["value"]
    if not MIN_VALUE <= len(value) <= MAX_VALUE or not value.strip():
        raise BadInputError(
            f"secret {name} has not {MIN_VALUE} to {MAX_VALUE} characters: a shorter one cannot be told from other text"
        )
    if "\0" in value:
        raise BadInputError(f"secret {name} holds a NUL character, which cannot be typed")
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
        raise BadInputError(f"secret {name}: {text[:80]!r} is no origin: write https://HOST or https://HOST:PORT")
    host = f"[{host}]" if ":" in host else host
    is_default = port in (None, {"http": 80, "https": 443}[parts.scheme])
    return f"{parts.scheme}://{host}" + ("" if is_default else f":{port}")


def _is_for(secret: NamedSecret, principal: str) -> bool:
    return not secret.principals or principal in secret.principals


@lru_cache(maxsize=1)
def _masker_of(secrets: tuple[NamedSecret, ...]) -> Masker:
    return Masker(secrets)


@lru_cache(maxsize=256)
def _masker_for(secrets: tuple[NamedSecret, ...], principal: str) -> Masker | None:
    own = [each for each in secrets if _is_for(each, principal)]
    return Masker(own) if own else None


async def require_origin(secret: NamedSecret, page: PageLink, frame: str, budget: Budget) -> None:
    """Makes sure that a secret may be typed into a frame: it, and all that hold it, are of the secret's origins. A
    page around the right frame could take the focus away at the last moment.

    Raises:
        SecretOriginError: one of them is not.
    """
    if not secret.origins:
        return
    at: str | None = frame
    while at is not None:
        reply = await page.evaluate(at, "self.origin", budget, "looking where the secret goes", returnByValue=True)
        if reply.get("value") not in secret.origins:
            raise SecretOriginError(
                f"secret {secret.name} is not for this page: it may be typed into pages of "
                f"{', '.join(secret.origins)} alone, and frames of theirs; nothing was typed"
            )
        at = page.parent_of(at)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What in a kind of message can hold texts of pages: fields by name."""

    texts: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    inner_lists: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()


def veil(message: Message, masker: Masker) -> None:
    """Masks every text in a message that could hold a page's."""
    texts: list[str] = []
    _gather(message, texts)
    if masker.may_show("\0".join(texts)):  # one look at all of it, since most messages hold none
        _veil(message, masker)


def _gather(message: Message, into: list[str]) -> None:
    """All texts of a message; numbers of JSON values as text."""
    if isinstance(message, Value) and message.WhichOneof("kind") == "number_value":
        into.append(f"{message.number_value:.17g}")
        return
    plan = _plan_of(message.DESCRIPTOR)
    into += [getattr(message, name) for name in plan.texts]
    for name in plan.lists:
        into += getattr(message, name)
    for name in plan.inner:
        if message.HasField(name):
            _gather(getattr(message, name), into)
    for name in plan.inner_lists:
        for each in getattr(message, name):
            _gather(each, into)
    for name in plan.maps:
        for key, value in getattr(message, name).items():
            into.append(str(key))
            if isinstance(value, Message):
                _gather(value, into)
            elif isinstance(value, str):
                into.append(value)


def _veil(message: Message, masker: Masker) -> None:
    if isinstance(message, Value):
        _veil_value(message, masker)
    plan = _plan_of(message.DESCRIPTOR)
    for name in plan.texts:
        value = getattr(message, name)
        masked = masker.text(value)
        if masked is not value:
            setattr(message, name, masked)
    for name in plan.lists:
        values = getattr(message, name)
        for index, each in enumerate(values):
            values[index] = masker.text(each)
    for name in plan.inner:
        if message.HasField(name):
            _veil(getattr(message, name), masker)
    for name in plan.inner_lists:
        for each in getattr(message, name):
            _veil(each, masker)
    for name in plan.maps:
        _veil_map(getattr(message, name), masker)


@cache
def _plan_of(descriptor: Descriptor) -> _Plan:
    found: dict[str, list[str]] = {"texts": [], "lists": [], "inner": [], "inner_lists": [], "maps": []}
    for field in descriptor.fields:
        kind = field.message_type
        if field.type == FieldDescriptor.TYPE_STRING and not _is_ours(field.name):
            found["lists" if field.is_repeated else "texts"].append(field.name)
        elif kind is not None and kind.GetOptions().map_entry:
            found["maps"].append(field.name)
        elif kind is not None and _holds_texts(kind):
            found["inner_lists" if field.is_repeated else "inner"].append(field.name)
    return _Plan(**{name: tuple(fields) for name, fields in found.items()})


def _holds_texts(descriptor: Descriptor) -> bool:
    """Whether a kind of message, or one in it, has a field for a text or a map."""
    kinds, waiting = {descriptor.full_name}, [descriptor]
    while waiting:
        for field in waiting.pop().fields:
            if field.type == FieldDescriptor.TYPE_STRING and not _is_ours(field.name):
                return True
            kind = field.message_type
            if kind is not None and kind.full_name not in kinds:
                kinds.add(kind.full_name)
                waiting.append(kind)
    return False


def _veil_map(entries: Any, masker: Masker) -> None:
    """Of JSON objects, keys too."""
    for key in list(entries):
        value = entries[key]
        if isinstance(value, Message):
            _veil(value, masker)
        elif isinstance(value, str):
            entries[key] = masker.text(value)
        masked = masker.text(key) if isinstance(key, str) else key
        if masked != key:
            if isinstance(value, Message):
                entries[masked].CopyFrom(value)
            else:
                entries[masked] = entries[key]
            del entries[key]


def _veil_value(value: Value, masker: Masker) -> None:
    if value.WhichOneof("kind") == "number_value":
        masked = masker.number(value.number_value)
        if masked is not None:
            value.string_value = masked


def _is_ours(name: str) -> bool:
    return name in _OURS or name.endswith(_OUR_ENDS)


def _masked_value(masker: Masker, value: Any) -> Any:
    if isinstance(value, str):
        return masker.text(value)
    if isinstance(value, list | tuple):
        return [_masked_value(masker, each) for each in value]
    if isinstance(value, dict):
        return {key: _masked_value(masker, each) for key, each in value.items()}
    return value
