"""A call's trace: its stages below the server's span, below the caller's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import grpc
import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as otlp
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as otlp_grpc
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from perception.bench.pages.local_site import serve_handler
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from perception.v1 import perception_service_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.live import Show
from tests.support.waiting import until

MARKER = "zebra7Q"


@pytest.fixture(scope="module")
def exporter() -> Iterator[InMemorySpanExporter]:
    """OpenTelemetry takes one provider in a process's life."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    yield exporter
    exporter.shutdown()  # it keeps nothing more; of a provider that is shut down each span would be a warning


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    exporter.clear()
    yield exporter
    exporter.clear()


def _named(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    return next(span for span in spans.get_finished_spans() if span.name == name)


def _above(spans: InMemorySpanExporter, span: ReadableSpan) -> list[str]:
    """Names from a span up to the root."""
    known = {each.context.span_id: each for each in spans.get_finished_spans()}
    names = []
    while span.parent is not None and span.parent.span_id in known:
        span = known[span.parent.span_id]
        names.append(span.name)
    return names


SNAPSHOT = "perception.v1.PerceptionService/CaptureSnapshot"


async def test_stages_are_spans_below_the_call(page: AsyncPage, show: Show, spans: InMemorySpanExporter) -> None:
    paint = "document.querySelector('canvas').getContext('2d').fillText('Painted words', 20, 40)"
    await show(
        f"<title>{MARKER}</title><button>{MARKER}</button><canvas width=200 height=90></canvas><script>{paint}</script>"
    )
    spans.clear()
    await page.snapshot(mode="fused")
    server = _named(spans, SNAPSHOT)
    assert server.kind is trace.SpanKind.SERVER
    assert server.attributes is not None
    assert server.attributes["rpc.grpc.status_code"] == 0
    for name in ("admission", "session lock", "capture", "residual", "detect", "fuse", "render"):
        assert _above(spans, _named(spans, name))[-1] == SNAPSHOT, name
    assert (_named(spans, "capture").attributes or {})["perception.elements"] == 2
    await page.click("button")
    assert "perception.v1.ActionService/Click" in _above(spans, _named(spans, "act"))
    assert MARKER not in "".join(span.to_json() for span in spans.get_finished_spans())


async def test_the_callers_span_is_the_parent(
    client: AsyncClient, page: AsyncPage, spans: InMemorySpanExporter
) -> None:
    trace_id, span_id = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    await client.perception.CaptureSnapshot(
        pb.CaptureSnapshotRequest(session_id=page.session_id),
        metadata=(("traceparent", f"00-{trace_id}-{span_id}-01"),),
    )
    server = _named(spans, SNAPSHOT)
    assert server.parent is not None
    assert (f"{server.parent.trace_id:032x}", f"{server.parent.span_id:016x}") == (trace_id, span_id)


async def test_an_invalid_traceparent_is_ignored(
    client: AsyncClient, page: AsyncPage, spans: InMemorySpanExporter
) -> None:
    request = pb.CaptureSnapshotRequest(session_id=page.session_id)
    await client.perception.CaptureSnapshot(request, metadata=(("traceparent", "00-zz-01"),))
    assert _named(spans, SNAPSHOT).parent is None


async def test_the_python_client_sends_its_span(page: AsyncPage, spans: InMemorySpanExporter) -> None:
    with trace.get_tracer("test").start_as_current_span("agent") as agent:
        await page.snapshot(mode="text")
        async for _ in page.watch(mode="text"):
            break
    for name in (SNAPSHOT, "perception.v1.PerceptionService/WatchSnapshots"):
        while not any(span.name == name for span in spans.get_finished_spans()):
            await page.snapshot(mode="text")  # a watch ends a moment after its caller left
        parent = _named(spans, name).parent
        assert parent is not None
        assert parent.span_id == agent.get_span_context().span_id


async def test_a_refused_call_has_its_reason_only(
    service: Service, page: AsyncPage, show: Show, spans: InMemorySpanExporter
) -> None:
    await show(f"<button id=under>{MARKER}</button><div style='position:fixed;inset:0'></div>")
    with early_ends(service) as reserve_s, pytest.raises(RemoteError, match=MARKER):
        await page.click("#under", timeout_s=reserve_s + 1)
    click = "perception.v1.ActionService/Click"
    await until(lambda: any(span.name == click for span in spans.get_finished_spans()))  # a moment after the refusal
    span = _named(spans, click)
    assert (span.attributes or {})["perception.reason"] == "ELEMENT_OBSCURED"
    assert MARKER not in "".join(span.to_json() for span in spans.get_finished_spans())


def test_what_is_not_sent_yet_is_sent_at_the_end() -> None:
    """In a process of its own: it sets the provider for good."""
    code = (
        "from perception.server.telemetry import trace_export\nfrom perception.instrumentation.stages import traced\n"
        "with trace_export.exported():\n with traced('capture'): pass"
    )
    environment = {**os.environ, "OTEL_TRACES_EXPORTER": "console", "OTEL_SERVICE_NAME": "eyes"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    span = json.loads(ran.stdout)
    assert span["name"] == "capture"
    assert span["resource"]["attributes"]["service.name"] == "eyes"


@contextmanager
def grpc_collector(got: list[otlp.ExportTraceServiceRequest]) -> Iterator[str]:
    class Collector(otlp_grpc.TraceServiceServicer):
        def Export(self, request: otlp.ExportTraceServiceRequest, context: Any) -> Any:  # noqa: N802
            got.append(request)
            return otlp.ExportTraceServiceResponse()

    server = grpc.server(ThreadPoolExecutor(1))
    otlp_grpc.add_TraceServiceServicer_to_server(Collector(), server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"http://127.0.0.1:{port}"
    server.stop(None).wait()


@contextmanager
def http_collector(got: list[otlp.ExportTraceServiceRequest]) -> Iterator[str]:
    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append(otlp.ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with serve_handler(Collector) as origin:
        yield origin


Collecting = Callable[[list[otlp.ExportTraceServiceRequest]], AbstractContextManager[str]]


@pytest.mark.parametrize(
    ("protocol", "collector"), [("grpc", grpc_collector), ("http/protobuf", http_collector)], ids=["grpc", "http"]
)
def test_a_collector_gets_what_a_service_did(protocol: str, collector: Collecting) -> None:
    got: list[otlp.ExportTraceServiceRequest] = []
    with collector(got) as endpoint:
        given = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol}
        # A client without an address starts a service of its own, and ends it.
        code = "import perception\nwith perception.connect() as client: client.open().close()"
        subprocess.run([sys.executable, "-c", code], env={**os.environ, **given}, check=True)
    (resource,) = {each.resource.SerializeToString() for request in got for each in request.resource_spans}
    assert b"perception" in resource
    spans = [
        span
        for request in got
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    ]
    assert {"perception.v1.SessionService/CreateSession", "perception.v1.SessionService/CloseSession"} <= {
        span.name for span in spans
    }
