"""A call's trace: its stages below the server's span, below the caller's own."""

from __future__ import annotations

import os

import pytest

from perception.errors import BadInputError
from perception.server.telemetry import trace_export


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        pytest.param({}, "", id="nothing-set"),
        pytest.param({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317"}, "otlp_proto_grpc", id="endpoint"),
        pytest.param(
            {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
            "otlp_proto_http",
            id="over-http",
        ),
        pytest.param({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp_proto_grpc", id="default-endpoint"),
        pytest.param({"OTEL_TRACES_EXPORTER": "console"}, "console", id="console"),
        pytest.param({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, "", id="none"),
        pytest.param({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "true"}, "", id="disabled"),
    ],
)
def test_the_environment_configures_the_traces_destination(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], name: str
) -> None:
    for key in [key for key in os.environ if key.startswith("OTEL_")]:
        monkeypatch.delenv(key)
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert trace_export.exporter_name() == name


def test_an_exporter_that_is_not_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "carrier-pigeon")
    with (
        pytest.raises(BadInputError, match=r"carrier-pigeon is not installed.*perception-service\[otel\]"),
        trace_export.exported(),
    ):
        pass
