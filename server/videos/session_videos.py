"""The videos of one session."""

from __future__ import annotations

import asyncio
from functools import partial

from perception.errors import UnknownVideoError, VideoLimitError
from perception.server.environment import how_to_set
from perception.server.videos.store import OpenVideo, VideoStore
from perception.server.videos.tab_video import FinishedVideo, TabVideo, VideoSource
from perception.video import VideoEncoder, VideoEnd, VideoOptions, require_encoder

MAX_OF_SESSION = 4
"""Videos of one session that are made at once. Chosen by hand."""

KEPT_ENDED = 20
"""Ended videos of a session that StopVideo still answers."""


class VideoPlaces:
    """How many videos a service makes at once."""

    def __init__(self, limit: int) -> None:
        self.limit, self.taken = limit, 0

    def take(self) -> None:
        """Raises VideoLimitError where there is none left."""
        if self.taken >= self.limit:
            raise VideoLimitError(
                f"the service makes {self.taken} videos, its limit: stop one, or start it with more "
                f"({how_to_set('max_videos')})",
                limit=str(self.limit),
            )
        self.taken += 1

    def give_back(self, _: object = None) -> None:
        self.taken -= 1


class SessionVideos:
    """Of one session, by id: those that are being made, and the last ones that have ended."""

    def __init__(
        self, session_id: str, principal: str, source: VideoSource, store: VideoStore, places: VideoPlaces
    ) -> None:
        self._session_id, self._principal = session_id, principal
        self._source, self._store, self._places = source, store, places
        self._videos: dict[str, TabVideo] = {}
        self._is_closed = False

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
        if len(self.running) >= MAX_OF_SESSION:
            raise VideoLimitError(
                f"the session makes {MAX_OF_SESSION} videos, its limit: stop one of "
                f"{', '.join(each.video_id for each in self.running)}",
                limit=str(MAX_OF_SESSION),
            )
        self._places.take()
        try:
            opened = await self._open(tab_id, options)
        except BaseException:
            self._places.give_back()
            raise
        video = TabVideo(self._source, self._store, options, opened, tab_id, VideoEncoder(opened.file, options))
        video.begin(self._places.give_back)
        self._videos[video.video_id] = video
        self._forget_ended()
        if self._is_closed:
            await video.stop(VideoEnd.SESSION_ENDED)
        return video

    async def _open(self, tab_id: str, options: VideoOptions) -> OpenVideo:
        create = partial(self._store.create, self._principal, self._session_id, tab_id, options.format.value)
        return await asyncio.to_thread(create)

    def find(self, video_id: str) -> TabVideo:
        """A video by id; the only one that is being made for "". Raises UnknownVideoError."""
        running = self.running
        if not video_id and len(running) == 1:
            return running[0]
        if (found := self._videos.get(video_id)) is not None:
            return found
        listed = ", ".join(each.video_id for each in running) or "none: StartVideo begins one"
        asked = f"no video {video_id[:40]!r} of this session" if video_id else "which video to stop is not said"
        raise UnknownVideoError(f"{asked}: being made are {listed}", video=video_id[:40])

    async def close(self) -> None:
        """Ends those that are being made: the session ends."""
        self._is_closed = True
        ending = [each.stop(VideoEnd.SESSION_ENDED) for each in self.running]
        await asyncio.gather(*ending, return_exceptions=True)

    def _forget_ended(self) -> None:
        ended = [each for each in self._videos.values() if not each.is_running]
        for each in ended[: max(0, len(ended) - KEPT_ENDED)]:
            del self._videos[each.video_id]


__all__ = ["FinishedVideo", "SessionVideos", "VideoPlaces"]
