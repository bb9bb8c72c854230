"""Marks text of a page as untrusted, wherever it is returned as text for a language model.

    <untrusted-page 738201945>
    - button "Pay" [ref=e5]
    </untrusted-page 738201945>

Rule 1: the number is random and does not occur in the marked text, so that no page can write the closing line.
Rule 2: the number stays the same for all texts of a session, so that equal texts stay equal; a new number is drawn only
if Rule 1 requires it.
Rule 3: the text itself is not changed, and an empty text stays empty.
"""

from __future__ import annotations

import os
import re

from perception.errors import BadInputError
from perception.page_words import TAG, mark_words
from perception.render.tokens import count_tokens

FENCE_DIGITS = 9
"""Three tokens (o200k_base has one for every three digits). All numbers of this length are a text of a gigabyte: no
page contains them all."""

PAIR_TOKENS = 20
"""Tokens of both lines: nine each, and two because tokens may join at their ends."""

PAIR_CHARACTERS = 2 * (len(TAG) + FENCE_DIGITS) + len("<  >\n</ >\n\n")

_PAIR = re.compile(rf"<{TAG} (\d{{{FENCE_DIGITS}}})>\n(.*?)</{TAG} \1>\n", re.DOTALL)


class Fence:
    """The pair of lines around the texts of one session, or of one call without a session."""

    __slots__ = ("_number",)

    def __init__(self) -> None:
        self._number = _draw()

    def around(self, text: str) -> str:
        """The text between its two lines; "" for an empty text."""
        if not text:
            return ""
        while self._number in text:
            self._number = _draw()
        end = "" if text.endswith("\n") else "\n"
        return f"<{TAG} {self._number}>\n{text}{end}</{TAG} {self._number}>\n"

    def mark(self, sentence: str) -> str:
        """One of our sentences with each part that is a page's between two marks; see `perception.page_words`."""
        while self._number in sentence:
            self._number = _draw()
        return mark_words(sentence, lambda words: f"<{TAG} {self._number}>{words}</{TAG} {self._number}>")

    def around_counted(self, text: str, token_count: int) -> tuple[str, int]:
        """The same for a text whose tokens are counted; returns the marked text and its tokens."""
        marked = self.around(text)
        # A token ends at the line end before a text, unless the text begins with a character that joins line ends.
        if text.endswith("\n") and text[0] not in "\r\n/":
            return marked, token_count + PAIR_TOKENS - 2
        return marked, count_tokens(marked)


def room_within(max_tokens: int, least: int, *, field: str) -> int:
    """The part of a token budget that is left for the page's text; 0 and negative values are returned unchanged.

    Args:
        max_tokens: budget of the whole text.
        least: tokens that the page's text needs.
        field: name of the request field, for the error.

    Raises:
        BadInputError: fewer than `least` tokens are left.
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
    """The text without the marking lines, for people and for comparisons."""
    return _PAIR.sub(lambda pair: pair[2], text)


def _draw() -> str:
    least = 10 ** (FENCE_DIGITS - 1)
    # 128 bits are as even as `secrets.randbelow`, whose module takes 7 ms to load.
    return str(int.from_bytes(os.urandom(16)) % (9 * least) + least)
