"""Errors name what their call was about, as values and not in words alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from perception.client import AsyncPage, RemoteError
from perception.server.app import Service
from perception.v1 import types_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.live import Show

PAGE = """<button disabled>Off</button><p>Text</p><select><option>A</select>
<button id=twice>1</button><button id=twice>2</button>"""

Call = Callable[[AsyncPage, str], Awaitable[object]]


async def refused(call: Awaitable[object]) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await call
    return caught.value


@pytest.mark.parametrize(
    ("name", "call", "reason"),
    [
        pytest.param("Text", lambda page, ref: page.type_text(ref, "x"), "NOT_EDITABLE", id="no-field"),
        pytest.param("A", lambda page, ref: page.select(ref, "B"), "NO_SUCH_OPTION", id="option"),
        pytest.param("Off", lambda page, _: page.click("e999"), "UNKNOWN_REF", id="unknown"),
        pytest.param("Off", lambda page, _: page.snapshot(root="e999", mode="text"), "UNKNOWN_REF", id="of-a-look"),
    ],
)
async def test_a_refused_ref_is_in_the_error(page: AsyncPage, show: Show, name: str, call: Call, reason: str) -> None:
    await show(PAGE)
    listed = (await page.snapshot(mode="text")).elements
    ref = next((each.ref for each in listed if name in (each.name, each.value, each.text) and each.ref), "p")
    error = await refused(call(page, ref))
    assert error.reason == reason
    expected = "e999" if reason == "UNKNOWN_REF" else ref
    assert expected in (error.ref, error.selector)


async def test_a_ref_that_cannot_be_used_in_time_is_in_the_error(service: Service, page: AsyncPage, show: Show) -> None:
    await show(PAGE)
    ref = next(each.ref for each in (await page.snapshot(mode="text")).elements if each.name == "Off")
    with early_ends(service) as reserve_s:
        error = await refused(page.click(ref, timeout_s=reserve_s + 1))
    assert (error.reason, error.ref) == ("ELEMENT_DISABLED", ref)


async def test_a_selector_is_in_the_error(service: Service, page: AsyncPage, show: Show) -> None:
    await show(PAGE)
    for selector, reason in (("#nowhere", "NO_MATCH"), ("#twice", "AMBIGUOUS_TARGET"), ("[[", "BAD_SELECTOR")):
        with early_ends(service) as reserve_s:
            error = await refused(page.click(selector, timeout_s=reserve_s + 1))
        assert (error.reason, error.selector, error.ref) == (reason, selector, "")


async def test_of_two_targets_none_is_taken_for_the_one_at_fault(page: AsyncPage, show: Show) -> None:
    await show(PAGE)
    error = await refused(page.drag("#nowhere", "p"))
    assert (error.reason, error.selector) == ("NO_MATCH", "")


async def test_an_unknown_snapshot_is_in_the_error(page: AsyncPage, show: Show) -> None:
    await show(PAGE)
    assert (await refused(page.snapshot(since="s99", mode="text"))).snapshot == "s99"
    snapshot_id = (await page.snapshot(mode="text")).snapshot_id
    await show("<p>Another")
    old = pb.Target(coordinate=pb.Coordinate(x=10, y=10, snapshot_id=snapshot_id))
    error = await refused(page.click(old))
    assert (error.reason, error.snapshot) == ("STALE_REF", snapshot_id)


async def test_a_call_that_runs_out_of_time_names_its_target(service: Service, page: AsyncPage, show: Show) -> None:
    await show(PAGE)
    with early_ends(service) as reserve_s:
        error = await refused(page.wait_for(element="#nowhere", timeout_s=reserve_s + 0.3))
    assert (error.reason, error.selector, error.input_dispatched) == ("DEADLINE", "#nowhere", False)
