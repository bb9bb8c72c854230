"""The browser that holds sessions, started by us or found at a CDP endpoint, and the two connections to it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, CDPSession, Playwright, ProxySettings
from playwright.async_api import Error as PlaywrightError

from perception.browser.browser_session import BrowserSession, PopupListener, SessionOptions
from perception.browser.cdp.cdp_link import CdpLink
from perception.browser.chromium.cdp_endpoint import websocket_url
from perception.browser.chromium.driver import start_driver
from perception.browser.chromium.driver_end import driver_pid, on_driver_end
from perception.browser.chromium.driver_events import watch_driver
from perception.browser.chromium.flood_guard import FloodGuard
from perception.browser.chromium.launch import Chromium, LaunchOptions, find_executable, launch, new_folder
from perception.browser.chromium.leftovers import Folder
from perception.browser.chromium.slowed_pages import SlowedPages
from perception.browser.evaluate.evaluator import Evaluator
from perception.browser.network import reserved_ports
from perception.browser.network.policy import host_and_port
from perception.browser.network.proxy import EgressProxy
from perception.browser.opening import await_opened
from perception.browser.page.download import FOLDER_REMOVED
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    BrowserUnavailableError,
    PerceptionError,
    SessionLostError,
    UnknownTabError,
)


class BrowserHost:
    """A browser and the two connections to it: started by us, or attached at a CDP endpoint.

    Attributes:
        link: our own connection.
        evaluator: runs clients' scripts.
        epoch: from 1; one more for each browser of the service that was lost before.
    """

    def __init__(
        self,
        playwright: Playwright,
        browser: Browser,
        commands: CDPSession,
        link: CdpLink,
        ws_url: str,
        folder: Folder,
        chromium: Chromium | None,
    ) -> None:
        self._playwright = playwright
        self._browser = browser
        self._commands = commands
        self.link = link
        self.evaluator = Evaluator(ws_url)
        self._folder = folder
        self._chromium = chromium
        self._tasks: set[asyncio.Task[None]] = set()
        self._disconnected = asyncio.Event()
        browser.on("disconnected", lambda _: self._disconnected.set())
        on_driver_end(playwright, self._disconnected.set)
        self._driver_events = watch_driver(playwright)
        self.epoch = 1
        self._proxies: set[EgressProxy] = set()
        place = host_and_port(ws_url.replace("ws", "http", 1))
        self._own_port = place[1] if place and chromium is not None else 0
        self._is_here = chromium is not None or (place is not None and reserved_ports.is_here(place[0]))
        if self._own_port:
            reserved_ports.guard(self._own_port)
        self._contexts: set[BrowserContext] = set()
        self._flood_guard: FloodGuard | None = None
        self._slowed_pages = SlowedPages()
        if chromium is not None:
            self._flood_guard = FloodGuard(
                chromium.pid,
                driver_pid(playwright),
                lambda: self._driver_events.spent_s + link.events_s,
                lambda: len(self._contexts) > 1,
            )
            self._flood_guard.start()

    @classmethod
    async def start(cls, options: LaunchOptions, deadline: Deadline) -> BrowserHost:
        """Launches a browser.

        Raises:
            BrowserUnavailableError, SandboxUnavailableError, DeadlineError: see `launch`.
        """
        playwright = await start_driver(deadline)
        chromium = None
        try:
            executable = find_executable(options, playwright.chromium.executable_path)
            chromium = await launch(options, executable, deadline)
            return await cls._connect(playwright, chromium.ws_url, chromium.folder, chromium, deadline)
        except BaseException:
            if chromium is not None:
                await chromium.close()
            await playwright.stop()
            raise

    @classmethod
    async def attach(cls, endpoint: str, deadline: Deadline) -> BrowserHost:
        """Attaches to a running browser; `close` leaves it running.

        Args:
            endpoint: `http://host:port`, or the `ws://…` of its browser target.

        Raises:
            BrowserUnavailableError: no browser answers there.
        """
        ws_url = endpoint if endpoint.startswith(("ws://", "wss://")) else await websocket_url(endpoint, deadline)
        folder = new_folder()
        try:
            playwright = await start_driver(deadline)
            try:
                return await cls._connect(playwright, ws_url, folder, None, deadline)
            except BaseException:
                await playwright.stop()
                raise
        except BaseException:
            folder.remove()
            raise

    @classmethod
    async def _connect(
        cls, playwright: Playwright, ws_url: str, folder: Folder, chromium: Chromium | None, deadline: Deadline
    ) -> BrowserHost:
        try:
            async with deadline.phase("connecting to the browser"):
                # The tabs of a browser that is not ours stay as they are: no focus, media or downloads are set there.
                browser = await playwright.chromium.connect_over_cdp(
                    ws_url,
                    timeout=deadline.remaining() * 1000,
                    artifacts_dir=folder.driver,
                    no_defaults=chromium is None,
                )
                commands = await browser.new_browser_cdp_session()
        except PlaywrightError as exc:
            raise BrowserUnavailableError(
                "the browser's CDP endpoint does not answer: check that it runs and that the address is right"
            ) from exc
        link = await CdpLink.connect(ws_url, deadline)
        return cls(playwright, browser, commands, link, ws_url, folder, chromium)

    @property
    def alive(self) -> bool:
        """Whether the browser and both connections to it are there."""
        return not (self.link.closed.is_set() or self._disconnected.is_set())

    async def gone(self) -> None:
        """Waits until the browser, or a connection to it, is gone."""
        waiting = [asyncio.create_task(self.link.closed.wait()), asyncio.create_task(self._disconnected.wait())]
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
        """`http://host:port` of a browser that we started, for other programs to attach to; empty for others."""
        return f"http://127.0.0.1:{urlsplit(self._chromium.ws_url).port}" if self._chromium else ""

    @property
    def pid(self) -> int | None:
        return self._chromium.pid if self._chromium else None

    async def hear_events(self, deadline: Deadline) -> None:
        """Waits until Playwright has reported what the browser sent before this call, such as console errors.

        They come over Playwright's connection, and our own link's answers do not wait for them. This asks the browser
        process, so that a hung page does not delay it. Where the browser is gone, the next call reports that.

        Raises:
            DeadlineError
        """
        async with deadline.phase("hearing the page's errors"):
            with contextlib.suppress(PlaywrightError):
                # In a task: Playwright keeps the frames that call it, see Tab.hearing_console.
                await asyncio.create_task(self._commands.send("Browser.getVersion"))

    @property
    def is_flooded(self) -> bool:
        """Whether a page floods the browser now: what Playwright's driver reports is late, of all pages."""
        return self._flood_guard is not None and self._flood_guard.is_flooded

    async def slows(self, page: PageLink, deadline: Deadline) -> bool:
        """Whether a page, or a frame of it, floods the browser with events and is slowed for it, so that other sessions
        do not wait."""
        return self._flood_guard is not None and await self._slowed_pages.has(page, self._flood_guard, deadline)

    async def cannot_hold(self, page: PageLink, deadline: Deadline) -> bool:
        """Whether a page floods the browser although it is slowed as far as it may be."""
        return self._flood_guard is not None and await self._slowed_pages.is_unheld(page, self._flood_guard, deadline)

    def may_slow(self, page: PageLink) -> bool:
        """As `slows`, without asking the page: False where it is known not to be slowed."""
        return self._flood_guard is not None and self._slowed_pages.may_have(page, self._flood_guard)

    def may_be_late(self, page: PageLink) -> bool:
        """Whether a page may be slowed, or a page of the browser pauses or did a moment ago: its silence says little
        then."""
        return (self._flood_guard is not None and self._flood_guard.pauses) or self.may_slow(page)

    async def new_session(
        self,
        options: SessionOptions,
        on_tab_closed: Callable[[str], None],
        deadline: Deadline,
        on_popup: PopupListener | None = None,
    ) -> BrowserSession:
        """A session in a new browser context, with one empty tab.

        Args:
            on_tab_closed: called with the id of every tab that closes.
            on_popup: called with each window that a page has opened, before it is listed as a tab.

        Raises:
            BadInputError: the browser does not know the locale or the time zone.
            SessionLostError: the browser did not open the session.
            UnknownTabError: the browser has no tab `options.user_tab`.
        """
        if options.user_tab:
            return await self._join_tab(options, on_tab_closed, deadline, on_popup)
        egress = None
        try:
            async with deadline.phase("creating a browser context"):
                egress = await self._open_egress(options)
                context = await await_opened(self.new_context(options, egress), BrowserContext.close)
        except BaseException as exc:
            if egress is not None:
                await self.close_egress(egress)
            if isinstance(exc, PlaywrightError):
                raise _context_error(exc, options) from exc
            raise
        session = BrowserSession(self, context, options, on_tab_closed, egress, on_popup)
        try:
            await session.new_tab(deadline)
        except PlaywrightError as exc:
            await self._close_whole(session)
            raise _context_error(exc, options) from exc
        except BaseException:
            await self._close_whole(session)
            raise
        return session

    async def _close_whole(self, session: BrowserSession) -> None:
        """Closes a session that did not open, also where its caller is cancelled meanwhile."""
        closing = asyncio.create_task(session.close(), name="close-unclaimed")
        self.keep(closing)
        await asyncio.shield(closing)

    async def _join_tab(
        self,
        options: SessionOptions,
        on_tab_closed: Callable[[str], None],
        deadline: Deadline,
        on_popup: PopupListener | None,
    ) -> BrowserSession:
        """A session in a tab of the user's, in the browser's own context. There is no proxy."""
        for context in self._browser.contexts:
            session = BrowserSession(self, context, options, on_tab_closed, None, on_popup)
            try:
                if await session.join(options.user_tab, deadline):
                    return session
            except BaseException:
                await self._close_whole(session)
                raise
            await self._close_whole(session)
        raise UnknownTabError(
            f"the browser has no tab {options.user_tab[:40]!r}: it was closed, or is not a page; `perception attach` "
            "lists its tabs",
            tab=options.user_tab[:40],
        )

    async def _open_egress(self, options: SessionOptions) -> EgressProxy | None:
        """A proxy for a session; None where it has no policy, and for a browser on another machine, which cannot reach
        a proxy here."""
        if options.policy is None or not self._is_here:
            if options.upstream:
                raise BadInputError(
                    "an upstream proxy needs the session's own proxy, which a browser on another machine cannot reach: "
                    "start that browser with --proxy-server, or use one on this machine",
                    field="options.upstream_proxy",
                )
            return None
        egress = await await_opened(EgressProxy.start(options.policy, options.upstream), EgressProxy.close)
        self._proxies.add(egress)
        return egress

    async def close_egress(self, egress: EgressProxy) -> None:
        """Ends a session's proxy."""
        self._proxies.discard(egress)
        await egress.close()

    async def new_context(self, options: SessionOptions, egress: EgressProxy | None = None) -> BrowserContext:
        """A new browser context, which reaches the network through the proxy if there is one."""
        viewport = options.viewport
        # `<-loopback>`: without it, Chromium bypasses a proxy for loopback names and addresses.
        proxy: ProxySettings | None = {"server": egress.url, "bypass": "<-loopback>"} if egress else None
        context = await self._browser.new_context(
            viewport={"width": viewport.width, "height": viewport.height},
            device_scale_factor=viewport.scale,
            locale=options.locale or None,
            timezone_id=options.timezone or None,
            is_mobile=options.mobile,
            has_touch=options.touch,
            user_agent=(options.user_agent.text or None) if options.user_agent else None,
            color_scheme=_COLOR_SCHEMES[options.color_scheme],
            proxy=proxy,
        )
        self._contexts.add(context)
        context.on("close", lambda _: self._forget(context))
        return context

    def _forget(self, context: BrowserContext) -> None:
        self._contexts.discard(context)
        self._driver_events.forget(context)

    def errors_skipped(self, context: BrowserContext) -> int:
        """Uncaught errors of a context's pages that were not read so far, since there were too many."""
        return self._driver_events.errors_skipped(context)

    def make_folder(self, purpose: str) -> Path | None:
        """A new folder that the browser can read and write, removed with the browser; None for a browser that is not
        ours.

        Raises:
            SessionLostError: the browser's own folder was removed, as programs do that clean temporary folders.
        """
        if self._chromium is None:
            return None
        if self.has_folder:
            with contextlib.suppress(FileNotFoundError):  # it is removed just now
                return self._chromium.make_folder(f"{purpose}-{secrets.token_hex(4)}")
        raise SessionLostError(f"{FOLDER_REMOVED}: create a new session")

    @property
    def has_folder(self) -> bool:
        """False for a browser of ours whose folder was removed: it opens no more sessions."""
        return self._chromium is None or self._folder.is_whole

    async def kill(self) -> None:
        """Kills a browser of ours that does not answer; its sessions are lost."""
        if self._chromium is not None:
            await self._chromium.close()

    async def close(self) -> None:
        """Closes both connections, and ends the browser if it is ours."""
        for task in list(self._tasks):
            task.cancel()
        if self._own_port:
            reserved_ports.release(self._own_port)
            self._own_port = 0
        if self._flood_guard is not None:
            await asyncio.to_thread(self._flood_guard.stop)
        await asyncio.gather(*map(self.close_egress, tuple(self._proxies)))
        await self.evaluator.close()
        await self.link.close()
        if self._chromium is not None:
            await self._chromium.close()
        else:
            with contextlib.suppress(PlaywrightError):
                await self._browser.close()
        await self._playwright.stop()
        await asyncio.to_thread(self._folder.remove)

    def keep(self, task: asyncio.Task[None]) -> None:
        """Holds a background task until it is done, and cancels it when the browser is closed."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_COLOR_SCHEMES: dict[str, Literal["light", "dark"] | None] = {"": None, "light": "light", "dark": "dark"}


def _context_error(error: PlaywrightError, options: SessionOptions) -> PerceptionError:
    """Converts Playwright's error about a wrong option, which names no field of ours."""
    text = str(error)
    for name, value, form in (("timezone", options.timezone, "Europe/Paris"), ("locale", options.locale, "de-DE")):
        if name in text.lower():
            return BadInputError(
                f"{name} {value!r} is unknown to the browser: write it as {form}", field=f"options.{name}"
            )
    return SessionLostError("the browser did not open a session: try again")
