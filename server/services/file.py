"""FileService: downloads to clients, uploads from them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from perception.errors import BadInputError
from perception.server.actions.printing import print_tab
from perception.server.convert.printing import pdf_options
from perception.server.convert.sessions import download_message
from perception.server.files.reading import find_complete, read_parts
from perception.server.files.uploads import UploadHead
from perception.server.rpc_call import current, name_session, transfer_deadline_of
from perception.server.services.service_context import OfService
from perception.v1 import file_service_pb2 as pb
from perception.v1.file_service_pb2_grpc import FileServiceServicer

CANCELLED_SECONDS = 0.005
"""After the end of a stream gRPC says within two turns of the event loop that its client cancelled (grpcio 1.85)."""


class FileRpcs(OfService, FileServiceServicer):
    """See file_service.proto."""

    async def ReadDownload(  # noqa: N802
        self, request: pb.ReadDownloadRequest, context: Any
    ) -> AsyncIterator[pb.ReadDownloadResponse]:
        deadline = transfer_deadline_of(context, self._service.settings)
        session = self._service.sessions.get(request.session_id)
        download = await find_complete(session.browser.downloads, request.download_id, deadline)
        described: Any = download_message(download)
        async with aclosing(read_parts(download, request.offset, deadline)) as parts:
            async for part in parts:
                yield pb.ReadDownloadResponse(
                    data=part.data, offset=part.offset, download=described, sha256=part.sha256
                )
                described = None

    async def StreamUpload(  # noqa: N802
        self, requests: AsyncIterator[pb.StreamUploadRequest], context: Any
    ) -> pb.StreamUploadResponse:
        deadline = transfer_deadline_of(context, self._service.settings)
        async with deadline.phase("waiting for the first message of the upload"):
            first = await anext(requests, None)
        if first is None:
            raise BadInputError(
                "the stream had no message: the first one names session_id and name", field="session_id"
            )
        name_session(first.session_id)
        call = current()
        assert call is not None  # this one
        async with self._service.sessions.gate(call, first, context):
            session = self._service.sessions.get(first.session_id)
            size = first.size_bytes if first.HasField("size_bytes") else None
            head = UploadHead(first.name, size, first.sha256)
            done = await session.uploads.receive(head, _data_of(first, requests), deadline)
            context.add_done_callback(lambda ended: None if ended.done() else session.uploads.drop(done))
        return pb.StreamUploadResponse(upload_id=done.upload_id, size_bytes=done.size_bytes, sha256=done.sha256)

    async def PrintToPdf(self, request: pb.PrintToPdfRequest, context: Any) -> pb.PrintToPdfResponse:  # noqa: N802
        options, deadline = pdf_options(request.options), self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        async with session.use_tab(request.tab_id, deadline) as tab:
            download = await print_tab(
                session, tab, options, request.name, reveal=request.reveal_sensitive, deadline=deadline
            )
        return pb.PrintToPdfResponse(download=download_message(download))


async def _data_of(first: pb.StreamUploadRequest, rest: AsyncIterator[pb.StreamUploadRequest]) -> AsyncIterator[bytes]:
    """The bytes of the messages. Raises BadInputError for a later one that says more than bytes.

    A client that cancels ends the stream like one that has sent all, and the call a moment later.
    """
    yield first.data
    async for request in rest:
        if any(field.name != "data" for field, _ in request.ListFields()):
            raise BadInputError(
                "a later message of the stream has more than `data`: only the first one has", field="data"
            )
        yield request.data
    await asyncio.sleep(CANCELLED_SECONDS)
