"""Pictures of a video: all of one size, as its file needs them."""

from __future__ import annotations

from typing import cast

import cv2
import numpy as np

from perception.errors import BadImageError
from perception.types import Pixels

BACKDROP = (48, 44, 40)
"""BGR around a picture of other proportions, and behind a card's words."""

INK = (235, 235, 235)
"""BGR of a card's words."""


def decode_picture(data: bytes) -> Pixels:
    """(H, W, 3) BGR of an image file of Chromium's. Raises BadImageError for anything else."""
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if pixels is None:
        raise BadImageError("a picture of the tab is not a JPEG")
    return cast(Pixels, pixels)


def video_size(width: int, height: int, max_width: int, max_height: int) -> tuple[int, int]:
    """Width and height of the video whose first picture has this size: within the limits, even, never enlarged."""
    scale = min(1.0, max_width / width, max_height / height)
    return _even(width * scale), _even(height * scale)


def sized(picture: Pixels, width: int, height: int) -> Pixels:
    """The picture in this size, whatever its own is."""
    high, wide = picture.shape[:2]
    if (wide, high) == (width, height):
        return picture
    way = cv2.INTER_AREA if width < wide else cv2.INTER_LINEAR
    return cast(Pixels, cv2.resize(picture, (width, height), interpolation=way))


def fit(picture: Pixels, width: int, height: int) -> Pixels:
    """The picture in a frame of this size: made smaller where needed, in the middle, with a backdrop around it."""
    high, wide = picture.shape[:2]
    if (wide, high) == (width, height):
        return picture
    scale = min(1.0, width / wide, height / high)
    inner_wide, inner_high = min(width, max(1, round(wide * scale))), min(height, max(1, round(high * scale)))
    if (inner_wide, inner_high) != (wide, high):
        picture = cast(Pixels, cv2.resize(picture, (inner_wide, inner_high), interpolation=cv2.INTER_AREA))
    if width - inner_wide <= 1 and height - inner_high <= 1:  # an odd side: its last line is repeated
        edges = (0, height - inner_high, 0, width - inner_wide)
        return cast(Pixels, cv2.copyMakeBorder(picture, *edges, cv2.BORDER_REPLICATE))
    frame = np.full((height, width, 3), BACKDROP, np.uint8)
    left, top = (width - inner_wide) // 2, (height - inner_high) // 2
    frame[top : top + inner_high, left : left + inner_wide] = picture
    return frame


def card(words: str, width: int, height: int) -> Pixels:
    """A picture of some ASCII words of ours, for a time without a picture of the tab."""
    frame = np.full((height, width, 3), BACKDROP, np.uint8)
    scale = max(0.3, min(1.0, width / 640))
    (wide, _), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    scale *= min(1.0, 0.9 * width / max(1, wide))
    (wide, high), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    at = ((width - wide) // 2, (height + high) // 2)
    cv2.putText(frame, words, at, cv2.FONT_HERSHEY_SIMPLEX, scale, INK, 1, cv2.LINE_AA)
    return frame


def _even(side: float) -> int:
    return max(2, round(side) // 2 * 2)
