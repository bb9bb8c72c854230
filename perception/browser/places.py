"""Places: what lies at a point of the tab, and which elements lie in one of them, through frames and shadow roots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from perception.browser.capture import MAX_FRAME_DEPTH
from perception.browser.cdp import CdpCallError
from perception.browser.node_ids import backend_ids
from perception.browser.page import PageLink
from perception.browser.targets import Node, Targets
from perception.budget import Budget
from perception.errors import StaleRefError
from perception.geometry import Box, Point
from perception.types import Element, NodeKey

_LOOKING = "looking at the point"


class _Origin(msgspec.Struct):
    """Where a frame's content begins in the frame that holds it, and how it is scaled."""

    x: float
    y: float
    scaleX: float  # noqa: N815  (the walker's spelling)
    scaleY: float  # noqa: N815


class _Hit(msgspec.Struct):
    numbers: list[int]
    frame: _Origin | None


class _Under(msgspec.Struct):
    number: int
    frame: _Origin | None


_decode_hit = msgspec.json.Decoder(_Hit | None).decode
_decode_under = msgspec.json.Decoder(list[_Under]).decode


@dataclass(frozen=True, slots=True)
class Spot:
    """An element at a point: its frame, and its key for as long as its document lives."""

    frame: str
    key: NodeKey


@dataclass(frozen=True, slots=True)
class Root:
    """What a list is limited to: an element of the page, or (`ref`) one that only vision sees.

    `box` is where it lies in the tab's viewport, CSS px; `loader` its document's.
    """

    box: Box
    node: Node | None = None
    loader: str = ""
    ref: str = ""


async def spots_at(page: PageLink, point: Point, budget: Budget) -> list[Spot]:
    """What a click at a point of the tab's viewport lands on, and what holds that: innermost first, up to the top
    document. A frame that cannot be entered is itself what is hit. Empty where there is nothing."""
    found: list[Spot] = []
    frame, x, y = page.main_frame, point.x, point.y
    for _ in range(MAX_FRAME_DEPTH):
        hit = _decode_hit(await page.ask_text(frame, "at", budget, _LOOKING, x, y))
        if hit is None:
            break
        loader = (await page.world(frame, budget)).loader
        found[:0] = [Spot(frame, NodeKey(loader, number)) for number in hit.numbers]
        inner = await _frame_in(page, frame, hit, budget) if hit.frame else ""
        if not inner or hit.frame is None:
            break
        frame = inner
        x, y = (x - hit.frame.x) / (hit.frame.scaleX or 1), (y - hit.frame.y) / (hit.frame.scaleY or 1)
    return found


async def nodes_under(page: PageLink, points: Sequence[Point], budget: Budget) -> list[tuple[str, int] | None]:
    """For each point of the tab's viewport the frame and the CDP backend id of the element that a click there lands on;
    None where there is nothing. One call for each frame that is hit, whatever the number of points."""
    found: list[tuple[str, int] | None] = [None] * len(points)
    waiting = {page.main_frame: {index: (point.x, point.y) for index, point in enumerate(points)}}
    for _ in range(MAX_FRAME_DEPTH):
        deeper: dict[str, dict[int, tuple[float, float]]] = defaultdict(dict)
        for frame, spots in waiting.items():
            hits = _decode_under(await page.ask_text(frame, "under", budget, _LOOKING, list(spots.values())))
            known = await backend_ids(page, frame, sorted({hit.number for hit in hits if hit.number}), budget)
            entered = {hit.number: "" for hit in hits if hit.frame is not None and hit.number in known}
            ids = await page.frame_ids([known[number] for number in entered], frame, budget) if entered else []
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


async def place_root(page: PageLink, targets: Targets, node: Node, budget: Budget) -> Root:
    """An element as a root.

    Another name makes it no other root: nothing is done to it, and a region is the same while its node is.

    Raises:
        StaleRefError: it is gone.
    """
    facts = await targets.look_at(replace(node, expected=None), budget)
    loader = (await page.world(node.frame, budget)).loader
    left, top, right, bottom = facts.box
    corners = [(left, top), (max(left, right), max(top, bottom))]
    for parent, number in await page.owners(node.frame, budget):
        origin = await page.ask(parent, "origin", budget, "placing the frame", number)
        if origin is None:
            raise StaleRefError(f"{node.shown_as} is stale: its frame is gone; take a new snapshot")
        corners = [(origin["x"] + x * origin["scaleX"], origin["y"] + y * origin["scaleY"]) for x, y in corners]
    return Root(Box(*corners[0], *corners[1]), node, loader)


async def are_inside(page: PageLink, root: Root, elements: Sequence[Element], budget: Budget) -> list[bool]:
    """For each element, parents before children, whether it is the root or lies in it.

    Raises:
        StaleRefError: the root went away meanwhile.
    """
    if root.node is None:
        return _follow(elements, {index for index, element in enumerate(elements) if element.ref == root.ref}, set())
    by_loader: dict[str, list[int]] = defaultdict(list)
    for index, element in enumerate(elements):
        if element.node is not None:
            by_loader[element.node.loader].append(index)
    own = by_loader[root.loader]
    numbers = [node.node for index in own if (node := elements[index].node)]
    try:
        answer = await page.ask(root.node.frame, "inside", budget, "looking into the root", root.node.number, numbers)
    except CdpCallError:
        answer = None
    if answer is None:
        raise StaleRefError(f"{root.node.shown_as} is stale: it went away meanwhile; take a new snapshot")
    inside = {index for index, lies in zip(own, answer, strict=True) if lies}
    # What only vision sees, and no element owns, lies in the root if its middle does.
    inside |= {
        index
        for index, element in enumerate(elements)
        if element.node is None and element.parent < 0 and root.box.contains(element.box.center)
    }
    return _follow(elements, inside, set(own))


def _follow(elements: Sequence[Element], inside: set[int], known: set[int]) -> list[bool]:
    """Spreads from parents to those of their children that are not known to be elsewhere."""
    flags: list[bool] = []
    for index, element in enumerate(elements):
        follows = index not in known and element.parent >= 0 and flags[element.parent]
        flags.append(index in inside or follows)
    return flags


async def _frame_in(page: PageLink, frame: str, hit: _Hit, budget: Budget) -> str:
    """Id of the frame that a hit iframe element shows, empty where it shows none."""
    known = await backend_ids(page, frame, hit.numbers[:1], budget)
    ids = await page.frame_ids(list(known.values()), frame, budget)
    return ids[0] if ids and ids[0] in page.frames else ""
