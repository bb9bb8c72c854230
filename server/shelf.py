"""Answers that are handed out in pieces, kept for as long as there is more of them to hand out."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from perception.errors import BadInputError, UnknownCursorError
from perception.types import Element, Skipped

KEPT = 4
"""Answers of each kind in one session: an agent goes on with the last one, and each may hold megabytes."""


class Piecemeal(Protocol):
    """What is handed out in pieces: it is of one tab."""

    @property
    def tab_id(self) -> str: ...


Kept = TypeVar("Kept", bound=Piecemeal)


@dataclass(frozen=True, slots=True)
class KeptContent:
    """A page's content: `chunks` are what each page of the answer says."""

    tab_id: str
    url: str
    title: str
    chunks: tuple[str, ...]
    total_tokens: int
    max_tokens: int


@dataclass(frozen=True, slots=True)
class KeptList:
    """What can be acted on, as it was found. `loader` is that document's."""

    tab_id: str
    loader: str
    url: str
    title: str
    scope: str
    elements: tuple[Element, ...]
    skipped: tuple[Skipped, ...]


class Shelf(Generic[Kept]):
    """The last few answers of one kind."""

    def __init__(self, letter: str, field: str) -> None:
        """`letter` begins their ids; `field` is how requests call what continues one."""
        self._letter = letter
        self._field = field
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._last = 0

    def keep(self, answer: Kept) -> str:
        """Keeps an answer; gives its id."""
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
        """What a cursor such as `c3.1` stands for: the answer's id, the number after it, and the answer.

        Raises:
            BadInputError: it is no cursor.
            UnknownCursorError: the answer is not kept (any more).
        """
        answer_id, _, place = cursor.partition(".")
        if not answer_id.startswith(self._letter) or not place.isdecimal() or len(place) > 9:
            raise BadInputError(
                f"{cursor[:40]!r} is no {self._field}: use the next_{self._field} of an earlier answer",
                field=self._field,
            )
        kept = self._kept.get(answer_id)
        if kept is None:
            raise UnknownCursorError(
                f"{self._field} {cursor[:40]!r} is not known: a session keeps its last {KEPT} answers for as long as "
                f"their tabs are open; ask again without {self._field}"
            )
        return answer_id, int(place), kept
