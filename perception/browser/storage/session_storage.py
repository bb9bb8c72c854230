"""The cookies and the storage of one session: read and written while it runs.

Storage of an origin is read in an empty document of that origin, in a page that is not a tab: nothing of the site runs,
no request leaves the machine, and a page that hangs does not matter. Origins that the session began with and did not
visit are not read again.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import urlsplit

import msgspec
from playwright.async_api import BrowserContext
from playwright.async_api import Error as PlaywrightError

from perception.browser.cdp.cdp_link import CdpCallError, CdpLink
from perception.browser.network.policy import DEFAULT_PORTS, Origin
from perception.browser.opening import await_opened, close_whole
from perception.browser.storage.foreign import cookie_goes_to, is_one_of
from perception.browser.storage.state import (
    MAX_COOKIES,
    MAX_STATE_BYTES,
    MAX_STATE_ORIGINS,
    BrowserState,
    Cookie,
    OriginStorage,
    playwright_cookie,
)
from perception.browser.storage.storage_page import StoragePage, StoragePageError, StoragePages
from perception.deadline import Deadline
from perception.errors import SessionLostError, StateInvalidError
from perception.page_words import quoted_list, quoted_words

MAX_NOTES = 100
"""Sentences of one answer about what a state lacks."""

MAX_LOST = 1000
"""Origins that are known to be no longer read. Chosen by hand."""

MAX_DATABASES_CHARACTERS = 8 * 2**20
"""Limit of one origin's databases as JSON. Chosen by hand."""


class _Pages(Protocol):
    """The session, as its storage needs it."""

    @property
    def context(self) -> BrowserContext: ...

    @property
    def context_id(self) -> str: ...

    @property
    def link(self) -> CdpLink: ...


@dataclass(frozen=True, slots=True)
class StateReading:
    """A state as it was read.

    Attributes:
        omitted: what it lacks and why.
        unread: origins whose storage could not be read.
    """

    state: BrowserState
    omitted: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class StateWriting:
    """What came of a state that was written.

    Attributes:
        cookies: that the browser has taken.
        origins: whose storage was written.
        omitted: what was not taken and why.
    """

    cookies: int
    origins: int
    omitted: tuple[str, ...] = ()


