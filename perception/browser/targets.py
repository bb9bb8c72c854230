"""Targets: what a ref, selector, node id or coordinate means on the page now, and where input for it has to go.

Rule: every target becomes a place by way of the walker, which says what is there now. No target, no input.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from perception.browser import axtree
from perception.browser.cdp import CdpCallError
from perception.browser.facts import decode_walk
from perception.browser.node_ids import backend_ids
from perception.browser.page import PageLink
from perception.browser.told import adopt_closed_roots
from perception.budget import Budget
from perception.errors import (
    AmbiguousTargetError,
    BadSelectorError,
    CoordinateOutOfViewportError,
    DeadlineError,
    ElementDisabledError,
    ElementObscuredError,
    NoMatchError,
    NotReachableError,
    PageCrashedError,
    PerceptionError,
    SessionLostError,
    StaleRefError,
)
from perception.geometry import Box, Point
from perception.refs import PageRef, VisionRef
from perception.selectors import split_hops
from perception.types import Engine, Scroll

Answer = TypeVar("Answer")

PATIENCE_SECONDS = 2.0
"""How long an element may stay covered or keep moving before that is an error: opening and closing transitions of
the common component libraries take 0.15 to 0.6 s."""

POLL_SECONDS = 0.05

FRAME_SECONDS = 0.02
"""Longer than a frame at 60 Hz: what moves has moved by then."""


class Facts(msgspec.Struct):
    """What an element is like now, from the walker, in its own frame's coordinates."""

    role: str
    name: str
    box: tuple[float, float, float, float]
    point: tuple[float, float] | None
    blocker: str
    inViewport: bool  # noqa: N815  (the walker's spelling)
    disabled: bool
    editable: bool
    tag: str
    type: str
    number: int = 0
    masked: bool = False
    multiple: bool = False
    states: tuple[str, ...] = ()
    restless: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """An element found: its frame, its walker number, and the ref it was asked for by, if any."""

    frame: str
    number: int
    shown_as: str
    expected: PageRef | None = None


@dataclass(frozen=True, slots=True)
class Aim:
    """Where input goes: a point in the tab's viewport, and the element there if it was asked for as one."""

    point: Point
    node: Node | None = None
    facts: Facts | None = None


