"""One finger on the screen of one tab, over our own link, as Playwright's touchscreen (1.65) sends it."""

from __future__ import annotations

import asyncio

from perception.browser.cdp.cdp_link import CdpSession, consume


class Touchscreen:
    """Sends touches to one tab.

    Args:
        session: the tab's own DevTools session.
    """

    def __init__(self, session: CdpSession) -> None:
        self._session = session

    async def tap(self, x: float, y: float, hold_s: float) -> None:
        """Touches a point and lets go. CSS px of the viewport, as everywhere here.

        Args:
            hold_s: seconds in between.
        """
        down = self._session.start("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        try:
            if hold_s:
                await down
                await asyncio.sleep(hold_s)
        except asyncio.CancelledError:
            self._lift("touchCancel").add_done_callback(consume)
            raise
        await asyncio.gather(down, self._lift("touchEnd"))

    def _lift(self, kind: str) -> asyncio.Future[dict[str, object]]:
        return self._session.start("Input.dispatchTouchEvent", type=kind, touchPoints=[])
