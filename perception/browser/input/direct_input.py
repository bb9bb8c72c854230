"""Input as a person gives it: single events of mouse, keys, wheel and fingers, sent to one tab in their order.

Rule 1: an event is on its way when `send` returns; its future is done when the page has it. So a click does not wait
for the moves before it. Only what may be a drag does (`html_drag`).
Rule 2: what a person types is in no log and in no error.
Rule 3: what is down is known, so that `lift_all` can release it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from perception.browser.input.clipboard_keys import ClipboardKeys, held_clipboard_action
from perception.browser.input.html_drag import HtmlDrag
from perception.browser.input.key_events import KeyEvent, key_command
from perception.browser.input.sending import InputSender
from perception.browser.page.page_link import PageLink
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.errors import BadInputError, CoordinateOutOfViewportError, DeadlineError, TouchDisabledError
from perception.geometry import Point

BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}
"""Bits of `buttons` in `Input.dispatchMouseEvent`."""

ZOOM_SECONDS = 0.5
"""How long a page on a phone's screen may take to say how it is zoomed; else the last answer counts. Chosen by hand."""

_PRESSED_FORCE = 0.5


class Press(Enum):
    """What happens to a button."""

    MOVE = "mouseMoved"
    DOWN = "mousePressed"
    UP = "mouseReleased"


class Finger(Enum):
    """What happens to the fingers on a screen."""

    START = "touchStart"
    MOVE = "touchMove"
    END = "touchEnd"
    CANCEL = "touchCancel"


@dataclass(frozen=True, slots=True)
class MouseEvent:
    """The mouse. `point` in CSS px of the viewport; `modifiers` are bits of `Input.dispatchMouseEvent`."""

    press: Press
    point: Point
    button: str = "left"
    count: int = 1
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class WheelEvent:
    """The wheel over a point. Deltas in CSS px."""

    point: Point
    delta_x: float
    delta_y: float
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class TouchEvent:
    """Fingers: `fingers` are all that are on the screen after the event, by id."""

    finger: Finger
    fingers: tuple[tuple[int, Point], ...]


@dataclass(frozen=True, slots=True, repr=False)
class PasteEvent:
    """Text that is pasted."""

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class TextEvent:
    """Text of an input method."""

    text: str


InputEvent: TypeAlias = MouseEvent | KeyEvent | WheelEvent | TouchEvent | PasteEvent | TextEvent


