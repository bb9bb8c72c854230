"""A session that is not there is one to the web application, whatever its code says."""

from __future__ import annotations

from typing import Any, cast

import grpc
import pytest
from grpc_status.rpc_status import to_status

from perception.errors import (
    PerceptionError,
    SessionIdForgedError,
    SessionLostError,
    UnauthenticatedError,
    UnknownSessionError,
    WorkerUnreachableError,
)
from perception.server.status import status_of
from perception.server.viewer.calls import answer_rpc_error


class Failed(grpc.aio.AioRpcError):
    def __init__(self, error: PerceptionError) -> None:
        status = to_status(status_of(error))
        super().__init__(status.code, grpc.aio.Metadata(), grpc.aio.Metadata(*status.trailing_metadata), status.details)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UnknownSessionError("none"), 404),
        (SessionLostError("its worker is gone"), 404),
        (SessionIdForgedError("made up"), 404),
        (WorkerUnreachableError("not now"), 503),
        (UnauthenticatedError("who?"), 401),
    ],
    ids=["unknown", "lost", "forged", "unreachable", "token"],
)
async def test_only_what_the_token_is_refused_for_ends_a_login(error: PerceptionError, status: int) -> None:
    answer = await answer_rpc_error(cast(Any, None), Failed(error))
    assert answer.status_code == status
