"""One run of a subroutine: its body, its calls one by one, and what they returned.

The body runs in an isolated world of the page, on the clients' own script engine, up to its next call; the call is made
here, and the body run again with the answer (see `replay.js`). So a step may leave the page without the run being lost.

Rule 1: a call is made once. Its result is final, whatever happens to the page.
Rule 2: every end says at which step, and whether anything that may have changed something was sent.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from perception.browser.evaluate.evaluator import EvaluateEngine, Evaluator, Script
from perception.browser.recording.network_log import Exchange, NetworkLog
from perception.deadline import Deadline
from perception.errors import (
    DeadlineError,
    DialogOpenError,
    DriftError,
    OtherOriginError,
    PageChangingError,
    PageCrashedError,
    PerceptionError,
    RefusedError,
    SessionLostError,
    SubroutineBrokenError,
    first_line,
)
from perception.server.actions.action_context import ActionContext
from perception.server.actions.effects import follow
from perception.server.subroutines.fetch import SubroutineRequests, wanted_status
from perception.server.subroutines.page_forms import read_field, read_form
from perception.server.subroutines.steps import SubroutineSteps
from perception.subroutines.answers import url_fits
from perception.subroutines.hosts import origin_of
from perception.subroutines.ranking import MUTATING
from perception.subroutines.recording import Target
from perception.subroutines.replay import (
    CallAnswer,
    Finished,
    ScriptCall,
    describe_call,
    read_answer,
    target_of,
    write_expression,
)
from perception.subroutines.stored import Stored

WORLD = "perception-subroutine"

MAX_CALLS = 300
"""Of one run: a long form has some dozens of steps; a script that makes more is caught in a loop."""

MAX_RETRIES = 5
"""How often a body that only thinks is run again because the page went away under it."""

URL_SECONDS = 10.0
"""How long an address is waited for."""

POLL_SECONDS = 0.05

MAX_NEWS = 500
"""Characters of a page's own words in an error."""


@dataclass(slots=True)
class Step:
    """One call.

    Attributes:
        description: in words.
        done: whether it succeeded.
        error: why it failed; empty while it did not.
    """

    description: str
    done: bool = False
    error: str = ""


@dataclass(slots=True)
class Outcome:
    """What a run returned, or why it failed.

    Attributes:
        data: the script's own answer, JSON.
        error, reason: why it failed, and as which kind of error; empty where it did not.
        before, after: what drifted, as it was recorded and as it is now.
        sent: whether anything that may have changed something was sent.
        fell_back: why the script went on by input in place of a request; empty where it did not.
        steps: the calls that it made.
        requests: what the page sent to its own origin: method, address without its query, status.
        elapsed_s: how long it took.
    """

    data: Any = None
    error: str = ""
    reason: str = ""
    before: str = ""
    after: str = ""
    sent: bool = False
    fell_back: str = ""
    steps: list[Step] = field(default_factory=list)
    requests: list[tuple[str, str, int]] = field(default_factory=list)
    elapsed_s: float = 0.0


