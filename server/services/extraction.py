"""ExtractionService: what can be acted on, with durable selectors, and what a person reads."""

from __future__ import annotations

from typing import Any

from perception.errors import NotImplementedYetError
from perception.server.content import extract_content
from perception.server.services.base import Rooms
from perception.v1 import extraction_service_pb2 as pb
from perception.v1.extraction_service_pb2_grpc import ExtractionServiceServicer


class ExtractionRpcs(ExtractionServiceServicer):
    """See extraction_service.proto."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def ExtractInteractables(  # noqa: N802
        self, request: pb.ExtractInteractablesRequest, context: Any
    ) -> pb.ExtractInteractablesResponse:
        raise NotImplementedYetError("not yet")

    async def ExtractContent(self, request: pb.ExtractContentRequest, context: Any) -> pb.ExtractContentResponse:  # noqa: N802
        session = self._rooms.sessions.get(request.session_id)
        return await extract_content(session, request, self._rooms.budget(context))
