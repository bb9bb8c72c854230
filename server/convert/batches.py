"""Batches: what their steps ask for, and their results."""

from __future__ import annotations

from typing import Any

import grpc

from perception.browser.page.navigation import Settled
from perception.browser.page.selector_syntax import split_hops
from perception.engine.request import SelectorTarget, Target
from perception.errors import BadInputError, PerceptionError
from perception.page_words import MAX_ADDRESS, page_words
from perception.render.untrusted import Fence
from perception.server.actions.batch import BatchOutcome, StepOutcome, Stop, StopCause
from perception.server.actions.pointer import Scrolled
from perception.server.contract import is_needed
from perception.server.convert.actions import action_result
from perception.server.convert.enums import enum_numbers
from perception.server.convert.snapshots import scroll_message, settle_message
from perception.server.convert.targets import decode_target
from perception.server.error_target import name_target
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.server.status import MAX_MESSAGE, MAX_MESSAGE_COST, within_header
from perception.v1 import action_service_pb2 as pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2

_OF_THE_BATCH = frozenset(each.name for each in pb.BatchRequest.DESCRIPTOR.fields) - {"steps"}

_CAUSES = enum_numbers(pb.BatchStop.Cause, StopCause)


def step_fields(step: pb.BatchStep) -> Any:
    """The request that a step is. Raises BadInputError for none, and for fields that are those of the batch."""
    kind = step.WhichOneof("step")
    if kind is None:
        there = ", ".join(each.name for each in step.DESCRIPTOR.oneofs_by_name["step"].fields)
        raise BadInputError(f"it says nothing to do: give one of {there}")
    fields = getattr(step, kind)
    for field, _ in fields.ListFields():
        if field.name in _OF_THE_BATCH:
            raise BadInputError(f"{field.name} is the batch's: leave it out of its steps", field=field.name)
    return fields


def step_targets(fields: Any, snapshots: KeptSnapshots) -> tuple[Target, ...]:
    """What a step acts on. Raises as `decode_target`, and BadSelectorError, also for what the step waits for."""
    given = [
        field
        for field in fields.DESCRIPTOR.fields
        if field.message_type is types_pb2.Target.DESCRIPTOR and (is_needed(field) or fields.HasField(field.name))
    ]
    targets = [decode_target(getattr(fields, field.name), snapshots) for field in given]
    for target in targets:
        if isinstance(target, SelectorTarget):
            split_hops(target.selector)
    return tuple(target for field, target in zip(given, targets, strict=True) if field.containing_oneof is None)


def at_step(error: PerceptionError, index: int, kind: str) -> None:
    """Says in an error which step it is about, and that nothing was run."""
    place = f"steps[{index}]"
    error.args = (f"{place}{f' ({kind})' if kind else ''}: {error.marked}; nothing was run", *error.args[1:])
    error.metadata = error.metadata | {"step": str(index)}
    if isinstance(error, BadInputError):
        error.field = ".".join(filter(None, (place, kind, error.field)))


def batch_response(outcome: BatchOutcome, request: pb.BatchRequest, fence: Fence) -> pb.BatchResponse:
    """The result of a batch. `fence` marks the page's words."""
    return pb.BatchResponse(
        results=[_step_result(each, fence) for each in outcome.done],
        stop=_stop_message(outcome, outcome.stop, request, fence) if outcome.stop is not None else None,
        result=action_result(outcome.whole, fence),
    )


def _step_result(outcome: StepOutcome, fence: Fence) -> pb.BatchStepResult:
    result = action_result(outcome.effects, fence)
    result.ClearField("diff")
    result.ClearField("snapshot_id")
    message, answer = pb.BatchStepResult(result=result), outcome.answer
    if isinstance(answer, Scrolled):
        message.scroll.CopyFrom(scroll_message(answer.scroll))
        message.moved = answer.moved
    elif isinstance(answer, Settled):
        message.result.settle.CopyFrom(settle_message(answer))
    elif isinstance(answer, pb.EvaluateResponse):
        message.evaluate.CopyFrom(answer)
    elif isinstance(answer, perception_pb.CaptureSnapshotResponse):
        message.capture_snapshot.CopyFrom(answer)
    return message


def _stop_message(outcome: BatchOutcome, stop: Stop, request: pb.BatchRequest, fence: Fence) -> pb.BatchStop:
    left = len(request.steps) - stop.step - 1
    rest = f"{left} more step{'' if left == 1 else 's'} {'was' if left == 1 else 'were'} not run"
    message = pb.BatchStop(cause=_CAUSES[stop.cause], step=stop.step)
    match stop.cause:
        case StopCause.FAILED:
            assert stop.error is not None
            step = request.steps[stop.step]
            name_target(stop.error, getattr(step, step.WhichOneof("step") or "click"))
            message.message = fence.mark(within_header(stop.error.marked[:MAX_MESSAGE], MAX_MESSAGE_COST))
            message.code = grpc.StatusCode[stop.error.grpc_code].value[0]
            message.reason = stop.error.reason
            if stop.error.retry_s:
                message.retry_after.seconds = stop.error.retry_s
            message.metadata.update({key: fence.mark(value) for key, value in stop.error.metadata.items()})
        case StopCause.NAVIGATED:
            url = page_words(outcome.done[stop.step].effects.url, MAX_ADDRESS)
            message.message = fence.mark(
                f"this step took the tab to {url}; {rest}: look at the new page, or set may_navigate where that is "
                "expected"
            )
        case StopCause.DIALOG:
            message.message = f"this step opened a dialog; {rest}: answer it with HandleDialog"
    return message
