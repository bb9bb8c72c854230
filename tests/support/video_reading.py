"""What a video file shows: its pictures, their times, its chapters."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from perception.types import Pixels


@dataclass(frozen=True, slots=True)
class SeenVideo:
    """A decoded file.

    Attributes:
        codec, size: of its pictures; width and height, px.
        pictures: BGR.
        times: of each, s.
        keys: which of them need no earlier one.
        chapters: begin and end of each, s, and its title.
        duration_s: that the file says; 0 where it says none.
    """

    codec: str
    size: tuple[int, int]
    pictures: list[Pixels]
    times: list[float]
    keys: list[bool]
    chapters: list[tuple[float, float, str]]
    duration_s: float

    def at(self, second: float) -> Pixels:
        """The picture that is shown then."""
        return self.pictures[max(number for number, time in enumerate(self.times) if time <= second + 1e-9)]


def read_video(source: Path | bytes) -> SeenVideo:
    """Decodes a file to its end, or to where it is cut off."""
    pictures, times, keys = [], [], []
    with av.open(io.BytesIO(source) if isinstance(source, bytes) else str(source)) as container:
        stream = container.streams.video[0]
        for frame in container.decode(stream):
            bgr = frame.reformat(format="bgr24", src_colorspace="ITU709").to_ndarray()
            pictures.append(bgr)
            times.append(float(frame.time or 0.0))
            keys.append(bool(frame.key_frame))
        chapters = [
            (
                float(each["start"] * each["time_base"]),
                float(each["end"] * each["time_base"]),
                str(each["metadata"]["title"]),
            )
            for each in container.chapters()
        ]
        duration = (container.duration or 0) / av.time_base
        return SeenVideo(stream.codec.name, (stream.width, stream.height), pictures, times, keys, chapters, duration)


def color_at(picture: Pixels, x: int, y: int) -> tuple[int, int, int]:
    """RGB of the 5 × 5 px around a point, on average."""
    blue, green, red = np.mean(picture[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3), axis=0)
    return round(red), round(green), round(blue)


def is_near(color: tuple[int, int, int], wanted: tuple[int, int, int], by: int = 12) -> bool:
    return all(abs(one - other) <= by for one, other in zip(color, wanted, strict=True))
