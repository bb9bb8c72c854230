"""Records one tab: the actions on its pages, and the requests that they send, while a person or an agent works.

Actions are reported by a script in an isolated world of every frame, which runs before any script of the page. Requests
are reported by a patch in the page's own world and by network events, which decide where the two differ. Both scripts
report by bindings whose names cannot be guessed; the page's world loses its binding before its first script runs.

Rule: nothing leaves this module before `masking` has redacted it. Secrets stay in this process's memory, while the
recording runs.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Any

import msgspec
import structlog

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.page.page_link import PageLink
from perception.browser.recording.dialog_log import DialogLog
from perception.browser.recording.injection import inject_scripts, require_loaded
from perception.browser.recording.network_log import Exchange, NetworkLog
from perception.browser.recording.open_requests import open_requests
from perception.browser.recording.page_changes import PageChanges
from perception.browser.recording.page_sources import PageSources
from perception.browser.recording.recording_notes import RecordingNotes
from perception.browser.recording.request_reading import match_sent, read_request
from perception.browser.recording.tab_reports import TabReports
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.subroutines.bodies import Sent
from perception.subroutines.constants import with_origins
from perception.subroutines.form_fields import MAX_FORM_STATES
from perception.subroutines.masking import local_address
from perception.subroutines.received import joined
from perception.subroutines.recording import (
    ADDRESSED,
    Event,
    RecordedRequest,
    Recording,
    Shown,
    tidy_events,
)
from perception.subroutines.volatile import without_volatile

log = structlog.get_logger(__name__)

RECORDER_QUIET_SECONDS = 2.0
"""How long the end of a recording waits until nothing is pending, background requests included. Chosen by hand."""

READING_SECONDS = 2.0
"""What is left of the caller's time, half of it at most, to read the page once the last request was waited for. Chosen
by hand."""


_STORED = """(() => {
  let digest = 0;
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const text of Object.entries(storage).flat())
        for (const each of text) digest = (digest * 31 + each.codePointAt(0)) | 0;
  } catch (error) {}
  return digest;
})()"""
"""A digest of what the page has stored in this tab and origin; 0 where it may store nothing."""


class Recorder:
    """One recording of one tab. Made by `start`, ended by `stop` or `cancel`.

    Attributes:
        tab: the recorded tab.
        recording_id: the recording's id.
        include_person: what a person does who has control is recorded, too.
        gaps: what is left out.
    """

    def __init__(
        self,
        tab: Tab,
        recording_id: str,
        notes: RecordingNotes,
        *,
        include_person: bool = False,
        tab_number: int = 0,
    ) -> None:
        self.include_person = include_person
        self.gaps = notes.gaps
        self.tab = tab
        self.recording_id = recording_id
        self._notes = notes
        self._link: PageLink = tab.link
        self._reports = TabReports(notes, tab_number, tab.link, self._note_input)
        self._visited: list[str] = []
        self._start_url = tab.link.url
        self._binding = secrets.token_hex(8)
        self._sources = PageSources(tab.link, self._binding)
        self._changes = PageChanges(tab, self._sources.note_answer)
        self._log: NetworkLog | None = None
        self._is_asked_by_page = False
        self._tab_number = tab_number
        self._popups: list[Recorder] = []
        self._stored: Any = 0
        self._is_closed = False

    @classmethod
    async def start(cls, tab: Tab, recording_id: str, deadline: Deadline, *, include_person: bool = False) -> Recorder:
        """Begins to record. Where the page's scripts stored `fetch` before, only network events see their requests."""
        recorder = cls(tab, recording_id, RecordingNotes(tab.link.masker()), include_person=include_person)
        place = await tab.capturer.place(deadline)
        recorder._start_url = place.url
        recorder._visited.append(place.url)
        await recorder._changes.start(deadline)
        await recorder._listen(deadline)
        assert recorder._log is not None  # since it listens
        try:
            await require_loaded(recorder._log.session, tab.link.main_frame, deadline)
            recorder._stored = await recorder._evaluate(_STORED, deadline)
            now = await recorder._evaluate("performance.timeOrigin + performance.now()", deadline)
        except BaseException:
            recorder.cancel()
            raise
        recorder._notes.begun_ms = float(now)
        return recorder

    async def follow_popup(self, tab: Tab, deadline: Deadline) -> None:
        """Records a pop-up that a recorded tab has opened, too: what is done there belongs to the task."""
        popup = Recorder(tab, self.recording_id, self._notes, tab_number=len(self._popups) + 1)
        self._popups.append(popup)
        try:
            await popup._listen(deadline)
        except PerceptionError:
            self._notes.leave_out("a pop-up that could not be recorded")

    def records(self, tab_id: str) -> bool:
        """Whether it records a tab: its own, or a pop-up."""
        return any(each.tab.tab_id == tab_id for each in (self, *self._popups))

    def end_popup(self, tab_id: str) -> None:
        """A pop-up was closed, by itself or by somebody."""
        for popup in self._popups:
            if popup.tab.tab_id != tab_id or popup._is_closed:
                continue
            if any(each.tab == popup._tab_number for each in self._notes.events):
                at_ms = time.time() * 1000 - self._notes.begun_ms
                url = self._notes.vault.mask_url(popup._link.url)
                self._notes.events.append(Event("close", at_ms, url, ADDRESSED, tab=popup._tab_number))
            popup._is_closed = True
            popup.cancel()

    async def _listen(self, deadline: Deadline) -> None:
        """Attaches to the tab."""
        self._log = await NetworkLog.attach(
            self._link,
            deadline,
            prepare=self._prepare,
            on_sent=self._sources.note_sent,
            on_end=self._changes.note_answer,
        )
        session = self._log.session
        session.on("Page.frameNavigated", self._on_navigated)
        session.on("Page.frameRequestedNavigation", self._on_requested)
        session.on("Page.navigatedWithinDocument", self._on_moved)
        DialogLog(session, self._notes.vault, lambda: self._link.url, self._take_dialog, self._notes.leave_out)

    def _take_dialog(self, event: Event) -> None:
        if self.gaps.is_open:
            return
        at_ms = event.at_ms - self._notes.begun_ms
        self._notes.events.append(msgspec.structs.replace(event, at_ms=at_ms, tab=self._tab_number))

    @property
    def event_count(self) -> int:
        """Actions so far."""
        return len(tidy_events(tuple(self._notes.events)))

    async def stop(self, deadline: Deadline) -> Recording:
        """Ends the recording once what the actions caused is answered, or little time is left, and returns it."""
        assert self._log is not None  # since start
        network = self._log
        try:
            await self.tab.capturer.place(deadline)  # its reply comes after the events that were under way
            for each in (self, *self._popups):
                await each._wait_for_answers(deadline)
            await self._changes.stop(deadline, is_asked=self._has_asked())
            self._changes.note_rows(
                {cell.text for event in self._notes.events for cell in event.target.cells if not cell.own}
            )
            stored = await self._has_stored(deadline)
            for each in (self, *self._popups):
                await each._sources.finish(deadline)
                await each._wait_for_answers(deadline)  # to what was sent meanwhile, by a script that came late
        finally:
            self.cancel()
        typed = {str(event.value) for event in self._notes.events if event.kind == "type"}
        entered = typed | {str(each) for event in self._notes.events if event.kind == "select" for each in event.value}
        return Recording(
            recording_id=self.recording_id,
            start_url=self._notes.vault.mask_url(self._start_url),
            events=tidy_events(
                tuple(map(self._masked_again, sorted(self._notes.events, key=lambda event: event.at_ms)))
            ),
            requests=await self._explained(sorted(self._requests(), key=lambda each: each.at_ms), deadline),
            visited=tuple(dict.fromkeys(self._notes.vault.mask_url(url) for url in self._visited)),
            tokens=tuple(self._notes.tokens),
            shown=tuple(Shown(role, name) for role, name in self._changes.shown(typed)),
            end_url=self._notes.vault.mask_url(self._link.url),
            left_out=(
                *self._notes.left_out,
                *self.gaps.left_out,
                *self._notes.unrecorded,
                *(f"the form, which was not sent: {each}" for each in self._reports.refused),
                *([f"{network.dropped} requests"] if network.dropped else []),
            ),
            forms=tuple(self._reports.forms[-MAX_FORM_STATES:]),
            open_requests=self._open_lines(),
            unrecorded=tuple(self._notes.unrecorded),
            appeared=self._changes.appeared(self._notes.mask_words),
            gone=self._changes.gone(self._notes.mask_words),
            kept=self._changes.kept(entered),
            results=self._changes.results_masked(self._notes.mask_words),
            reloaded=self._is_loaded_again(),
            stored=stored,
        )

    async def _has_stored(self, deadline: Deadline) -> bool:
        """Whether the page's storage is another than at the start; False where it cannot be read now."""
        try:
            return bool(await self._evaluate(_STORED, deadline) != self._stored)
        except (PerceptionError, CdpCallError):
            return False

    def _has_asked(self) -> bool:
        """Whether something was requested since the first action."""
        assert self._log is not None
        first = min((each.at_ms for each in self._notes.events if each.kind != "goto"), default=float("inf"))
        return self._link.url != self._start_url or any(
            each.at_s * 1000 - self._notes.begun_ms >= first
            and each.kind in ("Document", "XHR", "Fetch", "EventSource")
            for each in self._log.exchanges
        )

    def _is_loaded_again(self) -> bool:
        """Whether the last page was requested with GET after the last input."""
        assert self._log is not None
        pages = [
            each for each in self._log.exchanges if each.kind == "Document" and each.frame == self._link.main_frame
        ]
        last = max((each.at_ms for each in self._notes.events if each.kind != "goto"), default=0.0)
        return bool(pages) and pages[-1].method == "GET" and pages[-1].at_s * 1000 - self._notes.begun_ms > last

    async def _wait_for_answers(self, deadline: Deadline) -> None:
        """Waits a moment until the network rests, and as long as the caller allows for what the actions caused."""
        assert self._log is not None
        network = self._log
        while not self._is_closed:
            share = deadline.share(RECORDER_QUIET_SECONDS)
            await network.wait_for(lambda: all(each.done for each in network.exchanges), share.remaining())
            if not self._open():
                return
            left = deadline.remaining()
            if not await network.wait_for(lambda: not self._open(), max(left - READING_SECONDS, left / 2)):
                return

    def _open(self) -> list[Exchange]:
        """What the actions caused and has not ended."""
        assert self._log is not None
        acted = [(each.at_ms + self._notes.begun_ms) / 1000 for each in self._notes.events if each.kind != "goto"]
        return open_requests(self._log.exchanges, acted, self._link.loader)

    def _open_lines(self) -> tuple[str, ...]:
        """Open requests of the tab and its pop-ups, as `method URL`, without query."""
        live = [each for each in (self, *self._popups) if not each._is_closed and each._log is not None]
        read = (without_volatile(each._read(exchange, None)) for each in live for exchange in each._open())
        return tuple(dict.fromkeys(f"{request.method} {request.url.partition('?')[0]}" for request in read))

    def _masked_again(self, event: Event) -> Event:
        """Redacts an event again: its URL may hold a token that was reported as one only later."""
        url = self._notes.vault.mask_url(event.url)
        value = local_address(url) if event.kind == "goto" else event.value
        return msgspec.structs.replace(event, url=url, value=value)

    def cancel(self) -> None:
        """Ends the recording without reading anything more."""
        for each in (self, *self._popups):
            each._sources.cancel()
            if each._log is not None:
                each._log.detach()

    async def _prepare(self, session: CdpSession, kind: str) -> None:
        if kind in ("page", "iframe"):
            session.on("Runtime.bindingCalled", self._on_report)
            await inject_scripts(session, self._binding)

    async def _evaluate(self, expression: str, deadline: Deadline) -> Any:
        reply = await self._link.evaluate(
            self._link.main_frame, expression, deadline, "beginning the recording", returnByValue=True
        )
        return reply["value"]

    def _on_navigated(self, params: dict[str, Any]) -> None:
        frame = params["frame"]
        if "parentId" in frame:
            return
        url = f"{frame['url']}{frame.get('urlFragment', '')}"
        self._visited.append(url)
        if not self._is_asked_by_page and not self._tab_number and not self.gaps.is_open:
            masked = self._notes.vault.mask_url(url)
            at_ms = time.time() * 1000 - self._notes.begun_ms
            self._notes.events.append(Event("goto", at_ms, masked, ADDRESSED, value=local_address(masked)))
        self._is_asked_by_page = False

    def _on_requested(self, params: dict[str, Any]) -> None:
        """The page itself navigates: by a link, a form or a script."""
        if params["frameId"] == self._link.main_frame and params.get("disposition", "currentTab") == "currentTab":
            self._is_asked_by_page = True

    def _on_moved(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._link.main_frame:
            self._visited.append(params["url"])

    def _on_report(self, params: dict[str, Any]) -> None:
        """Takes one report of the recorder or the patch."""
        if params["name"].startswith(self._binding):
            self._reports.take(params["payload"])

    def _note_input(self, kind: str) -> None:
        self._changes.note_input(kind)
        if self._log is not None:
            self._sources.note_input(self._log.session)

    def _requests(self) -> list[RecordedRequest]:
        """All requests, those of pop-ups too."""
        made = [request for popup in self._popups for request in popup._requests()]
        waiting = list(self._reports.sent)
        for exchange in self._log.exchanges if self._log is not None else ():
            if self.gaps.hold(exchange.at_s):
                continue
            sent = match_sent(exchange, waiting)
            if sent is not None:
                waiting.remove(sent)
            made.append(self._read(exchange, sent))
        return made

    async def _explained(self, requests: list[RecordedRequest], deadline: Deadline) -> tuple[RecordedRequest, ...]:
        """The requests, with the origins of what scripts sent; without, where there is no time for it."""
        sources = [each._sources for each in (self, *self._popups)]
        scripts = [script for each in sources for script in each.scripts]
        answers = [(at_s * 1000 - self._notes.begun_ms, answer) for each in sources for at_s, answer in each.answers]
        data = joined(each.data for each in sources)
        try:
            async with asyncio.timeout(deadline.remaining()):
                return await asyncio.to_thread(with_origins, requests, scripts, answers, data)
        except TimeoutError:
            return tuple(requests)

    def _read(self, exchange: Exchange, sent: Sent | None) -> RecordedRequest:
        request = read_request(
            exchange,
            sent,
            self._notes.vault,
            begun_ms=self._notes.begun_ms,
            main_frame=self._link.main_frame,
            submitted=self._reports.files,
            tab=self._tab_number,
        )
        answer = self._changes.shape_of(exchange)
        messages = tuple((key, self._notes.mask_words(text)) for key, text in answer.messages)
        return msgspec.structs.replace(request, answer=msgspec.structs.replace(answer, messages=messages))
