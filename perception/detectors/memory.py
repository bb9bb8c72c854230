"""What detectors saw before, so that no pixel is looked at twice: in the last frame of each tab, and in single images.

Rule 1: what is remembered is told by pixels alone; whose they are is not asked.
Rule 2: where only a part of a region has changed, a reader of text is shown that part alone, grown to whole lines.
Boxes are found from one another, so their detectors are shown the region.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.detectors.lines import Rect, overlap, union
from perception.detectors.pool import CropCache
from perception.geometry import Boxes
from perception.types import Detections, Pixels

Mask = NDArray[np.bool_]

TILE = 64
"""Side of the squares that are compared between two frames, image px."""
GROW = 24
"""Around what has changed, image px: a line of text is read whole, with the space that a reader needs around it."""
WORTH = 0.6
"""Changed parts that make up more than this share of a region are not worth looking at one by one."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a region that has to be looked at, and what is still known of the rest. All px of the region."""

    rects: tuple[Rect, ...]
    kept: Detections | None = None


@dataclass(slots=True)
class FrameMemory:
    """The last frame of one tab: its pixels, and what each detector saw in each region of it."""

    pixels: Pixels | None = None
    seen: dict[tuple[str, Rect], Detections] = field(default_factory=dict)

    def recall(self, detector: str, rect: Rect, pixels: Pixels, *, reads: bool) -> Part:
        """What is left to look at of a region: no rects for nothing.

        Args:
            rect: the region, px of the frame.
            pixels: the whole frame as it is now.
            reads: the detector finds lines of text.
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
        if sum((r - x) * (b - y) for x, y, r, b in rects) > WORTH * (right - left) * (bottom - top):
            return whole
        return Part(rects, kept)

    def keep(self, pixels: Pixels, seen: Mapping[tuple[str, Rect], Detections]) -> None:
        """Replaces all that is remembered: a frame, and what was seen in it."""
        self.pixels = pixels
        self.seen = dict(seen)


@dataclass(slots=True)
class Memory:
    """Of one session: images by what they show, and the last frame by tab."""

    crops: CropCache = field(default_factory=CropCache)
    frames: dict[str, FrameMemory] = field(default_factory=dict)

    def of_tab(self, tab_id: str) -> FrameMemory:
        return self.frames.setdefault(tab_id, FrameMemory())

    def drop_tab(self, tab_id: str) -> None:
        self.frames.pop(tab_id, None)


def merge(detector: str, part: Part, found: Sequence[Detections]) -> Detections:
    """What is known of a region, and what was seen anew in its parts, as one. Px of the region."""
    every = [part.kept] if part.kept is not None else []
    every += [moved(each, *rect[:2]) for rect, each in zip(part.rects, found, strict=True)]
    if len(every) == 1:
        return every[0]
    return Detections(
        detector,
        np.concatenate([each.xyxy for each in every]),
        np.concatenate([each.score for each in every]),
        *(tuple(chain.from_iterable(columns)) for columns in zip(*map(_words, every), strict=True)),
    )


def moved(found: Detections, dx: int, dy: int) -> Detections:
    """The same in an image whose corner lies elsewhere."""
    xyxy = (found.xyxy + np.array([dx, dy, dx, dy], np.float32)).astype(np.float32)
    return Detections(found.detector, xyxy, found.score, *_words(found))


def taken(found: Detections, rows: Iterable[int]) -> Detections:
    """Some of them."""
    rows = list(rows)
    words = (tuple(column[row] for row in rows) for column in _words(found))
    return Detections(found.detector, found.xyxy[rows], found.score[rows], *words)


def _words(found: Detections) -> tuple[tuple[str, ...], ...]:
    return found.kind, found.text, found.label


def _changed_tiles(before: Pixels, now: Pixels) -> Mask:
    """(rows, columns): which tiles differ."""
    height, width = now.shape[:2]
    rows, columns = -(-height // TILE), -(-width // TILE)
    changed = np.zeros((rows, columns), bool)
    for row in range(rows):
        band = slice(row * TILE, (row + 1) * TILE)
        # Most bands are the same, and telling that is a comparison of memory.
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
    """Grows parts until no known line is cut by one, and tells which lines lie in none."""
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
