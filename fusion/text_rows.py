"""Cuts the picture of an element into its lines of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box
from perception.types import Pixels

INK_STEP = 24
"""Least difference of a pixel and the background, of 255, that is ink. Borders of fields in light gray have more."""

LEAST_ROW = 7
"""Device px. Least height of the ink of a line that OCR reads reliably: the digits of an 8 px font have 6."""

LONG_RULE = 0.9
"""Share of a row or column of pixels with ink from which it is a rule or a border, not letters."""

MARGIN = 3
"""Device px that a line keeps around its ink."""

GAP = 3.0
"""Least width of a gap between two columns of a line, in heights of the line."""


def cut_rows(pixels: Pixels) -> list[Pixels]:
    """The lines of text in a picture, from top to bottom and from left to right; none where all is too small to read.

    Args:
        pixels: (H, W, 3) uint8 BGR; one element.
    """
    ink = _ink_of(pixels)
    rows = []
    for top, bottom in _spans(np.asarray(ink.any(axis=1))):
        if bottom - top < LEAST_ROW:
            continue
        columns = _spans(np.asarray(ink[top:bottom].any(axis=0)), least_gap=round(GAP * (bottom - top)))
        first, last = max(0, top - MARGIN), min(len(pixels), bottom + MARGIN)
        rows += [
            np.ascontiguousarray(pixels[first:last, max(0, left - MARGIN) : min(pixels.shape[1], right + MARGIN)])
            for left, right in columns
        ]
    return rows


def cut_wider_rows(pixels: Pixels, box: Box, scale: float, gap: float) -> list[Pixels]:
    """The lines of text in a box, each with what stands right beside it, left and right: words that a style sheet puts
    there are not in the box of a text.

    Args:
        pixels: (H, W, 3) uint8 BGR.
        box: CSS px.
        scale: image px for each CSS px.
        gap: least width of the gap at which a line ends, in heights of the line.
    """
    band = cut_box(pixels, Box(0, box.top, pixels.shape[1] / scale, box.bottom), scale)
    first, last = max(0, round(box.left * scale)), round(box.right * scale)
    ink = _ink_of(band[:, first:last])
    wide = _ink_of(band)
    rows = []
    for top, bottom in _spans(np.asarray(ink.any(axis=1))):
        if bottom - top < LEAST_ROW:
            continue
        spans = _spans(np.asarray(wide[top:bottom].any(axis=0)), least_gap=max(1, round(gap * (bottom - top))))
        inside = [span for span in spans if span[0] < last and span[1] > first]
        if not inside:
            continue
        left, right = max(0, inside[0][0] - MARGIN), inside[-1][1] + MARGIN
        rows.append(np.ascontiguousarray(band[max(0, top - MARGIN) : bottom + MARGIN, left:right]))
    return rows


def cut_box(pixels: Pixels, box: Box, scale: float) -> Pixels:
    """The pixels of a box; empty where it is outside of the picture."""
    height, width = pixels.shape[:2]
    left, top = max(0, round(box.left * scale)), max(0, round(box.top * scale))
    return pixels[top : min(height, round(box.bottom * scale)), left : min(width, round(box.right * scale))]


def _ink_of(pixels: Pixels) -> NDArray[np.bool_]:
    """(H, W) where a picture differs from its most frequent color, without rules and borders."""
    if not pixels.size:
        return np.zeros(pixels.shape[:2], np.bool_)
    gray = pixels.astype(np.int16)
    flat = (gray // 8).reshape(-1, 3) @ np.asarray([1024, 32, 1])
    common = int(np.bincount(flat).argmax())
    background = np.asarray([common // 1024, common // 32 % 32, common % 32]) * 8 + 4
    ink = np.abs(gray - background).max(axis=2) > INK_STEP
    ink[ink.mean(axis=1) > LONG_RULE] = False
    if pixels.shape[0] > LEAST_ROW:
        edge = ink.mean(axis=0) > LONG_RULE
        edge[4:-4] = False  # a 1 or an l is a full column, too
        ink[:, edge] = False
    found: NDArray[np.bool_] = ink
    return found


def _spans(marks: NDArray[np.bool_], least_gap: int = 1) -> list[tuple[int, int]]:
    """Start and end of each run of marks; runs with less than `least_gap` between them are one."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]]).astype(np.int8)))
    spans: list[tuple[int, int]] = []
    for start, end in steps.reshape(-1, 2).tolist():
        if spans and start - spans[-1][1] < least_gap:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans
