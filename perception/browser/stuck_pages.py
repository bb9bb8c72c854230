"""Pages of a session whose scripts cannot be ended: they are removed, and their tabs stay, as crashed ones."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.browser.page.page_link import PageLink
from perception.browser.page.recovery import Probe, escalate
from perception.browser.session_host import SessionHost
from perception.errors import SessionLostError

log = structlog.get_logger(__name__)

CLOSE_AGAIN_SECONDS = (0.5, 1.0, 3.0, 10.0, 30.0)
"""Pauses until a page that was told to close is told again. Chosen by hand."""


class StuckPages:
    """Removes the stuck pages of one session.

    Args:
        recycle: replaces the session's context by a new one.
        is_users: the browser is the user's own: what hangs there is for the user to close.
    """

    def __init__(self, host: SessionHost, recycle: Callable[[], Awaitable[None]], *, is_users: bool) -> None:
        self._host = host
        self._recycle = recycle
        self._is_users = is_users

    def hear(self, link: PageLink, session: CdpSession, probe: Probe) -> None:
        """A page is stuck, or the frame of a session of its own; the probe waits for it."""
        self._host.keep(asyncio.create_task(self._recover(link, session, probe), name="recover"))

    async def _recover(self, link: PageLink, session: CdpSession, probe: Probe) -> None:
        async def close() -> None:
            close_target(self._host, link)

        async def crash() -> None:
            session.start("Page.crash").add_done_callback(consume)  # the command never answers

        if self._is_users:
            return
        if session is link.session:
            await escalate(
                probe, (("close", close), ("crash", crash), ("recycle", self._recycle), ("restart", self._host.kill))
            )
        else:
            await escalate(probe, (("crash", crash), ("close", close)))


def close_target(host: SessionHost, link: PageLink) -> asyncio.Future[dict[str, Any]]:
    """Closes a tab's page. Returns the browser's answer, which nobody has to wait for."""
    browser = host.link.session()
    answer = browser.start("Target.closeTarget", targetId=link.target_id)
    answer.add_done_callback(consume)
    host.keep(asyncio.create_task(_close_until_gone(browser, link.target_id), name="close-target"))
    return answer


async def _close_until_gone(browser: CdpSession, target_id: str) -> None:
    """A page that is being replaced by the next document of its tab may not hear that it is to close (Chromium 156):
    it is told again."""
    with contextlib.suppress(CdpCallError, SessionLostError):  # the target is gone, or the browser
        for pause_s in CLOSE_AGAIN_SECONDS:
            await asyncio.sleep(pause_s)
            await browser.start("Target.getTargetInfo", targetId=target_id)
            await browser.start("Target.closeTarget", targetId=target_id)
        log.warning("a page does not close")
