"""ExtractionService: what can be acted on, with durable selectors, and what a person reads."""

from __future__ import annotations

import time
from typing import Any

from perception.server.content import extract_content
from perception.server.interactables import check_request, list_interactables, serve_page
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
        started_s = time.perf_counter()
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        size = check_request(request)
        if request.page_token:
            list_id, start, kept = session.lists.find(request.page_token)
            async with session.use_tab(kept.tab_id, budget) as tab:
                return await serve_page(session, tab, kept, list_id, start, size, started_s, budget)
        async with session.use_tab(request.tab_id, budget) as tab:
            kept = await list_interactables(self._rooms.pool, session, tab, request, budget)
            list_id = session.lists.keep(kept) if len(kept.elements) > size else ""
            return await serve_page(session, tab, kept, list_id, 0, size, started_s, budget)

    async def ExtractContent(self, request: pb.ExtractContentRequest, context: Any) -> pb.ExtractContentResponse:  # noqa: N802
        session = self._rooms.sessions.get(request.session_id)
        return await extract_content(session, request, self._rooms.budget(context))
