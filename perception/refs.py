"""Role refs: `e1`, `e2`, … for nodes of the page, `v1`, `v2`, … for elements that only vision sees.

Rule 1: a ref stands for one node with one role and one name, and is kept while these three stay the same, wherever the
node moves. Where several controls share role and name, it also stands for one row of their list: lists reuse the nodes
of a row for another. The ref of a region, which is not a click target, is kept while node and role stay the same.
Rule 2: a ref is never reused, in any tab or after any navigation: numbers only grow.
Rule 3: a ref that no longer stands for an element is stale; a ref that was never assigned is unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from perception.errors import StaleRefError, UnknownRefError
from perception.geometry import Box, Point, iou, stack
from perception.imaging.patch_similarity import Likeness
from perception.page_words import quoted_words
from perception.ref_entries import PageRef, VisionRef
from perception.types import Capture, Element, Engine, NodeKey, Source, replace_fields

SAME_PLACE_IOU = 0.5
"""Least intersection over union of a vision element's boxes, by the usual threshold of detection benchmarks, for it to
keep its ref if its text is the same."""

JITTER_PX = 4.0
"""Distance up to which an edge of a vision element is where it was, CSS px: detectors put the edges of the same thing
1 to 4 px apart when pixels near it change."""

MAX_MOVED = 1000
"""Stale refs of a session of which it is remembered what their element has become. Chosen by hand."""

_REF = re.compile(r"([ev])([1-9][0-9]{0,8})")


Key = TypeVar("Key")
Entry = TypeVar("Entry", PageRef, VisionRef, PageRef | VisionRef)


class _Assigned(NamedTuple):
    """What was made of one element.

    Attributes:
        given: the element.
        entry: what its ref stands for; None where it got none.
        blocker: what the ref of the element on top of it stands for; None for none.
        made: the element with both refs; None where it is not made yet.
    """

    given: Element
    entry: PageRef | None
    blocker: PageRef | None
    made: Element | None


@dataclass(frozen=True, slots=True)
class _LastAssigned:
    """What was assigned in a tab last. An element that is given again, the same object, is the same thing.

    Attributes:
        version: of the table right after it.
        of: by the id of each element that was given.
    """

    version: int
    of: Mapping[int, _Assigned]


_NOTHING_ASSIGNED = _LastAssigned(-1, {})


@dataclass(frozen=True, slots=True)
class _ForkBase:
    """What a table was when another one was forked from it, for one tab."""

    tab_id: str
    edits: int
    last: dict[str, int]
    version: int


class RefTable:
    """The refs of one session. While `version` stays the same, every element keeps its ref."""

    def __init__(self) -> None:
        self._last = {"e": 0, "v": 0}
        self.version = 0
        self._edits: Counter[str] = Counter()
        self._base: _ForkBase | None = None
        self._by_node: dict[NodeKey, PageRef] = {}
        self._by_ref: dict[str, PageRef | VisionRef] = {}
        self._moved: dict[str, str] = {}
        self._assigned: dict[str, _LastAssigned] = {}

    def fork(self, tab_id: str) -> RefTable:
        """A table that goes on from this one without changing it: for elements of a tab that may never be served."""
        fork = RefTable()
        fork._base = _ForkBase(tab_id, self._edits[tab_id], dict(self._last), self.version)
        fork._last, fork.version = dict(self._last), self.version
        fork._by_node, fork._by_ref, fork._moved = dict(self._by_node), dict(self._by_ref), dict(self._moved)
        fork._assigned = {tab_id: self._assigned.get(tab_id, _NOTHING_ASSIGNED)}
        return fork

    def is_base_of(self, fork: RefTable) -> bool:
        """Whether a fork of this table can be adopted: since it was made, no ref was given here, and none of its tab
        was changed."""
        base = fork._base
        return base is not None and base.last == self._last and base.edits == self._edits[base.tab_id]

    def adopt(self, fork: RefTable) -> None:
        """Takes over what a fork assigned in its tab. Raises ValueError where it cannot be adopted."""
        base = fork._base
        if base is None or not self.is_base_of(fork):
            raise ValueError("refs were assigned here since the fork was made: its own would name other elements")

        tab_id = base.tab_id

        def merged(ours: Mapping[Key, Entry], theirs: Mapping[Key, Entry]) -> dict[Key, Entry]:
            mine = {key: entry for key, entry in ours.items() if entry.tab_id != tab_id}
            return mine | {key: entry for key, entry in theirs.items() if entry.tab_id == tab_id}

        self._by_node = merged(self._by_node, fork._by_node)
        self._by_ref = merged(self._by_ref, fork._by_ref)
        self._last, self._moved = dict(fork._last), self._moved | fork._moved
        self._assigned |= fork._assigned
        self._edits[tab_id] += 1
        self.version += fork.version - base.version

    def assign(self, tab_id: str, elements: Iterable[Element]) -> tuple[Element, ...]:
        """Assigns refs to the elements that can be targets; other elements stay without one.

        What covers an element is named by its ref only where it is such a target: the ref of a region is in no list.
        """
        last = self._assigned.get(tab_id, _NOTHING_ASSIGNED)
        are_current = last.version == self.version
        # Refs are given first: an element may be covered by a later one.
        made: list[_Assigned] = []
        unmade: list[int] = []
        for element in elements:
            known = last.of.get(id(element))
            if known is None or not (are_current or self._is_current(known.entry)):
                entry = self._entry(tab_id, element) if _is_target(element) else None
                known = _Assigned(element, entry, None, None)
            if known.made is None or element.covered_by is not None:
                unmade.append(len(made))
            made.append(known)
        is_covered = any(made[index].given.covered_by is not None for index in unmade)
        targets = {each.entry.node: each.entry for each in made if each.entry is not None} if is_covered else {}
        for index in unmade:
            made[index] = _with_refs(made[index], targets)
        self._assigned[tab_id] = _LastAssigned(self.version, {id(each.given): each for each in made})
        return tuple([each.made or each.given for each in made])

    def _is_current(self, entry: PageRef | None) -> bool:
        return entry is None or self._by_node.get(entry.node) is entry

    def assign_regions(self, tab_id: str, elements: Sequence[Element], indices: Sequence[int]) -> list[str]:
        """Assigns refs to containers, so that a client can request their content; "" for an element without a node.

        A region that is not a click target keeps its ref when its name changes, such as a heading with a counter.
        """
        return [self._region_ref(tab_id, elements[index]) for index in indices]

    def assign_vision(self, tab_id: str, capture: Capture, elements: Sequence[Element]) -> tuple[Element, ...]:
        """Assigns refs to vision elements; one at the same place as before keeps its ref, and its box if only detectors
        moved it. The box does not drift: it is compared with the one that was kept."""
        known = [ref for ref in self._by_ref.values() if isinstance(ref, VisionRef) and ref.tab_id == tab_id]
        kept: set[str] = set()
        result: list[Element] = []
        for element in elements:
            if element.node is not None or element.ref:
                result.append(element)
                continue
            owner = _page_owner(elements, element)
            entry = self._vision_ref(tab_id, capture, element, owner, [ref for ref in known if ref.ref not in kept])
            kept.add(entry.ref)
            point = entry.point if element.click_point is not None else None
            result.append(replace_fields(element, ref=entry.ref, box=entry.box, click_point=point))
        for ref in known:
            if ref.ref not in kept:
                del self._by_ref[ref.ref]
                self._edits[tab_id] += 1
        return tuple(result)

    def resolve(self, ref: str) -> PageRef | VisionRef:
        """What a ref stands for.

        Raises:
            StaleRefError: its element is gone or has changed its role or name.
            UnknownRefError: the ref was never assigned.
        """
        entry = self._by_ref.get(ref)
        if entry is not None:
            return entry
        match = _REF.fullmatch(ref)
        if match and int(match[2]) <= self._last[match[1]]:
            why = self._moved.get(ref, "its element is gone or changed")
            raise StaleRefError.because(f"ref {ref}", why, ref=ref)
        raise UnknownRefError(f"ref {ref!r} was never given out in this session: use one from a snapshot", ref=ref[:40])

    def drop_documents(self, tab_id: str, is_shown: Iterable[str]) -> None:
        """Makes the refs of a tab stale whose documents are gone; `is_shown` are the loaders of current documents."""
        shown = set(is_shown)
        for entry in [entry for entry in self._by_ref.values() if entry.tab_id == tab_id]:
            loader = entry.node.loader if isinstance(entry, PageRef) else entry.loader
            if loader not in shown:
                self._drop(entry)

    def drop_tab(self, tab_id: str) -> None:
        self.drop_documents(tab_id, ())
        self._assigned.pop(tab_id, None)

    def _entry(self, tab_id: str, element: Element) -> PageRef | None:
        """What the ref of an element stands for, a new one if need be; None for an element without a node."""
        if element.node is None:
            return None
        known = self._by_node.get(element.node)
        changed_row = known is not None and bool(known.row and element.row) and known.row != element.row
        if known is None or changed_row or (known.role, known.name) != (element.role, element.name):
            before = known
            if before is not None:
                self._drop(before)
            engine = Engine.AX if Source.AX in element.sources else Engine.WALKER
            known = PageRef(
                ref=self._next("e"),
                tab_id=tab_id,
                node=element.node,
                role=element.role,
                name=element.name,
                engine=engine,
                backend_node_id=element.backend_node_id,
                row=element.row,
            )
            self._keep(known)
            if before is not None:
                self._note(before.ref, moved_row(before.row, known.row) if changed_row else renamed(before, known))
        elif element.row and not known.row:
            known = replace(known, row=element.row)
            self._keep(known)
        return known

    def _note(self, ref: str, why: str) -> None:
        """Remembers why a ref became stale whose node is still there."""
        while len(self._moved) >= MAX_MOVED:
            del self._moved[next(iter(self._moved))]
        self._moved[ref] = why

    def _region_ref(self, tab_id: str, element: Element) -> str:
        known = self._by_node.get(element.node) if element.node is not None else None
        if known is None or known.role != element.role or known.name == element.name or _is_target(element):
            entry = self._entry(tab_id, element)
            return entry.ref if entry is not None else element.ref
        renamed = replace(known, name=element.name)
        self._keep(renamed)
        return renamed.ref

    def _vision_ref(
        self, tab_id: str, capture: Capture, element: Element, owner: Element | None, known: list[VisionRef]
    ) -> VisionRef:
        node = owner.node if owner else None
        alike = [
            ref
            for ref in known
            if (ref.loader, ref.owner, ref.role, ref.name) == (capture.loader, node, element.role, element.name)
        ]
        before = _at_same_place(element.box, alike)
        box, point = element.box, element.click_point or element.box.center
        if before is not None and before.scroll == capture.scroll and _is_jitter(before.box, box):
            box, point = before.box, before.point
        corner = Point(owner.box.left, owner.box.top) if owner else Point(0, 0)
        entry = VisionRef(
            ref=before.ref if before is not None else self._next("v"),
            tab_id=tab_id,
            loader=capture.loader,
            role=element.role,
            name=element.name,
            box=box,
            point=point,
            scroll=capture.scroll,
            owner=node,
            offset=Point(point.x - corner.x, point.y - corner.y),
            likeness=Likeness.of(capture.screenshot, box) if capture.screenshot else None,
        )
        self._by_ref[entry.ref] = entry
        self._edits[tab_id] += 1
        return entry

    def _next(self, kind: str) -> str:
        self._last[kind] += 1
        self.version += 1
        return f"{kind}{self._last[kind]}"

    def _keep(self, entry: PageRef) -> None:
        self._by_node[entry.node] = self._by_ref[entry.ref] = entry
        self._edits[entry.tab_id] += 1

    def _drop(self, entry: PageRef | VisionRef) -> None:
        self._by_ref.pop(entry.ref, None)
        self.version += 1
        self._edits[entry.tab_id] += 1
        if isinstance(entry, PageRef) and self._by_node.get(entry.node) is entry:
            del self._by_node[entry.node]


def _page_owner(elements: Sequence[Element], element: Element) -> Element | None:
    """The nearest ancestor of an element that only vision sees which is the page's own; None for none."""
    while element.parent >= 0:
        element = elements[element.parent]
        if element.node is not None:
            return element
    return None


