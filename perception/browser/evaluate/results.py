"""What scripts return and throw, as clients get it. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from perception.browser.evaluate.script import Evaluated

MAX_EXCEPTION = 4000
"""Characters of an exception, and of its stack. Chosen by hand."""

NOT_PLAIN = "the script's result is not a plain value, or contains itself: return a part of it"

MAX_DEPTH = 1000
"""Levels of a value that Chromium returns: v8's inspector has the same limit, and refuses what contains itself."""

PLAIN_VALUE = f"""function() {{
  const tooDeep = {{}};
  const plain = (value, depth) => {{
    if (typeof value !== 'object' || value === null) return value;
    if (depth > {MAX_DEPTH}) throw tooDeep;
    if (Array.isArray(value)) return Array.from(value, (each) => plain(each, depth + 1));
    const shown = typeof value.toJSON === 'function' ? value.toJSON('') : value;
    if (shown !== value && (typeof shown !== 'object' || shown === null || Array.isArray(shown)))
      return plain(shown, depth + 1);
    return Object.fromEntries(Object.keys(shown).map((key) => [key, plain(shown[key], depth + 1)]));
  }};
  try {{
    return plain(this, 0);
  }} catch (error) {{
    if (error !== tooDeep) throw error;
    return this;
  }}
}}"""
"""A value as JSON has it. Chromium itself asks no `toJSON`, so that it returns nothing of a date or a DOMRect, and
answers for a getter that throws as for a page that has gone (Chromium 156)."""


def exception_of(details: Mapping[str, Any]) -> Evaluated:
    """What a script threw, by CDP's ExceptionDetails."""
    error = details.get("exception", {})
    described = str(error.get("description") or error.get("value") or details.get("text", "")) or "undefined"
    return thrown(described, described)


def thrown(text: str, stack: str) -> Evaluated:
    """What a script threw, cut to MAX_EXCEPTION characters."""
    return Evaluated(exception=text.partition("\n    at ")[0][:MAX_EXCEPTION], stack=stack[:MAX_EXCEPTION])


def plain_value(value: Any) -> Any:
    """Playwright's value as JSON has it. Raises RecursionError for one that contains itself."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain_value(each) for each in value]
    return str(value)
