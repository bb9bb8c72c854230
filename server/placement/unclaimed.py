"""Sessions that open for callers who have gone meanwhile: they are closed, as nobody knows them.

Rule 1: a session of a request that can be repeated stays: its caller may ask for it again, through any edge.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from typing import Any

import grpc
import structlog

from perception.server.placement.frame_fields import read_fields, read_text
from perception.server.placement.worker_link import WorkerLink
from perception.server.rpc_call import RpcCall
from perception.v1 import session_service_pb2 as session_pb

log = structlog.get_logger(__name__)

CLOSE = f"/{session_pb.DESCRIPTOR.services_by_name['SessionService'].full_name}/CloseSession"

OPENING_SECONDS = 3.0
"""How long a session may go on to open after its caller has gone. A call that is cancelled just as its worker answers
leaves a session that nobody knows; most sessions open in a tenth of a second. Chosen by hand."""

CLOSING_SECONDS = 10.0

Answer = tuple[bytes, Sequence[tuple[str, str | bytes]]]
"""A reply, and its trailing metadata."""


class Unclaimed:
    """Sees to the sessions of one edge whose callers go away while they open."""

    def __init__(self) -> None:
        self._closing: set[asyncio.Task[None]] = set()

    async def answer_of(self, call: Any, link: WorkerLink, caller: RpcCall) -> Answer:
        """The answer of a worker that opens a session. Raises AioRpcError."""
        opening = asyncio.ensure_future(_answer(call))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            closing = asyncio.create_task(_close(opening, link, caller.principal), name="close-unclaimed")
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            raise


def opened_session(reply: bytes) -> str:
    """The id of the session that a worker has opened."""
    number = session_pb.CreateSessionResponse.SESSION_FIELD_NUMBER
    session = (read_fields(reply, (number,)) or {}).get(number, b"")
    return read_text(session, session_pb.Session.SESSION_ID_FIELD_NUMBER) or ""


async def _answer(call: Any) -> Answer:
    try:
        return await call, await call.trailing_metadata()
    finally:
        call.cancel()


async def _close(opening: asyncio.Future[Answer], link: WorkerLink, principal: str) -> None:
    """Closes the session if it opens all the same."""
    try:
        async with asyncio.timeout(OPENING_SECONDS):
            reply, _ = await opening
    except (grpc.aio.AioRpcError, TimeoutError):
        return
    session_id = opened_session(reply)
    closing = RpcCall(CLOSE, secrets.token_hex(8))
    closing.principal = principal
    request = session_pb.CloseSessionRequest(session_id=session_id).SerializeToString()
    with contextlib.suppress(grpc.aio.AioRpcError):  # it is gone with its worker
        await link.call_of(CLOSE)(request, timeout=CLOSING_SECONDS, metadata=link.signed(closing))
    log.info("closed a session whose caller had gone", worker=link.name, session=session_id)
