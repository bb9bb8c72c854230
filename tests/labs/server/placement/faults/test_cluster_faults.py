"""One round of the quick faults, on real edges, workers and browsers; and that the campaign sees what is wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest

from perception.bench.suites.cluster_faults import processes
from perception.bench.suites.cluster_faults.callers import TOLD, Account, PressedPage
from perception.bench.suites.cluster_faults.fault import ClusterFault
from perception.bench.suites.cluster_faults.lab import ClusterLab
from perception.bench.suites.cluster_faults.outcomes import Counts, FaultResult
from perception.bench.suites.cluster_faults.placements import WorkerNow
from perception.bench.suites.cluster_faults.processes import Relay
from perception.bench.suites.cluster_faults.run import chosen_faults, placement_named, run_faults
from perception.bench.suites.faults.injection import SkippedError
from perception.client import AsyncPage, RemoteError
from perception.errors import BadInputError
from perception.server.auth.session_ids import ClusterKey, SessionId, worker_number, write_session_id

QUICK = ("worker killed", "edge killed", "claim")


async def _skip(_: ClusterLab) -> None:
    raise SkippedError("it cannot be injected here")


async def test_callers_of_a_cluster_are_told_of_faults_and_nothing_is_lost_or_done_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "CALL_SECONDS", 60.0)  # sessions of several browsers begin at once
    faults = [ClusterFault("skipped", _skip), *chosen_faults(QUICK)]  # nothing is left of what it began
    run = await run_faults(faults, 1, placement_named("static"), lambda name, wrong: None, quiet_s=0)
    assert {each.fault: each.wrong for each in run.results if each.wrong} == {}
    results = {each.fault: each for each in run.results}
    killed = results["worker killed with live calls"]
    assert killed.told is not None
    assert killed.told["SESSION_LOST"] + killed.told.get("CALL_BROKEN", 0) > 0
    last = results["two edges claim the last slot"]
    assert last.told is not None
    assert last.told["SESSION_LIMIT"] == 1


@pytest.mark.parametrize(
    ("sent", "acknowledged", "refused", "counted", "is_right"),
    [
        pytest.param(0, 0, 0, 0, True, id="nothing"),
        pytest.param(5, 4, 0, 5, True, id="one of unknown outcome was done"),
        pytest.param(5, 4, 0, 4, True, id="one of unknown outcome was not done"),
        pytest.param(5, 4, 1, 5, False, id="one was done that was refused"),
        pytest.param(5, 5, 0, 4, False, id="one was acknowledged and not done"),
        pytest.param(5, 5, 0, 6, False, id="one was done twice"),
    ],
)
def test_the_account_of_presses(sent: int, acknowledged: int, refused: int, counted: int, is_right: bool) -> None:
    page = PressedPage(AsyncPage.__new__(AsyncPage), "p", sent, acknowledged, refused)
    assert (page.wrong_count(counted) == "") is is_right


def test_answers_that_may_not_be_are_noted() -> None:
    account = Account()
    unavailable, unknown = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN
    account.note(RemoteError(unavailable, "it is not reached", "WORKER_UNREACHABLE", {}, retry_after_s=1), TOLD)
    assert account.wrong == []
    account.note(RemoteError(unavailable, "it is not reached", "WORKER_UNREACHABLE", {}), TOLD)
    account.note(RemoteError(unknown, "boom", "", {}), TOLD)
    assert account.wrong == ["WORKER_UNREACHABLE without RetryInfo: it is not reached", "UNKNOWN: boom"]


def test_what_there_is_more_of_in_the_end_is_a_leak() -> None:
    first = Counts(40, 17, 42, 4, 3)
    assert FaultResult("kill", first=first, last=Counts(41, 20, 40, 4, 3)).leaks == []
    assert FaultResult("kill", first=first, last=Counts(60, 17, 42, 9, 3)).leaks == ["processes 40 → 60", "links 4 → 9"]


def test_a_session_names_its_worker() -> None:
    session_id = write_session_id(SessionId(worker_number("w1"), 7, 0, 1), ClusterKey(b"k" * 32))
    one, two = (WorkerNow(0, name, 1, Path(), Path()) for name in ("w1", "w2"))
    assert one.has(session_id)
    assert not two.has(session_id)
    assert not one.has("no id")


async def test_a_relay_delays_and_stalls_and_passes_again() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    relay = await Relay.begin([server.sockets[0].getsockname()[1]])
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.ports[0])
    try:
        await relay.tell(0, "delay 0.05")
        start = asyncio.get_running_loop().time()
        writer.write(b"late")
        assert await reader.readexactly(4) == b"late"
        assert asyncio.get_running_loop().time() - start >= 0.1
        await relay.tell(0, "stall")
        writer.write(b"never")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.readexactly(5), 0.2)
        await relay.tell(0, "pass")
        assert await reader.readexactly(5) == b"never"
        writer.write(b"a" * 1000)
        assert await reader.readexactly(1000) == b"a" * 1000
    finally:
        writer.close()
        await relay.end()
        server.close()


def test_what_names_nothing_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="no placement is called 'cloud': there are static"):
        placement_named("cloud")
    with pytest.raises(BadInputError, match="no fault's name has nope in it: there are worker killed"):
        chosen_faults(["nope"])
