"""All sessions: who has which, how many there may be, and when each ends."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

import structlog

from perception.browser.host import BrowserHost
from perception.browser.policy import UrlPolicy
from perception.browser.session import BrowserSession, SessionOptions
from perception.budget import Budget
from perception.detectors.memory import Memory
from perception.errors import (
    BadInputError,
    PageChangingError,
    PageCrashedError,
    PerceptionError,
    SessionExpiredError,
    SessionLimitError,
    SessionLostError,
    ShuttingDownError,
    UnknownSessionError,
    UnknownTabError,
)
from perception.metrics import SESSIONS
from perception.refs import RefTable
from perception.server import calls
from perception.server.browsers import Browsers, UnfitError
from perception.server.calls import Call
from perception.server.sessions import Lifetime, Session
from perception.server.settings import Settings
from perception.server.shelf import KeptContent, KeptList, Shelf

log = structlog.get_logger(__name__)

KEPT_ENDED = 1000
"""Sessions that ended by themselves, so that their clients are told so."""

OPEN_AT_ONCE = 2 * len(os.sched_getaffinity(0))
"""Sessions that open at the same time: more make none of them faster, and all of them late."""

LAST_CALLS_SECONDS = 5.0
"""How long the calls of a session that became too old may take to end."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a session came to that its client did not close."""

    principal: str
    error: type[PerceptionError]
    message: str
    metadata: dict[str, str]


