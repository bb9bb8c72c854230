"""What a model writes for a target: a ref, a CSS selector, a point of the viewport, a point of the last screenshot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

MAX_TARGET = 4000
"""Characters. The service's own selectors are far shorter."""


@dataclass(frozen=True, slots=True)
class ImagePoint:
    """A point in the pixels of the last screenshot of the session."""

    x: float
    y: float


TargetValue: TypeAlias = str | tuple[float, float] | ImagePoint
"""A ref, a role and name such as `button "Save"`, a CSS selector, a point in CSS px of the viewport, or a point of the
last screenshot."""

FORMS = "a ref such as e5, a CSS selector, x,y in CSS px, or img:x,y in px of the last screenshot"

_REF = re.compile(r"\[?\s*(?:ref=|@)?([ev]\d+)\s*\]?")
_LOOSE_REF = re.compile(r"([ev])[\s_:#-]*(\d+)", re.IGNORECASE)
_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_POINT = re.compile(rf"(img:)?\s*\(?\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)?", re.IGNORECASE)


def parse_target(value: Any) -> TargetValue:
    """The target that a value means.

    Also taken are the forms that a ref has in texts, `[ref=e5]` and `@e5`, and points as lists or objects.

    Raises:
        ValueError: it has another form; the message says which is right.
    """
    if isinstance(value, ImagePoint):
        return value
    if isinstance(value, Mapping) and {"x", "y"} <= set(value):
        value = (value["x"], value["y"])
    if isinstance(value, list | tuple) and len(value) == 2:
        value = ",".join(str(each) for each in value)
    if not isinstance(value, str):
        raise ValueError(f"is {shortened(value)}: it takes {FORMS}")
    text = value.strip()
    if not text or len(text) > MAX_TARGET:
        raise ValueError(f"is {'empty' if not text else 'too long'}: it takes {FORMS}")
    if ref := _REF.fullmatch(text):
        return ref[1]
    if point := _POINT.fullmatch(text):
        x, y = float(point[2]), float(point[3])
        return ImagePoint(x, y) if point[1] else (x, y)
    if loose := _LOOSE_REF.fullmatch(text):
        raise ValueError(f"is {shortened(value)}: write the ref as {loose[1].lower()}{loose[2]}")
    if text.isdecimal():
        raise ValueError(f"is {shortened(value)}: a ref has a letter, such as e{text}")
    return value.strip()


def describe_target(target: TargetValue) -> str:
    """The target as the model would write it."""
    if isinstance(target, ImagePoint):
        return f"img:{target.x:g},{target.y:g}"
    return target if isinstance(target, str) else f"{target[0]:g},{target[1]:g}"


def shortened(value: Any) -> str:
    """A wrong value as an error shows it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