class Targets:
    """Finds and aims on one tab."""

    def __init__(self, page: PageLink) -> None:
        self._page = page

    async def find_selector(self, selector: str, budget: Budget) -> Node:
        """The one element that a selector matches: in the document's own tree; where there is nothing in its open
        shadow roots; else in frames. Each ` >>> ` is a step into the shadow root or frame of the element before it.

        Raises:
            BadSelectorError, NoMatchError, AmbiguousTargetError
        """
        first, *rest = split_hops(selector)
        sought = _Sought(selector, first)
        found = await self._matches(self._page.main_frame, None, sought, budget)
        if not found:
            replies = await self._of_frames(lambda frame, share: self._matches(frame, None, sought, share), budget)
            found = [each for _, reply in replies for each in reply]
        node = sought.one_of(found)
        for css in rest:
            sought = _Sought(selector, css, sought)
            node = sought.one_of(await self._inside(node, sought, budget))
        return node

    async def _inside(self, node: Node, sought: _Sought, budget: Budget) -> list[Node]:
        """What a selector matches in an element's frame or shadow root."""
        ids = await backend_ids(self._page, node.frame, [node.number], budget)
        (inner,) = await self._page.frame_ids([ids[node.number]], node.frame, budget) if ids else ("",)
        if inner in self._page.frames:
            return await self._matches(inner, None, sought, budget)
        return await self._matches(node.frame, node.number, sought, budget)

    async def _matches(self, frame: str, host: int | None, sought: _Sought, budget: Budget) -> list[Node]:
        """What a selector matches in a frame's document, or in the shadow root of an element of it."""
        for attempt in (1, 2):
            reply = await self._page.ask(frame, "select", budget, "looking for the selector", sought.css, host)
            if reply.get("error"):
                raise BadSelectorError(f"{sought} is no valid CSS selector", field="target.selector")
            if host is None or not reply.get("rootless"):
                break
            if attempt == 2 or not await adopt_closed_roots(self._page, frame, budget, host):
                raise NoMatchError(
                    f"{sought.before} is an element with neither a shadow root nor a frame: what stands before >>> has "
                    "to have one"
                )
        return [Node(frame, number, f"selector {sought.whole!r}") for number in reply["numbers"]]

    async def find_backend_node(self, backend_id: int, budget: Budget) -> Node:
        """The element with a CDP backend node id, in any frame.

        Raises:
            NoMatchError: there is none.
            AmbiguousTargetError: frames of other processes count their nodes by themselves, and several have this one.
        """
        nodes = await self._of_frames(lambda frame, share: self._backend_node(frame, backend_id, share), budget)
        found = [node for _, node in nodes if node]
        if not found:
            raise NoMatchError(f"no element with backend node id {backend_id} is on the page: take a new snapshot")
        if len(found) > 1:
            raise AmbiguousTargetError(
                f"{len(found)} frames have a node with backend id {backend_id}: use the element's ref",
                count=str(len(found)),
            )
        return found[0]

    async def _of_frames(
        self, ask: Callable[[str, Budget], Awaitable[Answer]], budget: Budget
    ) -> list[tuple[str, Answer]]:
        """Asks every frame at once. The top document must answer; a frame that is gone or hangs has no say."""

        async def one(frame: str) -> Answer | None:
            if frame == self._page.main_frame:
                return await ask(frame, budget)
            with contextlib.suppress(CdpCallError, DeadlineError, PageCrashedError, SessionLostError):
                return await ask(frame, budget.share(PATIENCE_SECONDS))
            return None

        frames = self._page.frames
        answers = await asyncio.gather(*map(one, frames))
        return [(frame, answer) for frame, answer in zip(frames, answers, strict=True) if answer is not None]

    async def _backend_node(self, frame: str, backend_id: int, budget: Budget) -> Node | None:
        """The element, if it is one of this frame's document."""
        phase = "looking for the node"
        try:
            world = await self._page.world(frame, budget)
            resolved = await world.session.call(
                "DOM.resolveNode", budget, phase, backendNodeId=backend_id, executionContextId=world.context_id
            )
            handle = resolved["object"].get("objectId")
            if handle is None:
                return None  # nothing that a script may hold
            reply = await world.session.call(
                "Runtime.callFunctionOn",
                budget,
                phase,
                functionDeclaration=_NUMBER_IF_CONNECTED,
                executionContextId=world.context_id,
                arguments=[{"objectId": handle}],
                returnByValue=True,
            )
        except CdpCallError:
            return None  # not a node of this frame
        number = int(reply["result"].get("value") or 0)
        return Node(frame, number, f"node {backend_id}") if number else None

    def find_ref(self, entry: PageRef) -> Node:
        frame = self._page.frame_of(entry.node.loader)
        if frame is None:
            raise StaleRefError(f"ref {entry.ref} is stale: its page was left; take a new snapshot", ref=entry.ref)
        return Node(frame, entry.node.node, f"ref {entry.ref}", entry)

    async def aim_at(self, node: Node, budget: Budget) -> Aim:
        """Brings an element into view and waits until a click would land on it.

        Raises:
            StaleRefError, ElementDisabledError, ElementObscuredError, NotReachableError
        """
        patience = budget.share(PATIENCE_SECONDS)
        revealed = False
        while True:
            facts = await self._facts(node, budget)
            if facts.disabled:
                raise ElementDisabledError(f"{node.shown_as} ({named(facts)}) is disabled: nothing can be done with it")
            if facts.point and facts.restless:
                await asyncio.sleep(FRAME_SECONDS)
            again = await self._facts(node, budget) if facts.point else facts
            point, blocker = None, again.blocker
            if again.point is not None and again.box == facts.box:
                point, blocker = await self._to_viewport(node.frame, again.point, budget)
                if point is None:
                    point = await self._elsewhere(node, budget)
            if point is not None:
                return Aim(point, node, again)
            if patience.spent():
                raise _unreachable(node, facts, blocker)
            if not revealed:  # out of view, or under something that stays in place while the page scrolls
                revealed = True
                await self._reveal(node, budget)
            else:
                await asyncio.sleep(POLL_SECONDS)

    async def cover_of(self, aim: Aim, budget: Budget) -> str:
        """What a click would land on in place of the element that was aimed at in the top document; empty if on it."""
        assert aim.node is not None
        phase = "looking at the target"
        return str(
            await self._page.ask(aim.node.frame, "coverOf", budget, phase, aim.node.number, aim.point.x, aim.point.y)
        )

    async def aim_at_vision(self, entry: VisionRef, scroll: Scroll, budget: Budget) -> Aim:
        """Where a vision element is now: with its owner, or where it was if the page has not scrolled.

        Raises:
            StaleRefError: the page was left or has scrolled, or the owner is gone.
        """
        if entry.loader != self._page.loader:
            raise StaleRefError(f"ref {entry.ref} is stale: its page was left; take a new snapshot", ref=entry.ref)
        if entry.owner is None:
            if (scroll.x, scroll.y) != (entry.scroll.x, entry.scroll.y):
                raise StaleRefError(
                    f"ref {entry.ref} is stale: the page has scrolled; take a new snapshot", ref=entry.ref
                )
            return await self.aim_at_point(entry.point, budget)
        frame = self._page.frame_of(entry.owner.loader)
        if frame is None:
            raise StaleRefError(f"ref {entry.ref} is stale: what showed it is gone; take a new snapshot", ref=entry.ref)
        owner = Node(frame, entry.owner.node, f"ref {entry.ref}")
        facts = await self._facts(owner, budget)
        inside = (facts.box[0] + entry.offset.x, facts.box[1] + entry.offset.y)
        cover = await self._page.ask(frame, "lands", budget, "looking at the target", owner.number, *inside)
        point = None
        if not cover:
            point, cover = await self._to_viewport(frame, inside, budget)
        if point is None:
            raise ElementObscuredError(
                f"ref {entry.ref} ({entry.role} {entry.name[:60]!r}) is covered by {cover}: close or move that first, "
                "or scroll it into view",
                covered_by=str(cover)[:100],
            )
        return await self.aim_at_point(point, budget)

    async def aim_at_point(self, point: Point, budget: Budget) -> Aim:
        """A coordinate, if it lies in the viewport."""
        _, width, height = await self.scroll_state(budget)
        if not Box(0, 0, width, height).contains(point):
            raise CoordinateOutOfViewportError(
                f"({point.x:g}, {point.y:g}) is outside the viewport of {width} x {height} CSS px: "
                "scroll there first, or use a ref",
                field="target.coordinate",
            )
        return Aim(point)

    async def place_of(self, found: Node | VisionRef | Point, budget: Budget) -> Point:
        """Where something is now that was aimed at before: of an element its middle, brought into view if need be, and
        not minding what lies on top, as what is dragged does."""
        if isinstance(found, VisionRef):
            return found.point
        if isinstance(found, Point):
            return found
        facts = await self._facts(found, budget)
        if not facts.inViewport:
            await self._reveal(found, budget)
            facts = await self._facts(found, budget)
        left, top, right, bottom = facts.box
        point, _ = await self._to_viewport(found.frame, facts.point or ((left + right) / 2, (top + bottom) / 2), budget)
        if point is None:
            raise NotReachableError(f"{found.shown_as} ({named(facts)}) is out of view, and its frame covered")
        return point

    async def scroll_state(self, budget: Budget) -> tuple[Scroll, int, int]:
        """Where the top document stands, and the viewport's size (CSS px)."""
        text = await self._page.ask_text(self._page.main_frame, "place", budget, "reading the scroll position")
        place = decode_walk(text)
        return Scroll(*place.scroll), round(place.viewport[0]), round(place.viewport[1])

    async def reveal(self, node: Node, budget: Budget) -> None:
        """Brings an element into view, in every frame that holds it."""
        await self._facts(node, budget)
        budget.dispatched = True
        await self._reveal(node, budget)

    async def look_at(self, node: Node, budget: Budget) -> Facts:
        """What an element is like now; nothing is done to it.

        Raises:
            StaleRefError: it is gone, or no longer has the role and name that its ref stands for.
        """
        return await self._facts(node, budget)

    async def _facts(self, node: Node, budget: Budget) -> Facts:
        """What the element is like now; a ref must still mean the same role and name."""
        try:
            text = await self._page.ask_text(node.frame, "facts", budget, "looking at the target", node.number)
        except CdpCallError as exc:
            raise StaleRefError(f"{node.shown_as} is stale: its frame is gone; take a new snapshot") from exc
        facts = msgspec.json.decode(text, type=Facts | None)
        if facts is None:
            raise StaleRefError(f"{node.shown_as} is stale: its element is gone; take a new snapshot")
        if node.expected is not None:
            await self._check_identity(node.frame, node.expected, facts, budget)
        return facts

    async def _check_identity(self, frame: str, expected: PageRef, facts: Facts, budget: Budget) -> None:
        """A ref from Chromium's tree is checked against Chromium's tree: the walker may name it otherwise."""
        now = (facts.role, facts.name)
        if expected.engine is Engine.AX and expected.backend_node_id is not None:
            role, name = await axtree.identity(self._page, frame, expected.backend_node_id, budget)
            now = role, (facts.name if facts.masked else name)  # what is private is told by the walker alone
        if now != (expected.role, expected.name):
            raise StaleRefError(
                f"ref {expected.ref} is stale: it was {expected.role} {expected.name[:60]!r} and is now "
                f"{now[0]} {now[1][:60]!r}; take a new snapshot",
                ref=expected.ref,
            )

    async def _to_viewport(self, frame: str, point: tuple[float, float], budget: Budget) -> tuple[Point | None, str]:
        """A point of a frame in the tab's viewport, and what covers it on the way up (then the point is None)."""
        x, y = point
        for parent, number in await self._page.owners(frame, budget):
            origin = await self._page.ask(parent, "origin", budget, "placing the frame", number)
            if origin is None:
                return None, "a frame that is gone"
            x, y = origin["x"] + x * origin["scaleX"], origin["y"] + y * origin["scaleY"]
            (cover,) = await self._page.ask(parent, "covers", budget, "placing the frame", number, [[x, y]])
            if cover[0]:
                return None, str(cover[2]) if len(cover) > 2 else "what clips its frame"
        return Point(x, y), ""

    async def _elsewhere(self, node: Node, budget: Budget) -> Point | None:
        """Another point of an element in a frame, where nothing that lies over the frame is in the way."""
        (points,) = await self._page.ask(node.frame, "points", budget, "looking at the target", [node.number])
        for x, y in points:
            place, _ = await self._to_viewport(node.frame, (x, y), budget)
            if place is not None:
                return place
        return None

    async def _reveal(self, node: Node, budget: Budget) -> None:
        phase = "scrolling into view"
        await self._page.ask(node.frame, "reveal", budget, phase, node.number)
        owners = await self._page.owners(node.frame, budget)
        if not owners:
            return
        left, top, right, bottom = (await self._facts(node, budget)).box
        x, y = (left + right) / 2, (top + bottom) / 2
        for parent, number in owners:
            place = await self._page.ask(parent, "revealPoint", budget, phase, number, x, y)
            if place is None:
                return  # the frame has gone: aiming will say so
            x, y = place["x"], place["y"]


