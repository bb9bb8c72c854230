"""Converts boxes of public data sets to `Box`.

Rule 1: a layout declares its form of boxes; nothing guesses it. `forms_that_fit` is for messages and checks only.
Rule 2: boxes are in pixels of the image, which for an image without a page are the CSS px of its viewport.
"""

from __future__ import annotations

import math
from enum import StrEnum

from perception.datasets.sample import DatasetError
from perception.geometry import Box

SLACK_PX = 2.0
"""Largest distance by which a box may exceed its image: annotation tools round, and draw over the border. The excess is
clipped. A larger distance indicates another form of boxes, or another image."""


class BoxForm(StrEnum):
    """Meaning of the four numbers of a box."""

    XYWH_PX = "xywh-px"
    XYXY_PX = "xyxy-px"
    XYWH_NORMALIZED = "xywh-normalised"
    XYXY_NORMALIZED = "xyxy-normalised"

    @property
    def words(self) -> str:
        """Description for messages."""
        numbers = "left, top, width, height" if self.startswith("xywh") else "left, top, right, bottom"
        return f"{numbers} in {'pixels' if self.endswith('px') else 'shares of the image (0–1)'}"


class BoxError(DatasetError):
    """Four numbers that are not a box in their image."""


def numbers_of(value: object) -> tuple[float, float, float, float]:
    """Four finite numbers from JSON. Raises BoxError: the value is something else."""
    if not isinstance(value, list | tuple) or len(value) != 4:
        raise BoxError(f"box {_short(value)}: four numbers are wanted")
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in value):
        raise BoxError(f"box {_short(value)}: not all of it are numbers")
    try:
        numbers = tuple(float(each) for each in value)
    except OverflowError as exc:
        raise BoxError(f"box {_short(value)}: not all of it are finite numbers") from exc
    if not all(math.isfinite(each) for each in numbers):
        raise BoxError(f"box {_short(value)}: not all of it are finite numbers")
    return numbers[0], numbers[1], numbers[2], numbers[3]


def to_box(value: object, form: BoxForm, size: tuple[int, int]) -> Box:
    """Converts a box of a data set to pixels of its image, clipped to the image.

    Args:
        value: four numbers from JSON.
        form: their meaning.
        size: width and height of the image, px.

    Raises:
        BoxError: the value is not four finite numbers, or the box is inverted, without area, more than SLACK_PX outside
            the image, or declared in pixels with all values in 0–1.
    """
    left, top, third, fourth = numbers = numbers_of(value)
    if form.endswith("px") and max(map(abs, numbers)) <= 1:
        raise BoxError(f"box {_short(value)}: smaller than a pixel as {form.words}")
    right, bottom = (left + third, top + fourth) if form.startswith("xywh") else (third, fourth)
    if right <= left or bottom <= top:
        what = "without area" if right == left or bottom == top else "inverted"
        raise BoxError(f"box {_short(value)}: {what} as {form.words}")
    width, height = size
    if form.endswith("normalised"):
        left, top, right, bottom = left * width, top * height, right * width, bottom * height
    out = max(-left, -top, right - width, bottom - height)
    inside = Box(left, top, right, bottom).intersect(Box(0, 0, width, height))
    if out > SLACK_PX or inside is None:
        raise BoxError(f"box {_short(value)}: leaves the {width}x{height} image by {out:.0f} px as {form.words}")
    return inside


def forms_that_fit(value: object, size: tuple[int, int]) -> list[BoxForm]:
    """The forms in which the value is a box within its image."""
    fitting = []
    for form in BoxForm:
        try:
            to_box(value, form, size)
        except BoxError:
            continue
        fitting.append(form)
    return fitting


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
