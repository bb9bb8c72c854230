"""The mouse of one tab, over our own link: it does not wait for what other pages send to Playwright's driver.

It sends what Playwright's mouse sends (1.65, `crInput.ts`). Drags use Playwright's, which also carries what pages drag
by HTML's own drag and drop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession

_MODIFIERS = {"Alt": 1, "Control": 2, "ControlOrMeta": 2, "Meta": 4, "Shift": 8}
"""Bits of `Input.dispatchMouseEvent`. The service runs on Linux, where `ControlOrMeta` is Control."""

_BUTTONS = {"left": 1, "right": 2, "middle": 4}

_PRESSED_FORCE = 0.5


class Mouse:
    """Sends mouse events to one tab.

    Args:
        session: the tab's own DevTools session.
    """

    def __init__(self, session: CdpSession) -> None:
        self._session = session

    async def move(self, x: float, y: float) -> None:
        """Moves the pointer. CSS px of the viewport, as everywhere here."""
        await self._start("mouseMoved", x, y, button="none", buttons=0, force=0)

    async def click(
        self, x: float, y: float, *, button: str, count: int, modifiers: Collection[str] = (), hold_s: float = 0.0
    ) -> None:
        """Moves the pointer, and presses and releases a button there `count` times.

        Args:
            button: left, right or middle.
            modifiers: Playwright's names of keys that are held meanwhile.
            hold_s: how long the button stays down, of several clicks in the last one. It is released however that ends.
        """
        held = 0
        for each in modifiers:
            held |= _MODIFIERS.get(each, 0)
        sent = [self._start("mouseMoved", x, y, button="none", buttons=0, force=0, modifiers=held)]
        for number in range(1, count + 1):
            press = {"button": button, "clickCount": number, "modifiers": held}
            sent.append(self._start("mousePressed", x, y, buttons=_BUTTONS[button], force=_PRESSED_FORCE, **press))
            try:
                if hold_s and number == count:
                    await asyncio.gather(*sent)
                    await asyncio.sleep(hold_s)
            finally:
                sent.append(self._start("mouseReleased", x, y, buttons=0, **press))
        await asyncio.gather(*sent)

    async def wheel(self, x: float, y: float, delta_x: float, delta_y: float) -> None:
        """Turns the wheel. Deltas are CSS px."""
        await self._start("mouseWheel", x, y, deltaX=delta_x, deltaY=delta_y)

    def _start(self, kind: str, x: float, y: float, **more: Any) -> asyncio.Future[dict[str, Any]]:
        return self._session.start("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
