"""When steps are sent one by one in place of a batch."""

from __future__ import annotations

import grpc
import pytest

from perception.client import RemoteError
from perception.errors import BadInputError, PerceptionError
from perception.interaction.batch import _is_refused_whole


@pytest.mark.parametrize(
    ("error", "is_refused"),
    [
        (RemoteError(grpc.StatusCode.INVALID_ARGUMENT, "wrong", "BAD_INPUT", {"step": "2"}), True),
        (RemoteError(grpc.StatusCode.UNIMPLEMENTED, "no such method", "", {}), True),
        (RemoteError(grpc.StatusCode.UNAVAILABLE, "gone", "SESSION_LOST", {}), False),
        (BadInputError("wrong"), False),
    ],
)
def test_only_what_took_no_step_is_sent_again(error: PerceptionError, is_refused: bool) -> None:
    assert _is_refused_whole(error) is is_refused
