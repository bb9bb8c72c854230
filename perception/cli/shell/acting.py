"""Commands that act on the page: each prints what it changed."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from perception.cli.shell.commands import WAIT_TIMEOUT_MS
from perception.cli.shell.context import NAMES, Context, Session
from perception.cli.shell.parsing import FOCUS, Values, text_of
from perception.cli.shell.results import Result
from perception.client import steps as batch_steps
from perception.client.errors import ScriptError
from perception.errors import BadInputError
from perception.interaction.batch import NamedStep, run_steps
from perception.interaction.image import wire_target
from perception.interaction.scripts import MAX_EXCEPTION, value_report
from perception.interaction.session_state import SessionState
from perception.interaction.step import Step
from perception.interaction.steps import check_step, prepare_step, step_words
from perception.interaction.target import TargetValue, parse_target
from perception.interaction.verbs import VERB_BY_NAME
from perception.page_words import page_words
from perception.v1 import action_service_pb2 as action_pb

SCROLL_PX = 600.0
"""Three quarters of the default viewport: what was at its lower edge stays in view."""

_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


async def act(context: Context) -> Result:
    """One step."""
    plain = step_of(context.command, context.values)
    session = context.session()
    return await _run(context, session, NamedStep(step_words(plain), prepare_step(plain, session.state)))


async def wait(context: Context) -> Result:
    """Waits for one condition; without one, until the page is at rest."""
    conditions = conditions_of(context.values)
    session = context.session()
    return await _run(context, session, wait_step(session.state, conditions, context.left_s))


async def _run(context: Context, session: Session, step: NamedStep) -> Result:
    outcome = await run_steps(session.state, [step], context.left_s, NAMES)
    context.keep(session)
    return Result(outcome.text, outcome.result)


async def evaluate(context: Context) -> Result:
    """Runs a script and prints its value as JSON, marked as the page's words."""
    script = context.values["script"]
    if script == "-":
        script = text_of(script, "evaluate")
    session = context.session()
    ref = context.values["ref"]
    target: Any = None if ref in (None, FOCUS) else wire_target(ref, None)
    try:
        value = await session.page.evaluate(script, target, timeout_s=context.left_s)
    except ScriptError as exc:
        raise ScriptError(page_words(str(exc), MAX_EXCEPTION), exc.stack) from exc
    return Result(value_report(session.state, value), data=value)


def step_of(command: str, values: Values) -> Step:
    """The step of a command.

    Args:
        command: its name.
        values: its arguments.

    Raises:
        BadInputError: they do not go together, or a file cannot be read.
    """
    given = {name: value for name, value in _fields(command, values).items() if value not in (None, [])}
    do = "fill" if command == "type" and values["clear"] else command
    try:
        check_step(do, given)
    except ValueError as exc:
        raise BadInputError(f"{command}: {str(exc).removeprefix(f'({do}) ')}") from exc
    return Step(do, **given)


def _fields(command: str, values: Values) -> dict[str, Any]:
    """The fields of a step by what was written."""
    if command == "scroll":
        return _scroll(values, None if values["target"] == FOCUS else values["target"])
    given = {each.field: values[each.key] for each in VERB_BY_NAME[command].arguments}
    if given["target"] == FOCUS:
        given["target"] = None
    if "to" in given:
        given["to"] = _no_focus(given["to"], f"{command}: TO")
    if "local" in given:
        given["local"] = _local(given["local"])
    return {name: value for name, value in given.items() if name != "clear" and value is not False}


def _scroll(values: Values, inside: TargetValue | None) -> dict[str, Any]:
    where, pixels = values["where"], values["px"]
    if (way := _WAYS.get(where.lower())) is not None:
        by = SCROLL_PX if pixels is None else pixels
        return {"target": inside, "dx": way[0] * by or None, "dy": way[1] * by or None}
    if pixels is not None or inside is not None:
        raise BadInputError("scroll: PX and --target go with up, down, left or right")
    try:
        return {"target": parse_target(where)}
    except ValueError as exc:
        raise BadInputError(f"scroll: WHERE {exc}; or up, down, left, right") from exc


def _no_focus(target: Any, name: str) -> Any:
    if target == FOCUS:
        raise BadInputError(f"{name} is {FOCUS!r}, where the focus is: name an element")
    return target


def _local(paths: list[str]) -> list[str]:
    """The files, which are there and can be read."""
    for path in map(Path, paths):
        if not path.is_file() or not os.access(path, os.R_OK):
            raise BadInputError(f"upload: {path} cannot be read: there is no such file, or it is another user's")
    return paths


def conditions_of(values: Values) -> dict[str, Any]:
    """What to wait for, as `AsyncPage.wait_for` takes it. Raises BadInputError for more than one thing."""
    given = {name: values[name] for name in ("text", "url") if values[name]}
    for name in ("element", "vanished"):
        if values[name] is not None:
            given[name] = wire_target(_no_focus(values[name], f"wait: --{name}"), None)
    if len(given) > 1:
        raise BadInputError(f"wait: waits for one thing, not for {' and '.join(given)} at once")
    return given or {"settled": True}


def wait_step(state: SessionState, conditions: dict[str, Any], timeout_s: float = WAIT_TIMEOUT_MS / 1000) -> NamedStep:
    """A wait as a step.

    Args:
        state: of the session.
        conditions: as of `conditions_of`.
        timeout_s: the longest wait.
    """
    wire = batch_steps.wait_for(**conditions, timeout=timeout_s, may_navigate=True)
    return NamedStep("wait", partial(_wait, state, conditions, timeout_s), wire)


async def _wait(
    state: SessionState, conditions: dict[str, Any], longest_s: float, *, timeout_s: float, **diff: Any
) -> action_pb.ActionResult:
    return await state.page.wait_for(**conditions, timeout_s=min(timeout_s, longest_s), **diff)
