"""The outermost layer: whatever a service raises, the client gets a status that this project chose.

grpc.aio would send an exception's text to the client, and would leave the caller waiting when a CancelledError
escapes that nobody asked for.
"""

from __future__ import annotations

import asyncio
import errno
import inspect
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NoReturn, TypeAlias

import grpc
import structlog

from perception.errors import (
    BadInputError,
    DiskFullError,
    NotImplementedYetError,
    OverLimitError,
    PerceptionError,
    ReplyTooLargeError,
    ShuttingDownError,
)
from perception.metrics import ADMISSION_REJECTED
from perception.named_secrets import Masker
from perception.server.calls import REQUEST_ID_KEY, Call, Gate, begin, principal, through
from perception.server.settings import MAX_MESSAGE_BYTES
from perception.server.status import DETAILS_KEY, status_of
from perception.server.telemetry import count_tokens_served, observed
from perception.server.vault import veil

log = structlog.get_logger(__name__)

MaskerOf: TypeAlias = Callable[[str], Masker | None]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    """Takes every call through the gates, turns every exception into a status, and masks secrets in all that goes out.

    Args:
        masker: gives what masks for a principal; None where there is nothing to mask.
    """

    def __init__(self, gates: Sequence[Gate] = (), masker: MaskerOf = lambda _: None) -> None:
        self._gates = gates
        self._masker = masker

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None:
            return grpc.unary_unary_rpc_method_handler(
                _guard_unary(_UNKNOWN, _refuse_unknown, self._gates, self._masker)
            )
        if handler.request_streaming and handler.response_streaming:
            return grpc.stream_stream_rpc_method_handler(
                _guard_stream(method, handler.stream_stream, self._gates, self._masker),
                handler.request_deserializer,
                handler.response_serializer,
            )
        if handler.request_streaming:
            return grpc.stream_unary_rpc_method_handler(
                _guard_unary(method, handler.stream_unary, self._gates, self._masker),
                handler.request_deserializer,
                handler.response_serializer,
            )
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                _guard_stream(method, handler.unary_stream, self._gates, self._masker),
                _tolerant(handler.request_deserializer),
                handler.response_serializer,
            )
        return grpc.unary_unary_rpc_method_handler(
            _guard_unary(method, handler.unary_unary, self._gates, self._masker),
            _tolerant(handler.request_deserializer),
            handler.response_serializer,
        )


_UNKNOWN = "/unknown/unknown"
"""How metrics and logs call what the service does not have: clients may call it anything."""


async def _refuse_unknown(_: Any, __: Any) -> NoReturn:
    raise NotImplementedYetError("there is no such rpc: see proto/perception/v1, or ask the reflection service")


class _Unreadable:
    """In place of a request whose bytes are no message: gRPC would tell the client in words of its own, as UNKNOWN."""


_UNREADABLE = _Unreadable()


