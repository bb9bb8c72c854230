"""Real input on one tab: mouse, keyboard and wheel, sent to where `aiming` has aimed.

Rule: once input is sent, `deadline.dispatched` is true: a repeated call could act twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from playwright.async_api import Error as PlaywrightError

from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.browser.input.aiming import (
    TARGET_PATIENCE_SECONDS,
    TARGET_POLL_SECONDS,
    Aim,
    TargetFacts,
    TargetNode,
    Targets,
    named,
)
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    DeadlineError,
    ElementObscuredError,
    InputIgnoredError,
    NotEditableError,
    NotReachableError,
    PageCrashedError,
    PerceptionError,
    SessionLostError,
    UnknownKeyError,
)
from perception.geometry import Point

WHEEL_QUIET_POLLS = 3
"""Polls without movement after which a scroll has ended: smooth scrolling moves in each frame until then. Chosen by
hand."""

RELEASE_SECONDS = 0.1
"""Limit for releasing a key or button; a free page takes a key event in 1 ms. Chosen by hand."""

DRAG_STEPS = 8
"""Moves of a drag: as many as a slow hand makes in 0.1 s. Pages detect a drag from the second move on."""

MAX_TEXT_LENGTH = 1_000_000
"""Characters; far above any form, and a larger text would keep the page busy for minutes. Chosen by hand."""


class InputDispatcher:
    """Sends input to one tab.

    Attributes:
        cut_short: how far typing had got when it was cancelled; empty otherwise.
    """

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._page = tab.link
        self._targets = Targets(tab.link)
        self.cut_short = ""

    async def click(self, aim: Aim, *, button: str, count: int, modifiers: Sequence[str], deadline: Deadline) -> None:
        """Presses and releases a mouse button.

        Args:
            modifiers: Playwright names of keys that are held meanwhile.
        """
        point = await self._arrive(aim, deadline)
        async with self._sending(deadline, "clicking"):
            try:
                for key in modifiers:
                    await self._tab.page.keyboard.down(key)
                await self._tab.page.mouse.click(
                    point.x,
                    point.y,
                    button=button,  # type: ignore[arg-type]  # one of Playwright's literals, from the wire's enum
                    click_count=count,
                )
            finally:
                if modifiers:
                    await self._release(*(self._tab.page.keyboard.up(key) for key in modifiers))

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
        start = await self._arrive(aim, deadline)
        mouse = self._tab.page.mouse
        async with self._sending(deadline, "dragging"):
            await mouse.move(start.x, start.y)
            await mouse.down()
        try:
            end = await find_end()
            async with self._sending(deadline, "dragging"):
                # The first small steps begin the drag in pages that wait for movement; the last two are at the end.
                for part in (*(step / DRAG_STEPS for step in range(1, DRAG_STEPS)), 1.0, 1.0):
                    await mouse.move(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)
                await mouse.up()
        except BaseException:
            await self._release(mouse.up())
            raise
        return end

    async def _release(self, *releasing: Awaitable[None]) -> None:
        """Releases keys or a button, after the deadline, too; does not wait for a hung page."""
        tasks = [asyncio.ensure_future(each) for each in releasing]
        await asyncio.wait(tasks, timeout=RELEASE_SECONDS)
        for task in tasks:
            task.add_done_callback(consume)

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

    async def type_text(
        self,
        text: str,
        *,
        clear: bool,
        submit: bool,
        keystrokes: bool,
        deadline: Deadline,
        permit: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """Types into the focused element.

        Args:
            clear: empties the field first.
            submit: presses Enter at the end.
            keystrokes: sends a key event for each character, and not the text at once.
            permit: called with the frame that has the focus, before anything is sent; its exception ends the call.

        Raises:
            NotEditableError: it takes no text.
            InputIgnoredError: the field could not be cleared.
        """
        frame = await self._require_editable(deadline)
        if permit is not None:
            await permit(frame)
        keyboard = self._tab.page.keyboard
        sent = 0
        try:
            async with self._sending(deadline, "typing"):
                if clear:
                    await keyboard.press("ControlOrMeta+A")
                    await keyboard.press("Delete")
                    if not await self._page.ask(frame, "clearFocused", deadline, "clearing the field"):
                        raise InputIgnoredError("the field could not be cleared: nothing was typed")
                if keystrokes:
                    for character in text:
                        await keyboard.type(character)
                        sent += 1
                elif text:
                    await keyboard.insert_text(text)
                    sent = len(text)
                if submit:
                    await keyboard.press("Enter")
        except (DeadlineError, asyncio.CancelledError) as exc:
            self.cut_short = f"{sent} of {len(text)} characters had been typed" + (", without Enter" if submit else "")
            if isinstance(exc, DeadlineError):
                raise deadline.error(f"typing ({self.cut_short})") from exc
            raise

    async def press(self, key: str, deadline: Deadline) -> None:
        """Presses a key or chord.

        Raises:
            UnknownKeyError: there is no such key.
        """
        dispatched_before = deadline.dispatched
        try:
            async with self._sending(deadline, "pressing a key"):
                await self._tab.page.keyboard.press(key)
        except PlaywrightError as exc:
            if "Unknown key" not in str(exc):
                raise
            deadline.dispatched = dispatched_before
            raise UnknownKeyError(
                f"{key!r} is no key: use KeyboardEvent.key names such as Enter, ArrowDown, a or Control+A", field="key"
            ) from exc

    async def wheel(self, aim: Aim, delta_x: float, delta_y: float, deadline: Deadline) -> bool:
        """Turns the wheel over a point and waits until scrolling ends.

        Returns:
            Whether anything scrolled.
        """
        before = await self._scroll_positions(aim.point, deadline)
        async with self._sending(deadline, "scrolling"):
            await self._tab.page.mouse.move(aim.point.x, aim.point.y)
            await self._tab.page.mouse.wheel(delta_x, delta_y)
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
            aim = await self._targets.aim_at(aim.node, deadline)

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
        async with self._sending(deadline, "moving the pointer", acts=False):
            await self._tab.page.mouse.move(point.x, point.y)

    async def _require_editable(self, deadline: Deadline) -> str:
        """The frame that has the focus. Raises NotEditableError where the focused element takes no text."""
        for frame in self._page.frames:
            try:
                text = await self._page.ask_text(frame, "focusedFacts", deadline, "looking for the focus")
            except CdpCallError:
                continue
            facts = msgspec.json.decode(text, type=TargetFacts | None)
            if facts is None or facts.tag in ("iframe", "frame"):
                continue
            if facts.editable:
                return frame
            raise NotEditableError(f"the focus is on {named(facts)}, which takes no text: name a text field as target")
        raise NotEditableError("nothing that takes text has the focus: name a text field as target")

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

    @asynccontextmanager
    async def _sending(self, deadline: Deadline, phase: str, *, acts: bool = True) -> AsyncIterator[None]:
        """Bounds input by the deadline, and converts Playwright's errors.

        Args:
            acts: False for input that may be repeated, such as moving the pointer.
        """
        deadline.check(phase)
        deadline.dispatched = deadline.dispatched or acts
        self._page.requests.note_input()
        try:
            async with deadline.phase(phase):
                yield
        except PlaywrightError as exc:
            if "Unknown key" in str(exc):
                raise
            if "closed" in str(exc):
                raise SessionLostError(f"the tab was closed while {phase}: select another one") from exc
            if self._page.crashed or "crash" in str(exc).lower():
                raise PageCrashedError(f"the page crashed while {phase}: open it again or close its tab") from exc
            raise PerceptionError(f"the browser refused the input while {phase}") from exc


def require_editable(facts: TargetFacts, shown_as: str) -> None:
    """Raises NotEditableError for an element that takes no text."""
    if not facts.editable:
        if "readonly" in facts.states:
            raise NotEditableError(f"{shown_as} ({named(facts)}) is read-only: find what on the page fills it")
        raise NotEditableError(f"{shown_as} ({named(facts)}) takes no text: name a text field as target")


def check_text(text: str) -> None:
    """Raises BadInputError for what cannot be typed."""
    if "\0" in text:
        raise BadInputError("text holds a NUL character, which cannot be typed: remove it", field="text")
    if len(text) > MAX_TEXT_LENGTH:
        raise BadInputError(f"text has {len(text)} characters, the limit is {MAX_TEXT_LENGTH}: send less", field="text")
