"""A browser session: one isolated context with its tabs, and the browser that holds it.

Playwright drives input and keeps the context; our own `PageLink` looks. Both are attached to the same tabs.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    WebError,
)
from playwright.async_api import Error as PlaywrightError

from perception.browser.capture import Looker
from perception.browser.cdp import CdpCallError, CdpSession, consume
from perception.browser.downloads import Downloads
from perception.browser.egress import EgressProxy
from perception.browser.page import PageLink
from perception.browser.policy import Origin, UrlPolicy
from perception.browser.recover import climb
from perception.browser.rescue import Probe
from perception.budget import Budget
from perception.errors import (
    PageChangingError,
    PageCrashedError,
    SessionLostError,
    UnknownTabError,
)
from perception.named_secrets import Masker
from perception.types import Viewport

if TYPE_CHECKING:
    from perception.browser.host import BrowserHost

ATTACH_SECONDS = 10.0
"""A popup is attached in the background, where no caller's budget reaches."""

POLL_SECONDS = 0.02

CLOSE_SECONDS = 5.0
"""A context that takes longer to close belongs to a browser that hangs."""

DEFAULT_VIEWPORT = Viewport(1280, 800, 1.0)

KEPT_ERRORS = 50
"""Lines of a tab's console errors that are remembered; `MAX_ERROR` characters of each."""

MAX_ERROR = 500

MAX_DOWNLOAD_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a session's context is made with.

    Attributes:
        color_scheme: "", "light" or "dark".
        allow_evaluate: clients may run scripts in its pages.
        dedicated_browser: a browser of its own, in place of a context in the shared one.
        conceal: gives what masks the secrets that its pages' pictures must not show; None where there are none.
        allowed_origins: of those that `policy` allows, the only ones; empty: all.
        policy: what its pages may reach; None: everything, without a proxy between.
        max_download_bytes: of one file; `max_downloads_bytes`, `max_uploads_bytes`: of all files of the session.
        download_dir: where complete downloads are kept; None: in a folder that goes with the session.
    """

    viewport: Viewport = DEFAULT_VIEWPORT
    locale: str = ""
    timezone: str = ""
    color_scheme: str = ""
    allow_evaluate: bool = False
    dedicated_browser: bool = False
    conceal: Callable[[], Masker | None] | None = None
    allowed_origins: tuple[Origin, ...] = ()
    policy: UrlPolicy | None = None
    download_dir: Path | None = None
    max_download_bytes: int = MAX_DOWNLOAD_BYTES
    max_downloads_bytes: int = 4 * MAX_DOWNLOAD_BYTES
    max_uploads_bytes: int = MAX_DOWNLOAD_BYTES


@dataclass(slots=True, eq=False)
class Tab:
    """One tab: Playwright's page for input, our link for looking."""

    tab_id: str
    page: Page
    link: PageLink
    looker: Looker
    opener: str = ""
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_ERRORS))
    error_count: int = 0
    revivals: int = 0

    @property
    def epoch(self) -> int:
        """From 1, raised each time its page is lost."""
        return 1 + self.revivals + self.link.crashed

    def errors_since(self, count: int) -> list[str]:
        """What the page logged as errors after so many."""
        news = self.error_count - count
        return list(self.errors)[-news:] if news > 0 else []


