"""What Prometheus fetches: every name is there, counts move, and no label can be made by a client or a page."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import Callable, Iterator

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.errors import BadInputError
from perception.server.telemetry.exposition import served_metrics
from perception.v1 import detection_service_pb2 as detection_pb

pytestmark = pytest.mark.usefixtures("kept_contexts")

NAMES = """
rpc_server_duration_seconds perception_sessions perception_queue_depth perception_queue_wait_seconds
perception_admission_rejected_total perception_stage_duration_seconds perception_deadline_overshoot_seconds
perception_page_hung_total perception_evaluate_total perception_browser_restarts_total perception_egress_blocked_total
perception_stale_ref_total perception_detector_skipped_total perception_cache_hits_total perception_tokens_served_total
perception_browser_pss_bytes perception_auth_failed_total process_resident_memory_bytes process_open_fds
""".split()

CALL = "/perception.v1.{}"


class Scrape:
    """All samples at one moment."""

    def __init__(self, port: int) -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            self.text = answer.read().decode()
        self.samples = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(self.text)
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float:
        return self.samples.get((name, frozenset(labels.items())), 0.0)

    def values(self, label: str) -> set[str]:
        return {dict(labels)[label] for _, labels in self.samples if label in dict(labels)}


@pytest.fixture
def scrape() -> Iterator[Callable[[], Scrape]]:
    with served_metrics("127.0.0.1:0") as port:
        yield lambda: Scrape(port)


async def test_what_happens_is_counted(
    client: AsyncClient, scripted: AsyncPage, site: str, scrape: Callable[[], Scrape]
) -> None:
    page, before = scripted, scrape()
    await page.navigate(f"{site}/html?body=<button>Pay</button><canvas width=90 height=60></canvas>")
    seen = await page.snapshot(mode="fused")
    await page.snapshot(mode="fused")
    await page.snapshot(mode="text", engine="ax")
    await page.click("button")
    await page.evaluate("document.querySelector('button').remove()")
    ref = next(element.ref for element in seen.elements if element.role == "button")
    with pytest.raises(RemoteError) as caught:
        await page.click(ref)
    assert caught.value.reason == "STALE_REF"
    click = CALL.format("ActionService/Click")
    after = scrape()

    def moved(name: str, **labels: str) -> float:
        return after.value(name, **labels) - before.value(name, **labels)

    async with asyncio.timeout(30):  # a call is counted once its answer is sent
        while not moved("rpc_server_duration_seconds_count", method=click, code="FAILED_PRECONDITION"):
            await asyncio.sleep(0.1)
            after = scrape()
    assert [name for name in NAMES if name not in after.text] == []
    method = CALL.format("PerceptionService/CaptureSnapshot")
    assert moved("rpc_server_duration_seconds_count", method=method, code="OK") == 3
    assert moved("rpc_server_duration_seconds_count", method=click, code="FAILED_PRECONDITION") == 1
    assert moved("perception_stale_ref_total") == 1
    assert moved("perception_cache_hits_total", cache="capture") >= 1
    assert moved("perception_tokens_served_total") >= seen.token_count
    assert moved("perception_evaluate_total", engine="cdp", outcome="value", fallback="") == 1
    for stage in ("capture", "ax", "residual", "fuse", "render", "act", "session lock"):
        assert moved("perception_stage_duration_seconds_count", stage=stage) >= 1, stage
    assert after.value("process_resident_memory_bytes") > 2**20


async def test_a_client_makes_no_series(client: AsyncClient, page: AsyncPage, scrape: Callable[[], Scrape]) -> None:
    unknown = client.channel.unary_unary("/perception.v1.Zebra/Run", response_deserializer=bytes)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await unknown(b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    with pytest.raises(RemoteError):
        await client.call(client.detection.ParseImage, detection_pb.ParseImageRequest(image=b"x", detectors=["zebra"]))
    with pytest.raises(RemoteError):
        await page.navigate("zebra://x")
    text = scrape().text
    assert "zebra" not in text.lower()
    assert page.session_id not in text


def test_public_access_must_be_requested() -> None:
    with served_metrics("0.0.0.0:0", public=True) as port:
        assert Scrape(port).value("process_open_fds") > 0


def test_a_port_in_use_is_reported() -> None:
    with (
        served_metrics("127.0.0.1:0") as port,
        pytest.raises(BadInputError, match="another program uses it"),
        served_metrics(f"127.0.0.1:{port}"),
    ):
        pass
