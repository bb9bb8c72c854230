"""Caches detections, so that no pixel is processed twice: those of each tab's last frame, and those of single images.

Rule 1: the key is the pixels alone; whose pixels they are does not matter.
Rule 2: if only a part of a region has changed, text detectors get only that part, grown to whole lines. The score of a
box depends on other boxes, so box detectors get the whole region.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.detectors.pool import CropCache
from perception.detectors.text_lines import Rect, overlap, union
from perception.geometry import Boxes
from perception.types import Detections, Pixels

Mask = NDArray[np.bool_]

TILE = 64
"""Side of the squares that are compared between two frames, image px. Chosen by hand; guarded by
`tests/unit/detectors/test_frame_cache.py`, as the two below."""
GROW = 24
"""Margin around changed tiles, image px: a line of text is read whole, with the margin that OCR models need."""
CACHE_WORTH = 0.6
"""Share of a region from which its changed parts are not processed one by one, but the region as a whole."""


@dataclass(frozen=True, slots=True)
class Part:
    """The changed parts of a region, and the detections of the rest. All in px of the region.

    Attributes:
        rects: parts to process: left, top, right, bottom; empty if nothing has changed.
        kept: detections that are still valid; None if nothing is known.
    """

    rects: tuple[Rect, ...]
    kept: Detections | None = None


@dataclass(slots=True)
class FrameCache:
    """The last frame of one tab.

    Attributes:
        pixels: (H, W, 3) the frame; None before the first.
        seen: detections by detector and region; a region is in px of the frame, its detections in px of the region.
    """

    pixels: Pixels | None = None
    seen: dict[tuple[str, Rect], Detections] = field(default_factory=dict)

    def recall(self, detector: str, rect: Rect, pixels: Pixels, *, reads: bool) -> Part:
        """The parts of a region that a detector has to process.

        Args:
            detector: name of the detector.
            rect: the region, px of the frame.
            pixels: the whole current frame.
            reads: whether the detector finds lines of text.
        """
        left, top, right, bottom = rect
        whole = Part(((0, 0, right - left, bottom - top),))
        known = self.seen.get((detector, rect))
        if known is None or self.pixels is None or self.pixels.shape != pixels.shape:
            return whole
        changed = _changed_tiles(self.pixels[top:bottom, left:right], pixels[top:bottom, left:right])
        if not changed.any():
            return Part((), known)
        if not reads:
            return whole
        rects, kept = _grow_to_lines(_rects_of(changed, right - left, bottom - top), known)
        if sum((r - x) * (b - y) for x, y, r, b in rects) > CACHE_WORTH * (right - left) * (bottom - top):
            return whole
        return Part(rects, kept)

    def keep(self, pixels: Pixels, seen: Mapping[tuple[str, Rect], Detections]) -> None:
        """Replaces the cached frame and its detections."""
        self.pixels = pixels
        self.seen = dict(seen)


@dataclass(slots=True)
class DetectionCache:
    """Caches of one session.

    Attributes:
        crops: detections by the content of an image.
        frames: the last frame by tab id.
    """

    crops: CropCache = field(default_factory=CropCache)
    frames: dict[str, FrameCache] = field(default_factory=dict)

    def of_tab(self, tab_id: str) -> FrameCache:
        return self.frames.setdefault(tab_id, FrameCache())

    def drop_tab(self, tab_id: str) -> None:
        self.frames.pop(tab_id, None)


def merge(detector: str, part: Part, found: Sequence[Detections]) -> Detections:
    """Merges the cached detections of a region and the new detections of its parts.

    Args:
        detector: name of the detector.
        part: the region's changed parts and cached detections.
        found: new detections, one value for each of `part.rects`, in px of that part.

    Returns:
        Detections in px of the region.
    """
    every = [part.kept] if part.kept is not None else []
    every += [moved(each, *rect[:2]) for rect, each in zip(part.rects, found, strict=True)]
    if len(every) == 1:
        return every[0]
    kind, text, label = (tuple(chain.from_iterable(columns)) for columns in zip(*map(_words, every), strict=True))
    return Detections(
        detector,
        np.concatenate([each.xyxy for each in every]),
        np.concatenate([each.score for each in every]),
        kind,
        text,
        label,
        next((each.missing for each in every if each.missing), ""),
    )


def moved(found: Detections, dx: int, dy: int) -> Detections:
    """Detections shifted by `dx` and `dy` px."""
    xyxy = (found.xyxy + np.array([dx, dy, dx, dy], np.float32)).astype(np.float32)
    return replace(found, xyxy=xyxy)


def taken(found: Detections, rows: Iterable[int]) -> Detections:
    """The detections at these indices."""
    return found.take(list(rows))


def _words(found: Detections) -> tuple[tuple[str, ...], ...]:
    return found.kind, found.text, found.label


def _changed_tiles(before: Pixels, now: Pixels) -> Mask:
    """(rows, columns): which tiles differ."""
    height, width = now.shape[:2]
    rows, columns = -(-height // TILE), -(-width // TILE)
    changed = np.zeros((rows, columns), bool)
    for row in range(rows):
        band = slice(row * TILE, (row + 1) * TILE)
        # Most bands are equal, and testing that is one comparison of memory.
        if not np.array_equal(before[band], now[band]):
            differs = (before[band] != now[band]).any(axis=(0, 2))
            changed[row] = [differs[at * TILE : (at + 1) * TILE].any() for at in range(columns)]
    return changed


def _rects_of(changed: Mask, width: int, height: int) -> list[Rect]:
    """Bounding boxes of changed tiles that touch, with a margin."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(changed.astype(np.uint8), connectivity=8)
    return [
        (
            max(0, int(x) * TILE - GROW),
            max(0, int(y) * TILE - GROW),
            min(width, int(x + w) * TILE + GROW),
            min(height, int(y + h) * TILE + GROW),
        )
        for x, y, w, h, _ in np.asarray(stats)[1:count]
    ]


def _grow_to_lines(rects: list[Rect], known: Detections) -> tuple[tuple[Rect, ...], Detections]:
    """Grows parts until none cuts a known line; returns them and the lines that are in none."""
    boxes = known.xyxy
    grown: list[Rect] = []
    for rect in rects:
        now = rect
        while True:
            cut = boxes[_touches(boxes, now)]
            wider = (
                int(min(now[0], np.floor(cut[:, 0].min(initial=now[0])))),
                int(min(now[1], np.floor(cut[:, 1].min(initial=now[1])))),
                int(max(now[2], np.ceil(cut[:, 2].max(initial=now[2])))),
                int(max(now[3], np.ceil(cut[:, 3].max(initial=now[3])))),
            )
            for other in [each for each in grown if overlap(each, wider)]:
                grown.remove(other)
                wider = union(wider, other)
            if wider == now:
                break
            now = wider
        grown.append(now)
    cut_by_none = ~np.array([_touches(boxes, rect) for rect in grown]).any(axis=0)
    return tuple(grown), taken(known, np.flatnonzero(cut_by_none).tolist())


def _touches(boxes: Boxes, rect: Rect) -> Mask:
    left, top, right, bottom = rect
    return np.asarray((boxes[:, 0] < right) & (boxes[:, 2] > left) & (boxes[:, 1] < bottom) & (boxes[:, 3] > top), bool)
