"""Long runs of alike lines: which there are, and a line in place of most of one.

A run is the same shape again and again among siblings: rows of a table, cards, days of a calendar, or a checkbox, a
star and a link for each of a hundred messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.outline import Line
from perception.render.words import clear
from perception.types import Element, Reach

MAX_PERIOD = 6
"""Siblings that one unit of a run may take up: a row's checkbox, star, name, date and two buttons."""

MIN_UNITS = 8
"""Units from which on a run is long: the days of a week are not."""

EXAMPLES = 3
"""Units of a long run that are shown in full: one could be an exception, and two chance."""

MIN_COVERED = 3
"""Lines on end that the same thing lies on, from which on they are said in one."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Where a line stands in a run: `run` is the run's number (-1: in none), `ordinal` counts its units from 0."""

    run: int = -1
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that are not shown, in order, and what is said in their place."""

    lines: tuple[int, ...]
    text: str


def find_runs(elements: Sequence[Element], lines: Sequence[Line]) -> list[Unit]:
    """For each line, where it stands in the outermost run that holds it."""
    siblings: dict[int, list[int]] = {}
    for at, line in enumerate(lines):
        siblings.setdefault(line.parent, []).append(at)
    shapes = _shapes(elements, lines, siblings)
    units = [Unit()] * len(lines)
    runs = 0
    for children in siblings.values():
        for start, period, count in _periodic([shapes[at] for at in children]):
            for offset in range(period * count):
                units[children[start + offset]] = Unit(runs, offset // period)
            runs += 1
    for at, line in enumerate(lines):
        if line.parent >= 0 and units[line.parent].run >= 0:
            units[at] = units[line.parent]
    return units


def fold_alike(
    elements: Sequence[Element], lines: Sequence[Line], units: Sequence[Unit], places: Sequence[str]
) -> list[Fold]:
    """Folds for the units of long runs that are out of view, or whose lines say what the examples said.

    What is in view and has a name of its own stays: it is what is looked for.

    Args:
        places: for each element what holds it, as it can be opened; empty where that is nothing.
    """
    said: dict[int, set[tuple[str, str]]] = {}
    keeps: set[tuple[int, int]] = set()
    for line, unit in zip(lines, units, strict=True):
        element = elements[line.index]
        key = (element.role, element.name)
        if unit.ordinal < EXAMPLES:
            said.setdefault(unit.run, set()).add(key)
        elif element.in_viewport and key not in said[unit.run]:
            keeps.add((unit.run, unit.ordinal))
        if "focused" in element.states or element.ref.startswith("v"):
            keeps.add((unit.run, unit.ordinal))
    groups: list[list[int]] = []
    last = Unit()
    for at, unit in enumerate(units):
        if unit.run < 0 or unit.ordinal < EXAMPLES or (unit.run, unit.ordinal) in keeps:
            last = Unit()
            continue
        if unit.run != last.run:
            groups.append([])
        groups[-1].append(at)
        last = unit
    return [_alike(elements, lines, units, places, group) for group in groups]


def fold_covered(elements: Sequence[Element], lines: Sequence[Line]) -> list[Fold]:
    """Folds for controls on end that the same thing lies on: none of them can be clicked before it is gone."""
    folds: list[Fold] = []
    group: list[int] = []
    above = ""
    for at, line in enumerate([*lines, None]):
        element = elements[line.index] if line is not None else None
        blocker = element.blocker if element is not None and _is_covered(element) else ""
        if blocker and blocker == above:
            group.append(at)
            continue
        if len(group) >= MIN_COVERED:
            folds.append(Fold(tuple(group), f"… {len(group)} covered by {clear(above)}\n"))
        group, above = ([at], blocker) if blocker else ([], "")
    return folds


def _is_covered(element: Element) -> bool:
    if not element.interactive or "focused" in element.states:
        return False
    return element.reach is Reach.COVERED or (element.in_viewport and not element.reachable and bool(element.blocker))


def _alike(
    elements: Sequence[Element], lines: Sequence[Line], units: Sequence[Unit], places: Sequence[str], group: list[int]
) -> Fold:
    count = len({units[at].ordinal for at in group})
    refs = [elements[lines[at].index].ref for at in group if elements[lines[at].index].ref]
    text = f"… {count} more alike"
    if refs:
        text += f", {refs[0]} to {refs[-1]}" if len(refs) > 1 else f", {refs[0]}"
    place = places[lines[group[0]].index]
    return Fold(tuple(group), f"{text}, in {place}\n" if place else f"{text}\n")


def _shapes(elements: Sequence[Element], lines: Sequence[Line], siblings: dict[int, list[int]]) -> list[int]:
    """A number for each line's shape: its role and the kinds of what it holds. Cells may lack, so that a set is kept."""
    numbers: dict[tuple[object, ...], int] = {}
    shapes = [0] * len(lines)
    for at in range(len(lines) - 1, -1, -1):
        element = elements[lines[at].index]
        inside = frozenset(shapes[child] for child in siblings.get(at, ()))
        key = (element.role, element.interactive, inside)
        shapes[at] = numbers.setdefault(key, len(numbers))
    return shapes


def _periodic(shapes: Sequence[int]) -> list[tuple[int, int, int]]:
    """Long runs in a list of shapes: where each starts, its period and its number of units; never overlapping."""
    found: list[tuple[int, int, int]] = []
    start = 0
    while start + MIN_UNITS <= len(shapes):
        best = (0, 0)
        for period in range(1, MAX_PERIOD + 1):
            units = _repeats(shapes, start, period)
            if units >= MIN_UNITS and units * period > best[0] * best[1]:
                best = (period, units)
        if best[0]:
            found.append((start, *best))
        start += max(best[0] * best[1], 1)
    return found


def _repeats(shapes: Sequence[int], start: int, period: int) -> int:
    end = start + period
    while end < len(shapes) and shapes[end] == shapes[end - period]:
        end += 1
    return (end - start) // period
