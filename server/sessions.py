"""Sessions: who has which browser context, what it has been shown, and how many there may be."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from perception.browser.cdp import CdpCallError
from perception.browser.chromium import LaunchOptions
from perception.browser.dialogs import BEFOREUNLOAD
from perception.browser.host import BrowserHost
from perception.browser.navigate import WaitUntil, navigate
from perception.browser.policy import UrlPolicy
from perception.browser.session import BrowserSession, SessionOptions, Tab
from perception.budget import Budget
from perception.detectors.memory import Memory
from perception.errors import (
    BadInputError,
    DeadlineError,
    NoDialogError,
    OriginBlockedError,
    PageChangingError,
    PageCrashedError,
    SessionLimitError,
    SessionLostError,
    ShuttingDownError,
    UnknownSessionError,
    UnknownSnapshotError,
)
from perception.pipeline import Wish
from perception.refs import RefTable
from perception.render.text import PagedText
from perception.server.settings import Settings
from perception.server.shelf import KeptContent, KeptList, Shelf
from perception.types import Capture, Element, Snapshot
from perception.v1 import types_pb2

KEPT_SNAPSHOTS = 8
"""For cursors and for coordinates read from a snapshot: an agent loops over one or two."""

KEPT_OUTCOMES = 2
"""The same of those that actions took for their diffs: they may not push out what a caller asked for."""

KEPT_RESULTS = 256
"""Results kept for a repeated request_id."""

KEPT_LOST = 1000
"""Ids of sessions whose browser died, so that their clients are told so."""


@dataclass(slots=True)
class KeptSnapshot:
    """A snapshot as it was served: `listed` is what its view, scope and root hold, in the order of its text.

    `first` is the message of its first page, once it was made.
    """

    snapshot: Snapshot
    tab_id: str
    listed: tuple[Element, ...]
    text: PagedText
    wish: Wish
    root: types_pb2.Target | None = None
    by_action: bool = False
    first: types_pb2.Snapshot | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What came of a capture, for as long as looking again gives the same one."""

    wish: Wish
    capture: Capture
    refs_version: int
    kept: KeptSnapshot

    def holds(self, wish: Wish, capture: Capture, refs: RefTable) -> bool:
        asked = replace(wish, settle_s=self.wish.settle_s)  # how long it was waited for changes nothing of what is seen
        return capture is self.capture and asked == self.wish and refs.version == self.refs_version


@dataclass(slots=True, eq=False)
class Session:
    """One client's session."""

    session_id: str
    options: SessionOptions
    browser: BrowserSession
    refs: RefTable
    memory: Memory
    contents: Shelf[KeptContent]
    lists: Shelf[KeptList]
    created_s: float
    used_s: float
    host: BrowserHost
    policy: UrlPolicy
    owns_host: bool = False
    snapshots: OrderedDict[str, KeptSnapshot] = field(default_factory=OrderedDict)
    known: dict[str, Known] = field(default_factory=dict)
    results: OrderedDict[tuple[str, str], Any] = field(default_factory=OrderedDict)
    last_snapshot: int = 0
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)
    _allowed: set[str] = field(default_factory=set)

    @asynccontextmanager
    async def use_tab(self, tab_id: str, budget: Budget, *, leaving: bool = False) -> AsyncIterator[Tab]:
        """One tab to oneself: calls on the same tab wait for each other, other tabs go on.

        Args:
            leaving: for another page: dialogs of the one that is there are dismissed; but the question whether to leave
                is left open.

        Raises:
            DialogOpenError: a dialog is open, or opened inside: nothing more comes of the page until it is answered.
            PageCrashedError: the page crashed, or hangs for good.
        """
        wanted = self.browser.tab(tab_id).tab_id
        lock = self._locks.setdefault(wanted, asyncio.Lock())
        async with budget.phase("waiting for earlier calls on this tab"):
            await lock.acquire()
        try:
            tab = self.browser.tab(wanted)
            async with _dismissing(tab, budget) if leaving else nullcontext():
                tab.link.dialogs.check()
                await tab.link.rescue.wait_freed(budget)
                await self._leave_blocked_page(tab, budget)
                async with _recovering(tab):
                    yield tab
            await self._leave_blocked_page(tab, budget)
        finally:
            lock.release()

    async def _leave_blocked_page(self, tab: Tab, budget: Budget) -> None:
        """A page that went by itself, or by a click, where it may not be is left at once and never read."""
        url = tab.link.url
        if not url.startswith(("http:", "https:")) or urlsplit(url).netloc in self._allowed:
            return
        try:
            await self.policy.check(url, budget)
            self._allowed.add(urlsplit(url).netloc)
        except (OriginBlockedError, BadInputError):
            await navigate(tab.link, "about:blank", WaitUntil.COMMIT, budget)
            raise

    def keep(self, kept: KeptSnapshot) -> None:
        self.snapshots[kept.snapshot.snapshot_id] = kept
        alike = [key for key, each in self.snapshots.items() if each.by_action == kept.by_action]
        for key in alike[: -(KEPT_OUTCOMES if kept.by_action else KEPT_SNAPSHOTS)]:
            del self.snapshots[key]

    def drop(self, snapshot_id: str) -> None:
        """Keeps a snapshot no longer, if it still is kept."""
        self.snapshots.pop(snapshot_id, None)

    def snapshot(self, snapshot_id: str) -> KeptSnapshot:
        """Raises UnknownSnapshotError when it is not kept (any more)."""
        kept = self.snapshots.get(snapshot_id)
        if kept is None:
            raise UnknownSnapshotError(
                f"snapshot {snapshot_id!r} is not kept: this session keeps the last {KEPT_SNAPSHOTS}; take a new one"
            )
        return kept

    def last_of(self, tab_id: str) -> KeptSnapshot | None:
        """The newest snapshot that is kept of a tab."""
        return next((kept for kept in reversed(self.snapshots.values()) if kept.tab_id == tab_id), None)

    def next_snapshot_id(self) -> str:
        self.last_snapshot += 1
        return f"s{self.last_snapshot}"

    def remember(self, key: tuple[str, str], result: Any) -> None:
        self.results[key] = result
        while len(self.results) > KEPT_RESULTS:
            self.results.popitem(last=False)


