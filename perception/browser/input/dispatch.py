"""Real input on one tab: mouse, keyboard and wheel, sent to where `aiming` has aimed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.browser.input.aiming import (
    TARGET_PATIENCE_SECONDS,
    TARGET_POLL_SECONDS,
    Aim,
    TargetNode,
    Targets,
    named,
)
from perception.browser.input.clipboard_keys import ClipboardKeys, clipboard_chord
from perception.browser.input.keys import is_on_keyboard, key_chord
from perception.browser.input.refused_forms import refusal_of_enter, refusal_words
from perception.browser.input.sending import InputSender
from perception.browser.input.text_entry import TextEntry
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.errors import CoordinateOutOfViewportError, ElementObscuredError, NotReachableError, PerceptionError
from perception.geometry import Box, Point

PRESS_SECONDS = 0.5
"""How long a page may take to report the effect of a press; the answer comes after the events of the click."""

WHEEL_QUIET_POLLS = 3
"""Polls without movement after which a scroll has ended: smooth scrolling moves in each frame until then. Chosen by
hand."""

DRAG_STEPS = 8
"""Moves of a drag: as many as a slow hand makes in 0.1 s. Pages detect a drag from the second move on."""

WATCH_DRAG = (
    "globalThis.perceptionDrag = null;"
    " addEventListener('dragover', event => { perceptionDrag = event }, { capture: true, once: true }); 0"
)
"""Keeps the next event of a drag, in the frame's own world: a page takes what is dragged by preventing its default."""

IS_TAKEN = "perceptionDrag?.defaultPrevented ?? false"


@dataclass(frozen=True, slots=True)
class PressOutcome:
    """What became of a click.

    Attributes:
        was_lost: its target was gone or hidden when the button was released, and got no click.
        was_missed: the button went down on its target, which was elsewhere or covered when the button was released, and
            got no click.
        left_field: another field lost the focus to the press.
        refused: why the form was not sent whose button it was, in words; empty for another end.
    """

    was_lost: bool = False
    was_missed: bool = False
    left_field: bool = False
    refused: str = ""

    @property
    def was_lost_to_a_field(self) -> bool:
        """The click reached nothing, as pages do that check a field, or draw themselves again, when it loses the
        focus."""
        return self.left_field and (self.was_lost or self.was_missed)


