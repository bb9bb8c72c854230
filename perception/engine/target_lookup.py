"""What a target names on a tab: found and checked, not touched."""

from __future__ import annotations

from collections.abc import Sequence

from perception.browser.browser_session import Tab
from perception.browser.input.aiming import TargetNode, Targets
from perception.browser.input.hit_test import Root, place_root, spots_at
from perception.deadline import Deadline
from perception.engine.named_lookup import find_named
from perception.engine.request import (
    BackendNodeTarget,
    NamedTarget,
    PointTarget,
    RefTarget,
    SelectorTarget,
    Target,
)
from perception.errors import BadInputError, NoMatchError, StaleRefError
from perception.geometry import Point
from perception.page_words import quoted_words
from perception.ref_entries import VisionRef
from perception.refs import RefTable
from perception.snapshot import Snapshot
from perception.types import Element, Mode, NodeKey


async def find_target(tab: Tab, refs: RefTable, target: Target, deadline: Deadline) -> TargetNode | VisionRef | Point:
    """What a target names on a tab.

    Raises:
        UnknownRefError, StaleRefError, BadSelectorError, NoMatchError, AmbiguousTargetError
        BadInputError: a ref of another tab.
    """
    match target:
        case RefTarget(ref):
            return _find_ref(tab, refs, ref)
        case SelectorTarget(selector):
            return await Targets(tab.link).find_selector(selector, deadline)
        case BackendNodeTarget(backend_node_id):
            return await Targets(tab.link).find_backend_node(backend_node_id, deadline)
        case NamedTarget():
            return await find_named(tab, target, deadline)
        case PointTarget(point):
            if target.seen is not None:
                await _check_unmoved(tab, point, target.snapshot_id, target.seen, deadline)
            return point


async def find_root(tab: Tab, refs: RefTable, target: Target, mode: Mode, deadline: Deadline) -> Root:
    """The element that a list is limited to.

    Raises:
        As `find_target`, and CoordinateOutOfViewportError.
        NoMatchError: there is no element at the coordinate.
    """
    targets = Targets(tab.link)
    found = await find_target(tab, refs, target, deadline)
    if isinstance(found, VisionRef):
        if mode is Mode.TEXT:
            raise BadInputError(
                f"ref {found.ref} is of what only vision sees, which is not looked for in mode TEXT: use FUSED",
                field="options.root",
            )
        return Root(found.box, ref=found.ref)
    if isinstance(found, Point):
        await targets.aim_at_point(found, deadline)
        found = await find_node_at(tab, found, deadline)
    return await place_root(tab.link, targets, found, deadline)


async def find_node_at(tab: Tab, point: Point, deadline: Deadline) -> TargetNode:
    """The innermost element at a point of the viewport. Raises NoMatchError where there is none."""
    spots = await spots_at(tab.link, point, deadline)
    if not spots:
        raise NoMatchError(f"there is no element at ({point.x:g}, {point.y:g}): the page is empty there")
    return TargetNode(spots[0].frame, spots[0].key.node, f"the element at ({point.x:g}, {point.y:g})")


def _find_ref(tab: Tab, refs: RefTable, ref: str) -> TargetNode | VisionRef:
    entry = refs.resolve(ref)
    if entry.tab_id != tab.tab_id:
        raise BadInputError(
            f"ref {ref} is of tab {entry.tab_id}, this call is about {tab.tab_id}: name its tab",
            field="target.ref",
        )
    return entry if isinstance(entry, VisionRef) else Targets(tab.link).find_ref(entry)


async def _check_unmoved(tab: Tab, point: Point, snapshot_id: str, seen: Snapshot, deadline: Deadline) -> None:
    """A coordinate read from a snapshot holds as long as what the snapshot showed there is there.

    Raises:
        StaleRefError: the page was left, has scrolled, or something else is there now; says what moved where.
    """
    targets = Targets(tab.link)
    scroll, _, _ = await targets.scroll_state(deadline)
    if seen.loader != tab.link.loader:
        raise StaleRefError(
            f"the coordinate is from {snapshot_id}, whose page was left: take a new one", snapshot=snapshot_id
        )
    if (seen.scroll.x, seen.scroll.y) != (scroll.x, scroll.y):
        raise StaleRefError(
            f"the coordinate is from {snapshot_id}, the page has scrolled since: take a new snapshot",
            snapshot=snapshot_id,
        )
    gone = await _missing_at(tab, seen.elements, point, deadline)
    if gone is not None and gone.node is not None:
        where = await _whereabouts(tab, targets, gone.node, deadline)
        raise StaleRefError(
            f"the coordinate is from {snapshot_id}, which showed {gone.role} {quoted_words(gone.name)} there; {where}: "
            "take a new snapshot, or use a ref",
            snapshot=snapshot_id,
        )


async def _missing_at(tab: Tab, elements: Sequence[Element], point: Point, deadline: Deadline) -> Element | None:
    """The element that a click at a point would have landed on, if it now lands on something that was not there.

    What overlapped it there before may have been on top before.
    """
    there = [
        index
        for index, each in enumerate(elements)
        if each.node is not None and each.reachable and each.box.contains(point)
    ]
    if not there:
        return None
    spots = await spots_at(tab.link, point, deadline)
    here = {spot.key for spot in spots}
    meant = next((index for index in there if elements[index].click_point == point), None)
    smallest = min(there, key=lambda index: elements[index].box.area)
    expected = elements[smallest if meant is None else meant]
    if expected.node in here or (meant is not None and await _lands_on(tab, expected, point, deadline)):
        return None
    above, parent = {smallest}, elements[smallest].parent
    while parent >= 0:
        above.add(parent)
        parent = elements[parent].parent
    beside = {elements[index].node for index in there if index not in above}
    top = next((spot.key for spot in spots if any(each.node == spot.key for each in elements)), None)
    return None if meant is None and top in beside else expected


async def _lands_on(tab: Tab, element: Element, point: Point, deadline: Deadline) -> bool:
    """Whether a click lands on an element of the top document indirectly, such as by its label."""
    assert element.node is not None
    if element.node.loader != tab.link.loader:
        return False
    call = tab.link.ask(
        tab.link.main_frame, "clickBlockerAt", deadline, "looking at the point", element.node.node, point.x, point.y
    )
    return not await call


async def _whereabouts(tab: Tab, targets: Targets, key: NodeKey, deadline: Deadline) -> str:
    """Where an element is now, in words."""
    frame = tab.link.tree.frame_of(key.loader)
    if frame is None:
        return "its frame is gone"
    try:
        root = await place_root(tab.link, targets, TargetNode(frame, key.node, "it"), deadline)
    except StaleRefError:
        return "it is gone"
    middle = root.box.center
    return f"it is at ({middle.x:.0f}, {middle.y:.0f}) now, or something covers it"
