"""The outermost layer: every exception of a service becomes a status of this project.

grpc.aio would send an exception's text to the client, and would leave the caller waiting after a stray CancelledError.
"""

from __future__ import annotations

import asyncio
import errno
import inspect
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import grpc
import structlog
from grpc_status.rpc_status import to_status

from perception import host_os
from perception.errors import (
    BadInputError,
    DiskFullError,
    NotImplementedYetError,
    OverLimitError,
    PerceptionError,
    ReplyTooLargeError,
    ShuttingDownError,
)
from perception.instrumentation.metrics import ADMISSION_REJECTED
from perception.secrets import Masker
from perception.server.auth.message_masking import redact_message
from perception.server.data_folder import as_data_folder_error
from perception.server.environment import how_to_set
from perception.server.error_target import name_target
from perception.server.rpc_call import REQUEST_ID_KEY, Gate, RpcCall, begin, principal, through
from perception.server.settings import MAX_MESSAGE_BYTES
from perception.server.status import status_of
from perception.server.telemetry.finished_calls import count_tokens_served, observed

log = structlog.get_logger(__name__)

MaskerOf: TypeAlias = Callable[[str], Masker | None]
NoticeOf: TypeAlias = Callable[[], Sequence[tuple[str, str]]]
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


@dataclass(frozen=True, slots=True)
class _Guards:
    """What each call passes; see `ErrorInterceptor`."""

    gates: Sequence[Gate]
    masker: MaskerOf
    notice: NoticeOf
    data_folder: Path | None


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    """Passes every call through the gates, turns every exception into a status, and masks secrets in every answer.

    Args:
        masker: returns the masker of a principal; None where it has no secrets.
        notice: returns what each answer tells its client, as trailing metadata.
        data_folder: where calls keep files; None where they keep none.
    """

    def __init__(
        self,
        gates: Sequence[Gate] = (),
        masker: MaskerOf = lambda _: None,
        notice: NoticeOf = lambda: (),
        data_folder: Path | None = None,
    ) -> None:
        self._guards = _Guards(gates, masker, notice, data_folder)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None:
            return grpc.unary_unary_rpc_method_handler(_guard_unary(_UNKNOWN, _refuse_unknown, self._guards))
        if handler.request_streaming and handler.response_streaming:
            return grpc.stream_stream_rpc_method_handler(
                _guard_stream(method, _reading(method, handler.stream_stream), self._guards),
                _tolerant(handler.request_deserializer),
                handler.response_serializer,
            )
        if handler.request_streaming:
            return grpc.stream_unary_rpc_method_handler(
                _guard_unary(method, _reading(method, handler.stream_unary), self._guards),
                _tolerant(handler.request_deserializer),
                handler.response_serializer,
            )
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                _guard_stream(method, handler.unary_stream, self._guards),
                _tolerant(handler.request_deserializer),
                handler.response_serializer,
            )
        return grpc.unary_unary_rpc_method_handler(
            _guard_unary(method, handler.unary_unary, self._guards),
            _tolerant(handler.request_deserializer),
            handler.response_serializer,
        )


_UNKNOWN = "/unknown/unknown"
"""Name in metrics and logs of methods that the service does not have, as clients choose those names."""


async def _refuse_unknown(_: Any, __: Any) -> NoReturn:
    raise NotImplementedYetError("there is no such rpc: see proto/perception/v1, or ask the reflection service")


class _Unreadable:
    """Stands for a request whose bytes are not a message; gRPC would answer UNKNOWN."""


_UNREADABLE = _Unreadable()


