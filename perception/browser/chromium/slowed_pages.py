"""Which pages are slowed: the flood guard knows processes, sessions know pages."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.chromium.flood_guard import FloodGuard
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline


class SlowedPages:
    """Of one browser. Asks a page once for each set of its documents and of slowed processes."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[PageLink, tuple[object, bool]] = WeakKeyDictionary()

    def may_have(self, page: PageLink, guard: FloodGuard) -> bool:
        """As `has`, without asking the page: False where it is known not to be slowed."""
        slowed = guard.slowed
        known = self._known.get(page)
        return bool(slowed) and (known is None or known[0] != (page.loaders, slowed) or known[1])

    async def has(self, page: PageLink, guard: FloodGuard, deadline: Deadline) -> bool:
        """Whether a process of the page is slowed noticeably: the page's own, or that of a frame of it.

        Raises:
            CdpCallError, DeadlineError, PageCrashedError, SessionLostError
        """
        slowed = guard.slowed
        if not slowed:
            return False
        asked = (page.loaders, slowed)
        known = self._known.get(page)
        if known is None or known[0] != asked:
            known = self._known[page] = (asked, bool(slowed & await _processes(page, guard, deadline)))
        return known[1]

    async def is_unheld(self, page: PageLink, guard: FloodGuard, deadline: Deadline) -> bool:
        """Whether slowing does not hold a process of the page. Raises as `has`."""
        return bool(guard.unheld) and bool(guard.unheld & await _processes(page, guard, deadline, surely=True))


async def _processes(page: PageLink, guard: FloodGuard, deadline: Deadline, *, surely: bool = False) -> set[int]:
    """The page's processes, by pid: its own, and those of its frames; 0 for one that is not known."""
    sessions = {each.session_id: each for each in map(page.session_of, page.frames)}.values()
    spent = await asyncio.gather(*(_main_thread_s(each, deadline) for each in sessions))
    return {guard.process_of(each, surely=surely) for each in spent}


async def _main_thread_s(session: CdpSession, deadline: Deadline) -> float:
    """Processor time of the main thread of a target's process, s."""
    reply = await session.call("Performance.getMetrics", deadline, "asking for its processor time")
    return float({each["name"]: each["value"] for each in reply["metrics"]}.get("ThreadTime", 0.0))
