"""Carries calls from clients to workers: frames as they are, in both directions.

Rule 1: no message is decoded. What an edge adds is who calls; what it reads is the session, by `frame_fields`.
Rule 2: deadlines, cancellation and back-pressure are the client's own: a frame is read when the other side takes it.
Rule 3: nothing is done twice. Only what a worker has refused, or what changes nothing, goes to another one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, NoReturn

import grpc
import structlog
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from perception.client.access import AUTHORIZATION
from perception.deadline import Deadline
from perception.errors import (
    BrowserUnavailableError,
    CallBrokenError,
    MemoryLimitError,
    PerceptionError,
    QueueFullError,
    SandboxUnavailableError,
    SessionLimitError,
    ShuttingDownError,
)
from perception.instrumentation.stages import is_tracing
from perception.server.auth.edge_callers import CALLER_KEY
from perception.server.contract import Method, Way
from perception.server.placement.claim_queue import WAITED_FOR, ClaimQueue
from perception.server.placement.edge_leases import EdgeLeases
from perception.server.placement.frame_fields import read_text
from perception.server.placement.local import lost
from perception.server.placement.remote_errors import is_broken, is_own, reason_of
from perception.server.placement.request_turns import Turn, turn_of
from perception.server.placement.unclaimed import Unclaimed, opened_session
from perception.server.placement.worker_link import WorkerLink
from perception.server.placement.worker_status import Wanted
from perception.server.placement.workers import Workers
from perception.server.rpc_call import REQUEST_ID_KEY, RpcCall, current, name_session
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb

log = structlog.get_logger(__name__)

REFUSALS = frozenset(
    each.reason
    for each in (
        BrowserUnavailableError,
        MemoryLimitError,
        QueueFullError,
        SandboxUnavailableError,
        SessionLimitError,
        ShuttingDownError,
    )
)
"""Reasons for which a session is asked of the next worker: this one has opened none."""

NOT_CARRIED = frozenset((AUTHORIZATION, "user-agent", REQUEST_ID_KEY, CALLER_KEY))
"""Metadata that is between a client and the edge, or that the edge sets itself."""

TRACE_KEYS = ("traceparent", "tracestate")

_propagator = TraceContextTextMapPropagator()


class Carrier:
    """Carries the calls of one edge.

    Args:
        workers: where they go.
        claims: where sessions that are to open wait for a slot.
        closing: set when the edge is about to end: streams without a natural end then end, too.
    """

    def __init__(self, workers: Workers, claims: ClaimQueue, closing: asyncio.Event, settings: Settings) -> None:
        self._workers = workers
        self._claims = claims
        self._closing = closing
        self._settings = settings
        self._unclaimed = Unclaimed()
        self._leases = EdgeLeases()

    def handler(self, method: Method) -> grpc.RpcMethodHandler[Any, Any]:
        """Serves one rpc; its messages are bytes."""

        async def answer(request: Any, context: Any) -> bytes:
            return await self._answer(method, request, context)

        def stream(request: Any, context: Any) -> AsyncIterator[bytes]:
            return self._stream(method, request, context)

        if method.streams_answers:
            make = (
                grpc.stream_stream_rpc_method_handler
                if method.streams_requests
                else grpc.unary_stream_rpc_method_handler
            )
            return make(stream)
        if method.streams_requests:
            return grpc.stream_unary_rpc_method_handler(answer)
        return grpc.unary_unary_rpc_method_handler(answer)

    async def _answer(self, method: Method, request: Any, context: Any) -> bytes:
        deadline = self._deadline(context)
        if method.way is Way.CLAIM:
            return await self._create(method, request, context, deadline)
        if method.way is Way.ALL:
            return await self._list(method, request, context, deadline)
        if method.way is not Way.SESSION:
            return await self._ask_any(method, request, context, deadline)
        first, request = await _opened(request, deadline) if method.streams_requests else (request, request)
        link = await self._owner(method, first, deadline)
        try:
            reply = await self._ask(link, method, request, context)
        except grpc.aio.AioRpcError as exc:
            await self._fail(link, exc, context, deadline)
        self._leases.note(method, request, reply, link, _call())
        return reply

    async def _stream(self, method: Method, request: Any, context: Any) -> AsyncIterator[bytes]:
        deadline = self._deadline(context)
        first, request = await _opened(request, deadline) if method.streams_requests else (request, request)
        link = await self._owner(method, first, deadline)
        call = self._begin(link, method, request, context)
        closing = asyncio.create_task(self._closing.wait())
        try:
            while True:
                reading = asyncio.ensure_future(call.read())
                try:
                    await asyncio.wait((reading, closing), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    reading.cancel()  # does nothing to one that is done
                if not reading.done():
                    raise ShuttingDownError("this edge is shutting down: call again, by another one or its next start")
                frame = reading.result()
                if frame is grpc.aio.EOF:
                    break
                yield frame
            context.set_trailing_metadata(await call.trailing_metadata())
        except grpc.aio.AioRpcError as exc:
            await self._fail(link, exc, context, deadline)
        finally:
            closing.cancel()
            call.cancel()

    async def _owner(self, method: Method, first: bytes | None, deadline: Deadline) -> WorkerLink:
        """The worker that a call goes to. A request that is not a message, or names no session, goes to any: it says
        what is wrong with it."""
        session_id = read_text(first, method.session_field) if first is not None and method.session_field else None
        if not session_id:
            await self._workers.ready(deadline, lambda: bool(self._workers.up))
            return self._workers.any()
        name_session(session_id)
        return await self._workers.located(session_id, deadline)

    async def _create(self, method: Method, request: bytes, context: Any, deadline: Deadline) -> bytes:
        """Opens a session on the least loaded worker that has a slot; on the one that has it where the request is
        repeated."""
        wanted = Wanted(_call().principal, read_text(request, method.request_id_field) or "")
        # Of a repeated request: whichever worker has its session has to be heard first.
        await self._workers.ready(deadline, lambda: bool(self._workers.up) and not wanted.request_id)
        with self._claims.claim(deadline, wanted.key) as claim:
            if self._claims.waiting and await self._opened_by(wanted, deadline) is None:
                await claim.wait_behind_others()
            while True:
                try:
                    async with turn_of(wanted, self._workers.owners_of(wanted), deadline) as turn:
                        return await self._open(method, request, context, deadline, wanted, turn)
                except WAITED_FOR:
                    if not await claim.wait_for_slot():
                        raise

    async def _opened_by(self, wanted: Wanted, deadline: Deadline, before: Collection[int] = ()) -> WorkerLink | None:
        return await self._workers.opened_by(wanted, deadline, before) if wanted.request_id else None

    async def _open(
        self,
        method: Method,
        request: bytes,
        context: Any,
        deadline: Deadline,
        wanted: Wanted,
        turn: Turn,
    ) -> bytes:
        """Opens a session on one worker after the other, until one takes it; first on the one that has the session of
        this request.

        Raises:
            SessionLimitError: all slots are taken; or as `Workers.claim`.
        """
        known = await self._opened_by(wanted, deadline, turn.asked)
        tried: list[WorkerLink] = []
        refused: grpc.aio.AioRpcError | None = None
        ask = self._ask if wanted.request_id else self._ask_once
        while True:
            try:
                link = known or await self._claimed(tried, wanted.key, deadline)
            except PerceptionError:
                if refused is None or reason_of(refused) == SessionLimitError.reason:
                    raise
                await _abort(refused, context)
            try:
                await turn.note(link)
                reply = await ask(link, method, request, context)
                name_session(opened_session(reply))
                return reply
            except grpc.aio.AioRpcError as exc:
                if not await self._may_try_next(link, exc, deadline):
                    await self._fail(link, exc, context, deadline)
                known = None  # it has no session of this request any more
                refused = _telling(refused, exc)
                tried.append(link)
            except BaseException:
                if not known:
                    self._workers.release(link)
                raise

    async def _claimed(self, tried: Sequence[WorkerLink], key: str, deadline: Deadline) -> WorkerLink:
        """A worker with a slot. An edge that has only started hears all of them before it says that there is none.
        Raises as `Workers.claim`."""
        try:
            return self._workers.claim(tried, key)
        except SessionLimitError:
            await self._workers.ready(deadline, lambda: False)
            return self._workers.claim(tried, key)

    async def _may_try_next(self, link: WorkerLink, error: grpc.aio.AioRpcError, deadline: Deadline) -> bool:
        """Whether a session may be asked of another worker: this one refused it, or is gone with all it had."""
        if is_own(error):
            return reason_of(error) in REFUSALS
        epoch = link.status.epoch if link.status is not None else None
        return is_broken(error) and not await link.outlived(epoch, deadline)

    async def _list(self, method: Method, request: bytes, context: Any, deadline: Deadline) -> bytes:
        """The answers of all workers as one: repeated fields of messages that are joined follow each other."""
        await self._workers.ready(deadline, lambda: False)
        asked = tuple(self._workers.up)
        if not asked:
            self._workers.any()  # raises
        replies = await asyncio.gather(
            *(self._ask(each, method, request, context) for each in asked), return_exceptions=True
        )
        answered = [each for each in replies if isinstance(each, bytes)]
        failed = [each for each in replies if isinstance(each, BaseException)]
        if not answered:
            if isinstance(failed[0], grpc.aio.AioRpcError):
                await self._fail(asked[0], failed[0], context, deadline)
            raise failed[0]
        _call().worker = ""
        # Whether one that was asked is still there says nothing of its answer, and would count it twice.
        others = (each for each in self._workers.links if each not in asked)
        missing = len(failed) + sum(not each.up and not each.is_gone for each in others)
        if missing:
            answered.append(session_pb.ListSessionsResponse(workers_missing=missing).SerializeToString())
        return b"".join(answered)

    async def _ask_any(self, method: Method, request: Any, context: Any, deadline: Deadline) -> bytes:
        """A call without a session."""
        await self._workers.ready(deadline, lambda: bool(self._workers.up))
        tried: list[WorkerLink] = []
        while True:
            link = self._workers.any(tried)
            try:
                return await self._ask(link, method, request, context)
            except grpc.aio.AioRpcError as exc:
                again = is_own(exc) and reason_of(exc) == ShuttingDownError.reason
                again = again or (method.way is Way.ANY_READ and is_broken(exc))
                tried.append(link)
                if not again or all(each in tried for each in self._workers.up):
                    await self._fail(link, exc, context, deadline)

    async def _ask(self, link: WorkerLink, method: Method, request: Any, context: Any) -> bytes:
        """One answer of a worker. Raises AioRpcError."""
        call = self._begin(link, method, request, context)
        try:
            reply: bytes = await call
            context.set_trailing_metadata(await call.trailing_metadata())
            return reply
        finally:
            call.cancel()

    async def _ask_once(self, link: WorkerLink, method: Method, request: Any, context: Any) -> bytes:
        """As `_ask`, for a session whose caller cannot ask for it again. Raises AioRpcError."""
        call = self._begin(link, method, request, context)
        reply, metadata = await self._unclaimed.answer_of(call, link, _call())
        context.set_trailing_metadata(metadata)
        return reply

    def _begin(self, link: WorkerLink, method: Method, request: Any, context: Any) -> Any:
        """Starts a call to a worker."""
        call = _call()
        call.worker = link.name
        start = link.call_of(
            method.path, streams_requests=method.streams_requests, streams_answers=method.streams_answers
        )
        metadata = (*_carried(context.invocation_metadata() or ()), *link.signed(call))
        return start(request, timeout=context.time_remaining(), metadata=metadata)

    async def _fail(self, link: WorkerLink, error: grpc.aio.AioRpcError, context: Any, deadline: Deadline) -> NoReturn:
        """Ends the call as the worker did. Where the connection broke instead, says what became of the worker."""
        if is_own(error) or not is_broken(error):
            await _abort(error, context)
        epoch = link.status.epoch if link.status is not None else None
        session_id = _call().session_id
        if session_id and not await link.outlived(epoch, deadline):
            raise lost(session_id) from error
        raise CallBrokenError(
            f"the connection to worker {link.name} broke during this call: whether it was carried out is not known. "
            "Look before you repeat it; a request with a request_id can be repeated as it is"
        ) from error

    def _deadline(self, context: Any) -> Deadline:
        remaining = context.time_remaining()
        return Deadline.of(self._settings.max_deadline_s if remaining is None else remaining)


async def _opened(requests: AsyncIterator[bytes], deadline: Deadline) -> tuple[bytes | None, AsyncIterator[bytes]]:
    """The first message of a stream, None for a stream without one, and the whole stream."""
    async with deadline.phase("waiting for the first message of the stream"):
        first = await anext(requests, None)

    async def whole() -> AsyncIterator[bytes]:
        if first is not None:
            yield first
            async for each in requests:
                yield each

    return first, whole()


def _call() -> RpcCall:
    call = current()
    assert call is not None  # the interceptor has begun it
    return call


def _telling(before: grpc.aio.AioRpcError | None, error: grpc.aio.AioRpcError) -> grpc.aio.AioRpcError | None:
    """Of two workers' refusals the one that a caller learns more from: a full worker is nothing special."""
    if not is_own(error) or (before is not None and reason_of(error) == SessionLimitError.reason):
        return before
    return error


def _carried(metadata: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The client's metadata that goes along; with the edge's own span where it makes one."""
    ours = TRACE_KEYS if is_tracing() else ()
    carried = [
        (key, value) for key, value in metadata if key not in NOT_CARRIED and key not in ours and key[:5] != "grpc-"
    ]
    if ours:
        trace: dict[str, str] = {}
        _propagator.inject(trace)
        carried += trace.items()
    return carried


async def _abort(error: grpc.aio.AioRpcError, context: Any) -> NoReturn:
    """Ends the call with the status, the details and the metadata of another one."""
    _call().reason = reason_of(error)
    try:
        await context.abort(error.code(), error.details() or "", tuple(error.trailing_metadata() or ()))
    except grpc.aio.AbortError:
        raise
    except Exception as gone:  # its caller has left meanwhile
        raise asyncio.CancelledError from gone
    raise AssertionError("abort raises")
