"""All sessions: their owners, their number and their ends."""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import structlog

from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.network.policy import UrlPolicy
from perception.browser.network.upstream import UpstreamProxy
from perception.deadline import Deadline
from perception.errors import (
    PageChangingError,
    PageCrashedError,
    PerceptionError,
    SessionExpiredError,
    SessionLostError,
    ShuttingDownError,
    UnknownTabError,
)
from perception.instrumentation.metrics import SESSIONS
from perception.server import rpc_call
from perception.server.environment import how_to_set, variable_of
from perception.server.placement.local import LocalPlacement, unknown_session
from perception.server.rpc_call import RpcCall
from perception.server.sessions.browsers import Browsers
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.logins import NO_LOGINS, Logins
from perception.server.sessions.looks_ahead import LookAheadSupport
from perception.server.sessions.opening import NewSession, SessionOpener
from perception.server.sessions.profiles import Profiles
from perception.server.sessions.results import RequestKey
from perception.server.sessions.session import Session
from perception.server.sessions.session_profile import KEEP_SECONDS, Kept
from perception.server.sessions.slowing import halt_floods
from perception.server.settings import Settings
from perception.server.videos.videos import Videos

log = structlog.get_logger(__name__)

RECENT_SECONDS = 2.0
"""A session that was used within it is at work. Chosen by hand."""

KEPT_ENDED = 1000
"""Sessions that the server ended, kept so that their clients get the reason."""

OPEN_AT_ONCE = 2 * len(os.sched_getaffinity(0))
"""Sessions that open at the same time. More would only delay all of them."""

CLOSING = "close-session"
"""Name of the tasks that close sessions: a profile may be saved in one."""

SENT_SECONDS = 3.0
"""How long the end of a session waits for the answer to what its last input has sent. Chosen by hand."""

LAST_CALLS_SECONDS = 5.0
"""Time for the last calls of a session that has become too old."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Why the server ended the session."""

    principal: str
    error: type[PerceptionError]
    message: str
    metadata: dict[str, str]


