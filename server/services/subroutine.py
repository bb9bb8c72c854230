"""SubroutineService: a task recorded once, replayed inside the page as a typed tool call."""

from __future__ import annotations

import secrets
import time
from datetime import timedelta
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct, Value

from perception.browser.navigate import WaitUntil, navigate
from perception.browser.netlog import NetworkLog
from perception.browser.recorder import Recorder
from perception.browser.session import Tab
from perception.budget import Budget
from perception.errors import (
    BadInputError,
    DeadlineError,
    OtherOriginError,
    PageCrashedError,
    PerceptionError,
    RecordingError,
    SecretOriginError,
    SessionLostError,
    UnknownRecordingError,
)
from perception.server.calls import principal
from perception.server.convert import known
from perception.server.deed import Deed
from perception.server.once import remembered
from perception.server.services.base import Rooms
from perception.server.sessions import Session
from perception.server.subroutine_run import Outcome, SubroutineRun
from perception.server.subroutine_store import SubroutineStore
from perception.subroutines.arguments import check_arguments
from perception.subroutines.context import describe_event, render_context
from perception.subroutines.create import create_subroutine
from perception.subroutines.hosts import origin_of
from perception.subroutines.masking import mask_answer
from perception.subroutines.plan import PlanKind
from perception.subroutines.ranking import Ranked, pick_candidates
from perception.subroutines.recording import Recording
from perception.subroutines.stored import Stored, digest
from perception.subroutines.volatile import without_volatile
from perception.untrusted import Fence
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import subroutine_service_pb2 as pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceServicer

MAX_RECORDINGS = 2
"""That a subroutine is made of: one, or two of the same task with other values."""

MAX_UNKEPT = 8
"""Recordings that were stopped and could not be written: kept for another try."""

_PLANS = {
    pb.PLAN_KIND_UNSPECIFIED: None,
    pb.PLAN_KIND_DOM: PlanKind.DOM,
    pb.PLAN_KIND_NETWORK: PlanKind.NETWORK,
    pb.PLAN_KIND_HYBRID: PlanKind.HYBRID,
}