_LEAVING = "the page was left for another one, which has not come: wait for it, or Navigate"


@asynccontextmanager
async def _recovering(tab: Tab) -> AsyncIterator[None]:
    """Frees the tab's page after what ran into the deadline, or was called off. A document that has not hung before may
    take its time until then."""
    try:
        async with tab.link.rescue.guarding(), tab.link.dialogs.interrupting():
            yield
    except DeadlineError as exc:
        tab.link.rescue.unhang()
        if tab.link.is_leaving:
            raise DeadlineError(f"{exc} ({_LEAVING})", phase=exc.phase, dispatched=exc.dispatched) from exc
        raise
    except asyncio.CancelledError:
        tab.link.rescue.unhang()
        raise
    except SessionLostError as exc:
        if tab.link.crashed:
            raise PageCrashedError("the page crashed or hangs: open it again or close its tab") from exc
        raise
    except CdpCallError as exc:
        raise PageChangingError("the page went away while it was looked at: try again") from exc


@asynccontextmanager
async def _dismissing(tab: Tab, budget: Budget) -> AsyncIterator[None]:
    """Dismisses the dialogs of the document that is there, as a browser does when a person goes somewhere else."""
    link, before = tab.link, tab.link.commits
    with link.dialogs.dismissing(lambda dialog: dialog.kind != BEFOREUNLOAD and link.commits == before):
        if link.dialogs.open is not None and link.dialogs.open.kind != BEFOREUNLOAD:
            with suppress(NoDialogError):  # it went by itself
                await link.dialogs.answer(accept=False, text="", budget=budget)
            link.rescue.has_hung = True  # it may open the next one at once
        yield


