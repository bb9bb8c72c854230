"""Which answers come in one piece: their end is not waited for long."""

from __future__ import annotations

from typing import Any

SHORT_BYTES = 64 * 2**10
"""An answer of this length comes at once: a window of TCP. Chosen by hand."""


def is_short_answer(response: dict[str, Any]) -> bool:
    """Whether a response of CDP's announces a length that comes in one piece."""
    headers = response.get("headers", {})
    length = next((value for name, value in headers.items() if name.lower() == "content-length"), "")
    return length.isdecimal() and int(length[:9]) <= SHORT_BYTES
