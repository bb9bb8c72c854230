"""A page's words, marked as such wherever they are handed out as text for a language model.

    <untrusted-page 738201945>
    - button "Pay" [ref=e5]
    </untrusted-page 738201945>

Rule 1: the number is random, and never stands in the text that it marks: no page can write the closing line.
Rule 2: it stays the same from text to text, so that equal texts are equal; another one is drawn only where Rule 1 asks
for it.
Rule 3: nothing of the text itself is changed, and an empty text stays empty.
"""

from __future__ import annotations

import re
import secrets

from perception.errors import BadInputError
from perception.render.tokens import count_tokens

TAG = "untrusted-page"

DIGITS = 9
"""Three tokens (o200k_base has one for every three digits). All numbers of that many digits together are a text of a
gigabyte: no page holds them all."""

PAIR_TOKENS = 20
"""Of both lines: nine each, and two for how tokens may join where they meet the text."""

PAIR_CHARACTERS = 2 * (len(TAG) + DIGITS) + len("<  >\n</ >\n\n")

_PAIR = re.compile(rf"<{TAG} (\d{{{DIGITS}}})>\n(.*?)\n?</{TAG} \1>\n", re.DOTALL)


class Fence:
    """The pair of lines around what one session, or one call without a session, hands out."""

    __slots__ = ("_number",)

    def __init__(self) -> None:
        self._number = _draw()

    def around(self, text: str) -> str:
        """The text between its two lines; nothing for nothing."""
        if not text:
            return ""
        while self._number in text:
            self._number = _draw()
        end = "" if text.endswith("\n") else "\n"
        return f"<{TAG} {self._number}>\n{text}{end}</{TAG} {self._number}>\n"

    def around_counted(self, text: str, token_count: int) -> tuple[str, int]:
        """The same of a text whose tokens have been counted, with what all of it costs."""
        marked = self.around(text)
        # A token ends at the line end before a text, unless the text goes on with what joins line ends.
        if text.endswith("\n") and text[0] not in "\r\n/":
            return marked, token_count + PAIR_TOKENS - 2
        return marked, count_tokens(marked)


def room_within(max_tokens: int, least: int, *, field: str) -> int:
    """What a budget leaves for the page's words; 0, and what is negative, stay as they are.

    Args:
        least: tokens that the words need.

    Raises:
        BadInputError: less than that is left.
    """
    if max_tokens <= 0:
        return max_tokens
    if max_tokens < least + PAIR_TOKENS:
        raise BadInputError(
            f"max_tokens is {max_tokens}, too small for a line of the page between the two that mark it: "
            f"use {least + PAIR_TOKENS} or more, or 0 for no limit",
            field=field,
        )
    return max_tokens - PAIR_TOKENS


def unmarked(text: str) -> str:
    """Without the marking lines, for people and for comparing; a text without them as it is."""
    return _PAIR.sub(lambda pair: f"{pair[2]}\n" if pair[2] else "", text)


def _draw() -> str:
    return str(secrets.randbelow(9 * 10 ** (DIGITS - 1)) + 10 ** (DIGITS - 1))