@dataclass(frozen=True, slots=True)
class _Sought:
    """The CSS that is looked for in one tree: of the whole selector, or of one of its steps, after the one `before`."""

    whole: str
    css: str
    before: _Sought | None = None

    def one_of(self, found: list[Node]) -> Node:
        if not found:
            raise NoMatchError(f"{self} matches nothing on the page: take a snapshot to see what is there")
        if len(found) > 1:
            raise AmbiguousTargetError(
                f"{self} matches {len(found)} elements: make it match one, or use a ref", count=str(len(found))
            )
        return found[0]

    def __str__(self) -> str:
        return f"selector {self.whole!r}" if self.css == self.whole else f"{self.css!r} in selector {self.whole!r}"


_NUMBER_IF_CONNECTED = (
    "function(node) { return node instanceof Element && node.isConnected && node.ownerDocument === document "
    "? Number(perceptionWalker.number(node)) : 0; }"
)


def named(facts: Facts) -> str:
    kind = f" of type {facts.type}" if facts.tag == "input" and facts.type else ""
    return f"{facts.role} {facts.name[:60]!r}{kind}"


def _unreachable(node: Node, facts: Facts, blocker: str) -> PerceptionError:
    if blocker:
        return ElementObscuredError(
            f"{node.shown_as} ({named(facts)}) is covered by {blocker}: close or move that first",
            covered_by=blocker[:100],
        )
    return NotReachableError(
        f"{node.shown_as} ({named(facts)}) has no place on the page that can be clicked: it is hidden, has no size, "
        "or keeps moving"
    )
