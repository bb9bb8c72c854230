"""The rpcs of SessionService about what a browser keeps: the state of a session, and profiles."""

from __future__ import annotations

import asyncio
from typing import Any

from perception.browser.storage.foreign import refuse_foreign
from perception.browser.storage.parsing import parse_state
from perception.browser.storage.session_storage import MAX_NOTES
from perception.browser.storage.withheld import withhold_secrets
from perception.server.convert.sessions import parse_origins
from perception.server.convert.states import decode_format, encode_format, marked_notes, profile_message
from perception.server.rpc_call import principal
from perception.server.services.service_context import ServiceContext
from perception.v1 import session_service_pb2 as pb
from perception.v1.session_service_pb2_grpc import SessionServiceServicer


class SessionStateRpcs(SessionServiceServicer):
    """See session_service.proto."""

    _service: ServiceContext

    async def ExportState(self, request: pb.ExportStateRequest, context: Any) -> pb.ExportStateResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        origins = parse_origins(request.origins, "origins")
        session = self._service.sessions.get(request.session_id)
        read = await session.browser.storage.read(deadline, origins, databases=not request.without_indexed_db)
        state, withheld = read.state, list[str]()
        if (masker := session.masker) is not None:
            state, withheld = await asyncio.to_thread(withhold_secrets, state, masker)
        return pb.ExportStateResponse(
            state=state.to_json(),
            cookie_count=len(state.cookies),
            origin_count=len(state.origins),
            omitted=marked_notes([*withheld, *read.omitted][:MAX_NOTES]),
        )

    async def ImportState(self, request: pb.ImportStateRequest, context: Any) -> pb.ImportStateResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        parsed = parse_state(request.state, decode_format(request.format))
        refuse_foreign(parsed.state, session.options.allowed_origins)
        written = await session.browser.storage.write(parsed.state, deadline)
        return pb.ImportStateResponse(
            format=encode_format(parsed.format),
            cookie_count=written.cookies,
            origin_count=written.origins,
            omitted=marked_notes(parsed.omitted + written.omitted),
        )

    async def ListProfiles(self, request: pb.ListProfilesRequest, context: Any) -> pb.ListProfilesResponse:  # noqa: N802
        store = self._service.sessions.profiles.store
        found = await asyncio.to_thread(store.list, principal())
        return pb.ListProfilesResponse(profiles=map(profile_message, found))

    async def DeleteProfile(self, request: pb.DeleteProfileRequest, context: Any) -> pb.DeleteProfileResponse:  # noqa: N802
        store = self._service.sessions.profiles.store
        await asyncio.to_thread(store.delete, principal(), request.name)
        return pb.DeleteProfileResponse()
