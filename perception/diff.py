"""What changed between two lists of elements. Pure.

Rule 1: an element is the same one while its DOM node is; what only vision sees, while its ref is. Text without a ref
whose node was replaced is still the same text if it stands at the same place in the same parent.
Rule 2: a diff is exact: applied to the old list it gives the new one, but for boxes, click points and what is left to
scroll, which count as the same while they begin and end in the same pixel. Pixels are told apart on a fixed grid, so
that a chain of diffs never drifts by more than one.
Rule 3: what stands elsewhere among the others is told by as few elements as can be.
"""

from __future__ import annotations

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

FIELDS = (
    *("ref", "role", "name", "nth", "value", "states", "text", "hint", "options", "reach", "reachable", "covered_by"),
    *("visible", "in_viewport", "scrollable", "box", "click_point", "depth", "frame", "selector", "backend_node_id"),
    *("sources", "confidence"),
)
"""Names of what is compared, as the wire's Element has them."""

ORDER = "order"

QUIET = frozenset({"nth", "click_point", "backend_node_id", "sources", "confidence", "depth", "selector"})
"""Changes that come of other changes, or of how an element was found: by themselves they are no news."""

PIXEL_EDGE = 0.3
"""Where one pixel ends and the next begins. Chromium lays out in 1/64 px (LayoutUnit), pages like halves, thirds and
quarters: none of them is at 0.7, where floor(x + 0.3) steps, so that rounding noise does not flip it."""


@dataclass(frozen=True, slots=True)
class Change:
    """An element that is still there. `index` in the new list, `from_index` in the old one."""

    index: int
    from_index: int
    fields: tuple[str, ...]

    @property
    def is_news(self) -> bool:
        return not QUIET.issuperset(self.fields)


@dataclass(frozen=True, slots=True)
class Diff:
    """What leads from one list to another. `added` are indices in the new one, `removed` in the old one.

    `removed_refs` are those of the old list that the new one does not have: also that of an element which has a new
    ref, since it has another role or name.
    """

    added: tuple[int, ...]
    removed: tuple[int, ...]
    changed: tuple[Change, ...]
    removed_refs: tuple[str, ...]

    @property
    def is_news(self) -> bool:
        """Whether a reader of the old list has anything to learn."""
        return bool(self.added or self.removed) or any(change.is_news for change in self.changed)


def diff_elements(old: Sequence[Element], new: Sequence[Element]) -> Diff:
    """What changed from one list of elements of a tab to a later one.

    Returns:
        All of it, in the order of the lists. Lists of documents that have nothing to do with each other share
        nothing: everything is removed, everything added.
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
            changed.append(Change(after, before, tuple(fields)))
    kept, found = {before for before, _ in pairs}, {after for _, after in pairs}
    refs = {element.ref for element in new}
    return Diff(
        added=tuple(index for index in range(len(new)) if index not in found),
        removed=tuple(index for index in range(len(old)) if index not in kept),
        changed=tuple(changed),
        removed_refs=tuple(element.ref for element in old if element.ref and element.ref not in refs),
    )


def apply_diff(old: Sequence[pb.Element], diff: pb.SnapshotDiff) -> list[pb.Element]:
    """The new list, from the old one and a diff: what a client does that keeps a list up to date.

    What is neither removed nor changed stays, in its order, in the places that added and changed elements leave free.

    Args:
        old: all elements of the snapshot that the diff begins with.

    Raises:
        BadInputError: the diff belongs to another list, or to one of which a token budget left a part out.
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
    """(index in old, index in new) of what is in both, in the order of the new list."""
    old_keys, new_keys = _identities(old), _identities(new)
    place = {key: index for index, key in enumerate(old_keys)}
    pairs = [(place[key], index) for index, key in enumerate(new_keys) if key in place]
    met, found = {before for before, _ in pairs}, {after for _, after in pairs}
    spots = defaultdict(list)
    for index, element in enumerate(old):
        if index not in met and _is_bare_text(element):
            spots[_spot(old, old_keys, index)].append(index)
    for index, element in enumerate(new):
        if index not in found and _is_bare_text(element) and (same := spots.get(_spot(new, new_keys, index))):
            pairs.append((same.pop(0), index))
    return sorted(pairs, key=lambda pair: pair[1])


def _identities(elements: Sequence[Element]) -> list[Hashable]:
    """A key for each element; how many with the same one came before is part of it."""
    seen: Counter[Hashable] = Counter()
    keys: list[Hashable] = []
    for element in elements:
        key: Hashable = element.node or element.ref or (element.role, element.name)
        keys.append((key, seen[key]))
        seen[key] += 1
    return keys


def _is_bare_text(element: Element) -> bool:
    return element.role == "text" and not element.ref


def _spot(elements: Sequence[Element], keys: Sequence[Hashable], index: int) -> Hashable:
    """Where a text begins: its document, its parent's identity, and its top left pixel."""
    element = elements[index]
    document = element.node.loader if element.node else ""
    parent = keys[element.parent] if element.parent >= 0 else None
    return document, parent, _px(element.box.left), _px(element.box.top)


def _facts(elements: Sequence[Element]) -> list[tuple[Any, ...]]:
    """What is compared of each element, in the order of FIELDS."""
    return [_facts_of(element, depth) for element, depth in zip(elements, depths(elements), strict=True)]


def _facts_of(element: Element, depth: int) -> tuple[Any, ...]:
    box, point, left = element.box, element.click_point, element.scrollable
    return (
        *(element.ref, element.role, element.name, element.nth, element.value, element.states, element.text),
        *(element.hint, element.options, element.reach, element.reachable, element.blocker, element.visible),
        element.in_viewport,
        left and (_px(left.up), _px(left.down), _px(left.left), _px(left.right)),
        (_px(box.left), _px(box.top), _px(box.right), _px(box.bottom)),
        point and (_px(point.x), _px(point.y)),
        *(depth, element.frame, element.selector, element.backend_node_id, element.sources, element.confidence),
    )


def _differing(old: tuple[Any, ...], new: tuple[Any, ...]) -> list[str]:
    if old == new:
        return []
    return [name for name, before, after in zip(FIELDS, old, new, strict=True) if before != after]


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
