"""Tools that act: a batch of steps, a wait, an evaluated script.

Rule 1: a batch is checked before anything runs, and stops at the first step that fails.
Rule 2: the answer has one diff, for all steps together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, model_validator

from perception.errors import BadInputError
from perception.interaction.answers import Answer
from perception.interaction.batch import DIFF_TOKENS, NamedStep, run_steps
from perception.interaction.image import wire_target
from perception.interaction.report import action_report
from perception.interaction.scripts import script_answer
from perception.interaction.session_state import SessionState
from perception.interaction.steps import batch_step, prepare_step, step_words
from perception.tools.arguments import AsList, InSession, Seconds, Target, Text, from_json
from perception.tools.native.step import MAX_STEPS, Step
from perception.tools.tool import ACTS, READS, Call, Tool


class ActArguments(InSession):
    steps: Annotated[list[Step], AsList, Field(min_length=1, max_length=MAX_STEPS)]

    @model_validator(mode="before")
    @classmethod
    def _one_step(cls, given: Any) -> Any:
        """One step may be given without the list."""
        given = from_json(given)
        if isinstance(given, Mapping) and "do" in given and "steps" not in given:
            rest = {name: value for name, value in given.items() if name != "session"}
            return {"steps": [rest], "session": given.get("session")}
        return given


class WaitArguments(InSession):
    text: Text | None = None
    element: Target | None = None
    vanished: Target | None = None
    """an element that goes away"""
    url: Text | None = None
    """a glob"""
    seconds: Seconds | None = None
    """at most; 10 by default"""


class EvaluateArguments(InSession):
    script: Text
    """an expression, or a function that gets the target's element"""
    target: Target | None = None
    seconds: Seconds | None = None


WAIT_SECONDS = 10.0
"""Longest wait, unless the call says it."""


async def act(call: Call, given: ActArguments) -> Answer:
    """Runs the steps until one fails."""
    state = call.connection.session(given.session)
    return await run_batch(call, state, given.steps)


async def run_batch(call: Call, state: SessionState, steps: Sequence[Step]) -> Answer:
    """Runs steps in a session. A single one that fails raises; a batch answers with what was done before."""
    plain = [each.plain() for each in steps]
    prepared = [NamedStep(step_words(each), prepare_step(each, state), batch_step(each, state)) for each in plain]
    outcome = await run_steps(state, prepared, call.timeout_s, call.connection.names)
    if outcome.error is not None:
        call.connection.note_error(outcome.error)
    return Answer(outcome.text, is_error=not outcome.is_complete)


async def wait(call: Call, given: WaitArguments) -> Answer:
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


async def evaluate(call: Call, given: EvaluateArguments) -> Answer:
    """Runs a script in the page and shows its value as JSON, marked as the page's words."""
    state = call.connection.session(given.session)
    target = wire_target(given.target, state.image) if given.target is not None else None
    return await script_answer(state, given.script, target, given.seconds or call.timeout_s)


ACT = Tool(
    "act",
    "Runs 1 to 20 steps in order and shows what changed. Stops at the first that fails. A target is a ref (e5, "
    "v3), a CSS selector, x,y in CSS px, or img:x,y in px of the last screenshot.",
    ActArguments,
    act,
    ACTS,
)

WAIT = Tool(
    "wait",
    "Waits for one of these; without any, until the page is at rest.",
    WaitArguments,
    wait,
    READS,
)

EVALUATE = Tool(
    "evaluate",
    "Runs JavaScript in the page.",
    EvaluateArguments,
    evaluate,
    ACTS,
    is_default=False,
)
