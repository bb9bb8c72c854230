"""Pages of a session whose scripts cannot be ended: they are removed, and their tabs stay, as crashed ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.browser.page.page_link import PageLink
from perception.browser.page.recovery import Probe, escalate
from perception.browser.session_host import SessionHost


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


def close_target(host: SessionHost, link: PageLink) -> None:
    """Closes a tab's page without waiting for it."""
    host.link.session().start("Target.closeTarget", targetId=link.target_id).add_done_callback(consume)
