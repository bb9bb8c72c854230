"""Steps one after the other, and their results.

Rule 1: steps are prepared before any of them runs, and the first one that fails ends the batch.
Rule 2: the report has one diff, for all steps together.
Rule 3: several steps are one call of the service where that can be; the report does not show it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perception.client.errors import RemoteError
from perception.deadline import loop_time
from perception.errors import PerceptionError
from perception.interaction.answers import UNCHANGED, ToolNames, error_answer, lines, place
from perception.interaction.looks import look_at
from perception.interaction.report import action_report, note_result
from perception.interaction.session_state import SessionState
from perception.interaction.steps import PreparedStep
from perception.v1 import action_service_pb2 as action_pb

DIFF_TOKENS = 800
"""Limit of the diff of an action. After a navigation it is the new page's text: enough for an average screen."""

MAX_CHUNK = 50
"""Steps of one call; as many as the service takes."""

MAX_CHUNK_BYTES = 15 * 2**20
"""Limit of one call: what a message of the service holds."""

LEAST_S = 0.001
"""What is left of a deadline that has passed: the next step ends with DEADLINE at once."""


@dataclass(frozen=True, slots=True)
class NamedStep:
    """A step that is ready to run, and its words in the report.

    Attributes:
        wire: the same as a step of one call for several; None for one that has a call of its own.
    """

    words: str
    run: PreparedStep
    wire: action_pb.BatchStep | None = None


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
    end_s = loop_time() + timeout_s
    done: list[action_pb.ActionResult] = []
    error: PerceptionError | None = None
    is_batched = len(steps) > 1
    while len(done) < len(steps) and error is None and not (done and done[-1].dialogs):
        left_s = max(end_s - loop_time(), LEAST_S)
        rest = steps[len(done) :]
        chunk = _chunk(rest) if is_batched else []
        whole = len(chunk or rest[:1]) == len(rest)
        diff = {"diff_max_tokens": diff_tokens} if whole else {"skip_diff": True}
        try:
            if chunk:
                results, error = await _run_chunk(state, chunk, left_s, diff)
            else:
                results = [await rest[0].run(timeout_s=left_s, **diff)]
        except PerceptionError as exc:
            if chunk and _is_refused_whole(exc):
                is_batched = False  # a step that cannot run stops the others where it is its turn
                continue
            results, error = [], exc
        if error is not None and len(steps) == 1:
            raise error
        done += results
    return await _outcome(state, steps, done, error, timeout_s, names)


def _chunk(steps: Sequence[NamedStep]) -> list[action_pb.BatchStep]:
    """The first steps, as those of one call; empty where a call each is as good."""
    chunk: list[action_pb.BatchStep] = []
    size = 0
    for step in steps[:MAX_CHUNK]:
        if step.wire is None or size + step.wire.ByteSize() > MAX_CHUNK_BYTES:
            break
        size += step.wire.ByteSize()
        chunk.append(step.wire)
    return chunk if len(chunk) > 1 else []


async def _run_chunk(
    state: SessionState, chunk: Sequence[action_pb.BatchStep], timeout_s: float, diff: Mapping[str, Any]
) -> tuple[list[action_pb.ActionResult], PerceptionError | None]:
    """What each step that was done did, the last one with the diff; and the error of the one that failed."""
    reply = await state.page.batch(chunk, timeout_s=timeout_s, **diff)
    results = [each.result for each in reply.results]
    if reply.stop.cause == action_pb.BatchStop.CAUSE_FAILED:
        return results, RemoteError.of_stop(reply.stop)
    last = results[-1]
    if reply.result.HasField("diff"):
        last.diff.CopyFrom(reply.result.diff)
    last.snapshot_id = reply.result.snapshot_id
    return results, None


def _is_refused_whole(error: PerceptionError) -> bool:
    """Whether a service took no step of a batch since one of them is wrong, or since it knows no batches."""
    if not isinstance(error, RemoteError):
        return False
    return "step" in error.metadata or error.code.name == "UNIMPLEMENTED"


async def _outcome(
    state: SessionState,
    steps: Sequence[NamedStep],
    done: Sequence[action_pb.ActionResult],
    error: PerceptionError | None,
    timeout_s: float,
    names: ToolNames,
) -> Outcome:
    """The report of steps that were run, of which the last one failed where there is an error."""
    told = [f"{index}. {step.words}: done" for index, step in enumerate(steps[: len(done)], 1)]
    result = done[-1] if done else None
    for each in done if error is not None else done[:-1]:  # of the last one, the report makes a note
        note_result(state, each)
    if error is not None:
        failed = f"{len(done) + 1}. {steps[len(done)].words}: {error_answer(error, names).text}"
        text = await _stopped(state, [*told, failed], len(steps) - len(done) - 1, timeout_s)
        return Outcome(text, len(done), result, error, is_complete=False)
    assert result is not None
    if len(done) < len(steps):
        rest = f"{len(steps) - len(done)} steps were not run: answer the dialog first"
        return Outcome(lines(*told, rest, action_report(state, result)), len(done), result, is_complete=False)
    report = lines(*(told if len(steps) > 1 else ()), action_report(state, result)) or "done"
    return Outcome(report, len(done), result)


async def _stopped(state: SessionState, told: list[str], left: int, timeout_s: float) -> str:
    """The report of a batch that a step has ended: what was done, and what that changed on the page."""
    changes = ""
    if len(told) > 1 and state.snapshot_id:
        try:
            snapshot = await look_at(state, dict(state.look), timeout_s, since=state.snapshot_id)
            changes = lines(
                snapshot.diff.text or UNCHANGED,
                f"{snapshot.snapshot_id} of {place(state.fence, snapshot.url, snapshot.title)}",
            )
        except PerceptionError as exc:  # a dialog is open, or the session has ended: what failed says more
            changes = f"the page cannot be looked at: {exc}"
    rest = f"{left} more steps were not run" if left else ""
    return lines(*told, rest, changes)