class SessionStorage:
    """The cookies and the storage of a session.

    Attributes:
        pages: the hidden pages in which storage is read and written.
    """

    def __init__(self, session: _Pages) -> None:
        self._session = session
        self.pages = StoragePages()
        self._lock = asyncio.Lock()
        self._visited: OrderedDict[str, None] = OrderedDict()
        self._unvisited: dict[str, OriginStorage] = {}
        self._lost: set[str] = set()

    def note_visit(self, url: str, top_url: str) -> None:
        """Notes that a frame shows a document of this URL, in a tab of that one. Frames of other sites have storage
        apart, by the site of their tab: it is not a part of a state."""
        origin = _origin_of(url)
        if origin is None or not _is_same_site(url, top_url):
            return
        self._unvisited.pop(origin, None)
        self._visited[origin] = None
        self._visited.move_to_end(origin)
        while len(self._visited) > MAX_STATE_ORIGINS:
            self._lost.add(self._visited.popitem(last=False)[0])
        while len(self._lost) > MAX_LOST:
            self._lost.pop()

    def note_new_context(self) -> None:
        """Notes that the browser context was replaced by one with the same cookies and no storage."""
        self._lost |= set(self._visited)
        self._visited.clear()

    async def read(self, deadline: Deadline, origins: Sequence[Origin] = (), *, databases: bool = True) -> StateReading:
        """The state as of now.

        Args:
            origins: only what goes to these; everything when empty.
            databases: with IndexedDB.

        Raises:
            SessionLostError: the browser is gone.
            DeadlineError
        """
        async with self._using(deadline, "reading the session's state"):
            cookies = await self._cookies()
            wanted = [each for each in self._visited if not origins or is_one_of(each, origins)]
            kept = [each for each in self._unvisited.values() if not origins or is_one_of(each.origin, origins)]
            stored, omitted = await self._read_origins(wanted, databases, deadline)
            unread = frozenset(self._lost | (set(wanted) - {each.origin for each in stored}))
        if not databases:
            kept = [OriginStorage(each.origin, each.local_storage) for each in kept]
        mine = [each for each in cookies if not origins or cookie_goes_to(each, origins)]
        state = BrowserState(mine, [each for each in (*kept, *stored) if not each.is_empty])
        return replace(fit_state(state, omitted), unread=unread)

    async def write(self, state: BrowserState, deadline: Deadline) -> StateWriting:
        """Adds a state to what the session has.

        Raises:
            StateInvalidError: the browser takes one of the cookies not at all.
            SessionLostError: the browser is gone.
            DeadlineError
        """
        async with self._using(deadline, "writing the session's state"):
            cookies, omitted = await self._write_cookies(state.cookies)
            written, lost = await self._write_origins(state.origins, deadline)
        return StateWriting(cookies, written, tuple((omitted + lost)[:MAX_NOTES]))

    @asynccontextmanager
    async def _using(self, deadline: Deadline, phase: str) -> AsyncIterator[None]:
        try:
            async with deadline.phase(phase), self._lock:
                yield
        except (PlaywrightError, CdpCallError) as exc:
            raise SessionLostError("the session was closed, or its browser is gone: create a new session") from exc

    async def _cookies(self) -> list[Cookie]:
        return msgspec.convert(await self._session.context.cookies(), list[Cookie])

    async def _read_origins(
        self, origins: Sequence[str], databases: bool, deadline: Deadline
    ) -> tuple[list[OriginStorage], list[str]]:
        stored: list[OriginStorage] = []
        omitted: list[str] = []
        if not origins:
            return stored, omitted
        options = {"databases": databases, "maxLength": MAX_DATABASES_CHARACTERS}
        async with self._storage_page(deadline) as page:
            for origin in origins:
                try:
                    found = await page.run(origin, "collect", options, deadline)
                except StoragePageError as exc:
                    omitted.append(f"storage of {quoted_words(origin)} cannot be read: {quoted_words(str(exc))}")
                    continue
                omitted += _notes(origin, found.pop("omitted"))
                stored.append(msgspec.convert({"origin": origin} | found, OriginStorage))
        return stored, omitted

    async def _write_cookies(self, cookies: Sequence[Cookie]) -> tuple[int, list[str]]:
        now = time.time()
        alive = [each for each in cookies if each.expires == -1 or each.expires > now]
        omitted = []
        if ended := len(cookies) - len(alive):
            omitted.append(f"{ended} cookies have expired: log in again for new ones")
        if not alive:
            return 0, omitted
        context = self._session.context
        try:
            await context.add_cookies([playwright_cookie(each) for each in alive])
        except PlaywrightError as exc:
            refused = await _refused_cookies(context, alive)
            if not refused:
                raise
            raise StateInvalidError(
                f"the browser refuses {len(refused)} of the state's cookies, such as {quoted_words(refused[0].name)} "
                f"of {quoted_words(refused[0].domain)}: check their domain, path and prefix (__Host-, __Secure-)"
            ) from exc
        known = {each.identity for each in await self._cookies()}
        missing = [each for each in alive if each.identity not in known]
        if missing:
            names = quoted_list([each.name for each in missing[:5]])
            omitted.append(f"{len(missing)} cookies that the browser did not keep: {names}")
        return len(alive) - len(missing), omitted

    async def _write_origins(self, origins: Sequence[OriginStorage], deadline: Deadline) -> tuple[int, list[str]]:
        written = 0
        omitted: list[str] = []
        if not origins:
            return written, omitted
        async with self._storage_page(deadline) as page:
            for each in origins:
                try:
                    omitted += await self._write_origin(page, each, deadline)
                    written += 1
                except StoragePageError as exc:
                    omitted.append(
                        f"storage of {quoted_words(each.origin)} cannot be written: {quoted_words(str(exc))}"
                    )
        return written, omitted

    async def _write_origin(self, page: StoragePage, storage: OriginStorage, deadline: Deadline) -> list[str]:
        """Returns what was not taken. Raises StoragePageError where nothing was."""
        origin = _origin_of(storage.origin) or storage.origin
        content = msgspec.to_builtins(storage)
        done = await page.run(origin, "restore", content, deadline)
        if origin not in self._visited:
            self._unvisited[origin] = OriginStorage(origin, storage.local_storage, storage.databases)
        return _notes(origin, done["omitted"])

    def _storage_page(self, deadline: Deadline) -> AbstractAsyncContextManager[StoragePage]:
        return self.pages.open(self._session.link, self._session.context_id, deadline)


