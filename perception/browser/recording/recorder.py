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
from functools import partial
from typing import Any

import msgspec
import structlog

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.page.page_link import PageLink
from perception.browser.recording.dialog_log import DialogLog
from perception.browser.recording.event_reading import EventReader
from perception.browser.recording.gaps import Gaps
from perception.browser.recording.injection import inject_scripts, require_loaded
from perception.browser.recording.network_log import Exchange, NetworkLog
from perception.browser.recording.open_requests import open_requests
from perception.browser.recording.page_changes import PageChanges
from perception.browser.recording.page_sources import PageSources
from perception.browser.recording.request_reading import SubmittedFiles, match_sent, read_request
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.secrets import Masker
from perception.subroutines.bodies import Sent
from perception.subroutines.constants import with_origins
from perception.subroutines.form_fields import MAX_FORM_STATES, form_states
from perception.subroutines.masking import RecordingMasker, local_address
from perception.subroutines.received import joined
from perception.subroutines.recording import (
    ADDRESSED,
    Event,
    Field,
    FormState,
    RecordedRequest,
    Recording,
    Shown,
    tidy_events,
)
from perception.subroutines.volatile import without_volatile

log = structlog.get_logger(__name__)

MAX_EVENTS = 2000
"""Actions of one recording. Chosen by hand."""

RECORDER_QUIET_SECONDS = 2.0
"""How long the end of a recording waits until nothing is pending, background requests included. Chosen by hand."""

