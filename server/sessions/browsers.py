"""The browsers of a service: one shared by all sessions, and dedicated ones on request.

Memory: a browser over its limit gets no more sessions and ends with its last one; a new one replaces it. Once it is a
fifth below the limit it gets sessions again. While all browsers together are over the service's limit, no session is
opened until they are a fifth below it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import structlog

from perception.browser.browser_session import BrowserSession, PopupListener, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.chromium.process_memory import machine_bytes, tree_bytes
from perception.deadline import Deadline, loop_time
from perception.errors import (
    BrowserUnavailableError,
    DeadlineError,
    MemoryLimitError,
    PerceptionError,
    SessionLostError,
)
from perception.instrumentation.metrics import BROWSER_PSS_BYTES, BROWSER_RESTARTS
from perception.server.environment import how_to_set, variable_of
from perception.server.settings import Settings

log = structlog.get_logger(__name__)

RELIEF = 0.8
"""Share of a limit below which a browser counts as relieved. It keeps a browser near its limit from alternating."""

SLOW_SECONDS = 5.0
"""A session opens in 0.3 s, on a busy machine in seconds. After this time the browser's health is checked."""

PROBE_SECONDS = 10.0

BROWSER_START_SECONDS = 60.0
"""Limit for the start of the shared browser, also if its callers leave."""

SLOW_ANSWER_SECONDS = 0.5
"""Limit for a browser to report its version, which takes a millisecond."""

ENDING_SECONDS = 1.0
"""Limit for the end of a browser to be seen after a session could not be opened in it. It is seen in milliseconds, on a
busy machine later. Chosen by hand."""

SHARE_OF_ALL, SHARE_OF_ONE = 0.75, 0.4
"""Default limits, as shares of the machine's memory."""


class UnfitError(SessionLostError):
    """A browser that opens no sessions, or ended as it opened one: another one is needed."""


