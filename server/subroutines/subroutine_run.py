"""One run of a subroutine: its body, its calls one by one, and what they returned.

The body runs in an isolated world of the page, on the clients' own script engine, up to its next call; the call is made
here, and the body run again with the answer (see `replay.js`). So a step may leave the page without the run being lost.

Rule 1: a call is made once. Its result is final, whatever happens to the page.
Rule 2: every end says at which step, and whether anything that may have changed something was sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from perception.browser.evaluate.evaluator import EvaluateEngine, Evaluator, Script
from perception.browser.recording.network_log import NetworkLog
from perception.deadline import Deadline, loop_time
from perception.errors import (
    DeadlineError,
    DialogOpenError,
    DriftError,
    NotTakenError,
    OtherOriginError,
    PageChangingError,
    PageCrashedError,
    PerceptionError,
    SessionLostError,
    SubroutineBrokenError,
    UnverifiedError,
    first_line,
    marked_line,
)
from perception.page_words import page_words
from perception.server.actions.action_context import ActionContext
from perception.server.subroutines.call_arguments import as_typed, part_of, tab_number, texts_at
from perception.server.subroutines.confirm import Confirmation
from perception.server.subroutines.dialog_answers import expected_dialog
from perception.server.subroutines.fetch import SubroutineRequests
from perception.server.subroutines.outcome import Outcome, Step
from perception.server.subroutines.page_forms import read_field, read_form
from perception.server.subroutines.page_waits import MAX_NEWS, PageWaits
from perception.server.subroutines.results import SubroutineResults
from perception.server.subroutines.run_requests import RunRequests
from perception.server.subroutines.run_tabs import RunTabs
from perception.server.subroutines.steps import SubroutineSteps
from perception.subroutines.alike import unlike_value
from perception.subroutines.context_text import describe_target
from perception.subroutines.hosts import origin_of
from perception.subroutines.path_patterns import url_fits
from perception.subroutines.plan import PlanKind
from perception.subroutines.ranking import MUTATING
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
from perception.types import Capture

WORLD = "perception-subroutine"

MAX_CALLS = 300
"""Most calls of one run: a long form has some dozens of steps; a script that makes more is caught in a loop."""

MAX_RETRIES = 5
"""How often a body that only thinks is run again because the page went away under it."""

POLL_SECONDS = 0.05


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
        self._deadline = action.deadline
        self._evaluator = evaluator
        self._tabs = RunTabs(action, evaluator, log, stored.origin, upload_dir, arguments, self._note_look)
        self._sent = RunRequests(stored, self._tabs)
        first = self._tabs.first
        self._confirmation = Confirmation(action, first.steps, log, arguments, self._sent.has_sent)
        self._waits = PageWaits(self._tabs, self._sent, self._confirmation, arguments, action.deadline)
        self._results = SubroutineResults(action.tab, action.deadline)
        self._journal: list[CallAnswer] = []
        self._has_acted = False
        self._settled = ""
        self._failure: PerceptionError | None = None

    @property
    def _action(self) -> ActionContext:
        return self._tabs.here.action

    @property
    def _steps(self) -> SubroutineSteps:
        return self._tabs.here.steps

    @property
    def _requests(self) -> SubroutineRequests:
        return self._tabs.here.requests

    def _note_look(self, capture: Capture) -> None:
        self._confirmation.note_look(capture)

    async def run(self) -> None:
        """Runs it to its end, or to the first error that it does not handle.

        Raises:
            DeadlineError, PageCrashedError, SessionLostError: the tab, or the caller's time, is gone.
        """
        start = loop_time()
        try:
            async with self._tabs, self._tabs.answers.cancelling_at_unexpected():
                finished = await self._run_to_answers()
            self.outcome.data = finished.value
            if finished.error:
                self._fail(finished)
            else:
                self._confirmation.require_seen()
        except (DeadlineError, PageCrashedError, SessionLostError) as exc:
            self.fail_with(exc)
            raise
        except PerceptionError as exc:
            self.fail_with(exc)
        finally:
            self.outcome.elapsed_s = loop_time() - start
            self.outcome.sent = self._sent.has_sent()
            self.outcome.requests = self._sent.lines(all_of_them=False)
            self.outcome.all_requests = self._sent.lines(all_of_them=True)
            self.outcome.confirmed_by = self._confirmation.seen

    def fail_with(self, error: PerceptionError) -> None:
        """Ends it with an error, at the step that was on its way."""
        outcome = self.outcome
        if outcome.steps and not outcome.steps[-1].done and not outcome.steps[-1].error:
            outcome.steps[-1].error = marked_line(error)
        outcome.error, outcome.reason = self._placed(marked_line(error)), error.reason
        if isinstance(error, DriftError):
            outcome.before, outcome.after = error.before, error.after

    async def _run_to_answers(self) -> Finished:
        """Runs it until what it sent is answered, also where it fails: the next run may leave the page."""
        try:
            finished = await self._run()
        except (DeadlineError, PageCrashedError, SessionLostError):
            raise
        except PerceptionError:
            await self._sent.wait_for_answers(self._deadline)
            raise
        await self._sent.wait_for_answers(self._deadline)
        return finished

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
                done = await self._evaluator.run(self._tabs.first.tab, script, unsent)
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
            step.error = marked_line(exc)
            self._failure = exc
            return CallAnswer(
                call, error={"message": first_line(exc), "reason": exc.reason, "sent": self._sent.has_sent()}
            )
        step.done = True
        return CallAnswer(call, value)

    def _require_origin(self) -> None:
        """A step may have led away: what is given is for this origin alone."""
        url = self._action.tab.link.url
        if url == "about:blank" and self._tabs.here is not self._tabs.first:
            return  # a window that the page writes itself
        here = origin_of(url)
        if here != self._stored.origin:
            raise OtherOriginError(
                f"the page has gone to {here or 'nowhere'}, and this runs on {self._stored.origin} alone: it ends here"
            )

    async def _act(self, call: ScriptCall) -> Any:
        self._tabs.leave_closed()
        if call.name not in ("goto", "fallBack", "switchTab", "closeTab"):
            self._require_origin()
        args = call.args
        name, first, second = call.name, args[0] if args else None, args[1] if len(args) > 1 else None
        options = args[-1] if args and isinstance(args[-1], dict) else {}
        steps: dict[str, Callable[[], Awaitable[Any]]] = {
            "goto": lambda: self._steps.goto(str(first)),
            "hover": lambda: self._steps.hover(target_of(first)),
            "drag": lambda: self._steps.drag(target_of(first), target_of(second), part_of(args)),
            "write": lambda: self._write(args),
            "click": lambda: self._steps.click(target_of(first), count=1),
            "doubleClick": lambda: self._steps.click(target_of(first), count=2),
            "type": lambda: self._type(args),
            "select": lambda: self._select(args),
            "check": lambda: self._check(args),
            "press": lambda: self._steps.press(str(first), target_of(args[1]) if len(args) > 1 else None),
            "upload": lambda: self._steps.upload(target_of(first), texts_at(args, 1)),
        }
        if name in steps:
            if name != "goto" and self._sent.acted_at is None:
                if "results(" in self._stored.body:
                    await self._results.look_before()
                self._sent.acted_at = len(self._tabs.first.log.exchanges)
            if name != "goto":
                self._requests.reply = None
                self._settled = ""
                self._has_acted = self._has_acted or name != "check"
            return await self._tabs.act(steps[name])
        asking: dict[str, Callable[[], Awaitable[Any]]] = {
            "find": lambda: self._find(first),
            "answerDialog": lambda: self._answer_dialog(options),
            "switchTab": lambda: self._tabs.switch(tab_number(first), str(args[1]) if len(args) > 1 else ""),
            "closeTab": lambda: self._tabs.close(tab_number(first)),
            "waitFor": lambda: self._waits.wait_for(target_of(first)),
            "waitForUrl": lambda: self._waits.wait_for_url(str(first)),
            "waitForRequest": lambda: self._wait_for_request(options),
            "request": lambda: self._request(args, options),
            "requestJson": lambda: self._request(args, options),
            "readForm": lambda: read_form(self._action.tab.link, options, self._deadline),
            "readField": lambda: read_field(self._action.tab.link, str(first), self._deadline),
            "getCsrfToken": lambda: self._read_token(options),
            "getCookie": lambda: self._requests.read_cookie(str(first)),
            "fallBack": lambda: self._fall_back(str(first)),
            "confirm": lambda: self._confirm(options),
            "results": lambda: self._results.read(options, self._confirmation.note_found),
        }
        if name not in asking:
            raise SubroutineBrokenError(f"the script calls {name[:40]!r}, which there is not")
        return await asking[name]()

    async def _type(self, args: tuple[Any, ...]) -> None:
        options = args[2] if len(args) > 2 and isinstance(args[2], dict) else {}
        text = "" if len(args) < 2 or args[1] is None else as_typed(args[1])
        clear, submit = bool(options.get("clear", False)), bool(options.get("submit", False))
        target = target_of(args[0])
        self._confirmation.note_entered(target.role, target.name, text)
        await self._steps.type(target, text, clear=clear, submit=submit)

    async def _select(self, args: tuple[Any, ...]) -> None:
        target, labels = target_of(args[0]), texts_at(args, 1)
        if len(labels) == 1:
            self._confirmation.note_entered(target.role, target.name, labels[0])
        await self._steps.select(target, labels)

    async def _check(self, args: tuple[Any, ...]) -> None:
        target, wanted = target_of(args[0]), bool(args[1]) if len(args) > 1 else True
        try:
            is_clicked = await self._steps.check(target, wanted)
        except NotTakenError as exc:
            if not self._sent.has_sent():
                raise
            raise UnverifiedError(f"{marked_line(exc)}: look whether it was done before it is run again") from exc
        if is_clicked:
            self._has_acted = True
        else:  # what was to be done is so: nothing comes of it
            self._settled = f"{describe_target(target)} was {'' if wanted else 'not '}set before"
        self._confirmation.note_checked()

    async def _read_token(self, place: Mapping[str, str]) -> str:
        try:
            return await self._requests.read_token(place or None)
        except DriftError:
            await self._steps.require_page()
            raise

    async def _write(self, args: tuple[Any, ...]) -> None:
        options = args[2] if len(args) > 2 and isinstance(args[2], dict) else {}
        text = "" if len(args) < 2 or args[1] is None else as_typed(args[1])
        await self._steps.write(target_of(args[0]), text, clear=bool(options.get("clear", False)))

    async def _find(self, wanted: Any) -> Any:
        return wanted if await self._steps.find(target_of(wanted)) else None

    async def _answer_dialog(self, wanted: Mapping[str, Any]) -> None:
        self._tabs.answers.expect(expected_dialog(wanted))

    async def _request(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        if len(args) < 2:
            raise SubroutineBrokenError("the script's request has no method or no path")
        if self._stored.plan == PlanKind.HYBRID.value and str(args[0]).upper() in MUTATING:
            self._require_alike(options)
        self._sent.asked.add(f"{str(args[0]).upper()} {urlsplit(str(args[1])).path}")
        if "confirm(" in self._stored.body:
            await self._confirmation.look_before()
        done = await self._requests.request(str(args[0]), str(args[1]), options, self._confirmation.known)
        self._confirmation.note_answer(self._requests.confirmed)
        reply, location = self._requests.reply, str(options.get("expect", {}).get("location", ""))
        if reply is not None and location and url_fits(location, reply.url):
            self._confirmation.note_url(location, reply.url)
        return done

    def _require_alike(self, options: Mapping[str, Any]) -> None:
        """What the page's script may change, or refuse, is entered in the page."""
        differs = unlike_value(self._stored.parameters_schema, self._arguments, options)
        if differs:
            raise DriftError(
                f"{page_words(differs, MAX_NEWS)}: the page's script may change it, or refuse it, so that it is not "
                "sent as it is",
                before="values like the recorded ones",
                after=differs,
            )

    async def _confirm(self, expected: Mapping[str, Any]) -> None:
        first = self._tabs.first
        if self._settled and not self._has_acted:
            self._confirmation.note_found(self._settled)
            return
        await self._confirmation.confirm(expected, first.requests.reply, first.steps.goto)

    async def _fall_back(self, why: str) -> None:
        self.outcome.fell_back = why
        self._requests.reply = None
        self._failure = None

    async def _wait_for_request(self, expected: Mapping[str, Any]) -> Any:
        return None if self._settled else await self._waits.wait_for_request(expected)

    def _fail(self, finished: Finished) -> None:
        """The body's own end with an error."""
        failure = self._failure
        if failure is not None and first_line(failure) == finished.error:
            self.fail_with(failure)
            return
        # The body may repeat what the page says.
        self.outcome.error = self._placed(page_words(finished.error, MAX_NEWS))
        self.outcome.reason = finished.reason or "SCRIPT"

    def _placed(self, message: str) -> str:
        """With the step that it ended at, and whether anything was sent."""
        steps = self.outcome.steps
        where = f"at step {len(steps)} ({steps[-1].description}): " if steps else ""
        return f"{where}{message.rstrip('.')}; {self._sent.describe_sent()}"
