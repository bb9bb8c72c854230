"""What a video is to be, and what it came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from perception.errors import BadInputError

DEFAULT_SIDE_PX, MAX_SIDE_PX = 1280, 1920
DEFAULT_FPS, MAX_FPS = 12.0, 30.0
"""Twelve pictures a second show what a person or an agent does; a canvas at 60 fps costs as much as one at 12.
`perception bench run live` measures it."""

DEFAULT_DURATION_S, MAX_DURATION_S = 1800.0, 4 * 3600.0
DEFAULT_BYTES, MAX_BYTES, MIN_BYTES = 256 * 2**20, 2**30, 2**20
"""Chosen by hand. An hour of a page that is worked with has about 30 MiB."""


class VideoFormat(Enum):
    """The container; its value is the ending of the file's name."""

    WEBM = "webm"
    MP4 = "mp4"


class VideoEnd(Enum):
    """Why a video ended; its value completes "the video ended, as …"."""

    STOPPED = "it was stopped"
    TAB_CLOSED = "its tab was closed"
    SESSION_ENDED = "its session ended"
    MAX_DURATION = "it reached its max_duration"
    MAX_BYTES = "it reached its max_bytes"
    DISK_FULL = "no room was left on the service's disk"
    FAILED = "it could not be written"
    SERVICE_ENDED = "the service ended or was killed"


@dataclass(frozen=True, slots=True)
class VideoOptions:
    """How a tab is filmed.

    Attributes:
        format: the container. Both hold VP9.
        max_width, max_height: px of the picture, which keeps its proportions and is never enlarged.
        max_fps: pictures a second at most. A page that does not change has none.
        max_duration_s, max_bytes: the video ends when it reaches one of them.
    """

    format: VideoFormat = VideoFormat.WEBM
    max_width: int = DEFAULT_SIDE_PX
    max_height: int = DEFAULT_SIDE_PX
    max_fps: float = DEFAULT_FPS
    max_duration_s: float = DEFAULT_DURATION_S
    max_bytes: int = DEFAULT_BYTES

    def __post_init__(self) -> None:
        for name, low, high, unit in (
            ("max_width", 64, MAX_SIDE_PX, "px"),
            ("max_height", 64, MAX_SIDE_PX, "px"),
            ("max_fps", 0.1, MAX_FPS, "pictures a second"),
            ("max_duration_s", 1, MAX_DURATION_S, "seconds"),
            ("max_bytes", MIN_BYTES, MAX_BYTES, "bytes"),
        ):
            value = getattr(self, name)
            if not low <= value <= high:  # false for NaN, too
                field = name.removesuffix("_s")
                raise BadInputError(
                    f"{field} of a video is {value:g} {unit}: it takes {low:g} to {high:g}, or 0 for the default",
                    field=field,
                )


@dataclass(frozen=True, slots=True)
class Chapter:
    """A place in a video that a player lists.

    Attributes:
        start_s: seconds after the video's first picture.
        title: in plain words.
    """

    start_s: float
    title: str
