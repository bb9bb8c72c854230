"""A deed: one action on one tab, from what it is aimed at to what came of it."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from perception.browser import navigate as nav
from perception.browser.cdp import CdpCallError
from perception.browser.hands import Hands
from perception.browser.session import Tab
from perception.browser.targets import Aim, Node, Targets
from perception.budget import Budget
from perception.detectors.pool import DetectorPool
from perception.diff import diff_elements
from perception.errors import BadInputError, DeadlineError, PerceptionError, SessionLostError, first_line
from perception.geometry import Point
from perception.refs import VisionRef
from perception.server.convert import dialog_messages, download_message, seconds_of, timing_messages
from perception.server.looking import serve_diff, take_kept
from perception.server.services.base import tab_message
from perception.server.sessions import KeptSnapshot, Session
from perception.server.targeting import check_pixels, find_target
from perception.stages import Stages
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2

AFTERMATH_SECONDS = 1.0
"""How long an answer waits for a busy page, for a window that was announced, or for a download that has begun."""

SETTLE_SECONDS = 0.5
"""How long an answer with a diff waits for the page to come to rest, unless its caller says otherwise: transitions of
the common component libraries take 0.15 to 0.3 s."""


class Deed:
    """One action on one tab."""

    def __init__(
        self, session: Session, tab: Tab, pool: DetectorPool, options: pb.ActionOptions, budget: Budget
    ) -> None:
        self.session = session
        self.tab = tab
        self.hands = Hands(tab)
        self.targets = Targets(tab.link)
        self.budget = budget
        self.stages = Stages()
        self.point: Point | None = None
        self.notes: list[str] = []
        self._pool = pool
        self.settle_s = seconds_of(options, "settle_timeout", SETTLE_SECONDS, within="action_options.")
        self._before = None if options.skip_diff else session.last_of(tab.tab_id)
        tab.link.navigating = False  # what an earlier action began and called off is not this one's
        self._commits = tab.link.commits
        self._windows = tab.link.windows_opened
        self._tabs = {known.tab_id for known in session.browser.tabs}
        self._downloads = session.browser.downloads.count
        self._errors = tab.error_count
        self._options = options

    def again(self) -> Deed:
        """The next action of the same call, on the same tab."""
        return Deed(self.session, self.tab, self._pool, self._options, self.budget)

    async def find(self, target: types_pb2.Target) -> Node | VisionRef | Point:
        """What a target names, without touching it."""
        return await find_target(self.session, self.tab, target, self.budget)

    async def find_node(self, target: types_pb2.Target, what: str) -> Node:
        """The element that a target names. Raises BadInputError for what is none; `what` says what needs one."""
        found = await self.find(target)
        if not isinstance(found, Node):
            raise BadInputError(f"{what} needs an element: give a ref (e…), a selector or a node id", field="target")
        return found

    async def aim(self, target: types_pb2.Target) -> Aim:
        """Where input for a target goes, made sure of."""
        with self.stages.stage("aim"):
            return await self.aim_at(await self.find(target))

    async def aim_at(self, found: Node | VisionRef | Point) -> Aim:
        """As `aim`, of what was found."""
        if isinstance(found, Node):
            aim = await self.targets.aim_at(found, self.budget)
        elif isinstance(found, VisionRef):
            scroll, _, _ = await self.targets.scroll_state(self.budget)
            aim = await self.targets.aim_at_vision(found, scroll, self.budget)
            await check_pixels(self.tab, found, aim.point, self.budget)
        else:
            aim = await self.targets.aim_at_point(found, self.budget)
        self.point = aim.point
        return aim

    async def result(self) -> pb.ActionResult:
        """What came of it: navigation followed, new tabs attached, downloads begun, and how the page differs."""
        browser = self.session.browser
        with self.stages.stage("follow"):
            answers = await self._hear_events()
            navigated = await nav.follow_navigation(self.tab.link, self._commits, self.budget)
            windows = self.tab.link.windows_opened - self._windows
            share = self.budget.share(AFTERMATH_SECONDS)
            await browser.wait_for_tabs(len(self._tabs) + windows if windows else 0, share)
            await browser.downloads.wait(self._downloads, self.budget.share(AFTERMATH_SECONDS))
        result = await self._told(navigated)
        if not answers:
            self.notes.append("the page is busy since: there is no diff yet")
        elif self._before is not None and any(tab is self.tab for tab in browser.tabs):
            await self._add_diff(result, self._before)
        return self._signed(result)

    async def interrupted(self) -> pb.ActionResult:
        """As `result`, where a dialog keeps the page from doing anything more."""
        if self.hands.cut_short:
            self.notes.append(f"the dialog cut the input short: {self.hands.cut_short}")
        return self._signed(await self._told(self.tab.link.commits != self._commits))

    def _signed(self, result: pb.ActionResult) -> pb.ActionResult:
        """With what is known only at the end: notes, and the time that each phase took."""
        result.notes.extend(self.notes)
        result.timings.extend(timing_messages(self.stages.timings_ms))
        return result

    async def _told(self, navigated: bool) -> pb.ActionResult:
        """What the browser knows, without asking the page."""
        browser = self.session.browser
        opened = [tab for tab in browser.tabs if tab.tab_id not in self._tabs]
        is_open = any(tab is self.tab for tab in browser.tabs)
        where = await tab_message(self.tab, browser.selected, self.budget) if is_open else types_pb2.Tab()
        return pb.ActionResult(
            tab_id=self.tab.tab_id,
            url=where.url,
            navigated=navigated,
            point=types_pb2.Point(x=self.point.x, y=self.point.y) if self.point else None,
            new_tabs=[await tab_message(tab, browser.selected, self.budget) for tab in opened],
            dialogs=dialog_messages(browser.tabs),
            downloads=[download_message(each) for each in browser.downloads.since(self._downloads)],
            console_errors=self.tab.errors_since(self._errors),
        )

    async def _add_diff(self, result: pb.ActionResult, before: KeptSnapshot) -> None:
        """What changed since the tab's last snapshot, looked at in the same way. A look that fails takes nothing away
        from what was done."""
        wish = replace(before.wish, settle_s=self.settle_s)
        try:
            with self.stages.stage("look"):
                budget = self.budget.share(self.budget.remaining())  # half of it: what was done must be told
                kept = await take_kept(self._pool, self.session, self.tab, wish, before.root, budget, by_action=True)
        except (PerceptionError, CdpCallError) as exc:
            self.notes.append(f"no diff: {first_line(exc)}")
            return
        result.snapshot_id = kept.snapshot.snapshot_id
        result.diff.CopyFrom(serve_diff(self.session, before, kept, diff_elements(before.listed, kept.listed)))

    async def _hear_events(self) -> bool:
        """One question to the page after the input: its answer comes after the events that the input caused. False of
        a page that has no time to answer: it has other news for the next call."""
        with contextlib.suppress(DeadlineError, SessionLostError):
            await self.tab.looker.place(self.budget.share(AFTERMATH_SECONDS))
            return True
        return False
