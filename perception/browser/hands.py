"""Hands: real input on one tab, sent where `targets` has aimed.

Rule: from the moment that input is sent, `budget.dispatched` is true: a repeat could act twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from playwright.async_api import Error as PlaywrightError

from perception.browser.cdp import CdpCallError, consume
from perception.browser.session import Tab
from perception.browser.targets import PATIENCE_SECONDS, POLL_SECONDS, Aim, Facts, Node, Targets, named
from perception.budget import Budget
from perception.errors import (
    BadInputError,
    DeadlineError,
    ElementObscuredError,
    NotEditableError,
    NotReachableError,
    NotTakenError,
    PageCrashedError,
    PerceptionError,
    SessionLostError,
    UnknownKeyError,
)
from perception.geometry import Point

WHEEL_QUIET_POLLS = 3
"""Polls without movement after which a scroll is over: smooth scrolling moves at every frame until it is done."""

RELEASE_SECONDS = 0.1
"""A page that is free takes a key event in 1 ms."""

DRAG_STEPS = 8
"""Moves of a drag, as many as a slow hand makes in a tenth of a second: pages count a drag from the second move on."""

MAX_TEXT_LENGTH = 1_000_000
"""Far above any form; a larger text would keep the page busy for minutes."""


class Hands:
    """Acts on one tab."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._page = tab.link
        self._targets = Targets(tab.link)
        self.cut_short = ""
        """How far input had got that was called off in the middle."""

    async def click(self, aim: Aim, *, button: str, count: int, modifiers: Sequence[str], budget: Budget) -> None:
        """Presses and releases a mouse button. `modifiers` are Playwright key names, held meanwhile."""
        point = await self._arrive(aim, budget)
        async with self._sending(budget, "clicking"):
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

    async def hover(self, aim: Aim, budget: Budget) -> None:
        """Moves the pointer there and leaves it."""
        point = await self._arrive(aim, budget)
        await self._move(point, budget)

    async def drag(self, aim: Aim, find_end: Callable[[], Awaitable[Point]], budget: Budget) -> Point:
        """Presses the left button at `aim`, moves the pointer by steps to where `find_end` says, and lets go there.

        Args:
            find_end: asked once the button is down, as pages make room for what is dragged.
        """
        start = await self._arrive(aim, budget)
        mouse = self._tab.page.mouse
        async with self._sending(budget, "dragging"):
            await mouse.move(start.x, start.y)
            await mouse.down()
        try:
            end = await find_end()
            async with self._sending(budget, "dragging"):
                # The first small steps begin the drag, where pages wait for a movement; the last ones are on the spot.
                for part in (*(step / DRAG_STEPS for step in range(1, DRAG_STEPS)), 1.0, 1.0):
                    await mouse.move(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part)
                await mouse.up()
        except BaseException:
            await self._release(mouse.up())
            raise
        return end

    async def _release(self, *releasing: Awaitable[None]) -> None:
        """Lets keys or a button go, also after the deadline, but a hung page is not waited for."""
        tasks = [asyncio.ensure_future(each) for each in releasing]
        await asyncio.wait(tasks, timeout=RELEASE_SECONDS)
        for task in tasks:
            task.add_done_callback(consume)

    async def focus(self, aim: Aim, budget: Budget) -> None:
        """Gives an element the focus, by a click as a person would."""
        await self.click(aim, button="left", count=1, modifiers=(), budget=budget)

    async def focus_node(self, node: Node, budget: Budget) -> None:
        """Gives an element the focus and does nothing else to it.

        Raises:
            NotReachableError: it takes none.
        """
        if not await self._page.ask(node.frame, "focus", budget, "focusing", node.number):
            raise NotReachableError(
                f"{node.shown_as} takes no focus: leave the target out to press the key where the focus is, or click it"
            )

    async def type_text(
        self,
        text: str,
        *,
        clear: bool,
        submit: bool,
        keystrokes: bool,
        budget: Budget,
        permit: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """Types into whatever has the focus.

        Args:
            permit: asked about the frame that has the focus, before anything is sent; raises what is raised then.

        Raises:
            NotEditableError: it takes no text.
            NotTakenError: it was to be cleared, and could not be.
        """
        frame = await self._require_editable(budget)
        if permit is not None:
            await permit(frame)
        keyboard = self._tab.page.keyboard
        sent = 0
        try:
            async with self._sending(budget, "typing"):
                if clear:
                    await keyboard.press("ControlOrMeta+A")
                    await keyboard.press("Delete")
                    if not await self._page.ask(frame, "clearFocused", budget, "clearing the field"):
                        raise NotTakenError("the field does not let go of what is in it: nothing was typed")
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
                raise budget.error(f"typing ({self.cut_short})") from exc
            raise

    async def press(self, key: str, budget: Budget) -> None:
        """Presses a key or chord.

        Raises:
            UnknownKeyError: there is no such key.
        """
        try:
            async with self._sending(budget, "pressing a key"):
                await self._tab.page.keyboard.press(key)
        except PlaywrightError as exc:
            if "Unknown key" not in str(exc):
                raise
            budget.dispatched = False
            raise UnknownKeyError(
                f"{key!r} is no key: use KeyboardEvent.key names such as Enter, ArrowDown, a or Control+A", field="key"
            ) from exc

    async def wheel(self, aim: Aim, delta_x: float, delta_y: float, budget: Budget) -> bool:
        """Turns the wheel over a point and waits until what it scrolls stands still. Says whether anything moved."""
        before = await self._scroll_positions(aim.point, budget)
        async with self._sending(budget, "scrolling"):
            await self._tab.page.mouse.move(aim.point.x, aim.point.y)
            await self._tab.page.mouse.wheel(delta_x, delta_y)
        patience = budget.share(PATIENCE_SECONDS)
        last, moved, quiet = before, False, 0
        while not patience.spent() and quiet < WHEEL_QUIET_POLLS:
            await asyncio.sleep(POLL_SECONDS)
            now = await self._scroll_positions(aim.point, budget)
            quiet = quiet + 1 if now == last else 0
            moved = moved or now != before
            last = now
        return moved

    async def _arrive(self, aim: Aim, budget: Budget) -> Point:
        """Moves the pointer onto what was aimed at, and makes sure that it is still there: what pages do when the
        pointer comes (menus that open, rows that unfold) may put something else in its place."""
        if aim.node is None:
            return aim.point
        if aim.node.frame != self._page.main_frame:
            await self._feel(aim.node, aim.point, budget)
            return aim.point
        patience = budget.share(PATIENCE_SECONDS)
        while True:
            await self._move(aim.point, budget)
            cover = await self._targets.cover_of(aim, budget)
            if not cover:
                return aim.point
            if patience.spent():
                assert aim.facts is not None
                raise ElementObscuredError(
                    f"{aim.node.shown_as} ({named(aim.facts)}) is covered by {cover} as soon as the pointer is there: "
                    "close or move that first",
                    covered_by=cover[:100],
                )
            await asyncio.sleep(POLL_SECONDS)
            aim = await self._targets.aim_at(aim.node, budget)

    async def _feel(self, node: Node, point: Point, budget: Budget) -> None:
        """Moves the pointer onto an element in a frame, and waits until it is felt there: for a moment after an
        out-of-process frame was painted, Chromium still sends input to the page around it."""
        await self._move(point, budget)
        patience = budget.share(PATIENCE_SECONDS)
        while not await self._page.ask(node.frame, "hovered", budget, "moving the pointer", node.number):
            if patience.spent():
                raise NotReachableError(f"{node.shown_as} does not feel the pointer: its frame takes no input")
            await asyncio.sleep(POLL_SECONDS)
            await self._move(Point(point.x + 1, point.y), budget)
            await self._move(point, budget)

    async def _move(self, point: Point, budget: Budget) -> None:
        async with self._sending(budget, "moving the pointer", acts=False):
            await self._tab.page.mouse.move(point.x, point.y)

    async def _require_editable(self, budget: Budget) -> str:
        """The frame that has the focus, if it is on something that takes text."""
        for frame in self._page.frames:
            try:
                text = await self._page.ask_text(frame, "active", budget, "looking for the focus")
            except CdpCallError:
                continue
            facts = msgspec.json.decode(text, type=Facts | None)
            if facts is None or facts.tag in ("iframe", "frame"):
                continue
            if facts.editable:
                return frame
            raise NotEditableError(f"the focus is on {named(facts)}, which takes no text: name a text field as target")
        raise NotEditableError("nothing that takes text has the focus: name a text field as target")

    async def _scroll_positions(self, point: Point, budget: Budget) -> Any:
        positions = []
        for frame in self._page.frames:
            try:
                positions.append(await self._page.ask(frame, "scrolls", budget, "scrolling", point.x, point.y))
            except CdpCallError:
                continue
        return positions

    @asynccontextmanager
    async def _sending(self, budget: Budget, phase: str, *, acts: bool = True) -> AsyncIterator[None]:
        """Bounds input by the budget, and turns Playwright's complaints into ours. What does not act, such as moving
        the pointer, may be repeated."""
        budget.check(phase)
        budget.dispatched = budget.dispatched or acts
        try:
            async with budget.phase(phase):
                yield
        except PlaywrightError as exc:
            if "Unknown key" in str(exc):
                raise
            if "closed" in str(exc):
                raise SessionLostError(f"the tab was closed while {phase}: select another one") from exc
            if self._page.crashed or "crash" in str(exc).lower():
                raise PageCrashedError(f"the page crashed while {phase}: open it again or close its tab") from exc
            raise PerceptionError(f"the browser refused the input while {phase}") from exc


def require_editable(facts: Facts, shown_as: str) -> None:
    """Raises NotEditableError."""
    if not facts.editable:
        if "readonly" in facts.states:
            raise NotEditableError(f"{shown_as} ({named(facts)}) is read-only: find out what on the page fills it")
        raise NotEditableError(f"{shown_as} ({named(facts)}) takes no text: name a text field as target")


def check_text(text: str) -> None:
    """Raises BadInputError for what cannot be typed."""
    if "\0" in text:
        raise BadInputError("text holds a NUL character, which cannot be typed: remove it", field="text")
    if len(text) > MAX_TEXT_LENGTH:
        raise BadInputError(f"text has {len(text)} characters, the limit is {MAX_TEXT_LENGTH}: send less", field="text")