def _tolerant(deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    if deserialize is None:
        return None

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except Exception:  # protobuf's implementations each have errors of their own
            return _UNREADABLE

    return read


def _check_readable(method: str, request: Any) -> None:
    if request is _UNREADABLE:
        raise BadInputError(
            f"the request's bytes are no message that {method.rpartition('/')[2]} takes: make it with stubs of "
            "proto/perception/v1"
        )


def _guard_unary(
    method: str, behavior: Any, gates: Sequence[Gate], masker: MaskerOf
) -> Callable[[Any, Any], Awaitable[Any]]:
    async def guarded(request: Any, context: Any) -> Any:
        call = begin(method, context.invocation_metadata() or ())
        with observed(call, context):
            try:
                async with through(gates, call, request, context):
                    _check_readable(method, request)
                    reply = behavior(request, context)
                    return _within_limit(_veiled(await reply if inspect.isawaitable(reply) else reply, masker))
            except BaseException as error:
                await _fail(call, context, error, masker)

    return guarded


def _guard_stream(method: str, behavior: Any, gates: Sequence[Gate], masker: MaskerOf) -> Callable[[Any, Any], Any]:
    if inspect.iscoroutinefunction(behavior):  # it writes to the context by itself, as grpc's health service does
        return _guard_writing(method, behavior, gates, masker)

    async def guarded(request: Any, context: Any) -> AsyncIterator[Any]:
        call = begin(method, context.invocation_metadata() or ())
        with observed(call, context):
            try:
                async with through(gates, call, request, context):
                    _check_readable(method, request)
                    async for reply in behavior(request, context):
                        yield _within_limit(_veiled(reply, masker))
            except GeneratorExit:
                raise
            except BaseException as error:
                await _fail(call, context, error, masker)

    return guarded


def _guard_writing(
    method: str, behavior: Any, gates: Sequence[Gate], masker: MaskerOf
) -> Callable[[Any, Any], Awaitable[None]]:
    async def guarded(request: Any, context: Any) -> None:
        call = begin(method, context.invocation_metadata() or ())
        with observed(call, context):
            try:
                async with through(gates, call, request, context):
                    _check_readable(method, request)
                    await behavior(request, context)
            except BaseException as error:
                await _fail(call, context, error, masker)

    return guarded


def _within_limit(reply: Any) -> Any:
    """gRPC would refuse a larger message with words about bytes; the caller needs to know what to ask for."""
    if reply is None:  # its status was set in place of an answer
        return reply
    size = reply.ByteSize()
    if size > MAX_MESSAGE_BYTES:
        raise ReplyTooLargeError(
            f"the answer has {size / 2**20:.0f} MiB, the limit is {MAX_MESSAGE_BYTES // 2**20}: ask for less, by "
            "max_tokens, a smaller scope, or fewer pixels"
        )
    count_tokens_served(reply)
    return reply


async def _fail(call: Call, context: Any, error: BaseException, masker: MaskerOf) -> NoReturn:
    if isinstance(error, grpc.aio.AbortError) or _is_asked_for(error):
        raise error
    if isinstance(error, BaseExceptionGroup):
        error = _first(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        error = DiskFullError("no room is left on the service's disk: make some, and try again; nothing was lost")
    if isinstance(error, NotImplementedError):
        service, name = call.method.strip("/").split("/")
        error = NotImplementedYetError(
            f"{service.rsplit('.', 1)[-1]}.{name} is part of the contract, but this version does not serve it",
            method=name,
        )
    if not isinstance(error, PerceptionError) or error.reason == PerceptionError.reason:
        error = _hide(call, error)
    if isinstance(error, OverLimitError | ShuttingDownError):
        ADMISSION_REJECTED.labels(reason=error.reason.lower()).inc()
    status = status_of(_masked(error, masker(principal())))
    code = next(code for code in grpc.StatusCode if code.value[0] == status.code)
    call.reason = error.reason
    trailing = ((DETAILS_KEY, status.SerializeToString()), (REQUEST_ID_KEY, call.request_id))
    try:
        await context.abort(code, status.message, trailing)
    except grpc.aio.AbortError:
        raise
    except Exception as gone:  # its caller has left meanwhile: there is nobody to tell
        raise asyncio.CancelledError from gone
    raise AssertionError("abort raises")


def _veiled(reply: Any, masker: MaskerOf) -> Any:
    """The answer without secrets."""
    masks = masker(principal())
    if masks is not None and reply is not None:
        veil(reply, masks)
    return reply


def _masked(error: PerceptionError, masks: Masker | None) -> PerceptionError:
    """Messages quote what was asked for and what was found."""
    if masks is not None:
        error.args = (masks.text(str(error)), *error.args[1:])
        error.metadata = {key: masks.text(value) for key, value in error.metadata.items()}
    return error


def _is_asked_for(error: BaseException) -> bool:
    """The caller went away or the server stops: then the task itself is being cancelled."""
    if not isinstance(error, asyncio.CancelledError):
        return not isinstance(error, Exception | BaseExceptionGroup)
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error a task group failed with: the first that is ours, else the first."""
    leaves: list[BaseException] = []
    for error in group.exceptions:
        leaves.append(_first(error) if isinstance(error, BaseExceptionGroup) else error)
    return next((leaf for leaf in leaves if isinstance(leaf, PerceptionError)), leaves[0])


def _hide(call: Call, error: BaseException) -> PerceptionError:
    """A defect of ours: the log gets everything, the client a number to ask for."""
    incident = secrets.token_hex(4)
    log.error("internal error", method=call.method, incident=incident, exc_info=error)
    return PerceptionError(f"internal error {incident}: the service's log has the details", incident=incident)
