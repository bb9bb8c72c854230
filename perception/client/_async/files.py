"""Files of a session by their bytes."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Unpack

import grpc

from perception.client._async.session import AsyncSession
from perception.client.errors import RemoteError
from perception.client.fields import PdfFields
from perception.client.file_saving import SavedFile, is_worth_continuing
from perception.client.file_sending import SentFile
from perception.client.message_fields import message_of, timeout_of
from perception.client.requests import pdf_request
from perception.client.sent_streams import ending_as_answered
from perception.v1 import file_service_pb2 as file_pb
from perception.v1 import types_pb2 as pb

Progress = Callable[[int, int], object]
"""Called with the bytes that have arrived, and those of the whole file."""


class AsyncFiles(AsyncSession):
    """A session and its files."""

    async def save_download(
        self,
        path: str | os.PathLike[str],
        download: str | pb.Download = "",
        *,
        on_progress: Progress | None = None,
        timeout_s: float | None = None,
    ) -> Path:
        """Saves a download of the session on this machine, and returns its path.

        A connection that breaks is continued from where it was. The file appears when it is complete and has the
        SHA-256 of the service's.

        Args:
            path: of the file, which is replaced; or an existing folder, where it gets the download's own name.
            download: of `downloads()` or of an action's result, or its id; the newest one when empty. One that is in
                progress is waited for.
            on_progress: called after each part with the bytes so far and in all.
            timeout_s: seconds for each connection; it may be continued as long as bytes arrive. The client's when None.
        """
        wanted = download if isinstance(download, str) else download.download_id
        with SavedFile(path) as saved:
            while True:
                before = saved.size
                try:
                    async with aclosing(self.read_download(wanted, saved.size, timeout_s=timeout_s)) as parts:
                        async for part in parts:
                            saved.take(part)
                            if on_progress is not None:
                                on_progress(saved.size, saved.total)
                    return saved.finish()
                except RemoteError as exc:
                    if not is_worth_continuing(exc, saved.size - before):
                        raise
                wanted = saved.download.download_id if saved.download is not None else wanted

    async def pdf(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        tab_id: str = "",
        reveal_sensitive: bool = False,
        timeout_s: float | None = None,
        **options: Unpack[PdfFields],
    ) -> Path | bytes:
        """Prints the page to a PDF: a file of this machine, or its bytes where no path is given.

        Args:
            path: of the file, which is replaced; or an existing folder, where it gets the page's title as name.
            tab_id: the selected tab when empty.
            reveal_sensitive: also a page with private content, such as card numbers; never a password in plain text.
            timeout_s: seconds for the printing, and for each connection of the transfer; the client's when None.
            options: fields of PdfOptions: `paper="letter"`, or `paper_size=(210, 297)` in mm; `landscape`, `margins`
                in mm, one for all edges or (top, right, bottom, left); `page_ranges="1-3, 5"`, `background`, `scale`,
                `prefer_css_page_size`.
        """
        request = pdf_request(self.session_id, tab_id, reveal_sensitive, options)
        reply = await self._client.call(self._client.files.PrintToPdf, request, timeout_s)
        if path is not None:
            return await self.save_download(path, reply.download, timeout_s=timeout_s)
        async with aclosing(self.read_download(reply.download.download_id, timeout_s=timeout_s)) as parts:
            return b"".join([part.data async for part in parts])

    async def send_file(
        self,
        path: str | os.PathLike[str],
        *,
        name: str = "",
        on_progress: Progress | None = None,
        timeout_s: float | None = None,
    ) -> str:
        """Sends a file of this machine to the service, of any size that the session takes, and returns its upload id:
        `page.upload("#file", uploads=[page.send_file("video.mp4")])`.

        Args:
            path: of the file.
            name: that the page sees; the file's own when empty.
            on_progress: called after each part with the bytes so far and in all.
            timeout_s: seconds for all of it; the client's when None.

        Raises:
            BadInputError: the file cannot be read.
        """
        with SentFile(path, name) as sent:

            async def requests() -> AsyncGenerator[file_pb.StreamUploadRequest, None]:
                for request in sent.requests(self.session_id):
                    yield request
                    if on_progress is not None:
                        on_progress(sent.size, sent.total)

            reply = await self._client.call(ending_as_answered(self._client.files.StreamUpload), requests(), timeout_s)
            sent.check(reply)
        upload_id: str = reply.upload_id
        return upload_id

    async def read_download(
        self, download_id: str = "", offset: int = 0, *, timeout_s: float | None = None
    ) -> AsyncGenerator[file_pb.ReadDownloadResponse, None]:
        """The parts of a download from an offset on; `save_download` puts them into a file.

        Args:
            download_id: the newest download when empty.
            offset: bytes that are there already.
            timeout_s: seconds for all of it; the client's when None.
        """
        fields = {"session_id": self.session_id, "download_id": download_id, "offset": offset}
        request = message_of(file_pb.ReadDownloadRequest, fields)
        deadline_s = timeout_of(timeout_s, self._client.timeout_s)
        stream = self._client.files.ReadDownload(request, timeout=deadline_s, metadata=self._client.metadata)
        try:
            async for part in stream:
                yield part
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()
