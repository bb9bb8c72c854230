"""Answers that are served in pages. They are kept for later pages."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from perception.errors import BadInputError, UnknownCursorError
from perception.types import Element, Skipped

KEPT = 4
"""Answers of each kind in one session: an agent continues the last one, and each may hold megabytes."""


class Paged(Protocol):
    """An answer that is served in pages. It is of one tab."""

    @property
    def tab_id(self) -> str: ...


Kept = TypeVar("Kept", bound=Paged)


@dataclass(frozen=True, slots=True)
class PagedContent:
    """A page's content as markdown.

    Attributes:
        tab_id, url, title: of the page.
        chunks: the pages of the answer.
        total_tokens: of all of them.
        max_tokens: of each, as it was asked for; 0 for no limit.
        read_at_s: when the page was read, seconds since 1970.
    """

    tab_id: str
    url: str
    title: str
    chunks: tuple[str, ...]
    total_tokens: int
    max_tokens: int
    read_at_s: float


@dataclass(frozen=True, slots=True)
class PagedInteractables:
    """What can be acted on, as it was found.

    Attributes:
        tab_id, url, title: of the page.
        loader: of its document.
        scope: the selector that the list is limited to; empty for none.
        elements: all of the list.
        skipped: what was not looked at, and why.
    """

    tab_id: str
    loader: str
    url: str
    title: str
    scope: str
    elements: tuple[Element, ...]
    skipped: tuple[Skipped, ...]


class PagedAnswers(Generic[Kept]):
    """The last answers of one kind in one session."""

    def __init__(self, letter: str, field: str) -> None:
        """`letter` begins their ids; `field` is the request's field that continues one."""
        self._letter = letter
        self._field = field
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._last = 0

    def keep(self, answer: Kept) -> str:
        """Keeps an answer and returns its id."""
        self._last += 1
        answer_id = f"{self._letter}{self._last}"
        self._kept[answer_id] = answer
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return answer_id

    def drop_tab(self, tab_id: str) -> None:
        for answer_id in [key for key, each in self._kept.items() if each.tab_id == tab_id]:
            del self._kept[answer_id]

    def find(self, cursor: str) -> tuple[str, int, Kept]:
        """Decodes a cursor such as `c3.1`: the answer's id, the number after it, and the answer.

        Raises:
            BadInputError: it is not a cursor.
            UnknownCursorError: the answer is not kept (any more).
        """
        answer_id, _, place = cursor.partition(".")
        if not answer_id.startswith(self._letter) or not place.isdecimal() or len(place) > 9:
            raise BadInputError(
                f"{cursor[:40]!r} is not a {self._field}: use the next_{self._field} of an earlier answer",
                field=self._field,
            )
        kept = self._kept.get(answer_id)
        if kept is None:
            raise UnknownCursorError(
                f"{self._field} {cursor[:40]!r} is not known: a session keeps its last {KEPT} answers for as long as "
                f"their tabs are open; ask again without {self._field}"
            )
        return answer_id, int(place), kept
