"""Subroutines for Python programs: record, create, list, run, and run over many rows.

with perception.connect() as client, client.open("https://example.org/new") as page:
    tools = Subroutines(client)
    recording = tools.start(page)
    ...  # do the task, by page.click and the like
    made = tools.create(tools.stop(page, recording).recording_id, name="add_item")
    print(tools.run(page, made.subroutine_id, {"title": "Milk"}).success)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict

from perception.client import Client, Page
from perception.v1 import subroutine_service_pb2 as pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub


class Subroutines:
    """The SubroutineService of a client. Everything here raises RemoteError."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.stub = SubroutineServiceStub(client.channel)

    def start(self, page: Page, tab_id: str = "") -> str:
        """Begins to record a tab. Returns the recording's id."""
        request = pb.StartRecordingRequest(session_id=page.session_id, tab_id=tab_id)
        recording_id: str = self._client.call(self.stub.StartRecording, request).recording_id
        return recording_id

    def stop(self, page: Page, recording_id: str) -> pb.StopRecordingResponse:
        """Ends a recording, and says what is in it."""
        request = pb.StopRecordingRequest(session_id=page.session_id, recording_id=recording_id)
        stopped: pb.StopRecordingResponse = self._client.call(self.stub.StopRecording, request)
        return stopped

    def create(self, *recording_ids: str, name: str, description: str = "", plan: str = "") -> pb.Subroutine:
        """Makes a subroutine of one recording, or of two of the same task.

        Args:
            plan: `dom`, `network` or `hybrid`; empty leaves the choice to the service.
        """
        request = pb.CreateSubroutineRequest(
            recording_ids=recording_ids,
            name=name,
            description=description,
            plan=f"PLAN_KIND_{plan.upper() or 'UNSPECIFIED'}",
        )
        made: pb.Subroutine = self._client.call(self.stub.CreateSubroutine, request).subroutine
        return made

    def all(self, origin: str = "") -> list[pb.Subroutine]:
        """Those of an origin, or all."""
        return list(self._client.call(self.stub.ListSubroutines, pb.ListSubroutinesRequest(origin=origin)).subroutines)

    def tools(self, origin: str = "") -> list[dict[str, Any]]:
        """The same as agents take them: name, description, and the JSON Schema of the parameters."""
        return [tool_of(each) for each in self.all(origin)]

    def delete(self, subroutine_id: str) -> None:
        self._client.call(self.stub.DeleteSubroutine, pb.DeleteSubroutineRequest(subroutine_id=subroutine_id))

    def run(
        self,
        page: Page,
        subroutine_id: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        request_id: str = "",
        tab_id: str = "",
        timeout_s: float | None = None,
    ) -> pb.RunSubroutineResponse:
        """Runs one. What the site refused is in the answer; a RemoteError says that it was not begun."""
        request = pb.RunSubroutineRequest(
            session_id=page.session_id, tab_id=tab_id, subroutine_id=subroutine_id, request_id=request_id
        )
        request.parameters.update(dict(parameters or {}))
        done: pb.RunSubroutineResponse = self._client.call(self.stub.RunSubroutine, request, timeout_s)
        return done


def tool_of(made: pb.Subroutine) -> dict[str, Any]:
    """A subroutine as a tool. Lengths in its schema are whole numbers again, which a Struct has not."""
    schema = MessageToDict(made.parameters_schema)
    return {
        "name": made.subroutine_id,
        "description": made.description or made.name,
        "parameters": _whole(schema),
    }


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
