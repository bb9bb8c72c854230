"""FileService: downloads to clients, uploads from them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from perception.server.convert.sessions import download_message
from perception.server.files.reading import find_complete, read_parts
from perception.server.rpc_call import transfer_deadline_of
from perception.server.services.service_context import ServiceContext
from perception.v1 import file_service_pb2 as pb
from perception.v1.file_service_pb2_grpc import FileServiceServicer


class FileRpcs(FileServiceServicer):
    """See file_service.proto."""

    def __init__(self, service: ServiceContext) -> None:
        self._service = service

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
