"""What was read of a page, kept for as long as there is more of it to hand out."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from perception.errors import BadInputError, UnknownCursorError

KEPT = 4
"""Readings of one session: an agent goes on with the last one, and each may hold megabytes."""


@dataclass(frozen=True, slots=True)
class KeptContent:
    """A reading in pieces: `chunks` are what each page of the answer says."""

    tab_id: str
    url: str
    title: str
    chunks: tuple[str, ...]
    total_tokens: int
    max_tokens: int


class Contents:
    """Readings of one session, the last few."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, KeptContent] = OrderedDict()
        self._last = 0

    def keep(self, content: KeptContent) -> str:
        """Keeps a reading; gives its id."""
        self._last += 1
        content_id = f"c{self._last}"
        self._kept[content_id] = content
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return content_id

    def drop_tab(self, tab_id: str) -> None:
        for content_id in [key for key, each in self._kept.items() if each.tab_id == tab_id]:
            del self._kept[content_id]

    def find(self, cursor: str) -> tuple[str, int, KeptContent]:
        """What a cursor such as `c3.1` stands for: the reading's id, the number of the piece, and the reading.

        Raises:
            BadInputError: it is no cursor.
            UnknownCursorError: the reading is not kept (any more), or has no such piece.
        """
        content_id, _, page = cursor.partition(".")
        if not content_id.startswith("c") or not page.isdecimal() or len(page) > 6:
            raise BadInputError(
                f"{cursor[:40]!r} is no cursor: use the next_cursor of an ExtractContent", field="cursor"
            )
        kept = self._kept.get(content_id)
        if kept is None:
            raise UnknownCursorError(
                f"cursor {cursor[:40]!r} is not known: a session keeps its last {KEPT} readings for as long as their "
                "tabs are open; read the page again"
            )
        if int(page) >= len(kept.chunks):
            raise UnknownCursorError(f"{content_id} has {len(kept.chunks)} pieces, there is no number {int(page)}")
        return content_id, int(page), kept
