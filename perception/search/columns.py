"""Finds what the columns of rows are called: the cells of the first of adjoining rows with as many cells. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from perception.search.text_similarity import likeness, words_of
from perception.types import CELL_SEPARATOR, Element

FILLING = frozenset({"of", "the", "for", "in", "a"})
"""Words that join a row and a column: `the price of the router`."""


@dataclass(frozen=True, slots=True)
class NamedCell:
    """A cell that a phrase means by its row and column.

    Attributes:
        likeness: 0 to 1, of the rest of the phrase to the row.
        column: what its column is called.
        content: what it says.
    """

    likeness: float
    column: str
    content: str


def find_columns(elements: Sequence[Element]) -> Mapping[int, Sequence[str]]:
    """For each row below a first one, what that one says, by the row's index."""
    columns: dict[int, Sequence[str]] = {}
    first: Sequence[str] = ()
    rows = [(index, each, each.text.split(CELL_SEPARATOR)) for index, each in enumerate(elements) if each.role == "row"]
    for (_, above, before), (index, row, cells) in pairwise(rows):
        if len(cells) < 2 or len(cells) != len(before) or row.parent != above.parent:
            first = ()
            continue
        first = first or before
        columns[index] = first
    return columns


def cell_meant(phrase: str, row: str, columns: Sequence[str]) -> NamedCell | None:
    """The cell that `Router price` means in the row `Router | 129.00`; None where it names none of the columns.

    Args:
        phrase: the words of a query.
        row: the row's text.
        columns: what its columns are called.
    """
    asked = words_of(phrase)
    best = None
    for column, content in zip(columns, row.split(CELL_SEPARATOR), strict=False):
        called = words_of(column)
        rest = [word for word in asked if word not in called and word not in FILLING]
        if not called or not rest or not set(called) <= set(asked):
            continue
        fit = likeness(" ".join(rest), row.replace(CELL_SEPARATOR, " "))
        if fit and (best is None or fit > best.likeness):
            best = NamedCell(fit, column, content)
    return best
