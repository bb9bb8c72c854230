"""Videos of tabs, from and to the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perception.errors import BadInputError
from perception.server.convert.message_fields import decode_enum, duration_message, seconds_of, timestamp_message
from perception.server.convert.sessions import download_message
from perception.server.videos.store import KeptVideo, VideoRecord
from perception.server.videos.tab_video import FinishedVideo
from perception.video import Chapter, VideoEnd, VideoFormat, VideoOptions
from perception.v1 import video_service_pb2 as pb

_FORMATS = {
    pb.VIDEO_FORMAT_UNSPECIFIED: VideoFormat.WEBM,
    pb.VIDEO_FORMAT_WEBM: VideoFormat.WEBM,
    pb.VIDEO_FORMAT_MP4: VideoFormat.MP4,
}