class SessionManager:
    """Made, then started; `close_all` ends it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sessions: dict[str, Session] = {}
        self._by_request: dict[tuple[str, str], str] = {}
        self._creating: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._ended: OrderedDict[str, Ended] = OrderedDict()
        self._opening = 0
        self._turns = asyncio.Semaphore(OPEN_AT_ONCE)
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._background: list[asyncio.Task[None]] = []
        self.browsers = Browsers(settings, self._lose)
        self.closing = asyncio.Event()
        self.policy = UrlPolicy.of(settings.allow_hosts)
        SESSIONS.labels(state="active").set_function(lambda: sum(each.lifetime.calls > 0 for each in self.sessions))
        SESSIONS.labels(state="idle").set_function(lambda: sum(each.lifetime.calls == 0 for each in self.sessions))
        SESSIONS.labels(state="opening").set_function(lambda: self._opening)

    def start(self) -> None:
        """Begins to look after sessions and browsers."""
        self._background = [
            asyncio.create_task(self._end_what_is_due(), name="end-sessions"),
            asyncio.create_task(self.browsers.watch_memory(), name="watch-memory"),
        ]

    @property
    def sessions(self) -> tuple[Session, ...]:
        """All of them, whoever made them."""
        return tuple(self._sessions.values())

    @property
    def mine(self) -> tuple[Session, ...]:
        """Those of whoever makes the current call."""
        return tuple(each for each in self._sessions.values() if each.principal == calls.principal())

    def get(self, session_id: str) -> Session:
        """A session of whoever makes the current call. Somebody else's is as good as none.

        Raises:
            UnknownSessionError, SessionExpiredError, SessionLostError
        """
        session = self._sessions.get(session_id)
        if session is not None and session.principal == calls.principal():
            return session
        ended = self._ended.get(session_id)
        if ended is not None and ended.principal == calls.principal():
            raise ended.error(ended.message, **ended.metadata)
        raise UnknownSessionError(
            f"no session {session_id[:40]!r}: it was closed or never created; create one with CreateSession"
        )

    def _end_of(self, session_id: str) -> PerceptionError:
        """For a call that was under way when its session ended: not what became of its tabs."""
        ended = self._ended.get(session_id)
        if ended is not None:
            return ended.error(ended.message, **ended.metadata)
        return SessionLostError("the session was closed while this call was under way: create a new one")

    @asynccontextmanager
    async def gate(self, call: Call, request: Any, context: Any) -> AsyncIterator[None]:
        """A session is in use while a call of its owner is under way. Whatever else is wrong with a call: of a session
        that is not the caller's nothing is said but that there is none. Raises as `get`."""
        if not call.session_id:
            yield
            return
        with self.get(call.session_id).lifetime.using():
            try:
                yield
            except (SessionLostError, PageChangingError, PageCrashedError, UnknownTabError) as exc:
                if call.session_id in self._sessions:
                    raise
                raise self._end_of(call.session_id) from exc

    async def create(
        self, options: SessionOptions, lifetime: Lifetime, cdp_endpoint: str, request_id: str, budget: Budget
    ) -> Session:
        """Opens a session.

        Raises:
            SessionLimitError, MemoryLimitError: there is no room for another one.
            ShuttingDownError: the service is about to end.
        """
        if not request_id:
            return await self._create(options, lifetime, cdp_endpoint, budget)
        key = (calls.principal(), request_id)
        lock = self._creating.setdefault(key, asyncio.Lock())
        async with budget.phase("waiting for the same request"):
            await lock.acquire()
        try:
            known = self._sessions.get(self._by_request.get(key, ""))
            if known is None:
                known = await self._create(options, lifetime, cdp_endpoint, budget)
                self._by_request[key] = known.session_id
            return known
        finally:
            lock.release()

    async def close(self, session_id: str) -> None:
        """Closes a session of whoever makes the current call, also when they do not wait for it. Raises as `get`."""
        session = self.get(session_id)
        self._forget(session)
        closing = asyncio.create_task(self._close(session), name="close-session")
        self._keep(closing)
        await asyncio.shield(closing)

    def begin_closing(self) -> None:
        """Opens no more sessions, and ends what would otherwise go on for as long as its caller likes."""
        self.closing.set()

    async def close_all(self) -> None:
        """Ends every session and every browser."""
        self.begin_closing()
        tasks = [*self._background, *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._sessions.clear()
        await self.browsers.end_all()

    async def _create(self, options: SessionOptions, lifetime: Lifetime, cdp_endpoint: str, budget: Budget) -> Session:
        if self.closing.is_set():
            raise ShuttingDownError("the service is shutting down: use another one, or wait for its restart")
        self.browsers.check_memory()
        limit = self._settings.max_sessions
        if len(self._sessions) + self._opening >= limit:
            raise SessionLimitError(
                f"all {limit} sessions are in use: close one, or start the service with more (--max-sessions)"
            )
        self._opening += 1
        try:
            async with budget.phase("waiting for other sessions to open"):
                await self._turns.acquire()
            try:
                session = await self._open(options, lifetime, cdp_endpoint, budget)
            finally:
                self._turns.release()
        finally:
            self._opening -= 1
        self._sessions[session.session_id] = session
        self._news.set()
        return session

    async def _open(self, options: SessionOptions, lifetime: Lifetime, cdp_endpoint: str, budget: Budget) -> Session:
        session_id = secrets.token_urlsafe(12)
        settings = self._settings
        policy = self.policy.within(options.allowed_origins)
        options = replace(
            options,
            policy=policy,
            download_dir=settings.download_dir / session_id if settings.download_dir else None,
            max_download_bytes=settings.max_download_mib * 2**20,
            max_downloads_bytes=settings.max_session_downloads_mib * 2**20,
            max_uploads_bytes=settings.max_session_uploads_mib * 2**20,
        )
        refs, memory = RefTable(), Memory()
        contents: Shelf[KeptContent] = Shelf("c", "cursor")
        lists: Shelf[KeptList] = Shelf("x", "page_token")

        def drop_tab(tab_id: str) -> None:
            refs.drop_tab(tab_id)
            memory.drop_tab(tab_id)
            contents.drop_tab(tab_id)
            lists.drop_tab(tab_id)

        try:
            host, browser = await self._browser(options, cdp_endpoint, drop_tab, budget)
        except UnfitError:  # the next one is a new one
            host, browser = await self._browser(options, cdp_endpoint, drop_tab, budget)
        return Session(
            session_id=session_id,
            options=options,
            browser=browser,
            refs=refs,
            memory=memory,
            contents=contents,
            lists=lists,
            host=host,
            policy=policy,
            lifetime=lifetime,
            principal=calls.principal(),
        )

    async def _browser(
        self, options: SessionOptions, cdp_endpoint: str, on_tab_closed: Callable[[str], None], budget: Budget
    ) -> tuple[BrowserHost, BrowserSession]:
        host = await self._host(options, cdp_endpoint, budget)
        try:
            return host, await self.browsers.open_session(host, options, on_tab_closed, budget)
        except BaseException:
            await self.browsers.release(host)
            raise

    async def _host(self, options: SessionOptions, cdp_endpoint: str, budget: Budget) -> BrowserHost:
        if cdp_endpoint:
            try:
                pinned = await self.policy.check_endpoint(cdp_endpoint, budget)
            except BadInputError as exc:
                raise BadInputError(str(exc), field="cdp_endpoint") from exc
            return await self.browsers.attach(pinned, budget)
        if options.dedicated_browser:
            return await self.browsers.take_own(budget)
        return await self.browsers.take_shared(budget)

    def _lose(self, host: BrowserHost) -> None:
        """A browser that is gone takes its sessions with it."""
        for session in [each for each in self.sessions if each.host is host]:
            message = "the browser of this session is gone: create a new session"
            self._end(session, SessionLostError, message, epoch=str(host.epoch + 1))

    async def _end_what_is_due(self) -> None:
        """Ends sessions that nobody uses, or that are too old, for as long as the service runs."""
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
        why = (
            f"it was {lifetime.age_s:g} s old, and no session may be older"
            if lifetime.is_old
            else f"nobody had used it for {lifetime.idle_s:g} s (idle_timeout)"
        )
        log.info("session expired", session=session.session_id, old=lifetime.is_old)
        self._end(session, SessionExpiredError, f"the service closed this session, for {why}: create a new one")
        self._keep(asyncio.create_task(self._close(session, LAST_CALLS_SECONDS), name="close-session"))

    def _end(self, session: Session, error: type[PerceptionError], message: str, **metadata: str) -> None:
        self._forget(session)
        self._ended[session.session_id] = Ended(session.principal, error, message, metadata)
        while len(self._ended) > KEPT_ENDED:
            self._ended.popitem(last=False)

    def _forget(self, session: Session) -> None:
        del self._sessions[session.session_id]
        self._by_request = {key: value for key, value in self._by_request.items() if value != session.session_id}

    async def _close(self, session: Session, patience_s: float = 0.0) -> None:
        budget = Budget.of(patience_s)
        while session.lifetime.calls and not budget.spent():  # noqa: ASYNC110  (calls end by themselves)
            await asyncio.sleep(0.05)
        try:
            await session.browser.close()
        finally:
            await self.browsers.release(session.host)

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