def _at_same_place(box: Box, refs: Sequence[VisionRef]) -> VisionRef | None:
    """The ref whose element was there: the one that overlaps most, or whose edges are within JITTER_PX."""
    if not refs:
        return None
    overlaps = iou(stack([box]), stack(ref.box for ref in refs))[0]
    best = refs[int(overlaps.argmax())]
    if overlaps.max() >= SAME_PLACE_IOU:
        return best
    return next((ref for ref in refs if _is_jitter(ref.box, box)), None)


def _is_jitter(before: Box, after: Box) -> bool:
    edges = (after.left - before.left, after.top - before.top, after.right - before.right, after.bottom - before.bottom)
    return max(map(abs, edges)) <= JITTER_PX


def moved_row(was: str, now: str) -> str:
    """Why a ref is stale whose element is in another row, in words."""
    return f"it was in row {quoted_words(was)} and is in row {quoted_words(now)}"


def renamed(was: PageRef, now: PageRef) -> str:
    """Why a ref is stale whose element has another role or name, in words."""
    return f"it was {was.role} {quoted_words(was.name)} and is now {now.ref}, {now.role} {quoted_words(now.name)}"


def _with_refs(assigned: _Assigned, targets: Mapping[NodeKey, PageRef]) -> _Assigned:
    """With the element made, if it was not made with the same refs before.

    Args:
        targets: what may be named as covering it.
    """
    element, entry, before, made = assigned
    blocker = targets.get(element.covered_by) if element.covered_by is not None else None
    if made is not None and blocker is before:
        return assigned
    refs = {"ref": entry.ref} if entry is not None else {}
    if blocker is not None:
        refs["blocker"] = blocker.ref
    return _Assigned(element, entry, blocker, replace_fields(element, **refs) if refs else element)


def _is_target(element: Element) -> bool:
    """Whether an element can be the target of an action: a click, a scroll, or a request for its pixels."""
    return bool(element.interactive or element.opaque or element.scrollable or element.role == "iframe")
