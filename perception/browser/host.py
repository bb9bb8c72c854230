"""The browser that holds sessions, started by us or found at a CDP endpoint, and the two connections to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from playwright.async_api import Browser, BrowserContext, Playwright, ProxySettings, async_playwright
from playwright.async_api import Error as PlaywrightError

from perception.browser import own_ports
from perception.browser.cdp import CdpLink
from perception.browser.chromium import Chromium, LaunchOptions, find_executable, launch, new_folder
from perception.browser.egress import EgressProxy
from perception.browser.evaluate import Evaluator
from perception.browser.leftovers import Folder
from perception.browser.policy import host_and_port
from perception.browser.session import BrowserSession, SessionOptions
from perception.budget import Budget
from perception.errors import BadInputError, BrowserUnavailableError, DeadlineError, PerceptionError, SessionLostError

VERSION_PATH = "/json/version"

MAX_VERSION_BYTES = 2**20


class BrowserHost:
    """A browser and the two connections to it: started by us, or found running at a CDP endpoint.

    `epoch` is raised by each browser of a service that was lost.
    """

    def __init__(
        self,
        playwright: Playwright,
        browser: Browser,
        link: CdpLink,
        ws_url: str,
        folder: Folder,
        chromium: Chromium | None,
    ) -> None:
        self._playwright = playwright
        self._browser = browser
        self.link = link
        self.evaluator = Evaluator(ws_url)
        self._folder = folder
        self._chromium = chromium
        self._tasks: set[asyncio.Task[None]] = set()
        self._parted = asyncio.Event()
        browser.on("disconnected", lambda _: self._parted.set())
        # Of a driver that died Playwright tells nobody, and calls its browsers connected (1.65).
        playwright._impl_obj._connection.on("close", lambda *_: self._parted.set())
        self.epoch = 1
        self._proxies: set[EgressProxy] = set()
        place = host_and_port(ws_url.replace("ws", "http", 1))
        self._own_port = place[1] if place and chromium is not None else 0
        self._is_here = chromium is not None or (place is not None and own_ports.is_here(place[0]))
        if self._own_port:
            own_ports.guard(self._own_port)

    @classmethod
    async def start(cls, options: LaunchOptions, budget: Budget) -> BrowserHost:
        """Launches a browser of our own.

        Raises:
            BrowserUnavailableError, SandboxUnavailableError: see `launch`.
        """
        playwright = await _start_driver(budget)
        chromium = None
        try:
            executable = find_executable(options, playwright.chromium.executable_path)
            chromium = await launch(options, executable, budget)
            return await cls._connect(playwright, chromium.ws_url, chromium.folder, chromium, budget)
        except BaseException:
            if chromium is not None:
                await chromium.close()
            await playwright.stop()
            raise

    @classmethod
    async def attach(cls, endpoint: str, budget: Budget) -> BrowserHost:
        """Uses a browser that runs already; it is left running.

        Args:
            endpoint: `http://host:port` or the `ws://…` of its browser target.
        """
        ws_url = endpoint if endpoint.startswith(("ws://", "wss://")) else await _ws_url(endpoint, budget)
        folder = new_folder()
        try:
            playwright = await _start_driver(budget)
            try:
                return await cls._connect(playwright, ws_url, folder, None, budget)
            except BaseException:
                await playwright.stop()
                raise
        except BaseException:
            folder.remove()
            raise

    @classmethod
    async def _connect(
        cls, playwright: Playwright, ws_url: str, folder: Folder, chromium: Chromium | None, budget: Budget
    ) -> BrowserHost:
        try:
            async with budget.phase("connecting to the browser"):
                browser = await playwright.chromium.connect_over_cdp(
                    ws_url, timeout=budget.remaining() * 1000, artifacts_dir=folder.driver
                )
        except PlaywrightError as exc:
            raise BrowserUnavailableError(
                "the browser's CDP endpoint does not answer: check that it runs and that the address is right"
            ) from exc
        link = await CdpLink.connect(ws_url, budget)
        return cls(playwright, browser, link, ws_url, folder, chromium)

    @property
    def alive(self) -> bool:
        return not (self.link.closed.is_set() or self._parted.is_set())

    async def gone(self) -> None:
        """Waits until the browser, or a connection to it, is gone."""
        waiting = [asyncio.create_task(self.link.closed.wait()), asyncio.create_task(self._parted.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()

    @property
    def version(self) -> str:
        return f"Chromium {self._browser.version}"

    @property
    def endpoint(self) -> str:
        """`http://host:port` of a browser of ours, for other programs to attach to; empty for somebody else's."""
        return f"http://127.0.0.1:{urlsplit(self._chromium.ws_url).port}" if self._chromium else ""

    @property
    def pid(self) -> int | None:
        return self._chromium.pid if self._chromium else None

    async def new_session(
        self, options: SessionOptions, on_tab_closed: Callable[[str], None], budget: Budget
    ) -> BrowserSession:
        """A context of its own with one empty tab."""
        egress = None
        try:
            async with budget.phase("creating a browser context"):
                egress = await self._open_egress(options)
                opening = asyncio.ensure_future(self.new_context(options, egress))
                try:
                    context = await asyncio.shield(opening)
                except asyncio.CancelledError:
                    opening.add_done_callback(self._close_unclaimed)
                    raise
        except BaseException as exc:
            if egress is not None:
                await self.close_egress(egress)
            if isinstance(exc, PlaywrightError):
                raise _context_error(exc, options) from exc
            raise
        session = BrowserSession(self, context, options, on_tab_closed, egress)
        try:
            await session.new_tab(budget)
        except PlaywrightError as exc:
            await session.close()
            raise _context_error(exc, options) from exc
        except BaseException:
            await session.close()
            raise
        return session

    async def _open_egress(self, options: SessionOptions) -> EgressProxy | None:
        """None where nothing is held to rules, and for a browser on another machine: it cannot reach a proxy here."""
        if options.policy is None or not self._is_here:
            return None
        egress = await EgressProxy.start(options.policy)
        self._proxies.add(egress)
        return egress

    async def close_egress(self, egress: EgressProxy) -> None:
        self._proxies.discard(egress)
        await egress.close()

    async def new_context(self, options: SessionOptions, egress: EgressProxy | None = None) -> BrowserContext:
        viewport = options.viewport
        # `<-loopback>`: Chromium goes past a proxy to loopback names and addresses unless it is told not to.
        proxy: ProxySettings | None = {"server": egress.url, "bypass": "<-loopback>"} if egress else None
        return await self._browser.new_context(
            viewport={"width": viewport.width, "height": viewport.height},
            device_scale_factor=viewport.scale,
            locale=options.locale or None,
            timezone_id=options.timezone or None,
            color_scheme=_COLOR_SCHEMES[options.color_scheme],
            proxy=proxy,
        )

    def make_folder(self, purpose: str) -> Path | None:
        """A new folder that the browser can write to and read from; None for one that is not ours. It goes with it.

        Raises:
            SessionLostError: somebody has removed the browser's own, as programs do that tidy up temporary files.
        """
        if self._chromium is None:
            return None
        try:
            return self._chromium.make_folder(f"{purpose}-{secrets.token_hex(4)}")
        except FileNotFoundError as exc:
            raise SessionLostError("the browser's folder was removed: create a new session") from exc

    @property
    def has_folder(self) -> bool:
        """False of a browser of ours whose folder somebody has removed: it opens no more sessions."""
        return self._chromium is None or self._folder.home.is_dir()

    async def kill(self) -> None:
        """Ends a browser of ours that does not answer; its sessions are lost."""
        if self._chromium is not None:
            await self._chromium.close()

    async def close(self) -> None:
        """Ends the browser if it is ours, and both connections."""
        for task in list(self._tasks):
            task.cancel()
        if self._own_port:
            own_ports.release(self._own_port)
            self._own_port = 0
        await asyncio.gather(*map(self.close_egress, tuple(self._proxies)))
        await self.evaluator.close()
        await self.link.close()
        if self._chromium is not None:
            await self._chromium.close()
        else:
            with contextlib.suppress(PlaywrightError):
                await self._browser.close()
        await self._playwright.stop()
        self._folder.remove()

    def _close_unclaimed(self, opening: asyncio.Future[BrowserContext]) -> None:
        """A context whose caller has gone before it came is closed when it comes."""

        async def close() -> None:
            with contextlib.suppress(PlaywrightError):
                await opening.result().close()

        if not opening.cancelled() and opening.exception() is None:
            self.keep(asyncio.create_task(close(), name="close-unclaimed"))

    def keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_stopping: set[asyncio.Task[None]] = set()


