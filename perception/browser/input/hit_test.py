"""Hit tests: the elements at a point of the tab, and the elements in a root, through frames and shadow roots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from perception.browser.capture.frame_capture import MAX_FRAME_DEPTH
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import TargetNode, Targets
from perception.browser.page.node_ids import backend_ids
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import StaleRefError
from perception.geometry import Box, Point
from perception.types import Element, NodeKey

_LOOKING = "looking at the point"


class _FrameOrigin(msgspec.Struct):
    """Where a frame's content begins in the frame that holds it (CSS px), and its scale."""

    x: float
    y: float
    scaleX: float  # noqa: N815  (the walker's spelling)
    scaleY: float  # noqa: N815


class _Hit(msgspec.Struct):
    numbers: list[int]
    frame: _FrameOrigin | None


class _Under(msgspec.Struct):
    number: int
    frame: _FrameOrigin | None


_decode_hit = msgspec.json.Decoder(_Hit | None).decode
_decode_under = msgspec.json.Decoder(list[_Under]).decode


@dataclass(frozen=True, slots=True)
class Spot:
    """An element at a point.

    Attributes:
        frame: id of its frame.
        key: its node, valid as long as its document is shown.
    """

    frame: str
    key: NodeKey


@dataclass(frozen=True, slots=True)
class Root:
    """What a list is limited to: an element of the page, or one that only vision sees.

    Attributes:
        box: CSS px of the tab's viewport.
        node: the element; None for one that only vision sees.
        loader: LoaderId of its document; empty for one that only vision sees.
        ref: the ref of one that only vision sees; empty for others.
    """

    box: Box
    node: TargetNode | None = None
    loader: str = ""
    ref: str = ""


async def spots_at(page: PageLink, point: Point, deadline: Deadline) -> list[Spot]:
    """The element that a click at a point of the tab's viewport lands on, and its ancestors up to the top document,
    innermost first. Of a frame that cannot be entered, its iframe element. Empty where there is no element."""
    found: list[Spot] = []
    frame, x, y = page.main_frame, point.x, point.y
    for _ in range(MAX_FRAME_DEPTH):
        hit = _decode_hit(await page.ask_text(frame, "hitTest", deadline, _LOOKING, x, y))
        if hit is None:
            break
        loader = (await page.world(frame, deadline)).loader
        found[:0] = [Spot(frame, NodeKey(loader, number)) for number in hit.numbers]
        inner = await _frame_in(page, frame, hit, deadline) if hit.frame else ""
        if not inner or hit.frame is None:
            break
        frame = inner
        x, y = (x - hit.frame.x) / (hit.frame.scaleX or 1), (y - hit.frame.y) / (hit.frame.scaleY or 1)
    return found


async def nodes_under(page: PageLink, points: Sequence[Point], deadline: Deadline) -> list[tuple[str, int] | None]:
    """For each point of the tab's viewport the frame and the CDP backend id of the element that a click there lands on;
    None where there is no element. One call for each frame that is hit, for any number of points."""
    found: list[tuple[str, int] | None] = [None] * len(points)
    waiting = {page.main_frame: {index: (point.x, point.y) for index, point in enumerate(points)}}
    for _ in range(MAX_FRAME_DEPTH):
        deeper: dict[str, dict[int, tuple[float, float]]] = defaultdict(dict)
        for frame, spots in waiting.items():
            hits = _decode_under(await page.ask_text(frame, "hitTestAll", deadline, _LOOKING, list(spots.values())))
            known = await backend_ids(page, frame, sorted({hit.number for hit in hits if hit.number}), deadline)
            entered = {hit.number: "" for hit in hits if hit.frame is not None and hit.number in known}
            ids = await page.worlds.frame_ids([known[number] for number in entered], frame, deadline) if entered else []
            entered.update(zip(entered, ids, strict=True))
            for (index, (x, y)), hit in zip(spots.items(), hits, strict=True):
                if hit.number in known:
                    found[index] = frame, known[hit.number]
                inner = entered.get(hit.number, "")
                if hit.frame is not None and inner in page.frames:
                    at = hit.frame
                    deeper[inner][index] = (x - at.x) / (at.scaleX or 1), (y - at.y) / (at.scaleY or 1)
        if not deeper:
            break
        waiting = dict(deeper)
    return found


