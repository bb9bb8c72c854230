"""UpdateSubroutine over real gRPC: which changed scripts are kept, and why others are not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from perception.bench.suites.subroutines.subroutine_app import NotesApp, serve_app
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.client._async.subroutines import AsyncSubroutines
from perception.v1 import subroutine_service_pb2 as pb
from tests.server.test_subroutines import Tools


@pytest.fixture
def app() -> Iterator[NotesApp]:
    with serve_app() as app:
        yield app


@pytest.fixture
async def tools(client: AsyncClient, page: AsyncPage, app: NotesApp) -> AsyncIterator[Tools]:
    tools = Tools(client, page, app)
    yield tools
    for subroutine_id in tools.made:
        await tools.delete(subroutine_id)


async def test_x(tools: Tools, client: AsyncClient) -> None:
    made = await tools.create((await tools.record("/rest", kind="Task")).recording_id)
    print(made.body, made.context, made.parameters_schema)
    subs = AsyncSubroutines(client)
    import time
    t = time.monotonic()
    changed = await subs.update(made.subroutine_id, made.body.replace("return answer;", "return answer; // x"), etag=made.etag)
    print(time.monotonic() - t, changed.changed_by_hand, changed.etag != made.etag)
    assert 0
