"""Renders text of a page on one line: quoted and truncated.

Rule 1: no text of a page can end a line or a quotation, or reorder the text around it.
"""

from __future__ import annotations

import re

from perception import page_words
from perception.invisible import without_invisible

MAX_QUOTED_NAME = 500
"""Maximum length of a name or value on a line, characters; longer ones are running text, for
which there may be no room. The JSON form is complete."""

MAX_TEXT = 4000
"""The same of running text, where all lines fit. Longer ones are read by ExtractContent."""

MAX_MARK = 80
"""Maximum length of a text in brackets, characters: it is a description, not the name."""

_UNCLEAR = re.compile(r'["\\…]|: |:$| [(\[]|^[(\[\s#]|\s$|^$')
"""What makes a name without quotes ambiguous beside the other parts of a line."""

_CLEAR = re.compile(r"""[\w./:#=+%-](?:[\w ./:#=+%'-]|"[\w ./:#=+%'-]*")*""", re.ASCII)
"""Text that needs no quotes in brackets: it neither closes them, nor begins like a quotation, nor leaves one open."""


def cut(text: str, limit: int = MAX_QUOTED_NAME) -> str:
    """At most `limit` characters; the last of them is an ellipsis if the text was longer."""
    return page_words.cut(text, limit)


def quote(text: str, limit: int = MAX_QUOTED_NAME) -> str:
    """The text in quotes, on one line, with JSON's escapes; `""` for an empty text."""
    return page_words.quote(text, limit)


def bare(text: str, limit: int = MAX_QUOTED_NAME) -> str:
    """The text without quotes if it is unambiguous, else in quotes."""
    text = without_invisible(text)
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