class SubroutineRun:
    """Runs one subroutine on one tab. The outcome is there also when `run` raises."""

    def __init__(
        self,
        stored: Stored,
        arguments: Mapping[str, Any],
        action: ActionContext,
        evaluator: Evaluator,
        log: NetworkLog,
        upload_dir: Path | None,
    ) -> None:
        self.outcome = Outcome()
        self._stored = stored
        self._arguments = arguments
        self._action = action
        self._deadline = action.deadline
        self._evaluator = evaluator
        self._log = log
        self._steps = SubroutineSteps(action, stored.origin, upload_dir)
        self._requests = SubroutineRequests(action.tab, evaluator, log, stored.origin, action.deadline)
        self._journal: list[CallAnswer] = []
        self._mark = 0
        self._acted_at: int | None = None
        self._failure: PerceptionError | None = None

    async def run(self) -> None:
        """Runs it to its end, or to the first error that it does not handle.

        Raises:
            DeadlineError, PageCrashedError, SessionLostError: the tab, or the caller's time, is gone.
        """
        start = time.monotonic()
        try:
            finished = await self._run()
            self.outcome.data = finished.value
            if finished.error:
                self._fail(finished)
        except (DeadlineError, PageCrashedError, SessionLostError) as exc:
            self.fail_with(exc)
            raise
        except PerceptionError as exc:
            self.fail_with(exc)
        finally:
            self.outcome.elapsed_s = time.monotonic() - start
            self.outcome.sent = self._has_sent()
            self.outcome.requests = self._exchanges()

    def fail_with(self, error: PerceptionError) -> None:
        """Ends it with an error, at the step that was on its way."""
        outcome = self.outcome
        if outcome.steps and not outcome.steps[-1].done and not outcome.steps[-1].error:
            outcome.steps[-1].error = first_line(error)
        outcome.error, outcome.reason = self._placed(first_line(error)), error.reason
        if isinstance(error, DriftError):
            outcome.before, outcome.after = error.before, error.after

    async def _run(self) -> Finished:
        while True:
            answer = await self._think()
            if isinstance(answer, Finished):
                return answer
            if len(self._journal) >= MAX_CALLS:
                raise SubroutineBrokenError(f"the script makes over {MAX_CALLS} calls: it is caught in a loop")
            self._journal.append(await self._make(answer))

    async def _think(self) -> ScriptCall | Finished:
        """Runs the body up to its next call. It does nothing else, so it may be run again."""
        expression = write_expression(self._stored.body, self._arguments, self._journal)
        script = Script(expression, await_promise=True, engine=EvaluateEngine.CDP, world=WORLD)
        for attempt in range(MAX_RETRIES):
            unsent = Deadline(self._deadline.deadline_s, self._deadline.clock)  # nothing is sent to the page by this
            try:
                done = await self._evaluator.run(self._action.tab, script, unsent)
            except PageChangingError:
                if attempt == MAX_RETRIES - 1:
                    raise
                await asyncio.sleep(POLL_SECONDS)
                continue
            if done.exception:
                raise SubroutineBrokenError(f"the script cannot be run: {done.exception[:300]}")
            return read_answer(done.value)
        raise AssertionError("unreachable")

    async def _make(self, call: ScriptCall) -> CallAnswer:
        """Makes a call, and notes it as a step. An error that the body may handle is its answer."""
        step = Step(describe_call(call))
        self.outcome.steps.append(step)
        try:
            async with self._action.tab.link.dialogs.interrupting():
                value = await self._act(call)
        except (DeadlineError, DialogOpenError, PageCrashedError, SessionLostError):
            raise  # the page does not run the body any more
        except PerceptionError as exc:
            step.error = first_line(exc)
            self._failure = exc
            return CallAnswer(call, error={"message": first_line(exc), "reason": exc.reason, "sent": self._has_sent()})
        step.done = True
        return CallAnswer(call, value)

    def _require_origin(self) -> None:
        """A step may have led away: what is given is for this origin alone."""
        here = origin_of(self._action.tab.link.url)
        if here != self._stored.origin:
            raise OtherOriginError(
                f"the page has gone to {here or 'nowhere'}, and this runs on {self._stored.origin} alone: it ends here"
            )

    async def _act(self, call: ScriptCall) -> Any:
        if call.name not in ("goto", "fallBack"):
            self._require_origin()
        args = call.args
        name, first = call.name, args[0] if args else None
        options = args[-1] if args and isinstance(args[-1], dict) else {}
        steps: dict[str, Callable[[], Awaitable[Any]]] = {
            "goto": lambda: self._steps.goto(str(first)),
            "click": lambda: self._steps.click(target_of(first), count=1),
            "doubleClick": lambda: self._steps.click(target_of(first), count=2),
            "type": lambda: self._type(args),
            "select": lambda: self._steps.select(target_of(first), _texts(args, 1)),
            "check": lambda: self._steps.check(target_of(first), bool(args[1]) if len(args) > 1 else True),
            "press": lambda: self._steps.press(str(first), target_of(args[1]) if len(args) > 1 else None),
            "upload": lambda: self._steps.upload(target_of(first), _texts(args, 1)),
        }
        if name in steps:
            self._mark = len(self._log.exchanges)
            if name != "goto" and self._acted_at is None:
                self._acted_at = self._mark
            return await steps[name]()
        asking: dict[str, Callable[[], Awaitable[Any]]] = {
            "waitFor": lambda: self._wait_for(target_of(first)),
            "waitForUrl": lambda: self._wait_for_url(str(first)),
            "waitForRequest": lambda: self._wait_for_request(options),
            "request": lambda: self._request(args, options),
            "requestJson": lambda: self._request(args, options),
            "readForm": lambda: read_form(self._action.tab.link, options, self._deadline),
            "readField": lambda: read_field(self._action.tab.link, str(first), self._deadline),
            "getCsrfToken": lambda: self._requests.read_token(options or None),
            "getCookie": lambda: self._requests.read_cookie(str(first)),
            "fallBack": lambda: self._fall_back(str(first)),
        }
        if name not in asking:
            raise SubroutineBrokenError(f"the script calls {name[:40]!r}, which there is not")
        return await asking[name]()

    async def _type(self, args: tuple[Any, ...]) -> None:
        options = args[2] if len(args) > 2 and isinstance(args[2], dict) else {}
        text = "" if len(args) < 2 or args[1] is None else _as_typed(args[1])
        clear, submit = bool(options.get("clear", False)), bool(options.get("submit", False))
        await self._steps.type(target_of(args[0]), text, clear=clear, submit=submit)

    async def _request(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        if len(args) < 2:
            raise SubroutineBrokenError("the script's request has no method or no path")
        return await self._requests.request(str(args[0]), str(args[1]), options)

    async def _fall_back(self, why: str) -> None:
        self.outcome.fell_back = why
        self._failure = None

    async def _wait_for(self, target: Target) -> None:
        try:
            await self._steps.wait_for(target)
        except DriftError as exc:
            news = "; ".join(await self._steps.news())[:MAX_NEWS]
            if not news:
                raise
            raise RefusedError(f"{first_line(exc)}; the page says: {news}") from exc

    async def _wait_for_url(self, pattern: str) -> str:
        share = self._deadline.share(URL_SECONDS)
        while not url_fits(pattern, self._action.tab.link.url):
            if share.spent():
                await self._raise_news(f"the address {pattern} did not come", pattern)
            await asyncio.sleep(POLL_SECONDS)
        return self._action.tab.link.url

    async def _wait_for_request(self, expected: Mapping[str, Any]) -> Any:
        exchange = await self._requests.wait_for_answer(self._mark, expected)
        wanted = f"{expected.get('method', '')} {expected.get('path', '')}"
        if exchange is None or not exchange.done:
            said = "was not answered" if exchange is not None else "was not sent"
            await self._raise_news(f"{wanted} {said}", wanted)
        assert exchange is not None  # it would have been an error
        await self._settle(exchange.location)
        differs = exchange.status // 100 != wanted_status(exchange, expected) // 100
        news = await self._steps.news() if differs else ()
        return await self._requests.check_answer(exchange, expected, "; ".join(news)[:MAX_NEWS])

    async def _settle(self, location: str) -> None:
        """The document that a form leads to is followed by the next step; what it says is there once it has come."""
        if location or self._action.tab.link.navigating:
            await follow(self._action.begin_next())

    async def _raise_news(self, what: str, before: str) -> None:
        """Ends a step in the site's own words, if it has any."""
        news = "; ".join(await self._steps.news())[:MAX_NEWS]
        if news:
            raise RefusedError(f"{what}; the page says: {news}")
        raise DriftError(f"{what}, and the page says nothing", before=before, after="nothing")

    def _fail(self, finished: Finished) -> None:
        """The body's own end with an error."""
        failure = self._failure
        if failure is not None and first_line(failure) == finished.error:
            self.fail_with(failure)
            return
        self.outcome.error = self._placed(finished.error)
        self.outcome.reason = finished.reason or "SCRIPT"

    def _placed(self, message: str) -> str:
        """With the step that it ended at, and whether anything was sent."""
        steps = self.outcome.steps
        where = f"at step {len(steps)} ({steps[-1].description}): " if steps else ""
        sent = (
            "a request that may have changed something had been sent" if self._has_sent() else "nothing had been sent"
        )
        return f"{where}{message.rstrip('.')}; {sent}"

    def _has_sent(self) -> bool:
        """Whether a request that may change something left: ours, or one of the page's since the first thing was done
        by hand."""
        since = len(self._log.exchanges) if self._acted_at is None else self._acted_at
        by_page = self._first_party(self._log.exchanges[since:])
        return self._requests.sent or any(self._may_change(each) for each in by_page)

    def _may_change(self, exchange: Exchange) -> bool:
        """What the page sent by itself when the task was recorded, it sends now, too."""
        line = f"{exchange.method} {urlsplit(exchange.url).path}"
        return exchange.method in MUTATING and exchange.kind != "Ping" and line not in self._stored.background

    def _first_party(self, exchanges: Sequence[Exchange]) -> list[Exchange]:
        return [each for each in exchanges if each.url.startswith(f"{self._stored.origin}/")]

    def _exchanges(self) -> list[tuple[str, str, int]]:
        """What the page sent to its own origin meanwhile: method, address without its query, status."""
        return [
            (each.method, each.url.partition("?")[0].partition("#")[0], each.status)
            for each in self._first_party(self._log.exchanges)
            if each.kind in ("Document", "XHR", "Fetch")
        ][:MAX_CALLS]


def _texts(args: tuple[Any, ...], index: int) -> list[str]:
    """An argument that is a text or a list of them."""
    given = args[index] if len(args) > index else []
    return [_as_typed(each) for each in (given if isinstance(given, list) else [given])]


def _as_typed(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
