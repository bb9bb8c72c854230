"""ExtractionService: what can be acted on, with durable selectors, and what a person reads."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from perception.browser.capture.raw_html import read_raw_html
from perception.errors import UnknownCursorError
from perception.server.convert.extraction import (
    check_continues,
    content_request,
    content_response,
    interactables_request,
    interactables_response,
    page_size,
)
from perception.server.extraction.content import paginate_content, read_tab_content
from perception.server.extraction.interactables import list_interactables, read_page
from perception.server.extraction.pdf import read_pdf_tab
from perception.server.extraction.raw_html import save_raw_html
from perception.server.services.service_context import OfService
from perception.server.sessions.document_notes import PDF
from perception.server.sessions.session import Session
from perception.server.sessions.snapshot_taking import engine_context
from perception.v1 import extraction_service_pb2 as pb
from perception.v1.extraction_service_pb2_grpc import ExtractionServiceServicer


class ExtractionRpcs(OfService, ExtractionServiceServicer):
    """See extraction_service.proto."""

    async def ExtractInteractables(  # noqa: N802
        self, request: pb.ExtractInteractablesRequest, context: Any
    ) -> pb.ExtractInteractablesResponse:
        started_s = time.perf_counter()
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        size = page_size(request)
        if request.page_token:
            list_id, start, listed = session.shown.lists.find(request.page_token)
            async with session.use_tab(listed.tab_id, deadline) as tab:
                page = await read_page(tab.link, listed, start, size, deadline)
        else:
            asked = interactables_request(request)
            async with session.use_tab(request.tab_id, deadline) as tab:
                listed = await list_interactables(engine_context(session, tab, self._service.pool), asked, deadline)
                list_id = session.shown.lists.keep(listed) if len(listed.elements) > size else ""
                page = await read_page(tab.link, listed, 0, size, deadline)
        return interactables_response(listed, page, list_id, session.fence, started_s)

    async def ExtractContent(self, request: pb.ExtractContentRequest, context: Any) -> pb.ExtractContentResponse:  # noqa: N802
        started_s = time.perf_counter()
        session = self._service.sessions.get(request.session_id)
        if request.cursor:
            return _continue(session, request, started_s)
        asked, deadline = content_request(request), self._service.deadline(context)
        async with session.use_tab(request.tab_id, deadline) as tab:
            if tab.link.mime_type == PDF:
                content = await read_pdf_tab(tab, asked.scope_selector, session.options.max_download_bytes, deadline)
                asked = replace(asked, main_content=False)
            else:
                content = await read_tab_content(tab, asked, deadline)
            raw = await read_raw_html(tab.link, deadline) if asked.save_raw_html else None
        paged = await paginate_content(tab.tab_id, content, asked)
        content_id = session.shown.contents.keep(paged) if len(paged.chunks) > 1 else ""
        saved = await save_raw_html(raw, session.browser.downloads, session.masker) if raw is not None else None
        return content_response(paged, content_id, 0, content.skipped, session.fence, started_s, saved)


def _continue(session: Session, request: pb.ExtractContentRequest, started_s: float) -> pb.ExtractContentResponse:
    """A later page of a content that was read before."""
    content_id, page, kept = session.shown.contents.find(request.cursor)
    if page >= len(kept.chunks):
        raise UnknownCursorError(
            f"{content_id} has {len(kept.chunks)} pieces, there is no number {page}: use a cursor of its answers"
        )
    check_continues(request, content_id, kept)
    return content_response(kept, content_id, page, (), session.fence, started_s)
