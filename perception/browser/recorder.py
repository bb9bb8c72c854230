"""Recording one tab: what is done to its pages, and what they send, while a person or an agent works.

What is done is told by a script in a world of its own, in every frame, before any script of the page; what is sent, by
a patch in the page's own world and by DevTools' network events, which are the truth of it. Both report by bindings
whose names cannot be guessed; the page's world has lost its own before the page's first script runs.

Rule: nothing leaves here that `masking` has not seen. Secrets are known to this process's memory alone, for as long as
the recording runs.
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

from perception.browser.cdp import CdpSession
from perception.browser.netlog import Exchange, NetworkLog
from perception.browser.page import PageLink
from perception.browser.session import Tab
from perception.browser.walker import recorder_source
from perception.budget import Budget
from perception.errors import PerceptionError
from perception.named_secrets import Masker
from perception.subroutines.bodies import Sent, read_body
from perception.subroutines.generate import local_address
from perception.subroutines.masking import Vault
from perception.subroutines.recording import ADDRESSED, Event, Field, Recording, Request, Shown, Target, tidy_events
from perception.types import Engine, Scope

log = structlog.get_logger(__name__)

MAX_EVENTS = 2000

WORLD = "perception-recorder"

SAME_SECONDS = 0.5
"""How far apart the patch and DevTools may see one request: both take the time when it is sent, on two busy cores."""

MAX_SHOWN = 2000
"""Elements that are looked at for what has come since the beginning."""

QUIET_SECONDS = 2.0
"""How long the end of a recording waits for answers that are still to come."""

UA_HEADERS = frozenset(
    "accept-language accept-encoding cache-control connection content-type content-length cookie host origin pragma"
    " priority referer te upgrade-insecure-requests user-agent dnt authority purpose x-client-data".split()
)
"""Headers that the browser sets; what else a request has, its page's script has set. `sec-…` are the browser's, too."""

_KINDS = {
    "Document": "document",
    "XHR": "xhr",
    "Fetch": "fetch",
    "Ping": "beacon",
    "Preflight": "preflight",
    "Prefetch": "prefetch",
}


class Recorder:
    """One recording of one tab. Made by `start`, ended by `stop` or `cancel`."""

    def __init__(self, tab: Tab, recording_id: str) -> None:
        self.tab = tab
        self.recording_id = recording_id
        self._link: PageLink = tab.link
        self._vault = Vault()
        self._events: list[Event] = []
        self._sent: list[Sent] = []
        self._files: list[tuple[float, tuple[tuple[str, str, str, int], ...]]] = []
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
    async def start(cls, tab: Tab, recording_id: str, budget: Budget) -> Recorder:
        """Begins to record. What the page's scripts have kept of `fetch` before is seen by network events alone."""
        recorder = cls(tab, recording_id)
        recorder._masker = tab.link.conceal() if tab.link.conceal is not None else None
        for secret in recorder._masker.secrets if recorder._masker is not None else ():
            recorder._named.add(secret.value)
            recorder._vault.give(f"secret {secret.name}", secret.value, secret.name)
        place = await tab.looker.place(budget)
        recorder._start_url = place.url
        recorder._visited.append(place.url)
        recorder._before = await recorder._shown(budget)
        recorder._log = await NetworkLog.attach(tab.link, budget, recorder._prepare)
        recorder._log.session.on("Page.frameNavigated", recorder._navigated)
        recorder._log.session.on("Page.frameRequestedNavigation", recorder._requested)
        recorder._log.session.on("Page.navigatedWithinDocument", recorder._moved)
        try:
            await recorder._require_loaded(budget)
            now = await recorder._evaluate("performance.timeOrigin + performance.now()", budget)
        except BaseException:
            recorder.cancel()
            raise
        recorder._begun_ms = float(now)
        return recorder

    @property
    def event_count(self) -> int:
        return len(tidy_events(tuple(self._events)))

    async def stop(self, budget: Budget) -> Recording:
        """Ends it, once what is under way has been answered, and gives what was recorded."""
        assert self._log is not None  # since start
        network = self._log
        try:
            await self.tab.looker.place(budget)  # answers after the events that were on their way
            share = budget.share(QUIET_SECONDS)
            await network.wait_for(lambda: all(each.done for each in network.exchanges), share.remaining())
            shown = await self._shown(budget)
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
        )

    def _masked_again(self, event: Event) -> Event:
        """An address may have held a token before the page told that it is one."""
        url = self._vault.mask_url(event.url)
        value = local_address(url) if event.kind == "goto" else event.value
        return msgspec.structs.replace(event, url=url, value=value)

    def cancel(self) -> None:
        """Ends it without looking any more."""
        if self._log is not None:
            self._log.detach()

    async def _prepare(self, session: CdpSession, kind: str) -> None:
        """Puts the recorder and the patch into a page or frame, before its own scripts."""
        if kind not in ("page", "iframe"):
            return
        world, main = f"{self._binding}w", f"{self._binding}m"
        session.on("Runtime.bindingCalled", self._told)
        told = f"{recorder_source()};\nperceptionRecorder.start(globalThis['{world}']);"
        patch = f"{_patch_source()}('{main}');"
        await asyncio.gather(
            session.start("Page.enable"),
            session.start("Runtime.enable"),  # without it bindings do not come to new documents (Chromium 156)
            session.start("Runtime.addBinding", name=world, executionContextName=WORLD),
            session.start("Runtime.addBinding", name=main),
            session.start("Page.addScriptToEvaluateOnNewDocument", source=told, worldName=WORLD, runImmediately=True),
            session.start("Page.addScriptToEvaluateOnNewDocument", source=patch, runImmediately=True),
        )

    async def _require_loaded(self, budget: Budget) -> None:
        """A recorder that does not run would record nothing, and say so too late."""
        assert self._log is not None
        session, phase = self._log.session, "beginning the recording"
        world = await session.call(
            "Page.createIsolatedWorld", budget, phase, frameId=self._link.main_frame, worldName=WORLD
        )
        reply = await session.call(
            "Runtime.evaluate",
            budget,
            phase,
            expression="typeof perceptionRecorder",
            contextId=world["executionContextId"],
            returnByValue=True,
        )
        if reply["result"].get("value") != "object":
            raise PerceptionError("the recorder could not be loaded into the page")

    async def _evaluate(self, expression: str, budget: Budget) -> Any:
        reply = await self._link.evaluate(
            self._link.main_frame, expression, budget, "beginning the recording", returnByValue=True
        )
        return reply["value"]

    async def _shown(self, budget: Budget) -> frozenset[tuple[str, str]]:
        capture = await self.tab.looker.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, budget=budget
        )
        named = (each for each in capture.elements[:MAX_SHOWN] if each.name and each.visible and not each.sensitive)
        return frozenset((each.role, each.name) for each in named)

    def _navigated(self, params: dict[str, Any]) -> None:
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

    def _requested(self, params: dict[str, Any]) -> None:
        """The page itself goes somewhere: by a link, a form or a script."""
        if params["frameId"] == self._link.main_frame and params.get("disposition", "currentTab") == "currentTab":
            self._is_asked_by_page = True

    def _moved(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._link.main_frame:
            self._visited.append(params["url"])

    def _told(self, params: dict[str, Any]) -> None:
        """One report of the recorder or the patch. One that cannot be read is left out, and that is told: the link to
        the browser is not to be lost for it."""
        if not params["name"].startswith(self._binding):
            return
        try:
            self._take(msgspec.json.decode(params["payload"]))
        except (KeyError, TypeError, ValueError, msgspec.MsgspecError) as exc:
            self._left_out[f"a report that could not be read ({type(exc).__name__})"] = None
            log.warning("recording: a report could not be read", error=type(exc).__name__)

    def _take(self, news: dict[str, Any]) -> None:
        if news["type"] == "tokens":
            for kind, token, value in news["tokens"]:
                if self._vault.keep_token(kind, token, value):
                    self._tokens[kind, token] = None
        elif news["type"] == "event":
            self._take_event(news)
        elif news["type"] == "submit":
            files = tuple((each["field"], each["name"], each["type"], each["size"]) for each in news["files"])
            self._files.append((news["at"], files))
        else:
            self._sent.append(Sent.of(news))

    def _take_event(self, news: dict[str, Any]) -> None:
        if len(self._events) >= MAX_EVENTS:
            self._left_out[f"what was done after {MAX_EVENTS} events"] = None
            return
        target = {**news["target"], "frame": news["frame"]}
        if self._masker is not None:  # a page may call its elements by what was typed
            texts = {key: self._masker.text(text) for key, text in target.items() if isinstance(text, str)}
            target = {**target, **texts}
        field = msgspec.convert(news.get("field", {}), Field)
        value = news.get("value", "")
        if news.get("secret"):
            key = f"{news['frame']} {target['selector']} {target['name']}"
            value = self._vault.give(key, str(value), field.name or target["name"] or "secret")
        elif isinstance(value, str):
            value = self._vault.mask_value("", value) if value in self._named else self._vault.mask_text(value)
        options = {name: tuple(news.get(name, ())) for name in ("values", "options", "option_values")}
        self._events.append(
            Event(
                kind=news["kind"],
                at_ms=news["at"] - self._begun_ms,
                url=self._vault.mask_url(news["url"]),
                target=msgspec.convert(target, Target),
                value=value,
                secret=news.get("secret", ""),
                multiple=bool(news.get("multiple", False)),
                field=field,
                **options,
            )
        )

    def _requests(self) -> tuple[Request, ...]:
        assert self._log is not None
        waiting = list(self._sent)
        made = []
        for exchange in self._log.exchanges:
            sent = _match(exchange, waiting)
            if sent is not None:
                waiting.remove(sent)
            made.append(self._request(exchange, sent))
        return tuple(sorted(made, key=lambda each: each.at_ms))

    def _request(self, exchange: Exchange, sent: Sent | None) -> Request:
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
        return Request(
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
    return files(__package__).joinpath("patch.js").read_text("utf-8").rstrip().rstrip(";")