class SessionManager:
    """Call `start` after construction and `close_all` at the end.

    Attributes:
        browsers: the service's.
        closing: set when the service is about to end.
        look_ahead: what sessions look ahead with; None for not at all.
        opener: opens sessions.
        placement: the slots and the ids of its sessions.
        policy: what pages may reach.
        profiles: the states that are kept by name.
        videos: those that are kept, and how many are made.
    """

    def __init__(
        self,
        settings: Settings,
        browsers: Browsers | None = None,
        upstream: tuple[UpstreamProxy, ...] = (),
        look_ahead: LookAheadSupport | None = None,
    ) -> None:
        """
        Args:
            browsers: where one may be starting already; None for new ones.
            upstream: the service's own proxy, if there is one, which connections to public addresses go through.
            look_ahead: what sessions look ahead with; None for not at all.
        """
        self._sessions: dict[str, Session] = {}
        self._by_request: dict[tuple[str, str], tuple[str, bytes]] = {}
        self._creating: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._ended: OrderedDict[str, Ended] = OrderedDict()
        self._opening = 0
        self._turns = asyncio.Semaphore(OPEN_AT_ONCE)
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._background: list[asyncio.Task[None]] = []
        self.browsers = browsers or Browsers(settings)
        self.browsers.when_lost(self._lose)
        self.profiles = Profiles(settings, lambda: self.sessions)
        self.videos = Videos.of(settings)
        self.closing = asyncio.Event()
        self.placement = LocalPlacement.of(settings)
        self.policy = UrlPolicy.of(settings.allow_hosts)
        self.look_ahead = look_ahead
        self.opener = SessionOpener(settings, self.browsers, self.videos, self.policy, upstream, look_ahead)
        SESSIONS.labels(state="active").set_function(lambda: sum(each.lifetime.calls > 0 for each in self.sessions))
        SESSIONS.labels(state="idle").set_function(lambda: sum(each.lifetime.calls == 0 for each in self.sessions))
        SESSIONS.labels(state="opening").set_function(lambda: self._opening)

    def start(self) -> None:
        """Starts the checks of sessions and browsers."""
        self._background = [
            asyncio.create_task(self._end_what_is_due(), name="end-sessions"),
            asyncio.create_task(self.browsers.watch_memory(), name="watch-memory"),
            asyncio.create_task(halt_floods(lambda: self.sessions), name="halt-floods"),
            asyncio.create_task(self.profiles.keep_now_and_then(), name="keep-profiles"),
        ]

    @property
    def sessions(self) -> tuple[Session, ...]:
        """All sessions of all principals."""
        return tuple(self._sessions.values())

    @property
    def mine(self) -> tuple[Session, ...]:
        """The sessions of the current call's principal."""
        return tuple(each for each in self._sessions.values() if each.principal == rpc_call.principal())

    @property
    def busy_others(self) -> int:
        """Sessions beside one that were used within RECENT_SECONDS: their next calls may come any time."""
        now = time.time()
        return max(0, sum(now - each.lifetime.used_s < RECENT_SECONDS for each in self.sessions) - 1)

    def get(self, session_id: str) -> Session:
        """A session of the current call's principal. Sessions of others do not exist for it.

        Raises:
            UnknownSessionError, SessionExpiredError, SessionLostError
            SessionIdForgedError: ids are signed, and this one is not.
        """
        session = self._sessions.get(session_id)
        if session is not None and session.principal == rpc_call.principal():
            return session
        ended = self._ended.get(session_id)
        if ended is not None and ended.principal == rpc_call.principal():
            raise ended.error(ended.message, session=session_id, **ended.metadata)
        if session is None:
            self.placement.locate(session_id)  # which says more of signed ids
        raise unknown_session(session_id)

    def find(self, session_id: str, principal: str) -> Session | None:
        """An open session of a principal; None where there is none."""
        session = self._sessions.get(session_id)
        return session if session is not None and session.principal == principal else None

    def _end_of(self, session_id: str) -> PerceptionError:
        """The error for a call that was running when its session ended."""
        ended = self._ended.get(session_id)
        if ended is not None:
            return ended.error(ended.message, session=session_id, **ended.metadata)
        return SessionLostError(
            "the session was closed while this call was under way: create a new one", session=session_id
        )

    @asynccontextmanager
    async def gate(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        """The session gate: a session is in use while a call of its owner runs, unless that only watches. Calls about
        sessions of others fail as calls about unknown ones, regardless of other errors. Raises as `get`."""
        if not call.session_id:
            yield
            return
        session = self.get(call.session_id)
        with nullcontext() if call.rules.leaves_session_idle else session.lifetime.using():
            try:
                yield
            except (SessionLostError, PageChangingError, PageCrashedError, UnknownTabError) as exc:
                if call.session_id in self._sessions:
                    raise
                raise self._end_of(call.session_id) from exc

    async def create(
        self,
        options: SessionOptions,
        lifetime: Lifetime,
        cdp_endpoint: str,
        request: RequestKey,
        deadline: Deadline,
        logins: Logins = NO_LOGINS,
    ) -> Session:
        """Opens a session, or returns the one that the first request of this id opened.

        Raises:
            StateInvalidError: the browser takes no cookie like one of the state's.
            RequestIdReusedError: that one is open, and was asked for with other parameters.
            SessionLimitError, MemoryLimitError: a limit is reached.
            ShuttingDownError: the service is about to end.
        """
        if not request.request_id:
            return await self._create(options, lifetime, cdp_endpoint, logins, deadline)
        key = (rpc_call.principal(), request.request_id)
        lock = self._creating.setdefault(key, asyncio.Lock())
        async with deadline.phase("waiting for the same request"):
            await lock.acquire()
        try:
            session_id, digest = self._by_request.get(key, ("", b""))
            known = self._sessions.get(session_id)
            if known is not None:
                request.require_same(digest)
                return known
            known = await self._create(options, lifetime, cdp_endpoint, logins, deadline)
            self._by_request[key] = known.session_id, request.digest
            return known
        finally:
            lock.release()

    def has_request(self, principal: str, request_id: str) -> bool:
        """Whether a request of that id has opened a session that is open, or is opening one now."""
        key = (principal, request_id)
        return key in self._creating or self._by_request.get(key, ("", b""))[0] in self._sessions

    @property
    def requests(self) -> set[tuple[str, str]]:
        """The principals and ids of all requests that `has_request` knows."""
        opened = {key for key, (session_id, _) in self._by_request.items() if session_id in self._sessions}
        return opened | set(self._creating)

    async def close(self, session_id: str) -> Kept:
        """Closes a session of the current call's principal, even if the caller leaves. Returns what came of its
        profile. Raises as `get`."""
        session = self.get(session_id)
        self._forget(session)
        closing = asyncio.create_task(self._close(session), name=CLOSING)
        self._keep(closing)
        return await asyncio.shield(closing)

    def begin_closing(self) -> None:
        """Refuses new sessions, and ends calls without a natural end, such as watches."""
        self.closing.set()
        for session in self.sessions:
            session.control.close(
                lambda: ShuttingDownError("the service is shutting down: use another one, or wait for its restart")
            )

    async def close_all(self) -> None:
        """Ends every session and every browser."""
        self.begin_closing()
        closing = [each for each in self._tasks if each.get_name() == CLOSING]
        await asyncio.wait([*closing, asyncio.create_task(asyncio.sleep(0))], timeout=KEEP_SECONDS)
        tasks = [*self._background, *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for session in self.sessions:
            session.ahead.close()
        await asyncio.gather(*(each.videos.close() for each in self.sessions), return_exceptions=True)
        for session in self.sessions:
            session.screencasts.close()
        await asyncio.gather(*(self.profiles.keep_at_end(each) for each in self.sessions), return_exceptions=True)
        self._sessions.clear()
        self.opener.close()
        await self.browsers.end_all()

    async def _create(
        self, options: SessionOptions, lifetime: Lifetime, cdp_endpoint: str, logins: Logins, deadline: Deadline
    ) -> Session:
        if self.closing.is_set():
            raise ShuttingDownError("the service is shutting down: use another one, or wait for its restart")
        self.browsers.check_memory()
        slot = self.placement.claim()
        self._opening += 1
        try:
            async with deadline.phase("waiting for other sessions to open"):
                await self._turns.acquire()
            try:
                session_id = slot.session_id
                async with self.profiles.taken(logins, session_id, options) as profile:
                    wanted = NewSession(session_id, options, lifetime, cdp_endpoint, profile, logins)
                    session = await self.opener.open(wanted, deadline)
                    try:
                        await self.opener.begin(session, wanted, deadline)
                    except BaseException:
                        self._keep(asyncio.create_task(self._close(session), name=CLOSING))
                        raise
            finally:
                self._turns.release()
        except BaseException:
            self.placement.release(slot)
            raise
        finally:
            self._opening -= 1
        self._sessions[session.session_id] = session
        self._news.set()
        return session

    def _lose(self, host: BrowserHost) -> None:
        """Ends the sessions of a browser that is gone."""
        for session in [each for each in self.sessions if each.host is host]:
            self._end(session, SessionLostError, str(SessionLostError.of_browser()), epoch=str(host.epoch + 1))
            if session.profile is not None:
                session.profile.release()

    async def _end_what_is_due(self) -> None:
        """Ends idle and old sessions while the service runs."""
        while True:
            for session in self.sessions:
                if session.lifetime.remaining_s <= 0:
                    self._expire(session)
            self._news.clear()
            soonest = min((each.lifetime.remaining_s for each in self.sessions), default=None)
            try:
                async with asyncio.timeout(soonest):
                    await self._news.wait()
            except TimeoutError:
                pass

    def _expire(self, session: Session) -> None:
        lifetime = session.lifetime
        if lifetime.is_old:
            limit_s, setting = lifetime.age_s, "session_age_s"
            why = f"it was {limit_s:g} s old, and no session may be older ({how_to_set(setting)})"
        else:
            limit_s, setting = lifetime.idle_s, "session_idle_s"
            why = f"nobody had used it for {limit_s:g} s (its own idle_timeout, or {how_to_set(setting)})"
        log.info("session expired", session=session.session_id, old=lifetime.is_old)
        message = f"the service closed this session, for {why}: create a new one"
        self._end(session, SessionExpiredError, message, limit=f"{limit_s:g}", setting=variable_of(setting))
        self._keep(asyncio.create_task(self._close(session, LAST_CALLS_SECONDS), name=CLOSING))

    def _end(self, session: Session, error: type[PerceptionError], message: str, **metadata: str) -> None:
        self._forget(session)
        self._ended[session.session_id] = Ended(session.principal, error, message, metadata)
        while len(self._ended) > KEPT_ENDED:
            self._ended.popitem(last=False)

    def _forget(self, session: Session) -> None:
        session.ahead.close()
        session.control.close(lambda: self._end_of(session.session_id))
        self.placement.release(self.placement.locate(session.session_id))
        del self._sessions[session.session_id]
        self._by_request = {key: value for key, value in self._by_request.items() if value[0] != session.session_id}

    async def _close(self, session: Session, patience_s: float = 0.0) -> Kept:
        deadline = Deadline.of(patience_s)
        while session.lifetime.calls and not deadline.spent():  # noqa: ASYNC110  (calls end by themselves)
            await asyncio.sleep(0.05)
        sent = Deadline.of(SENT_SECONDS)
        while any(each.link.requests.changes for each in session.browser.tabs) and not sent.spent():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        try:
            await session.videos.close()
            session.screencasts.close()
            kept = await self.profiles.keep_at_end(session)
            await session.browser.close()
            return kept
        finally:
            await self.browsers.release(session.host)

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
