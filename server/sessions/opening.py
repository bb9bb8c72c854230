"""How a session opens: its browser, what it works with, and what it begins with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from perception.browser.browser_session import BrowserSession, PopupListener, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.network.policy import UrlPolicy, check_page_scheme
from perception.browser.network.upstream import UpstreamProxy
from perception.deadline import Deadline
from perception.errors import BadInputError
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

    async def open(self, wanted: NewSession, deadline: Deadline) -> Session:
        """A session with one empty tab, or the tab that it is to work in. Raises as `BrowserHost.new_session`."""
        options = self._with_limits(wanted)
        shown, recorders = Shown(), Recorders()
        made: list[Session] = []

        def drop_tab(tab_id: str) -> None:
            for each in made:
                each.ahead.drop_tab(tab_id)
            shown.drop_tab(tab_id)
            recorders.drop_tab(tab_id)

        given = (options, wanted.cdp_endpoint, drop_tab, recorders.follow_popup, deadline)
        try:
            host, browser = await self._browser(*given)
        except UnfitError:  # the next one is a new one
            host, browser = await self._browser(*given)
        session = Session(
            session_id=wanted.session_id,
            options=options,
            browser=browser,
            shown=shown,
            recorders=recorders,
            host=host,
            policy=self._policy.within(options.allowed_origins),
            lifetime=wanted.lifetime,
            principal=rpc_call.principal(),
            all_videos=self._videos,
            look_ahead=self._look_ahead if options.look_ahead else None,
            profile=wanted.profile,
        )
        made.append(session)
        return session

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

    def _with_limits(self, wanted: NewSession) -> SessionOptions:
        """What the client asks for, with what the service says."""
        settings, options = self._settings, wanted.options
        return replace(
            options,
            policy=self._policy.within(options.allowed_origins),
            upstream=(*self._upstream, *options.upstream),
            download_dir=settings.download_dir / wanted.session_id if settings.download_dir else None,
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

    async def _browser(
        self,
        options: SessionOptions,
        cdp_endpoint: str,
        on_tab_closed: Callable[[str], None],
        on_popup: PopupListener,
        deadline: Deadline,
    ) -> tuple[BrowserHost, BrowserSession]:
        host = await self._host(options, cdp_endpoint, deadline)
        try:
            return host, await self._browsers.open_session(host, options, on_tab_closed, deadline, on_popup)
        except BaseException:
            await self._browsers.release(host)
            raise

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
