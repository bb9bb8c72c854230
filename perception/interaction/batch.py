"""Steps one after the other, and what they came to.

Rule 1: steps are prepared before any of them runs, and the first one that fails ends the batch.
Rule 2: the report has one diff, for all steps together.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from perception.errors import PerceptionError
from perception.interaction.answers import ToolNames, error_answer, lines, place
from perception.interaction.looks import look_at
from perception.interaction.report import action_report, note_result
from perception.interaction.session_state import SessionState
from perception.interaction.steps import PreparedStep
from perception.v1 import action_service_pb2 as action_pb

DIFF_TOKENS = 800
"""Limit of the diff of an action. After a navigation it is the new page's text: enough for an average screen."""

LEAST_S = 0.001
"""What is left of a deadline that has passed: the next step ends with DEADLINE at once."""


@dataclass(frozen=True, slots=True)
class NamedStep:
    """A step that is ready to run, and its words in the report."""

    words: str
    run: PreparedStep


@dataclass(frozen=True, slots=True)
class Outcome:
    """What steps came to.

    Attributes:
        text: the report.
        done: how many steps were done.
        result: of the last step that was done; None where the first one failed.
        error: of the step that failed; None where none did.
        is_complete: all steps were done.
    """

    text: str
    done: int
    result: action_pb.ActionResult | None
    error: PerceptionError | None = None
    is_complete: bool = True


async def run_steps(
    state: SessionState,
    steps: Sequence[NamedStep],
    timeout_s: float,
    names: ToolNames,
    *,
    diff_tokens: int = DIFF_TOKENS,
) -> Outcome:
    """Runs steps in a session until one fails, or a dialog is open.

    Args:
        state: of the session; remembers what later steps refer to.
        steps: at least one. A single one that fails raises.
        timeout_s: for all of them.
        names: of the tools that errors name.
        diff_tokens: limit of the diff.
    """
    end_s = time.monotonic() + timeout_s
    told: list[str] = []
    result: action_pb.ActionResult | None = None
    for index, step in enumerate(steps, 1):
        is_last = index == len(steps)
        diff = {"diff_max_tokens": diff_tokens} if is_last else {"skip_diff": True}
        try:
            result = await step.run(timeout_s=max(end_s - time.monotonic(), LEAST_S), **diff)
        except PerceptionError as exc:
            if len(steps) == 1:
                raise
            failed = f"{index}. {step.words}: {error_answer(exc, names).text}"
            text = await _stopped(state, [*told, failed], len(steps) - index, timeout_s)
            return Outcome(text, index - 1, result, exc, is_complete=False)
        told.append(f"{index}. {step.words}: done")
        if is_last or result.dialogs:
            break
        note_result(state, result)
    assert result is not None
    if len(told) < len(steps):
        rest = f"{len(steps) - len(told)} steps were not run: answer the dialog first"
        return Outcome(lines(*told, rest, action_report(state, result)), len(told), result, is_complete=False)
    report = lines(*(told if len(steps) > 1 else ()), action_report(state, result)) or "done"
    return Outcome(report, len(told), result)


async def _stopped(state: SessionState, told: list[str], left: int, timeout_s: float) -> str:
    """The report of a batch that a step has ended: what was done, and what that changed on the page."""
    changes = ""
    if len(told) > 1 and state.snapshot_id:
        try:
            snapshot = await look_at(state, dict(state.look), timeout_s, since=state.snapshot_id)
            changes = lines(
                snapshot.diff.text or "no change in what was shown",
                f"{snapshot.snapshot_id} of {place(state.fence, snapshot.url, snapshot.title)}",
            )
        except PerceptionError as exc:  # a dialog is open, or the session has ended: what failed says more
            changes = f"the page cannot be looked at: {exc}"
    rest = f"{left} more steps were not run" if left else ""
    return lines(*told, rest, changes)
