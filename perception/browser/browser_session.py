"""A browser session: one isolated browser context with its tabs, downloads and uploads.

Playwright drives input and owns the context; our own `PageLink` captures. Both are attached to the same tabs.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

from playwright.async_api import (
    BrowserContext,
    Page,
)
from playwright.async_api import Error as PlaywrightError

from perception.browser.capture.capturer import PageCapturer
from perception.browser.cdp.cdp_link import CdpCallError, CdpLink
from perception.browser.context_events import ContextEvents
from perception.browser.dialogs_elsewhere import follow_dialogs
from perception.browser.network.proxy import EgressProxy
from perception.browser.page.clipboard import SessionClipboard
from perception.browser.page.conditions import NO_CONDITIONS, Conditions, apply_to_tab
from perception.browser.page.downloads import Downloads
from perception.browser.page.emulation import Screen
from perception.browser.page.page_link import PageLink
from perception.browser.page.user_agent import emulate_user_agent
from perception.browser.session_context import SessionContext
from perception.browser.session_host import SessionHost
from perception.browser.session_options import DEFAULT_VIEWPORT, SessionOptions
from perception.browser.session_uploads import SessionUploads
from perception.browser.storage.session_storage import SessionStorage
from perception.browser.stuck_pages import StuckPages, close_target
from perception.browser.tab import PopupListener, Tab
from perception.browser.tab_list import TabList
from perception.browser.tab_opening import TabOpening
from perception.browser.traffic.session_traffic import SessionTraffic
from perception.deadline import Deadline
from perception.errors import (
    PageChangingError,
    PageCrashedError,
    SessionLostError,
)
from perception.secrets import TypedSecrets
from perception.types import Viewport

__all__ = ["DEFAULT_VIEWPORT", "BrowserSession", "PopupListener", "SessionOptions", "Tab"]

SESSION_ATTACH_SECONDS = 10.0
"""Limit for attaching a popup, which happens in the background without a caller's deadline. Chosen by hand."""

SESSION_POLL_SECONDS = 0.02
"""Interval at which opened tabs are counted. Chosen by hand."""

SESSION_CLOSE_SECONDS = 5.0
"""A context that takes longer to close belongs to a browser that hangs. Chosen by hand."""