async def _refused_cookies(context: BrowserContext, cookies: Iterable[Cookie]) -> list[Cookie]:
    """The cookies that a browser does not take, which it does not name: tried one by one in a context of their own."""
    assert context.browser is not None  # contexts of sessions have one
    scratch = await await_opened(context.browser.new_context(), BrowserContext.close)
    refused = []
    try:
        for each in cookies:
            try:
                await scratch.add_cookies([playwright_cookie(each)])
            except PlaywrightError:
                refused.append(each)
    finally:
        await close_whole(scratch.close())
    return refused


def fit_state(state: BrowserState, omitted: list[str]) -> StateReading:
    """A state within the limits: without the largest databases, then without the largest origins."""
    state = BrowserState(state.cookies[-MAX_COOKIES:], state.origins[-MAX_STATE_ORIGINS:])
    if len(state.to_json()) > MAX_STATE_BYTES:
        sizes = {each.origin: len(msgspec.json.encode(each.databases)) for each in state.origins}
        state, notes = _without_largest(state, sizes)
        omitted = notes + omitted
    return StateReading(state, tuple(omitted[:MAX_NOTES]))


def _without_largest(state: BrowserState, sizes: dict[str, int]) -> tuple[BrowserState, list[str]]:
    over = len(state.to_json()) - MAX_STATE_BYTES
    dropped: set[str] = set()
    for origin in sorted(sizes, key=lambda each: sizes[each], reverse=True):
        if over <= 0:
            break
        dropped.add(origin)
        over -= sizes[origin]
    origins = [
        OriginStorage(each.origin, each.local_storage) if each.origin in dropped else each for each in state.origins
    ]
    notes = [
        f"databases of {quoted_words(each)}: the state would be over {MAX_STATE_BYTES // 2**20} MiB" for each in dropped
    ]
    while origins and len(BrowserState(state.cookies, origins).to_json()) > MAX_STATE_BYTES:
        largest = max(origins, key=lambda each: len(msgspec.json.encode(each)))
        origins.remove(largest)
        notes.append(
            f"storage of {quoted_words(largest.origin)}: the state would be over {MAX_STATE_BYTES // 2**20} MiB"
        )
    return BrowserState(state.cookies, origins), notes


def _notes(origin: str, found: Iterable[tuple[str, str, str]]) -> list[str]:
    return [f"{kind} {quoted_words(name)} of {quoted_words(origin)}: {why}" for kind, name, why in found]


def _origin_of(url: str) -> str | None:
    """The origin of an http or https URL, as browsers write it."""
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.netloc:
        return None
    place = parts.netloc.rpartition("@")[2].lower().removesuffix(f":{DEFAULT_PORTS[parts.scheme]}")
    return f"{parts.scheme}://{place}"


def _is_same_site(url: str, top_url: str) -> bool:
    """Whether a frame has the storage that its origin has in a tab of its own: the last two parts of both names are the
    same. Where a public suffix has two parts this also takes other sites, which only are read in vain."""
    names = [(urlsplit(each).hostname or "").split(".")[-2:] for each in (url, top_url)]
    return names[0] == names[1]
