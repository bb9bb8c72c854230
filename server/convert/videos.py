"""Videos of tabs, from and to the wire."""

from __future__ import annotations

import time
from collections.abc import Sequence

from perception.browser.page.download import Download
from perception.server.convert.enums import enum_numbers
from perception.server.convert.message_fields import duration_message, timestamp_message
from perception.server.convert.sessions import download_message
from perception.server.convert.video_options import FORMAT_NUMBERS
from perception.server.videos.store import KeptVideo, VideoRecord
from perception.server.videos.tab_video import FinishedVideo
from perception.v1 import video_service_pb2 as pb
from perception.video import Chapter, VideoEnd, VideoFormat

_ENDS = enum_numbers(pb.VideoEnd, VideoEnd)


def running_message(record: VideoRecord, size_bytes: int = 0) -> pb.Video:
    """A video that is being made."""
    duration = duration_message(record.duration_s) if record.duration_s is not None else None
    return pb.Video(
        video_id=record.video_id,
        session_id=record.session_id,
        tab_id=record.tab_id,
        start_time=timestamp_message(record.start_s),
        duration=duration,
        frames=record.frames,
        size_bytes=size_bytes,
        width=record.width,
        height=record.height,
        format=FORMAT_NUMBERS[VideoFormat(record.ending)],
        name=file_name(record),
    )


def video_message(kept: KeptVideo) -> pb.Video:
    message = running_message(kept.record, kept.size_bytes)
    if kept.end is not None:
        message.end, message.message = _ENDS[kept.end], f"the video ended, as {kept.end.value}"
    if kept.expires_s is not None:
        message.expire_time.CopyFrom(timestamp_message(kept.expires_s))
    return message


def stopped_message(finished: FinishedVideo, kept: KeptVideo, download: Download) -> pb.StopVideoResponse:
    return pb.StopVideoResponse(
        download=download_message(download),
        duration=duration_message(finished.facts.duration_s),
        frames=finished.facts.pictures,
        chapters=_chapter_messages(finished.facts.chapters),
        video=video_message(kept),
    )


def file_name(record: VideoRecord) -> str:
    """`video-20260131-120000.webm`, in UTC."""
    return f"video-{time.strftime('%Y%m%d-%H%M%S', time.gmtime(record.start_s))}.{record.ending}"


def _chapter_messages(chapters: Sequence[Chapter]) -> list[pb.VideoChapter]:
    return [pb.VideoChapter(start=duration_message(each.start_s), title=each.title) for each in chapters]
