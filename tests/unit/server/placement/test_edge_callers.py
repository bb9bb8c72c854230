"""What an edge says of callers, and that nobody else can say it."""

from __future__ import annotations

import pytest

from perception.errors import UnauthenticatedError
from perception.server.auth.edge_callers import CALLER_KEY, Caller, read_caller, sign_caller, take_caller
from perception.server.auth.rights import Right
from perception.server.auth.session_ids import ClusterKey
from perception.server.rpc_call import RpcCall

KEY, OTHER = ClusterKey(b"k" * 32), ClusterKey(b"o" * 32)
CALL = RpcCall("/perception.v1.ActionService/Click", "r1")
SIGNED = sign_caller(Caller(principal="ana"), CALL, KEY)
WATCHER = sign_caller(Caller(principal="ana", right=Right.VIEW), CALL, KEY)


def test_a_worker_reads_what_an_edge_signed() -> None:
    assert read_caller(SIGNED, CALL, (OTHER, KEY)) == Caller(principal="ana")


@pytest.mark.parametrize(
    ("text", "call", "keys"),
    [
        (SIGNED, CALL, (OTHER,)),
        (SIGNED, RpcCall("/perception.v1.ActionService/Drag", "r1"), (KEY,)),
        (SIGNED, RpcCall(CALL.method, "r2"), (KEY,)),
        (SIGNED[:-1], CALL, (KEY,)),
        ("", CALL, (KEY,)),
        (".", CALL, (KEY,)),
        ("é.é", CALL, (KEY,)),
        (SIGNED.partition(".")[0] + "." + WATCHER.partition(".")[2], CALL, (KEY,)),
        (
            sign_caller(Caller(principal="bob"), CALL, KEY).partition(".")[0] + "." + SIGNED.partition(".")[2],
            CALL,
            (KEY,),
        ),
    ],
    ids=["key", "method", "request", "cut", "empty", "dot", "not ascii", "other right", "other principal"],
)
def test_anything_else_is_nobody(text: str, call: RpcCall, keys: tuple[ClusterKey, ...]) -> None:
    assert read_caller(text, call, keys) is None


def test_a_worker_knows_what_the_token_of_a_caller_may_do() -> None:
    call = RpcCall(CALL.method, CALL.request_id)
    take_caller(call, ((CALLER_KEY, WATCHER),), lambda: (KEY,))
    assert (call.principal, call.right) == ("ana", Right.VIEW)


@pytest.mark.parametrize(
    "shown", [(), ((CALLER_KEY, SIGNED),) * 2, ((CALLER_KEY, b"x"),)], ids=["none", "two", "bytes"]
)
def test_a_worker_refuses_what_comes_from_no_edge(shown: tuple[tuple[str, str | bytes], ...]) -> None:
    with pytest.raises(UnauthenticatedError, match="takes calls from edges alone"):
        take_caller(CALL, shown, lambda: (KEY,))
    assert CALL.principal == ""
