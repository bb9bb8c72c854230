"""Recordings, subroutines and their runs."""

from __future__ import annotations

from datetime import timedelta

from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Struct, Value

from perception.render.untrusted import Fence
from perception.server.convert.enums import decode_enum, enum_members
from perception.server.subroutines.outcome import Outcome
from perception.subroutines.context_text import describe_event, render_context
from perception.subroutines.masking import mask_answer
from perception.subroutines.plan import PlanKind
from perception.subroutines.ranking import Ranked
from perception.subroutines.recording import Recording
from perception.subroutines.stored import Stored, digest
from perception.subroutines.updated import Update, etag_of
from perception.subroutines.volatile import without_volatile
from perception.v1 import subroutine_service_pb2 as pb

_PLANS = {pb.PLAN_KIND_UNSPECIFIED: None} | enum_members(pb.PlanKind, PlanKind)


def decode_plan(plan: pb.PlanKind) -> PlanKind | None:
    """None for any plan. Raises BadInputError for one that this version does not know."""
    return decode_enum(_PLANS, plan, "plan")


def recording_response(recording: Recording, candidates: tuple[Ranked, ...], fence: Fence) -> pb.StopRecordingResponse:
    return pb.StopRecordingResponse(
        recording_id=recording.recording_id,
        event_count=len(recording.events),
        request_count=len(recording.requests),
        steps=[describe_event(each) for each in recording.events],
        candidates=[_candidate(each) for each in candidates],
        context=fence.around(render_context(recording, candidates)),
        left_out=recording.left_out,
        open_requests=recording.open_requests,
    )


def _candidate(ranked: Ranked) -> pb.RequestCandidate:
    request = without_volatile(ranked.request)
    return pb.RequestCandidate(
        method=request.method,
        url=request.url.partition("?")[0],
        status=request.status,
        score=ranked.score,
        reasons=ranked.reasons,
        volatile=ranked.volatile,
    )


def subroutine_message(stored: Stored, context: str = "") -> pb.Subroutine:
    message = pb.Subroutine(
        subroutine_id=stored.subroutine_id,
        name=stored.name,
        description=stored.description,
        origin=stored.origin,
        plan=f"PLAN_KIND_{stored.plan.upper()}",
        plan_reason=stored.plan_reason,
        parameters_schema=ParseDict(stored.parameters_schema, Struct()),
        body=stored.body,
        recording_ids=stored.recordings,
        changed_by_hand=bool(stored.body_sha256) and digest(stored.body) != stored.body_sha256,
        context=context,
        success_condition=stored.success,
        etag=etag_of(stored),
        parameter_names=tuple(stored.parameters_schema.get("properties", {})),
    )
    message.create_time.FromNanoseconds(int(stored.created_s * 1e9))
    return message


def decode_update(request: pb.UpdateSubroutineRequest) -> Update:
    return Update(
        body=request.body,
        description=request.description if request.HasField("description") else None,
        rename=dict(request.rename),
        parameter_descriptions=dict(request.parameter_descriptions),
        etag=request.etag,
    )


def run_response(outcome: Outcome, fence: Fence, *, all_requests: bool) -> pb.RunSubroutineResponse:
    """What a run did. `fence` marks the page's words."""
    requests = outcome.all_requests if all_requests else outcome.requests
    failed = next((index for index, step in enumerate(outcome.steps) if not step.done), len(outcome.steps) - 1)
    return pb.RunSubroutineResponse(
        success=not outcome.error,
        data=ParseDict(mask_answer(outcome.data), Value()),
        error=fence.mark(outcome.error),
        steps=[
            pb.SubroutineStep(index=index, description=step.description, done=step.done, error=fence.mark(step.error))
            for index, step in enumerate(outcome.steps)
        ],
        requests=[pb.SubroutineHttpExchange(method=method, url=url, status=status) for method, url, status in requests],
        elapsed=timedelta(seconds=outcome.elapsed_s),
        reason=outcome.reason,
        failed_step=failed if outcome.error else -1,
        sent=outcome.sent,
        before=outcome.before,
        after=outcome.after,
        fell_back=outcome.fell_back,
        confirmed_by=outcome.confirmed_by,
    )
