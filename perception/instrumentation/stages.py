"""Stages of a call: each is timed once and reported three times: to the caller, to Prometheus and to a trace.

Rule 1: a span has counts and sizes, never page text. Exceptions are not recorded, since their messages may contain it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

from perception.instrumentation.metrics import STAGE_SECONDS

_tracer = trace.get_tracer("perception")


def is_tracing() -> bool:
    """Whether tracing is configured in this process. Creating an unused span costs six times this test."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def traced(name: str) -> Iterator[Span]:
    """A span around the block; an invalid span if tracing is not configured."""
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
    """A stage that is not reported to the caller. `name` is a metric label, so it must be a constant of ours."""
    start = time.perf_counter()
    try:
        with traced(name) as span:
            yield span
    finally:
        STAGE_SECONDS.labels(stage=name).observe(time.perf_counter() - start)


class Stages:
    """Times the stages of one call.

    Attributes:
        timings_ms: milliseconds by stage; repeated stages add up.
    """

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[Span]:
        """Times the block as a stage; yields its span, for attributes."""
        start = time.perf_counter()
        try:
            with traced(name) as span:
                yield span
        finally:
            spent_s = time.perf_counter() - start
            STAGE_SECONDS.labels(stage=name).observe(spent_s)
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + spent_s * 1000

    def add_slowest(self, name: str, spent_ms: float) -> None:
        """Adds one of several parallel runs: the caller sees the slowest, Prometheus sees each."""
        STAGE_SECONDS.labels(stage=name).observe(spent_ms / 1000)
        self.timings_ms[name] = max(self.timings_ms.get(name, 0.0), spent_ms)
