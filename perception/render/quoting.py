"""Renders text of a page on one line: quoted and truncated.

Rule 1: no text of a page can end a line or a quotation, or reorder the text around it.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring

MAX_QUOTED_NAME = 500
"""Maximum length of a name or value on a line, characters; longer ones are running text. The JSON form is complete."""

MAX_MARK = 80
"""Maximum length of a text in brackets, characters: it is a description, not the name."""

UNSAFE = re.compile("[\x80-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
"""Characters to escape in addition to JSON's: other line ends (Unicode 16, 5.8), marks that reorder a line (UAX #9),
lone surrogates, and tag characters, which are invisible letters."""

_UNCLEAR = re.compile(r'["\\…]|: |:$| [(\[]|^[(\[\s#]|\s$|^$')
"""What makes a name without quotes ambiguous beside the other parts of a line."""

_CLEAR = re.compile(r"""[\w./:#=+%-](?:[\w ./:#=+%'-]|"[\w ./:#=+%'-]*")*""", re.ASCII)
"""Text that needs no quotes in brackets: it neither closes them, nor begins like a quotation, nor leaves one open."""


def cut(text: str, limit: int = MAX_QUOTED_NAME) -> str:
    """At most `limit` characters; the last of them is an ellipsis if the text was longer."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def quote(text: str, limit: int = MAX_QUOTED_NAME) -> str:
    """The text in quotes, on one line, with JSON's escapes; `""` for an empty text."""
    quoted = encode_basestring(cut(text, limit))
    return quoted if quoted.isascii() else UNSAFE.sub(escape_character, quoted)


def bare(text: str, limit: int = MAX_QUOTED_NAME) -> str:
    """The text without quotes if it is unambiguous, else in quotes."""
    shown = cut(text, limit)
    quoted = quote(shown, limit)
    plain = quoted[1:-1]
    return plain if plain == shown and not _UNCLEAR.search(text[:limit]) else quoted


def clear(text: str, limit: int = MAX_MARK) -> str:
    """The text for use in brackets: without quotes if it is unambiguous, else in quotes."""
    return text if len(text) <= limit and _CLEAR.fullmatch(text) else quote(text, min(limit, MAX_MARK))


def plural(count: int, noun: str) -> str:
    """`1 row`, `2 rows`, `2 boxes`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}es" if noun.endswith(("x", "ch")) else f"{count} {noun}s"


def escape_character(match: re.Match[str]) -> str:
    """JSON's escape of a character."""
    # JSON writes characters beyond U+FFFF as pairs of surrogates.
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
