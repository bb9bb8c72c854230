"""The difference of two lists of elements. Pure.

Rule 1: an element is the same while its DOM node is the same; a vision element, while its ref is the same. Text without
a ref whose node was replaced is the same text if it has the same position in the same parent, and a word in common or
only other numbers.
Rule 2: a diff is exact: applied to the old list, it gives the new one, except for boxes, click points and scroll
distances, which are equal while they begin and end in the same pixel. Pixels are on a fixed grid, so that a chain of
diffs never drifts by more than one.
Rule 3: a changed order is described by as few elements as possible.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from perception.errors import BadInputError
from perception.render.select import depths
from perception.types import Element
from perception.v1 import types_pb2 as pb

COMPARED_FIELDS = (
    *("ref", "role", "name", "nth", "value", "states", "text", "hint", "options", "reach", "reachable", "covered_by"),
    *("visible", "in_viewport", "scrollable", "box", "click_point", "depth", "frame", "selector", "backend_node_id"),
    *("sources", "confidence", "name_source", "interactive"),
)
"""Names of the compared fields, as in the wire's Element."""

ORDER = "order"

UNREPORTED_FIELDS = frozenset(
    {"nth", "click_point", "backend_node_id", "sources", "confidence", "depth", "selector", "name_source"}
)
"""Fields that change with others, or with the way an element was found: alone they are not reported."""

PIXEL_EDGE = 0.3
"""Offset of the pixel grid. Chromium lays out in 1/64 px (LayoutUnit), and positions in pages are often halves, thirds
and quarters: none of them is at 0.7, where floor(x + 0.3) steps, so that rounding noise does not change the pixel."""


_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class ElementChange:
    """An element that is in both lists.

    Attributes:
        index: its index in the new list.
        from_index: its index in the old list.
        fields: names of the changed fields; ORDER if it moved among the others.
    """

    index: int
    from_index: int
    fields: tuple[str, ...]

    @property
    def is_news(self) -> bool:
        return not UNREPORTED_FIELDS.issuperset(self.fields)


@dataclass(frozen=True, slots=True)
class Diff:
    """The difference of two lists.

    Attributes:
        added: indices in the new list.
        removed: indices in the old list.
        changed: elements in both lists with changed fields.
        removed_refs: refs of the old list that the new one does not have, including those of elements that got a new
            ref because their role or name changed.
    """

    added: tuple[int, ...]
    removed: tuple[int, ...]
    changed: tuple[ElementChange, ...]
    removed_refs: tuple[str, ...]

    @property
    def is_news(self) -> bool:
        """Whether a reader of the old list would see a change."""
        return bool(self.added or self.removed) or any(change.is_news for change in self.changed)


def diff_elements(old: Sequence[Element], new: Sequence[Element]) -> Diff:
    """The difference of two lists of elements of one tab, in the order of the lists.

    For lists of different documents, everything is removed and everything is added.
    """
    pairs = _pair_up(old, new)
    stayed = set(_longest_increasing([before for before, _ in pairs]))
    old_facts, new_facts = _facts(old), _facts(new)
    changed = []
    for place, (before, after) in enumerate(pairs):
        fields = _differing(old_facts[before], new_facts[after])
        if place not in stayed:
            fields.append(ORDER)
        if fields:
            changed.append(ElementChange(after, before, tuple(fields)))
    kept, found = {before for before, _ in pairs}, {after for _, after in pairs}
    refs = {element.ref for element in new}
    return Diff(
        added=tuple(index for index in range(len(new)) if index not in found),
        removed=tuple(index for index in range(len(old)) if index not in kept),
        changed=tuple(changed),
        removed_refs=tuple(element.ref for element in old if element.ref and element.ref not in refs),
    )


def apply_diff(old: Sequence[pb.Element], diff: pb.SnapshotDiff) -> list[pb.Element]:
    """Applies a diff to a list, as clients do that keep a list up to date.

    Elements that are neither removed nor changed keep their order and fill the places between added and changed ones.

    Args:
        old: all elements of the snapshot that the diff starts from.
        diff: the diff to apply.

    Raises:
        BadInputError: the diff does not fit the list: it belongs to another one, or a token budget shortened the list.
    """
    gone = {*diff.removed_at, *(change.from_index for change in diff.changed)}
    placed = dict(zip(diff.added_at, diff.added, strict=True))
    placed.update((change.index, change.element) for change in diff.changed)
    staying = [element for index, element in enumerate(old) if index not in gone]
    size = len(staying) + len(placed)
    if any(index >= len(old) for index in gone) or any(index >= size for index in placed):
        raise BadInputError(
            f"the diff does not fit a list of {len(old)} elements: apply it to all elements of "
            f"{diff.since_snapshot_id or 'the snapshot that it begins with'}, taken without max_tokens"
        )
    rest = iter(staying)
    return [placed[index] if index in placed else next(rest) for index in range(size)]


