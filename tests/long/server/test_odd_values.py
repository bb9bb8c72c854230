"""Values that no file, no JSON and no page has: each is refused with a sentence that says what to do."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import page_tool_service_pb2 as page_tool_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1 import types_pb2 as types_pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub
from tests.support.lent_browser import borrowing


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("odd")


@pytest.fixture(scope="module")
async def client(service: Service, folder: Path) -> AsyncIterator[AsyncClient]:
    """Of a service with an upload directory."""
    (folder / "files").mkdir()
    settings = Settings(address="127.0.0.1:0", data_dir=folder / "data", upload_dir=folder / "files")
    async with borrowing(service, settings) as (_, port):
        client = await aconnect(f"127.0.0.1:{port}", timeout_s=20)
        yield client
        await client.close()


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    page = await client.open("data:text/html,<input type=file id=f>", allow_evaluate=True)
    yield page
    await page.close()


async def refusal(client: AsyncClient, method: Any, request: Any) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await client.call(method, request)
    return caught.value


@pytest.mark.parametrize("name", ["x" * 256, "ä" * 128, f"a/{'b' * 300}.txt", "a/" * 600, "x" * 100_000])
async def test_a_file_name_that_is_too_long_is_refused(client: AsyncClient, page: AsyncPage, name: str) -> None:
    request = action_pb.UploadFilesRequest(session_id=page.session_id, paths=[name])
    request.target.selector = "#f"
    error = await refusal(client, client.actions.UploadFiles, request)
    assert (error.code, error.field) == (grpc.StatusCode.INVALID_ARGUMENT, "paths")
    assert "is too long for a file name" in str(error)


async def test_an_upload_directory_that_is_gone_has_no_files(
    client: AsyncClient, page: AsyncPage, folder: Path
) -> None:
    (folder / "files").rmdir()
    request = action_pb.UploadFilesRequest(session_id=page.session_id, paths=["missing.txt"])
    request.target.selector = "#f"
    error = await refusal(client, client.actions.UploadFiles, request)
    assert error.code is grpc.StatusCode.NOT_FOUND
    (folder / "files").mkdir()


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
async def test_numbers_that_json_does_not_have_are_refused(client: AsyncClient, page: AsyncPage, number: float) -> None:
    tool = page_tool_pb.CallPageToolRequest(session_id=page.session_id, name="pay")
    tool.arguments.fields["amount"].struct_value.fields["x"].number_value = number
    error = await refusal(client, client.page_tools.CallPageTool, tool)
    assert (error.code, error.field) == (grpc.StatusCode.INVALID_ARGUMENT, "arguments")
    assert "NaN or Infinity" in str(error)
    run = subroutine_pb.RunSubroutineRequest(session_id=page.session_id, subroutine_id="none")
    run.parameters.fields["amount"].list_value.values.add().number_value = number
    error = await refusal(client, SubroutineServiceStub(client.channel).RunSubroutine, run)
    assert (error.code, error.field) == (grpc.StatusCode.INVALID_ARGUMENT, "parameters")
    assert "NaN or Infinity" in str(error)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
async def test_a_coordinate_that_is_no_point_is_refused(client: AsyncClient, page: AsyncPage, number: float) -> None:
    target = types_pb.Target(coordinate=types_pb.Coordinate(x=number, y=5))
    ask = action_pb.EvaluateRequest(session_id=page.session_id, expression="e => e.tagName", target=target)
    for method, request in (
        (client.actions.Evaluate, ask),
        (client.actions.Click, action_pb.ClickRequest(session_id=page.session_id, target=target)),
    ):
        error = await refusal(client, method, request)
        assert (error.code, error.field) == (grpc.StatusCode.INVALID_ARGUMENT, "target.coordinate")
