"""What the tests of commands about subroutines share: an application in which a note was added by hand, recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from perception.bench.suites.subroutines.subroutine_app import NotesApp, serve_app
from perception.client import AsyncClient
from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutines import Tools


@dataclass(frozen=True)
class Recorded:
    """An application, and a recording of its one note."""

    tools: Tools
    recording_id: str


@pytest.fixture(scope="module")
async def recorded(client: AsyncClient, kept_contexts: None) -> AsyncIterator[Recorded]:
    with serve_app() as app:
        tools = Tools(client, await client.open(), app)
        yield Recorded(tools, (await tools.record("/rest")).recording_id)
        await tools.page.close()


@pytest.fixture
def tools(recorded: Recorded) -> Tools:
    """The application as it was after the recording."""
    del recorded.tools.app.records[1:]
    return recorded.tools


@pytest.fixture
def app(tools: Tools) -> NotesApp:
    return tools.app


@pytest.fixture
async def made(tools: Tools, recorded: Recorded) -> AsyncIterator[pb.Subroutine]:
    """A subroutine that adds a note. The test may delete it."""
    made = await tools.create(recorded.recording_id)
    yield made
    listed = await tools.client.call(tools.stub.ListSubroutines, pb.ListSubroutinesRequest(origin=made.origin))
    for each in listed.subroutines:
        await tools.delete(each.subroutine_id)
