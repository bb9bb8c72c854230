"""Long runs of alike lines: which there are, and a line in place of most of one.

A run is the same shape again and again among siblings: rows of a table, cards, days of a calendar, or a checkbox, a
star and a link for each of a hundred messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from perception.render.outline import Outline
from perception.render.words import clear
from perception.types import Element, Reach

MAX_PERIOD = 6
"""Siblings that one unit of a run may take up: a row's checkbox, star, name, date and two buttons."""

MIN_UNITS = 8
"""Units from which on a run is long: the days of a week are not."""

EXAMPLES = 3
"""Units of a long run that are shown in full: one could be an exception, and two chance."""

MIN_FOLDED = 4
"""Lines that are worth one in their place: that costs as much as two or three."""


class Unit(NamedTuple):
    """Where a line stands in a run: `run` is the run's number (-1: in none), `ordinal` counts its units from 0."""

    run: int = -1
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that are not shown, in order, and what is said in their place."""

    lines: tuple[int, ...]
    text: str


def find_runs(lines: Outline) -> list[Unit]:
    """For each line, where it stands in the outermost run that holds it."""
    siblings: dict[int, list[int]] = {}
    for at, parent in enumerate(lines.parent):
        siblings.setdefault(parent, []).append(at)
    shapes = _shapes(lines, siblings)
    units = [Unit()] * len(lines)
    runs = 0
    for children in siblings.values():
        if len(children) < MIN_UNITS:
            continue
        for start, period, length in _periodic([shapes[at] for at in children]):
            run = children[start : start + length]
            shift = _row_start(lines, run, period)
            for offset in range(shift, length - period + 1, period):
                unit = Unit(runs, offset // period)
                for at in run[offset : offset + period]:
                    units[at] = unit
            runs += 1
    for at, parent in enumerate(lines.parent):
        if parent >= 0 and units[parent].run >= 0:
            units[at] = units[parent]
    return units


def fold_alike(lines: Outline, units: Sequence[Unit], places: Sequence[str]) -> list[Fold]:
    """Folds for the units of long runs that are out of view, or whose lines say what the examples said.

    What is in view and has a name of its own stays: it is what is looked for.

    Args:
        places: for each element what holds it, as it can be opened; empty where that is nothing.
    """
    keeps = _units_to_keep(lines, units)
    groups: list[list[int]] = []
    last = Unit()
    for at, unit in enumerate(units):
        if unit.run < 0 or unit.ordinal < EXAMPLES or unit in keeps:
            last = Unit()
            continue
        if unit.run != last.run:
            groups.append([])
        groups[-1].append(at)
        last = unit
    return [_alike(lines, units, places, group) for group in groups if len(group) >= MIN_FOLDED]


def fold_covered(lines: Outline) -> list[Fold]:
    """Folds for controls on end that the same thing lies on: none of them can be clicked before it is gone."""
    folds: list[Fold] = []
    group: list[int] = []
    above = ""
    for at in range(len(lines) + 1):
        element = lines.element(at) if at < len(lines) else None
        blocker = element.blocker if element is not None and _is_covered(element) else ""
        if blocker and blocker == above:
            group.append(at)
            continue
        if len(group) >= MIN_FOLDED:
            folds.append(Fold(tuple(group), f"… {len(group)} covered by {clear(above)}\n"))
        group, above = ([at], blocker) if blocker else ([], "")
    return folds


def _units_to_keep(lines: Outline, units: Sequence[Unit]) -> set[Unit]:
    said: dict[int, set[tuple[str, str]]] = {}
    keeps: set[Unit] = set()
    for at, unit in enumerate(units):
        if unit.run < 0:
            continue
        element = lines.element(at)
        key = (element.role, element.name)
        if unit.ordinal < EXAMPLES:
            said.setdefault(unit.run, set()).add(key)
        elif (
            (element.in_viewport and key not in said[unit.run])
            or "focused" in element.states
            or element.ref.startswith("v")
        ):
            keeps.add(unit)
    return keeps


def _is_covered(element: Element) -> bool:
    if not element.interactive or "focused" in element.states:
        return False
    return element.reach is Reach.COVERED or (element.in_viewport and not element.reachable and bool(element.blocker))


def _alike(lines: Outline, units: Sequence[Unit], places: Sequence[str], group: list[int]) -> Fold:
    count = len({units[at].ordinal for at in group})
    refs = [ref for at in group if (ref := lines.element(at).ref)]
    text = f"… {count} more alike"
    if refs:
        text += f", {refs[0]} to {refs[-1]}" if len(refs) > 1 else f", {refs[0]}"
    place = places[lines.index[group[0]]]
    return Fold(tuple(group), f"{text}, in {place}\n" if place else f"{text}\n")


def _shapes(lines: Outline, siblings: dict[int, list[int]]) -> list[int]:
    """A number for each line's shape: its role and the kinds of what it holds, as a set: cells may lack."""
    numbers: dict[tuple[object, ...], int] = {}
    shapes = [0] * len(lines)
    for at in range(len(lines) - 1, -1, -1):
        element = lines.element(at)
        inside = frozenset(shapes[child] for child in siblings[at]) if at in siblings else None
        shapes[at] = numbers.setdefault((element.role, element.interactive, inside), len(numbers))
    return shapes


def _row_start(lines: Outline, run: Sequence[int], period: int) -> int:
    """How many siblings of a run lie before its first whole unit: the units of a row lie side by side."""
    tops = [lines.element(at).box.center.y for at in run[: period * (EXAMPLES + 1)]]

    def spread(shift: int) -> float:
        starts = range(shift, len(tops) - period + 1, period)
        heights = [max(tops[at : at + period]) - min(tops[at : at + period]) for at in starts]
        return sum(heights) / len(heights)

    return min(range(period), key=lambda shift: (round(spread(shift)), shift))


def _periodic(shapes: Sequence[int]) -> list[tuple[int, int, int]]:
    """Long runs in a list of shapes: where each starts, its period and its length; never overlapping."""
    found: list[tuple[int, int, int]] = []
    start = 0
    while start + MIN_UNITS <= len(shapes):
        runs = [(_length(shapes, start, period), -period) for period in range(1, MAX_PERIOD + 1)]
        length, period = max(((n, p) for n, p in runs if n >= MIN_UNITS * -p), default=(0, 0))
        if length:
            found.append((start, -period, length))
        start += max(length, 1)
    return found


def _length(shapes: Sequence[int], start: int, period: int) -> int:
    """Of the part from `start` on that repeats with that period."""
    end = min(start + period, len(shapes))
    while end < len(shapes) and shapes[end] == shapes[end - period]:
        end += 1
    return end - start
