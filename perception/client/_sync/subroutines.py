"""Subroutines: record a task, make a subroutine of it, list, run and delete subroutines.

tools = Subroutines(client)
recording_id = tools.start(page)
...  # do the task, by page.click and the like
made = tools.create(tools.stop(page, recording_id).recording_id, name="add_item")
print(tools.run(page, made.subroutine_id, {"title": "Milk"}).success)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perception.client._sync.calls import Calls
from perception.client._sync.page import Page
from perception.client._sync.subroutine_rpcs import SubroutineRpcs
from perception.client.message_fields import message_of, struct_of
from perception.client.plain_values import tools_of
from perception.v1 import subroutine_service_pb2 as pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub


class Subroutines(SubroutineRpcs):
    """The SubroutineService of a client. Every method raises RemoteError where the service refuses the call."""

    def __init__(self, client: Calls) -> None:
        self._client = client
        self.stub = SubroutineServiceStub(client.channel)

    def start(
        self, page: Page, tab_id: str = "", *, include_person: bool = False, timeout_s: float | None = None
    ) -> str:
        """Begins to record a tab, the selected one by default. Returns the recording's id.

        Args:
            page: the session that is recorded.
            tab_id: the selected tab when empty.
            include_person: also what a person does who takes control meanwhile.
            timeout_s: seconds for the call; the client's when None.
        """
        fields = {"session_id": page.session_id, "tab_id": tab_id, "include_person": include_person}
        request = message_of(pb.StartRecordingRequest, fields)
        reply = self._client.call(self.stub.StartRecording, request, timeout_s)
        recording_id: str = reply.recording_id
        return recording_id

    def stop(self, page: Page, recording_id: str, *, timeout_s: float | None = None) -> pb.StopRecordingResponse:
        """Ends a recording once the requests of the last actions are answered. Returns what is in it.

        Args:
            page: the session that is recorded.
            recording_id: as of `start`.
            timeout_s: seconds for all of it; the client's when None. `open_requests` are those that took longer.
        """
        request = pb.StopRecordingRequest(session_id=page.session_id, recording_id=recording_id)
        reply = self._client.call(self.stub.StopRecording, request, timeout_s)
        stopped: pb.StopRecordingResponse = reply
        return stopped

    def create(
        self,
        *recording_ids: str,
        name: str,
        description: str = "",
        plan: str = "",
        rename: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> pb.Subroutine:
        """Makes a subroutine of one recording, or of two of the same task.

        Args:
            recording_ids: one, or two of the same task with other values.
            name: what it is called, such as `add_item`.
            description: what it does, for agents that choose among tools.
            plan: `dom`, `network` or `hybrid`; empty leaves the choice to the service.
            rename: new names of parameters by the names that they have without this.
            timeout_s: seconds for all of it; the client's when None.
        """
        fields = {"recording_ids": recording_ids, "name": name, "description": description}
        request = message_of(pb.CreateSubroutineRequest, fields | {"plan": plan or None, "rename": rename})
        reply = self._client.call(self.stub.CreateSubroutine, request, timeout_s)
        made: pb.Subroutine = reply.subroutine
        return made

    def tools(self, origin: str = "", *, timeout_s: float | None = None) -> list[dict[str, Any]]:
        """The same as agents take them: name, description, and the JSON Schema of the parameters."""
        found = self.all(origin, timeout_s=timeout_s)
        return tools_of(found)

    def run(
        self,
        page: Page,
        subroutine_id: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        request_id: str = "",
        tab_id: str = "",
        all_requests: bool = False,
        timeout_s: float | None = None,
    ) -> pb.RunSubroutineResponse:
        """Runs one. The answer says what the site refused; a RemoteError says that it was not begun.

        Args:
            page: the session it runs in.
            subroutine_id: as of `all`.
            parameters: values by name.
            request_id: a repeated call with the same id does not run it again, and is refused with other parameters;
                empty for none.
            tab_id: the selected tab when empty.
            all_requests: lists every request of the page to its own origin, and not only those that matter.
            timeout_s: seconds for all of it; the client's when None.
        """
        fields = {
            "session_id": page.session_id,
            "tab_id": tab_id,
            "subroutine_id": subroutine_id,
            "parameters": struct_of(parameters or {}, "parameters"),
            "request_id": request_id,
            "all_requests": all_requests,
        }
        request = message_of(pb.RunSubroutineRequest, fields)
        reply = self._client.call(self.stub.RunSubroutine, request, timeout_s)
        answer: pb.RunSubroutineResponse = reply
        return answer
