"""Trace context of the caller, so that a call continues the caller's OpenTelemetry trace."""

from __future__ import annotations

import sys


def trace_metadata() -> tuple[tuple[str, str], ...] | None:
    """gRPC metadata with the W3C `traceparent` of the current span; None where there is no span."""
    if "opentelemetry.trace" not in sys.modules:  # a program with spans has loaded it; the others need not wait for it
        return None
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if not trace.get_current_span().get_span_context().is_valid:
        return None
    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return tuple(carrier.items())
