"""Connections: to a service at an address, or to one that is started for the client."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

import grpc

from perception.client._async.client_rpcs import AsyncClientRpcs
from perception.client._async.page import AsyncPage
from perception.client.access import AsyncChannel, check_connection, open_async_channel, prepare_access
from perception.client.child import ChildError, ServiceChild
from perception.client.errors import RemoteError, describe_no_answer, unavailable
from perception.client.fields import SessionFields
from perception.client.file_saving import SavedFile, download_part, is_worth_continuing
from perception.client.message_fields import message_of, timeout_of, wrong
from perception.client.requests import create_request, image_bytes
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import video_service_pb2 as video_pb


async def aconnect(
    address: str | None = None, *, allow_hosts: Sequence[str] = (), timeout_s: float = 60.0, **access: Any
) -> AsyncClient:
    """Connects to the service at an address (`HOST:PORT` or `unix:PATH`), or to one started for this client.

    Args:
        address: where the service listens; None to start one.
        allow_hosts: private hosts that a service started here may open pages of.
        timeout_s: the deadline, in seconds, of each call that sets none.
        access: as of `perception.client.access.prepare_access`: `token` or `token_file`; `root_certificates`,
            `client_certificate` and `client_key` (PEM files); `tls`, on by default for other machines. A service
            started here needs none of it.

    Raises:
        RemoteError: no service answers there, or the service did not start.
        BadInputError: a file cannot be read, a token would be sent unencrypted to another machine, or the timeout is
            no number over 0.
    """
    timeout_s = timeout_of(timeout_s, 60.0)
    check_connection(address, access)
    child = None
    if address:
        shown = prepare_access(address, **access)
    else:
        try:
            child = await ServiceChild.astart(allow_hosts)
        except ChildError as exc:
            raise unavailable(str(exc)) from None
        address, shown = child.address, child.access
    client = AsyncClient(open_async_channel(address, shown), child, timeout_s)
    try:
        await client.is_serving()
    except RemoteError as exc:
        await client.close()
        raise describe_no_answer(exc, address, tls=shown.tls) from None  # which says all that its cause does
    except BaseException:
        await client.close()
        raise
    return client


class AsyncClient(AsyncClientRpcs):
    """A connection to a service. A context manager; `close` ends the service if it was started for this client."""

    def __init__(self, channel: AsyncChannel, child: ServiceChild | None, timeout_s: float) -> None:
        super().__init__(channel, timeout_s)
        self._child = child

    async def open(
        self,
        url: str = "",
        *,
        cdp_endpoint: str = "",
        cdp_target_id: str = "",
        request_id: str = "",
        timeout_s: float | None = None,
        **options: Unpack[SessionFields],
    ) -> AsyncPage:
        """Opens a new session, at a URL if one is given.

        Args:
            url: http, https, data or about:blank; an empty tab when empty. `page.dialogs()` has the dialog that
                it opens.
            cdp_endpoint: of a running Chromium to use in place of the service's own.
            cdp_target_id: of a tab that is open there, to work in it.
            request_id: a repeated call with the same id returns the same session; empty for none.
            timeout_s: seconds for all of it; the client's when None.
            options: fields of SessionOptions: `viewport=(1280, 800)`, or with the scale `(390, 844, 3)`; `locale`,
                `timezone`, `color_scheme="dark"`, `idle_timeout` (seconds), `allow_evaluate`, `allowed_origins`,
                `dedicated_browser`, `no_look_ahead`; `device="iPhone 15"`, `mobile`, `touch`, `user_agent`;
                `state` as of `import_state` (`page.state_omitted` says what of it was not taken); `profile="shop"`,
                `profile_read_only`; `video={}` films all of it, see `videos`.
        """
        request = create_request(url, cdp_endpoint, request_id, options, cdp_target_id)
        reply = await self.call(self.sessions.CreateSession, request, timeout_s)
        return AsyncPage(self, reply.session.session_id, reply.state_omitted)

    async def attach(self, session_id: str, *, timeout_s: float | None = None) -> AsyncPage:
        """Continues an open session, also one that another process opened: what it needs is `page.session_id`.

        In a `with` block the page is closed at its end, as one that was opened here: without, it stays open.

        Raises:
            RemoteError: there is no such session for this caller (UNKNOWN_SESSION), or it has ended, and why
                (SESSION_EXPIRED, SESSION_LOST).
        """
        if not isinstance(session_id, str):
            raise wrong("session_id", session_id, "a str, the session_id of a page")
        request = session_pb.GetSessionRequest(session_id=session_id)
        reply = await self.call(self.sessions.GetSession, request, timeout_s)
        return AsyncPage(self, reply.session.session_id)

    async def parse_image(
        self,
        image: bytes | str | os.PathLike[str],
        *,
        detectors: Sequence[str] = (),
        scale: float = 0,
        annotated: bool = False,
        timeout_s: float | None = None,
    ) -> detection_pb.ParseImageResponse:
        """What is in any screenshot, by its pixels alone: `snapshot`, and `annotated` if asked for. Needs no session.

        Args:
            image: bytes of a PNG, JPEG, WebP, BMP or GIF file of at most 50 megapixels, or the path of one.
            detectors: by name; the service's defaults when empty.
            scale: image pixels per unit of the boxes, such as 2 for a screenshot with two pixels for each CSS px; when
                0, boxes are in image pixels, and how many there are for each CSS px is guessed.
            annotated: with the image, boxes and refs drawn on it.
            timeout_s: seconds for all of it; the client's when None.

        Raises:
            BadInputError: the file cannot be read.
        """
        fields = {
            "image": image_bytes(image),
            "detectors": detectors,
            "scale": scale,
            "include_annotated": annotated,
        }
        request = message_of(detection_pb.ParseImageRequest, fields)
        parsed: detection_pb.ParseImageResponse = await self.call(self.detection.ParseImage, request, timeout_s)
        return parsed

    async def save_video(
        self, path: str | os.PathLike[str], video: str | video_pb.Video, *, timeout_s: float | None = None
    ) -> Path:
        """Saves a finished video on this machine, and returns its path; also one whose session has ended.

        Args:
            path: of the file, which is replaced; or an existing folder, where it gets the video's own name.
            video: of `videos()`, or its id.
            timeout_s: seconds for each connection; the client's when None.
        """
        wanted = video if isinstance(video, str) else video.video_id
        with SavedFile(path) as saved:
            while True:
                before = saved.size
                request = message_of(video_pb.ReadVideoRequest, {"video_id": wanted, "offset": saved.size})
                deadline_s = timeout_of(timeout_s, self.timeout_s)
                stream = self.video.ReadVideo(request, timeout=deadline_s, metadata=self.metadata)
                try:
                    async for part in stream:
                        saved.take(download_part(part))
                    return saved.finish()
                except grpc.RpcError as exc:
                    error = RemoteError.of(exc)
                    if not is_worth_continuing(error, saved.size - before):
                        raise error from exc
                finally:
                    stream.cancel()

    async def delete_video(self, video: str | video_pb.Video, *, timeout_s: float | None = None) -> None:
        """Deletes a finished video. Raises RemoteError with UNKNOWN_VIDEO where there is none."""
        wanted = video if isinstance(video, str) else video.video_id
        request = message_of(video_pb.DeleteVideoRequest, {"video_id": wanted})
        await self.call(self.video.DeleteVideo, request, timeout_s)

    async def close(self) -> None:
        """Closes the connection. Safe to call twice."""
        self._is_closed = True
        try:
            await self.channel.close()
        finally:
            if self._child:
                await self._child.astop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
