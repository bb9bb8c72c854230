"""Looks at a session's tabs while its client thinks, so that the client's next look finds one that is still true.

Rule 1: whoever uses a tab comes first: `give_way` ends all work on it before the call begins.
Rule 2: a page that does not rest is not looked at, and one that goes on changing not more than MAX_LOOKS times.
Rule 3: every look that was due has one outcome, which is counted once.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.capture.probe import pending_of, probe_rest
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.page.awaited import QUIET_SECONDS
from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.engine.cache import lists_same
from perception.engine.look_ahead import LookAhead, options_ahead
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions
from perception.engine.snapshot import EngineContext
from perception.errors import PerceptionError
from perception.instrumentation.metrics import LOOK_AHEAD
from perception.render.untrusted import Fence
from perception.server.sessions.look_habit import LookHabit
from perception.server.sessions.recorders import Recorders
from perception.server.sessions.shown import Shown
from perception.server.sessions.spare_time import SpareTime
from perception.types import Mode

WAITS = (0.05, 0.1, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 5.0, 5.0)
"""Seconds between checks of a tab after a call. A program calls again within the first; a model thinks for seconds."""

MAX_LOOKS = 3
"""Looks after one call, where the page changes after each."""

LOOK_SECONDS = 10.0
"""Limit of one look: a full one with vision takes 2 s on a slow machine."""

LARGE_PAGE = 2000
"""Elements of a page whose look keeps the service's one loop busy for longer than other sessions' calls may wait: 0.1 s
and more. It is looked at ahead only where there are no others."""

CHECK_SECONDS = 2.0
"""Limit of a check, which takes milliseconds unless the page hangs."""


class Outcome(Enum):
    """What became of a look that was due."""

    USED = "used"
    STALE = "stale"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


@dataclass(slots=True)
class _TabWork:
    """What is done for one tab.

    Attributes:
        watching: checks the tab, and looks when that is due; None while the tab is in use.
        look: the last look, until it is known what became of it.
        loader: the document that it is of.
        is_due: a look is due, and has not begun.
        has_acted: there was an action since the client's last look.
        elements: of the client's last look.
        at_rest: set when a check finds nothing to do, and when no more checks are made.
    """

    watching: asyncio.Task[None] | None = None
    look: LookAhead | None = None
    loader: str = ""
    is_due: bool = False
    has_acted: bool = False
    elements: int = 0
    at_rest: asyncio.Event = field(default_factory=asyncio.Event)


class Looked(Protocol):
    """What a session has that looks at its tabs need; see `Session`."""

    browser: BrowserSession
    host: BrowserHost
    shown: Shown
    recorders: Recorders
    principal: str
    fence: Fence

    async def permit_look(self, tab: Tab, deadline: Deadline) -> None: ...


@dataclass(slots=True)
class LookAheadSupport:
    """What looks ahead of all sessions work with.

    Attributes:
        spare: tells when there is time, and whose turn it is in a browser.
        pool: detectors.
        finish: called with the fence of the session and each look that is done, to write its answer.
        sessions: how many there are.
        usual: how the clients of a principal look after their actions: what their new sessions begin with.
    """

    spare: SpareTime
    pool: DetectorPool
    finish: Callable[[Fence, PresentedSnapshot], object]
    sessions: Callable[[], int]
    usual: dict[str, SnapshotOptions] = field(default_factory=dict)


class LooksAhead:
    """Looks ahead of one session's calls. `support` is None where they are switched off."""

    def __init__(self, session: Looked, support: LookAheadSupport | None) -> None:
        self._session = session
        self._support = support
        usual = support.usual.get(session.principal) if support is not None else None
        self._habit = LookHabit(usual, is_on=usual is not None)
        self._of_tab: dict[str, _TabWork] = {}
        self._is_paused = False

    async def pause(self) -> None:
        """Ends all work, and begins none until `unpause`: a person uses the tabs."""
        self._is_paused = True
        for tab_id in list(self._of_tab):
            await self.give_way(tab_id, to_look=False)

    def unpause(self) -> None:
        """What was seen before is of no use any more. Watches the tabs again that it has watched."""
        self._is_paused = False
        for tab_id in list(self._of_tab):
            self.note_action(tab_id)
            self.resume(tab_id)

    def look_of(self, tab_id: str) -> LookAhead | None:
        """The look at a tab that may be served, or is under way."""
        work = self._of_tab.get(tab_id)
        return work.look if work is not None else None

    async def give_way(self, tab_id: str, *, to_look: bool) -> None:
        """Ends what is done for a tab, before a call uses it. The call holds the tab's lock.

        Args:
            to_look: the call is a look: it may take over the one that is under way.
        """
        work = self._of_tab.get(tab_id)
        if work is None:
            return
        if work.watching is not None:
            watching, work.watching = work.watching, None
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        if work.is_due:
            work.is_due = False
            _count(Outcome.SKIPPED)
            if not to_look:
                self._note_unused()
        if work.look is not None and not work.look.is_done and not to_look:
            await work.look.cancel()
            work.look = None
            self._note_unused()
            _count(Outcome.CANCELLED)

    def resume(self, tab_id: str) -> None:
        """Begins to watch a tab that a call has used. Does nothing where looks ahead do not pay."""
        if self._support is None or self._habit.wants is None or self._is_paused:
            return
        work = self._of_tab.setdefault(tab_id, _TabWork())
        work.at_rest.clear()
        # Nothing of the call is the watch's own: neither its span nor its deadline.
        watch = self._watch(tab_id, work, self._support)
        work.watching = asyncio.create_task(watch, name="watch-ahead", context=contextvars.Context())
        work.watching.add_done_callback(_consume)

    async def checked(self, tab_id: str) -> None:
        """Returns when a check of a tab has found nothing to do, or none is made."""
        work = self._of_tab.get(tab_id)
        if work is not None and work.watching is not None:
            await work.at_rest.wait()

    def note_action(self, tab_id: str) -> None:
        """A call acts on a tab: what was seen of it before is of no use any more."""
        work = self._of_tab.setdefault(tab_id, _TabWork())
        work.has_acted = True
        if work.look is not None and _count_end(work) is not Outcome.USED:
            self._note_unused()

    def _note_unused(self) -> None:
        self._habit.note_unused()
        if self._support is not None and not self._habit.is_on:
            self._support.usual.pop(self._session.principal, None)

    def note_look(self, tab_id: str, options: SnapshotOptions, elements: int) -> None:
        """The client has looked at a tab, and has seen so many elements."""
        work = self._of_tab.setdefault(tab_id, _TabWork())
        if work.look is not None:
            if _count_end(work) is Outcome.USED:
                self._habit.note_used()
            else:
                self._habit.note_stale()
        self._habit.note_look(options_ahead(options), after_action=work.has_acted)
        if self._support is not None and self._habit.wants is not None:
            self._support.usual[self._session.principal] = self._habit.wants
        work.has_acted, work.elements = False, elements

    def drop_tab(self, tab_id: str) -> None:
        """Ends all work on a tab that has closed."""
        work = self._of_tab.pop(tab_id, None)
        if work is not None:
            if work.watching is not None:
                work.watching.cancel()
            if work.look is not None:
                work.look.end()

    def close(self) -> None:
        """Ends all work."""
        for tab_id in list(self._of_tab):
            self.drop_tab(tab_id)

    async def _watch(self, tab_id: str, work: _TabWork, support: LookAheadSupport) -> None:
        """Checks a tab again and again, and looks where the client's next look would find something new."""
        if work.look is not None and not work.look.is_done:  # of a caller who left while it took the look over
            await work.look.cancel()
        looks = 0
        for wait_s in WAITS:
            since = support.spare.begin()
            await asyncio.sleep(wait_s)
            options, tab = self._habit.wants, self._usable(tab_id)
            if options is None or tab is None:
                break
            try:
                if await self._is_seen(tab, work, options):
                    work.is_due = False
                    work.at_rest.set()
                    continue
                if looks == MAX_LOOKS:
                    break
                work.is_due = True
                if work.elements > LARGE_PAGE and support.sessions() > 1:
                    break
                if support.spare.is_there(self._session.host, since) and await _is_at_rest(tab):
                    looks += 1
                    async with support.spare.turn(self._session.host):
                        await self._look(tab, work, options, support)
            except (PerceptionError, CdpCallError):
                continue  # the page is busy, or on to another one
        if work.is_due:
            work.is_due = False
            _count(Outcome.SKIPPED)
        work.at_rest.set()

    def _usable(self, tab_id: str) -> Tab | None:
        """The tab, where a look at it disturbs nothing and can succeed."""
        session = self._session
        tab = next((each for each in session.browser.tabs if each.tab_id == tab_id), None)
        if tab is None or tab.link.crashed or tab.link.watchdog.has_hung or tab.link.watchdog.is_freeing:
            return None
        is_disturbed = session.recorders.records(tab_id) or session.host.may_slow(tab.link)
        return None if is_disturbed or tab.link.dialogs.open is not None else tab

    async def _is_seen(self, tab: Tab, work: _TabWork, options: SnapshotOptions) -> bool:
        """Whether the client's next look would be served from the last one. A look that would not be is given up."""
        session, wanted = self._session, options_ahead(options)
        look = work.look
        is_made = look is not None and look.is_servable(session.shown.refs) and lists_same(look.options, wanted)
        if is_made or session.shown.cache.knows(tab.tab_id, wanted, session.shown.refs):
            if options.mode is Mode.VISION:  # its facts are pixels: only a look shows whether they have changed
                is_same = work.loader == tab.link.loader
            else:
                is_same = await tab.capturer.is_unchanged(Deadline.of(CHECK_SECONDS))
            if is_same:
                return True
        if look is not None:
            _count_end(work)
        return False

    async def _look(self, tab: Tab, work: _TabWork, options: SnapshotOptions, support: LookAheadSupport) -> None:
        """One look. It goes on where this is cancelled for a call that takes it over."""
        deadline = Deadline.of(LOOK_SECONDS)
        session, pool = self._session, support.pool.for_spare_time()
        await session.permit_look(tab, deadline)
        context = EngineContext(tab, session.shown.refs, session.shown.memory, session.shown.cache, pool)
        work.is_due, work.loader = False, tab.link.loader
        work.look = LookAhead(context, options, deadline)
        made = await work.look.wait()
        if made is not None and work.look is not None and work.look.is_servable(session.shown.refs):
            support.finish(session.fence, made)


async def _is_at_rest(tab: Tab) -> bool:
    """Whether the page is likely to stay as it is: it has loaded, waits for nothing, and has been still for a while."""
    if tab.link.is_leaving or tab.link.navigating:
        return False
    (facts, *_), _ = await probe_rest(tab.link, [tab.link.main_frame], Deadline.of(CHECK_SECONDS))
    is_still = facts.quiet >= QUIET_SECONDS * 1000 and not facts.switching
    return is_still and not pending_of(tab.link, ready=facts.ready, moving=facts.moving)


def _count_end(work: _TabWork) -> Outcome:
    """Counts what became of the tab's look, which is forgotten."""
    look, work.look = work.look, None
    assert look is not None
    outcome = Outcome.USED if look.was_claimed else Outcome.STALE if look.is_whole else Outcome.CANCELLED
    _count(outcome)
    return outcome


def _count(outcome: Outcome) -> None:
    LOOK_AHEAD.labels(outcome=outcome.value).inc()


def _consume(task: asyncio.Task[None]) -> None:
    """Reports a failure of ours as any other of a background task."""
    if not task.cancelled() and (error := task.exception()) is not None:
        raise error
