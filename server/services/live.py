"""LiveService: what people see who watch a session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, nullcontext, suppress
from typing import Any

from perception.deadline import Deadline
from perception.errors import BadInputError, ShuttingDownError, UnknownSnapshotError
from perception.server.auth.message_masking import redact_typed
from perception.server.convert.live import call_message, frame_message, image_message
from perception.server.live.call_log import LoggedCall
from perception.server.rpc_call import name_session
from perception.server.services.frame_stream import CHECK_SECONDS, FrameStream
from perception.server.services.service_context import OfService
from perception.server.sessions.session import Session
from perception.server.timeline.answer_view import read_text
from perception.server.timeline.request_view import json_of
from perception.v1 import live_service_pb2 as pb
from perception.v1 import types_pb2
from perception.v1.live_service_pb2_grpc import LiveServiceServicer


class LiveRpcs(OfService, LiveServiceServicer):
    """See live_service.proto."""

    async def WatchFrames(  # noqa: N802
        self, requests: AsyncIterator[pb.WatchFramesRequest], context: Any
    ) -> AsyncIterator[pb.WatchFramesResponse]:
        async with self._service.deadline(context).phase("waiting for the first message of the watch"):
            first = await anext(requests, None)
        if first is None:
            raise BadInputError("the stream had no message: the first one names session_id", field="session_id")
        name_session(first.session_id)
        sessions = self._service.sessions
        stream = FrameStream(lambda: sessions.get(first.session_id), first, sessions.closing, _whole(context))
        async with aclosing(stream.pictures(requests)) as pictures:
            async for number, frame, picture, tab_id in pictures:
                yield frame_message(number, frame, picture, tab_id)

    async def WatchCalls(  # noqa: N802
        self, request: pb.WatchCallsRequest, context: Any
    ) -> AsyncIterator[pb.WatchCallsResponse]:
        session, whole = self._service.sessions.get(request.session_id), _whole(context)
        with session.call_pictures.watching() if request.pictures else nullcontext():
            version = 0
            while True:
                news = session.calls.news
                for call in session.calls.since(version):
                    version = max(version, call.version)
                    if call.number > request.after_number:
                        yield pb.WatchCallsResponse(call=self._message(session, call))
                if request.kept_only:
                    return
                await self._await(news, session, whole)

    async def GetCall(self, request: pb.GetCallRequest, context: Any) -> pb.GetCallResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        call = session.calls.get(request.number)
        snapshot = self._snapshot(session, call)
        response = pb.GetCallResponse(
            call=self._message(session, call),
            snapshot=snapshot,
            text=call.text or (read_text(snapshot) if call.snapshot and snapshot is not None else ""),
            before=image_message(call.before),
            after=image_message(call.after),
            request_json=json_of(call.request) if call.request is not None else "",
        )
        redact_typed(response, session.browser.typed)
        return response

    async def _await(self, news: asyncio.Event, session: Session, whole: Deadline | None) -> None:
        """Waits for news of a session's calls. Raises why there can be none."""
        changed = asyncio.create_task(news.wait())
        try:
            while not changed.done():
                await asyncio.wait((changed,), timeout=CHECK_SECONDS)
                if self._service.sessions.closing.is_set():
                    raise ShuttingDownError(
                        "the service is shutting down: watch again at another one, or after its restart"
                    )
                if whole is not None:
                    whole.check("watching the calls")
                self._service.sessions.get(session.session_id)
        finally:
            changed.cancel()

    def _message(self, session: Session, call: LoggedCall) -> pb.Call:
        has_snapshot = bool(call.snapshot) or session.shown.snapshots.has(call.snapshot_id)
        message = call_message(call, has_snapshot=has_snapshot)
        redact_typed(message, session.browser.typed)
        return message

    def _snapshot(self, session: Session, call: LoggedCall) -> types_pb2.Snapshot | None:
        """That of a call: as it was answered, or as its diff leads to; None where it is not kept."""
        if call.snapshot:
            return types_pb2.Snapshot.FromString(call.snapshot)
        if not call.snapshot_id:
            return None
        with suppress(UnknownSnapshotError):
            return self._service.pages.write(session.shown.snapshots.get(call.snapshot_id), 0, session.fence)
        return None


def _whole(context: Any) -> Deadline | None:
    """The deadline of a watch; None where its caller sets none."""
    remaining_s = context.time_remaining()
    return None if remaining_s is None else Deadline.of(remaining_s)
