"""Telling a session that its page is slowed for the sake of others."""

from __future__ import annotations

import contextlib

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.server.sessions.session import Session

ASKING_SECONDS = 1.0
"""How long an answer waits for a slowed page. Chosen by hand."""

SLOWED = (
    "the page sends more events (console messages, requests, frames, errors) than a shared browser can take and is "
    "slowed: use a session with dedicated_browser for it"
)


async def slowing_notes(session: Session, tab: Tab, deadline: Deadline) -> tuple[str, ...]:
    """What an answer about a tab says where its page is slowed; empty where it is not, or where a dialog opened: the
    answer is there already, and the next call tells of the dialog."""
    with contextlib.suppress(PerceptionError, CdpCallError):
        async with tab.link.dialogs.interrupting():
            if await session.host.slows(tab.link, deadline.share(ASKING_SECONDS)):
                return (SLOWED,)
    return ()
