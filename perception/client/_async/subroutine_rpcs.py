"""Calls about subroutines that are their requests.

Made from proto/ by .ci/client_methods.py. Not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perception.client._async.calls import AsyncCalls
from perception.client.message_fields import message_of
from perception.v1 import subroutine_service_pb2 as subroutine_pb


class AsyncSubroutineRpcs:
    """Calls of the SubroutineService that are their requests."""

    _client: AsyncCalls
    stub: Any

    async def all(self, origin: str = "", *, timeout_s: float | None = None) -> list[subroutine_pb.Subroutine]:
        """The subroutines of an origin, or all."""
        request = message_of(subroutine_pb.ListSubroutinesRequest, {"origin": origin})
        reply: subroutine_pb.ListSubroutinesResponse = await self._client.call(
            self.stub.ListSubroutines, request, timeout_s
        )
        return list(reply.subroutines)

    async def get(self, subroutine_id: str, *, timeout_s: float | None = None) -> subroutine_pb.Subroutine:
        """One by its id, with the text about its recording (`context`)."""
        request = message_of(subroutine_pb.GetSubroutineRequest, {"subroutine_id": subroutine_id})
        reply: subroutine_pb.GetSubroutineResponse = await self._client.call(
            self.stub.GetSubroutine, request, timeout_s
        )
        return reply.subroutine

    async def update(
        self,
        subroutine_id: str,
        body: str = "",
        *,
        description: str | None = None,
        rename: Mapping[str, str] | None = None,
        parameter_descriptions: Mapping[str, str] | None = None,
        etag: str = "",
        validate_only: bool = False,
        timeout_s: float | None = None,
    ) -> subroutine_pb.Subroutine:
        """Stores a changed script, whoever wrote it, if it does what was recorded; else nothing is stored
        (SCRIPT_CHECK_FAILED lists what differs). It is checked without any site, by dry runs against made-up answers.

        Args:
            body: the new script; empty leaves it.
            description: what it does; unset leaves it.
            rename: new names of parameters by the present ones, together with a script that uses the new names.
            parameter_descriptions: by the new names; those that are not named stay.
            etag: `Subroutine.etag` of the version that was changed: another version is not overwritten
                (SUBROUTINE_CHANGED). Empty for any.
            validate_only: checks everything and stores nothing.
        """
        request = message_of(
            subroutine_pb.UpdateSubroutineRequest,
            {
                "subroutine_id": subroutine_id,
                "body": body,
                "description": description,
                "rename": rename,
                "parameter_descriptions": parameter_descriptions,
                "etag": etag,
                "validate_only": validate_only,
            },
        )
        reply: subroutine_pb.UpdateSubroutineResponse = await self._client.call(
            self.stub.UpdateSubroutine, request, timeout_s
        )
        return reply.subroutine

    async def delete(self, subroutine_id: str, *, timeout_s: float | None = None) -> None:
        """Deletes a subroutine and its files."""
        request = message_of(subroutine_pb.DeleteSubroutineRequest, {"subroutine_id": subroutine_id})
        await self._client.call(self.stub.DeleteSubroutine, request, timeout_s)
