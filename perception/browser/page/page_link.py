"""One tab over our own CDP link: its attachment, its events, and its recovery from hangs.

What the events say is kept by noun: the frame tree in `frames`, isolated worlds in `worlds`, navigations in
`navigation_tracker`, dialogs in `dialogs`, the tab's state in `tab_state`. A `PageLink` holds one of each and offers
what callers use of them under its own name.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from perception.browser.cdp.cdp_link import CdpLink, CdpSession
from perception.browser.opening import attach_to_target, detach_from_target
from perception.browser.page.dialogs import Dialogs
from perception.browser.page.emulation import Emulation
from perception.browser.page.file_choosers import FileChoosers
from perception.browser.page.frames import FrameTree
from perception.browser.page.halted_scripts import HaltedScripts
from perception.browser.page.navigation_tracker import NavigationTracker
from perception.browser.page.page_events import BACKGROUND_SECONDS, PageEvents
from perception.browser.page.page_parts import PageParts, RestMemory
from perception.browser.page.process_counters import ProcessCounters
from perception.browser.page.recovery import Probe
from perception.browser.page.requests import PageRequests
from perception.browser.page.tab_state import TabEvent, TabState
from perception.browser.page.watchdog import ScriptWatchdog
from perception.browser.page.worlds import IsolatedWorlds
from perception.browser.traffic.session_traffic import SessionTraffic, watch_only
from perception.deadline import Deadline
from perception.errors import PageCrashedError, PerceptionError, SessionLostError
from perception.secrets import Masker, TypedSecrets

_ATTACHING = "attaching to the tab"


class PageLink:
    """One tab. Made by `attach`, ended by `detach`.

    Attributes:
        link: the connection to the browser.
        session: the tab's own DevTools session.
        target_id: the tab's TargetId.
        tree: its frames.
        worlds: the isolated worlds in them.
        navigation: how far it has navigated.
        state: whether it can be used.
        dialogs: the JavaScript dialog that is open, if one is.
        file_choosers: the file chooser that is open, if one is.
        watchdog: frees it from scripts that do not end.
        emulation: the screen that it is shown on, and the conditions that its pages meet.
        events: what it hears of its pages: navigations, loaded documents, windows.
        requests: what its pages have asked of the network, as far as a wait needs it.
        traffic: what the session keeps of that, and its rules; None for a tab that is not of a session.
        typed: what was typed into sensitive fields of the session.
        halted: its scripts, while they are, for a flood of the browser.
        rest: what waits for rest have found of the document that is shown.
        changed: notified on each navigation, lifecycle event, crash and detachment.
    """

    def __init__(
        self,
        link: CdpLink,
        session: CdpSession,
        target_id: str,
        make_masker: Callable[[], Masker | None] | None = None,
        on_stuck: Callable[[PageLink, CdpSession, Probe], None] | None = None,
        is_slowed: Callable[[PageLink], bool] = lambda _: False,
        traffic: SessionTraffic | None = None,
        typed: TypedSecrets | None = None,
    ) -> None:
        self.link, self.session, self.target_id = link, session, target_id
        self.state = TabState()
        self.tree = FrameTree(session, target_id)
        self.navigation = NavigationTracker(session, self.state)
        self.dialogs = Dialogs(session)
        self.file_choosers = FileChoosers()
        self.watchdog = ScriptWatchdog(
            session, self.tree, self.state, self.dialogs, self.give_up, lambda: is_slowed(self)
        )
        self.worlds = IsolatedWorlds(self.tree, self.state, self.watchdog)
        self.emulation = Emulation(session, lambda: self.tree.sessions)
        self.halted = HaltedScripts(session, target_id)
        self.requests = PageRequests()
        self.counters = ProcessCounters()
        self.traffic = traffic
        self.typed = typed or TypedSecrets()
        self.rest = RestMemory()
        self.changed = asyncio.Condition()
        self._make_masker = make_masker
        self._on_stuck = on_stuck
        self._tasks: set[asyncio.Task[None]] = set()
        self._guests: dict[CdpSession, CdpSession] = {}
        parts = PageParts(
            self.tree,
            self.navigation,
            self.dialogs,
            self.file_choosers,
            self.watchdog,
            self.worlds,
            self.requests,
            self.rest,
        )
        self.events = PageEvents(parts, self._notify, self.start_task)
        # What callers use most of the parts above.
        self.session_of = self.tree.session_of
        self.world = self.worlds.world
        self.evaluate = self.worlds.evaluate
        self.ask = self.worlds.ask
        self.ask_text = self.worlds.ask_text

    @classmethod
    async def attach(
        cls,
        link: CdpLink,
        target_id: str,
        deadline: Deadline,
        *,
        make_masker: Callable[[], Masker | None] | None = None,
        on_stuck: Callable[[PageLink, CdpSession, Probe], None] | None = None,
        is_slowed: Callable[[PageLink], bool] = lambda _: False,
        traffic: SessionTraffic | None = None,
        typed: TypedSecrets | None = None,
    ) -> PageLink:
        """Attaches to a tab of a browser.

        Args:
            make_masker: returns what masks the secrets that no picture may show; None where there are none.
            on_stuck: called with a process whose script cannot be ended, by its session and the probe that waits for
                it; has to remove the process.
            is_slowed: whether a page may be stopped most of the time, for flooding its browser.
            traffic: follows the requests of its pages for the session; None for none.
            typed: takes what is typed into its sensitive fields; None for a tab by itself.

        Raises:
            CdpCallError: there is no such target.
            DeadlineError, SessionLostError
        """
        session = await attach_to_target(link.session(), target_id, deadline, _ATTACHING)
        page = cls(link, session, target_id, make_masker, on_stuck, is_slowed, traffic, typed)
        try:
            await page._adopt(page.session, deadline)
        except BaseException:
            await page.detach()
            raise
        page.state.apply(TabEvent.ATTACHED)
        return page

    async def detach(self) -> None:
        """Ends the tab's tasks and fails what is still asked of it."""
        tasks = [*self._tasks, *self.watchdog.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.state.apply(TabEvent.CLOSED)
        async with self.changed:
            self.changed.notify_all()
        self._drop_session(self.session.session_id)
        self.halted.end()
        detach_from_target(self.session)  # a tab may stay open without us
        self.link.forget(self.session.session_id, SessionLostError("the tab was closed"))

    @property
    def main_frame(self) -> str:
        """Id of the top frame."""
        return self.tree.main_frame

    @property
    def frames(self) -> tuple[str, ...]:
        """Ids of all frames, the top one first."""
        return self.tree.frames

    @property
    def loader(self) -> str:
        """LoaderId of the top document; empty before there is one."""
        return self.tree.loader_of(self.tree.main_frame)

    @property
    def loaders(self) -> frozenset[str]:
        """LoaderIds of the documents that are shown, in all frames."""
        return self.tree.loaders

    @property
    def commits(self) -> int:
        """Navigations that were completed so far, those within a document included."""
        return self.navigation.commits

    @property
    def documents(self) -> int:
        """Navigations to another document that were completed so far."""
        return self.navigation.documents

    @property
    def url(self) -> str:
        """The address of the top document."""
        return self.navigation.url

    @property
    def mime_type(self) -> str:
        """The MIME type of the top document, such as `application/pdf`; empty where it is not known."""
        return self.navigation.mime_type

    @property
    def unreachable(self) -> str:
        """The URL that could not be opened, while Chromium's error page is shown; else empty."""
        return self.navigation.unreachable

    @property
    def lifecycle(self) -> dict[str, set[str]]:
        """Names of the lifecycle events seen so far, by LoaderId."""
        return self.navigation.lifecycle

    @property
    def crashed(self) -> bool:
        """Nothing can be asked of the page: its process is gone, or is being removed."""
        return self.state.is_crashed

    @property
    def gone(self) -> bool:
        """The tab is detached."""
        return self.state.is_closed

    @property
    def navigating(self) -> bool:
        """A navigation is under way that the current action waits for."""
        return self.state.is_navigating

    def note_input(self) -> None:
        """Input is about to be sent to the tab."""
        self.requests.note_input()
        self.rest.late.note_input(self.session)

    @property
    def is_leaving(self) -> bool:
        """Another document is on its way: until it commits or is cancelled, the current one does not answer
        (Chromium 156)."""
        return self.state.is_loading

    @property
    def windows_opened(self) -> int:
        """Windows that its pages have opened so far."""
        return self.events.windows_opened

    @property
    def windows_unasked(self) -> int:
        """Those of them that no input called for, which Chromium blocks."""
        return self.events.windows_unasked

    def masker(self) -> Masker | None:
        """Masks the secrets that no picture may show; None where there are none."""
        return self._make_masker() if self._make_masker is not None else None

    def require_page(self) -> None:
        """Raises PageCrashedError where nothing can be asked of the page."""
        if self.crashed:
            raise _crashed()

    @contextlib.contextmanager
    def hosting(self, guest: CdpSession, frame: str) -> Iterator[None]:
        """Fails what is asked by another DevTools session as soon as the frame's process is gone. A session that was
        attached after the crash is not told of it (Chromium 156)."""
        self._guests[guest] = self.session_of(frame)
        try:
            self.require_page()
            yield
        finally:
            del self._guests[guest]

    def mark_crashed(self) -> None:
        """Treats the page as crashed: its process is about to be ended."""
        self.state.apply(TabEvent.CRASHED)

    def give_up(self, session: CdpSession, probe: Probe) -> None:
        """Has a process removed that cannot be freed; the page of the tab's own process counts as crashed for good."""
        if session is self.session:
            self.state.apply(TabEvent.ABANDONED)
        self._lose_process(session)
        if self._on_stuck is not None:
            self._on_stuck(self, session, probe)

    async def _adopt(self, session: CdpSession, deadline: Deadline) -> None:
        """Listens to a target: the tab itself, or one of its out-of-process frames."""
        self.events.listen(session)
        for event, handler in (
            ("Inspector.targetCrashed", lambda _: self._on_crashed(session)),
            ("Performance.metrics", self.counters.hear),
            ("Target.attachedToTarget", self._on_target_attached),
            ("Target.detachedFromTarget", lambda params: self._drop_session(params["sessionId"])),
        ):
            session.on(event, handler)
        self.emulation.apply_to(session)
        self._follow_requests(session)
        waits = self.traffic is not None and self.traffic.is_awaited
        commands = [
            session.start("Page.enable"),
            session.start("Inspector.enable"),
            session.start("Performance.enable"),
            session.start("Page.setLifecycleEventsEnabled", enabled=True),
            self.file_choosers.listen(session),
            session.start("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=waits, flatten=True),
            session.start("Page.getFrameTree"),
        ]
        self._resume(session)
        async with deadline.phase(_ATTACHING):
            *_, tree = await asyncio.gather(*commands)
        self.tree.add_tree(session, tree["frameTree"])
        if session is self.session and not self.navigation.url:
            self.navigation.begin_at(tree["frameTree"]["frame"]["url"], tree["frameTree"]["frame"].get("mimeType", ""))

    def _follow_requests(self, session: CdpSession) -> None:
        self.requests.listen(session, self.main_frame)
        if self.traffic is not None:
            self.traffic.follow(session, self.target_id)
        else:
            watch_only(session)

    def _resume(self, session: CdpSession) -> None:
        if self.traffic is not None:
            self.traffic.resume(session)

    def _drop_session(self, session_id: str) -> None:
        self.tree.drop_session(session_id)
        self.requests.drop_session(session_id)
        if self.traffic is not None:
            self.traffic.interception.forget(session_id)

    def _on_target_attached(self, params: dict[str, Any]) -> None:
        target = params["targetInfo"]
        session = self.link.session(params["sessionId"])
        if target["type"] == "worker":
            self.rest.late.has_workers = True
            self._follow_requests(session)
        if target["type"] != "iframe":
            self._resume(session)
            return
        self.tree.add_target(session, target["targetId"])
        self.worlds.drop(target["targetId"])
        self.start_task(self._adopt_frame(session), "adopt-frame")

    async def _adopt_frame(self, session: CdpSession) -> None:
        try:
            await self._adopt(session, Deadline.of(BACKGROUND_SECONDS))
        except PerceptionError:
            self._resume(session)
            return  # the frame is gone already
        self._notify()

    def _on_crashed(self, session: CdpSession) -> None:
        if session is self.session:
            self.state.apply(TabEvent.CRASHED)
        self._lose_process(session)

    def _lose_process(self, session: CdpSession) -> None:
        """The tab's own process is gone, or one of its frames'."""
        self.worlds.drop_session(session)
        for guest, host in self._guests.items():
            if host is session:
                guest.link.fail(guest.session_id, _crashed())
        self._notify()

    def start_task(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Starts what no caller waits for; it ends with the tab."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _notify(self) -> None:
        self.start_task(self._wake(), "notify")

    async def _wake(self) -> None:
        async with self.changed:
            self.changed.notify_all()


def _crashed() -> PageCrashedError:
    return PageCrashedError("the page crashed or hangs: open it again or close its tab")
