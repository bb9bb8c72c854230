"""How public data sets write boxes, and the one place where that becomes a `Box`.

Rule 1: a layout states its form; nothing here guesses one. `forms_that_fit` is for messages and checks only.
Rule 2: boxes are in pixels of the image, which for an image without a page are the CSS px of its viewport.
"""

from __future__ import annotations

import math
from enum import StrEnum

from perception.datasets.sample import DatasetError
from perception.geometry import Box

SLACK_PX = 2.0
"""How far a box may leave its image before it is held to be wrong: annotation tools round, and draw over the border.
What sticks out is cut off: nobody can click there. More than that is a sign of another form, or of another image."""


class BoxForm(StrEnum):
    """What four numbers mean."""

    XYWH_PX = "xywh-px"
    XYXY_PX = "xyxy-px"
    XYWH_NORMALISED = "xywh-normalised"
    XYXY_NORMALISED = "xyxy-normalised"

    @property
    def words(self) -> str:
        """For messages."""
        numbers = "left, top, width, height" if self.startswith("xywh") else "left, top, right, bottom"
        return f"{numbers} in {'pixels' if self.endswith('px') else 'shares of the image (0–1)'}"


class BoxError(DatasetError):
    """Four numbers that are no box in their image."""


def numbers_of(value: object) -> tuple[float, float, float, float]:
    """Four finite numbers out of JSON. Raises BoxError for anything else."""
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
    """A box of a data set, in pixels of its image, cut off at its edges.

    Args:
        value: four numbers, as JSON has them.
        size: width and height of the image, px.

    Raises:
        BoxError: it is no box: not four finite numbers, inverted, without area, more than SLACK_PX outside the image;
            or its pixels are all in 0–1, which no box in pixels is.
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
    """The forms under which it is a box within its image."""
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