class BrowserSession:
    """One browser context with its tabs.

    Attributes:
        egress: the proxy that its pages reach the network through; None where none is needed.
        tab_list: its tabs.
        uploads: what was uploaded.
        clipboard: its own, which its pages copy to and paste from.
        storage: its cookies and the storage of its sites.
        typed: what was typed into sensitive fields of its pages.
        traffic: what is kept of the requests of its pages, and rules for them.
        request_log: the requests of its pages; None where they are not recorded.
    """

    def __init__(
        self,
        host: SessionHost,
        context: BrowserContext,
        options: SessionOptions,
        on_tab_closed: Callable[[str], None],
        egress: EgressProxy | None = None,
        on_popup: PopupListener | None = None,
    ) -> None:
        """
        Args:
            on_tab_closed: called with the id of every tab that closes.
            on_popup: called with each window that a page has opened, before it is listed as a tab.
        """
        self._host = host
        self.egress = egress
        self._options = options
        self._on_tab_closed = on_tab_closed
        self._on_popup = on_popup
        self.tab_list = TabList(options.max_tabs)
        self._context = SessionContext(host, context, lambda frame: any(frame in tab.link.frames for tab in self.tabs))
        self._opening = TabOpening(host, self._context, self.tab_list, self._attach, is_users=self._is_users)
        self.uploads = SessionUploads(host, options.max_uploads_bytes)
        self.traffic = SessionTraffic(egress, options.network_rules, records=options.record_network)
        self.request_log = self.traffic.log
        self.clipboard = SessionClipboard()
        self._is_closing = False
        self.storage = SessionStorage(self)
        self.typed = TypedSecrets()
        self._stuck = StuckPages(host, self._recycle, is_users=self._is_users)
        self._events = ContextEvents(host, self.tab_list, self._opening, is_users=self._is_users)
        self._events.listen(context)

    @property
    def _is_users(self) -> bool:
        """Whether the context is the user's own: its other tabs are left alone, and it stays open."""
        return bool(self._options.user_tab)

    @property
    def context(self) -> BrowserContext:
        """Playwright's context. It changes when the context is replaced."""
        return self._context.playwright

    @property
    def context_id(self) -> str:
        """Its BrowserContextID, known once a tab is attached."""
        return self._context.id

    @property
    def link(self) -> CdpLink:
        """Our own connection to its browser."""
        return self._host.link

    @property
    def downloads(self) -> Downloads:
        return self._context.downloads

    @property
    def tabs(self) -> tuple[Tab, ...]:
        return self.tab_list.all

    @property
    def selected(self) -> str:
        """Id of the tab that calls without an id go to."""
        return self.tab_list.selected

    @property
    def tabs_refused(self) -> int:
        """Windows of its pages that were closed at once, as there were too many tabs."""
        return self._opening.refused

    @property
    def alive(self) -> bool:
        return self._host.alive

    @property
    def errors_skipped(self) -> int:
        """Uncaught errors of its pages that were not read so far, since there were too many."""
        return self._host.errors_skipped(self.context)

    def tab(self, tab_id: str = "") -> Tab:
        """A tab by id, the selected one for an empty id.

        Raises:
            UnknownTabError: there is no such tab; names the existing ones.
            SessionLostError: the browser is gone.
        """
        if not self.alive:
            raise SessionLostError.of_browser()
        return self.tab_list.find(tab_id)

    def check_room(self, name: str = "") -> None:
        """Checks that another tab may be opened, with a name. Raises as `TabList.check_room`."""
        self.tab_list.check_room(len(self._opening), name)

    async def new_tab(self, deadline: Deadline, *, name: str = "", select: bool = True) -> Tab:
        """Opens an empty tab. Raises as `TabOpening.open_page`, and DeadlineError."""
        async with deadline.phase("opening a tab"):
            tab = await self._opening.open_page(deadline)
        tab.name = name
        if select:
            self.tab_list.selected = tab.tab_id
        return tab

    async def join(self, target_id: str, deadline: Deadline) -> bool:
        """Takes over a tab that is open in the context, as it is. Returns whether there is such a tab.

        Raises:
            PageCrashedError, SessionLostError, DeadlineError
        """
        async with deadline.phase("attaching to the tab"):
            for page in self.context.pages:
                with contextlib.suppress(PlaywrightError):  # it is closing
                    if (await self._context.target_info(page))["targetId"] == target_id:
                        await page.bring_to_front()  # a page in the background is not painted, and may have no size
                        with self._opening.claiming():
                            self.tab_list.selected = (await self._opening.take(page)).tab_id
                        return True
        return False

    async def revive(self, tab: Tab, deadline: Deadline) -> None:
        """Gives a tab whose page crashed a new, empty page: Playwright cannot use a crashed page again."""
        async with deadline.phase("opening a page in place of the crashed one"):
            fresh = await self._opening.open_page(deadline)
            page, old = fresh.page, tab.link
            self.tab_list.replace_by(fresh)
            tab.replace_page(page, fresh.link, fresh.capturer)
            if self.request_log is not None:
                self.request_log.name_tab(fresh.link.target_id, tab.tab_id)
            page.on("close", lambda _: self._on_close(tab, page))
        try:
            if self._options.record_console:
                fresh.listener.close()
                await tab.listener.start(deadline)
        finally:
            close_target(self._host, old)
            await old.detach()

    async def select(self, tab_id: str, deadline: Deadline) -> Tab:
        """Brings a tab to the front.

        Raises:
            UnknownTabError, PageCrashedError
            PageChangingError: the tab is closing.
        """
        tab = self.tab(tab_id)
        try:
            async with deadline.phase("bringing the tab to the front"):
                await tab.link.session.start("Page.bringToFront")
        except (CdpCallError, SessionLostError) as exc:
            if not self.alive:
                raise
            if tab.link.crashed:
                raise PageCrashedError("the page crashed or hangs: open it again or close its tab") from exc
            raise PageChangingError("the tab is closing: call ListTabs for the open ones") from exc
        self.tab_list.selected = tab.tab_id
        return tab

    async def close_tab(self, tab_id: str, deadline: Deadline) -> None:
        """Closes a tab. After the last one an empty one is opened."""
        tab = self.tab(tab_id)
        async with deadline.phase("closing the tab"):
            with contextlib.suppress(CdpCallError):  # the tab is gone already
                await close_target(self._host, tab.link)
        await self._remove(tab)
        if not self.tab_list:
            await self.new_tab(deadline)

    def close_soon(self, tab: Tab) -> None:
        """Closes a tab without waiting for it. Another one is selected if it was."""
        close_target(self._host, tab.link)
        self._host.keep(asyncio.create_task(self._remove(tab), name="close-tab"))

    async def meet(self, conditions: Conditions, deadline: Deadline) -> None:
        """Has its pages meet conditions, in all tabs and in those that come later.

        Raises:
            BadInputError: the browser does not know a permission.
            SessionLostError: the browser is gone.
        """
        if not self.alive:
            raise SessionLostError.of_browser()
        before = self._options.conditions
        await self._context.permit(conditions, before, deadline)
        self._options = replace(self._options, conditions=conditions)
        for tab in self.tabs:
            with contextlib.suppress(CdpCallError, PageCrashedError):  # a new page meets them as it comes
                await apply_to_tab(tab.link.emulation, conditions, before, self._options.color_scheme, deadline)

    async def collect_copied(self, deadline: Deadline) -> None:
        """Takes what its pages have copied by themselves into its clipboard: of all frames of all tabs."""
        usable = [each.link for each in self.tabs if not each.link.crashed and each.link.dialogs.open is None]
        await self.clipboard.collect([(link.worlds, list(link.frames)) for link in usable], deadline)

    async def show_on(self, screen: Screen, deadline: Deadline) -> None:
        """Shows its tabs on another screen, and those that come later.

        Raises:
            SessionLostError: the browser is gone.
        """
        if not self.alive:
            raise SessionLostError.of_browser()
        self._options = self._options.on_screen(screen)
        for tab in self.tabs:
            with contextlib.suppress(CdpCallError, PageCrashedError):  # a new page gets it as it comes
                await tab.link.emulation.show_on(screen, deadline)

    async def wait_for_tabs(self, count: int, deadline: Deadline, refused: int = 0) -> None:
        """Waits until that many tabs are attached, and no further one is being opened. Returns at the deadline, too: a
        window may have closed at once.

        Args:
            refused: how many windows are to have been refused by then.
        """
        while not deadline.spent() and (  # noqa: ASYNC110  (tabs come and go)
            len(self._opening) or len(self.tab_list) < count or self.tabs_refused < refused
        ):
            await asyncio.sleep(SESSION_POLL_SECONDS)

    async def close(self) -> None:
        """Closes the context, and removes its files. A browser that does not answer is ended by its host."""
        self._is_closing = True
        self._opening.end()
        await self._context.close_downloads()
        if self._is_users:
            self._events.stop(self.context)
        else:
            closing = asyncio.create_task(self._close_context(), name="close-context")
            self._host.keep(closing)  # it goes on where the browser is slow
            await asyncio.wait([closing], timeout=SESSION_CLOSE_SECONDS)
        for tab in self.tabs:
            await self._remove(tab)
        await self.uploads.remove()
        if self.egress is not None:
            await self._host.close_egress(self.egress)

    async def _close_context(self) -> None:
        await self.storage.pages.end()
        with contextlib.suppress(PlaywrightError):
            await self.context.close()

    async def _attach(self, page: Page) -> Tab:
        known = self.tab_list.of_page(page)
        if known is not None:
            return known
        if self._is_users and not self._opening.claims and self.tab_list.of_page(await page.opener()) is None:
            raise PageChangingError("the tab is the user's: the session takes its own and those that these open")
        deadline = Deadline.of(SESSION_ATTACH_SECONDS)
        target = await self._context.target_info(page)
        await self._context.prepare(target["browserContextId"], self._options, deadline)
        link = await PageLink.attach(
            self._host.link,
            target["targetId"],
            deadline,
            make_masker=self._options.conceal,
            on_stuck=self._stuck.hear,
            is_slowed=self._host.may_be_late,
            traffic=self.traffic,
            typed=self.typed,
        )
        try:
            return await self._take_in(page, link, deadline)
        except BaseException:
            await link.detach()
            raise

    async def _take_in(self, page: Page, link: PageLink, deadline: Deadline) -> Tab:
        """Makes a page that our link is attached to a tab."""
        await self._emulate(page, link, deadline)
        opener = self.tab_list.of_page(await page.opener())
        for frame in page.frames:
            self.storage.note_visit(frame.url, page.url)
        page.on("framenavigated", lambda frame: self.storage.note_visit(frame.url, page.url))
        opened_by = opener.tab_id if opener else ""
        tab = Tab(self.tab_list.next_id(), page, link, PageCapturer(link), opened_by, clipboard=self.clipboard)
        if opener is not None and self._on_popup is not None:
            await self._on_popup(tab, deadline)
        if self._options.record_console:
            await tab.listener.start(deadline)
        self.tab_list.add(tab)
        follow_dialogs(link, self.tab_list, self._host)
        if self.request_log is not None:
            self.request_log.name_tab(link.target_id, tab.tab_id)
        page.on("close", lambda _: self._on_close(tab, page))
        return tab

    async def _emulate(self, page: Page, link: PageLink, deadline: Deadline) -> None:
        """Gives a page the screen, clipboard, conditions and user agent of the session."""
        # Playwright emulates the viewport in its own CDP session. Without emulation in ours, screenshots taken there
        # are scaled down to one pixel for each CSS px (Chromium 156).
        options, screen = self._options, self._options.screen
        if self._is_users:
            width, height, scale = await page.evaluate("[innerWidth, innerHeight, devicePixelRatio]")
            screen = replace(screen, viewport=Viewport(max(width, 16), max(height, 16), scale))
        await link.emulation.show_on(screen, deadline)
        await self.clipboard.serve(link.emulation, deadline)
        await apply_to_tab(link.emulation, options.conditions, NO_CONDITIONS, options.color_scheme, deadline)
        await emulate_user_agent(link.emulation, options.user_agent, options.locale, deadline)

    async def _recycle(self) -> None:
        """Replaces the context by a new one with the same cookies. Its tabs stay, as crashed ones."""
        for tab in self.tabs:
            tab.link.mark_crashed()
        old, fresh = self.context, await self._host.new_context(self._options, self.egress)
        if self._is_closing:
            await fresh.close()
            return
        self._context.playwright = fresh
        self.storage.note_new_context()
        self._events.listen(fresh)
        with contextlib.suppress(PlaywrightError):
            await self.context.add_cookies(await old.cookies())  # type: ignore[arg-type]  # the same fields
        await self.storage.pages.all_closed()
        await old.close()

    def _on_close(self, tab: Tab, page: Page) -> None:
        if tab.page is not page or tab.link.crashed:
            return  # a crashed page is replaced when the tab is used again
        self._host.keep(asyncio.create_task(self._remove(tab), name="tab-gone"))

    async def _remove(self, tab: Tab) -> None:
        if not self.tab_list.remove(tab):
            return
        self._on_tab_closed(tab.tab_id)
        await tab.end()
