"""How a session opens: its browser, what it works with, and what it begins with.

A spare browser context with an empty tab may be opened before a session asks for it, which takes a tenth of a second.

Rule 1: it is for a session with the options that it was opened with, and for one session only.
Rule 2: it holds no browser: it ends with one that ends, or gets no more sessions.
Rule 3: where it could not be opened, the session opens its own, and its caller hears why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.cdp.cdp_link import consume
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


SPARE_SECONDS = 15.0
"""For opening a spare context, which nobody waits for."""

SPARE_AFTER_SECONDS = 1.0
"""Without a call, after a session was opened, until the next spare context is. Chosen by hand: the calls of one task
come sooner."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenedContext:
    """A browser context with its tabs, before and while a session has it.

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
class _Spare:
    """A context that nobody has, and that is being opened or is open."""

    options: SessionOptions
    opening: asyncio.Task[OpenedContext]

    @property
    def is_lost(self) -> bool:
        task = self.opening
        return task.done() and (task.cancelled() or task.exception() is not None or not task.result().is_whole)

    def discard(self) -> None:
        """Closes it, once it is open."""
        self.opening.add_done_callback(_close_context)


def _close_context(opening: asyncio.Task[OpenedContext]) -> None:
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
        self._spare: _Spare | None = None
        self._last = SessionOptions()
        self._asked = asyncio.Event()

    async def open(self, wanted: NewSession, deadline: Deadline) -> Session:
        """A session with one empty tab, or the tab that it is to work in. Raises as `BrowserHost.new_session`."""
        options, endpoint = self._with_limits(wanted.options, wanted.session_id), wanted.cdp_endpoint
        self._asked.set()
        if not (endpoint or options.dedicated_browser):
            self._last = wanted.options
        context = None if endpoint else await self._take_spare(options, deadline)
        try:
            context = context or await self._open_context(options, endpoint, deadline)
        except UnfitError:  # the next one is a new one
            context = await self._open_context(options, endpoint, deadline)
        session = Session(
            session_id=wanted.session_id,
            options=options,
            browser=context.browser,
            shown=context.shown,
            recorders=context.recorders,
            host=context.host,
            policy=self._policy.within(options.allowed_origins),
            lifetime=wanted.lifetime,
            principal=rpc_call.principal(),
            all_videos=self._videos,
            look_ahead=self._look_ahead if options.look_ahead else None,
            profile=wanted.profile,
        )
        context.session.append(session)
        return session

    async def keep_a_spare(self, unused_for: Callable[[float], Awaitable[None]]) -> None:
        """Opens a spare context for the first session, and after each one for the next, until it is cancelled.

        Args:
            unused_for: returns when no call has been under way for so many seconds.
        """
        while True:
            if not self._asked.is_set():
                self._open_spare()
            await self._asked.wait()
            await unused_for(SPARE_AFTER_SECONDS)
            self._asked.clear()

    def _open_spare(self) -> None:
        """Begins to open a spare context in the shared browser, with the options of the last session there. Does
        nothing where there is one, or no session could have it."""
        options = self._with_limits(self._last, "")
        if self._spare is not None and (self._spare.options != options or self._spare.is_lost):
            self._spare.discard()
            self._spare = None
        belongs_to_one = options.conceal is not None or options.download_dir is not None
        if self._spare is None and not belongs_to_one:
            self._spare = _Spare(options, asyncio.create_task(self._open_without_hold(options), name="open-spare"))
            self._spare.opening.add_done_callback(consume)

    def close(self) -> None:
        """Opens no more; what has been opened ends with its browser."""
        if self._spare is not None:
            self._spare.opening.cancel()
            self._spare = None

    async def _open_without_hold(self, options: SessionOptions) -> OpenedContext:
        self._browsers.check_memory()
        context = await self._open_context(options, "", Deadline.of(SPARE_SECONDS))
        await self._browsers.release(context.host)
        return context

    async def _take_spare(self, options: SessionOptions, deadline: Deadline) -> OpenedContext | None:
        """The spare context, if it has these options and is as it was opened."""
        spare = self._spare
        if spare is None or spare.options != options:
            return None
        self._spare, taken = None, None
        try:
            async with deadline.phase("creating a browser context"):
                context = await asyncio.shield(spare.opening)
            host = await self._browsers.take_shared(deadline)
            if context.host is host and context.is_whole:
                taken = context
            else:
                await self._browsers.release(host)
        except PerceptionError:  # opening another one says why
            return None
        finally:
            if taken is None:
                spare.discard()
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

    async def _open_context(self, options: SessionOptions, cdp_endpoint: str, deadline: Deadline) -> OpenedContext:
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
        return OpenedContext(options, host, browser, shown, recorders, session)

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
