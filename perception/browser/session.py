"""A browser session: one isolated context with its tabs, and the browser that holds it.

Playwright drives input and keeps the context; our own `PageLink` looks. Both are attached to the same tabs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, Page, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from perception.browser.capture import Looker
from perception.browser.cdp import CdpLink
from perception.browser.chromium import Chromium, LaunchOptions, find_executable, launch
from perception.browser.page import PageLink
from perception.budget import Budget
from perception.errors import (
    BadInputError,
    BrowserUnavailableError,
    PerceptionError,
    SessionLostError,
    UnknownTabError,
)
from perception.types import Viewport

ATTACH_SECONDS = 10.0
"""A popup is attached in the background, where no caller's budget reaches."""

POLL_SECONDS = 0.02

VERSION_PATH = "/json/version"


DEFAULT_VIEWPORT = Viewport(1280, 800, 1.0)


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a session's context is made with. `color_scheme` is "", "light" or "dark"."""

    viewport: Viewport = DEFAULT_VIEWPORT
    locale: str = ""
    timezone: str = ""
    color_scheme: str = ""


@dataclass(slots=True, eq=False)
class Tab:
    """One tab: Playwright's page for input, our link for looking."""

    tab_id: str
    page: Page
    link: PageLink
    looker: Looker
    opener: str = ""