def _tolerant(deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    if deserialize is None:
        return None

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except Exception:  # each protobuf implementation has its own errors
            return _UNREADABLE

    return read


def _check_readable(method: str, request: Any) -> None:
    if request is _UNREADABLE:
        raise BadInputError(
            f"the request's bytes are not a message that {method.rpartition('/')[2]} takes: make it with stubs of "
            "proto/perception/v1"
        )


def _reading(method: str, behavior: Any) -> Callable[[Any, Any], Any]:
    """The behavior with a stream of requests that are messages. Other bytes end it with BadInputError."""

    async def readable(requests: Any) -> AsyncIterator[Any]:
        async for request in requests:
            _check_readable(method, request)
            yield request

    if inspect.iscoroutinefunction(behavior):  # it has one answer, or writes to the context itself

        async def answer(requests: Any, context: Any) -> Any:
            return await behavior(readable(requests), context)

        return answer

    return lambda requests, context: behavior(readable(requests), context)


def _guard_unary(method: str, behavior: Any, guards: _Guards) -> Callable[[Any, Any], Awaitable[Any]]:
    async def answer(call: RpcCall, request: Any, context: Any) -> Any:
        reply = behavior(request, context)
        call.answer = _checked(await reply if inspect.isawaitable(reply) else reply, guards.masker)
        return call.answer

    return _guard(method, answer, guards)


def _guard_stream(method: str, behavior: Any, guards: _Guards) -> Callable[[Any, Any], Awaitable[Any]]:
    """Messages are written here: gRPC does not close a generator whose caller leaves while it takes one (1.85)."""
    if inspect.iscoroutinefunction(behavior):  # it writes to the context itself, as grpc's health service does
        return _guard(method, lambda _, request, context: behavior(request, context), guards)

    async def answer(call: RpcCall, request: Any, context: Any) -> None:
        async with aclosing(behavior(request, context)) as replies:
            async for reply in replies:
                call.answer = _checked(reply, guards.masker)
                call.is_sending = True
                await _write(context, call.answer)
                call.is_sending = False
                if call.ended is not None:
                    raise call.ended

    return _guard(method, answer, guards)


async def _write(context: Any, reply: Any) -> None:
    try:
        await context.write(reply)
    except grpc.aio.BaseError as gone:  # its caller has left
        raise asyncio.CancelledError from gone


def _guard(
    method: str, answer: Callable[[RpcCall, Any, Any], Awaitable[Any]], guards: _Guards
) -> Callable[[Any, Any], Awaitable[Any]]:
    async def guarded(request: Any, context: Any) -> Any:
        call = begin(method, context.invocation_metadata() or ())
        with observed(call, context, guards.notice()):
            try:
                async with through(guards.gates, call, request, context):
                    _check_readable(method, request)
                    return await answer(call, request, context)
            except BaseException as error:
                if call.is_sending and call.ended is not None:  # what its caller has not taken holds up a status
                    raise asyncio.CancelledError from error
                status = _status_of_failure(call, request, error, guards)
                if status is None:
                    raise
                del request  # see _forget_frames
                await _abort(call, context, status, guards)

    return guarded


def _checked(reply: Any, masker: MaskerOf) -> Any:
    """The answer as it is sent. One of bytes is not a message of this process: it is carried from another one, or is
    between edges and workers."""
    return reply if isinstance(reply, bytes) else _within_limit(_without_secrets(reply, masker))


def _within_limit(reply: Any) -> Any:
    """Refuses answers over the message limit with advice; gRPC would only name bytes."""
    if reply is None:  # a status was set instead of an answer
        return reply
    size = reply.ByteSize()
    if size > MAX_MESSAGE_BYTES:
        raise ReplyTooLargeError(
            f"the answer has {size / 2**20:.0f} MiB, the limit is {MAX_MESSAGE_BYTES // 2**20}: ask for less, by "
            "max_tokens, a smaller scope, or fewer pixels",
            limit=str(MAX_MESSAGE_BYTES // 2**20),
        )
    count_tokens_served(reply)
    return reply


def _status_of_failure(call: RpcCall, request: Any, error: BaseException, guards: _Guards) -> grpc.Status | None:
    """The status that the call ends with; None where the error is to go on as it is."""
    if isinstance(error, grpc.aio.AbortError) or _is_asked_for(call, error):
        return None
    failure = _as_ours(call, error, guards)
    if isinstance(failure, OverLimitError | ShuttingDownError):
        ADMISSION_REJECTED.labels(reason=failure.reason.lower()).inc()
    name_target(failure, request)
    call.reason = failure.reason
    status: grpc.Status = to_status(status_of(_masked(failure, guards.masker(principal()))))
    _forget_frames(error)
    return status


def _as_ours(call: RpcCall, error: BaseException, guards: _Guards) -> PerceptionError:
    if isinstance(error, BaseExceptionGroup):
        error = _first(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        error = DiskFullError(
            "no room is left on the service's disk: make some, and try again; nothing was lost. Its folders are named "
            f"by TMPDIR, {how_to_set('data_dir')}, {how_to_set('download_dir')}"
        )
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        error = OverLimitError(
            "the service has as many files open as it may: close sessions and try again, or start it after "
            f"{host_os.MORE_FILES}"
        )
    if isinstance(error, OSError) and guards.data_folder is not None:
        error = as_data_folder_error(error, guards.data_folder) or error
    if isinstance(error, NotImplementedError):
        service, name = call.method.strip("/").split("/")
        error = NotImplementedYetError(
            f"{service.rsplit('.', 1)[-1]}.{name} is part of the contract, but this version does not serve it",
            method=name,
        )
    if not isinstance(error, PerceptionError) or error.reason == PerceptionError.reason:
        error = _hide(call, error)
    return error


async def _abort(call: RpcCall, context: Any, status: grpc.Status, guards: _Guards) -> NoReturn:
    trailing = (*status.trailing_metadata, (REQUEST_ID_KEY, call.request_id), *guards.notice())
    try:
        await context.abort(status.code, status.details, trailing)
    except grpc.aio.AbortError:
        raise
    except Exception as gone:  # its caller has left meanwhile
        raise asyncio.CancelledError from gone
    raise AssertionError("abort raises")


def _forget_frames(error: BaseException) -> None:
    """Lets go of what the frames of an answered error hold.

    gRPC's state of a call and the error that ends it refer to each other (1.7x), and that one to the error that it
    follows. Until the garbage collector finds them, a request of 16 MiB that is refused would stay.
    """
    left, seen = [error], set[int]()
    while left:
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        each.__traceback__ = None
        left += [linked for linked in (each.__cause__, each.__context__) if linked is not None]
        left += each.exceptions if isinstance(each, BaseExceptionGroup) else ()


def _without_secrets(reply: Any, masker: MaskerOf) -> Any:
    """The answer without secrets."""
    masks = masker(principal())
    if masks is not None and reply is not None:
        redact_message(reply, masks)
    return reply


def _masked(error: PerceptionError, masks: Masker | None) -> PerceptionError:
    """Masks secrets in an error, as messages quote requests and pages."""
    if masks is not None:
        error.args = (masks.text(error.marked), *error.args[1:])
        error.metadata = {key: masks.text(value) for key, value in error.metadata.items()}
    return error


def _is_asked_for(call: RpcCall, error: BaseException) -> bool:
    """Whether the caller left, or the task itself is being cancelled: the server stops."""
    if not isinstance(error, asyncio.CancelledError):
        return not isinstance(error, Exception | BaseExceptionGroup)
    task = asyncio.current_task()
    return call.is_sending or (task is not None and task.cancelling() > 0)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error of a task group: the first PerceptionError, else the first one."""
    leaves: list[BaseException] = []
    for error in group.exceptions:
        leaves.append(_first(error) if isinstance(error, BaseExceptionGroup) else error)
    return next((leaf for leaf in leaves if isinstance(leaf, PerceptionError)), leaves[0])


def _hide(call: RpcCall, error: BaseException) -> PerceptionError:
    """The answer to an unexpected exception: the log gets all of it, the client an incident number."""
    incident = secrets.token_hex(4)
    log.error("internal error", method=call.method, incident=incident, exc_info=error)
    return PerceptionError(f"internal error {incident}: the service's log has the details", incident=incident)
