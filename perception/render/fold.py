"""Folds long runs of similar lines: finds the runs and replaces most of each by one line.

A run is a shape that repeats among siblings: rows of a table, cards, days of a calendar, or a checkbox, a star and a
link for each of a hundred messages.

Thresholds are chosen by hand; guarded by `tests/unit/render/test_fold.py` and the `tokens` suite.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from perception.render.element_lines import is_covered
from perception.render.outline import Outline
from perception.render.quoting import clear
from perception.types import Element

MAX_PERIOD = 6
"""Maximum number of siblings in one unit of a run: a row's checkbox, star, name, date and two buttons."""

MIN_UNITS = 8
"""Least number of units of a long run: the days of a week are not one."""

EXAMPLES = 3
"""Units of a long run that are shown in full: one could be an exception, and two coincidence."""

MIN_FOLDED = 4
"""Least number of lines to fold: the line in their place costs as much as two or three."""

MIN_REGIONS = 2
"""Least number of equal regions after the first to fold."""

_UNNUMBERED = re.compile(r"(?<=[-_:./\d])[A-Za-z0-9]{1,3}$|\d+$")
"""What numbers the hints of alikes: `region_al`, `item-12`. At most three characters, so that no word is one
(`icon-trash`); chosen by hand, held by tests/unit/render/test_fold.py."""


_COLOR = re.compile(r"#[0-9a-f]{6}$")


class RepeatUnit(NamedTuple):
    """Position of a line in a run: `run` is the run's number (-1 for none), `ordinal` the unit's number from 0."""

    run: int = -1
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Fold:
    """Folded lines.

    Attributes:
        lines: positions of the lines, ascending.
        text: the line in their place, without indentation.
    """

    lines: tuple[int, ...]
    text: str