async def place_root(page: PageLink, targets: Targets, node: TargetNode, deadline: Deadline) -> Root:
    """An element as a root. Its role and name may have changed: a root is only read, and stays the same with its node.

    Raises:
        StaleRefError: it is gone.
    """
    facts = await targets.look_at(replace(node, expected=None), deadline)
    loader = (await page.world(node.frame, deadline)).loader
    left, top, right, bottom = facts.box
    corners = [(left, top), (max(left, right), max(top, bottom))]
    for parent, number in await page.worlds.owners(node.frame, deadline):
        origin = await page.ask(parent, "frameOrigin", deadline, "placing the frame", number)
        if origin is None:
            raise StaleRefError.because(node.shown_as, "its frame is gone")
        corners = [(origin["x"] + x * origin["scaleX"], origin["y"] + y * origin["scaleY"]) for x, y in corners]
    return Root(Box(*corners[0], *corners[1]), node, loader)


@dataclass(frozen=True, slots=True)
class Membership:
    """Which elements of a page are in a root, at the time of the query.

    `inside` are the nodes in the root, `asked` all nodes of its document that were asked about.
    """

    root: Root
    asked: frozenset[NodeKey] = frozenset()
    inside: frozenset[NodeKey] = frozenset()

    def of(self, elements: Sequence[Element]) -> list[bool]:
        """For each element, parents before children, whether it is the root or in it.

        An element that only vision sees, without an owner, is in the root if its middle is.
        """
        root = self.root
        if root.node is None:
            found = {index for index, element in enumerate(elements) if element.ref == root.ref}
            return _follow(elements, found, set())
        found = {
            index
            for index, element in enumerate(elements)
            if element.node in self.inside
            or (element.node is None and element.parent < 0 and root.box.contains(element.box.center))
        }
        return _follow(elements, found, {index for index, each in enumerate(elements) if each.node in self.asked})


async def ask_membership(page: PageLink, root: Root, elements: Iterable[Element], deadline: Deadline) -> Membership:
    """Queries the page for which of these elements are in a root. One call; none for a root that only vision sees.

    Raises:
        StaleRefError: the root went away meanwhile.
    """
    if root.node is None:
        return Membership(root)
    own = [each.node for each in elements if each.node is not None and each.node.loader == root.loader]
    numbers = [node.node for node in own]
    try:
        answer = await page.ask(
            root.node.frame, "nodesInside", deadline, "looking into the root", root.node.number, numbers
        )
    except CdpCallError:
        answer = None
    if answer is None:
        raise StaleRefError.because(root.node.shown_as, "it went away meanwhile")
    return Membership(root, frozenset(own), frozenset(node for node, lies in zip(own, answer, strict=True) if lies))


async def are_inside(page: PageLink, root: Root, elements: Sequence[Element], deadline: Deadline) -> list[bool]:
    """For each element, parents before children, whether it is the root or in it.

    Raises:
        StaleRefError: the root went away meanwhile.
    """
    return (await ask_membership(page, root, elements, deadline)).of(elements)


def _follow(elements: Sequence[Element], inside: set[int], known: set[int]) -> list[bool]:
    """Adds the descendants of inside elements, except those that are known to be elsewhere."""
    flags: list[bool] = []
    for index, element in enumerate(elements):
        follows = index not in known and element.parent >= 0 and flags[element.parent]
        flags.append(index in inside or follows)
    return flags


async def _frame_in(page: PageLink, frame: str, hit: _Hit, deadline: Deadline) -> str:
    """Id of the frame that a hit iframe element shows; empty where it shows none."""
    known = await backend_ids(page, frame, hit.numbers[:1], deadline)
    ids = await page.worlds.frame_ids(list(known.values()), frame, deadline)
    return ids[0] if ids and ids[0] in page.frames else ""
