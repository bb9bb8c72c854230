"""Models are told once that the worker of their session is about to end."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from perception.client.access import CLOSES_BY_KEY, Access, open_async_channel
from perception.interaction.closing import closing_words
from perception.tools.endings import MAX_HEARD, HearingClient
from perception.v1 import session_service_pb2 as pb
from perception.v1.session_service_pb2_grpc import SessionServiceServicer, add_SessionServiceServicer_to_server

pytestmark = pytest.mark.real_time  # sockets


class Draining(SessionServiceServicer):
    """Says of each session but `stays` that its worker is about to end."""

    def __init__(self) -> None:
        self.ends_within(290)

    def ends_within(self, seconds: float) -> None:
        self.closes_by = f"{time.time() + seconds:.0f}"

    async def ListTabs(self, request: pb.ListTabsRequest, context: Any) -> pb.ListTabsResponse:  # noqa: N802
        if request.session_id != "stays":
            context.set_trailing_metadata(((CLOSES_BY_KEY, self.closes_by),))
        return pb.ListTabsResponse()


@pytest.fixture
async def draining(tmp_path: Path) -> AsyncIterator[tuple[Draining, HearingClient]]:
    service, server, address = Draining(), grpc.aio.server(), f"unix:{tmp_path / 's'}"
    add_SessionServiceServicer_to_server(service, server)
    server.add_insecure_port(address)
    await server.start()
    client = HearingClient(open_async_channel(address, Access()), None, 10.0)
    yield service, client
    await client.close()
    await server.stop(0)


async def tabs(client: HearingClient, session_id: str) -> None:
    await client.call(client.sessions.ListTabs, pb.ListTabsRequest(session_id=session_id))


async def test_an_end_is_told_once_and_again_where_it_changes(draining: tuple[Draining, HearingClient]) -> None:
    service, client = draining
    assert client.ending("s1") == ""
    await tabs(client, "s1")
    await tabs(client, "stays")
    assert client.ending("s1").startswith("its worker ends in 2")
    assert (client.ending("s1"), client.ending("stays")) == ("", "")
    service.ends_within(3600)
    await tabs(client, "s1")
    assert client.ending("s1").startswith("its worker ends in 3")


@pytest.mark.parametrize("told", ["", "soon", "-1", "1e999"])
async def test_what_is_no_time_is_not_told(draining: tuple[Draining, HearingClient], told: str) -> None:
    service, client = draining
    service.closes_by = told
    await tabs(client, "s1")
    assert client.ending("s1") == ""


async def test_what_is_remembered_is_bounded(draining: tuple[Draining, HearingClient]) -> None:
    _, client = draining
    for number in range(MAX_HEARD + 5):
        client._hear(f"s{number}", ((CLOSES_BY_KEY, "5"),))
        client.ending(f"s{number}")
    assert len(client._heard) == len(client._told) == MAX_HEARD


def test_an_end_that_has_passed_has_no_seconds_left() -> None:
    assert closing_words(time.time() - 60, "w1") == "its worker w1 ends in 0 s at the latest"
