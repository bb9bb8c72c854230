"""Crops of screenshots at native scale, drawn so that packages, and rare classes, are seen equally often."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.control_classes import Targets
from perception.bench.train.shards import Shard
from perception.detectors.controls import CLASSES
from perception.geometry import Boxes

SEEN_SHARE = 0.4
"""A control of which a crop shows less is ignored in it."""

RARE_SHARE = 0.35
"""Crops that are drawn around a control of a class chosen at random."""

AIMED_SHARE = 0.7
"""Of the others, crops that are drawn around some control, where there is one: much of a page has none."""

COMPOSED_SHARE = 0.5
"""Crops of composed pages, where there are others."""

ZOOM_SHARE, MOST_ZOOM = 0.3, 1.5
"""Crops that are made larger or smaller, and by how much at most."""


@dataclass(frozen=True, slots=True)
class Crop:
    """A part of a screenshot. `pixels` is (S, S, 3) BGR; coordinates of the targets are its own."""

    pixels: NDArray[np.uint8]
    targets: Targets


class CropSource:
    """Draws crops.

    Args:
        side: of a crop, px.
    """

    def __init__(self, shard: Shard, side: int, rng: random.Random) -> None:
        self._shard, self._side, self._rng = shard, side, rng
        size = Counter(shard.groups)
        weight = [size[group] ** -0.5 for group in shard.groups]
        composed = sum(each for each, group in zip(weight, shard.groups, strict=True) if group == "composed")
        real = sum(weight) - composed
        if composed and real:
            factor = COMPOSED_SHARE / (1 - COMPOSED_SHARE) * real / composed
            weight = [
                each * factor if group == "composed" else each for each, group in zip(weight, shard.groups, strict=True)
            ]
        self._weight = np.cumsum(weight)
        self._by_class = [
            [(k, n) for k, each in enumerate(shard.targets) for n in np.flatnonzero(each.classes == number)]
            for number in range(len(CLASSES))
        ]

    def draw(self) -> Crop:
        """A crop chosen at random."""
        zoom = MOST_ZOOM ** self._rng.uniform(-1, 1) if self._rng.random() < ZOOM_SHARE else 1.0
        return resized(self._draw(round(self._side / zoom)), self._side)

    def _draw(self, side: int) -> Crop:
        rng = self._rng
        places = rng.choice([each for each in self._by_class if each]) if rng.random() < RARE_SHARE else []
        index, number = rng.choice(places) if places else self._place()
        if number >= 0:
            left, top, right, bottom = self._shard.targets[index].boxes[number]
            x = int((left + right) / 2 - rng.uniform(0.1, 0.9) * side)
            y = int((top + bottom) / 2 - rng.uniform(0.1, 0.9) * side)
        else:
            height, width = self._shard.image(index).shape[:2]
            x, y = rng.randint(-32, max(width - side + 32, 0)), rng.randint(-32, max(height - side + 32, 0))
        return cut(self._shard.image(index), self._shard.targets[index], x, y, side)

    def _place(self) -> tuple[int, int]:
        """A screenshot, packages equally often, and one of its controls; -1 for a place anywhere."""
        index = int(np.searchsorted(self._weight, self._rng.uniform(0, self._weight[-1])))
        count = len(self._shard.targets[index].boxes)
        aimed = count > 0 and self._rng.random() < AIMED_SHARE
        return index, self._rng.randrange(count) if aimed else -1


def cut(image: NDArray[np.uint8], targets: Targets, x: int, y: int, side: int) -> Crop:
    """The square of a screenshot whose corner is at (x, y); what is outside of the screenshot is grey."""
    height, width = image.shape[:2]
    pixels = np.full((side, side, 3), 114, np.uint8)
    left, top, right, bottom = max(x, 0), max(y, 0), min(x + side, width), min(y + side, height)
    if left < right and top < bottom:
        pixels[top - y : bottom - y, left - x : right - x] = image[top:bottom, left:right]
    boxes, share = _shown(targets.boxes, x, y, side)
    kept, cut_off = share >= SEEN_SHARE, (share > 0) & (share < SEEN_SHARE)
    ignored, ignored_share = _shown(targets.ignored, x, y, side)
    return Crop(
        pixels,
        Targets(
            boxes[kept],
            targets.classes[kept],
            targets.states[kept],
            np.concatenate([boxes[cut_off], ignored[ignored_share > 0]]),
        ),
    )


def resized(crop: Crop, side: int) -> Crop:
    """The crop at another size."""
    had = crop.pixels.shape[0]
    if had == side:
        return crop
    way = cv2.INTER_AREA if side < had else cv2.INTER_LINEAR
    zoom, targets = np.float32(side / had), crop.targets
    return Crop(
        np.asarray(cv2.resize(crop.pixels, (side, side), interpolation=way), np.uint8),
        Targets(targets.boxes * zoom, targets.classes, targets.states, targets.ignored * zoom),
    )


def _shown(boxes: Boxes, x: int, y: int, side: int) -> tuple[Boxes, NDArray[np.float32]]:
    """Boxes as a crop shows them, and which share of each."""
    moved = boxes - np.asarray([x, y, x, y], np.float32)
    shown = moved.clip(0, side)
    area = np.maximum((moved[:, 2:] - moved[:, :2]).prod(axis=1), 1e-6)
    return shown, ((shown[:, 2:] - shown[:, :2]).prod(axis=1) / area).astype(np.float32)
