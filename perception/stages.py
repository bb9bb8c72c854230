"""Stages of a call: each is timed once, and told three times: to the caller, to Prometheus, and to a trace.

Rule 1: a span has counts and sizes, never page text: exceptions are not recorded, as their words may hold some.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

from perception.metrics import STAGE_SECONDS

_tracer = trace.get_tracer("perception")


def is_tracing() -> bool:
    """Whether anybody set up tracing in this process. A span that nobody keeps costs six times this question."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def traced(name: str) -> Iterator[Span]:
    """A span around what is inside; none is made where nobody set up tracing."""
    if not is_tracing():
        yield trace.INVALID_SPAN
        return
    with _tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
        try:
            yield span
        except BaseException as error:
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


@contextmanager
def timed(name: str) -> Iterator[Span]:
    """A stage that the caller is not told of. `name` is one of ours: it is a label."""
    start = time.perf_counter()
    try:
        with traced(name) as span:
            yield span
    finally:
        STAGE_SECONDS.labels(stage=name).observe(time.perf_counter() - start)


class Stages:
    """Times stages, in milliseconds."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[Span]:
        """A stage, with its span to put counts on."""
        start = time.perf_counter()
        try:
            with traced(name) as span:
                yield span
        finally:
            spent_s = time.perf_counter() - start
            STAGE_SECONDS.labels(stage=name).observe(spent_s)
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + spent_s * 1000

    def add_slowest(self, name: str, spent_ms: float) -> None:
        """One of several that ran side by side: the slowest counts for the call, each for Prometheus."""
        STAGE_SECONDS.labels(stage=name).observe(spent_ms / 1000)
        self.timings_ms[name] = max(self.timings_ms.get(name, 0.0), spent_ms)
