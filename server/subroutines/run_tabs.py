"""The tabs of one run: the tab that it was called on, and the pop-ups that its steps open.

Rule 1: a pop-up belongs to the run from its opening on: its dialogs are answered as those of the first tab.
Rule 2: a pop-up that closes itself returns to the first tab. Those that the run went on in are closed at its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.evaluate.evaluator import Evaluator
from perception.browser.recording.network_log import NetworkLog
from perception.errors import (
    DriftError,
    OtherOriginError,
    PageChangingError,
    PerceptionError,
    SessionLostError,
    UnknownTabError,
)
from perception.page_words import quoted_words
from perception.server.actions.action_context import WITHOUT_DIFF, ActionContext
from perception.server.subroutines.dialog_answers import DialogAnswers
from perception.server.subroutines.fetch import SubroutineRequests
from perception.server.subroutines.steps import SubroutineSteps
from perception.subroutines.hosts import origin_of
from perception.subroutines.path_patterns import url_fits
from perception.types import Capture

POPUP_SECONDS = 5.0
"""How long a step waits until a pop-up is there, or has closed itself: as long as one waits for its target."""

CLOSED_SECONDS = 1.0
"""How long the end of a tab may take to be known after its page stopped answering."""

POPUP_POLL_SECONDS = 0.05

_STATE = "JSON.stringify([document.readyState, location.href])"

Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class RunTab:
    """One tab of a run.

    Attributes:
        action: what acts on it.
        log: its network events.
        steps: acts by input.
        requests: sends requests.
        mark: requests of the log when the last step began.
    """

    action: ActionContext
    log: NetworkLog
    steps: SubroutineSteps
    requests: SubroutineRequests
    mark: int = 0

    @property
    def tab(self) -> Tab:
        return self.action.tab


class RunTabs:
    """The tabs of one run; used as a context.

    Args:
        on_look: called with each capture of the first tab before a step.

    Attributes:
        first: the tab that the run was called on.
        here: the tab that steps act on.
        answers: how dialogs are answered.
        has_posted: a form was sent into a window of its own, which no log has seen.
    """

    def __init__(
        self,
        action: ActionContext,
        evaluator: Evaluator,
        log: NetworkLog,
        origin: str,
        upload_dir: Path | None,
        arguments: Mapping[str, Any],
        on_look: Callable[[Capture], None],
    ) -> None:
        self._evaluator, self._origin, self._upload_dir, self._arguments = evaluator, origin, upload_dir, arguments
        self.first = self.here = self._make(action, log, on_look)
        self.answers = DialogAnswers()
        self.has_posted = False
        self._session = action.session
        self._deadline = action.deadline
        self._before = action.baseline.tab_ids
        self._opened: list[Tab] = []
        self._entered: dict[str, RunTab] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> RunTabs:
        await self._stack.__aenter__()
        self._stack.enter_context(self.answers.answering(self.first.tab.link.dialogs))
        session = self.first.tab.link.session
        session.on("Page.frameRequestedNavigation", self._on_requested)
        self._stack.callback(session.off, "Page.frameRequestedNavigation", self._on_requested)
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self._stack.__aexit__(*exc)
        for tab in self._entered.values():
            tab.log.detach()
            if self._is_open(tab.tab):
                with suppress(PerceptionError, CdpCallError):  # it has closed itself meanwhile
                    await self._session.browser.close_tab(tab.tab.tab_id, self._deadline)

    @property
    def all(self) -> tuple[RunTab, ...]:
        """The tabs that the run has acted in, those that are closed too."""
        return (self.first, *self._entered.values())

    async def act(self, step: Callable[[], Awaitable[Result]]) -> Result | None:
        """Does a step. A pop-up that the step closes has done it."""
        for each in self.all:
            each.mark = len(each.log.exchanges)
        here, before = self.here, self._deadline.dispatched
        self._deadline.dispatched = False
        try:
            return await step()
        except (SessionLostError, PageChangingError, CdpCallError):
            if here is self.first or not self._deadline.dispatched or not await self._has_closed(here.tab):
                raise
            return None
        finally:
            self._deadline.dispatched = self._deadline.dispatched or before
            self.note_opened()

    async def switch(self, number: int, path: str) -> None:
        """Goes on in another tab: 0 for the first, n for the nth pop-up, once it shows its page.

        Args:
            path: pattern of the pop-up's path; empty for any.

        Raises:
            DriftError: the pop-up was not opened, or shows something else.
        """
        if number == 0:
            self.here = self.first
            return
        tab = await self._wait_for_popup(number, path)
        if tab.tab_id not in self._entered:
            await self._stack.enter_async_context(self._session.use_tab(tab.tab_id, self._deadline))
            log = await NetworkLog.attach(tab.link, self._deadline)
            action = ActionContext.begin(self._session, tab, self.first.action.pool, self._deadline, WITHOUT_DIFF)
            self._entered[tab.tab_id] = self._make(action, log)
        self.here = self._entered[tab.tab_id]

    async def close(self, number: int) -> None:
        """Waits until a pop-up has closed itself, else closes it; goes on in the first tab."""
        self.here = self.first
        self.note_opened()
        if not 1 <= number <= len(self._opened):
            return
        tab, share = self._opened[number - 1], self._deadline.share(POPUP_SECONDS)
        while self._is_open(tab) and not share.spent():  # noqa: ASYNC110  (tabs come and go)
            await asyncio.sleep(POPUP_POLL_SECONDS)
        if self._is_open(tab):
            with suppress(UnknownTabError):  # it has just closed
                await self._session.browser.close_tab(tab.tab_id, self._deadline)

    def leave_closed(self) -> None:
        """Goes on in the first tab if the pop-up has closed."""
        if self.here is not self.first and not self._is_open(self.here.tab):
            self.here = self.first

    def note_opened(self) -> None:
        """Takes pop-ups that were opened meanwhile as the run's own."""
        ours = {self.first.tab.tab_id, *(each.tab_id for each in self._opened)}
        for tab in self._session.browser.tabs:
            if tab.tab_id not in self._before and tab.tab_id not in ours and tab.opener in ours:
                ours.add(tab.tab_id)
                self._opened.append(tab)
                self._stack.enter_context(self.answers.answering(tab.link.dialogs))

    def _make(self, action: ActionContext, log: NetworkLog, on_look: Callable[[Capture], None] | None = None) -> RunTab:
        steps = SubroutineSteps(action, self._origin, self._upload_dir, on_look)
        requests = SubroutineRequests(action.tab, self._evaluator, log, self._origin, action.deadline, self._arguments)
        return RunTab(action, log, steps, requests)

    async def _wait_for_popup(self, number: int, path: str) -> Tab:
        share = self._deadline.share(POPUP_SECONDS)
        while True:
            self.note_opened()
            tab = self._opened[number - 1] if 1 <= number <= len(self._opened) else None
            state, url = await self._state_of(tab) if tab is not None and self._is_open(tab) else ("", "")
            if url.startswith("http") and origin_of(url) != self._origin:
                shown = origin_of(url) or quoted_words(url)
                raise OtherOriginError(
                    f"pop-up {number} shows {shown}, and this runs on {self._origin} alone: it ends here"
                )
            # A window that the page writes itself may never be complete.
            if tab is not None and (url_fits(path, url) if path else state == "complete"):
                return tab
            if share.spent():
                wanted = f"pop-up {number}{f' with {path}' if path else ''}"
                now = urlsplit(url).path or "no such pop-up"
                raise DriftError(f"{wanted} was not opened: there is {now}", before=wanted, after=now)
            await asyncio.sleep(POPUP_POLL_SECONDS)

    async def _state_of(self, tab: Tab) -> tuple[str, str]:
        """A page's `readyState` and address; both empty while it goes to another one."""
        link = tab.link
        try:
            reply = await link.evaluate(
                link.main_frame, _STATE, self._deadline, "opening the pop-up", returnByValue=True
            )
        except (CdpCallError, SessionLostError, PageChangingError):
            return "", ""
        state, url = msgspec.json.decode(reply["value"], type=tuple[str, str])
        return state, url

    async def _has_closed(self, tab: Tab) -> bool:
        share = self._deadline.share(CLOSED_SECONDS)
        while self._is_open(tab) and not share.spent():  # noqa: ASYNC110  (tabs come and go)
            await asyncio.sleep(POPUP_POLL_SECONDS)
        return not self._is_open(tab)

    def _is_open(self, tab: Tab) -> bool:
        return any(each is tab for each in self._session.browser.tabs)

    def _on_requested(self, params: dict[str, Any]) -> None:
        if params.get("reason") == "formSubmissionPost" and params.get("disposition", "currentTab") != "currentTab":
            self.has_posted = True
