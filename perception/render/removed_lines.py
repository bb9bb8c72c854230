"""Renders what a diff removes. Pure.

    - e9-e14 e17
    ~ e2 e4 out of view
    - text "Loading…"
    - dialog "Saved" e22, 12 lines
    - 30 rows: "Alice", "Bob", "Carol", "Dan", "Eve", "Frank", … 24 more

Rule 1: what was removed as a whole is listed as a whole: by its outermost element, and the number of lines in it.
Rule 2: a ref that is still on the page, out of a snapshot's scope, is not said to be gone.
Rule 3: many alike that were removed from one place are one line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from perception.render.diff import Diff
from perception.render.element_lines import called
from perception.render.quoting import plural, quote
from perception.render.ref_ranges import join_refs
from perception.types import Element

BLOCK_LINES = 4
"""Least number of lines that are listed as a block. Fewer are listed one by one, in about as many tokens."""

MANY_ALIKE = 4
"""Least number of alike removed elements that share a line."""

NAMED = 6
"""How many of those that share a line are named."""

NAME_LENGTH = 24
"""Characters of a name that only says which of several alike it was."""

TEXT_LENGTH = 80
"""Characters of a quoted text: it only identifies the text; the snapshot has the full form."""


@dataclass(frozen=True, slots=True)
class _Removed:
    """An outermost removed element: what it is, and the elements in it that had a line, itself included."""

    element: Element
    parent: int
    told: tuple[Element, ...]


def removed_lines(old: Sequence[Element], diff: Diff, out_of_view: Collection[str] = ()) -> list[str]:
    """The lines of a diff's removed elements.

    Args:
        out_of_view: refs of those that are only out of view.
    """
    refs: list[str] = []
    lines: list[str] = []
    for alike in _alike(_outermost(old, diff.removed)):
        told = [element for each in alike for element in each.told]
        if len(alike) >= MANY_ALIKE and not _are_refs(alike):
            lines.append(_line_of_many(alike, len(told)))
            continue
        for each in alike:
            if len(each.told) >= BLOCK_LINES:
                lines.append(_line_of_block(each))
            else:
                refs.extend(element.ref for element in each.told if element.ref)
                lines.extend(_line_of_text(element) for element in each.told if not element.ref)
    gone = [ref for ref in refs if ref not in out_of_view]
    away = [ref for ref in refs if ref in out_of_view]
    named = ["- " + " ".join(join_refs(gone)) + "\n"] if gone else []
    named += ["~ " + " ".join(join_refs(away)) + " out of view\n"] if away else []
    return named + list(dict.fromkeys(lines))


def _outermost(old: Sequence[Element], removed: Sequence[int]) -> Iterator[_Removed]:
    """The removed elements that no removed element contains, each with what it contained, in the order of the list."""
    gone = set(removed)
    top: dict[int, int] = {}
    told: dict[int, list[Element]] = {}
    for index in removed:
        parent = old[index].parent
        top[index] = top[parent] if parent in gone else index
        held = told.setdefault(top[index], [])
        if old[index].ref or (old[index].visible and old[index].name):
            held.append(old[index])
    for index, held in told.items():
        if held:
            yield _Removed(old[index], old[index].parent, tuple(held))


def _alike(removed: Iterator[_Removed]) -> list[list[_Removed]]:
    """Groups of removed elements with one role that were in one container."""
    groups: defaultdict[tuple[int, str], list[_Removed]] = defaultdict(list)
    for each in removed:
        groups[each.parent, each.element.role].append(each)
    return list(groups.values())


def _are_refs(alike: Sequence[_Removed]) -> bool:
    """Whether refs say it all, and are short."""
    if any(len(each.told) > 1 or not each.element.ref for each in alike):
        return False
    return len(join_refs([each.element.ref for each in alike])) <= NAMED


def _line_of_many(alike: Sequence[_Removed], lines: int) -> str:
    names = list(dict.fromkeys(quote(_name(each), NAME_LENGTH) for each in alike if _name(each)))
    more = len(alike) - min(len(names), NAMED)
    said = [*names[:NAMED], *([f"… {more} more"] if more else [])]
    count = plural(len(alike), alike[0].element.role)
    within = f" with {plural(lines, 'line')}" if lines > len(alike) else ""
    return f"- {count}{within}: {', '.join(said)}\n"


def _line_of_block(removed: _Removed) -> str:
    name = _name(removed)
    parts = (removed.element.role, quote(name, TEXT_LENGTH) if name else "", removed.element.ref)
    return f"- {' '.join(part for part in parts if part)}, {plural(len(removed.told), 'line')}\n"


def _line_of_text(element: Element) -> str:
    return f"- {element.role} {quote(called(element), TEXT_LENGTH)}\n"


def _name(removed: _Removed) -> str:
    """Its own name, else that of the first in it that has one."""
    return next((name for each in (removed.element, *removed.told) if (name := called(each))), "")
