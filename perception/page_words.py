"""A page's words inside our own sentences: what of them is written, and where they begin and end.

Rule 1: words of a page are on one line, and no character of theirs is invisible (see
`perception.invisible`), ends the line, or reorders it.
Rule 2: a sentence knows which of its parts are a page's: `page_words` puts two control characters around them, which
such words never contain. `mark_words` replaces these on the way out, `plain_words` removes them for logs and people.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json.encoder import encode_basestring

from perception.invisible import without_invisible

TAG = "untrusted-page"
"""Name of the marks around a page's words, `<untrusted-page 685825862>`."""

MAX_WORDS = 80
"""Maximum length of a page's words in a sentence, characters: they identify something, the snapshot has all of them."""

UNSAFE = re.compile("[\x80-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters to escape in addition to JSON's: other line ends (Unicode 16, 5.8), marks that reorder a line (UAX #9)
and lone surrogates."""

MAX_ADDRESS = 200
"""The same of an address that a page has led to."""

_OPEN, _CLOSE = "\x02", "\x03"

_SPAN = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*)(?:{_CLOSE}|$)")

_MARKED = re.compile(rf"<{TAG} (\d+)>(?!\n)(.*?)</{TAG} \1>")


def page_words(text: str, limit: int = MAX_WORDS) -> str:
    """Words of a page for a sentence, without quotes: for descriptions with quotes of their own."""
    return f"{_OPEN}{quote(text, limit)[1:-1].replace(chr(92) + chr(34), chr(34))}{_CLOSE}"


def quoted_words(text: str, limit: int = MAX_WORDS) -> str:
    """Words of a page for a sentence, in quotes."""
    return f"{_OPEN}{quote(text, limit)}{_CLOSE}"


def quoted_list(texts: Iterable[str], limit: int = MAX_WORDS) -> str:
    """Several of a page's texts for a sentence, in quotes, as one part of it; "" for none."""
    listed = ", ".join(quote(text, limit) for text in texts)
    return f"{_OPEN}{listed}{_CLOSE}" if listed else ""


def mark_words(sentence: str, mark: Callable[[str], str]) -> str:
    """The sentence with `mark` applied to each part that is a page's; one that was cut off ends with the text."""
    return plain_words(_SPAN.sub(lambda span: mark(span[1]), sentence))


def plain_words(sentence: str) -> str:
    """The sentence without anything that shows which parts are a page's."""
    return sentence.replace(_OPEN, "").replace(_CLOSE, "") if _OPEN in sentence or _CLOSE in sentence else sentence


def unmarked_words(sentence: str) -> str:
    """A sentence of the service without the marks in it, for people."""
    return _MARKED.sub(r"\2", sentence) if TAG in sentence else sentence


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; the last of them is an ellipsis if the text was longer."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def quote(text: str, limit: int) -> str:
    """The text in quotes, on one line, with JSON's escapes; `""` for an empty text."""
    quoted = encode_basestring(cut(without_invisible(text), limit))
    return quoted if quoted.isascii() else UNSAFE.sub(escape_character, quoted)


def escape_character(match: re.Match[str]) -> str:
    """JSON's escape of a character."""
    # JSON writes characters beyond U+FFFF as pairs of surrogates.
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