class DirectInput:
    """Input of one person to one tab."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._clipboard_keys = ClipboardKeys(tab.link, InputSender(tab), tab.clipboard)
        self._drag = HtmlDrag(tab.link.session)
        self._buttons: list[str] = []
        self._keys: dict[str, KeyEvent] = {}
        self._fingers: tuple[tuple[int, Point], ...] = ()
        self._point = Point(0, 0)
        self._corner = Point(0, 0)

    @property
    def is_holding(self) -> bool:
        """A button, a key or a finger is down."""
        return bool(self._buttons or self._keys or self._fingers)

    @property
    def _button_bits(self) -> int:
        return sum(BUTTON_BITS[each] for each in self._buttons)

    @property
    def _page(self) -> PageLink:
        return self._tab.link

    async def send(self, event: InputEvent, deadline: Deadline) -> asyncio.Future[dict[str, Any]]:
        """Sends an event.

        Returns:
            Done when the page has it; fails with CdpCallError, PageCrashedError or SessionLostError.

        Raises:
            DialogOpenError, PageCrashedError: the page takes no input.
            CoordinateOutOfViewportError: a press outside of the viewport.
            TouchDisabledError: the screen takes no touches.
            BadInputError: a key that no page knows.
            DeadlineError
        """
        self._page.require_page()
        self._page.dialogs.check()
        self._page.note_input()
        match event:
            case MouseEvent():
                return await self._mouse(event, deadline)
            case WheelEvent():
                at = await self._on_screen(event.point, deadline)
                return self._start_mouse(
                    "mouseWheel", at, deltaX=event.delta_x, deltaY=event.delta_y, modifiers=event.modifiers
                )
            case TouchEvent():
                return await self._touch(event, deadline)
            case KeyEvent():
                return await self._key(event, deadline)
            case PasteEvent():
                await self._clipboard_keys.paste(event.text, deadline)
                return _done()
            case TextEvent():
                return self._page.session.start("Input.insertText", text=event.text)

    async def lift_all(self) -> None:
        """Releases all that is down. Does not wait for a page that hangs."""
        sent = [self._drag.cancel()] if self._drag.is_on else []
        self._drag.end()
        for button in reversed(self._buttons):
            sent.append(self._start_mouse("mouseReleased", self._point, button=button, buttons=0, clickCount=1))
        for key in reversed(self._keys.values()):
            sent.append(self._page.session.start("Input.dispatchKeyEvent", **key_command(key.released)))
        if self._fingers:
            sent.append(self._page.session.start("Input.dispatchTouchEvent", type="touchCancel", touchPoints=[]))
        self._buttons, self._keys, self._fingers = [], {}, ()
        if sent:
            await InputSender(self._tab).release(*(_ended(each) for each in sent))

    async def _mouse(self, event: MouseEvent, deadline: Deadline) -> asyncio.Future[dict[str, Any]]:
        point, held = event.point, [each for each in self._buttons if each != event.button]
        if event.press is Press.DOWN:
            self._require_in_view(point)
            held.append(event.button)
        elif event.press is Press.MOVE:
            held = self._buttons
        at = self._point = await self._on_screen(point, deadline)
        self._buttons = held
        if event.press is Press.MOVE:
            return await self._move(event, at, deadline)
        if event.button == "left":
            if event.press is Press.DOWN:
                self._drag.press(at)
            elif self._drag.is_on:
                return self._drag.drop(at, event.modifiers)
            else:
                self._drag.end()
        return self._start_mouse(
            event.press.value,
            at,
            button=event.button,
            buttons=self._button_bits,
            clickCount=event.count,
            force=_PRESSED_FORCE if event.press is Press.DOWN else 0,
            modifiers=event.modifiers,
        )

    async def _move(self, event: MouseEvent, at: Point, deadline: Deadline) -> asyncio.Future[dict[str, Any]]:
        if self._drag.is_on:
            return await self._drag.move(at, event.modifiers, deadline)
        held = self._buttons
        moved = self._start_mouse(
            "mouseMoved",
            at,
            button=held[-1] if held else "none",
            buttons=self._button_bits,
            force=_PRESSED_FORCE if held else 0,
            modifiers=event.modifiers,
        )
        await self._drag.begin(moved, at, event.modifiers, deadline)
        return moved

    def _start_mouse(self, kind: str, at: Point, **more: Any) -> asyncio.Future[dict[str, Any]]:
        return self._page.session.start("Input.dispatchMouseEvent", type=kind, x=at.x, y=at.y, **more)

    async def _touch(self, event: TouchEvent, deadline: Deadline) -> asyncio.Future[dict[str, Any]]:
        screen = self._page.emulation.screen
        if screen is None or not screen.touch:
            raise TouchDisabledError("the screen of this session takes no touches: send MouseInput")
        fingers = [(number, await self._on_screen(point, deadline)) for number, point in event.fingers]
        self._fingers = tuple(fingers)
        # With fingers left, DevTools lifts those that the next event leaves out.
        kind = Finger.MOVE if event.finger is Finger.END and fingers else event.finger
        points = [{"x": point.x, "y": point.y, "id": number} for number, point in fingers]
        return self._page.session.start("Input.dispatchTouchEvent", type=kind.value, touchPoints=points)

    async def _key(self, event: KeyEvent, deadline: Deadline) -> asyncio.Future[dict[str, Any]]:
        command = key_command(event)
        if event.key == "Escape" and event.is_down and self._drag.is_on:
            return self._drag.cancel()
        if event.is_down:
            self._keys[event.code or event.key] = event
            if (action := held_clipboard_action(event.key, event.modifiers)) is not None:
                await self._clipboard_keys.press_held(action, command, deadline)
                return _done()
        else:
            self._keys.pop(event.code or event.key, None)
        return self._page.session.start("Input.dispatchKeyEvent", **command)

    def _require_in_view(self, point: Point) -> None:
        screen = self._page.emulation.screen
        if screen is None or screen.mobile:  # a page on a phone's screen may be wider than that
            return
        width, height = screen.viewport.width, screen.viewport.height
        if not (0 <= point.x < width and 0 <= point.y < height):
            raise CoordinateOutOfViewportError(
                f"({point.x:g}, {point.y:g}) is outside of the viewport of {width} x {height} CSS px: nothing is "
                "pressed there"
            )

    async def _on_screen(self, point: Point, deadline: Deadline) -> Point:
        """Where a point of the viewport is on the screen, as of `InputDispatcher`."""
        screen = self._page.emulation.screen
        if screen is None or not screen.mobile:
            return point
        try:
            left, top, *_ = await self._page.ask(
                self._page.main_frame, "shownArea", deadline.share(ZOOM_SECONDS), "reading the zoom"
            )
            self._corner = Point(left, top)
        except DeadlineError:
            deadline.check("reading the zoom")
        return Point(point.x - self._corner.x, point.y - self._corner.y)


def require_text(text: str, limit: int, field: str) -> str:
    """Raises BadInputError for a text that is empty or too long; it is not in the message."""
    if not 0 < len(text) <= limit:
        raise BadInputError(f"{field} has {len(text)} characters: give 1 to {limit}", field=field)
    return text


def _done() -> asyncio.Future[dict[str, Any]]:
    future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    future.set_result({})
    return future


async def _ended(future: asyncio.Future[dict[str, Any]]) -> None:
    await future
