"""A session: a browser context, what its client has been shown of it, and how long it lives."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from perception.browser.cdp import CdpCallError
from perception.browser.dialogs import BEFOREUNLOAD
from perception.browser.host import BrowserHost
from perception.browser.navigate import WaitUntil, navigate
from perception.browser.policy import UrlPolicy, check_page_scheme
from perception.browser.session import BrowserSession, SessionOptions, Tab
from perception.budget import Budget
from perception.detectors.memory import Memory
from perception.errors import (
    BadInputError,
    DeadlineError,
    NavigationFailedError,
    NoDialogError,
    OriginBlockedError,
    PageChangingError,
    PageCrashedError,
    SchemeBlockedError,
    SessionLostError,
    UnknownSnapshotError,
)
from perception.named_secrets import Masker
from perception.pipeline import Wish
from perception.refs import RefTable
from perception.render.text import PagedText
from perception.server.shelf import KeptContent, KeptList, Shelf
from perception.stages import timed
from perception.types import Capture, Element, Snapshot
from perception.untrusted import Fence
from perception.v1 import types_pb2

KEPT_SNAPSHOTS = 8
"""For cursors and for coordinates read from a snapshot: an agent loops over one or two."""

KEPT_OUTCOMES = 2
"""The same of those that actions took for their diffs: they may not push out what a caller asked for."""

KEPT_RESULTS = 256
"""Results kept for a repeated request_id."""


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


@dataclass(slots=True)
class Lifetime:
    """How long a session may live: `idle_s` after its last call, and `age_s` in all.

    Attributes:
        created_s, used_s: seconds since 1970, for people.
        calls: how many are under way. A session that is in use is not idle.
    """

    idle_s: float
    age_s: float
    clock: Callable[[], float] = time.monotonic
    created_s: float = field(default_factory=time.time)
    used_s: float = field(default_factory=time.time)
    calls: int = 0
    _born: float = field(init=False)
    _rested: float = field(init=False)

    def __post_init__(self) -> None:
        self._born = self._rested = self.clock()

    @contextmanager
    def using(self) -> Iterator[None]:
        """A call is under way inside."""
        self.calls += 1
        self.used_s = time.time()
        try:
            yield
        finally:
            self.calls -= 1
            self.used_s = time.time()
            self._rested = self.clock()

    @property
    def remaining_s(self) -> float:
        """Seconds until it ends when nobody calls, and so at the earliest."""
        now = self.clock()
        idle_since = now if self.calls else self._rested
        return min(idle_since + self.idle_s, self._born + self.age_s) - now

    @property
    def is_old(self) -> bool:
        return self.clock() >= self._born + self.age_s


@dataclass(slots=True, eq=False)
class Session:
    """One client's session; `principal` is who made it."""

    session_id: str
    options: SessionOptions
    browser: BrowserSession
    refs: RefTable
    memory: Memory
    contents: Shelf[KeptContent]
    lists: Shelf[KeptList]
    host: BrowserHost
    policy: UrlPolicy
    lifetime: Lifetime
    principal: str = ""
    snapshots: OrderedDict[str, KeptSnapshot] = field(default_factory=OrderedDict)
    known: dict[str, Known] = field(default_factory=dict)
    results: OrderedDict[tuple[str, str], Any] = field(default_factory=OrderedDict)
    last_snapshot: int = 0
    typed_secret: bool = False
    fence: Fence = field(default_factory=Fence)
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
            with timed("session lock"):
                await lock.acquire()
        try:
            tab = self.browser.tab(wanted)
            async with _dismissing(tab, budget) if leaving else nullcontext():
                tab.link.dialogs.check()
                await tab.link.rescue.wait_freed(budget)
                await self._leave_blocked_page(tab, budget)
                async with self._telling_why(tab, budget), _recovering(tab):
                    yield tab
            await self._leave_blocked_page(tab, budget)
        except PageCrashedError as exc:
            exc.metadata["epoch"] = str(tab.epoch)
            raise
        except SessionLostError as exc:
            if not self.browser.alive:
                exc.metadata["epoch"] = str(self.host.epoch + 1)
            raise
        finally:
            lock.release()

    @asynccontextmanager
    async def _telling_why(self, tab: Tab, budget: Budget) -> AsyncIterator[None]:
        """Chromium says no more than that its proxy failed: the proxy knows why."""
        try:
            yield
        except NavigationFailedError as exc:
            await self._leave_blocked_page(tab, budget)
            if self.browser.egress and (told := self.browser.egress.error_of(tab.link.unreachable)):
                raise told from exc
            raise

    async def _leave_blocked_page(self, tab: Tab, budget: Budget) -> None:
        """A page that went by itself, or by a click, where it may not be is left at once and never read."""
        try:
            await self._check_page(tab, budget)
        except (OriginBlockedError, SchemeBlockedError, BadInputError):
            with suppress(DeadlineError, PageCrashedError):  # the next call leaves it again
                await navigate(tab.link, "about:blank", WaitUntil.COMMIT, budget)
            raise

    async def _check_page(self, tab: Tab, budget: Budget) -> None:
        url, egress = tab.link.url, self.browser.egress
        if egress and isinstance(refused := egress.error_of(tab.link.unreachable), OriginBlockedError):
            raise refused
        check_page_scheme(url)
        if not url.startswith(("http:", "https:")) or urlsplit(url).netloc in self._allowed:
            return
        await self.policy.check(url, budget)
        self._allowed.add(urlsplit(url).netloc)

    @property
    def masker(self) -> Masker | None:
        """Masks the secrets that its principal may use, as of now; None where there are none."""
        return self.options.conceal() if self.options.conceal is not None else None

    def keep(self, kept: KeptSnapshot) -> None:
        """Without its picture, which is for the answer alone and takes megabytes."""
        self.snapshots[kept.snapshot.snapshot_id] = replace(kept, snapshot=replace(kept.snapshot, screenshot=None))
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