MAX_LEFT_OUT = 300
"""Characters that say what was left out. Chosen by hand."""

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

    def __init__(self, tab: Tab, recording_id: str) -> None:
        self.include_person = False
        self.gaps = Gaps()
        self.tab = tab
        self.recording_id = recording_id
        self._link: PageLink = tab.link
        self._vault = RecordingMasker()
        self._events: list[Event] = []
        self._sent: list[Sent] = []
        self._files: list[SubmittedFiles] = []
        self._forms: list[FormState] = []
        self._tokens: dict[tuple[str, str], None] = {}
        self._visited: list[str] = []
        self._left_out: dict[str, None] = {}
        self._masker: Masker | None = None
        self._named: set[str] = set()
        self._begun_ms = 0.0
        self._start_url = ""
        self._binding = secrets.token_hex(8)
        self._sources = PageSources(tab.link, self._binding)
        self._changes = PageChanges(tab, self._sources.note_answer)
        self._log: NetworkLog | None = None
        self._is_asked_by_page = False
        self._tab_number = 0
        self._popups: list[Recorder] = []
        self._unrecorded: dict[str, None] = {}
        self._refused: dict[str, None] = {}
        self._stored: Any = 0
        self._is_closed = False
        self._chooser: Event | None = None

    @classmethod
    async def start(cls, tab: Tab, recording_id: str, deadline: Deadline) -> Recorder:
        """Begins to record. Where the page's scripts stored `fetch` before, only network events see their requests."""
        recorder = cls(tab, recording_id)
        recorder._masker = tab.link.masker()
        for secret in recorder._masker.secrets if recorder._masker is not None else ():
            recorder._named.add(secret.value)
            recorder._vault.give(f"secret {secret.name}", secret.value, secret.name)
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
        recorder._begun_ms = float(now)
        return recorder

    async def follow_popup(self, tab: Tab, deadline: Deadline) -> None:
        """Records a pop-up that a recorded tab has opened, too: what is done there belongs to the task."""
        popup = Recorder(tab, self.recording_id)
        popup._vault, popup._masker, popup._named = self._vault, self._masker, self._named
        popup._tokens, popup._left_out, popup._unrecorded = self._tokens, self._left_out, self._unrecorded
        popup._events, popup._begun_ms, popup.gaps = self._events, self._begun_ms, self.gaps
        self._popups.append(popup)
        popup._tab_number = len(self._popups)
        popup._start_url = tab.link.url
        try:
            await popup._listen(deadline)
        except PerceptionError:
            self._left_out["a pop-up that could not be recorded"] = None

    def records(self, tab_id: str) -> bool:
        """Whether it records a tab: its own, or a pop-up."""
        return any(each.tab.tab_id == tab_id for each in (self, *self._popups))

    def end_popup(self, tab_id: str) -> None:
        """A pop-up was closed, by itself or by somebody."""
        for popup in self._popups:
            if popup.tab.tab_id != tab_id or popup._is_closed:
                continue
            if any(each.tab == popup._tab_number for each in self._events):
                at_ms = time.time() * 1000 - self._begun_ms
                url = self._vault.mask_url(popup._link.url)
                self._events.append(Event("close", at_ms, url, ADDRESSED, tab=popup._tab_number))
            popup._is_closed = True
            popup.cancel()

    async def _listen(self, deadline: Deadline) -> None:
        """Attaches to the tab."""
        self._log = await NetworkLog.attach(self._link, deadline, self._prepare)
        self._log.on_sent = self._sources.note_sent
        self._log.on_end = partial(self._changes.note_answer, self._log)
        session = self._log.session
        session.on("Page.frameNavigated", self._on_navigated)
        session.on("Page.frameRequestedNavigation", self._on_requested)
        session.on("Page.navigatedWithinDocument", self._on_moved)
        DialogLog(session, self._vault, lambda: self._link.url, self._take_dialog, self._leave_out)

    def _take_dialog(self, event: Event) -> None:
        if self.gaps.is_open:
            return
        at_ms = event.at_ms - self._begun_ms
        self._events.append(msgspec.structs.replace(event, at_ms=at_ms, tab=self._tab_number))

    def _leave_out(self, what: str) -> None:
        self._left_out[what] = None

    @property
    def event_count(self) -> int:
        """Actions so far."""
        return len(tidy_events(tuple(self._events)))

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
                {cell.text for event in self._events for cell in event.target.cells if not cell.own}
            )
            stored = await self._has_stored(deadline)
            for each in (self, *self._popups):
                await each._sources.finish(deadline)
                await each._wait_for_answers(deadline)  # to what was sent meanwhile, by a script that came late
        finally:
            self.cancel()
        typed = {str(event.value) for event in self._events if event.kind == "type"}
        entered = typed | {str(each) for event in self._events if event.kind == "select" for each in event.value}
        return Recording(
            recording_id=self.recording_id,
            start_url=self._vault.mask_url(self._start_url),
            events=tidy_events(tuple(map(self._masked_again, sorted(self._events, key=lambda event: event.at_ms)))),
            requests=await self._explained(sorted(self._requests(), key=lambda each: each.at_ms), deadline),
            visited=tuple(dict.fromkeys(self._vault.mask_url(url) for url in self._visited)),
            tokens=tuple(self._tokens),
            shown=tuple(Shown(role, name) for role, name in self._changes.shown(typed)),
            end_url=self._vault.mask_url(self._link.url),
            left_out=(
                *self._left_out,
                *self.gaps.left_out,
                *self._unrecorded,
                *(f"the form, which was not sent: {each}" for each in self._refused),
                *([f"{network.dropped} requests"] if network.dropped else []),
            ),
            forms=tuple(self._forms[-MAX_FORM_STATES:]),
            open_requests=self._open_lines(),
            unrecorded=tuple(self._unrecorded),
            appeared=self._changes.appeared(self._masked_words),
            gone=self._changes.gone(self._masked_words),
            kept=self._changes.kept(entered),
            results=self._changes.results_masked(self._masked_words),
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
        first = min((each.at_ms for each in self._events if each.kind != "goto"), default=float("inf"))
        return self._link.url != self._start_url or any(
            each.at_s * 1000 - self._begun_ms >= first and each.kind in ("Document", "XHR", "Fetch", "EventSource")
            for each in self._log.exchanges
        )

    def _masked_words(self, text: str) -> str:
        return self._vault.mask_text(text if self._masker is None else self._masker.text(text))

    def _is_loaded_again(self) -> bool:
        """Whether the last page was requested with GET after the last input."""
        assert self._log is not None
        pages = [
            each for each in self._log.exchanges if each.kind == "Document" and each.frame == self._link.main_frame
        ]
        last = max((each.at_ms for each in self._events if each.kind != "goto"), default=0.0)
        return bool(pages) and pages[-1].method == "GET" and pages[-1].at_s * 1000 - self._begun_ms > last

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
        acted = [(each.at_ms + self._begun_ms) / 1000 for each in self._events if each.kind != "goto"]
        return open_requests(self._log.exchanges, acted, self._link.loader)

    def _open_lines(self) -> tuple[str, ...]:
        """Open requests of the tab and its pop-ups, as `method URL`, without query."""
        live = [each for each in (self, *self._popups) if not each._is_closed and each._log is not None]
        read = (without_volatile(each._read(exchange, None)) for each in live for exchange in each._open())
        return tuple(dict.fromkeys(f"{request.method} {request.url.partition('?')[0]}" for request in read))

    def _masked_again(self, event: Event) -> Event:
        """Redacts an event again: its URL may hold a token that was reported as one only later."""
        url = self._vault.mask_url(event.url)
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
            masked = self._vault.mask_url(url)
            at_ms = time.time() * 1000 - self._begun_ms
            self._events.append(Event("goto", at_ms, masked, ADDRESSED, value=local_address(masked)))
        self._is_asked_by_page = False

    def _on_requested(self, params: dict[str, Any]) -> None:
        """The page itself navigates: by a link, a form or a script."""
        if params["frameId"] == self._link.main_frame and params.get("disposition", "currentTab") == "currentTab":
            self._is_asked_by_page = True

    def _on_moved(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._link.main_frame:
            self._visited.append(params["url"])

    def _on_report(self, params: dict[str, Any]) -> None:
        """Takes one report of the recorder or the patch. One that cannot be read is left out and logged; the recording
        continues."""
        if not params["name"].startswith(self._binding):
            return
        try:
            self._take(msgspec.json.decode(params["payload"]))
        except (KeyError, TypeError, ValueError, msgspec.MsgspecError) as exc:
            self._left_out[f"a report that could not be read ({type(exc).__name__})"] = None
            log.warning("recording: a report could not be read", error=type(exc).__name__)

    def _take(self, report: dict[str, Any]) -> None:
        if report["type"] == "tokens":
            for kind, token, value in report["tokens"]:
                if self._vault.keep_token(kind, token, value):
                    self._tokens[kind, token] = None
        elif self.gaps.is_open:
            self._mask_typed(report)
        elif report["type"] == "event":
            self._take_event(report)
        elif report["type"] == "unrecorded":
            self._unrecorded[self._vault.mask_text(str(report["what"]))[:MAX_LEFT_OUT]] = None
        elif report["type"] == "chooser":
            clicks = [each for each in self._events[-1:] if each.kind == "click" and each.tab == self._tab_number]
            self._chooser = clicks[0] if clicks else None
        elif report["type"] == "files":
            self._take_files(report)
        elif report["type"] == "forms":
            self._forms += form_states(report, report["at"] - self._begun_ms, self._vault)
        elif report["type"] == "invalid":
            self._refused[self._vault.mask_text(str(report["what"]))[:MAX_LEFT_OUT]] = None
        elif report["type"] == "submit":
            self._refused.clear()
            files = tuple((each["field"], each["name"], each["type"], each["size"]) for each in report["files"])
            self._files.append((report["at"], files))
        else:
            self._sent.append(Sent.of(report))

    def _mask_typed(self, report: dict[str, Any]) -> None:
        """What is typed in a gap is a secret of the recording: later reports, such as what forms hold, repeat it."""
        if report["type"] == "event" and report["kind"] in ("type", "write"):
            reader = EventReader(self._vault, self._masker, self._named)
            reader.read({**report, "secret": "typed by a person"}, self._begun_ms, self._tab_number)

    def _take_event(self, report: dict[str, Any]) -> None:
        if len(self._events) >= MAX_EVENTS:
            self._left_out[f"what was done after {MAX_EVENTS} events"] = None
            return
        reader = EventReader(self._vault, self._masker, self._named)
        event = reader.read(report, self._begun_ms, self._tab_number)
        self._changes.note_input(event.kind)
        if self._log is not None:
            self._sources.note_input(self._log.session)
        if event.kind == "upload" and self._chooser is not None:
            event = self._by_chooser(event)
        self._events.append(event)

    def _by_chooser(self, event: Event) -> Event:
        """An upload to what opened the file chooser, in place of the click that opened it."""
        clicked, self._chooser = self._chooser, None
        assert clicked is not None
        self._events[:] = [each for each in self._events if each is not clicked]
        return msgspec.structs.replace(event, target=clicked.target)

    def _take_files(self, report: dict[str, Any]) -> None:
        """Files that a field took which is in no document: it has no name but that of what opened its chooser."""
        if self._chooser is None:
            self._unrecorded["files that were chosen: what opened the file chooser is not known"] = None
            return
        names = [self._vault.mask_text(str(each)) for each in report["names"]]
        at_ms = report["at"] - self._begun_ms
        url = self._vault.mask_url(self._link.url)
        event = Event("upload", at_ms, url, ADDRESSED, names, field=Field(type="file"), tab=self._tab_number)
        self._events.append(self._by_chooser(event))

    def _requests(self) -> list[RecordedRequest]:
        """All requests, those of pop-ups too."""
        made = [request for popup in self._popups for request in popup._requests()]
        waiting = list(self._sent)
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
        answers = [(at_s * 1000 - self._begun_ms, answer) for each in sources for at_s, answer in each.answers]
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
            self._vault,
            begun_ms=self._begun_ms,
            main_frame=self._link.main_frame,
            submitted=self._files,
            tab=self._tab_number,
        )
        answer = self._changes.shape_of(exchange)
        messages = tuple((key, self._masked_words(text)) for key, text in answer.messages)
        return msgspec.structs.replace(request, answer=msgspec.structs.replace(answer, messages=messages))
