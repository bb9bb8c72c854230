"""Tools that act: a batch of steps, a wait, an evaluated script.

Rule 1: a batch is checked before anything runs, and stops at the first step that fails.
Rule 2: the answer has one diff, for all steps together.
"""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from perception.client import PerceptionError, ScriptError
from perception.errors import BadInputError
from perception.invisible import without_invisible
from perception.tools.answers import Answer, error_answer, lines, place, words
from perception.tools.image import wire_target
from perception.tools.native import arguments as args
from perception.tools.native.looking import look_at
from perception.tools.report import action_report, note_result
from perception.tools.sessions import SessionState
from perception.tools.target import describe_target
from perception.tools.tool import Call
from perception.v1 import action_service_pb2 as action_pb

DIFF_TOKENS = 800
"""Limit of the diff of an action. After a navigation it is the new page's text: enough for an average screen."""

WAIT_SECONDS = 10.0
"""Longest wait, unless the call says it."""

LEAST_S = 0.001
"""What is left of a deadline that has passed: the next step ends with DEADLINE at once."""

MAX_EXCEPTION = 500
"""Characters of a script's exception that are shown."""

MAX_RESULT = 20_000
"""Characters of a script's value that are shown."""


PreparedStep = Callable[..., Awaitable[action_pb.ActionResult]]
"""A step that lacks only the options that all actions have."""


async def act(call: Call, given: args.ActArguments) -> Answer:
    """Runs the steps until one fails."""
    state = call.connection.session(given.session)
    return await run_batch(call, state, given.steps)


async def run_batch(call: Call, state: SessionState, steps: Sequence[args.Step]) -> Answer:
    """Runs steps in a session. A single one that fails raises; a batch answers with what was done before."""
    prepared = [prepare_step(step, state) for step in steps]
    end_s = time.monotonic() + call.timeout_s
    done: list[str] = []
    for index, (step, run) in enumerate(zip(steps, prepared, strict=True), 1):
        is_last = index == len(steps)
        diff = {"diff_max_tokens": DIFF_TOKENS} if is_last else {"skip_diff": True}
        try:
            result = await run(timeout_s=max(end_s - time.monotonic(), LEAST_S), **diff)
        except PerceptionError as exc:
            if len(steps) == 1:
                raise
            call.connection.note_error(exc)
            failed = f"{index}. {step_words(step)}: {error_answer(exc, call.connection.names).text}"
            return await _stopped(call, state, [*done, failed], len(steps) - index)
        done.append(f"{index}. {step_words(step)}: done")
        if is_last or result.dialogs:
            break
        note_result(state, result)
    if len(done) < len(steps):
        rest = f"{len(steps) - len(done)} steps were not run: answer the dialog first"
        return Answer(lines(*done, rest, action_report(state, result)), is_error=True)
    return Answer(lines(*(done if len(steps) > 1 else ()), action_report(state, result)) or "done")


async def _stopped(call: Call, state: SessionState, told: list[str], left: int) -> Answer:
    """The answer of a batch that a step has ended: what was done, and what that changed on the page."""
    changes = ""
    if len(told) > 1 and state.snapshot_id:
        try:
            snapshot = await look_at(state, dict(state.look), call.timeout_s, since=state.snapshot_id)
            changes = lines(
                snapshot.diff.text or "no change in what was shown",
                f"{snapshot.snapshot_id} of {place(state.fence, snapshot.url, snapshot.title)}",
            )
        except PerceptionError as exc:  # a dialog is open, or the session has ended: what failed says more
            changes = f"the page cannot be looked at: {exc}"
    rest = f"{left} more steps were not run" if left else ""
    return Answer(lines(*told, rest, changes), is_error=True)


def step_words(step: args.Step) -> str:
    """`fill e5`."""
    return step.do if step.target is None else f"{step.do} {describe_target(step.target)}"


def prepare_step(step: args.Step, state: SessionState) -> PreparedStep:
    """The client's call for a step. Raises BadInputError for what makes no request."""
    page = state.page
    target: Any = wire_target(step.target, state.image) if step.target is not None else None
    match step.do:
        case "click":
            chosen = {"button": step.button, "click_count": step.count, "modifiers": step.modifiers}
            return partial(page.click, target, **chosen)
        case "check" | "uncheck":
            return partial(page.check, target, step.do == "check")
        case "hover":
            return partial(page.hover, target)
        case "drag":
            assert step.to is not None
            return partial(page.drag, target, wire_target(step.to, state.image))
        case "fill" | "type":
            clear, submit = step.do == "fill", bool(step.submit)
            return partial(
                page.type_text, target, step.text or "", clear=clear, submit=submit, secret=step.secret or None
            )
        case "press":
            return partial(page.press, step.text or "", target)
        case "select":
            return partial(page.select, target, *(step.options or ()))
        case "scroll":
            return partial(page.scroll, step.dy or 0.0, step.dx or 0.0, target)
        case "upload":
            contents = {each.name: file_content(each) for each in step.files or ()}
            return partial(page.upload, target, *(step.paths or ()), contents=contents)


def file_content(file: args.FileArgument) -> bytes:
    """Raises BadInputError for what is no base64."""
    try:
        return base64.b64decode("".join(file.base64.split()), validate=True)
    except (binascii.Error, ValueError) as exc:
        raise BadInputError(f"the content of {file.name[:80]!r} is no base64", field="files") from exc


async def wait(call: Call, given: args.WaitArguments) -> Answer:
    """Waits for one condition; without one, until the page is at rest."""
    state = call.connection.session(given.session)
    conditions: dict[str, Any] = {"text": given.text, "url": given.url}
    for name in ("element", "vanished"):
        target = getattr(given, name)
        conditions[name] = wire_target(target, state.image) if target is not None else None
    named = {name: value for name, value in conditions.items() if value}
    if len(named) > 1:
        raise BadInputError(f"wait: waits for one thing, not for {' and '.join(named)} at once")
    seconds = given.seconds or WAIT_SECONDS
    result = await state.page.wait_for(**(named or {"settled": True}), timeout_s=seconds, diff_max_tokens=DIFF_TOKENS)
    return Answer(action_report(state, result) or "done")


async def evaluate(call: Call, given: args.EvaluateArguments) -> Answer:
    """Runs a script in the page and shows its value as JSON, marked as the page's words."""
    state = call.connection.session(given.session)
    target = wire_target(given.target, state.image) if given.target is not None else None
    return await script_answer(state, given.script, target, given.seconds or call.timeout_s)


async def script_answer(state: SessionState, script: str, target: Any, timeout_s: float) -> Answer:
    """The value of a script; one that throws is an error without its stack."""
    try:
        value = await state.page.evaluate(script, target, timeout_s=timeout_s)
    except ScriptError as exc:
        return Answer(f"SCRIPT: {words(state.fence, str(exc), MAX_EXCEPTION)}", is_error=True)
    shown = json.dumps(value, ensure_ascii=False)
    if len(shown) > MAX_RESULT:
        shown = f"{shown[:MAX_RESULT]}\n… {len(shown) - MAX_RESULT} characters more: return less"
    return Answer(state.fence.around(without_invisible(shown)))
