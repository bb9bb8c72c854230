"""How a tab is filmed, from and to the wire."""

from __future__ import annotations

from perception.errors import BadInputError
from perception.server.convert.enums import decode_enum, enum_members, enum_numbers
from perception.server.convert.message_fields import duration_message, seconds_of
from perception.v1 import video_service_pb2 as pb
from perception.video import VideoFormat, VideoOptions

DEFAULTS = VideoOptions()

_FORMATS = {pb.VIDEO_FORMAT_UNSPECIFIED: VideoFormat.WEBM} | enum_members(pb.VideoFormat, VideoFormat)
FORMAT_NUMBERS = enum_numbers(pb.VideoFormat, VideoFormat)


def decode_video_options(given: pb.VideoOptions, field: str) -> VideoOptions:
    """Raises BadInputError for a value that no video takes.

    Args:
        field: of the request, which has the options.
    """
    try:
        return VideoOptions(
            format=decode_enum(_FORMATS, given.format, "format"),
            max_width=given.max_width or DEFAULTS.max_width,
            max_height=given.max_height or DEFAULTS.max_height,
            max_fps=given.max_fps or DEFAULTS.max_fps,
            max_duration_s=seconds_of(given, "max_duration", DEFAULTS.max_duration_s),
            max_bytes=given.max_bytes or DEFAULTS.max_bytes,
        )
    except BadInputError as exc:
        raise BadInputError(str(exc), field=f"{field}.{exc.field}") from exc


def options_message(options: VideoOptions) -> pb.VideoOptions:
    return pb.VideoOptions(
        format=FORMAT_NUMBERS[options.format],
        max_width=options.max_width,
        max_height=options.max_height,
        max_fps=options.max_fps,
        max_duration=duration_message(options.max_duration_s),
        max_bytes=options.max_bytes,
    )
