"""SubroutineService: a task recorded once, replayed inside the page as a typed tool call."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Any

from perception.browser.browser_session import Tab
from perception.browser.page.navigation import WaitUntil, navigate
from perception.browser.recording.network_log import NetworkLog
from perception.browser.recording.recorder import Recorder
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    DeadlineError,
    OtherOriginError,
    PageCrashedError,
    PerceptionError,
    SecretOriginError,
    SessionLostError,
)
from perception.page_words import quoted_words
from perception.render.untrusted import Fence
from perception.server.actions.action_context import WITHOUT_DIFF, ActionContext
from perception.server.actions.idempotency import run_once
from perception.server.convert.message_fields import struct_value
from perception.server.convert.request_keys import request_key
from perception.server.convert.subroutines import (
    decode_plan,
    decode_update,
    recording_response,
    run_response,
    subroutine_message,
)
from perception.server.rpc_call import principal
from perception.server.services.service_context import ServiceContext
from perception.server.sessions.results import RequestKey
from perception.server.sessions.session import Session
from perception.server.subroutines.outcome import Outcome
from perception.server.subroutines.script_checker import require_same_task
from perception.server.subroutines.subroutine_run import SubroutineRun
from perception.server.subroutines.subroutine_store import SubroutineStore
from perception.subroutines.arguments import check_arguments
from perception.subroutines.create import create_subroutine
from perception.subroutines.hosts import origin_of
from perception.subroutines.ranking import pick_candidates
from perception.subroutines.recording import Recording
from perception.subroutines.stored import Stored
from perception.subroutines.updated import apply_update, etag_of
from perception.v1 import subroutine_service_pb2 as pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceServicer

MAX_RECORDINGS = 2
"""That a subroutine is made of: one, or two of the same task with other values."""

MAX_UNKEPT = 8
"""Recordings that were stopped and could not be written: kept for another try."""


class SubroutineRpcs(SubroutineServiceServicer):
    """See subroutine_service.proto."""

    def __init__(self, service: ServiceContext) -> None:
        self._service = service
        self._unkept: dict[tuple[str, str], Recording] = {}

    @property
    def _store(self) -> SubroutineStore:
        """The caller's own."""
        return SubroutineStore(self._service.settings.data_dir, principal())

    async def StartRecording(  # noqa: N802
        self, request: pb.StartRecordingRequest, context: Any
    ) -> pb.StartRecordingResponse:
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        async with session.use_tab(request.tab_id, deadline) as tab:
            session.recorders.require_unrecorded(tab)
            recording_id = f"r{secrets.token_hex(6)}"
            include_person = request.include_person
            recorder = await Recorder.start(tab, recording_id, deadline, include_person=include_person)
            session.recorders.add(recorder)
        return pb.StartRecordingResponse(recording_id=recording_id)

    async def StopRecording(  # noqa: N802
        self, request: pb.StopRecordingRequest, context: Any
    ) -> pb.StopRecordingResponse:
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        recording = self._unkept.get((session.session_id, request.recording_id))
        if recording is None:
            recording = await self._stop(session, request.recording_id, deadline)
        self._unkept[session.session_id, request.recording_id] = recording
        while len(self._unkept) > MAX_UNKEPT:
            del self._unkept[next(iter(self._unkept))]
        await asyncio.to_thread(self._store.keep_recording, recording)
        self._unkept.pop((session.session_id, request.recording_id), None)
        candidates = pick_candidates(recording, self._service.settings.telemetry_hosts)
        return recording_response(recording, candidates, session.fence)

    async def _stop(self, session: Session, recording_id: str, deadline: Deadline) -> Recording:
        recorder = session.recorders.find(recording_id)
        async with session.use_tab(recorder.tab.tab_id, deadline):
            session.recorders.remove(recording_id)
            return await recorder.stop(deadline)

    async def CreateSubroutine(  # noqa: N802
        self, request: pb.CreateSubroutineRequest, context: Any
    ) -> pb.CreateSubroutineResponse:
        count = len(request.recording_ids)
        if not 1 <= count <= MAX_RECORDINGS:
            raise BadInputError(
                f"{count} recordings were given: give one, or two of the same task with other values",
                field="recording_ids",
            )
        store = self._store
        recordings = await asyncio.to_thread(lambda: [store.recording(each) for each in request.recording_ids])
        stored = create_subroutine(
            recordings,
            name=request.name,
            description=request.description,
            wanted=decode_plan(request.plan),
            now_s=time.time(),
            telemetry=self._service.settings.telemetry_hosts,
            rename=dict(request.rename),
        )
        await asyncio.to_thread(store.keep, stored)
        return pb.CreateSubroutineResponse(subroutine=_with_context(stored))

    async def ListSubroutines(  # noqa: N802
        self, request: pb.ListSubroutinesRequest, context: Any
    ) -> pb.ListSubroutinesResponse:
        stored = await asyncio.to_thread(self._store.list, request.origin)
        return pb.ListSubroutinesResponse(subroutines=[subroutine_message(each) for each in stored])

    async def DeleteSubroutine(  # noqa: N802
        self, request: pb.DeleteSubroutineRequest, context: Any
    ) -> pb.DeleteSubroutineResponse:
        await asyncio.to_thread(self._store.delete, request.subroutine_id)
        return pb.DeleteSubroutineResponse()

    async def GetSubroutine(  # noqa: N802
        self, request: pb.GetSubroutineRequest, context: Any
    ) -> pb.GetSubroutineResponse:
        stored = await asyncio.to_thread(self._store.get, request.subroutine_id)
        return pb.GetSubroutineResponse(subroutine=_with_context(stored))

    async def UpdateSubroutine(  # noqa: N802
        self, request: pb.UpdateSubroutineRequest, context: Any
    ) -> pb.UpdateSubroutineResponse:
        deadline, store = self._service.deadline(context), self._store
        stored = await asyncio.to_thread(store.get, request.subroutine_id)
        changed = apply_update(stored, decode_update(request))
        if request.body:
            recordings = await asyncio.to_thread(lambda: [store.recording(each) for each in stored.recordings])
            await require_same_task(changed, recordings, self._service.sessions, deadline)
        if not request.validate_only:
            await asyncio.to_thread(store.replace, changed, etag_of(stored))
        return pb.UpdateSubroutineResponse(subroutine=_with_context(changed))

    async def RunSubroutine(  # noqa: N802
        self, request: pb.RunSubroutineRequest, context: Any
    ) -> pb.RunSubroutineResponse:
        deadline, parameters = self._service.deadline(context), struct_value(request, "parameters")
        stored = await asyncio.to_thread(self._store.get, request.subroutine_id)
        session = self._service.sessions.get(request.session_id)
        arguments = check_arguments(stored.parameters_schema, self._with_secrets(parameters, stored.origin, session))
        started: list[SubroutineRun] = []

        async def run() -> Outcome:
            await self._enter_origin(session, tab, stored, deadline)
            log = await NetworkLog.attach(tab.link, deadline)
            try:
                action = ActionContext.begin(session, tab, self._service.pool, deadline, WITHOUT_DIFF)
                evaluator, uploads = session.host.evaluator, self._service.settings.upload_dir
                started.append(SubroutineRun(stored, arguments, action, evaluator, log, uploads))
                await started[0].run()
            finally:
                log.detach()
            return started[0].outcome

        try:
            async with session.use_tab(request.tab_id, deadline, leaving=True) as tab:
                outcome = await run_once(session.results, request_key(request), deadline, run)
        except (DeadlineError, PageCrashedError, SessionLostError) as exc:
            if not started or not started[0].outcome.error:
                raise
            outcome = _end(session, request_key(request), started[0].outcome, exc)
        return run_response(outcome, session.fence, all_requests=request.all_requests)

    def _with_secrets(self, given: dict[str, Any], origin: str, session: Session) -> dict[str, Any]:
        """Parameters, with secrets in place of `{"secret": "name"}`.

        Raises:
            UnknownSecretError: no secret has that name.
            SecretOriginError: it is not for the subroutine's origin.
        """
        for name, value in given.items():
            if isinstance(value, dict) and set(value) == {"secret"} and isinstance(value["secret"], str):
                secret = self._service.secret_store.take(value["secret"], principal())
                if secret.origins and origin not in secret.origins:
                    raise SecretOriginError(f"secret {secret.name} is not for {origin}: nothing was done")
                given = {**given, name: secret.value}
                session.typed_secret = True
        return given

    async def _enter_origin(self, session: Session, tab: Tab, stored: Stored, deadline: Deadline) -> None:
        """Opens the origin in a tab that shows nothing yet.

        Raises:
            OtherOriginError: the tab shows another one.
            OriginBlockedError: this service does not open it.
        """
        if tab.link.url in ("", "about:blank"):
            await session.policy.check(stored.origin, deadline)
            await navigate(tab.link, f"{stored.origin}/", WaitUntil.SETTLED, deadline)
        _require_origin(stored, tab.link.url)


def _with_context(stored: Stored) -> pb.Subroutine:
    return subroutine_message(stored, context=Fence().around(stored.context))


def _require_origin(stored: Stored, url: str) -> None:
    if origin_of(url) != stored.origin:
        raise OtherOriginError(
            f"the tab is at {origin_of(url) or quoted_words(url)}, and {stored.subroutine_id} runs on {stored.origin} "
            "alone: navigate there first"
        )


def _end(session: Session, key: RequestKey, outcome: Outcome, error: PerceptionError) -> Outcome:
    """A run whose tab or time was gone, reported like any other that failed."""
    outcome.reason = error.reason
    if key.request_id:
        session.results.keep(key, outcome)
    return outcome
