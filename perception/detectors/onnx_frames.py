"""From an image to what a detection model takes, and from boxes in its input back to the image.

Rule 1: pure; what comes back from `place` says how to undo it, so that nothing else needs to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.geometry import Boxes
from perception.types import Pixels

GREY = 114
"""Around a smaller image, as in training (Ultralytics, YOLOX)."""
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
"""Of R, G and B in 0 … 1: what torchvision's backbones were trained with, and so DETR and RF-DETR."""


class Order(StrEnum):
    """Of the colours."""

    RGB = "rgb"
    BGR = "bgr"


class Resize(StrEnum):
    """How an image comes into an input of another size or shape."""

    LETTERBOX = "letterbox"
    """In the middle of grey, shrunk where it does not fit (Ultralytics)."""
    CORNER = "corner"
    """In the top left corner of grey, shrunk where it does not fit (YOLOX)."""
    STRETCH = "stretch"
    """Over all of it, whatever becomes of its shape (the DETR family)."""


@dataclass(frozen=True, slots=True)
class InputForm:
    """What a model expects of the image. A colour of 0 … 255 becomes low … high, then less `mean`, by `std`."""

    order: Order = Order.RGB
    low: float = 0.0
    high: float = 1.0
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    resize: Resize = Resize.LETTERBOX


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an image lies in the input: input px = image px * scale + offset, across and down."""

    scale: tuple[float, float]
    offset: tuple[float, float]

    def undo(self, boxes: NDArray[np.floating], width: int, height: int) -> Boxes:
        """(N, 4) xyxy in pixels of the input as pixels of the image, cut off at its edges; empty for none."""
        image = (boxes - np.tile(self.offset, 2)) / np.tile(self.scale, 2)
        return np.asarray(image.clip(0, np.array([width, height, width, height])), np.float32)


def place(pixels: Pixels, width: int, height: int, resize: Resize) -> tuple[Pixels, Placement]:
    """Brings an image to a size.

    Only stretching ever enlarges: an icon in a small crop stays as large as it is in the page.

    Returns:
        (height, width, 3), and where in it the image is.
    """
    across, down = width / pixels.shape[1], height / pixels.shape[0]
    if resize is Resize.STRETCH:
        shrinks = across < 1 and down < 1
        resized = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        return np.asarray(resized, np.uint8), Placement((across, down), (0, 0))
    shrink = min(1.0, across, down)
    inner = max(1, round(pixels.shape[1] * shrink)), max(1, round(pixels.shape[0] * shrink))
    resized = pixels if shrink == 1 else cv2.resize(pixels, inner, interpolation=cv2.INTER_AREA)
    left, top = ((width - inner[0]) // 2, (height - inner[1]) // 2) if resize is Resize.LETTERBOX else (0, 0)
    framed = np.full((height, width, 3), GREY, np.uint8)
    framed[top : top + inner[1], left : left + inner[0]] = resized
    return framed, Placement((shrink, shrink), (left, top))


def to_tensor(pixels: Pixels, form: InputForm, dtype: type[np.generic], *, channels_last: bool) -> NDArray[np.generic]:
    """An image as a model takes it.

    Args:
        pixels: (H, W, 3) uint8 BGR.
        dtype: of the model's input; bytes are given as they are, whatever the form says of values.

    Returns:
        (1, 3, H, W), or (1, H, W, 3) with the channels last.
    """
    image: NDArray[np.generic] = pixels if form.order is Order.BGR else pixels[..., ::-1]
    if dtype is not np.uint8:
        values = image.astype(np.float32) * np.float32((form.high - form.low) / 255)
        if form.low:
            values += np.float32(form.low)
        if form.mean:
            values -= np.asarray(form.mean, np.float32)
        if form.std:
            values /= np.asarray(form.std, np.float32)
        image = values.astype(dtype)
    return np.ascontiguousarray((image if channels_last else image.transpose(2, 0, 1))[None])
