"""What of a state would show a secret that its reader must not have. Pure.

Rule: a value is left out, never masked: a site would take the mask for the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from perception.browser.storage.state import BrowserState, Database, ObjectStore, OriginStorage
from perception.page_words import quoted_words
from perception.secrets import Masker

Kept = TypeVar("Kept")

WHY = "left out, as it has the value of a secret by name"


def withhold_secrets(state: BrowserState, masker: Masker) -> tuple[BrowserState, list[str]]:
    """The state without cookies, items and records that hold a secret, and one sentence for each kind of them."""
    if not _shows(state, masker):
        return state, []
    cookies, hidden = _parted(state.cookies, masker)
    notes = [f"cookie {quoted_words(each.name)} of {each.domain[:100]}: {WHY}" for each in hidden]
    origins = []
    for each in state.origins:
        storage, found = _without_secrets(each, masker) if _shows(each, masker) else (each, [])
        notes += found
        if not storage.is_empty:
            origins.append(storage)
    return BrowserState(cookies, origins), notes


def _without_secrets(storage: OriginStorage, masker: Masker) -> tuple[OriginStorage, list[str]]:
    items, hidden = _parted(storage.local_storage, masker)
    notes = [f"item {quoted_words(each.name)} of {quoted_words(storage.origin)}: {WHY}" for each in hidden]
    databases = [_without_records(each, masker) for each in storage.databases]
    for before, after in zip(storage.databases, databases, strict=True):
        if count := _record_count(before.stores) - _record_count(after.stores):
            name = quoted_words(f"{before.name} of {storage.origin}")
            notes.append(f"{count} record{'s' if count != 1 else ''} of the database {name}: {WHY}")
    left = OriginStorage(storage.origin, items, databases)
    if _shows(left, masker):  # a name has it
        return OriginStorage(storage.origin, items), [*notes, f"databases of {quoted_words(storage.origin)}: {WHY}"]
    return left, notes


def _without_records(database: Database, masker: Masker) -> Database:
    stores = [msgspec.structs.replace(each, records=_parted(each.records, masker)[0]) for each in database.stores]
    return Database(database.name, database.version, stores)


def _record_count(stores: Iterable[ObjectStore]) -> int:
    return sum(len(each.records) for each in stores)


def _parted(values: Iterable[Kept], masker: Masker) -> tuple[list[Kept], list[Kept]]:
    """Those that show no secret, and those that do."""
    parts: tuple[list[Kept], list[Kept]] = ([], [])
    for each in values:
        parts[_shows(each, masker)].append(each)
    return parts


def _shows(value: object, masker: Masker) -> bool:
    """Whether a value as JSON has a secret in any spelling."""
    return next(masker.spans(msgspec.json.encode(value).decode()), None) is not None
