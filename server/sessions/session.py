"""A session: a browser context, and what its client was shown of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import InitVar, dataclass, field, replace
from enum import Enum
from urllib.parse import urlsplit

from perception.browser.browser_session import BrowserSession, SessionOptions, Tab
from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.dialogs_elsewhere import check_dialogs_elsewhere
from perception.browser.live.hub import ScreencastHub
from perception.browser.network.policy import UrlPolicy, check_page_scheme
from perception.browser.page.conditions import Conditions
from perception.browser.page.emulation import Screen
from perception.browser.page.navigation import WaitUntil, navigate
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    DeadlineError,
    NavigationFailedError,
    OriginBlockedError,
    PageChangingError,
    PageCrashedError,
    SchemeBlockedError,
    SessionLostError,
    StaleRefError,
)
from perception.instrumentation.stages import timed
from perception.render.untrusted import Fence
from perception.secrets import Masker
from perception.server.control.session_control import SessionControl
from perception.server.files.uploads import StreamedUploads
from perception.server.live.call_log import CallLog
from perception.server.live.call_pictures import CallPictures
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.looks_ahead import LookAheadSupport, LooksAhead
from perception.server.sessions.person_input import PersonInput
from perception.server.sessions.recorders import Recorders
from perception.server.sessions.results import KeptResults
from perception.server.sessions.session_profile import SessionProfile
from perception.server.sessions.shown import Shown
from perception.server.sessions.tab_guards import dismiss_dialogs, recover_page
from perception.server.videos.chapters import chapters_of
from perception.server.videos.session_videos import SessionVideos
from perception.server.videos.tab_video import VideoSource
from perception.server.videos.videos import Videos

DRIVER_END_SECONDS, DRIVER_ANSWER_SECONDS = 0.3, 10.0
"""How much later than the closed tabs of a driver that dies its end is known, a few ms as a rule; how long a driver may
take to answer, or its end to be known, on a busy machine. Chosen by hand."""


class TabUse(Enum):
    """What a call does with a tab."""

    LOOK = "look"
    """It looks at it."""
    WATCH = "watch"
    """It looks again and again: nobody need look ahead meanwhile."""
    ACT = "act"
    """It may change the page."""
    OTHER = "other"
    """It reads something else."""


@dataclass(slots=True, eq=False)
class Session:
    """One client's session.

    Attributes:
        session_id: its id on the wire.
        options: what it was made with.
        browser, host: its context, and the browser that holds the context.
        shown: what its client was shown.
        recorders: recordings of its tabs that are under way.
        policy: what its pages may reach.
        lifetime: how long it lives.
        all_videos: of the service.
        principal: who made it; empty where callers do not identify themselves.
        results: of requests that may be repeated.
        typed_secret: a secret was typed into one of its pages.
        fence: marks the words of its pages.
        look_ahead: what looks ahead work with; None where its client wants none, or the service takes none.
        ahead: its looks ahead.
        uploads: files that its client has streamed.
        videos: those of its tabs.
        profile: the profile that it has; None for none.
        control: who drives it, its agent or a person.
        person: the input of the person who has control.
        state_omitted: what of the state that it began with was not taken, one sentence each.
        calls: what its client has done lately.
        screencasts: who watches which of its tabs.
        call_pictures: how its tabs looked before and after its calls.
    """

    session_id: str
    options: SessionOptions
    browser: BrowserSession
    shown: Shown
    recorders: Recorders
    host: BrowserHost
    policy: UrlPolicy
    lifetime: Lifetime
    all_videos: InitVar[Videos]
    principal: str = ""
    results: KeptResults = field(default_factory=KeptResults)
    typed_secret: bool = False
    fence: Fence = field(default_factory=Fence)
    look_ahead: InitVar[LookAheadSupport | None] = None
    ahead: LooksAhead = field(init=False)
    uploads: StreamedUploads = field(init=False)
    videos: SessionVideos = field(init=False)
    control: SessionControl = field(init=False)
    person: PersonInput = field(init=False)
    profile: SessionProfile | None = None
    state_omitted: tuple[str, ...] = ()
    calls: CallLog = field(default_factory=CallLog)
    screencasts: ScreencastHub = field(init=False)
    call_pictures: CallPictures = field(init=False)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _allowed: set[str] = field(default_factory=set)

    def __post_init__(self, all_videos: Videos, look_ahead: LookAheadSupport | None) -> None:
        self.ahead = LooksAhead(self, look_ahead)
        self.uploads = StreamedUploads(self.browser)
        self.screencasts = ScreencastHub(self.permit_look)
        keeps = self.options.keep_call_pictures
        self.call_pictures = CallPictures(
            self.browser, self.screencasts, self.calls, keeps=keeps, is_private=lambda: self.control.is_held
        )
        self.person = PersonInput(self.browser, self.lifetime, self.recorders, self.calls, self.ahead)
        self.control = SessionControl(self.person.begin, self.person.clear_up, refuses=self.options.refuses_agent)
        source = VideoSource(
            hub=self.screencasts,
            find_tab=self.browser.tab,
            is_private=lambda: self.control.is_held,
            turns=lambda: self.control.turns,
            chapters=lambda since_s: chapters_of(self.calls, since_s, self.browser.typed.masker),
        )
        self.videos = SessionVideos(all_videos, self.session_id, self.principal, source)

    @asynccontextmanager
    async def use_tab(
        self, tab_id: str, deadline: Deadline, use: TabUse = TabUse.OTHER, *, leaving: bool = False
    ) -> AsyncIterator[Tab]:
        """Holds one tab: calls on the same tab wait for each other, other tabs go on. What is done for the tab ahead of
        calls ends before.

        Args:
            use: what the call does with it.
            leaving: the call goes to another page. Dialogs of the current one are dismissed; but the question whether
                to leave it stays open.

        Raises:
            DialogOpenError: a dialog is open, or opened inside: the page does nothing until it is answered.
            PageCrashedError: the page crashed, or hangs for good.
        """
        tab = self.browser.tab(tab_id)
        wanted = tab.tab_id
        lock = self._locks.setdefault(wanted, asyncio.Lock())
        async with deadline.phase("waiting for earlier calls on this tab"):
            with timed("session lock"):
                await lock.acquire()
        try:
            await self.ahead.give_way(wanted, to_look=use in (TabUse.LOOK, TabUse.WATCH))
            if use is TabUse.ACT or leaving:
                self.ahead.note_action(wanted)
                if (log := self.browser.request_log) is not None:
                    log.note_agent()
            if leaving:
                self.begin_action(wanted)
            tab = self.browser.tab(wanted)
            async with dismiss_dialogs(tab, deadline) if leaving else nullcontext():
                tab.link.dialogs.check()
                await check_dialogs_elsewhere(tab.link)
                await tab.link.watchdog.wait_freed(deadline, leaving=leaving)
                await self.leave_blocked_page(tab, deadline)
                async with self._explaining(tab, deadline), recover_page(tab):
                    yield tab
            await self.leave_blocked_page(tab, deadline)
        except PageCrashedError as exc:
            exc.metadata["epoch"] = str(tab.epoch)
            raise
        except (SessionLostError, StaleRefError, PageChangingError) as exc:
            is_closed = isinstance(exc, SessionLostError) or await _is_closed(tab, deadline)
            if is_closed and await self._has_lost_browser(deadline):
                raise SessionLostError.of_browser(epoch=str(self.host.epoch + 1)) from exc
            raise
        finally:
            if use is not TabUse.WATCH:
                self.ahead.resume(wanted)
            lock.release()

    async def _has_lost_browser(self, deadline: Deadline) -> bool:
        """Whether its browser, or the driver, is gone. Of a driver that dies, its tabs are closed a moment before."""
        going = asyncio.ensure_future(self.host.gone())
        answering = asyncio.ensure_future(self.host.hear_events(deadline.share(DRIVER_ANSWER_SECONDS)))
        try:
            await asyncio.wait([going], timeout=min(DRIVER_END_SECONDS, deadline.remaining()))
            await asyncio.wait([going, answering], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (going, answering):
                each.cancel()
                each.add_done_callback(consume)
        return not self.browser.alive

    async def show_on(self, screen: Screen, deadline: Deadline) -> None:
        """Shows its tabs on another screen. Raises SessionLostError where its browser is gone."""
        for tab in self.browser.tabs:
            self.ahead.note_action(tab.tab_id)
        await self.browser.show_on(screen, deadline)
        self.options = self.options.on_screen(screen)

    def begin_action(self, tab_id: str) -> None:
        """An action or navigation of a tab begins: what is waited for afterwards may come of it."""
        if (log := self.browser.request_log) is not None:
            log.acted[tab_id] = log.last_number

    async def meet(self, conditions: Conditions, deadline: Deadline) -> None:
        """Has its pages meet conditions. Raises as `BrowserSession.meet`."""
        for tab in self.browser.tabs:
            self.ahead.note_action(tab.tab_id)
        await self.browser.meet(conditions, deadline)
        self.options = replace(self.options, conditions=conditions)

    async def permit_look(self, tab: Tab, deadline: Deadline) -> None:
        """Raises OriginBlockedError, SchemeBlockedError or BadInputError where the page may not be read."""
        await self._check_page(tab, deadline)

    @asynccontextmanager
    async def _explaining(self, tab: Tab, deadline: Deadline) -> AsyncIterator[None]:
        """Raises the proxy's own error in place of a failed navigation: Chromium says only that its proxy failed."""
        try:
            yield
        except NavigationFailedError as exc:
            await self.leave_blocked_page(tab, deadline)
            if self.browser.egress and (reason := self.browser.egress.error_of(tab.link.unreachable)):
                raise reason from exc
            raise

    async def leave_blocked_page(self, tab: Tab, deadline: Deadline) -> None:
        """Leaves a page that went, by itself or by a click, where it may not be; such a page is never read."""
        try:
            await self._check_page(tab, deadline)
        except (OriginBlockedError, SchemeBlockedError, BadInputError):
            with suppress(DeadlineError, PageCrashedError):  # the next call leaves it again
                await navigate(tab.link, "about:blank", WaitUntil.COMMIT, deadline)
            raise

    async def _check_page(self, tab: Tab, deadline: Deadline) -> None:
        url, egress = tab.link.url, self.browser.egress
        if egress and isinstance(refused := egress.error_of(tab.link.unreachable), OriginBlockedError):
            raise refused
        check_page_scheme(url)
        if not url.startswith(("http:", "https:")) or urlsplit(url).netloc in self._allowed:
            return
        await self.policy.check(url, deadline)
        self._allowed.add(urlsplit(url).netloc)

    def allow_host_of(self, url: str) -> None:
        """Lets its pages reach the host of a URL that its user names, also a private one."""
        self.policy = self.policy.with_host_of(url)
        if self.browser.egress is not None:
            self.browser.egress.policy = self.policy

    @property
    def masker(self) -> Masker | None:
        """Masks the secrets that its principal may use, as of now; None where there are none."""
        return self.options.conceal() if self.options.conceal is not None else None


async def _is_closed(tab: Tab, deadline: Deadline) -> bool:
    """Whether a tab is closed: then its elements and frames are gone, which a call may notice first."""
    try:
        with suppress(DeadlineError, PageCrashedError):
            await tab.link.session.call("Target.getTargetInfo", deadline, "asking for the tab")
    except (CdpCallError, SessionLostError):
        return True
    return False
