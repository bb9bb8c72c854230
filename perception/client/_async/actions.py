"""The actions of a page that are their requests.

Made from proto/ by .ci/client_methods.py. Not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Unpack

from perception.client._async.session import AsyncSession
from perception.client.fields import (
    ActionFields,
    Modifier,
    MouseButton,
    TextPosition,
)
from perception.client.message_fields import TargetLike
from perception.v1 import action_service_pb2 as action_pb


class AsyncActions(AsyncSession):
    """A session whose pages are acted on with real input."""

    async def click(
        self,
        target: TargetLike,
        *,
        click_count: int | None = None,
        button: MouseButton | None = None,
        modifiers: Sequence[Modifier] = (),
        checked: bool | None = None,
        hold: float | timedelta | None = None,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Clicks a target, or makes a checkbox, radio button or switch checked.

        Args:
            target: A ref, role and name, selector, point, or element.
            click_count: 2 for a double click; 1 when 0.
            button: `left`, `right`, `middle`; `left` when None.
            modifiers: `alt`, `control`, `meta`, `shift`.
            checked: for a checkbox, radio, switch or toggle button: the required state. It is clicked only if its state
                differs, and checked afterwards.
            hold: Seconds. How long the button stays down, of several clicks in the last one; at most 10 s. A short
                press when absent.
        """
        return await self._act(
            "Click",
            {
                "target": target,
                "click_count": click_count,
                "button": button,
                "modifiers": modifiers,
                "checked": checked,
                "hold": hold,
            },
            timeout_s,
            action,
        )

    async def tap(
        self,
        target: TargetLike,
        *,
        hold: float | timedelta | None = None,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Touches a target with one finger, in a session with `touch`.

        Args:
            target: A ref, role and name, selector, point, or element.
            hold: Seconds. How long the finger stays, at most 10 s: about half a second and more is a long press. A
                short touch when absent.
        """
        return await self._act("Tap", {"target": target, "hold": hold}, timeout_s, action)

    async def hover(
        self, target: TargetLike, *, timeout_s: float | None = None, **action: Unpack[ActionFields]
    ) -> action_pb.ActionResult:
        """Moves the pointer over a target.

        Args:
            target: A ref, role and name, selector, point, or element.
        """
        return await self._act("Hover", {"target": target}, timeout_s, action)

    async def drag(
        self, start: TargetLike, end: TargetLike, *, timeout_s: float | None = None, **action: Unpack[ActionFields]
    ) -> action_pb.ActionResult:
        """Drags from one target to another.

        Args:
            start: A ref, role and name, selector, point, or element.
            end: A ref, role and name, selector, point, or element.
        """
        return await self._act("Drag", {"from": start, "to": end}, timeout_s, action)

    async def type_text(
        self,
        target: TargetLike | None,
        text: str = "",
        *,
        secret: str | None = None,
        clear: bool = False,
        submit: bool = False,
        keystrokes: bool = False,
        position: TextPosition | None = None,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Types into a field, or where the focus is without a target.

        Args:
            target: A ref, role and name, selector, point, or element. The focused element when absent.
            secret: instead of `text`: the name of a secret that the service keeps (`perception serve --secrets`). No
                answer ever shows its value.
            clear: replaces the existing content.
            submit: presses Enter afterwards.
            keystrokes: key events for all characters, also line ends and tabs. Without it keys type the last line, of a
                long one the last 500 characters; what comes before is inserted at once, as pasted text is. With it,
                text also goes to what has the focus and is no text field, such as a sheet of cells.
            position: `end`, `start`, `caret`. Where in the existing text the input goes.
        """
        return await self._act(
            "TypeText",
            {
                "target": target,
                "text": text,
                "secret": secret,
                "clear": clear,
                "submit": submit,
                "keystrokes": keystrokes,
                "position": position,
            },
            timeout_s,
            action,
        )

    async def press(
        self,
        key: str,
        target: TargetLike | None = None,
        *,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Presses a key on a target, or where the focus is.

        Args:
            key: A key or chord by KeyboardEvent.key names: `Enter`, `Control+A`, `é`. In any case; usual other names
                are taken, such as `Ctrl`, `Cmd` (the command key of the system: Control, on a Mac Meta), `Esc`,
                `Return`, `Del`, `PgDn`, `Up`.
            target: A ref, role and name, selector, point, or element. Focused first, when given.
        """
        return await self._act("PressKey", {"key": key, "target": target}, timeout_s, action)

    async def select(
        self, target: TargetLike, *options: str, timeout_s: float | None = None, **action: Unpack[ActionFields]
    ) -> action_pb.ActionResult:
        """Selects options of a list by label or value.

        Args:
            target: A ref, role and name, selector, point, or element.
            options: by label or value; several for a multiple select, whose other choices are deselected.
        """
        return await self._act("SelectOption", {"target": target, "options": options}, timeout_s, action)

    async def scroll(
        self,
        delta_y: float = 0,
        delta_x: float = 0,
        target: TargetLike | None = None,
        *,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Turns the wheel, or brings the target into view where there is no delta.

        Args:
            delta_x: CSS pixels; positive scrolls right and down.
            target: A ref, role and name, selector, point, or element. Where the wheel turns, or what is scrolled into
                view if there is no delta. The middle of the viewport when absent.
        """
        return await self._act("Scroll", {"delta_y": delta_y, "delta_x": delta_x, "target": target}, timeout_s, action)
