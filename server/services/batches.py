"""Batches: the request checked whole, run once, and answered step by step.

Rule 1: an error means that no input was sent: what is wrong with a step, with its index, or why the tab is not there.
Rule 2: what happens later is reported in the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from perception.deadline import Deadline
from perception.errors import BadInputError, PerceptionError, ReplyTooLargeError
from perception.server.actions.action_context import DIFF_SETTLE_SECONDS, ActionContext
from perception.server.actions.batch import BatchOutcome, BatchStep, run_batch, target_error
from perception.server.actions.idempotency import run_once
from perception.server.contract import rules_of_request
from perception.server.convert.actions import answer_options, evaluate_response
from perception.server.convert.batches import at_step, batch_response, step_fields, step_targets
from perception.server.convert.message_fields import seconds_of
from perception.server.convert.request_keys import request_key
from perception.server.error_target import name_target
from perception.server.services.action_plans import Act, ActionPlans
from perception.server.services.service_context import ServiceContext
from perception.server.services.snapshot_captures import SnapshotCaptures
from perception.server.sessions.session import Session, TabUse
from perception.v1 import action_service_pb2 as pb

MAX_STEPS = 50

MAX_ANSWERS_BYTES = 8 * 2**20
"""Limit of the snapshots and values of scripts in one answer: half of what a message may have."""


@dataclass(slots=True)
class _Room:
    """How many bytes of answers a batch may still hold."""

    left: int = MAX_ANSWERS_BYTES

    def take(self, message: Message) -> None:
        """Raises ReplyTooLargeError where a message does not fit."""
        size = message.ByteSize()
        if size > self.left:
            raise ReplyTooLargeError(
                f"the snapshots and values of this batch have more than {MAX_ANSWERS_BYTES // 2**20} MiB: ask for "
                "less, or in calls of their own",
                limit=str(MAX_ANSWERS_BYTES // 2**20),
            )
        self.left -= size


class Batches:
    """Runs batches; `plans` are those of the single actions."""

    def __init__(self, service: ServiceContext, plans: ActionPlans) -> None:
        self._service = service
        self._plans = plans
        self._captures = SnapshotCaptures(service)

    async def run(self, request: pb.BatchRequest, deadline: Deadline) -> pb.BatchResponse:
        """Runs a batch, or returns what the first one of its `request_id` came to.

        Raises:
            PerceptionError: no input was sent.
        """
        session = self._service.sessions.get(request.session_id)
        if not 1 <= len(request.steps) <= MAX_STEPS:
            raise BadInputError(
                f"the batch has {len(request.steps)} steps: give 1 to {MAX_STEPS}; nothing was run", field="steps"
            )
        room, answer = _Room(), answer_options(request.action_options)
        steps = [await self._plan(index, step, session, room) for index, step in enumerate(request.steps)]

        async def run() -> BatchOutcome:
            session.begin_action(tab.tab_id)
            action = ActionContext.begin(session, tab, self._service.pool, deadline, answer)
            await _check_on_page(action, steps, request)
            outcome = await run_batch(action, steps, settles=answer.always_settles)
            if not (outcome.done or deadline.dispatched):
                raise _NothingDone(outcome)
            return outcome

        async with session.use_tab(request.tab_id, deadline, TabUse.ACT) as tab:
            try:
                outcome = await run_once(session.results, request_key(request), deadline, run, _size_of)
            except _NothingDone as exc:
                outcome = exc.outcome
        return batch_response(outcome, request, session.fence)

    async def _plan(self, index: int, step: pb.BatchStep, session: Session, room: _Room) -> BatchStep:
        """A step, checked as far as it can be without its page. Raises a PerceptionError that names it."""
        kind = step.WhichOneof("step") or ""
        try:
            fields = step_fields(step)
            rules = rules_of_request(fields)
            act = await self._act(kind, fields, session, room)
            targets = step_targets(fields, session.shown.snapshots)
            timeout_s = seconds_of(step, "timeout", 0.0) if step.HasField("timeout") else None
            if timeout_s is not None and timeout_s <= 0:
                raise BadInputError("timeout is not over 0: leave it out for all that is left", field="timeout")
        except PerceptionError as exc:
            at_step(exc, index, kind)
            raise
        settle_s = 0.0 if rules.quiet else DIFF_SETTLE_SECONDS
        return BatchStep(
            act,
            settle_s,
            targets,
            may_navigate=step.may_navigate,
            timeout_s=timeout_s,
            beside_chooser=rules.beside_file_chooser,
        )

    async def _act(self, kind: str, fields: Any, session: Session, room: _Room) -> Act:
        if kind == "upload_files":
            return await self._plans.upload_files(fields)
        if kind == "evaluate":
            return self._evaluate(fields, session, room)
        if kind == "capture_snapshot":
            return self._capture(fields, session, room)
        act: Act = getattr(self._plans, kind)(fields)  # each plan has the name of its step
        return act

    def _evaluate(self, request: pb.EvaluateRequest, session: Session, room: _Room) -> Act:
        run = self._plans.evaluate(request, session)

        async def act(action: ActionContext) -> pb.EvaluateResponse:
            answer = evaluate_response(await run(action))
            room.take(answer)
            return answer

        return act

    def _capture(self, request: Any, session: Session, room: _Room) -> Act:
        if request.cursor:
            raise BadInputError("a cursor is for a call of its own: leave it out", field="cursor")
        plan = self._captures.plan(session, request)

        async def act(action: ActionContext) -> Message:
            taken = await self._captures.take(session, action.tab, plan, action.deadline)
            answer = await self._captures.write(session, plan, taken, action.deadline)
            room.take(answer)
            return answer

        return act


class _NothingDone(Exception):  # noqa: N818  (no error: it keeps an outcome from being kept)
    """The first step failed before any input was sent: the request's id stays free."""

    def __init__(self, outcome: BatchOutcome) -> None:
        super().__init__()
        self.outcome = outcome


async def _check_on_page(action: ActionContext, steps: Sequence[BatchStep], request: pb.BatchRequest) -> None:
    """Raises for the first step whose ref, node or coordinate is not on the page. Names and selectors may come yet."""
    errors = await asyncio.gather(*(target_error(action, step) for step in steps))
    for index, (error, step) in enumerate(zip(errors, request.steps, strict=True)):
        if error is not None:
            kind = step.WhichOneof("step") or ""
            name_target(error, getattr(step, kind))
            at_step(error, index, kind)
            raise error


def _size_of(outcome: BatchOutcome) -> int:
    """Bytes of the answers that a kept outcome holds."""
    return sum(each.answer.ByteSize() for each in outcome.done if isinstance(each.answer, Message))
