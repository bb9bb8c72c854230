"""Pictures for those who watch: a frame with what is sensitive painted over, in the size that a watcher wants. Each
size is made once, however many want it, and only if somebody does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2

from perception.geometry import Box
from perception.imaging.codec import MAX_FILE_BYTES, decode_image, encode_jpeg, image_size
from perception.imaging.mask import mask_boxes
from perception.imaging.zoomed import PicturedView, place_in_viewport
from perception.types import Pixels, Scroll, Viewport


@dataclass(frozen=True, slots=True)
class Wish:
    """What a watcher wants.

    Attributes:
        max_width, max_height: px.
        quality: of the JPEG, 1 to 100.
        max_fps: pictures in a second, at most.
        reveals: with what is sensitive.
    """

    max_width: int = 1280
    max_height: int = 800
    quality: int = 70
    max_fps: float = 15.0
    reveals: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG file.

    Attributes:
        width, height: px.
        scale: px for each CSS px.
    """

    jpeg: bytes
    width: int
    height: int
    scale: float


@dataclass(frozen=True, slots=True)
class PagePlace:
    """Where a tab is: its address, title, viewport, and what part of the page is in view."""

    url: str
    title: str
    viewport: Viewport
    scroll: Scroll


@dataclass(slots=True, eq=False)
class LiveFrame:
    """What a tab shows at one moment, or why that is not known.

    Attributes:
        number: from 1, one more for each of the tab.
        place: where the tab is; None where that is not known.
        time_s: when it was painted, seconds since 1970.
        note: why there is no picture; empty where there is one.
        jpeg: the frame as Chromium made it, with nothing painted over: it must not leave; empty for none.
        quality: of that file.
        view: what it shows.
        secrets: what is painted over, CSS px of the viewport: for who may see what is sensitive (True), and for all
            others (False).
    """

    number: int
    time_s: float
    place: PagePlace | None = None
    note: str = ""
    jpeg: bytes = field(default=b"", repr=False)
    quality: int = 0
    view: PicturedView | None = None
    secrets: Mapping[bool, Sequence[Box]] = field(default_factory=dict)
    _made: dict[tuple[int, int, int, bool], asyncio.Task[Picture]] = field(default_factory=dict, repr=False)

    async def picture(self, wish: Wish) -> Picture:
        """The picture for a watcher. A KeyError means that it was not made for who sees what is sensitive."""
        key = wish.max_width, wish.max_height, wish.quality, wish.reveals
        boxes = self.secrets[wish.reveals]
        making = self._made.get(key)
        if making is None:
            making = asyncio.create_task(asyncio.to_thread(self._make, wish, boxes), name="make-picture")
            self._made[key] = making
        return await asyncio.shield(making)

    def _make(self, wish: Wish, boxes: Sequence[Box]) -> Picture:
        assert self.view is not None
        width, height = image_size(self.jpeg)
        wanted = fitting(width, height, wish)
        if not boxes and self.view.is_whole and wanted == (width, height) and self.quality <= wish.quality:
            return Picture(self.jpeg, width, height, width / self.view.width)
        pixels = place_in_viewport(decode_image(self.jpeg, max_bytes=MAX_FILE_BYTES), self.view)
        masked = mask_boxes(pixels, boxes, pixels.shape[1] / self.view.width)
        file = encode_jpeg(_resized(masked, wanted), wish.quality)
        return Picture(file, *wanted, wanted[0] / self.view.width)


def fitting(width: int, height: int, wish: Wish) -> tuple[int, int]:
    """The size of a picture that keeps its shape within what is wanted, px; never larger than it is."""
    scale = min(wish.max_width / width, wish.max_height / height, 1.0)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _resized(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    if (pixels.shape[1], pixels.shape[0]) == size:
        return pixels
    return cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]
