"""VideoService: videos of tabs, while they are made and after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from perception.browser.page.download import Download, DownloadState
from perception.errors import BadInputError
from perception.server.convert.video_options import decode_video_options
from perception.server.convert.videos import (
    file_name,
    running_message,
    stopped_message,
    video_message,
)
from perception.server.files.reading import read_parts
from perception.server.rpc_call import principal, transfer_deadline_of
from perception.server.services.service_context import OfService
from perception.server.videos.store import KeptVideo
from perception.v1 import video_service_pb2 as pb
from perception.v1.video_service_pb2_grpc import VideoServiceServicer


class VideoRpcs(OfService, VideoServiceServicer):
    """See video_service.proto. No call holds a tab: a page that hangs can be filmed, and its video stopped."""

    async def StartVideo(self, request: pb.StartVideoRequest, context: Any) -> pb.StartVideoResponse:  # noqa: N802
        options = decode_video_options(request.options, "options")
        session = self._service.sessions.get(request.session_id)
        async with self._service.deadline(context).phase("beginning the video"):
            video = await session.videos.start(request.tab_id, options)
        return pb.StartVideoResponse(video_id=video.video_id, video=running_message(video.record))

    async def StopVideo(self, request: pb.StopVideoRequest, context: Any) -> pb.StopVideoResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        videos = session.videos
        video = videos.find(request.video_id)
        async with self._service.deadline(context).phase("ending the video"):
            finished = await video.stop()
        if finished.kept is None:
            assert finished.error is not None
            raise finished.error
        if video.video_id not in videos.downloads:
            kept = finished.kept
            videos.downloads[video.video_id] = session.browser.downloads.adopt(
                file_name(kept.record), kept.path, kept.size_bytes
            )
        return stopped_message(finished, finished.kept, videos.downloads[video.video_id])

    async def ListVideos(self, request: pb.ListVideosRequest, context: Any) -> pb.ListVideosResponse:  # noqa: N802
        kept = await asyncio.to_thread(self._service.sessions.videos.store.list, principal())
        running = {video.video_id: video for each in self._service.sessions.mine for video in each.videos.running}
        messages = [
            running_message(running[each.record.video_id].record, each.size_bytes)
            if each.record.video_id in running
            else video_message(each)
            for each in kept
            if request.of_session_id in ("", each.record.session_id)
        ]
        return pb.ListVideosResponse(videos=messages)

    async def ReadVideo(  # noqa: N802
        self, request: pb.ReadVideoRequest, context: Any
    ) -> AsyncIterator[pb.ReadVideoResponse]:
        deadline = transfer_deadline_of(context, self._service.settings)
        kept = await self._finished(request.video_id)
        described: Any = video_message(kept)
        file = Download(
            "", file_name(kept.record), kept.size_bytes, DownloadState.COMPLETED, kept.path, "", request.video_id
        )
        async with aclosing(read_parts(file, request.offset, deadline)) as parts:
            async for part in parts:
                yield pb.ReadVideoResponse(data=part.data, offset=part.offset, video=described, sha256=part.sha256)
                described = None

    async def DeleteVideo(self, request: pb.DeleteVideoRequest, context: Any) -> pb.DeleteVideoResponse:  # noqa: N802
        await self._finished(request.video_id)
        await asyncio.to_thread(self._service.sessions.videos.store.delete, principal(), request.video_id)
        return pb.DeleteVideoResponse()

    async def _finished(self, video_id: str) -> KeptVideo:
        """A video of the caller that has ended.

        Raises:
            UnknownVideoError: the caller has none of this id.
            BadInputError: it is still being made.
        """
        kept = await asyncio.to_thread(self._service.sessions.videos.store.find, principal(), video_id)
        if kept.end is None:
            raise BadInputError(f"video {video_id} is still being made: end it by StopVideo first", field="video_id")
        return kept
