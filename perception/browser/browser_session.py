"""A browser session: one isolated browser context with its tabs, downloads and uploads.

Playwright drives input and owns the context; our own `PageLink` captures. Both are attached to the same tabs.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.async_api import (
    BrowserContext,
    CDPSession,
    Dialog,
    Page,
    WebError,
)
from playwright.async_api import Error as PlaywrightError

from perception.browser.capture.capturer import PageCapturer
from perception.browser.cdp.cdp_link import CdpCallError, CdpLink, CdpSession, consume
from perception.browser.network.proxy import EgressProxy
from perception.browser.opening import await_opened, begin_closing, close_whole
from perception.browser.page.clipboard import SessionClipboard, deny_clipboard
from perception.browser.page.conditions import NO_CONDITIONS, Conditions, apply_permissions, apply_to_tab
from perception.browser.page.downloads import Downloads
from perception.browser.page.emulation import Screen
from perception.browser.page.page_link import PageLink
from perception.browser.page.recovery import Probe, escalate
from perception.browser.page.user_agent import emulate_user_agent
from perception.browser.session_host import SessionHost
from perception.browser.session_options import DEFAULT_VIEWPORT, SessionOptions
from perception.browser.storage.session_storage import SessionStorage
from perception.browser.tab import PopupListener, Tab
from perception.browser.traffic.session_traffic import SessionTraffic
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    PageChangingError,
    PageCrashedError,
    SessionLostError,
    TabLimitError,
    UnknownTabError,
)
from perception.secrets import TypedSecrets
from perception.types import Viewport

__all__ = ["DEFAULT_VIEWPORT", "BrowserSession", "PopupListener", "SessionOptions", "Tab"]

SESSION_ATTACH_SECONDS = 10.0
"""Limit for attaching a popup, which happens in the background without a caller's deadline. Chosen by hand."""

SESSION_POLL_SECONDS = 0.02
"""Interval at which opened tabs are counted. Chosen by hand."""

OPEN_SECONDS = 15.0
"""How long a new page may take before another one is tried. With four busy programs on each core it takes 6 s."""

SESSION_CLOSE_SECONDS = 5.0
"""A context that takes longer to close belongs to a browser that hangs. Chosen by hand."""


