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
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import msgspec
import structlog

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.page_link import PageLink
from perception.browser.recording.network_log import Exchange, NetworkLog
from perception.browser.recording.open_requests import open_requests
from perception.browser.tab import Tab
from perception.browser.walker import recorder_source
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.secrets import Masker
from perception.subroutines.bodies import Sent, read_body
from perception.subroutines.form_fields import MAX_FORM_STATES, form_states
from perception.subroutines.masking import RecordingMasker, local_address
from perception.subroutines.recording import (
    ADDRESSED,
    Event,
    Field,
    FormState,
    RecordedRequest,
    Recording,
    Shown,
    Target,
    tidy_events,
)
from perception.subroutines.volatile import without_volatile
from perception.types import Engine, Scope

log = structlog.get_logger(__name__)

MAX_EVENTS = 2000
"""Actions of one recording. Chosen by hand."""

RECORDER_WORLD = "perception-recorder"
"""Name of the isolated world that the recorder runs in."""

SAME_SECONDS = 0.5
"""How far apart the patch and DevTools may date one request; both take the time when it is sent. Chosen by hand, on two
busy cores."""

MAX_SHOWN = 2000
"""Elements that are compared with those at the start, to find what appeared since. Chosen by hand."""

RECORDER_QUIET_SECONDS = 2.0
"""How long the end of a recording waits until nothing is pending, background requests included. Chosen by hand."""

READING_SECONDS = 2.0
"""What is left of the caller's time, half of it at most, to read the page once the last request was waited for. Chosen
by hand."""

UA_HEADERS = frozenset(
    "accept-language accept-encoding cache-control connection content-type content-length cookie host origin pragma"
    " priority referer te upgrade-insecure-requests user-agent dnt authority purpose x-client-data".split()
)
"""Headers that the browser sets, as well as all `sec-…`; the page's script has set the others."""

_KINDS = {
    "Document": "document",
    "XHR": "xhr",
    "Fetch": "fetch",
    "Ping": "beacon",
    "Preflight": "preflight",
    "Prefetch": "prefetch",
}


