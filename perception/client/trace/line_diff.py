"""The difference of two texts, line by line, with what stayed left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

AROUND = 2
"""Lines that are kept around a change."""

MAX_LINES = 3000
"""Longer texts are not compared: it takes a second where all of a page has changed."""

Row = tuple[str, str]
"""A mark and a line: `+` came, `-` went, ` ` stayed, `…` lines were left out."""


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[Row]:
    """The rows of a difference; empty where there is none, or a text is too long."""
    if list(old) == list(new) or max(len(old), len(new)) > MAX_LINES:
        return []
    return list(_rows(old, new))


def _rows(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    end = 0
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(AROUND):
        if (left_out := group[0][3] - end) > 0:
            yield "…", _left_out(left_out)
        for tag, from_old, to_old, from_new, to_new in group:
            if tag == "equal":
                yield from ((" ", line) for line in new[from_new:to_new])
                continue
            yield from (("-", line) for line in old[from_old:to_old])
            yield from (("+", line) for line in new[from_new:to_new])
        end = group[-1][4]
    if len(new) > end:
        yield "…", _left_out(len(new) - end)


def _left_out(count: int) -> str:
    return "1 line as before" if count == 1 else f"{count} lines as before"
