"""A repeated request id gets the result of the first request."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from perception.deadline import Deadline
from perception.errors import BadInputError, CalledOffError, PerceptionError, RequestIdReusedError, StaleRefError
from perception.server.actions.idempotency import run_once
from perception.server.convert.request_keys import request_key
from perception.server.sessions.results import KEPT_RESULTS, KeptResults, RequestKey
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1 import types_pb2 as types_pb


class Runs:
    """A request that counts how often it was run."""

    def __init__(self, deadline: Deadline, *, sends: bool = True, fails: bool = False) -> None:
        self.count = 0
        self._deadline = deadline
        self._sends = sends
        self._fails = fails

    async def __call__(self) -> int:
        self.count += 1
        self._deadline.dispatched = self._sends
        if self._fails:
            raise StaleRefError("gone")
        return self.count


@pytest.fixture
def deadline() -> Deadline:
    return Deadline.of(5)


async def test_a_repeated_request_is_not_run_again(deadline: Deadline) -> None:
    results, runs = KeptResults(), Runs(deadline)
    assert [await run_once(results, RequestKey("Click", "a"), deadline, runs) for _ in range(3)] == [1, 1, 1]
    assert await run_once(results, RequestKey("Click", "b"), deadline, runs) == 2
    assert await run_once(results, RequestKey("Hover", "a"), deadline, runs) == 3


async def test_without_an_id_it_is_run_each_time(deadline: Deadline) -> None:
    results, runs = KeptResults(), Runs(deadline)
    assert [await run_once(results, RequestKey("Click", ""), deadline, runs) for _ in range(2)] == [1, 2]


async def test_an_error_after_input_is_raised_again(deadline: Deadline) -> None:
    results, runs = KeptResults(), Runs(deadline, fails=True)
    for _ in range(2):
        with pytest.raises(StaleRefError, match="gone"):
            await run_once(results, RequestKey("Click", "a"), deadline, runs)
    assert runs.count == 1


async def test_a_defect_after_input_is_not_run_again(deadline: Deadline) -> None:
    results, runs = KeptResults(), []

    async def run() -> None:
        runs.append(1)
        deadline.dispatched = True
        raise NameError("x")

    with pytest.raises(NameError):
        await run_once(results, RequestKey("Click", "a"), deadline, run)
    with pytest.raises(PerceptionError, match="was sent"):
        await run_once(results, RequestKey("Click", "a"), deadline, run)
    assert runs == [1]


async def test_an_error_before_input_may_be_tried_again(deadline: Deadline) -> None:
    results, runs = KeptResults(), Runs(deadline, sends=False, fails=True)
    for _ in range(2):
        with pytest.raises(StaleRefError):
            await run_once(results, RequestKey("Click", "a"), deadline, runs)
    assert runs.count == 2


@pytest.mark.parametrize("sent", [True, False])
async def test_a_request_that_was_cancelled_after_input_is_not_run_again(deadline: Deadline, sent: bool) -> None:
    results, entered = KeptResults(), asyncio.Event()

    async def hang() -> int:
        deadline.dispatched = sent
        entered.set()
        await asyncio.sleep(60)
        return 0

    task = asyncio.create_task(run_once(results, RequestKey("Click", "a"), deadline, hang))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    runs = Runs(deadline)
    if sent:
        with pytest.raises(CalledOffError):
            await run_once(results, RequestKey("Click", "a"), deadline, runs)
    else:
        assert await run_once(results, RequestKey("Click", "a"), deadline, runs) == 1


def test_only_the_last_results_are_kept() -> None:
    results = KeptResults()
    for number in range(KEPT_RESULTS + 1):
        results.keep(RequestKey("Click", str(number)), BadInputError("no") if number % 2 else number)
    assert results.find(RequestKey("Click", "0")) is None
    assert results.find(RequestKey("Click", str(KEPT_RESULTS))) == KEPT_RESULTS


CLICK = action_pb.ClickRequest(session_id="s", target=types_pb.Target(ref="e1"), request_id="a")


def other_click(**fields: Any) -> action_pb.ClickRequest:
    request = action_pb.ClickRequest()
    request.CopyFrom(CLICK)
    request.MergeFrom(action_pb.ClickRequest(**fields))
    return request


@pytest.mark.parametrize(
    "fields",
    [
        {"target": types_pb.Target(ref="e2")},
        {"tab_id": "t2"},
        {"click_count": 2},
        {"checked": False},
        {"action_options": action_pb.ActionOptions(skip_diff=True)},
    ],
)
async def test_an_id_with_other_parameters_is_refused(deadline: Deadline, fields: dict[str, Any]) -> None:
    results, runs = KeptResults(), Runs(deadline)
    await run_once(results, request_key(CLICK), deadline, runs)
    with pytest.raises(RequestIdReusedError, match=r"request_id 'a' was used by an earlier Click.*a new request_id"):
        await run_once(results, request_key(other_click(**fields)), deadline, runs)
    assert await run_once(results, request_key(CLICK), deadline, runs) == runs.count == 1


async def test_an_id_is_used_while_its_request_runs(deadline: Deadline) -> None:
    results, runs = KeptResults(), Runs(deadline)

    async def meanwhile() -> int:
        with pytest.raises(RequestIdReusedError):
            await run_once(results, request_key(other_click(tab_id="t2")), deadline, runs)
        return 7

    assert await run_once(results, request_key(CLICK), deadline, meanwhile) == 7
    assert runs.count == 0


async def test_an_id_whose_request_sent_nothing_is_free(deadline: Deadline) -> None:
    results, fails = KeptResults(), Runs(deadline, sends=False, fails=True)
    with pytest.raises(StaleRefError):
        await run_once(results, request_key(CLICK), deadline, fails)
    assert await run_once(results, request_key(other_click(click_count=2)), deadline, Runs(deadline)) == 1


@pytest.mark.parametrize(
    ("first", "again"),
    [
        pytest.param(
            CLICK,
            other_click(action_options=action_pb.ActionOptions(settle_timeout=timedelta(seconds=9))),
            id="settle-timeout",
        ),
        pytest.param(
            action_pb.EvaluateRequest(expression="1", request_id="a"),
            action_pb.EvaluateRequest(expression="1", request_id="a", timeout=timedelta(seconds=9)),
            id="script-timeout",
        ),
    ],
)
def test_a_repeated_request_may_be_given_more_time(first: Any, again: Any) -> None:
    assert request_key(first) == request_key(again)


def test_the_order_of_named_parameters_does_not_count() -> None:
    first, again = (subroutine_pb.RunSubroutineRequest(request_id="a") for _ in range(2))
    first.parameters.update({"title": "x", "text": "y"})
    again.parameters.update({"text": "y", "title": "x"})
    assert request_key(first) == request_key(again)
