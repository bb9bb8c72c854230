"""The values of a call, and its way through the gates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from perception.errors import UnknownSessionError
from perception.server import rpc_call
from perception.server.rpc_call import MAX_REQUEST_ID, REQUEST_ID_KEY, RpcCall, begin, deadline_of, through
from perception.server.settings import Settings
from tests.support.fakes import FakeContext

METHOD = "/perception.v1.ActionService/Click"


def test_a_call_is_named_by_its_method() -> None:
    assert begin(METHOD, ()).name == "Click"


def test_a_call_has_the_id_that_its_client_gave() -> None:
    assert begin(METHOD, (("other", "x"), (REQUEST_ID_KEY, "mine-1"))).request_id == "mine-1"


@pytest.mark.parametrize("given", ["", "a\nb", "ü", "x" * (MAX_REQUEST_ID + 1)])
def test_an_id_that_is_not_safe_to_log_is_replaced(given: str) -> None:
    first, second = (begin(METHOD, ((REQUEST_ID_KEY, given),)).request_id for _ in range(2))
    assert given != first != second
    assert len(first) == 16


@pytest.mark.parametrize(
    ("remaining_s", "expected_s"),
    [
        pytest.param(10.0, 9.5, id="the-callers-less-the-reserve"),
        pytest.param(None, 29.5, id="the-default"),
        pytest.param(1000.0, 59.5, id="the-most"),
        pytest.param(0.1, 0.0, id="too-late"),
    ],
)
def test_a_deadline_leaves_time_to_answer(remaining_s: float | None, expected_s: float) -> None:
    settings = Settings(default_deadline_s=30, max_deadline_s=60, reply_reserve_s=0.5)
    assert deadline_of(FakeContext(remaining_s), settings).remaining() == pytest.approx(expected_s, abs=0.4)


class Gates:
    """Two gates that note who passes them. The second one may refuse."""

    def __init__(self, error: Exception | None = None) -> None:
        self.log: list[str] = []
        self._error = error

    @asynccontextmanager
    async def outer(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        call.principal = "ann"
        self.log.append("outer in")
        try:
            yield
        finally:
            self.log.append("outer out")

    @asynccontextmanager
    async def inner(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        self.log.append(f"inner in for {rpc_call.principal()}")
        if self._error is not None:
            raise self._error
        yield
        self.log.append("inner out")


async def test_a_call_passes_its_gates_from_the_outside_in() -> None:
    gates = Gates()
    call = RpcCall(METHOD, "id")
    async with through((gates.outer, gates.inner), call, SimpleNamespace(session_id="S"), None):
        assert rpc_call.current() is call
        assert (call.session_id, rpc_call.principal()) == ("S", "ann")
        gates.log.append("served")
    assert gates.log == ["outer in", "inner in for ann", "served", "inner out", "outer out"]


async def test_a_gate_that_refuses_frees_what_the_others_hold() -> None:
    gates = Gates(UnknownSessionError("no"))
    with pytest.raises(UnknownSessionError):
        async with through((gates.outer, gates.inner), RpcCall(METHOD, "id"), None, None):
            raise AssertionError("it was served")
    assert gates.log[-1] == "outer out"


async def test_a_session_is_named_once_it_is_known() -> None:
    call = RpcCall(METHOD, "id")
    async with through((), call, SimpleNamespace(session_id="bad\nid"), None):
        assert call.session_id == ""
        rpc_call.name_session("S")
        assert call.session_id == "S"
