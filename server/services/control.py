"""ControlService: a person takes control of a session, and gives it back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any

from perception.deadline import Deadline
from perception.errors import BadInputError, PerceptionError
from perception.server.auth.rights import Right
from perception.server.control.session_control import SessionControl
from perception.server.control.turn import Turn, TurnEnd
from perception.server.convert.control import (
    control_message,
    decode_outcome,
    holder_of,
    lease_seconds,
    outcome_of,
    person_text,
)
from perception.server.convert.elements import diff_message
from perception.server.convert.message_fields import duration_message
from perception.server.rpc_call import current, name_session, principal
from perception.server.services.human_answer import changes_by_person
from perception.server.services.input_stream import InputStream
from perception.server.services.service_context import OfService
from perception.server.sessions.turn_notes import take_turn_notes
from perception.v1 import control_service_pb2 as pb
from perception.v1.control_service_pb2_grpc import ControlServiceServicer

REQUEST_SECONDS, MAX_REQUEST_SECONDS = 300.0, 3600.0
"""How long RequestHuman waits without a deadline, and at most: a person is slower than a page."""


READ_SECONDS = 0.3
"""How long what a client still sends is read before its stream is refused. Chosen by hand."""


class ControlRpcs(OfService, ControlServiceServicer):
    """See control_service.proto."""

    async def TakeControl(self, request: pb.TakeControlRequest, context: Any) -> pb.TakeControlResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        holder, lease_s = holder_of(request.holder, principal()), lease_seconds(request)
        turn = await session.control.take(holder, lease_s, deadline)
        _end_with_token(session.control, turn)
        return pb.TakeControlResponse(lease_id=turn.lease_id, control=control_message(session.control))

    async def RenewControl(self, request: pb.RenewControlRequest, context: Any) -> pb.RenewControlResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        turn = session.control.renew(request.lease_id, lease_seconds(request))
        _end_with_token(session.control, turn)
        return pb.RenewControlResponse(control=control_message(session.control))

    async def ReleaseControl(self, request: pb.ReleaseControlRequest, context: Any) -> pb.ReleaseControlResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        how, note = decode_outcome(request.outcome), person_text(request.note, "note")
        if how is not TurnEnd.REFUSED:
            await session.control.release(request.lease_id, how, note)
        elif request.lease_id:
            raise BadInputError("REFUSED goes without a lease: end a lease as CANCELLED", field="outcome")
        else:
            session.control.refuse(principal(), note)
        return pb.ReleaseControlResponse(control=control_message(session.control))

    async def SendInput(  # noqa: N802
        self, requests: AsyncIterator[pb.SendInputRequest], context: Any
    ) -> AsyncIterator[pb.SendInputResponse]:
        first = await anext(aiter(requests), None)
        if first is None:
            return
        try:
            session = self._service.sessions.get(first.session_id)
            name_session(first.session_id)
            stream = InputStream(session, session.control.require(first.lease_id))
        except PerceptionError:
            await _read_to_the_end(requests)
            raise
        async with aclosing(stream.run(first, requests)) as acknowledged:
            async for each in acknowledged:
                yield each

    async def WatchControl(  # noqa: N802
        self, request: pb.WatchControlRequest, context: Any
    ) -> AsyncIterator[pb.WatchControlResponse]:
        control = self._service.sessions.get(request.session_id).control
        control.watchers += 1
        try:
            last = None
            while True:
                now = control_message(control)
                if now != last:
                    last = now
                    yield pb.WatchControlResponse(control=now)
                    continue  # it may have changed while the client took it
                await control.wait_for_change()
        finally:
            control.watchers -= 1

    async def RequestHuman(self, request: pb.RequestHumanRequest, context: Any) -> pb.RequestHumanResponse:  # noqa: N802
        remaining_s = context.time_remaining()
        seconds = REQUEST_SECONDS if remaining_s is None else remaining_s - self._service.settings.reply_reserve_s
        deadline = Deadline.of(max(0.0, min(seconds, MAX_REQUEST_SECONDS)))
        session = self._service.sessions.get(request.session_id)
        reason = person_text(request.reason, "reason")
        if not reason.strip():
            raise BadInputError("reason is empty: say what the person should do", field="reason")
        tab_id = session.browser.tab(request.tab_id).tab_id
        summary = await session.control.ask(reason, tab_id, deadline)
        changes, response = None, pb.RequestHumanResponse(outcome=outcome_of(summary.end), note=summary.note)
        response.duration.CopyFrom(duration_message(summary.seconds))
        if summary.end is not TurnEnd.REFUSED:
            changes = await changes_by_person(session, tab_id, self._service.pool, deadline)
        if changes is not None:
            response.diff.CopyFrom(diff_message(changes, session.fence))
        told = take_turn_notes(session) or (summary.text,)
        response.text = "\n".join(filter(None, (*told, response.diff.text)))
        return response


def _end_with_token(control: SessionControl, turn: Turn) -> None:
    """Has a turn end when the token of this call may no longer have control."""
    call = current()
    if call is not None and call.while_allowed is not None:
        turn.stop_watch()
        turn.stop_watch = call.while_allowed(Right.CONTROL, lambda _: control.expire(turn))


async def _read_to_the_end(requests: AsyncIterator[pb.SendInputRequest]) -> None:
    """A client in Python whose stream ends while it sends gets `Internal error from Core` in place of the reason
    (grpcio 1.85)."""
    with suppress(TimeoutError):
        async with asyncio.timeout(READ_SECONDS):
            async for _ in requests:
                pass