class Browsers:
    """Starts, checks and ends browsers. A browser lives while sessions use it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lost_listeners: list[Callable[[BrowserHost], None]] = []
        self._shared: BrowserHost | None = None
        self._starting: asyncio.Task[BrowserHost] | None = None
        self._lock = asyncio.Lock()
        self._held: dict[BrowserHost, int] = {}
        self._heavy: set[BrowserHost] = set()
        self._unfit: dict[BrowserHost, asyncio.Event] = {}
        self._probing: dict[BrowserHost, asyncio.Task[None]] = {}
        self._watching: dict[BrowserHost, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._is_full = False
        self._cause = ""
        self._total = 0
        self._shared_since_s = 0.0
        memory = machine_bytes()
        self._limit_all = (settings.memory_limit_mib or int(memory * SHARE_OF_ALL) // 2**20) * 2**20
        self._limit_one = (settings.browser_memory_mib or int(memory * SHARE_OF_ONE) // 2**20) * 2**20
        self.lost = 0

    @property
    def all(self) -> tuple[BrowserHost, ...]:
        return tuple(self._held)

    @property
    def memory_share(self) -> float:
        """Share of the memory that all browsers together may use, as of the last check; over 1 no session opens."""
        share = self._total / self._limit_all
        return max(share, 1.0) if self._is_full else share

    @property
    def shared_age_s(self) -> float | None:
        """How long the shared browser has run; None where there is none."""
        return None if self._shared is None else loop_time() - self._shared_since_s

    def check_memory(self) -> None:
        """Raises MemoryLimitError while memory does not allow another session."""
        if self._is_full:
            raise MemoryLimitError(
                f"the browsers use over {self._limit_all // 2**20} MiB, this service's limit: close a session, try "
                f"again later, or start the service with more ({how_to_set('memory_limit_mib')})",
                limit=str(self._limit_all // 2**20),
                setting=variable_of("memory_limit_mib"),
            )

    def is_short(self, host: BrowserHost) -> bool:
        """Whether memory is short: in this browser, or in all together."""
        return self._is_full or host in self._heavy

    def when_lost(self, listener: Callable[[BrowserHost], None]) -> None:
        """Has a listener called with each browser that ended by itself."""
        self._lost_listeners.append(listener)

    def begin_start(self) -> None:
        """Begins to start the shared browser, as `start_ahead`, which waits for it."""
        self._start_once()

    async def start_ahead(self) -> None:
        """Starts the shared browser before its first session, which tries again where this does not work. Does nothing
        where it runs."""
        if self._shared is None:
            with contextlib.suppress(PerceptionError):
                await asyncio.shield(self._start_once())

    async def take_shared(self, deadline: Deadline) -> BrowserHost:
        """The shared browser: started with the first session, again after a crash or when it is over its memory
        limit."""
        async with deadline.phase("starting the browser"):
            await self._lock.acquire()
        try:
            now = self._shared
            if now is None or not now.alive or now in self._heavy or self._is_unfit(now):
                self._shared = None
                if now is not None and now.alive:
                    await self._end_if_unused(now)
                now = await self._start_shared(deadline)
            if now not in self._held:
                raise SessionLostError("the browser ended as it started: try again")
            self._held[now] += 1
            return now
        finally:
            self._lock.release()

    async def take_own(self, deadline: Deadline) -> BrowserHost:
        """A browser for one session."""
        host = await self._start(deadline)
        self._held[host] += 1
        return host

    async def attach(self, endpoint: str, deadline: Deadline) -> BrowserHost:
        """A browser at a CDP endpoint, for one session."""
        host = self._adopt(await BrowserHost.attach(endpoint, deadline))
        self._held[host] += 1
        return host

    async def release(self, host: BrowserHost) -> None:
        """Called when a session of the browser was closed. Ends a browser that has no sessions and gets no more."""
        if host in self._held:
            self._held[host] -= 1
            await self._end_if_unused(host)

    async def open_session(
        self,
        host: BrowserHost,
        options: SessionOptions,
        on_tab_closed: Callable[[str], None],
        deadline: Deadline,
        on_popup: PopupListener | None = None,
    ) -> BrowserSession:
        """A new session in a browser. Arguments as of `BrowserHost.new_session`.

        Raises:
            UnfitError: the browser opens no more sessions: use another one.
        """
        opening = asyncio.ensure_future(host.new_session(options, on_tab_closed, deadline, on_popup))
        unfit = asyncio.ensure_future(self._unfitness(host).wait())
        doubt = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._doubt, host)
        try:
            await asyncio.wait((opening, unfit), return_when=asyncio.FIRST_COMPLETED)
            if not opening.done():
                raise UnfitError("the browser opens no sessions any more: try again")
            return opening.result()
        except asyncio.CancelledError:
            if opening.done() and not opening.exception():  # it came too late
                host.keep(asyncio.create_task(opening.result().close(), name="close-unclaimed"))
            raise
        except UnfitError:  # known already: there is no end to wait for
            raise
        except SessionLostError as exc:
            if await self._ends(host, deadline):
                raise UnfitError("the browser ended as it opened the session: try again") from exc
            self._doubt(host)
            raise
        finally:
            doubt.cancel()
            unfit.cancel()
            opening.cancel()

    @staticmethod
    async def _ends(host: BrowserHost, deadline: Deadline) -> bool:
        """Whether a browser that did not open a session is gone. What fails in it may be known before its end is."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(ENDING_SECONDS, deadline.remaining())):
                await host.gone()
        return not host.alive

    def _unfitness(self, host: BrowserHost) -> asyncio.Event:
        return self._unfit.setdefault(host, asyncio.Event())

    def _doubt(self, host: BrowserHost) -> None:
        """Checks a browser in which a session could not be opened: if an empty one cannot either, it gets no more
        sessions."""
        if host in self._held and host not in self._probing:
            self._probing[host] = asyncio.create_task(self._probe(host), name="probe-browser")

    async def end_all(self) -> None:
        for task in [*self._probing.values(), *self._watching.values()]:
            task.cancel()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        await asyncio.gather(*(self._end(host) for host in self.all))
        await asyncio.gather(*self._ending, return_exceptions=True)

    async def watch_memory(self) -> None:
        """Checks the browsers, their memory and their folders, while the service runs."""
        while True:
            await asyncio.sleep(self._settings.memory_check_s)
            await self.look_at_memory()
            await self.look_at_folders()

    async def look_at_folders(self) -> None:
        """Ends the browsers whose folder was removed: those with sessions once these have ended."""
        for host in self.all:
            if self._is_unfit(host):
                await self._end_if_unused(host)

    async def look_at_memory(self) -> None:
        """One check."""
        by_pid = {host.pid: host for host in self._held if host.pid is not None}
        sizes = await asyncio.to_thread(tree_bytes, by_pid)
        total = sum(sizes.values())
        BROWSER_PSS_BYTES.set(total)
        self._total = total
        self._is_full = _is_over(total, self._limit_all, self._is_full)
        for pid, size in sizes.items():
            host = by_pid[pid]
            was = host in self._heavy
            if not _is_over(size, self._limit_one, was):
                self._heavy.discard(host)
            elif host in self._held:
                self._heavy.add(host)
                if not was:
                    log.warning("browser over its memory limit", mib=size >> 20, limit_mib=self._limit_one >> 20)
                await self._end_if_unused(host)

    async def _start_shared(self, deadline: Deadline) -> BrowserHost:
        """Continues when its caller leaves: callers with short deadlines would otherwise end one slow start after
        another."""
        async with deadline.phase("starting the browser"):
            return await asyncio.shield(self._start_once())

    def _start_once(self) -> asyncio.Task[BrowserHost]:
        """The start that is under way; a new one where there is none."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start_in_time(), name="start-browser")
            self._starting.add_done_callback(self._started)
        return self._starting

    async def _start_in_time(self) -> BrowserHost:
        try:
            return await self._start(Deadline.of(BROWSER_START_SECONDS))
        except DeadlineError as exc:
            raise BrowserUnavailableError(
                f"the browser was not up within {BROWSER_START_SECONDS:g} s: `perception doctor` may say why"
            ) from exc

    def _started(self, starting: asyncio.Task[BrowserHost]) -> None:
        self._starting = None
        if not starting.cancelled() and starting.exception() is None:
            self._shared = starting.result()
            self._shared_since_s = loop_time()

    async def _start(self, deadline: Deadline) -> BrowserHost:
        settings = self._settings
        if settings.cdp_endpoint:
            host = await BrowserHost.attach(settings.cdp_endpoint, deadline)
        else:
            host = await BrowserHost.start(
                LaunchOptions(settings.browser_path, settings.headless, settings.sandbox, walled=True), deadline
            )
        if self._cause:
            BROWSER_RESTARTS.labels(cause=self._cause).inc()
            self._cause = ""
        return self._adopt(host)

    def _adopt(self, host: BrowserHost) -> BrowserHost:
        host.epoch = self.lost + 1
        self._held[host] = 0
        self._watching[host] = asyncio.create_task(self._lose_when_gone(host), name="watch-browser")
        return host

    async def _lose_when_gone(self, host: BrowserHost) -> None:
        await host.gone()
        if host not in self._held:
            return
        self.lost += 1
        self._cause = "crash"
        log.warning("browser gone", sessions=self._held.get(host))
        for listener in self._lost_listeners:
            listener(host)
        await self._end(host)

    async def _probe(self, host: BrowserHost) -> None:
        """Stops new sessions in a browser that cannot open an empty one. On a busy machine its version is slow, too."""
        try:
            session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(PROBE_SECONDS))
            await session.close()
        except PerceptionError:
            start = loop_time()
            with contextlib.suppress(PerceptionError):
                await host.link.session().call("Browser.getVersion", Deadline.of(PROBE_SECONDS), "asking its version")
            spent_s = loop_time() - start
            if not SLOW_ANSWER_SECONDS < spent_s < PROBE_SECONDS:
                log.warning("browser opens no sessions any more", sessions=self._held.get(host))
                self._unfitness(host).set()
                await self._end_if_unused(host)
        finally:
            self._probing.pop(host, None)

    def _is_unfit(self, host: BrowserHost) -> bool:
        unfit = self._unfitness(host)
        if not host.has_folder and not unfit.is_set():
            log.warning(
                "a browser's folder was removed: another browser has the new sessions", sessions=self._held[host]
            )
            unfit.set()
        return unfit.is_set()

    async def _end_if_unused(self, host: BrowserHost) -> None:
        is_spent = host in self._heavy or self._is_unfit(host)
        if self._held.get(host) == 0 and (host is not self._shared or is_spent):
            if is_spent:
                self._cause = "memory" if host in self._heavy else "hung" if host.has_folder else "folder"
            await self._end(host)

    async def _end(self, host: BrowserHost) -> None:
        if host is self._shared:
            self._shared = None
        self._heavy.discard(host)
        self._unfit.pop(host, None)
        self._held.pop(host, None)
        watching = self._watching.pop(host, None)
        if watching is not None and watching is not asyncio.current_task():
            watching.cancel()
        ending = asyncio.create_task(host.close(), name="end-browser")  # it continues when no caller waits
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        await asyncio.gather(asyncio.shield(ending), return_exceptions=True)


def _is_over(size: int, limit: int, was: bool) -> bool:
    return size >= limit * (RELIEF if was else 1)