def _pair_up(old: Sequence[Element], new: Sequence[Element]) -> list[tuple[int, int]]:
    """(index in old, index in new) of the elements in both lists, in the order of the new list."""
    old_keys, new_keys = _identities(old), _identities(new)
    place = {key: index for index, key in enumerate(old_keys)}
    pairs = [(place[key], index) for index, key in enumerate(new_keys) if key in place]
    met, found = {before for before, _ in pairs}, {after for _, after in pairs}
    spots = defaultdict(list)
    for index, element in enumerate(old):
        if index not in met and _is_bare_text(element):
            spots[_spot(old, old_keys, index)].append(index)
    for index, element in enumerate(new):
        if index in found or not _is_bare_text(element):
            continue
        there = spots.get(_spot(new, new_keys, index), [])
        before = next((each for each in there if _is_rewritten(old[each].name, element.name)), None)
        if before is not None:
            there.remove(before)
            pairs.append((before, index))
    return sorted(pairs, key=lambda pair: pair[1])


def identity_of(element: Element) -> Hashable:
    """What an element is known by in both lists; several may have the same."""
    return element.node or element.ref or (element.role, element.name)


def _identities(elements: Sequence[Element]) -> list[Hashable]:
    """A unique key for each element: its identity, and the number of equal identities before it."""
    seen: Counter[Hashable] = Counter()
    keys: list[Hashable] = []
    for element in elements:
        key = identity_of(element)
        keys.append((key, seen[key]))
        seen[key] += 1
    return keys


def _is_bare_text(element: Element) -> bool:
    return element.role == "text" and not element.ref


def _spot(elements: Sequence[Element], keys: Sequence[Hashable], index: int) -> Hashable:
    """Position of a text: its document, its parent's identity, and its top left pixel."""
    element = elements[index]
    document = element.node.loader if element.node else ""
    parent = keys[element.parent] if element.parent >= 0 else None
    return document, parent, _px(element.box.left), _px(element.box.top)


def _is_rewritten(before: str, after: str) -> bool:
    """Whether a text can be a later form of another one, as `4 items` of `3 items` and `now 7:01` of `now 7:00`."""
    words, later = set(_WORD.findall(before.casefold())), set(_WORD.findall(after.casefold()))
    return bool(words & later) or (_NUMBER.sub("0", before) == _NUMBER.sub("0", after))


def _facts(elements: Sequence[Element]) -> list[tuple[Any, ...]]:
    """Compared values of each element, in the order of COMPARED_FIELDS."""
    return [_facts_of(element, depth) for element, depth in zip(elements, depths(elements), strict=True)]


def _facts_of(element: Element, depth: int) -> tuple[Any, ...]:
    box, point, left = element.box, element.click_point, element.scrollable
    return (
        *(element.ref, element.role, element.name, element.nth, element.value, element.states, element.text),
        *(
            element.hint,
            (element.options, element.option_count),
            element.reach,
            element.reachable,
            element.blocker,
            element.visible,
        ),
        element.in_viewport,
        left and (_px(left.up), _px(left.down), _px(left.left), _px(left.right)),
        (_px(box.left), _px(box.top), _px(box.right), _px(box.bottom)),
        point and (_px(point.x), _px(point.y)),
        *(depth, element.frame, element.selector, element.backend_node_id, element.sources, element.confidence),
        element.name_source,
        element.interactive,
    )


def _differing(old: tuple[Any, ...], new: tuple[Any, ...]) -> list[str]:
    if old == new:
        return []
    return [name for name, before, after in zip(COMPARED_FIELDS, old, new, strict=True) if before != after]


def _px(value: float) -> int:
    return floor(value + PIXEL_EDGE)


def _longest_increasing(values: Sequence[int]) -> list[int]:
    """Indices of a longest increasing subsequence of distinct numbers (patience sorting)."""
    tails: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for index, value in enumerate(values):
        pile = bisect_left(tops, value)
        before.append(tails[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(value)
            tails.append(index)
        else:
            tops[pile], tails[pile] = value, index
    chain = []
    index = tails[-1] if tails else -1
    while index >= 0:
        chain.append(index)
        index = before[index]
    return chain[::-1]