class BrowserSession:
    """One context. `on_tab_closed` is told the id of every tab that goes away."""

    def __init__(
        self, host: BrowserHost, context: BrowserContext, viewport: Viewport, on_tab_closed: Callable[[str], None]
    ) -> None:
        self._host = host
        self._context = context
        self._viewport = viewport
        self._on_tab_closed = on_tab_closed
        self._tabs: dict[str, Tab] = {}
        self._selected = ""
        self._last = 0
        self._opening: dict[Page, asyncio.Task[Tab]] = {}
        context.on("page", self._opened)

    @property
    def tabs(self) -> tuple[Tab, ...]:
        return tuple(self._tabs.values())

    @property
    def selected(self) -> str:
        return self._selected

    @property
    def alive(self) -> bool:
        return self._host.alive

    def tab(self, tab_id: str = "") -> Tab:
        """A tab by id, the selected one for an empty id.

        Raises:
            UnknownTabError: there is none; names those there are.
            SessionLostError: the browser is gone.
        """
        if not self.alive:
            raise SessionLostError("the browser of this session is gone: create a new session")
        tab = self._tabs.get(tab_id or self._selected)
        if tab is None:
            raise UnknownTabError(
                f"no tab {tab_id!r}: this session has {', '.join(self._tabs) or 'none'}", tab=tab_id[:40]
            )
        return tab

    async def new_tab(self, budget: Budget) -> Tab:
        async with budget.phase("opening a tab"):
            page = await self._context.new_page()
            tab = await asyncio.shield(self._open(page))
        self._selected = tab.tab_id
        return tab

    async def revive(self, tab: Tab, budget: Budget) -> None:
        """Gives a tab whose page crashed a new, empty page: Playwright never works with a crashed one again."""
        async with budget.phase("opening a page in place of the crashed one"):
            page = await self._context.new_page()
            fresh = await asyncio.shield(self._open(page))
            old = tab.page, tab.link
            del self._tabs[fresh.tab_id]
            tab.page, tab.link, tab.looker = fresh.page, fresh.link, fresh.looker
            page.on("close", lambda _: self._closed(tab, page))
        await old[1].detach()
        self._host.link.session().start("Target.closeTarget", targetId=old[1].target_id).add_done_callback(_consume)

    async def select(self, tab_id: str, budget: Budget) -> Tab:
        tab = self.tab(tab_id)
        async with budget.phase("bringing the tab to the front"):
            await tab.link.session.start("Page.bringToFront")
        self._selected = tab.tab_id
        return tab

    async def close_tab(self, tab_id: str, budget: Budget) -> None:
        """Closes a tab; in place of the last one an empty one is opened."""
        tab = self.tab(tab_id)
        async with budget.phase("closing the tab"):
            await tab.link.link.session().start("Target.closeTarget", targetId=tab.link.target_id)
        await self._gone(tab)
        if not self._tabs:
            await self.new_tab(budget)

    async def wait_for_tabs(self, count: int, budget: Budget) -> None:
        """Waits until that many tabs are attached, and those that are being opened. Gives up quietly: a window may
        have closed at once."""
        while not budget.spent() and (self._opening or len(self._tabs) < count):  # noqa: ASYNC110  (tabs come and go)
            await asyncio.sleep(POLL_SECONDS)

    async def close(self) -> None:
        """Closes the context. A browser that does not answer is left to its host to end."""
        for task in self._opening.values():
            task.cancel()
        with contextlib.suppress(PlaywrightError, TimeoutError):
            await asyncio.wait_for(self._context.close(), CLOSE_SECONDS)
        for tab in list(self._tabs.values()):
            await self._gone(tab)

    def _opened(self, page: Page) -> None:
        if page not in self._opening:
            self._open(page).add_done_callback(_retrieve)

    def _open(self, page: Page) -> asyncio.Task[Tab]:
        task = self._opening.get(page)
        if task is None:
            task = asyncio.create_task(self._attach(page), name="attach-tab")
            self._opening[page] = task
            task.add_done_callback(lambda _: self._opening.pop(page, None))
        return task

    async def _attach(self, page: Page) -> Tab:
        known = next((tab for tab in self._tabs.values() if tab.page is page), None)
        if known is not None:
            return known
        budget = Budget.of(ATTACH_SECONDS)
        probe = await self._context.new_cdp_session(page)
        target = await probe.send("Target.getTargetInfo")
        await probe.detach()
        link = await PageLink.attach(self._host.link, target["targetInfo"]["targetId"], budget)
        # Playwright emulates the viewport in its own CDP session; a screenshot taken in another one that does not
        # is scaled down to one pixel for each CSS px (Chromium 156).
        await link.session.call(
            "Emulation.setDeviceMetricsOverride",
            budget,
            "setting the viewport",
            width=self._viewport.width,
            height=self._viewport.height,
            deviceScaleFactor=self._viewport.scale,
            mobile=False,
        )
        opener = await page.opener()
        self._last += 1
        tab = Tab(f"t{self._last}", page, link, Looker(link), self._id_of(opener))
        self._tabs[tab.tab_id] = tab
        self._selected = self._selected or tab.tab_id
        page.on("close", lambda _: self._closed(tab, page))
        return tab

    def _id_of(self, page: Page | None) -> str:
        return next((tab.tab_id for tab in self._tabs.values() if tab.page is page), "")

    def _closed(self, tab: Tab, page: Page) -> None:
        if tab.page is not page:
            return  # it crashed and was replaced
        task = asyncio.create_task(self._gone(tab), name="tab-gone")
        self._host.keep(task)

    async def _gone(self, tab: Tab) -> None:
        if self._tabs.pop(tab.tab_id, None) is None:
            return
        if self._selected == tab.tab_id:
            self._selected = tab.opener if tab.opener in self._tabs else next(reversed(self._tabs), "")
        self._on_tab_closed(tab.tab_id)
        await tab.link.detach()


CLOSE_SECONDS = 5.0
"""A context that takes longer to close belongs to a browser that hangs."""


