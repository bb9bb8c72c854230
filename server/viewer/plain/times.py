"""Times as JSON."""

from __future__ import annotations

from typing import Any


def millis(message: Any, field: str) -> int | None:
    """A Timestamp field as milliseconds since 1970; None where it is absent."""
    return int(getattr(message, field).ToMilliseconds()) if message.HasField(field) else None
