"""A few seconds of each part of the fuzz campaign, and what the campaign itself has to keep."""

from __future__ import annotations

from pathlib import Path
from random import Random

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.bench.suite import SuiteContext
from perception.bench.suites.fuzz import SUITE, FuzzPart, cdp_messages, image_files, requests_sent, wire_bytes
from perception.bench.suites.fuzz.cdp_messages import fuzz_cdp
from perception.bench.suites.fuzz.fields_sent import every_field, fuzz_fields
from perception.bench.suites.fuzz.fuzzed_page import serve_page
from perception.bench.suites.fuzz.fuzzed_sessions import FuzzedSessions
from perception.bench.suites.fuzz.image_files import draw_image, fuzz_images, valid_files
from perception.bench.suites.fuzz.outcomes import FuzzRun, PartOutcome, judge
from perception.bench.suites.fuzz.parsers import fuzz_parsers, try_parser
from perception.bench.suites.fuzz.random_values import make
from perception.bench.suites.fuzz.report import fuzz_comparable, fuzz_report
from perception.bench.suites.fuzz.requests_sent import every_rpc, fuzz_messages
from perception.bench.suites.fuzz.wire_bytes import fuzz_bytes
from perception.client import AsyncClient
from perception.datasets.progress import ConsoleProgress
from perception.imaging.codec import decode_image
from perception.v1 import action_service_pb2 as pb


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that a busy machine brings late is no hang."""
    for module in (requests_sent, wire_bytes):
        monkeypatch.setattr(module, "GRACE_SECONDS", 30.0)
    monkeypatch.setattr(image_files, "IMAGE_CASE_SECONDS", 300.0)
    monkeypatch.setattr(cdp_messages, "LATE_SECONDS", 30.0)
    monkeypatch.setattr(cdp_messages, "LINK_CLOSE_SECONDS", 30.0)


@pytest.mark.parametrize("part", [fuzz_messages, fuzz_bytes])
@pytest.mark.usefixtures("patient")
async def test_the_service_answers_any_request(client: AsyncClient, part: object) -> None:
    with serve_page() as origin:
        world = FuzzedSessions(client, origin)
        try:
            await world.renew()
            outcome = await (fuzz_messages(world, 150, 7) if part is fuzz_messages else fuzz_bytes(world, 500, 7))
        finally:
            await world.close()
    assert outcome.cases >= 150
    assert not outcome.failures, outcome.failures


@pytest.mark.usefixtures("patient")
async def test_each_field_may_have_any_value(client: AsyncClient) -> None:
    with serve_page() as origin:
        world = FuzzedSessions(client, origin)
        try:
            outcome = await fuzz_fields(world, 500, 7)
        finally:
            await world.close()
    assert outcome.cases == 500
    assert not outcome.failures, outcome.failures


def test_each_text_number_and_object_of_a_request_is_tried() -> None:
    tried = {f"{each.rpc.name}.{'.'.join(field.name for field in each.path)}" for each in every_field()}
    assert tried >= {
        "UploadFiles.paths",
        "CallPageTool.arguments",
        "RunSubroutine.parameters",
        "Click.target.coordinate.x",
        "Click.action_options.settle_timeout",
        "SendInput.mouse.x",
        "CreateSession.options.locale",
        "WatchFrames.max_fps",
    }
    assert {each.rpc.name for each in every_field()} == {
        each.name for each in every_rpc() if each.method.input_type.fields
    }


@pytest.mark.usefixtures("patient")
async def test_images_never_end_the_process() -> None:
    outcome = await fuzz_images(300, 7)
    assert outcome.cases == 300
    assert not outcome.failures, outcome.failures


@pytest.mark.usefixtures("patient")
async def test_a_link_survives_any_browser_message() -> None:
    outcome = await fuzz_cdp(120, 7)
    assert outcome.cases == 120
    assert not outcome.failures, outcome.failures


async def test_parsers_read_or_refuse() -> None:
    outcome = await fuzz_parsers(1000, 7)
    assert outcome.cases == 1000
    assert not outcome.failures, outcome.failures


@given(st.randoms(use_true_random=False), st.integers(0, 10_000))
def test_any_parser_reads_or_refuses(random: Random, number: int) -> None:
    assert try_parser(random.randrange(2**32), number)[1] == ""


@given(st.randoms(use_true_random=False), st.sampled_from(every_rpc()))
def test_messages_are_made_of_every_request(random: Random, rpc: object) -> None:
    kind = rpc.method.input_type  # type: ignore[attr-defined]
    message = make(kind, random)
    assert type(message).FromString(message.SerializeToString()).ByteSize() == message.ByteSize()


def test_the_same_seed_makes_the_same_cases() -> None:
    kind = pb.ClickRequest.DESCRIPTOR
    assert repr(make(kind, Random("1 messages 5"))) == repr(make(kind, Random("1 messages 5")))
    files = valid_files(Random(1))
    assert [draw_image(files, Random(n), n) for n in (1, 2)] == [draw_image(files, Random(n), n) for n in (1, 2)]


def test_the_files_that_are_damaged_are_whole_before() -> None:
    kinds = [data for data in valid_files(Random(1)) if data[:3] in (b"\x89PN", b"\xff\xd8\xff", b"GIF", b"RIF")]
    assert len(kinds) > 20
    assert all(decode_image(data).size for data in kinds)


def refused(code: grpc.StatusCode) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "said")


@pytest.mark.parametrize(
    ("code", "is_wrong"),
    [
        pytest.param(grpc.StatusCode.UNKNOWN, True, id="unknown"),
        pytest.param(grpc.StatusCode.INTERNAL, True, id="internal"),
        pytest.param(grpc.StatusCode.NOT_FOUND, True, id="nothing-of-ours"),
        pytest.param(grpc.StatusCode.UNAVAILABLE, True, id="the-service-died"),
        pytest.param(grpc.StatusCode.RESOURCE_EXHAUSTED, True, id="not-that-large"),
        pytest.param(grpc.StatusCode.DEADLINE_EXCEEDED, False, id="the-clients-own-deadline"),
    ],
)
def test_a_refusal_without_our_mark_is_a_failure(code: grpc.StatusCode, is_wrong: bool) -> None:
    assert bool(judge(refused(code))[1]) is is_wrong


def test_the_report_shows_what_failed() -> None:
    outcome = PartOutcome("bytes", cases=2, seconds=1.0)
    outcome.fail(7, "0a", "UNKNOWN: said")
    run = FuzzRun((outcome,))
    tables = {each.id: each.rows for each in fuzz_report(run).tables}
    assert tables["parts"] == (("bytes", 2, 1.0, "", 1, ""),)
    assert tables["failures"] == (("bytes", 7, "UNKNOWN: said", "0a"),)
    assert fuzz_comparable(run).wrong == {"bytes, failed cases": 1}


def test_the_suite_runs_the_parts_that_are_asked_for(tmp_path: Path) -> None:
    context = SuiteContext(tmp_path, lambda title: ConsoleProgress(title), print)
    result = SUITE.run(SUITE.options(cases=50, part=[FuzzPart.PARSERS]), context)
    assert [(each.part, each.cases) for each in result.data.parts] == [("parsers", 50)]
    assert result.failed == 0
