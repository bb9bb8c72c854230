"""Recorded subroutines: listed and run by one tool, or each a tool of its own."""

from __future__ import annotations

import pytest

from perception.bench.suites.subroutines.subroutine_app import serve_app
from perception.client import AsyncClient
from perception.tool_names import tool_name
from perception.tools.subroutine_tools import subroutine_tools
from tests.long.mcp.conftest import InProcess
from tests.long.server.test_subroutines import Tools as Recorder

pytestmark = pytest.mark.usefixtures("kept_contexts")


async def test_a_subroutine_is_a_typed_tool(client: AsyncClient, in_process: InProcess) -> None:
    with serve_app() as app:
        recorder = Recorder(client, await client.open(), app)
        recorded = await recorder.record("/rest")
        await recorder.page.close()
        created = await recorder.create(recorded.recording_id)
        made, called = created.subroutine_id, tool_name(created.name)
        async with in_process.connect(more_tools=subroutine_tools) as tools:
            listed = {each.name: each for each in (await tools.client.list_tools()).tools}
            schema = listed[f"run_{called}"].input_schema
            assert list(schema["properties"]) == ["session", "title", "text"]
            assert schema["required"] == ["title", "text"]
            assert f"{called}(title: string, text: string) at {app.url}: " in await tools("subroutine")
            assert "done" in await tools(f"run_{called}", title="By a tool", text="x")
            assert "done" in await tools("subroutine", run=made, parameters='{"title": "By its id", "text": "x"}')
            assert recorder.titles()[-2:] == ["By a tool", "By its id"]
            again = await tools.refused(f"run_{called}", title="By a tool", text="x")
            assert "there is a note called" in again
            assert "title" in await tools.refused(f"run_{called}", text="x")
            assert "UNKNOWN_SUBROUTINE" in await tools.refused("subroutine", run="none_such")
        await recorder.delete(made)
