"""Text that the page contains but does not paint: elements whose pixels show no ink are marked not visible.

Style and geometry reveal most hidden text before a screenshot is taken. This module finds what only pixels reveal:
letters in the color of the picture behind them, fonts without ink, filters.

Rule 1: letters have edges from left to right along the whole line. Without edges there is no text. With edges there
may be text: edges of a picture and of letters are not distinguished.
Rule 2: in doubt an element is visible: if it moves, is masked, or is shown only in part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box, intersections, stack
from perception.types import Capture, Element, Pixels, replace_fields

INK_EDGE = 5
"""Least difference of two adjacent pixels, of 255, that is an edge of a letter. `#eee` on white differs by 17 in its
strokes, and by half of that or more where they are thinner than a pixel; gradients of pages change by 2 per pixel."""

MIN_INKED = 0.1
"""Least share of a text's length that has edges. Words far apart in one box had 0.3 and more; a border or an icon that
crosses a hidden line has less."""

SAMPLED_ROWS = 12
"""Pixel rows of a line that are tested first. They show the letters of nearly all lines."""

MIN_SHOWN = 6.0
"""CSS px. Least height and width of the shown part of a box that is tested: less is not a line of text."""

LINK_MARGIN = 3.0
"""CSS px around a link that are tested with it: a link that is not painted does not differ from its surroundings."""

_TEXT_ROLES = frozenset({"text", "heading"})


def mark_unseen(capture: Capture) -> tuple[Element, ...]:
    """The elements of a capture; those without ink in the screenshot are marked not visible.

    Args:
        capture: a capture with a screenshot. Elements of a torn capture, of a page with running animations, and of a
            capture without a screenshot are returned unchanged.
    """
    shot = capture.screenshot
    if shot is None or capture.torn or "animations" in capture.pending:
        return capture.elements
    judged = _without_masked(capture.elements, [at for at, each in enumerate(capture.elements) if _is_judged(each)])
    unseen = {at for at in judged if not _has_ink(capture.elements[at], shot.pixels, shot.scale)}
    if not unseen:
        return capture.elements
    return tuple(
        replace_fields(each, visible=False) if at in unseen else each for at, each in enumerate(capture.elements)
    )


def _is_judged(element: Element) -> bool:
    if not (element.visible and element.in_viewport and element.name) or element.sensitive:
        return False
    return (element.role in _TEXT_ROLES and not element.interactive) or (element.role == "link" and not element.text)


def _without_masked(elements: Sequence[Element], wanted: list[int]) -> list[int]:
    """The indices without elements that a mask over a sensitive element overlaps: those pixels show the mask."""
    masks = stack(element.box for element in elements if element.sensitive)
    if not len(masks) or not wanted:
        return wanted
    shared = intersections(stack(elements[at].box for at in wanted), masks).max(axis=1)
    return [at for at, area in zip(wanted, shared.tolist(), strict=True) if area == 0]


def _has_ink(element: Element, pixels: Pixels, scale: float) -> bool:
    """Whether an element is painted; True if too little of it is shown to decide."""
    if element.role == "link":
        box = element.box
        around = _cut(
            Box(box.left - LINK_MARGIN, box.top - LINK_MARGIN, box.right + LINK_MARGIN, box.bottom + LINK_MARGIN),
            pixels,
            scale,
        )
        return around is None or bool(_edges(around).any() or _edges(around.swapaxes(0, 1)).any())
    crop = _cut(element.box, pixels, scale)
    if crop is None:
        return True
    # A heading's box is as wide as the page, however short its text is.
    least = MIN_INKED if element.role == "text" else 0.0
    few = crop[:: max(1, len(crop) // SAMPLED_ROWS)]
    return _inked(few, len(crop)) > least or _inked(crop, len(crop)) > least


def _inked(crop: Pixels, height: int) -> float:
    """Share of the pieces of a line that have edges; a piece is half as wide as the line is high."""
    columns = _edges(crop)
    size = max(1, min(len(columns), height // 2))
    return float(np.logical_or.reduceat(columns, np.arange(0, len(columns), size)).mean())


def _cut(box: Box, pixels: Pixels, scale: float) -> Pixels | None:
    """The pixels of a box; None if too few of them are in the screenshot."""
    height, width = pixels.shape[:2]
    left, top = max(0, round(box.left * scale)), max(0, round(box.top * scale))
    right, bottom = min(width, round(box.right * scale)), min(height, round(box.bottom * scale))
    least_width, least_height = min(MIN_SHOWN, box.width) * scale, min(MIN_SHOWN, box.height) * scale
    if right - left < max(2, least_width - 1) or bottom - top < max(2, least_height - 1):
        return None
    return pixels[top:bottom, left:right]


def _edges(crop: Pixels) -> NDArray[np.bool_]:
    """(W - 1,): whether each column of an (H, W, 3) crop has an edge to the next column."""
    height, width = crop.shape[:2]
    flat = np.ascontiguousarray(crop).reshape(height, width * 3)
    after, before = flat[:, 3:], flat[:, :-3]
    steps = np.maximum(after, before) - np.minimum(after, before)
    found: NDArray[np.bool_] = (steps.max(axis=0) > INK_EDGE).reshape(-1, 3).any(axis=1)
    return found
