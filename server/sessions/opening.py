"""How a session opens: its browser, what it works with, and what it begins with.

A place in the browser may be opened before a session asks for it: a new tab takes a tenth of a second.

Rule 1: a place is for the options that it was opened with, and for one session.
Rule 2: one that is opened ahead holds no browser: it ends with one that ends, or gets no more sessions.
Rule 3: where one could not be opened ahead, the session opens one, and its caller hears why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.network.policy import UrlPolicy, check_page_scheme
from perception.browser.network.upstream import UpstreamProxy
from perception.browser.opening import begin_closing
from perception.deadline import Deadline
from perception.errors import BadInputError, PerceptionError
from perception.server import rpc_call
from perception.server.sessions.browsers import Browsers, UnfitError
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.logins import NO_LOGINS, Logins
from perception.server.sessions.looks_ahead import LookAheadSupport
from perception.server.sessions.recorders import Recorders
from perception.server.sessions.session import Session
from perception.server.sessions.session_profile import SessionProfile
from perception.server.sessions.shown import Shown
from perception.server.settings import Settings
from perception.server.videos.videos import Videos


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session that is to open.

    Attributes:
        session_id: its id.
        options: as its client asks for it.
        lifetime: how long it lives.
        cdp_endpoint: of a running browser to use in place of the service's own; empty for none.
        profile: the profile that it has; None for none.
        logins: what it begins with.
    """

    session_id: str
    options: SessionOptions
    lifetime: Lifetime
    cdp_endpoint: str
    profile: SessionProfile | None
    logins: Logins


AHEAD_SECONDS = 15.0
"""For opening a place that nobody waits for."""

AHEAD_AFTER_SECONDS = 1.0
"""Without a call, after a session was opened, until the next one's place is. Chosen by hand: the calls of one task come
sooner."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a session is in a browser.

    Attributes:
        options: what it was opened with.
        host: its browser.
        browser: its part of the browser.
        shown, recorders: which hear of its tabs.
        session: the session that has it; none at first.
    """

    options: SessionOptions
    host: BrowserHost
    browser: BrowserSession
    shown: Shown
    recorders: Recorders
    session: list[Session]

    @property
    def is_whole(self) -> bool:
        """Whether its empty tab is as it was opened."""
        tabs = self.browser.tabs
        return self.host.alive and len(tabs) == 1 and not (tabs[0].link.crashed or tabs[0].link.gone)


@dataclass(slots=True)
class _Ahead:
    """A place that is opened ahead, or has been."""

    options: SessionOptions
    opening: asyncio.Task[Place]

    @property
    def is_lost(self) -> bool:
        task = self.opening
        return task.done() and (task.cancelled() or task.exception() is not None or not task.result().is_whole)

    def discard(self) -> None:
        """Closes it, once it is open."""
        self.opening.add_done_callback(_close_place)


