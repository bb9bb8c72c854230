"""The rows of a tab's top document as its walker sent them last: of the next walk it sends only those that differ.

Rule 1: the walker numbers what it sends, and leaves rows out only for who names the walk that it sent last. What is
lost on its way, or taken by somebody else, is sent whole.
Rule 2: these rows are never changed: a row that is the same is the same object, and so is its element.
"""

from __future__ import annotations

from perception.browser.capture.frame_facts import FrameFacts, WalkReply
from perception.browser.walker.row_layout import Row
from perception.types import Element

NO_WALK = 0


class KnownRows:
    """The rows of the last walk that was received whole or was made whole here.

    Attributes:
        walk: the walker's number of that walk; NO_WALK for none.
    """

    def __init__(self) -> None:
        self.walk = NO_WALK
        self._rows: list[Row] = []
        self._placed: list[Element | None] = []

    def complete(self, reply: WalkReply) -> None:
        """Adds the rows that a reply left out to it."""
        if reply.same is None:
            placed: list[Element | None] = [None] * len(reply.rows)
        else:
            reply.rows, placed = self._filled_in(reply.rows, reply.same)
        self.walk, self._rows, self._placed = reply.walk, reply.rows, placed

    def recall(self, facts: FrameFacts) -> None:
        """Gives facts of these rows the elements that were made of them, and has it keep there what is made now."""
        if facts.reply.rows is self._rows:
            facts.placed = self._placed

    def _filled_in(self, sent: list[Row], same: list[int]) -> tuple[list[Row], list[Element | None]]:
        rows: list[Row] = []
        placed: list[Element | None] = []
        at = 0
        for start, before, count in zip(same[::3], same[1::3], same[2::3], strict=True):
            new = start - len(rows)
            rows += sent[at : at + new]
            placed += [None] * new
            at += new
            rows += self._rows[before : before + count]
            placed += self._placed[before : before + count]
        rows += sent[at:]
        placed += [None] * (len(sent) - at)
        return rows, placed
