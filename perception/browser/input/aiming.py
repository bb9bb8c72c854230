"""Targets: what a ref, selector, node id or coordinate means on the page now, and where input for it has to go.

Rule: every target becomes a point by asking the walker what is there now. Without a target no input is sent.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

import msgspec

from perception.browser.capture import axtree
from perception.browser.capture.frame_facts import decode_walk
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.element_finder import ElementFinder
from perception.browser.page.page_link import PageLink
from perception.browser.page.target_types import Aim, Disabled, TargetFacts, TargetNode, named
from perception.deadline import Deadline
from perception.errors import (
    CoordinateOutOfViewportError,
    ElementDisabledError,
    ElementObscuredError,
    NotReachableError,
    PerceptionError,
    StaleRefError,
)
from perception.geometry import Box, Point
from perception.page_words import quoted_words
from perception.ref_entries import PageRef, VisionRef
from perception.refs import moved_row
from perception.types import Engine, Scroll

__all__ = ["Aim", "TargetFacts", "TargetNode", "Targets", "named"]

TARGET_PATIENCE_SECONDS = 2.0
"""How long an element may stay covered or keep moving before that is an error: opening and closing transitions of
the common component libraries take 0.15 to 0.6 s."""

TARGET_POLL_SECONDS = 0.05
"""Interval at which an element is checked again. Chosen by hand."""

REDRAWN_LEVELS = 4
"""Elements around a point among which one that was drawn again is looked for: an icon in a label in a button. Chosen by
hand."""

TARGET_FRAME_MS = 300
"""A page that makes no frame in this time is not in view, or moves nothing. Chosen by hand."""


class Targets:
    """Finds elements and aims at them on one tab."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        finder = ElementFinder(page)
        self.find_selector = finder.find_selector
        self.find_backend_node = finder.find_backend_node

    def find_ref(self, entry: PageRef) -> TargetNode:
        """The element of a ref.

        Raises:
            StaleRefError: its document is no longer shown.
        """
        frame = self._page.tree.frame_of(entry.node.loader)
        if frame is None:
            raise StaleRefError.because(f"ref {entry.ref}", "its page was left", ref=entry.ref)
        return TargetNode(frame, entry.node.node, f"ref {entry.ref}", entry)

    async def aim_at(self, node: TargetNode, deadline: Deadline, disabled: Disabled = Disabled.NONE) -> Aim:
        """Brings an element into view and waits until a click would land on it.

        Args:
            disabled: whether it may be disabled.

        Raises:
            StaleRefError, ElementDisabledError, ElementObscuredError, NotReachableError
        """
        patience = deadline.share(TARGET_PATIENCE_SECONDS)
        revealed_from: tuple[float, ...] | None = None
        while True:
            facts = await self._facts(node, deadline)
            if _is_refused(facts, disabled):
                raise ElementDisabledError(f"{node.shown_as} ({named(facts)}) is disabled: nothing can be done with it")
            again = facts
            if facts.point and facts.restless:
                await self._next_frame(node, deadline)
                again = await self._facts(node, deadline)
            point, blocker = None, again.blocker
            if again.point is not None and again.box == facts.box:
                point, blocker = await self._to_viewport(node.frame, again.point, deadline)
                if point is None:
                    point = await self._other_point(node, deadline)
            if point is not None:
                return Aim(point, node, again, disabled)
            if revealed_from is not None and patience.spent():  # on a crowded machine one look may take all of it
                raise _unreachable(node, facts, blocker)
            # It is out of view, or under something that stays in place while the page scrolls. What comes into view on
            # the way there may move it out again.
            if revealed_from is None or (not facts.inViewport and facts.box != revealed_from):
                revealed_from = facts.box
                await self._reveal(node, deadline)
            else:
                await asyncio.sleep(TARGET_POLL_SECONDS)

    async def _next_frame(self, node: TargetNode, deadline: Deadline) -> None:
        """Waits until the page has made a frame: an element that moves has moved by then, however busy the machine
        is. A process makes one for all its frames at once, and none in an empty frame alone (Chromium 156). A page
        whose scripts are halted tells nobody of its frames."""
        page = self._page
        if page.halted.is_on:
            await asyncio.sleep(TARGET_FRAME_MS / 1000)
            return
        is_with_top = page.session_of(node.frame) is page.session
        with contextlib.suppress(CdpCallError):  # the frame is gone, which is found next
            await page.evaluate(
                page.main_frame if is_with_top else node.frame,
                f"perceptionWalker.paintAll({TARGET_FRAME_MS})",
                deadline,
                "looking at the target",
                awaitPromise=True,
            )

    async def aim_again(self, aim: Aim, deadline: Deadline) -> Aim:
        """Aims again at an element of the top document after the pointer came to it. Pages draw elements again then:
        one with the same role and name at the same point is the same target.

        Raises:
            As `aim_at`.
        """
        assert aim.node is not None
        assert aim.facts is not None
        try:
            return await self.aim_at(aim.node, deadline, aim.disabled)
        except StaleRefError:
            hit = await self._page.ask(
                aim.node.frame, "hitTest", deadline, "looking at the target", aim.point.x, aim.point.y
            )
            for number in (hit["numbers"] if hit else [])[:REDRAWN_LEVELS]:
                node = replace(aim.node, number=number, text=0)
                with contextlib.suppress(StaleRefError):
                    facts = await self._facts(node, deadline)
                    if (facts.role, facts.name) == (aim.facts.role, aim.facts.name):
                        return await self.aim_at(node, deadline, aim.disabled)
            raise
        except NotReachableError as exc:
            if cover := await self.cover_of(aim, deadline):
                raise NotReachableError.replaced(f"{aim.node.shown_as} ({named(aim.facts)})", cover) from exc
            raise

    async def cover_of(self, aim: Aim, deadline: Deadline) -> str:
        """What a click would land on instead of the element that was aimed at in the top document; empty if the click
        lands on the element."""
        assert aim.node is not None
        phase = "looking at the target"
        return str(
            await self._page.ask(
                aim.node.frame, "clickBlockerAt", deadline, phase, aim.node.number, aim.point.x, aim.point.y
            )
        )

    async def aim_at_vision(self, entry: VisionRef, scroll: Scroll, deadline: Deadline) -> Aim:
        """Where an element is now that only vision sees: at its place in its owner, or, without an owner, where it was
        if the page has not scrolled.

        Raises:
            StaleRefError: the page was left or has scrolled, or the owner is gone.
            ElementObscuredError: something else is there.
        """
        if entry.loader != self._page.loader:
            raise StaleRefError.because(f"ref {entry.ref}", "its page was left", ref=entry.ref)
        if entry.owner is None:
            if (scroll.x, scroll.y) != (entry.scroll.x, entry.scroll.y):
                raise StaleRefError.because(f"ref {entry.ref}", "the page has scrolled", ref=entry.ref)
            return await self.aim_at_point(entry.point, deadline)
        frame = self._page.tree.frame_of(entry.owner.loader)
        if frame is None:
            raise StaleRefError.because(f"ref {entry.ref}", "what showed it is gone", ref=entry.ref)
        owner = TargetNode(frame, entry.owner.node, f"ref {entry.ref}")
        facts = await self._facts(owner, deadline)
        inside = (facts.box[0] + entry.offset.x, facts.box[1] + entry.offset.y)
        cover = await self._page.ask(frame, "blockerAt", deadline, "looking at the target", owner.number, *inside)
        point = None
        if not cover:
            point, cover = await self._to_viewport(frame, inside, deadline)
        if point is None:
            what = f"ref {entry.ref} ({entry.role} {quoted_words(entry.name)})"
            raise ElementObscuredError.by(what, str(cover), other_way=", or scroll it into view")
        return await self.aim_at_point(point, deadline)

    async def aim_at_point(self, point: Point, deadline: Deadline) -> Aim:
        """A coordinate, CSS px of the viewport.

        Raises:
            CoordinateOutOfViewportError: it is outside.
        """
        _, width, height = await self.scroll_state(deadline)
        if not Box(0, 0, width, height).contains(point):
            raise CoordinateOutOfViewportError(
                f"({point.x:g}, {point.y:g}) is outside the viewport of {width} x {height} CSS px: "
                "scroll there first, or use a ref",
                field="target.coordinate",
            )
        return Aim(point)

    async def place_of(
        self, found: TargetNode | VisionRef | Point, deadline: Deadline, *, at: tuple[float, float] | None = None
    ) -> Point:
        """Where something is now that was aimed at before. An element is scrolled into view if necessary; what covers
        it does not count, because the dragged thing does.

        Args:
            at: a place in an element, as parts of its width and height; None for where a click goes.

        Raises:
            NotReachableError: the element cannot be brought into view.
        """
        if isinstance(found, VisionRef):
            return found.point
        if isinstance(found, Point):
            return found
        facts = await self._facts(found, deadline)
        if not facts.inViewport:
            await self._reveal(found, deadline)
            facts = await self._facts(found, deadline)
        left, top, right, bottom = facts.box
        place = facts.point or ((left + right) / 2, (top + bottom) / 2)
        if at is not None:
            place = left + (right - left) * at[0], top + (bottom - top) * at[1]
        point, _ = await self._to_viewport(found.frame, place, deadline)
        if point is None:
            raise NotReachableError(
                f"{found.shown_as} ({named(facts)}) is out of view, and its frame covered: close what covers that first"
            )
        return point

    async def scroll_state(self, deadline: Deadline) -> tuple[Scroll, int, int]:
        """The top document's scroll position, and the viewport's width and height (CSS px)."""
        text = await self._page.ask_text(
            self._page.main_frame, "documentState", deadline, "reading the scroll position"
        )
        place = decode_walk(text)
        return Scroll(*place.scroll), round(place.viewport[0]), round(place.viewport[1])

    async def reveal(self, node: TargetNode, deadline: Deadline) -> None:
        """Scrolls an element into view, in every frame that holds it."""
        await self._facts(node, deadline)
        deadline.dispatched = True
        self._page.note_input()
        await self._reveal(node, deadline)

    async def look_at(self, node: TargetNode, deadline: Deadline) -> TargetFacts:
        """What an element is like now; nothing is sent to it.

        Raises:
            StaleRefError: it is gone, or no longer has the role and name of its ref.
        """
        return await self._facts(node, deadline)

    async def _facts(self, node: TargetNode, deadline: Deadline) -> TargetFacts:
        """What the element is like now; a ref must still mean the same role, name and row."""
        try:
            text = await self._page.ask_text(
                node.frame, "elementFacts", deadline, "looking at the target", *node.numbers
            )
        except CdpCallError as exc:
            raise StaleRefError.because(node.shown_as, "its frame is gone") from exc
        facts = msgspec.json.decode(text, type=TargetFacts | None)
        if facts is None:
            raise StaleRefError.because(node.shown_as, "its element is gone")
        if node.expected is not None:
            await self._check_identity(node.frame, node.expected, facts, deadline)
        return facts

    async def _check_identity(self, frame: str, expected: PageRef, facts: TargetFacts, deadline: Deadline) -> None:
        """A ref from Chromium's tree is checked against that tree: the walker may name the element differently."""
        now = (facts.role, facts.name)
        if expected.engine is Engine.AX and expected.backend_node_id is not None:
            role, name = await axtree.identity(self._page, frame, expected.backend_node_id, deadline)
            now = role, (facts.name if facts.masked else name)  # only the walker redacts private names
        if now != (expected.role, expected.name):
            was = f"{expected.role} {quoted_words(expected.name)}"
            why = f"it was {was} and is now {now[0]}{f' {quoted_words(now[1])}' if facts.seen else ''}"
            raise StaleRefError.because(f"ref {expected.ref}", why, ref=expected.ref)
        if expected.row and facts.row and expected.row != facts.row:
            why = moved_row(expected.row, facts.row)
            raise StaleRefError.because(f"ref {expected.ref}", why, ref=expected.ref)

    async def _to_viewport(
        self, frame: str, point: tuple[float, float], deadline: Deadline
    ) -> tuple[Point | None, str]:
        """A point of a frame in the tab's viewport, or None and what covers it in one of the frames around."""
        x, y = point
        for parent, number in await self._page.worlds.owners(frame, deadline):
            origin = await self._page.ask(parent, "frameOrigin", deadline, "placing the frame", number)
            if origin is None:
                return None, "a removed frame"
            x, y = origin["x"] + x * origin["scaleX"], origin["y"] + y * origin["scaleY"]
            (cover,) = await self._page.ask(parent, "frameCovers", deadline, "placing the frame", number, [[x, y]])
            if cover[0]:
                return None, str(cover[2]) if len(cover) > 2 else "the clipping of its frame"
        return Point(x, y), ""

    async def _other_point(self, node: TargetNode, deadline: Deadline) -> Point | None:
        """Another point of an element in a frame, which nothing over the frame covers; None if none, or for a text."""
        if node.text:
            return None
        (points,) = await self._page.ask(node.frame, "clickPoints", deadline, "looking at the target", [node.number])
        for x, y in points:
            place, _ = await self._to_viewport(node.frame, (x, y), deadline)
            if place is not None:
                return place
        return None

    async def _reveal(self, node: TargetNode, deadline: Deadline) -> None:
        phase = "scrolling into view"
        await self._page.ask(node.frame, "scrollIntoView", deadline, phase, *node.numbers)
        owners = await self._page.worlds.owners(node.frame, deadline)
        if not owners:
            return
        left, top, right, bottom = (await self._facts(node, deadline)).box
        x, y = (left + right) / 2, (top + bottom) / 2
        for parent, number in owners:
            place = await self._page.ask(parent, "scrollPointIntoView", deadline, phase, number, x, y)
            if place is None:
                return  # the frame is gone: aiming reports it
            x, y = place["x"], place["y"]


def _is_refused(facts: TargetFacts, disabled: Disabled) -> bool:
    if disabled is Disabled.ANY:
        return False
    return facts.inactive if disabled is Disabled.ANNOUNCED else facts.disabled


def _unreachable(node: TargetNode, facts: TargetFacts, blocker: str) -> PerceptionError:
    what = f"{node.shown_as} ({named(facts)})"
    if facts.held:
        return ElementObscuredError.by_pointer_lock(what, facts.blocker)
    if blocker and facts.locked:
        return ElementObscuredError.by_popup(what, blocker)
    if blocker and not facts.seen:
        return ElementObscuredError.instead(what, blocker)
    if blocker:
        return ElementObscuredError.by(what, blocker)
    if facts.switchedOff:
        return NotReachableError(
            f"{what} takes no pointer now: the page has switched it off (pointer-events: none); wait, or close what is "
            "open first"
        )
    return NotReachableError(
        f"{what} has no point on the page that can be clicked: it is hidden, has no size, or keeps moving"
    )
