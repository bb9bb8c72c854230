"""Exports traces, configured only by OpenTelemetry's own environment variables. Without them there are no traces."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points, version
from typing import Any

from opentelemetry import trace

from perception.errors import BadInputError

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

FLUSH_SECONDS = 3.0
"""Time to send the remaining traces when the service ends; an unresponsive collector cannot delay it longer."""


@contextmanager
def exported() -> Iterator[None]:
    """Exports traces within the context if the environment asks for them.

    Raises:
        BadInputError: the environment asks for an exporter that is not installed.
    """
    name = exporter_name()
    if not name:
        yield
        return
    provider = _provider(name)
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        # Its own shutdown would wait as long as an unreachable collector may take.
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(FLUSH_SECONDS)


def exporter_name() -> str:
    """The entry point of the exporter; empty if no traces are requested."""
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return ""
    asked = os.environ.get("OTEL_TRACES_EXPORTER", "otlp" if any(map(os.environ.get, _ENDPOINTS)) else "none")
    if asked in ("none", ""):
        return ""
    if asked != "otlp":
        return asked
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    return "otlp_proto_http" if (protocol or "grpc").startswith("http") else "otlp_proto_grpc"


def _provider(name: str) -> Any:
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as exc:
        raise _missing() from exc
    points = entry_points(group="opentelemetry_traces_exporter", name=name)
    if not points:
        raise _missing(name)
    own = {"service.name": os.environ.get("OTEL_SERVICE_NAME", "perception"), "service.version": _version()}
    provider = TracerProvider(resource=Resource.create(own))
    provider.add_span_processor(BatchSpanProcessor(next(iter(points)).load()()))
    return provider


def _version() -> str:
    return version("perception-service")


def _missing(name: str = "") -> BadInputError:
    what = f"the trace exporter {name} is" if name else "OpenTelemetry's SDK is"
    return BadInputError(
        f"{what} not installed, and OTEL_… variables ask for it: pip install 'perception-service[otel]', or set "
        "OTEL_TRACES_EXPORTER=none",
        field="OTEL_TRACES_EXPORTER",
    )
