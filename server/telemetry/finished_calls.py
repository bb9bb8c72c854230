"""Reports each finished call: a log line, histogram values and a span.

Rule 1: this is the outermost layer; it sees the status that the client gets.
Rule 2: nothing here makes a call fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import grpc
import structlog
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from opentelemetry import trace
from opentelemetry.context import attach
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from perception import deadline
from perception.deadline import loop_time
from perception.errors import StaleRefError
from perception.instrumentation.metrics import OVERSHOOT_SECONDS, RPC_SECONDS, STALE_REF, TOKENS_SERVED
from perception.instrumentation.stages import is_tracing
from perception.server.rpc_call import REQUEST_ID_KEY, RpcCall

log = structlog.get_logger(__name__)

UNLOGGED_PREFIXES = ("/grpc.health.v1.Health/", "/perception.cluster.")
"""Health checks of orchestrators, every few seconds, and what edges ask workers: logged at debug level."""

_OWN_FAULTS = ("UNKNOWN", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNIMPLEMENTED", "DEADLINE_EXCEEDED")
"""Status codes that mark a server span as an error, by OpenTelemetry's conventions for gRPC."""

_propagator = TraceContextTextMapPropagator()
_tracer = trace.get_tracer("perception.server")


@contextmanager
def observed(call: RpcCall, context: Any, notice: Sequence[tuple[str, str]] = ()) -> Iterator[None]:
    """Wraps the handling of a call. gRPC's context has its status.

    Args:
        notice: what the client is told beside the answer, as trailing metadata.
    """
    start, allowed_s = loop_time(), context.time_remaining()
    # Read now: a stream abandoned by its caller may be closed after its call is gone. gRPC 1.85 would then read freed
    # memory and crash the process.
    way = context.peer().partition(":")[0]
    trail = deadline.begin_trail()
    context.set_trailing_metadata(((REQUEST_ID_KEY, call.request_id), *notice))
    code = grpc.StatusCode.OK
    span = _begin_span(call, context.invocation_metadata() or ())
    try:
        yield
    except BaseException as error:
        # An aborted call has its code; one that is cancelled by its caller, or by the deadline, has none. Neither has a
        # stream that we cut off since its caller does not read: no status can be sent behind what it has not taken.
        code = context.code() if isinstance(error, grpc.aio.AbortError) else grpc.StatusCode.CANCELLED
        if call.ended is not None and code is grpc.StatusCode.CANCELLED:
            code, call.reason = grpc.StatusCode[call.ended.grpc_code], call.ended.reason
        raise
    finally:
        spent_s = loop_time() - start
        _count(call, code, spent_s, allowed_s)
        _end_span(span, call, code)
        _say(call, way, code, trail.phase, spent_s, allowed_s)


def count_tokens_served(reply: Message) -> None:
    """Counts the tokens of a reply's texts, from its `token_count` fields."""
    tokens = 0
    for path in _token_paths(reply.DESCRIPTOR):
        part: Any = reply
        for name in path:
            part = getattr(part, name)
        tokens += part
    if tokens:
        TOKENS_SERVED.inc(tokens)


@cache
def _token_paths(kind: Descriptor, depth: int = 3) -> tuple[tuple[str, ...], ...]:
    """Paths of the `token_count` fields of a message type: `(("snapshot", "token_count"), …)`."""
    paths: list[tuple[str, ...]] = []
    for field in kind.fields:
        if field.name == "token_count":
            paths.append((field.name,))
        elif field.message_type is not None and not field.is_repeated and depth:
            paths += [(field.name, *rest) for rest in _token_paths(field.message_type, depth - 1)]
    return tuple(paths)


def _count(call: RpcCall, code: grpc.StatusCode, spent_s: float, allowed_s: float | None) -> None:
    RPC_SECONDS.labels(method=call.method, code=code.name).observe(spent_s)
    if allowed_s is not None and spent_s > allowed_s:
        OVERSHOOT_SECONDS.labels(method=call.method).observe(spent_s - allowed_s)
    if call.reason == StaleRefError.reason:
        STALE_REF.inc()


def _say(call: RpcCall, way: str, code: grpc.StatusCode, phase: str, spent_s: float, allowed_s: float | None) -> None:
    say = log.debug if call.method.startswith(UNLOGGED_PREFIXES) else log.info
    say(
        "rpc",
        method=call.method,
        request_id=call.request_id,
        session=call.session_id,
        principal=call.principal,
        peer=way,  # ipv4, ipv6 or unix, not the address
        phase=phase,
        code=code.name,
        reason=call.reason,
        **({"worker": call.worker} if call.worker else {}),
        ms=round(spent_s * 1000, 1),
        deadline_left_ms=None if allowed_s is None else round((allowed_s - spent_s) * 1000, 1),
    )


def _begin_span(call: RpcCall, metadata: Sequence[tuple[str, str | bytes]]) -> trace.Span:
    """The server's span; a child of the caller's if `traceparent` names one.

    It remains the task's current span: gRPC serves each call in a separate task, and an abandoned stream is closed in
    yet another task, where it could not be reset.
    """
    if not is_tracing():
        return trace.INVALID_SPAN
    given = {key: value for key, value in metadata if key in ("traceparent", "tracestate") and isinstance(value, str)}
    service, _, name = call.method[1:].partition("/")
    span = _tracer.start_span(
        call.method[1:],
        context=_propagator.extract(given) if given else None,
        kind=SpanKind.SERVER,
        attributes={"rpc.system": "grpc", "rpc.service": service, "rpc.method": name},
    )
    attach(trace.set_span_in_context(span))
    return span


def _end_span(span: trace.Span, call: RpcCall, code: grpc.StatusCode) -> None:
    if not span.is_recording():
        return
    span.set_attribute("rpc.grpc.status_code", int(code.value[0]))
    span.set_attribute("perception.request_id", call.request_id)
    if call.reason:
        span.set_attribute("perception.reason", call.reason)
    if code.name in _OWN_FAULTS:
        span.set_status(Status(StatusCode.ERROR, call.reason or code.name))
    span.end()
