"""Masks the secrets of every service of this process in log lines.

Logging is process-wide, and a process may have several services: each live secret store masks every line.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Protocol
from weakref import WeakSet

from perception.secrets import Masker


class HoldsSecrets(Protocol):
    """A source of secrets that logs must not show."""

    def whole_masker(self) -> Masker | None:
        """A function that masks all of its secrets; None if it has none now."""


_stores: WeakSet[HoldsSecrets] = WeakSet()


def mask_in_logs(store: HoldsSecrets) -> None:
    """Masks the secrets of a store in every line from now on, while the store is alive."""
    _stores.add(store)


def mask_log(logger: Any, method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A structlog processor that masks every secret. It comes after all processors that produce text."""
    masked: Mapping[str, Any] = event
    for store in list(_stores):
        masker = store.whole_masker()
        if masker is not None:
            masked = {key: _masked_value(masker, value) for key, value in masked.items()}
    return masked


def _masked_value(masker: Masker, value: Any) -> Any:
    if isinstance(value, str):
        return masker.text(value)
    if isinstance(value, list | tuple):
        return [_masked_value(masker, each) for each in value]
    if isinstance(value, dict):
        return {key: _masked_value(masker, each) for key, each in value.items()}
    return value
