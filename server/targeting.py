"""What a wire Target names in a session: found, checked, not touched."""

from __future__ import annotations

from collections.abc import Sequence

from perception.browser.places import Root, place_root, spots_at
from perception.browser.session import Tab
from perception.browser.targets import Node, Targets
from perception.budget import Budget
from perception.errors import BadInputError, NoMatchError, StaleRefError
from perception.geometry import Point
from perception.refs import VisionRef
from perception.server.sessions import Session
from perception.types import Element, Mode, NodeKey
from perception.v1 import types_pb2 as pb


async def find_target(session: Session, tab: Tab, target: pb.Target, budget: Budget) -> Node | VisionRef | Point:
    """What a target names on a tab.

    Raises:
        UnknownRefError, StaleRefError, BadSelectorError, NoMatchError, AmbiguousTargetError
        BadInputError: nothing is named, or a ref of another tab.
    """
    targets = Targets(tab.link)
    kind = target.WhichOneof("target")
    if kind == "ref":
        entry = session.refs.resolve(target.ref)
        if entry.tab_id != tab.tab_id:
            raise BadInputError(
                f"ref {target.ref} is of tab {entry.tab_id}, this call is about {tab.tab_id}: name its tab",
                field="target.ref",
            )
        return entry if isinstance(entry, VisionRef) else targets.find_ref(entry)
    if kind == "selector":
        return await targets.find_selector(target.selector, budget)
    if kind == "backend_node_id":
        return await targets.find_backend_node(target.backend_node_id, budget)
    if kind == "coordinate":
        point = Point(target.coordinate.x, target.coordinate.y)
        await _check_unmoved(session, tab, point, target.coordinate.snapshot_id, budget)
        return point
    raise BadInputError("no target: give a ref, coordinate, selector or backend_node_id", field="target")


async def find_root(session: Session, tab: Tab, target: pb.Target, mode: Mode, budget: Budget) -> Root:
    """The element that a list is limited to.

    Raises:
        As `find_target`, and CoordinateOutOfViewportError.
        NoMatchError: there is no element at the coordinate.
    """
    targets = Targets(tab.link)
    found = await find_target(session, tab, target, budget)
    if isinstance(found, VisionRef):
        if mode is Mode.TEXT:
            raise BadInputError(
                f"ref {found.ref} is of what only vision sees, which is not looked for in mode TEXT: use FUSED",
                field="options.root",
            )
        return Root(found.box, ref=found.ref)
    if isinstance(found, Point):
        await targets.aim_at_point(found, budget)
        spots = await spots_at(tab.link, found, budget)
        if not spots:
            raise NoMatchError(f"no element lies at ({found.x:g}, {found.y:g}): the page is empty there")
        found = Node(spots[0].frame, spots[0].key.node, f"the element at ({found.x:g}, {found.y:g})")
    return await place_root(tab.link, targets, found, budget)


async def check_pixels(tab: Tab, seen: VisionRef, point: Point, budget: Budget) -> None:
    """Raises StaleRefError unless what only vision saw is still painted where it is about to be clicked."""
    if seen.likeness is None:
        return
    capture = await tab.looker.capture_pixels(budget, reveal=False)
    box = seen.box.shift(point.x - seen.point.x, point.y - seen.point.y)
    assert capture.screenshot is not None
    if not seen.likeness.holds(capture.screenshot, box):
        raise StaleRefError(
            f"ref {seen.ref} is stale: something else is painted where {seen.role} {seen.name[:60]!r} was; "
            "take a new snapshot",
            ref=seen.ref,
        )


async def _check_unmoved(session: Session, tab: Tab, point: Point, snapshot_id: str, budget: Budget) -> None:
    """A coordinate read from a snapshot holds as long as what it showed there is there.

    Raises:
        StaleRefError: the page was left, has scrolled, or something else is there now; says what moved where.
    """
    if not snapshot_id:
        return
    seen = session.snapshot(snapshot_id).snapshot
    targets = Targets(tab.link)
    scroll, _, _ = await targets.scroll_state(budget)
    if seen.loader != tab.link.loader:
        raise StaleRefError(f"the coordinate is from {snapshot_id}, whose page was left: take a new one")
    if (seen.scroll.x, seen.scroll.y) != (scroll.x, scroll.y):
        raise StaleRefError(f"the coordinate is from {snapshot_id}, the page has scrolled since: take a new snapshot")
    gone = await _missing_at(tab, seen.elements, point, budget)
    if gone is not None and gone.node is not None:
        where = await _whereabouts(tab, targets, gone.node, budget)
        raise StaleRefError(
            f"the coordinate is from {snapshot_id}, which showed {gone.role} {gone.name[:60]!r} there; {where}: take a "
            "new snapshot, or use a ref"
        )


async def _missing_at(tab: Tab, elements: Sequence[Element], point: Point, budget: Budget) -> Element | None:
    """The element that a click at a point would have landed on, if it now lands on something that was not there: what
    overlapped there before may have been on top before."""
    there = [
        index
        for index, each in enumerate(elements)
        if each.node is not None and each.reachable and each.box.contains(point)
    ]
    if not there:
        return None
    spots = await spots_at(tab.link, point, budget)
    here = {spot.key for spot in spots}
    meant = next((index for index in there if elements[index].click_point == point), None)
    smallest = min(there, key=lambda index: elements[index].box.area)
    expected = elements[smallest if meant is None else meant]
    if expected.node in here or (meant is not None and await _lands_on(tab, expected, point, budget)):
        return None
    above, parent = {smallest}, elements[smallest].parent
    while parent >= 0:
        above.add(parent)
        parent = elements[parent].parent
    beside = {elements[index].node for index in there if index not in above}
    top = next((spot.key for spot in spots if any(each.node == spot.key for each in elements)), None)
    return None if meant is None and top in beside else expected


async def _lands_on(tab: Tab, element: Element, point: Point, budget: Budget) -> bool:
    """Whether a click lands on an element of the top document in a roundabout way, such as by its label."""
    assert element.node is not None
    if element.node.loader != tab.link.loader:
        return False
    call = tab.link.ask(
        tab.link.main_frame, "coverOf", budget, "looking at the point", element.node.node, point.x, point.y
    )
    return not await call


async def _whereabouts(tab: Tab, targets: Targets, key: NodeKey, budget: Budget) -> str:
    """Where an element is now, in words."""
    frame = tab.link.frame_of(key.loader)
    if frame is None:
        return "its frame is gone"
    try:
        root = await place_root(tab.link, targets, Node(frame, key.node, "it"), budget)
    except StaleRefError:
        return "it is gone"
    middle = root.box.center
    return f"it is at ({middle.x:.0f}, {middle.y:.0f}) now, or something covers it"