def _close_place(opening: asyncio.Task[Place]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        begin_closing(opening.result().browser.close())


class SessionOpener:
    """Opens sessions.

    Args:
        policy: what pages of all sessions may reach.
        upstream: the service's own proxy, if there is one.
        look_ahead: what sessions look ahead with; None for not at all.
    """

    def __init__(
        self,
        settings: Settings,
        browsers: Browsers,
        videos: Videos,
        policy: UrlPolicy,
        upstream: tuple[UpstreamProxy, ...],
        look_ahead: LookAheadSupport | None,
    ) -> None:
        self._settings = settings
        self._browsers = browsers
        self._videos = videos
        self._policy = policy
        self._upstream = upstream
        self._look_ahead = look_ahead
        self._ahead: _Ahead | None = None
        self._last = SessionOptions()
        self._asked = asyncio.Event()

    async def open(self, wanted: NewSession, deadline: Deadline) -> Session:
        """A session with one empty tab, or the tab that it is to work in. Raises as `BrowserHost.new_session`."""
        options, endpoint = self._with_limits(wanted.options, wanted.session_id), wanted.cdp_endpoint
        self._asked.set()
        if not (endpoint or options.dedicated_browser):
            self._last = wanted.options
        place = None if endpoint else await self._take_ahead(options, deadline)
        try:
            place = place or await self._open_place(options, endpoint, deadline)
        except UnfitError:  # the next one is a new one
            place = await self._open_place(options, endpoint, deadline)
        session = Session(
            session_id=wanted.session_id,
            options=options,
            browser=place.browser,
            shown=place.shown,
            recorders=place.recorders,
            host=place.host,
            policy=self._policy.within(options.allowed_origins),
            lifetime=wanted.lifetime,
            principal=rpc_call.principal(),
            all_videos=self._videos,
            look_ahead=self._look_ahead if options.look_ahead else None,
            profile=wanted.profile,
        )
        place.session.append(session)
        return session

    async def keep_one_ahead(self, unused_for: Callable[[float], Awaitable[None]]) -> None:
        """Opens a place for the first session, and after each one for the next, until it is cancelled.

        Args:
            unused_for: returns when no call has been under way for so many seconds.
        """
        while True:
            if not self._asked.is_set():
                self._open_ahead()
            await self._asked.wait()
            await unused_for(AHEAD_AFTER_SECONDS)
            self._asked.clear()

    def _open_ahead(self) -> None:
        """Begins to open a place in the shared browser for a session with the options of the last one, or with none.
        Does nothing where there is one."""
        options = self._with_limits(self._last, "")
        if self._ahead is not None:
            if self._ahead.options == options and not self._ahead.is_lost:
                return
            self._ahead.discard()
        self._ahead = _Ahead(options, asyncio.create_task(self._open_without_hold(options), name="open-ahead"))

    def close(self) -> None:
        """Opens no more; what has been opened ends with its browser."""
        if self._ahead is not None:
            self._ahead.opening.cancel()
            self._ahead = None

    async def _open_without_hold(self, options: SessionOptions) -> Place:
        self._browsers.check_memory()
        place = await self._open_place(options, "", Deadline.of(AHEAD_SECONDS))
        await self._browsers.release(place.host)
        return place

    async def _take_ahead(self, options: SessionOptions, deadline: Deadline) -> Place | None:
        """The place that was opened ahead for these options; None where there is none that is as it was opened."""
        ahead = self._ahead
        if ahead is None or ahead.options != options:
            return None
        self._ahead, taken = None, None
        try:
            async with deadline.phase("creating a browser context"):
                place = await asyncio.shield(ahead.opening)
            host = await self._browsers.take_shared(deadline)
            if place.host is host and place.is_whole:
                taken = place
            else:
                await self._browsers.release(host)
        except PerceptionError:  # opening another one says why
            return None
        finally:
            if taken is None:
                ahead.discard()
        return taken

    async def begin(self, session: Session, wanted: NewSession, deadline: Deadline) -> None:
        """Gives a new session what it begins with.

        Raises:
            StateInvalidError: the browser takes no cookie like one of the state's.
            OriginBlockedError, SchemeBlockedError: it may not be in its user's tab.
        """
        storage, omitted, state = session.browser.storage, wanted.logins.omitted, wanted.logins.state
        if session.options.user_tab:
            await self._permit_user_tab(session, deadline)
        if wanted.profile is not None:
            omitted += await wanted.profile.load(storage, deadline)
        if state != NO_LOGINS.state:
            omitted += (await storage.write(state, deadline)).omitted
        if wanted.profile is not None:
            wanted.profile.start_keeping()
        session.state_omitted = omitted

    def _with_limits(self, options: SessionOptions, session_id: str) -> SessionOptions:
        """What the client asks for, with what the service says."""
        settings = self._settings
        return replace(
            options,
            policy=self._policy.within(options.allowed_origins),
            upstream=(*self._upstream, *options.upstream),
            download_dir=settings.download_dir / session_id if settings.download_dir else None,
            max_download_bytes=settings.max_download_mib * 2**20,
            max_downloads_bytes=settings.max_session_downloads_mib * 2**20,
            max_uploads_bytes=settings.max_session_uploads_mib * 2**20,
            max_tabs=settings.max_tabs_per_session,
        )

    async def _permit_user_tab(self, session: Session, deadline: Deadline) -> None:
        """Raises OriginBlockedError or SchemeBlockedError for a tab that the session may not be in."""
        url = session.browser.tab().page.url
        check_page_scheme(url)
        if self._settings.trust_named_hosts:
            session.allow_host_of(url)
        await session.policy.check(url, deadline)

    async def _open_place(self, options: SessionOptions, cdp_endpoint: str, deadline: Deadline) -> Place:
        shown, recorders, session = Shown(), Recorders(), list[Session]()

        def drop_tab(tab_id: str) -> None:
            for each in session:
                each.ahead.drop_tab(tab_id)
            shown.drop_tab(tab_id)
            recorders.drop_tab(tab_id)

        host = await self._host(options, cdp_endpoint, deadline)
        try:
            browser = await self._browsers.open_session(host, options, drop_tab, deadline, recorders.follow_popup)
        except BaseException:
            await self._browsers.release(host)
            raise
        return Place(options, host, browser, shown, recorders, session)

    async def _host(self, options: SessionOptions, cdp_endpoint: str, deadline: Deadline) -> BrowserHost:
        if cdp_endpoint:
            try:
                policy = self._policy.with_host_of(cdp_endpoint) if self._settings.trust_named_hosts else self._policy
                pinned = await policy.check_endpoint(cdp_endpoint, deadline)
            except BadInputError as exc:
                raise BadInputError(str(exc), field="cdp_endpoint") from exc
            return await self._browsers.attach(pinned, deadline)
        if options.dedicated_browser:
            return await self._browsers.take_own(deadline)
        return await self._browsers.take_shared(deadline)