class SessionManager:
    """All sessions, and the browser they share. The browser starts with the first session, and again after a crash."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sessions: dict[str, Session] = {}
        self._by_request: dict[str, str] = {}
        self._lost: OrderedDict[str, None] = OrderedDict()
        self._opening = 0
        self._host: BrowserHost | None = None
        self._host_lock = asyncio.Lock()
        self.closing = asyncio.Event()
        self.policy = UrlPolicy(frozenset(host.lower() for host in settings.allow_hosts))

    @property
    def sessions(self) -> tuple[Session, ...]:
        return tuple(self._sessions.values())

    def get(self, session_id: str) -> Session:
        """Raises UnknownSessionError."""
        session = self._sessions.get(session_id)
        if session_id in self._lost:
            raise SessionLostError("the browser of this session is gone: create a new session")
        if session is None:
            raise UnknownSessionError(
                f"no session {session_id[:40]!r}: it was closed or never created; create one with CreateSession"
            )
        session.used_s = time.time()
        return session

    async def create(self, options: SessionOptions, cdp_endpoint: str, request_id: str, budget: Budget) -> Session:
        """Opens a session.

        Raises:
            SessionLimitError: as many as allowed are open or being opened.
            ShuttingDownError: the service is about to end.
        """
        if request_id and self._by_request.get(request_id) in self._sessions:
            return self._sessions[self._by_request[request_id]]
        if self.closing.is_set():
            raise ShuttingDownError("the service is shutting down: use another one, or wait for its restart")
        for host in {session.host for session in self._sessions.values() if not session.browser.alive}:
            await self._drop_host(host)
        limit = self._settings.max_sessions
        if len(self._sessions) + self._opening >= limit:
            raise SessionLimitError(f"all {limit} sessions are in use: close one, or start the service with more")
        self._opening += 1
        try:
            session = await self._open(options, cdp_endpoint, budget)
        finally:
            self._opening -= 1
        self._sessions[session.session_id] = session
        if request_id:
            self._by_request[request_id] = session.session_id
        return session

    async def close(self, session_id: str) -> None:
        session = self.get(session_id)
        del self._sessions[session.session_id]
        self._by_request = {key: value for key, value in self._by_request.items() if value != session_id}
        await session.browser.close()
        if session.owns_host:
            await session.host.close()

    def begin_closing(self) -> None:
        """Opens no more sessions, and ends what would otherwise go on for as long as its caller likes."""
        self.closing.set()

    async def close_all(self) -> None:
        """Ends every session and the browser."""
        self.begin_closing()
        hosts = {session.host for session in self._sessions.values()} | ({self._host} if self._host else set())
        self._sessions.clear()
        await asyncio.gather(*(host.close() for host in hosts), return_exceptions=True)

    async def _open(self, options: SessionOptions, cdp_endpoint: str, budget: Budget) -> Session:
        if cdp_endpoint:
            host = await self._attach(cdp_endpoint, budget)
        else:
            host = await self._shared_host(budget)
        session_id = secrets.token_urlsafe(12)
        settings = self._settings
        options = replace(
            options,
            download_dir=settings.download_dir / session_id if settings.download_dir else None,
            max_download_bytes=settings.max_download_mib * 2**20,
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
            browser = await host.new_session(options, drop_tab, budget)
        except BaseException:
            if cdp_endpoint:
                await host.close()
            raise
        now = time.time()
        return Session(
            session_id=session_id,
            options=options,
            browser=browser,
            refs=refs,
            memory=memory,
            contents=contents,
            lists=lists,
            created_s=now,
            used_s=now,
            host=host,
            policy=self.policy,
            owns_host=bool(cdp_endpoint),
        )

    async def _attach(self, endpoint: str, budget: Budget) -> BrowserHost:
        url = endpoint.replace("ws://", "http://", 1).replace("wss://", "https://", 1)
        try:
            await self.policy.check(url, budget)
        except BadInputError as exc:
            raise BadInputError(str(exc), field="cdp_endpoint") from exc
        return await BrowserHost.attach(endpoint, budget)

    async def _shared_host(self, budget: Budget) -> BrowserHost:
        async with budget.phase("starting the browser"):
            await self._host_lock.acquire()
        try:
            if self._host is not None and self._host.alive:
                return self._host
            if self._host is not None:
                await self._drop_host(self._host)
            settings = self._settings
            if settings.cdp_endpoint:
                self._host = await BrowserHost.attach(settings.cdp_endpoint, budget)
            else:
                launch = LaunchOptions(settings.browser_path, settings.headless, settings.sandbox)
                self._host = await BrowserHost.start(launch, budget)
            return self._host
        finally:
            self._host_lock.release()

    async def _drop_host(self, host: BrowserHost) -> None:
        """A browser that is gone takes its sessions with it."""
        for session_id in [key for key, each in self._sessions.items() if each.host is host]:
            del self._sessions[session_id]
            self._lost[session_id] = None
        while len(self._lost) > KEPT_LOST:
            self._lost.popitem(last=False)
        if self._host is host:
            self._host = None
        await asyncio.gather(host.close(), return_exceptions=True)
