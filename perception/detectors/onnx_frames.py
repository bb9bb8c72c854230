"""Converts an image to the input of a detection model, and boxes of the input back to the image.

Rule 1: pure functions; `place` returns the placement that maps boxes back.
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
"""Fill value around a smaller image, as in training (Ultralytics, YOLOX)."""
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
"""Mean and standard deviation of R, G and B in 0 … 1 in the training of torchvision's backbones, DETR and RF-DETR."""


class Order(StrEnum):
    """Order of the color channels."""

    RGB = "rgb"
    BGR = "bgr"


class Resize(StrEnum):
    """How an image is fitted into an input of another size or aspect ratio."""

    LETTERBOX = "letterbox"
    """In the center of a gray input, shrunk if it does not fit (Ultralytics)."""
    CORNER = "corner"
    """In the top left corner of a gray input, shrunk if it does not fit (YOLOX)."""
    STRETCH = "stretch"
    """Over the whole input; the aspect ratio may change (the DETR family)."""


@dataclass(frozen=True, slots=True)
class InputForm:
    """Form of a model's input. A color value in 0 … 255 is scaled to low … high, then `mean` is subtracted, and the
    result is divided by `std`.

    Attributes:
        order: order of the color channels.
        low: value of black.
        high: value of white.
        mean: one value per channel in `order`, in low … high; empty for none.
        std: the same for the divisor.
        resize: how the image is fitted into the input.
    """

    order: Order = Order.RGB
    low: float = 0.0
    high: float = 1.0
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    resize: Resize = Resize.LETTERBOX


@dataclass(frozen=True, slots=True)
class Placement:
    """Position of an image in the input: input px = image px * scale + offset.

    Attributes:
        scale: input px for each image px, horizontal and vertical.
        offset: input px of the image's top left corner.
    """

    scale: tuple[float, float]
    offset: tuple[float, float]

    def undo(self, boxes: NDArray[np.floating], width: int, height: int) -> Boxes:
        """Converts (N, 4) xyxy from input px to image px, clipped to the image."""
        image = (boxes - np.tile(self.offset, 2)) / np.tile(self.scale, 2)
        return np.asarray(image.clip(0, np.array([width, height, width, height])), np.float32)


def place(pixels: Pixels, width: int, height: int, resize: Resize) -> tuple[Pixels, Placement]:
    """Fits an image into an input of a given size.

    Only STRETCH enlarges: an icon in a small crop stays as large as it is in the page.

    Returns:
        (height, width, 3) uint8, and the position of the image in it.
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
    """Converts an image to the tensor that a model takes.

    Args:
        pixels: (H, W, 3) uint8 BGR.
        form: channel order and scaling of the values.
        dtype: type of the model's input; for uint8 the values are not scaled.
        channels_last: whether the channels are the last axis.

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
