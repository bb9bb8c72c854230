"""Pages that flood a shared browser: sessions are told that theirs is slowed for the sake of others, and where slowing
does not hold a page, its scripts are halted. Answers say so, and where a page's script had to be ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

import structlog

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.instrumentation.metrics import PAGES_HALTED
from perception.server.sessions.session import Session

log = structlog.get_logger(__name__)

CHECK_SECONDS = 1.0
"""How often it is asked whether there is a page that slowing does not hold, which takes no time. Chosen by hand."""

HALTING_SECONDS = 15.0
"""How long a page that has a fiftieth of a processor may take to say which process it has. Chosen by hand."""

ASKING_SECONDS = 1.0
"""How long an answer waits for a slowed page. Chosen by hand."""

SLOWED = (
    "the page sends more events (console messages, requests, frames, errors) than a shared browser can take and is "
    "slowed: use a session with dedicated_browser for it"
)

HALTED = (
    "the page flooded the shared browser for more than 10 s, slowed as it was, and its scripts are halted: what it "
    "shows can be read, and does not change; Reload or Navigate lets scripts run again, and a session with "
    "dedicated_browser may flood"
)

ENDED = (
    "a script of the page did not end and was ended, since its tab was needed: it may have done a part of its work, so "
    "check what the page shows"
)


async def halt_floods(sessions: Callable[[], Sequence[Session]]) -> None:
    """Halts the scripts of pages that slowing does not hold, while the service runs."""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        for session in sessions():
            for tab in session.browser.tabs:
                with contextlib.suppress(PerceptionError, CdpCallError):
                    await _halt_flood(session, tab, Deadline.of(HALTING_SECONDS))


async def _halt_flood(session: Session, tab: Tab, deadline: Deadline) -> None:
    if not await session.host.cannot_hold(tab.link, deadline) or tab.link.halted.is_on:
        return
    await tab.link.halted.begin(deadline)
    PAGES_HALTED.inc()
    log.warning("page floods its browser, slowed as it is: its scripts are halted", session=session.session_id)


async def slowing_notes(session: Session, tab: Tab, deadline: Deadline) -> tuple[str, ...]:
    """What an answer about a tab says where its page is slowed or halted, or a script of it was ended. Where a dialog
    opened, nothing of slowness: the answer is there already, and the next call tells of the dialog."""
    ended = (ENDED,) if tab.link.watchdog.take_ended() else ()
    if tab.link.halted.is_on:
        return (*ended, HALTED)
    with contextlib.suppress(PerceptionError, CdpCallError):
        async with tab.link.dialogs.interrupting():
            if await session.host.slows(tab.link, deadline.share(ASKING_SECONDS)):
                return (*ended, SLOWED)
    return ended