class Recorder:
    """One recording of one tab. Made by `start`, ended by `stop` or `cancel`.

    Attributes:
        tab: the recorded tab.
        recording_id: the recording's id.
    """

    def __init__(self, tab: Tab, recording_id: str) -> None:
        self.tab = tab
        self.recording_id = recording_id
        self._link: PageLink = tab.link
        self._vault = RecordingMasker()
        self._events: list[Event] = []
        self._sent: list[Sent] = []
        self._files: list[tuple[float, tuple[tuple[str, str, str, int], ...]]] = []
        self._forms: list[FormState] = []
        self._tokens: dict[tuple[str, str], None] = {}
        self._visited: list[str] = []
        self._left_out: dict[str, None] = {}
        self._masker: Masker | None = None
        self._named: set[str] = set()
        self._begun_ms = 0.0
        self._start_url = ""
        self._before: frozenset[tuple[str, str]] = frozenset()
        self._binding = secrets.token_hex(8)
        self._log: NetworkLog | None = None
        self._is_asked_by_page = False

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
        recorder._before = await recorder._shown(deadline)
        recorder._log = await NetworkLog.attach(tab.link, deadline, recorder._prepare)
        recorder._log.session.on("Page.frameNavigated", recorder._on_navigated)
        recorder._log.session.on("Page.frameRequestedNavigation", recorder._on_requested)
        recorder._log.session.on("Page.navigatedWithinDocument", recorder._on_moved)
        try:
            await recorder._require_loaded(deadline)
            now = await recorder._evaluate("performance.timeOrigin + performance.now()", deadline)
        except BaseException:
            recorder.cancel()
            raise
        recorder._begun_ms = float(now)
        return recorder

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
            await self._wait_for_answers(deadline)
            shown = await self._shown(deadline)
        finally:
            self.cancel()
        new = sorted(shown - self._before)
        masked = (Shown(role, self._vault.mask_text(name)) for role, name in new)
        entered = {str(event.value) for event in self._events if event.kind == "type"}
        return Recording(
            recording_id=self.recording_id,
            start_url=self._vault.mask_url(self._start_url),
            events=tidy_events(tuple(map(self._masked_again, sorted(self._events, key=lambda event: event.at_ms)))),
            requests=self._requests(),
            visited=tuple(dict.fromkeys(self._vault.mask_url(url) for url in self._visited)),
            tokens=tuple(self._tokens),
            shown=tuple(each for each in masked if each.name in entered),
            end_url=self._vault.mask_url(self._link.url),
            left_out=(*self._left_out, *([f"{network.dropped} requests"] if network.dropped else [])),
            forms=tuple(self._forms[-MAX_FORM_STATES:]),
            open_requests=tuple(dict.fromkeys(map(self._line, self._open()))),
        )

    async def _wait_for_answers(self, deadline: Deadline) -> None:
        """Waits a moment until the network rests, and as long as the caller allows for what the actions caused."""
        assert self._log is not None
        network = self._log
        while True:
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

    def _line(self, exchange: Exchange) -> str:
        request = without_volatile(self._request(exchange, None))
        return f"{request.method} {request.url.partition('?')[0]}"

    def _masked_again(self, event: Event) -> Event:
        """Redacts an event again: its URL may hold a token that was reported as one only later."""
        url = self._vault.mask_url(event.url)
        value = local_address(url) if event.kind == "goto" else event.value
        return msgspec.structs.replace(event, url=url, value=value)

    def cancel(self) -> None:
        """Ends the recording without reading anything more."""
        if self._log is not None:
            self._log.detach()

    async def _prepare(self, session: CdpSession, kind: str) -> None:
        """Puts the recorder and the patch into a page or frame, before its own scripts."""
        if kind not in ("page", "iframe"):
            return
        world, main = f"{self._binding}w", f"{self._binding}m"
        session.on("Runtime.bindingCalled", self._on_report)
        recorder = f"{recorder_source()};\nperceptionRecorder.start(globalThis['{world}']);"
        patch = f"{_patch_source()}('{main}');"
        await asyncio.gather(
            session.start("Page.enable"),
            session.start("Runtime.enable"),  # without it new documents get no bindings (Chromium 156)
            session.start("Runtime.addBinding", name=world, executionContextName=RECORDER_WORLD),
            session.start("Runtime.addBinding", name=main),
            session.start(
                "Page.addScriptToEvaluateOnNewDocument", source=recorder, worldName=RECORDER_WORLD, runImmediately=True
            ),
            session.start("Page.addScriptToEvaluateOnNewDocument", source=patch, runImmediately=True),
        )

    async def _require_loaded(self, deadline: Deadline) -> None:
        """Raises PerceptionError where the recorder does not run in the page: it would record nothing."""
        assert self._log is not None
        session, phase = self._log.session, "beginning the recording"
        world = await session.call(
            "Page.createIsolatedWorld", deadline, phase, frameId=self._link.main_frame, worldName=RECORDER_WORLD
        )
        reply = await session.call(
            "Runtime.evaluate",
            deadline,
            phase,
            expression="typeof perceptionRecorder",
            contextId=world["executionContextId"],
            returnByValue=True,
        )
        if reply["result"].get("value") != "object":
            raise PerceptionError("the recorder could not be loaded into the page")

    async def _evaluate(self, expression: str, deadline: Deadline) -> Any:
        reply = await self._link.evaluate(
            self._link.main_frame, expression, deadline, "beginning the recording", returnByValue=True
        )
        return reply["value"]

    async def _shown(self, deadline: Deadline) -> frozenset[tuple[str, str]]:
        capture = await self.tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline
        )
        named = (each for each in capture.elements[:MAX_SHOWN] if each.name and each.visible and not each.sensitive)
        return frozenset((each.role, each.name) for each in named)

    def _on_navigated(self, params: dict[str, Any]) -> None:
        frame = params["frame"]
        if "parentId" in frame:
            return
        url = f"{frame['url']}{frame.get('urlFragment', '')}"
        self._visited.append(url)
        if not self._is_asked_by_page:
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
        elif report["type"] == "event":
            self._take_event(report)
        elif report["type"] == "forms":
            self._forms += form_states(report, report["at"] - self._begun_ms, self._vault)
        elif report["type"] == "submit":
            files = tuple((each["field"], each["name"], each["type"], each["size"]) for each in report["files"])
            self._files.append((report["at"], files))
        else:
            self._sent.append(Sent.of(report))

    def _take_event(self, report: dict[str, Any]) -> None:
        if len(self._events) >= MAX_EVENTS:
            self._left_out[f"what was done after {MAX_EVENTS} events"] = None
            return
        target = {**report["target"], "frame": report["frame"]}
        if self._masker is not None:  # a page may name its elements by what was typed
            texts = {key: self._masker.text(text) for key, text in target.items() if isinstance(text, str)}
            target = {**target, **texts}
        target["href"] = local_address(self._vault.mask_url(str(target.get("href", "")))) if target.get("href") else ""
        target["cells"] = [
            {**cell, "column": self._near(cell["column"]), "text": self._near(cell["text"])}
            for cell in target.get("cells", ())
        ]
        target["near"] = {key: self._near(fact) for key, fact in target.get("near", {}).items()}
        field = msgspec.convert(report.get("field", {}), Field)
        value = report.get("value", "")
        if report.get("secret"):
            key = f"{report['frame']} {target['selector']} {target['name']}"
            value = self._vault.give(key, str(value), field.name or target["name"] or "secret")
        elif isinstance(value, str):
            value = self._vault.mask_value("", value) if value in self._named else self._vault.mask_text(value)
        options = {name: tuple(report.get(name, ())) for name in ("values", "options", "option_values")}
        self._events.append(
            Event(
                kind=report["kind"],
                at_ms=report["at"] - self._begun_ms,
                url=self._vault.mask_url(report["url"]),
                target=msgspec.convert(target, Target),
                value=value,
                secret=report.get("secret", ""),
                multiple=bool(report.get("multiple", False)),
                field=field,
                **options,
            )
        )

    def _near(self, fact: Any) -> Any:
        """A fact of what is around an element; one with a secret is left out."""
        if not isinstance(fact, str):
            return fact
        masked = self._vault.mask_text(fact if self._masker is None else self._masker.text(fact))
        return fact if masked == fact else ""

    def _requests(self) -> tuple[RecordedRequest, ...]:
        assert self._log is not None
        waiting = list(self._sent)
        made = []
        for exchange in self._log.exchanges:
            sent = _match(exchange, waiting)
            if sent is not None:
                waiting.remove(sent)
            made.append(self._request(exchange, sent))
        return tuple(sorted(made, key=lambda each: each.at_ms))

    def _request(self, exchange: Exchange, sent: Sent | None) -> RecordedRequest:
        headers = {name.lower(): value for name, value in exchange.headers.items()}
        content_type = headers.get("content-type", "")
        files = next((files for at, files in self._files if abs(at - exchange.at_s * 1000) < SAME_SECONDS * 1000), ())
        body = read_body(content_type, exchange.body, exchange.has_body, sent, files, self._vault)
        own = (
            (name, self._vault.mask_value(name, value))
            for name, value in sorted(headers.items())
            if name not in UA_HEADERS and not name.startswith("sec-")
        )
        at_ms = exchange.at_s * 1000 if sent is None else sent.at_ms
        return RecordedRequest(
            method=exchange.method,
            url=self._vault.mask_url(exchange.url),
            kind=_KINDS.get(exchange.kind, "other"),
            at_ms=at_ms - self._begun_ms,
            status=exchange.status,
            size=exchange.size,
            mime=exchange.mime,
            headers=tuple(own),
            body=body,
            location=self._vault.mask_url(exchange.location) if exchange.location else "",
            frame="" if exchange.frame == self._link.main_frame else exchange.frame,
            by="network" if sent is None else "patch",
            wrapped=sent is not None and sent.wrapped,
            open=not exchange.done,
        )


def _match(exchange: Exchange, waiting: list[Sent]) -> Sent | None:
    """The patch's report of a request: the same address and method at about the same time."""
    url = urlsplit(exchange.url)._replace(fragment="").geturl()
    near = [
        sent
        for sent in waiting
        if (sent.method, urlsplit(sent.url)._replace(fragment="").geturl()) == (exchange.method, url)
        and abs(sent.at_ms - exchange.at_s * 1000) <= SAME_SECONDS * 1000
    ]
    return min(near, key=lambda sent: abs(sent.at_ms - exchange.at_s * 1000), default=None)


@cache
def _patch_source() -> str:
    text = files(__package__).joinpath("patch.js").read_text("utf-8").rstrip().rstrip(";")
    return f"({text})"  # an arrow function is called in brackets only
