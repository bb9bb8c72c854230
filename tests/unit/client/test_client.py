"""What the Python client adds to the stubs."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import grpc
import pytest
from grpc_status.rpc_status import to_status

from perception import client as package
from perception.client import (
    AsyncClient,
    AsyncPage,
    AsyncSubroutines,
    Page,
    PerceptionError,
    RemoteError,
    Subroutines,
)
from perception.errors import SessionLimitError
from perception.server.status import status_of

PACKAGE = Path(package.__file__).parent


def test_both_forms_take_the_same() -> None:
    def taken(page: type) -> dict[str, list[str]]:
        methods = inspect.getmembers(page, inspect.isfunction)
        return {name: list(inspect.signature(each).parameters) for name, each in methods if not name.startswith("_")}

    assert taken(Page) == taken(AsyncPage)
    assert taken(Subroutines) == taken(AsyncSubroutines)


def test_the_blocking_client_is_made_from_the_asyncio_one() -> None:
    written, generated = ({path.name for path in (PACKAGE / name).glob("*.py")} for name in ("_async", "_sync"))
    assert written == generated
    assert {"page.py", "session.py", "network.py"} <= written
    made = "".join(path.read_text() for path in (PACKAGE / "_sync").glob("*.py"))
    assert not re.search(r"\b(async|await|asyncio|Async\w+)\b", made.replace("made from `_async`", ""))


@pytest.mark.parametrize("kind", [AsyncPage, AsyncClient, AsyncSubroutines])
def test_every_call_takes_a_timeout(kind: type) -> None:
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        parameters = inspect.signature(method).parameters
        if name.startswith("_") or (kind is AsyncClient and name == "close"):
            continue
        assert "timeout_s" in parameters or "fields" in parameters, name


def test_a_refusal_says_when_to_try_again() -> None:
    status = to_status(status_of(SessionLimitError("all 3 sessions are in use", limit="3", setting="PERCEPTION_X")))

    class Refused(grpc.RpcError):
        code = staticmethod(lambda: status.code)
        details = staticmethod(lambda: status.details)
        trailing_metadata = staticmethod(lambda: status.trailing_metadata)

    error = RemoteError.of(Refused())
    assert isinstance(error, PerceptionError)
    assert (error.reason, error.limit, error.setting, error.retry_after_s) == ("SESSION_LIMIT", 3, "PERCEPTION_X", 1)