class SubroutineRpcs(SubroutineServiceServicer):
    """See subroutine_service.proto."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._recorders: dict[str, tuple[str, Recorder]] = {}
        self._unkept: dict[tuple[str, str], Recording] = {}

    @property
    def _store(self) -> SubroutineStore:
        """The caller's own."""
        return SubroutineStore(self._rooms.settings.data_dir, principal())

    async def StartRecording(  # noqa: N802
        self, request: pb.StartRecordingRequest, context: Any
    ) -> pb.StartRecordingResponse:
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        async with session.use_tab(request.tab_id, budget) as tab:
            self._forget_gone()
            for recording_id, (_, recorder) in self._recorders.items():
                if recorder.tab is tab:
                    raise RecordingError(f"tab {tab.tab_id} is being recorded as {recording_id}: stop that first")
            recording_id = f"r{secrets.token_hex(6)}"
            recorder = await Recorder.start(tab, recording_id, budget)
            self._recorders[recording_id] = (session.session_id, recorder)
        return pb.StartRecordingResponse(recording_id=recording_id)

    async def StopRecording(  # noqa: N802
        self, request: pb.StopRecordingRequest, context: Any
    ) -> pb.StopRecordingResponse:
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        recording = self._unkept.get((session.session_id, request.recording_id))
        if recording is None:
            recording = await self._stop(session, request.recording_id, budget)
        self._unkept[session.session_id, request.recording_id] = recording
        while len(self._unkept) > MAX_UNKEPT:
            del self._unkept[next(iter(self._unkept))]
        self._store.keep_recording(recording)
        del self._unkept[session.session_id, request.recording_id]
        candidates = pick_candidates(recording, self._rooms.settings.telemetry_hosts)
        return _recorded(recording, candidates, session.fence)

    async def _stop(self, session: Session, recording_id: str, budget: Budget) -> Recording:
        session_id, recorder = self._recorders.get(recording_id, ("", None))
        if recorder is None or session_id != session.session_id:
            raise UnknownRecordingError(
                f"no recording {recording_id[:40]!r} is running in this session: start one with StartRecording"
            )
        async with session.use_tab(recorder.tab.tab_id, budget):
            self._recorders.pop(recording_id, None)
            return await recorder.stop(budget)

    async def CreateSubroutine(  # noqa: N802
        self, request: pb.CreateSubroutineRequest, context: Any
    ) -> pb.CreateSubroutineResponse:
        count = len(request.recording_ids)
        if not 1 <= count <= MAX_RECORDINGS:
            raise BadInputError(
                f"{count} recordings were given: give one, or two of the same task with other values",
                field="recording_ids",
            )
        stored = create_subroutine(
            [self._store.recording(each) for each in request.recording_ids],
            name=request.name,
            description=request.description,
            wanted=known(_PLANS, request.plan, "plan"),
            now_s=time.time(),
            telemetry=self._rooms.settings.telemetry_hosts,
        )
        self._store.keep(stored)
        return pb.CreateSubroutineResponse(subroutine=_message(stored, context=Fence().around(stored.context)))

    async def ListSubroutines(  # noqa: N802
        self, request: pb.ListSubroutinesRequest, context: Any
    ) -> pb.ListSubroutinesResponse:
        return pb.ListSubroutinesResponse(subroutines=[_message(each) for each in self._store.list(request.origin)])

    async def DeleteSubroutine(  # noqa: N802
        self, request: pb.DeleteSubroutineRequest, context: Any
    ) -> pb.DeleteSubroutineResponse:
        self._store.delete(request.subroutine_id)
        return pb.DeleteSubroutineResponse()

    async def RunSubroutine(  # noqa: N802
        self, request: pb.RunSubroutineRequest, context: Any
    ) -> pb.RunSubroutineResponse:
        budget = self._rooms.budget(context)
        stored = self._store.get(request.subroutine_id)
        session = self._rooms.sessions.get(request.session_id)
        arguments = check_arguments(stored.parameters_schema, self._given(request, stored.origin, session))
        running: SubroutineRun | None = None

        async def run() -> pb.RunSubroutineResponse:
            nonlocal running
            await self._enter_origin(session, tab, stored, budget)
            log = await NetworkLog.attach(tab.link, budget)
            try:
                deed = Deed(session, tab, self._rooms.pool, action_pb.ActionOptions(skip_diff=True), budget)
                evaluator, uploads = session.host.evaluator, self._rooms.settings.upload_dir
                running = SubroutineRun(stored, arguments, deed, evaluator, log, uploads)
                await running.run()
            finally:
                log.detach()
            return _response(running.outcome)

        try:
            async with session.use_tab(request.tab_id, budget) as tab:
                return await remembered(session, "RunSubroutine", request.request_id, budget, run)
        except (DeadlineError, PageCrashedError, SessionLostError) as exc:
            if running is None or not running.outcome.error:
                raise
            return self._ended(session, request.request_id, running.outcome, exc)

    def _given(self, request: pb.RunSubroutineRequest, origin: str, session: Session) -> dict[str, Any]:
        """Parameters, with secrets in place of `{"secret": "name"}`.

        Raises:
            UnknownSecretError: there is none of that name.
            SecretOriginError: it is not for the subroutine's origin.
        """
        given: dict[str, Any] = MessageToDict(request.parameters)
        for name, value in given.items():
            if isinstance(value, dict) and set(value) == {"secret"} and isinstance(value["secret"], str):
                secret = self._rooms.vault.take(value["secret"], principal())
                if secret.origins and origin not in secret.origins:
                    raise SecretOriginError(f"secret {secret.name} is not for {origin}: nothing was done")
                given[name] = secret.value
                session.typed_secret = True
        return given

    async def _enter_origin(self, session: Session, tab: Tab, stored: Stored, budget: Budget) -> None:
        """Opens the origin in a tab that shows nothing yet.

        Raises:
            OtherOriginError: the tab shows another one.
            OriginBlockedError: this service does not open it.
        """
        if tab.link.url in ("", "about:blank"):
            await session.policy.check(stored.origin, budget)
            await navigate(tab.link, f"{stored.origin}/", WaitUntil.SETTLED, budget)
        _require_origin(stored, tab.link.url)

    def _ended(
        self, session: Session, request_id: str, outcome: Outcome, error: PerceptionError
    ) -> pb.RunSubroutineResponse:
        """A run whose tab or time was gone, told as any other that failed."""
        outcome.reason = error.reason
        response = _response(outcome)
        if request_id:
            session.remember(("RunSubroutine", request_id), response)
        return response

    def _forget_gone(self) -> None:
        """Recordings of sessions that were closed, and of tabs."""
        open_tabs = {id(tab) for session in self._rooms.sessions.sessions for tab in session.browser.tabs}
        for recording_id, (_, recorder) in list(self._recorders.items()):
            if id(recorder.tab) not in open_tabs:
                recorder.cancel()
                del self._recorders[recording_id]


def _require_origin(stored: Stored, url: str) -> None:
    if origin_of(url) != stored.origin:
        raise OtherOriginError(
            f"the tab is at {origin_of(url) or url[:60]!r}, and {stored.subroutine_id} runs on {stored.origin} alone: "
            "navigate there first"
        )


def _recorded(recording: Recording, candidates: tuple[Ranked, ...], fence: Fence) -> pb.StopRecordingResponse:
    return pb.StopRecordingResponse(
        recording_id=recording.recording_id,
        event_count=len(recording.events),
        request_count=len(recording.requests),
        steps=[describe_event(each) for each in recording.events],
        candidates=[_candidate(each) for each in candidates],
        context=fence.around(render_context(recording, candidates)),
        left_out=recording.left_out,
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


def _message(stored: Stored, context: str = "") -> pb.Subroutine:
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
    )
    message.create_time.FromNanoseconds(int(stored.created_s * 1e9))
    return message


def _response(outcome: Outcome) -> pb.RunSubroutineResponse:
    failed = next((index for index, step in enumerate(outcome.steps) if not step.done), len(outcome.steps) - 1)
    return pb.RunSubroutineResponse(
        success=not outcome.error,
        data=ParseDict(mask_answer(outcome.data), Value()),
        error=outcome.error,
        steps=[
            pb.SubroutineStep(index=index, description=step.description, done=step.done, error=step.error)
            for index, step in enumerate(outcome.steps)
        ],
        requests=[
            pb.SubroutineHttpExchange(method=method, url=url, status=status) for method, url, status in outcome.requests
        ],
        elapsed=timedelta(seconds=outcome.elapsed_s),
        reason=outcome.reason,
        failed_step=failed if outcome.error else -1,
        sent=outcome.sent,
        before=outcome.before,
        after=outcome.after,
        fell_back=outcome.fell_back,
    )