class BrowserSession:
    """One browser context with its tabs.

    Attributes:
        egress: the proxy that its pages reach the network through; None where none is needed.
        uploaded_bytes: how much was uploaded so far.
        uploading: held while an upload is counted and copied.
        clipboard: its own, which its pages copy to and paste from.
        tabs_refused: windows of its pages that were closed at once, as there were too many tabs.
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
        self._ruled: set[tuple[str, str]] = set()
        self._on_tab_closed = on_tab_closed
        self._downloads: Downloads | None = None
        self._uploads: list[Path] = []
        self.uploaded_bytes = 0
        self.uploading = asyncio.Lock()
        self._on_popup = on_popup
        self.traffic = SessionTraffic(egress, options.network_rules, records=options.record_network)
        self.request_log = self.traffic.log
        self._tabs: dict[str, Tab] = {}
        self._selected = ""
        self._last = 0
        self._opening: dict[Page, asyncio.Task[Tab]] = {}
        self._expected = 0
        self.tabs_refused = 0
        self.clipboard = SessionClipboard()
        self._context_id = ""
        self._context = context
        self._is_closing = False
        self._context_id = ""
        self._claims = 0
        self.storage = SessionStorage(self)
        self.typed = TypedSecrets()
        self._listen()

    def _listen(self) -> None:
        self._context.on("page", self._on_page)
        self._context.on("weberror", self._on_error)
        # Playwright dismisses every dialog of a context without a listener.
        self._context.on("dialog", self._on_dialog)

    @contextlib.contextmanager
    def _claiming(self) -> Iterator[None]:
        """Pages that open meanwhile are the session's, also in the user's own context."""
        self._claims += 1
        try:
            yield
        finally:
            self._claims -= 1

    def _stop_listening(self) -> None:
        self._context.remove_listener("page", self._on_page)
        self._context.remove_listener("weberror", self._on_error)
        self._context.remove_listener("dialog", self._on_dialog)

    @property
    def _is_users(self) -> bool:
        """Whether the context is the user's own: its other tabs are left alone, and it stays open."""
        return bool(self._options.user_tab)

    @property
    def context(self) -> BrowserContext:
        """Playwright's context. It changes when the context is replaced."""
        return self._context

    @property
    def context_id(self) -> str:
        """Its BrowserContextID, known once a tab is attached."""
        return self._context_id

    @property
    def link(self) -> CdpLink:
        """Our own connection to its browser."""
        return self._host.link

    @property
    def downloads(self) -> Downloads:
        assert self._downloads is not None  # set when the first tab is attached
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

    @property
    def errors_skipped(self) -> int:
        """Uncaught errors of its pages that were not read so far, since there were too many."""
        return self._host.errors_skipped(self._context)

    def tab(self, tab_id: str = "") -> Tab:
        """A tab by id, the selected one for an empty id.

        Raises:
            UnknownTabError: there is no such tab; names the existing ones.
            SessionLostError: the browser is gone.
        """
        if not self.alive:
            raise SessionLostError.of_browser()
        tab = self._tabs.get(self.tab_id_of(tab_id) or self._selected)
        if tab is None:
            raise UnknownTabError(f"no tab {tab_id[:40]!r}: this session has {self._listed_tabs}", tab=tab_id[:40])
        return tab

    def tab_id_of(self, name: str) -> str:
        """The id of the tab of a name; any other text as it is."""
        return next((each.tab_id for each in self.tabs if name and each.name == name), name)

    @property
    def _listed_tabs(self) -> str:
        return ", ".join(f"{each.tab_id} ({each.name})" if each.name else each.tab_id for each in self.tabs) or "none"

    def name_tab(self, tab_id: str, name: str) -> Tab:
        """Gives a tab a name; empty takes it away.

        Raises:
            UnknownTabError: there is no such tab.
            BadInputError: another tab has this name.
        """
        tab = self.tab(tab_id)
        self._check_name(name, tab)
        tab.name = name
        return tab

    def _check_name(self, name: str, tab: Tab | None) -> None:
        other = next((each for each in self.tabs if name and each.name == name and each is not tab), None)
        if other is not None:
            raise BadInputError(f"tab {other.tab_id} is named {name!r} already: choose another name", field="name")

    def move_tab(self, tab_id: str, index: int) -> None:
        """Puts a tab at another place.

        Raises:
            UnknownTabError: there is no such tab.
            BadInputError: there is no such place.
        """
        tab = self.tab(tab_id)
        if not 0 <= index < len(self._tabs):
            raise BadInputError(
                f"index {index} is no place of a tab: this session has {len(self._tabs)}, 0 to {len(self._tabs) - 1}",
                field="index",
            )
        order = [each for each in self._tabs.values() if each is not tab]
        order.insert(index, tab)
        self._tabs = {each.tab_id: each for each in order}

    def check_room(self, name: str = "") -> None:
        """Checks that another tab may be opened, with a name.

        Raises:
            TabLimitError: there are too many.
            BadInputError: another tab has this name.
        """
        self._check_name(name, None)
        if len(self._tabs) + len(self._opening) >= self._options.max_tabs:
            raise TabLimitError(
                f"the session has {len(self._tabs)} tabs, its limit: close one, or start the service with more",
                limit=str(self._options.max_tabs),
            )

    async def new_tab(self, deadline: Deadline, *, name: str = "", select: bool = True) -> Tab:
        """Opens an empty tab. Raises what `_open_page` raises, and DeadlineError."""
        async with deadline.phase("opening a tab"):
            tab = await self._open_page(deadline)
        tab.name = name
        if select:
            self._selected = tab.tab_id
        return tab

    async def _open_page(self, deadline: Deadline) -> Tab:
        """A tab with an empty page. Tries twice: the process that Chromium keeps ready for a page may have crashed, or
        hang.

        Raises:
            PageCrashedError: the page crashed, or was closed, as it opened.
            SessionLostError: the session was closed meanwhile.
            PlaywrightError: the session never had a tab, and can have none with its options.
        """
        try:
            async with asyncio.timeout(deadline.share(OPEN_SECONDS).remaining()):
                return await self._try_page()
        except (PageCrashedError, TimeoutError):
            return await self._try_page()

    async def _try_page(self) -> Tab:
        try:
            with self._claiming():
                opening = await self._attach_new_page()
            if not opening.cancelled():
                return opening.result()
        except (PlaywrightError, CdpCallError) as exc:
            if not self._is_closing:
                if not self._last:
                    raise
                raise PageCrashedError("the new page crashed as it opened: try again") from exc
        raise SessionLostError("the session was closed as the tab opened: create a new session")

    async def _attach_new_page(self) -> asyncio.Task[Tab]:
        """The attachment of a new page, which has ended. A page that becomes no tab of the caller's is closed."""
        self._expected += 1
        try:
            page = await await_opened(self._context.new_page(), self._discard)
        finally:
            self._expected -= 1
        opening = self._open(page)
        try:
            await asyncio.wait((opening,))
        finally:
            if not opening.done() or opening.cancelled() or opening.exception() is not None:
                begin_closing(self._discard(page))
        return opening

    async def _discard(self, page: Page) -> None:
        """Closes a page that nobody waits for any more."""
        if (attaching := self._opening.get(page)) is not None:
            attaching.cancel()
        await _close_page(page)

    async def join(self, target_id: str, deadline: Deadline) -> bool:
        """Takes over a tab that is open in the context, as it is. Returns whether there is such a tab.

        Raises:
            PageCrashedError, SessionLostError, DeadlineError
        """
        async with deadline.phase("attaching to the tab"):
            for page in self._context.pages:
                with contextlib.suppress(PlaywrightError):  # it is closing
                    if await self._target_of(page) == target_id:
                        await page.bring_to_front()  # a page in the background is not painted, and may have no size
                        with self._claiming():
                            self._selected = (await self._open(page)).tab_id
                        return True
        return False

    async def _target_of(self, page: Page) -> str:
        return str((await self._target_info(page))["targetId"])

    async def _target_info(self, page: Page) -> dict[str, Any]:
        commands = await await_opened(self._context.new_cdp_session(page), CDPSession.detach)
        try:
            info: dict[str, Any] = (await commands.send("Target.getTargetInfo"))["targetInfo"]
        finally:
            await close_whole(commands.detach())
        return info

    async def revive(self, tab: Tab, deadline: Deadline) -> None:
        """Gives a tab whose page crashed a new, empty page: Playwright cannot use a crashed page again."""
        async with deadline.phase("opening a page in place of the crashed one"):
            fresh = await self._open_page(deadline)
            page, old = fresh.page, tab.link
            del self._tabs[fresh.tab_id]
            tab.replace_page(page, fresh.link, fresh.capturer)
            if self.request_log is not None:
                self.request_log.name_tab(fresh.link.target_id, tab.tab_id)
            page.on("close", lambda _: self._on_close(tab, page))
        try:
            if self._options.record_console:
                fresh.listener.close()
                await tab.listener.start(deadline)
        finally:
            await old.detach()
            self._close_target(old)

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
        self._selected = tab.tab_id
        return tab

    async def close_tab(self, tab_id: str, deadline: Deadline) -> None:
        """Closes a tab. After the last one an empty one is opened."""
        tab = self.tab(tab_id)
        async with deadline.phase("closing the tab"):
            with contextlib.suppress(CdpCallError):  # the tab is gone already
                await tab.link.link.session().start("Target.closeTarget", targetId=tab.link.target_id)
        await self._remove(tab)
        if not self._tabs:
            await self.new_tab(deadline)

    def close_soon(self, tab: Tab) -> None:
        """Closes a tab without waiting for it. Another one is selected if it was."""
        self._close_target(tab.link)
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
        await apply_permissions(self._host.link, self._context_id, conditions, before, self._ruled, deadline)
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
            self._opening or len(self._tabs) < count or self.tabs_refused < refused
        ):
            await asyncio.sleep(SESSION_POLL_SECONDS)

    async def close(self) -> None:
        """Closes the context, and removes its files. A browser that does not answer is ended by its host."""
        self._is_closing = True
        for task in self._opening.values():
            task.cancel()
        if self._downloads is not None:
            await self._downloads.close()
        if self._is_users:
            self._stop_listening()
        else:
            closing = asyncio.create_task(self._close_context(), name="close-context")
            self._host.keep(closing)  # it goes on where the browser is slow
            await asyncio.wait([closing], timeout=SESSION_CLOSE_SECONDS)
        for tab in list(self._tabs.values()):
            await self._remove(tab)
        for folder in self._uploads:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if self.egress is not None:
            await self._host.close_egress(self.egress)

    async def _close_context(self) -> None:
        await self.storage.pages.end()
        with contextlib.suppress(PlaywrightError):
            await self._context.close()

    def make_upload_folder(self) -> Path | None:
        """A new folder for uploaded files. Pages may read them at any time, so it is removed with the session. None for
        a browser that is not ours.

        Raises:
            SessionLostError: the browser's own folder was removed.
        """
        folder = self._host.make_folder("uploads")
        if folder is not None:
            self._uploads.append(folder)
        return folder

    @property
    def uploads_left_bytes(self) -> int:
        """How much may still be uploaded."""
        return self.max_uploads_bytes - self.uploaded_bytes

    @property
    def max_uploads_bytes(self) -> int:
        """The limit of all uploads of the session together."""
        return self._options.max_uploads_bytes

    def _on_page(self, page: Page) -> None:
        if page not in self._opening:
            is_full = len(self._tabs) + len(self._opening) >= self._options.max_tabs
            if is_full and not self._expected and not self._is_users:  # the user's own tabs are never closed
                self.tabs_refused += 1
                self._host.keep(asyncio.create_task(_close_page(page), name="refuse-tab"))
                return
            self._open(page).add_done_callback(_consume_tab)

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
        if self._is_users and not self._claims and self._tab_of(await page.opener()) is None:
            raise PageChangingError("the tab is the user's: the session takes its own and those that these open")
        deadline = Deadline.of(SESSION_ATTACH_SECONDS)
        target = await self._target_info(page)
        self._context_id = target["browserContextId"]
        if self._downloads is None or self._downloads.context_id != self._context_id:
            await deny_clipboard(self._host.link, self._context_id, deadline)
            await apply_permissions(
                self._host.link, self._context_id, self._options.conditions, NO_CONDITIONS, self._ruled, deadline
            )
            await self._take_downloads(deadline)
        link = await PageLink.attach(
            self._host.link,
            target["targetId"],
            deadline,
            make_masker=self._options.conceal,
            on_stuck=self._on_stuck,
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
        # Playwright emulates the viewport in its own CDP session. Without emulation in ours, screenshots taken there
        # are scaled down to one pixel for each CSS px (Chromium 156).
        screen = self._options.screen
        if self._is_users:
            width, height, scale = await page.evaluate("[innerWidth, innerHeight, devicePixelRatio]")
            screen = replace(screen, viewport=Viewport(max(width, 16), max(height, 16), scale))
        await link.emulation.show_on(screen, deadline)
        await self.clipboard.serve(link.emulation, deadline)
        met = self._options.conditions
        await apply_to_tab(link.emulation, met, NO_CONDITIONS, self._options.color_scheme, deadline)
        await emulate_user_agent(link.emulation, self._options.user_agent, self._options.locale, deadline)
        opener = self._tab_of(await page.opener())
        for frame in page.frames:
            self.storage.note_visit(frame.url, page.url)
        page.on("framenavigated", lambda frame: self.storage.note_visit(frame.url, page.url))
        self._last += 1
        opened_by = opener.tab_id if opener else ""
        tab = Tab(f"t{self._last}", page, link, PageCapturer(link), opened_by, clipboard=self.clipboard)
        if opener is not None and self._on_popup is not None:
            await self._on_popup(tab, deadline)
        if self._options.record_console:
            await tab.listener.start(deadline)
        self._tabs[tab.tab_id] = tab
        if self.request_log is not None:
            self.request_log.name_tab(link.target_id, tab.tab_id)
        self._selected = self._selected or tab.tab_id
        page.on("close", lambda _: self._on_close(tab, page))
        return tab

    async def _take_downloads(self, deadline: Deadline) -> None:
        """Those of the present context."""
        if self._downloads is None:
            self._downloads = await self._attach_downloads(self._context_id, deadline)
        else:
            await self._downloads.follow(self._context_id, deadline)

    async def _attach_downloads(self, context_id: str, deadline: Deadline) -> Downloads:
        inbox = self._host.make_folder("downloads")
        kept_in = self._options.download_dir
        try:
            return await Downloads.attach(
                self._host.link,
                context_id,
                inbox,
                kept_in,
                self._options.max_download_bytes,
                self._options.max_downloads_bytes,
                lambda frame: any(frame in tab.link.frames for tab in self._tabs.values()),
                deadline,
            )
        except BaseException:
            if inbox is not None:
                await asyncio.to_thread(shutil.rmtree, inbox, ignore_errors=True)
            raise

    def _close_target(self, link: PageLink) -> None:
        """Closes a tab's page without waiting for it."""
        self._host.link.session().start("Target.closeTarget", targetId=link.target_id).add_done_callback(consume)

    def _on_stuck(self, link: PageLink, session: CdpSession, probe: Probe) -> None:
        self._host.keep(asyncio.create_task(self._recover(link, session, probe), name="recover"))

    async def _recover(self, link: PageLink, session: CdpSession, probe: Probe) -> None:
        """Removes a page, or a frame, whose script cannot be ended. Its tab stays, as a crashed one."""

        async def close() -> None:
            self._close_target(link)

        async def crash() -> None:
            session.start("Page.crash").add_done_callback(consume)  # the command never answers

        if self._is_users:
            return  # what hangs in the user's own browser is for the user to close
        if session is link.session:
            await escalate(
                probe, (("close", close), ("crash", crash), ("recycle", self._recycle), ("restart", self._host.kill))
            )
        else:
            await escalate(probe, (("crash", crash), ("close", close)))

    async def _recycle(self) -> None:
        """Replaces the context by a new one with the same cookies. Its tabs stay, as crashed ones."""
        for tab in self._tabs.values():
            tab.link.mark_crashed()
        old, fresh = self._context, await self._host.new_context(self._options, self.egress)
        if self._is_closing:
            await fresh.close()
            return
        self._context = fresh
        self.storage.note_new_context()
        self._listen()
        with contextlib.suppress(PlaywrightError):
            await self._context.add_cookies(await old.cookies())  # type: ignore[arg-type]  # the same fields
        await self.storage.pages.all_closed()
        await old.close()

    def _tab_of(self, page: Page | None) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.page is page), None)

    def _on_error(self, error: WebError) -> None:
        tab = self._tab_of(error.page)
        if tab is not None:
            tab.log_error(str(error.error))

    def _on_dialog(self, dialog: Dialog) -> None:
        """Dialogs are answered over our own link, except those of a window that is not attached yet: they would prevent
        that, and are dismissed."""
        if self._tab_of(dialog.page) is None and not self._is_users:
            self._host.keep(asyncio.create_task(_dismiss(dialog), name="dismiss-dialog"))

    def _on_close(self, tab: Tab, page: Page) -> None:
        if tab.page is not page or tab.link.crashed:
            return  # a crashed page is replaced when the tab is used again
        self._host.keep(asyncio.create_task(self._remove(tab), name="tab-gone"))

    async def _remove(self, tab: Tab) -> None:
        if self._tabs.pop(tab.tab_id, None) is None:
            return
        if self._selected == tab.tab_id:
            self._selected = tab.opener if tab.opener in self._tabs else next(reversed(self._tabs), "")
        self._on_tab_closed(tab.tab_id)
        tab.listener.close()
        await tab.link.detach()


async def _close_page(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):  # it is closed already
        await page.close()


async def _dismiss(dialog: Dialog) -> None:
    with contextlib.suppress(PlaywrightError):  # its window is closed
        await dialog.dismiss()


def _consume_tab(task: asyncio.Task[Tab]) -> None:
    """Ignores the failure of a popup that closed before it was attached."""
    if not task.cancelled():
        task.exception()
