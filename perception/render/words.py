"""What a page says, on one line: quoted, cut and counted.

Rule 1: nothing that a page says can end a line or a quotation, nor reorder what stands around it.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring

MAX_NAME = 500
"""Characters of a name or value on a line; JSON carries all of it. Longer ones are running text."""

MAX_MARK = 80
"""Characters of what is said in brackets beside a line: a description, not the thing."""

UNSAFE = re.compile("[\x80-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
"""Beside what JSON escapes: line ends of other alphabets (Unicode 16, 5.8), marks that reorder the line (UAX #9), half
surrogates, and tags, which are letters that nobody sees."""

_UNCLEAR = re.compile(r'["\\…]|: |:$| [(\[]|^[(\[\s#]|\s$|^$')
"""Where a name without quotes could be taken for what stands beside it."""

_CLEAR = re.compile(r"""[\w./:#=+%-](?:[\w ./:#=+%'-]|"[\w ./:#=+%'-]*")*""", re.ASCII)
"""What can stand in brackets as it is: nothing that closes them, starts as a quotation does, or leaves one open."""


def cut(text: str, limit: int = MAX_NAME) -> str:
    """At most `limit` characters, the last of them an ellipsis where something was left out."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def quote(text: str, limit: int = MAX_NAME) -> str:
    """On one line and unambiguous, whatever the page says: JSON's escapes, `""` for an empty text."""
    quoted = encode_basestring(cut(text, limit))
    return quoted if quoted.isascii() else UNSAFE.sub(escape_character, quoted)


def bare(text: str, limit: int = MAX_NAME) -> str:
    """Without quotes where it is clear without."""
    shown = cut(text, limit)
    quoted = quote(shown, limit)
    plain = quoted[1:-1]
    return plain if plain == shown and not _UNCLEAR.search(text[:limit]) else quoted


def clear(text: str, limit: int = MAX_MARK) -> str:
    """For between brackets and commas: without quotes where it is clear without."""
    return text if len(text) <= limit and _CLEAR.fullmatch(text) else quote(text, min(limit, MAX_MARK))


def plural(count: int, noun: str) -> str:
    """`1 row`, `2 rows`, `2 boxes`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}es" if noun.endswith(("x", "ch")) else f"{count} {noun}s"


def escape_character(match: re.Match[str]) -> str:
    """As JSON writes it."""
    # Beyond U+FFFF JSON knows only pairs of surrogates.
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
