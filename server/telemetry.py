"""Each call, told once it has ended: a line in the log, a place in the histograms, a span.

Rule 1: this is the outermost layer; it sees the status that the client gets.
Rule 2: nothing here fails a call.
"""

from __future__ import annotations

import time
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

from perception import budget
from perception.errors import StaleRefError
from perception.metrics import OVERSHOOT_SECONDS, RPC_SECONDS, STALE_REF, TOKENS_SERVED
from perception.server.calls import REQUEST_ID_KEY, Call
from perception.stages import is_tracing

log = structlog.get_logger(__name__)

QUIET = ("/grpc.health.v1.Health/",)
"""Asked every few seconds by whoever keeps the service running: said at debug level."""

_OWN_FAULTS = ("UNKNOWN", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNIMPLEMENTED", "DEADLINE_EXCEEDED")
"""Codes that make a server's span an error, by OpenTelemetry's conventions for gRPC."""

_propagator = TraceContextTextMapPropagator()
_tracer = trace.get_tracer("perception.server")


@contextmanager
def observed(call: Call, context: Any) -> Iterator[None]:
    """Around all that serves a call. gRPC's context says how it ended."""
    start, allowed_s = time.monotonic(), context.time_remaining()
    # Asked now: a stream that its caller left may be closed after its call is gone, of which gRPC 1.85 reads freed
    # memory, and the process ends.
    way = context.peer().partition(":")[0]
    trail = budget.begin_trail()
    context.set_trailing_metadata(((REQUEST_ID_KEY, call.request_id),))
    code = grpc.StatusCode.OK
    span = _begin_span(call, context.invocation_metadata() or ())
    try:
        yield
    except BaseException as error:
        # A call that was aborted has its code; one that is called off by its caller, or by the deadline, has none.
        code = context.code() if isinstance(error, grpc.aio.AbortError) else grpc.StatusCode.CANCELLED
        raise
    finally:
        spent_s = time.monotonic() - start
        _count(call, code, spent_s, allowed_s)
        _end_span(span, call, code)
        _say(call, way, code, trail.phase, spent_s, allowed_s)


def count_tokens_served(reply: Message) -> None:
    """The tokens of a reply's texts, wherever it says how many they are."""
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
    """Where messages of a kind say `token_count`: `(("snapshot", "token_count"), …)`."""
    paths: list[tuple[str, ...]] = []
    for field in kind.fields:
        if field.name == "token_count":
            paths.append((field.name,))
        elif field.message_type is not None and not field.is_repeated and depth:
            paths += [(field.name, *rest) for rest in _token_paths(field.message_type, depth - 1)]
    return tuple(paths)


def _count(call: Call, code: grpc.StatusCode, spent_s: float, allowed_s: float | None) -> None:
    RPC_SECONDS.labels(method=call.method, code=code.name).observe(spent_s)
    if allowed_s is not None and spent_s > allowed_s:
        OVERSHOOT_SECONDS.labels(method=call.method).observe(spent_s - allowed_s)
    if call.reason == StaleRefError.reason:
        STALE_REF.inc()


def _say(call: Call, way: str, code: grpc.StatusCode, phase: str, spent_s: float, allowed_s: float | None) -> None:
    say = log.debug if call.method.startswith(QUIET) else log.info
    say(
        "rpc",
        method=call.method,
        request_id=call.request_id,
        session=call.session_id,
        principal=call.principal,
        peer=way,  # ipv4, ipv6 or unix: not who
        phase=phase,
        code=code.name,
        reason=call.reason,
        ms=round(spent_s * 1000, 1),
        deadline_left_ms=None if allowed_s is None else round((allowed_s - spent_s) * 1000, 1),
    )


def _begin_span(call: Call, metadata: Sequence[tuple[str, str | bytes]]) -> trace.Span:
    """The server's span, below the caller's where `traceparent` names one.

    It stays this task's current one: gRPC serves each call in a task of its own, and a stream that its caller left is
    closed in yet another, where it could not be taken back.
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


def _end_span(span: trace.Span, call: Call, code: grpc.StatusCode) -> None:
    if not span.is_recording():
        return
    span.set_attribute("rpc.grpc.status_code", int(code.value[0]))
    span.set_attribute("perception.request_id", call.request_id)
    if call.reason:
        span.set_attribute("perception.reason", call.reason)
    if code.name in _OWN_FAULTS:
        span.set_status(Status(StatusCode.ERROR, call.reason or code.name))
    span.end()