class BrowserHost:
    """A browser and the two connections to it: started by us, or found running at a CDP endpoint."""

    def __init__(self, playwright: Playwright, browser: Browser, link: CdpLink, chromium: Chromium | None) -> None:
        self._playwright = playwright
        self._browser = browser
        self.link = link
        self._chromium = chromium
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    async def start(cls, options: LaunchOptions, budget: Budget) -> BrowserHost:
        """Launches a browser of our own.

        Raises:
            BrowserUnavailableError, SandboxUnavailableError: see `launch`.
        """
        playwright = await async_playwright().start()
        chromium = None
        try:
            executable = find_executable(options, playwright.chromium.executable_path)
            chromium = await launch(options, executable, budget)
            return await cls._connect(playwright, chromium.ws_url, chromium, budget)
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
        playwright = await async_playwright().start()
        try:
            return await cls._connect(playwright, endpoint, None, budget)
        except BaseException:
            await playwright.stop()
            raise

    @classmethod
    async def _connect(
        cls, playwright: Playwright, endpoint: str, chromium: Chromium | None, budget: Budget
    ) -> BrowserHost:
        try:
            async with budget.phase("connecting to the browser"):
                browser = await playwright.chromium.connect_over_cdp(endpoint, timeout=budget.remaining() * 1000)
        except PlaywrightError as exc:
            raise BrowserUnavailableError(
                "the browser's CDP endpoint does not answer: check that it runs and that the address is right"
            ) from exc
        ws_url = endpoint if endpoint.startswith(("ws://", "wss://")) else await _ws_url(endpoint, budget)
        link = await CdpLink.connect(ws_url, budget)
        return cls(playwright, browser, link, chromium)

    @property
    def alive(self) -> bool:
        return not self.link.closed.is_set() and self._browser.is_connected()

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
        viewport = options.viewport
        try:
            async with budget.phase("creating a browser context"):
                opening = asyncio.ensure_future(
                    self._browser.new_context(
                        viewport={"width": viewport.width, "height": viewport.height},
                        device_scale_factor=viewport.scale,
                        locale=options.locale or None,
                        timezone_id=options.timezone or None,
                        color_scheme=_COLOR_SCHEMES[options.color_scheme],
                    )
                )
                try:
                    context = await asyncio.shield(opening)
                except asyncio.CancelledError:
                    opening.add_done_callback(self._close_unclaimed)
                    raise
        except PlaywrightError as exc:
            raise _context_error(exc, options) from exc
        session = BrowserSession(self, context, viewport, on_tab_closed)
        try:
            await session.new_tab(budget)
        except PlaywrightError as exc:
            await session.close()
            raise _context_error(exc, options) from exc
        except BaseException:
            await session.close()
            raise
        return session

    async def close(self) -> None:
        """Ends the browser if it is ours, and both connections."""
        for task in list(self._tasks):
            task.cancel()
        await self.link.close()
        if self._chromium is not None:
            await self._chromium.close()
        else:
            with contextlib.suppress(PlaywrightError):
                await self._browser.close()
        await self._playwright.stop()

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


_COLOR_SCHEMES: dict[str, Literal["light", "dark"] | None] = {"": None, "light": "light", "dark": "dark"}


def _context_error(error: PlaywrightError, options: SessionOptions) -> PerceptionError:
    """Playwright's own words for a wrong option are clear, but name no field of ours."""
    text = str(error)
    for field, value in (("timezone", options.timezone), ("locale", options.locale)):
        if field in text.lower():
            return BadInputError(f"{field} {value!r} is not known to the browser", field=f"options.{field}")
    return SessionLostError("the browser did not open a session: try again")


async def _ws_url(endpoint: str, budget: Budget) -> str:
    """A browser's WebSocket address, from its HTTP endpoint."""

    def fetch() -> str:
        with urllib.request.urlopen(endpoint.rstrip("/") + VERSION_PATH, timeout=max(0.1, budget.remaining())) as reply:
            return str(json.load(reply)["webSocketDebuggerUrl"])

    try:
        async with budget.phase("connecting to the browser"):
            return await asyncio.to_thread(fetch)
    except (OSError, ValueError, KeyError) as exc:
        raise BrowserUnavailableError(
            "the CDP endpoint gives no browser address: check that it is a Chromium's remote debugging port"
        ) from exc


def _consume(future: asyncio.Future[dict[str, object]]) -> None:
    if not future.cancelled():
        future.exception()


def _retrieve(task: asyncio.Task[Tab]) -> None:
    """A popup that closed before it was attached is no error."""
    if not task.cancelled():
        task.exception()
