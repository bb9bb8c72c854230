"""Whether what the page says is painted: text whose place in the picture shows nothing is marked unseen.

Style and geometry tell most of what is hidden before a picture is taken; what only pixels tell is left for here:
letters of the colour of the picture behind them, fonts without ink, filters, whatever comes next.

Rule 1: letters have edges from left to right all along their line. Where there are none, there is no text; where there
are some, there may be: a picture's own edges are not told from a text's.
Rule 2: when in doubt it is seen: what moves, is masked, or is shown in part only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box, intersections, stack
from perception.types import Capture, Element, Pixels, altered

EDGE = 5
"""Least difference of two pixels side by side, of 255, that is an edge of a letter. `#eee` on white differs by 17 in
its strokes, and by half of that or more where they are thinner than a pixel; gradients of pages change by 2 a pixel."""

INKED = 0.1
"""Least share of a text's length that has edges. Words set far apart in one box had 0.3 and more; what crosses
the place of a hidden line, as a border or an icon, takes less."""

FEW_ROWS = 12
"""Rows of a line that are looked at first: enough to see that letters are there, which is so of nearly all."""

LEAST = 6.0
"""CSS px. What is shown of a box is judged from this height and width on: less is no line of text."""

RING = 3.0
"""CSS px around a link: one that nothing is painted of differs from its surroundings nowhere."""

_TEXTS = frozenset({"text", "heading"})


def mark_unseen(capture: Capture) -> tuple[Element, ...]:
    """The elements of a capture; those that the picture shows no ink of are no longer visible.

    Args:
        capture: of a page at rest; one that moves, was torn, or has no picture is left as it is.
    """
    shot = capture.screenshot
    if shot is None or capture.torn or "animations" in capture.pending:
        return capture.elements
    judged = _without_masked(capture.elements, [at for at, each in enumerate(capture.elements) if _is_judged(each)])
    unseen = {at for at in judged if not _has_ink(capture.elements[at], shot.pixels, shot.scale)}
    if not unseen:
        return capture.elements
    return tuple(altered(each, visible=False) if at in unseen else each for at, each in enumerate(capture.elements))


def _is_judged(element: Element) -> bool:
    if not (element.visible and element.in_viewport and element.name) or element.sensitive:
        return False
    return (element.role in _TEXTS and not element.interactive) or (element.role == "link" and not element.text)


def _without_masked(elements: Sequence[Element], wanted: list[int]) -> list[int]:
    """Without what lies under what is painted over for secrecy: those pixels are nobody's."""
    masks = stack(element.box for element in elements if element.sensitive)
    if not len(masks) or not wanted:
        return wanted
    shared = intersections(stack(elements[at].box for at in wanted), masks).max(axis=1)
    return [at for at, area in zip(wanted, shared.tolist(), strict=True) if area == 0]


def _has_ink(element: Element, pixels: Pixels, scale: float) -> bool:
    """Also where too little of it is shown to tell."""
    if element.role == "link":
        box = element.box
        around = _cut(Box(box.left - RING, box.top - RING, box.right + RING, box.bottom + RING), pixels, scale)
        return around is None or bool(_edges(around).any() or _edges(around.swapaxes(0, 1)).any())
    crop = _cut(element.box, pixels, scale)
    if crop is None:
        return True
    # A heading's box is as wide as its page, however short it is.
    least = INKED if element.role == "text" else 0.0
    few = crop[:: max(1, len(crop) // FEW_ROWS)]
    return _inked(few, len(crop)) > least or _inked(crop, len(crop)) > least


def _inked(crop: Pixels, height: int) -> float:
    """Share of pieces of a line, each half as long as it is high, that have edges."""
    columns = _edges(crop)
    size = max(1, min(len(columns), height // 2))
    return float(np.logical_or.reduceat(columns, np.arange(0, len(columns), size)).mean())


def _cut(box: Box, pixels: Pixels, scale: float) -> Pixels | None:
    """What the picture shows of a box; None where that is too little."""
    height, width = pixels.shape[:2]
    left, top = max(0, round(box.left * scale)), max(0, round(box.top * scale))
    right, bottom = min(width, round(box.right * scale)), min(height, round(box.bottom * scale))
    least_width, least_height = min(LEAST, box.width) * scale, min(LEAST, box.height) * scale
    if right - left < max(2, least_width - 1) or bottom - top < max(2, least_height - 1):
        return None
    return pixels[top:bottom, left:right]


def _edges(crop: Pixels) -> NDArray[np.bool_]:
    """(W - 1,) of each column of an (H, W, 3) crop, whether it has an edge to the next one."""
    height, width = crop.shape[:2]
    flat = np.ascontiguousarray(crop).reshape(height, width * 3)
    after, before = flat[:, 3:], flat[:, :-3]
    steps = np.maximum(after, before) - np.minimum(after, before)
    found: NDArray[np.bool_] = (steps.max(axis=0) > EDGE).reshape(-1, 3).any(axis=1)
    return found