class InputDispatcher:
    """Sends input to one tab.

    Attributes:
        typing: types into what has the focus.
    """

    def __init__(self, tab: Tab) -> None:
        self._page = tab.link
        self._targets = Targets(tab.link)
        self._sender = InputSender(tab)
        self.typing = TextEntry(tab.link, self._sender)
        self._clipboard_keys = ClipboardKeys(tab.link, self._sender, tab.clipboard)

    async def click(
        self, aim: Aim, *, button: str, count: int, modifiers: Sequence[str], deadline: Deadline, hold_s: float = 0.0
    ) -> None:
        """Presses and releases a mouse button.

        Args:
            modifiers: Playwright names of keys that are held meanwhile.
            hold_s: how long the button stays down, of several clicks in the last one.
        """
        point = await self._on_screen(await self._arrive(aim, deadline), deadline)
        async with self._sender.sending(deadline, "clicking", closes=True):
            try:
                for key in modifiers:
                    await self._sender.keyboard.down(key)
                await self._sender.mouse.click(
                    point.x,
                    point.y,
                    button=button,
                    count=count,
                    modifiers=modifiers,
                    hold_s=hold_s,
                )
            finally:
                if modifiers:
                    await self._sender.release(*(self._sender.keyboard.up(key) for key in modifiers))

    async def tap(self, aim: Aim, hold_s: float, deadline: Deadline) -> None:
        """Touches a target with one finger.

        Args:
            hold_s: how long the finger stays; 0 for a short touch.
        """
        point = await self._on_screen(aim.point, deadline)
        async with self._sender.sending(deadline, "tapping", closes=True):
            await self._sender.touch.tap(point.x, point.y, hold_s)

    async def press_outcome(self, aim: Aim, deadline: Deadline) -> PressOutcome:
        """What became of the last click on a target; nothing where the page does not answer, or is another one."""
        if aim.node is None:
            return PressOutcome()
        share = deadline.share(PRESS_SECONDS)
        with contextlib.suppress(CdpCallError, PerceptionError):
            told = await self._page.ask(aim.node.frame, "pressOutcome", share, "reading what was clicked") or {}
            lost, missed, left = (bool(told.get(each)) for each in ("lost", "missed", "left"))
            return PressOutcome(lost, missed, left, refusal_words(told.get("refused")))
        return PressOutcome()

    async def hover(self, aim: Aim, deadline: Deadline) -> None:
        """Moves the pointer to a target and leaves it there."""
        point = await self._arrive(aim, deadline)
        await self._move(point, deadline)

    async def drag(self, aim: Aim, find_end: Callable[[], Awaitable[Point]], deadline: Deadline) -> Point:
        """Presses the left button at `aim`, moves the pointer in steps to the end, and releases it there.

        Args:
            find_end: returns the end; called once the button is down, because pages move elements for what is dragged.

        Returns:
            The end, CSS px of the viewport.
        """
        start = await self._on_screen(await self._arrive(aim, deadline), deadline)
        mouse = self._sender.drag_mouse
        async with self._sender.sending(deadline, "dragging"):
            await mouse.move(start.x, start.y)
            await mouse.down()
        try:
            released = await find_end()
            end = await self._on_screen(released, deadline)
            async with self._sender.sending(deadline, "dragging"):
                # The first small steps begin the drag in pages that wait for movement; the last two are at the end.
                for part in (*(step / DRAG_STEPS for step in range(1, DRAG_STEPS)), 1.0, 1.0):
                    await mouse.move(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)
                await mouse.up()
        except BaseException:
            await self._sender.release(mouse.up())
            raise
        return released

    async def drop(self, aim: Aim, data: Mapping[str, Any], deadline: Deadline) -> bool:
        """Drops something on a target that comes from outside of the page.

        Args:
            data: what is dropped, as CDP's `Input.DragData`.

        Returns:
            Whether the page takes it there. If not, nothing was dropped.
        """
        point = await self._on_screen(await self._arrive(aim, deadline), deadline)
        frame = aim.node.frame if aim.node is not None else self._page.main_frame
        phase = "dropping"
        async with self._sender.sending(deadline, phase):
            await self._page.evaluate(frame, WATCH_DRAG, deadline, phase)
            try:
                await self._drag("dragEnter", point, data)
                await self._drag("dragOver", point, data)
                is_taken = (await self._page.evaluate(frame, IS_TAKEN, deadline, phase, returnByValue=True))["value"]
                await self._drag("drop" if is_taken else "dragCancel", point, data)
            except BaseException:
                self._drag("dragCancel", point, data).add_done_callback(consume)
                raise
        return bool(is_taken)

    def _drag(self, kind: str, point: Point, data: Mapping[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """Sends an event of a drag. The future is done when the page has it."""
        return self._page.session.start("Input.dispatchDragEvent", type=kind, x=point.x, y=point.y, data=data)

    async def focus(self, aim: Aim, deadline: Deadline) -> None:
        """Focuses an element by a click, as a person does."""
        await self.click(aim, button="left", count=1, modifiers=(), deadline=deadline)

    async def focus_node(self, node: TargetNode, deadline: Deadline) -> None:
        """Focuses an element without a click.

        Raises:
            NotReachableError: it cannot be focused.
        """
        if not await self._page.ask(node.frame, "focus", deadline, "focusing", node.number):
            raise NotReachableError(
                f"{node.shown_as} cannot be focused: omit the target to press the key where the focus is, or click it"
            )

    async def focus_painted_field(self, node: TargetNode, deadline: Deadline) -> bool:
        """Focuses the field that takes the keys for what an element paints, where no pointer reaches it: code editors
        keep it out of sight. False where there is none."""
        return bool(await self._page.ask(node.frame, "focusPaintedField", deadline, "focusing", node.number))

    async def is_plain_cell(self, node: TargetNode, deadline: Deadline) -> bool:
        """Whether an element is a cell with nothing in it that a press would work: a sheet selects cells by a press."""
        return bool(await self._page.ask(node.frame, "isPlainCell", deadline, "focusing", node.number))

    async def press(self, key: str, deadline: Deadline) -> str:
        """Presses a key or chord. Those that copy and paste use the clipboard of the session.

        Returns:
            What the caller should know; empty for nothing.

        Raises:
            UnknownKeyError: there is no such key.
        """
        chord = key_chord(key)
        if (found := clipboard_chord(chord)) is not None:
            return await self._clipboard_keys.press(*found, deadline)
        async with self._sender.sending(deadline, "pressing a key", closes=True):
            if len(chord) > 1 or is_on_keyboard(chord):
                await self._sender.keyboard.press(chord)
            else:
                await self._sender.keyboard.type(chord)
        if chord == "Escape":
            await self._free_pointer(deadline)
        return await refusal_of_enter(self._page, self._page.main_frame, deadline) if chord == "Enter" else ""

    async def _free_pointer(self, deadline: Deadline) -> None:
        """Ends a pointer lock, as the browser's own window does at the key Escape, and keys by CDP do not."""
        share = deadline.share(PRESS_SECONDS)
        for frame in self._page.frames:
            with contextlib.suppress(CdpCallError, PerceptionError):  # it is gone, or busy
                await self._page.ask(frame, "freePointer", share, "freeing the pointer")

    async def wheel(self, aim: Aim, delta_x: float, delta_y: float, deadline: Deadline) -> bool:
        """Turns the wheel over a point and waits until scrolling ends.

        Returns:
            Whether anything scrolled.
        """
        before = await self._scroll_positions(aim.point, deadline)
        point = await self._on_screen(aim.point, deadline)
        async with self._sender.sending(deadline, "scrolling"):
            await self._sender.mouse.move(point.x, point.y)
            await self._sender.mouse.wheel(point.x, point.y, delta_x, delta_y)
        patience = deadline.share(TARGET_PATIENCE_SECONDS)
        last, moved, quiet = before, False, 0
        while not patience.spent() and quiet < WHEEL_QUIET_POLLS:
            await asyncio.sleep(TARGET_POLL_SECONDS)
            now = await self._scroll_positions(aim.point, deadline)
            quiet = quiet + 1 if now == last else 0
            moved = moved or now != before
            last = now
        return moved

    async def _arrive(self, aim: Aim, deadline: Deadline) -> Point:
        """Moves the pointer onto the target, and checks that the target is still there: on hover, pages may open menus
        or unfold rows that put something else in its place."""
        if aim.node is None:
            return aim.point
        if aim.node.frame != self._page.main_frame:
            await self._wait_for_hover(aim.node, aim.point, deadline)
            return aim.point
        patience = deadline.share(TARGET_PATIENCE_SECONDS)
        while True:
            await self._move(aim.point, deadline)
            cover = await self._targets.cover_of(aim, deadline)
            if not cover:
                return aim.point
            if patience.spent():
                assert aim.facts is not None
                what = f"{aim.node.shown_as} ({named(aim.facts)})"
                raise ElementObscuredError.by(what, cover, when=" as soon as the pointer is there")
            await asyncio.sleep(TARGET_POLL_SECONDS)
            aim = await self._targets.aim_again(aim, deadline)

    async def _wait_for_hover(self, node: TargetNode, point: Point, deadline: Deadline) -> None:
        """Moves the pointer onto an element in a frame, and waits until the element is hovered: shortly after an
        out-of-process frame is painted, Chromium still sends input to the page around it."""
        await self._move(point, deadline)
        patience = deadline.share(TARGET_PATIENCE_SECONDS)
        while not await self._page.ask(node.frame, "isHovered", deadline, "moving the pointer", node.number):
            if patience.spent():
                raise NotReachableError(f"{node.shown_as} is not hovered by the pointer: its frame takes no input")
            await asyncio.sleep(TARGET_POLL_SECONDS)
            await self._move(Point(point.x + 1, point.y), deadline)
            await self._move(point, deadline)

    async def _move(self, point: Point, deadline: Deadline) -> None:
        point = await self._on_screen(point, deadline)
        async with self._sender.sending(deadline, "moving the pointer", acts=False):
            await self._sender.mouse.move(point.x, point.y)

    async def _on_screen(self, point: Point, deadline: Deadline) -> Point:
        """Where a point of the viewport is on the screen: DevTools counts from the corner of what is seen of the page,
        which only pages on a phone's screen have zoomed.

        Raises:
            CoordinateOutOfViewportError: the page is zoomed in, and the point is out of view.
        """
        screen = self._page.emulation.screen
        if screen is None or not screen.mobile:
            return point
        phase = "reading the zoom"
        left, top, width, height, _ = await self._page.ask(self._page.main_frame, "shownArea", deadline, phase)
        if not Box(left, top, left + width, top + height).contains(point):
            raise CoordinateOutOfViewportError(
                f"({point.x:g}, {point.y:g}) is out of view: the page is zoomed in, and shows {width:.0f} x "
                f"{height:.0f} CSS px from ({left:.0f}, {top:.0f}) on: use a ref, which comes into view",
                field="target.coordinate",
            )
        return Point(point.x - left, point.y - top)

    async def _scroll_positions(self, point: Point, deadline: Deadline) -> Any:
        positions = []
        for frame in self._page.frames:
            try:
                positions.append(
                    await self._page.ask(frame, "scrollPositions", deadline, "scrolling", point.x, point.y)
                )
            except CdpCallError:
                continue
        return positions