def find_runs(lines: Outline) -> list[RepeatUnit]:
    """For each line its position in the outermost run around it."""
    siblings: dict[int, list[int]] = {}
    for at, parent in enumerate(lines.parent):
        siblings.setdefault(parent, []).append(at)
    shapes = _shapes(lines, siblings)
    units = [RepeatUnit()] * len(lines)
    runs = 0
    for children in siblings.values():
        if len(children) < MIN_UNITS:
            continue
        for start, period, length in _periodic([shapes[at] for at in children]):
            run = children[start : start + length]
            shift = _row_start(lines, run, period)
            for offset in range(shift, length - period + 1, period):
                unit = RepeatUnit(runs, offset // period)
                for at in run[offset : offset + period]:
                    units[at] = unit
            runs += 1
    for at, parent in enumerate(lines.parent):
        if parent >= 0 and units[parent].run >= 0:
            units[at] = units[parent]
    return units


def fold_alike(lines: Outline, units: Sequence[RepeatUnit], places: Sequence[str]) -> list[Fold]:
    """Folds the units of long runs that are out of view, or whose lines repeat the examples.

    Units in view with names of their own stay, since they are likely targets; so do those with a text of their own, in
    view or not: it has no ref to open.

    Args:
        lines: all lines.
        units: position of each line in a run.
        places: for each element its region as a client can open it; "" for none.
    """
    return _fold_all_but(_units_to_keep(lines, units), lines, units, places)


def fold_nameless(lines: Outline, units: Sequence[RepeatUnit], places: Sequence[str]) -> list[Fold]:
    """Folds for the units of long runs that say nothing but what the examples said, wherever they are: the regions of a
    map, the days of a calendar without numbers. Whatever has a word, a state or a hint of its own stays.

    Args:
        places: as for `fold_alike`.
    """
    return _fold_all_but(_telling_units(lines, units), lines, units, places)


def may_hold_nameless(lines: Outline) -> bool:
    """Whether there are enough lines without a name for a fold: cheaper to know than where the runs are."""
    found = 0
    for at in range(len(lines)):
        element = lines.element(at)
        found += bool(element.ref) and not element.name
        if found > EXAMPLES + MIN_FOLDED:
            return True
    return False


def _fold_all_but(
    keeps: set[RepeatUnit], lines: Outline, units: Sequence[RepeatUnit], places: Sequence[str]
) -> list[Fold]:
    groups: list[list[int]] = []
    last = RepeatUnit()
    for at, unit in enumerate(units):
        if unit.run < 0 or unit.ordinal < EXAMPLES or unit in keeps:
            last = RepeatUnit()
            continue
        if unit.run != last.run:
            groups.append([])
        groups[-1].append(at)
        last = unit
    return [_alike(lines, units, places, group) for group in groups if len(group) >= MIN_FOLDED]


def fold_covered(lines: Outline) -> list[Fold]:
    """Folds consecutive controls that the same element covers: none of them can be clicked until it is gone."""
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


def fold_regions(lines: Outline) -> list[Fold]:
    """Folds regions of a digest whose lines are equal except for the ref, after the first of them: cards, chat
    windows."""
    folds: list[Fold] = []
    holders = {*lines.parent}
    groups = groupby(range(len(lines)), key=lambda at: (at if at in holders else -1, *_region_facts(lines, at)))
    for group in (list(group) for _, group in groups):
        refs = [lines.element(at).ref for at in group[1:]]
        if len(refs) >= MIN_REGIONS and all(refs):
            folds.append(Fold(tuple(group[1:]), f"… {len(refs)} more alike, {refs[0]} to {refs[-1]}\n"))
    return folds


def _region_facts(lines: Outline, at: int) -> tuple[object, ...]:
    element = lines.element(at)
    return lines.parent[at], element.role, element.name, element.text, element.states, element.scrollable


def _units_to_keep(lines: Outline, units: Sequence[RepeatUnit]) -> set[RepeatUnit]:
    said: dict[int, set[tuple[str, ...]]] = {}
    keeps: set[RepeatUnit] = set()
    for at, unit in enumerate(units):
        if unit.run < 0:
            continue
        element = lines.element(at)
        is_text = not element.ref
        key = (element.role, element.name, element.value, element.text) if is_text else (element.role, element.name)
        if unit.ordinal < EXAMPLES:
            said.setdefault(unit.run, set()).add(key)
        elif (
            ((element.in_viewport or is_text) and key not in said[unit.run])
            or "focused" in element.states
            or element.ref.startswith("v")
        ):
            keeps.add(unit)
    return keeps


def _telling_units(lines: Outline, units: Sequence[RepeatUnit]) -> set[RepeatUnit]:
    """Those of which a line says more than the examples of its run, or than the first of those that most are like."""
    said: dict[int, set[tuple[object, ...]]] = {}
    telling: set[RepeatUnit] = set()
    plain: dict[int, dict[tuple[object, ...], list[RepeatUnit]]] = {}
    for at, unit in enumerate(units):
        if unit.run < 0:
            continue
        element = lines.element(at)
        key = (element.role, element.states, _unnumbered(element.hint))
        if unit.ordinal < EXAMPLES:
            said.setdefault(unit.run, set()).add(key)
        elif (
            element.name
            or element.value
            or element.text
            or element.options
            or "focused" in element.states
            or element.ref.startswith("v")
        ):
            telling.add(unit)
        elif key not in said[unit.run]:
            plain.setdefault(unit.run, {}).setdefault(key, []).append(unit)
    for found in plain.values():
        most = max(found.values(), key=len)
        telling.update(*(most[:EXAMPLES] if each is most else each for each in found.values()))
    return telling


def _unnumbered(hint: str) -> str:
    """A hint without what numbers it; the color at its end stays."""
    found = _COLOR.search(hint)
    end = found.start() if found else len(hint)
    return _UNNUMBERED.sub("", hint[:end].rstrip()) + hint[end:]


def _is_covered(element: Element) -> bool:
    return element.interactive and "focused" not in element.states and is_covered(element)


def _alike(lines: Outline, units: Sequence[RepeatUnit], places: Sequence[str], group: list[int]) -> Fold:
    count = len({units[at].ordinal for at in group})
    refs = [ref for at in group if (ref := lines.element(at).ref)]
    text = f"… {count} more alike"
    if refs:
        text += f", {refs[0]} to {refs[-1]}" if len(refs) > 1 else f", {refs[0]}"
    place = places[lines.index[group[0]]]
    return Fold(tuple(group), f"{text}, in {place}\n" if place else f"{text}\n")


def _shapes(lines: Outline, siblings: dict[int, list[int]]) -> list[int]:
    """A number for each line's shape: its role and the set of its children's shapes, since cells may be missing."""
    numbers: dict[tuple[object, ...], int] = {}
    shapes = [0] * len(lines)
    for at in range(len(lines) - 1, -1, -1):
        element = lines.element(at)
        inside = frozenset(shapes[child] for child in siblings[at]) if at in siblings else None
        shapes[at] = numbers.setdefault((element.role, element.interactive, inside), len(numbers))
    return shapes


def _row_start(lines: Outline, run: Sequence[int], period: int) -> int:
    """Number of siblings before a run's first complete unit: the parts of a unit have about the same height."""
    tops = [lines.element(at).box.center.y for at in run[: period * (EXAMPLES + 1)]]

    def spread(shift: int) -> float:
        starts = range(shift, len(tops) - period + 1, period)
        heights = [max(tops[at : at + period]) - min(tops[at : at + period]) for at in starts]
        return sum(heights) / len(heights)

    return min(range(period), key=lambda shift: (round(spread(shift)), shift))


def _periodic(shapes: Sequence[int]) -> list[tuple[int, int, int]]:
    """Start, period and length of each long run in a list of shapes; runs do not overlap."""
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
    """Length of the part from `start` that repeats with this period."""
    end = min(start + period, len(shapes))
    while end < len(shapes) and shapes[end] == shapes[end - period]:
        end += 1
    return end - start
