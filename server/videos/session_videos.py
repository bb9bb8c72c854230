"""The videos of one session."""

from __future__ import annotations

import asyncio
from functools import partial

from perception.browser.opening import await_opened, begin_closing
from perception.browser.page.download import Download
from perception.errors import UnknownVideoError, VideoLimitError
from perception.server.videos.store import OpenVideo
from perception.server.videos.tab_video import FinishedVideo, TabVideo, VideoSource
from perception.server.videos.videos import Videos
from perception.video import VideoEncoder, VideoEnd, VideoOptions, require_encoder

MAX_OF_SESSION = 4
"""Videos of one session that are made at once. Chosen by hand."""

KEPT_ENDED = 20
"""Ended videos of a session that StopVideo still answers."""


class SessionVideos:
    """By id: those that are being made, and the last ones that have ended.

    Attributes:
        downloads: of those that were stopped, by video id.
        whole: the options of the video of the whole session; None for none.
    """

    def __init__(self, videos: Videos, session_id: str, principal: str, source: VideoSource) -> None:
        self._service, self._session_id, self._principal = videos, session_id, principal
        self._source = source
        self._videos: dict[str, TabVideo] = {}
        self._is_closed = False
        self.downloads: dict[str, Download] = {}
        self.whole: VideoOptions | None = None

    @property
    def running(self) -> list[TabVideo]:
        return [each for each in self._videos.values() if each.is_running]

    async def start(self, tab_id: str, options: VideoOptions) -> TabVideo:
        """Begins a video.

        Args:
            tab_id: empty for one that follows the selected tab.

        Raises:
            VideoUnavailableError: there is no encoder.
            VideoLimitError: too many are being made.
            UnknownTabError, OSError
        """
        await asyncio.to_thread(require_encoder, options.format)  # loading FFmpeg takes 0.1 s
        tab_id = self._source.find_tab(tab_id).tab_id if tab_id else ""
        self._service.take_place()
        try:
            self._require_room()
            opened = await self._open(tab_id, options)
        except BaseException:
            self._service.give_place_back()
            raise
        store = self._service.store
        video = TabVideo(self._source, store, options, opened, tab_id, VideoEncoder(opened.file, options))
        video.begin(self._service.give_place_back)
        self._videos[video.video_id] = video
        self._forget_ended()
        if self._is_closed:
            await video.stop(VideoEnd.SESSION_ENDED)
        try:
            await video.first_picture()
        except asyncio.CancelledError:  # nobody would know of the video
            begin_closing(video.stop())
            raise
        return video

    def find(self, video_id: str) -> TabVideo:
        """A video by id; the only one that is being made for "". Raises UnknownVideoError."""
        running = self.running
        if not video_id and len(running) == 1:
            return running[0]
        if (found := self._videos.get(video_id)) is not None:
            return found
        listed = ", ".join(each.video_id for each in running)
        there = f"it makes {listed}" if running else "it makes none: StartVideo begins one"
        asked = f"this session has no video {video_id[:40]!r}" if video_id else "it is not said which video to stop"
        if not video_id and not running:
            asked = "there is no video to stop in this session"
        raise UnknownVideoError(f"{asked}; {there}", video=video_id[:40])

    async def stop(self, video_id: str) -> FinishedVideo:
        """Ends a video. Raises as `find`."""
        return await self.find(video_id).stop()

    async def close(self) -> None:
        """Ends those that are being made: the session ends."""
        self._is_closed = True
        ending = [each.stop(VideoEnd.SESSION_ENDED) for each in self.running]
        await asyncio.gather(*ending, return_exceptions=True)

    async def _open(self, tab_id: str, options: VideoOptions) -> OpenVideo:
        create = partial(self._service.store.create, self._principal, self._session_id, tab_id, options.format.value)
        store = self._service.store
        return await await_opened(
            asyncio.to_thread(create), lambda opened: asyncio.to_thread(store.finish, opened, opened.record)
        )

    def _require_room(self) -> None:
        if len(self.running) >= MAX_OF_SESSION:
            raise VideoLimitError(
                f"the session makes {MAX_OF_SESSION} videos, its limit: stop one of "
                f"{', '.join(each.video_id for each in self.running)}",
                limit=str(MAX_OF_SESSION),
            )

    def _forget_ended(self) -> None:
        ended = [each for each in self._videos.values() if not each.is_running]
        for each in ended[: max(0, len(ended) - KEPT_ENDED)]:
            del self._videos[each.video_id]
            self.downloads.pop(each.video_id, None)