async def _start_driver(budget: Budget) -> Playwright:
    """Playwright's driver. One whose caller leaves meanwhile is ended once it is there: before, nobody can end it."""
    starting = asyncio.ensure_future(async_playwright().start())
    try:
        async with budget.phase("starting the browser's driver"):
            return await asyncio.shield(starting)
    except (asyncio.CancelledError, DeadlineError):
        starting.add_done_callback(_stop_unclaimed)
        raise


def _stop_unclaimed(starting: asyncio.Future[Playwright]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        stopping = asyncio.create_task(starting.result().stop(), name="stop-unclaimed")
        _stopping.add(stopping)
        stopping.add_done_callback(_stopping.discard)


_COLOR_SCHEMES: dict[str, Literal["light", "dark"] | None] = {"": None, "light": "light", "dark": "dark"}


def _context_error(error: PlaywrightError, options: SessionOptions) -> PerceptionError:
    """Playwright's own words for a wrong option are clear, but name no field of ours."""
    text = str(error)
    for name, value in (("timezone", options.timezone), ("locale", options.locale)):
        if name in text.lower():
            return BadInputError(f"{name} {value!r} is not known to the browser", field=f"options.{name}")
    return SessionLostError("the browser did not open a session: try again")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """None: the redirect itself is the answer, and an error."""


async def _ws_url(endpoint: str, budget: Budget) -> str:
    """A browser's WebSocket address, from its HTTP endpoint: the path is what it answers, the host the endpoint's own.
    It was checked, and whoever answers there may not send us elsewhere; so redirects are not followed either."""
    place = urlsplit(endpoint)

    def fetch() -> str:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
        with opener.open(endpoint.rstrip("/") + VERSION_PATH, timeout=max(0.1, budget.remaining())) as reply:
            told = urlsplit(str(json.loads(reply.read(MAX_VERSION_BYTES))["webSocketDebuggerUrl"]))
        scheme = "wss" if place.scheme == "https" else "ws"
        return urlunsplit((scheme, place.netloc, told.path, told.query, ""))

    try:
        async with budget.phase("connecting to the browser"):
            return await asyncio.to_thread(fetch)
    except (OSError, ValueError, KeyError) as exc:
        raise BrowserUnavailableError(
            "the CDP endpoint gives no browser address: check that it is a Chromium's remote debugging port"
        ) from exc