class BrowserSession:
    """One context. `on_tab_closed` is told the id of every tab that goes away; `egress` is its way out."""

    def __init__(
        self,
        host: BrowserHost,
        context: BrowserContext,
        options: SessionOptions,
        on_tab_closed: Callable[[str], None],
        egress: EgressProxy | None = None,
    ) -> None:
        self._host = host
        self.egress = egress
        self._options = options
        self._on_tab_closed = on_tab_closed
        self._downloads: Downloads | None = None
        self._uploads: list[Path] = []
        self.uploaded_bytes = 0
        self.uploading = asyncio.Lock()
        self._tabs: dict[str, Tab] = {}
        self._selected = ""
        self._last = 0
        self._opening: dict[Page, asyncio.Task[Tab]] = {}
        self._context = context
        self._listen()

    def _listen(self) -> None:
        self._context.on("page", self._opened)
        self._context.on("console", self._logged)
        self._context.on("weberror", self._threw)
        # Playwright dismisses every dialog of a context that nobody listens to.
        self._context.on("dialog", self._asked)

    @property
    def downloads(self) -> Downloads:
        assert self._downloads is not None  # since its first tab
        return self._downloads

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
            tab.revivals += 1
            page.on("close", lambda _: self._closed(tab, page))
        await old[1].detach()
        self._host.link.session().start("Target.closeTarget", targetId=old[1].target_id).add_done_callback(consume)

    async def select(self, tab_id: str, budget: Budget) -> Tab:
        tab = self.tab(tab_id)
        try:
            async with budget.phase("bringing the tab to the front"):
                await tab.link.session.start("Page.bringToFront")
        except (CdpCallError, SessionLostError) as exc:
            if not self.alive:
                raise
            if tab.link.crashed:
                raise PageCrashedError("the page crashed or hangs: open it again or close its tab") from exc
            raise PageChangingError("the tab is closing: ListTabs says which there are") from exc
        self._selected = tab.tab_id
        return tab

    async def close_tab(self, tab_id: str, budget: Budget) -> None:
        """Closes a tab; in place of the last one an empty one is opened."""
        tab = self.tab(tab_id)
        async with budget.phase("closing the tab"):
            with contextlib.suppress(CdpCallError):  # it is gone already
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
        if self._downloads is not None:
            await self._downloads.close()
        with contextlib.suppress(PlaywrightError, TimeoutError):
            await asyncio.wait_for(self._context.close(), CLOSE_SECONDS)
        for tab in list(self._tabs.values()):
            await self._gone(tab)
        for folder in self._uploads:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if self.egress is not None:
            await self._host.close_egress(self.egress)

    def make_upload_folder(self) -> Path | None:
        """A new folder for files that pages are given: they read them whenever they like, so it goes with the session.
        None for a browser that is not ours."""
        folder = self._host.make_folder("uploads")
        if folder is not None:
            self._uploads.append(folder)
        return folder

    @property
    def uploads_left_bytes(self) -> int:
        return self._options.max_uploads_bytes - self.uploaded_bytes

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
        known = self._tab_of(page)
        if known is not None:
            return known
        budget = Budget.of(ATTACH_SECONDS)
        probe = await self._context.new_cdp_session(page)
        target = (await probe.send("Target.getTargetInfo"))["targetInfo"]
        await probe.detach()
        if self._downloads is None:
            self._downloads = await self._take_downloads(target["browserContextId"], budget)
        link = await PageLink.attach(self._host.link, target["targetId"], budget)
        link.conceal = self._options.conceal
        viewport = self._options.viewport
        # Playwright emulates the viewport in its own CDP session; a screenshot taken in another one that does not
        # is scaled down to one pixel for each CSS px (Chromium 156).
        await link.session.call(
            "Emulation.setDeviceMetricsOverride",
            budget,
            "setting the viewport",
            width=viewport.width,
            height=viewport.height,
            deviceScaleFactor=viewport.scale,
            mobile=False,
        )
        opener = self._tab_of(await page.opener())
        self._last += 1
        tab = Tab(f"t{self._last}", page, link, Looker(link), opener.tab_id if opener else "")
        self._tabs[tab.tab_id] = tab
        self._selected = self._selected or tab.tab_id
        page.on("close", lambda _: self._closed(tab, page))
        link.on_stuck = lambda session, probe: self._host.keep(
            asyncio.create_task(self._recover(link, session, probe), name="recover")
        )
        return tab

    async def _take_downloads(self, context_id: str, budget: Budget) -> Downloads:
        inbox = self._host.make_folder("downloads")
        kept_in = self._options.download_dir
        return await Downloads.attach(
            self._host.link,
            context_id,
            inbox,
            kept_in,
            self._options.max_download_bytes,
            self._options.max_downloads_bytes,
            budget,
        )

    async def _recover(self, link: PageLink, session: CdpSession, probe: Probe) -> None:
        """Gets rid of a page, or of a frame, whose script cannot be ended. Its tab stays, as one that crashed."""

        async def close() -> None:
            self._host.link.session().start("Target.closeTarget", targetId=link.target_id).add_done_callback(consume)

        async def crash() -> None:
            session.start("Page.crash").add_done_callback(consume)  # it never answers

        if session is link.session:
            await climb(
                probe, (("close", close), ("crash", crash), ("recycle", self._recycle), ("restart", self._host.kill))
            )
        else:
            await climb(probe, (("crash", crash), ("close", close)))

    async def _recycle(self) -> None:
        """A new context in place of this one, with its cookies. Its tabs stay, as ones that crashed."""
        for tab in self._tabs.values():
            tab.link.crashed = True
        old, self._context = self._context, await self._host.new_context(self._options, self.egress)
        self._downloads = None
        self._listen()
        with contextlib.suppress(PlaywrightError):
            await self._context.add_cookies(await old.cookies())  # type: ignore[arg-type]  # the same fields
        await old.close()

    def _tab_of(self, page: Page | None) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.page is page), None)

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._note_error(message.page, message.text)

    def _threw(self, error: WebError) -> None:
        self._note_error(error.page, str(error.error))

    def _note_error(self, page: Page | None, text: str) -> None:
        tab = self._tab_of(page)
        if tab is not None:
            tab.errors.append(text[:MAX_ERROR])
            tab.error_count += 1

    def _asked(self, dialog: Dialog) -> None:
        """Dialogs are answered over our own link. One of a window that is not attached yet would keep it from being."""
        if self._tab_of(dialog.page) is None:
            self._host.keep(asyncio.create_task(_dismiss(dialog), name="dismiss-dialog"))

    def _closed(self, tab: Tab, page: Page) -> None:
        if tab.page is not page or tab.link.crashed:
            return  # it crashed, and is replaced when the tab is used again
        task = asyncio.create_task(self._gone(tab), name="tab-gone")
        self._host.keep(task)

    async def _gone(self, tab: Tab) -> None:
        if self._tabs.pop(tab.tab_id, None) is None:
            return
        if self._selected == tab.tab_id:
            self._selected = tab.opener if tab.opener in self._tabs else next(reversed(self._tabs), "")
        self._on_tab_closed(tab.tab_id)
        await tab.link.detach()


async def _dismiss(dialog: Dialog) -> None:
    with contextlib.suppress(PlaywrightError):  # it went with its window
        await dialog.dismiss()


def _retrieve(task: asyncio.Task[Tab]) -> None:
    """A popup that closed before it was attached is no error."""
    if not task.cancelled():
        task.exception()
