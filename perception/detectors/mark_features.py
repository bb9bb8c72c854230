"""Features of drawn shapes for the forest that scores how likely a shape is a control.

Rule 1: lengths are in heights of the image's usual row of text, so that device scale does not matter.
Rule 2: a missing neighbor or frame has the feature values of a far one.
Rule 3: the names are stored in the model's file: a feature that is renamed or measured differently needs new training.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from perception.detectors.drawn_marks import Drawn, Floats
from perception.geometry import Boxes, areas, coverage, iou
from perception.types import Pixels

Mask = NDArray[np.bool_]
Features = dict[str, Floats]

FAR = 20.0
"""Gap to a missing neighbor, in rows of text."""
NO_FRAME = 99.0
"""Size and content of a missing frame."""
FEATURE_ALIGNED = 0.25
"""Largest difference of aligned edges, in rows of text."""
IN, LARGER = 0.85, 1.15
"""Least share of a shape that is in the shape around it, and least ratio of their areas."""


def measure(drawn: Drawn, pixels: Pixels) -> Features:
    """Measures the features of all shapes of an image: (N,) float32 by name."""
    framed = drawn.fill > 0
    wide, high = (drawn.boxes[:, 2:] - drawn.boxes[:, :2]).T / drawn.unit
    shape = {"wide": wide, "high": high, "aspect": wide / np.maximum(high, 0.1), "fill": drawn.fill}
    features = shape | _ground_features(drawn, pixels) | _ink_features(drawn, framed)
    features |= _content_features(drawn, framed) | _neighbor_features(drawn, framed)
    return {name: np.asarray(values, np.float32) for name, values in features.items()}


def _ground_features(drawn: Drawn, pixels: Pixels) -> Features:
    """Features of the colors in, at and around each box."""
    inside, border, outside = (_sample(pixels, drawn.boxes, inset) for inset in (3, 0, -3))
    page = np.median(pixels[::16, ::16].reshape(-1, 3), axis=0).astype(np.float32)[None]
    return {
        "inside_light": inside.mean(axis=1),
        "inside_vivid": _vividness(inside),
        "inside_outside": _difference(inside, outside),
        "border_outside": _difference(border, outside),
        "border_inside": _difference(border, inside),
        "outside_page": _difference(outside, page),
        "outside_light": outside.mean(axis=1),
        "outside_vivid": _vividness(outside),
    }


def _ink_features(drawn: Drawn, framed: Mask) -> Features:
    """Features of a run's ink, and how common it is in the image; 0 for rectangles."""
    marks = drawn.marks
    wide = marks.boxes[:, 2] - marks.boxes[:, 0]
    usual, share = _usual_ink(drawn)
    of_runs = {
        "ink_contrast": _difference(marks.ink, marks.ground),
        "ink_vivid": _vividness(marks.ink),
        "ink_light": marks.ink.mean(axis=1),
        "ink_blue": marks.ink[:, 0] - marks.ink[:, 2],
        "ink_unusual": _difference(marks.ink, usual),
        "ink_share": share,
        "ground_vivid": _vividness(marks.ground),
        "parts": marks.parts,
        "part_wide": wide / np.maximum(marks.parts, 1) / drawn.unit,
        "density": marks.density,
        "low": marks.low,
    }
    before = np.zeros(framed.sum(), np.float32)
    return {name: np.concatenate([before, values]) for name, values in of_runs.items()}


def _usual_ink(drawn: Drawn) -> tuple[Floats, Floats]:
    """(1, 3) the most common color of text, and (M,) for each run the share of text in a similar color."""
    marks = drawn.marks
    wide, high = (marks.boxes[:, 2:] - marks.boxes[:, :2]).T
    weight = np.where((high <= 2 * drawn.unit) & (wide >= 1.5 * high), wide, 0).astype(np.float64)
    if not weight.sum():
        return np.zeros((1, 3), np.float32), np.zeros(len(marks.boxes), np.float32)
    bins = np.round(marks.ink / 32).astype(np.int64) @ np.array([1, 16, 256])
    chosen = bins == np.bincount(bins, weight).argmax()
    usual = np.average(marks.ink[chosen], axis=0, weights=weight[chosen] + 1e-6)
    near = np.abs(marks.ink[:, None] - marks.ink[None]).max(axis=2) < 40
    return np.asarray(usual[None], np.float32), np.asarray(near @ weight / weight.sum(), np.float32)


def _content_features(drawn: Drawn, framed: Mask) -> Features:
    """Features of the content of each shape, of the rectangle around it, and the number of shapes of its size."""
    boxes, unit = drawn.boxes, drawn.unit
    size = areas(boxes)
    wide, high = (boxes[:, 2:] - boxes[:, :2]).T
    # [i, j]: shape i is in shape j.
    within = (coverage(boxes, boxes) > IN) & (size[None, :] > LARGER * size[:, None])
    run_within = within & ~framed[:, None]
    runs, frames = run_within.sum(axis=0), (within & framed[:, None]).sum(axis=0)
    first = np.where(run_within, boxes[:, :1], np.inf).min(axis=0, initial=np.inf)
    alike = np.abs(size[None, :] / np.maximum(size[:, None], 1) - 1) < 0.15
    alike &= (np.abs(wide[None, :] - wide[:, None]) <= 3) & (np.abs(high[None, :] - high[:, None]) <= 3)
    features = {
        "runs_in": runs,
        "frames_in": frames,
        "text_share": (run_within * size[:, None]).sum(axis=0) / np.maximum(size, 1),
        "widest_in": (run_within * wide[:, None]).max(axis=0, initial=0) / np.maximum(wide, 1),
        "lead": np.minimum((first - boxes[:, 0]) / unit, FAR),
        "same_size": (alike & (iou(boxes, boxes) < 0.2)).sum(axis=1),
        "depth": (within & framed[None, :]).sum(axis=1),
    }
    return features | _frame_features(boxes, unit, within & framed[None, :], runs, frames)


def _frame_features(
    boxes: Boxes, unit: float, within: Mask, runs: NDArray[np.int64], frames: NDArray[np.int64]
) -> Features:
    """Features of the smallest rectangle that each shape is `within` (N, N)."""
    size = areas(boxes)
    sizes = np.where(within, size[None, :], np.inf)
    frame = sizes.argmin(axis=1) if len(boxes) else np.zeros(0, np.int64)
    held = np.isfinite(sizes.min(axis=1, initial=np.inf))
    wide, high = (boxes[frame, 2:] - boxes[frame, :2]).T
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    offset = np.abs(middle[frame] - middle) / unit
    return {
        "held": held,
        "hold_wide": np.where(held, wide / unit, NO_FRAME),
        "hold_high": np.where(held, high / unit, NO_FRAME),
        "hold_runs": np.where(held, runs[frame], NO_FRAME),
        "hold_frames": np.where(held, frames[frame], NO_FRAME),
        "hold_across": np.where(held, (boxes[:, 2] - boxes[:, 0]) / np.maximum(wide, 1), 0),
        "hold_share": np.where(held, size / np.maximum(size[frame], 1), 0),
        "hold_off_x": np.where(held, offset[:, 0], FAR),
        "hold_off_y": np.where(held, offset[:, 1], FAR),
    }


def _neighbor_features(drawn: Drawn, framed: Mask) -> Features:
    """Features of the nearest run on each side, the number of aligned runs, and the position in the image."""
    boxes, unit = drawn.boxes, drawn.unit
    ink = np.concatenate([np.zeros((framed.sum(), 3), np.float32), drawn.marks.ink])
    left, top, right, bottom = boxes.T
    wide, high = right - left, bottom - top
    features: Features = {}
    for name, gap in _gaps(boxes, framed, -0.3 * unit):
        place = gap.argmin(axis=1) if len(boxes) else np.zeros(0, np.int64)
        least = gap.min(axis=1, initial=np.inf)
        there = np.isfinite(least)
        features[f"{name}_gap"] = np.minimum(np.maximum(least, 0) / unit, FAR)
        features[f"{name}_wide"] = np.where(there, wide[place] / unit, 0)
        features[f"{name}_high"] = np.where(there, high[place] / np.maximum(high, 1), 0)
        features[f"{name}_ink"] = np.where(there & ~framed, _difference(ink, ink[place]), 0)
        if name in ("above", "below"):
            features[f"{name}_left"] = np.where(there, np.abs(left[place] - left) / unit, FAR)
    low = ~framed[None, :] & (high[None, :] <= 2 * unit)
    level = _overlap(top, bottom) >= 0.5 * np.minimum(high[:, None], high)
    features["under"] = (low & (np.abs(left[None, :] - left[:, None]) <= FEATURE_ALIGNED * unit)).sum(axis=1)
    features["beside"] = (low & level & (np.abs(high[None, :] - high[:, None]) <= FEATURE_ALIGNED * unit)).sum(axis=1)
    features["page_wide"] = wide / max(float(right.max(initial=1)), 1)
    return features | {"x": left / unit, "y": top / unit}


def _gaps(boxes: Boxes, framed: Mask, least: float) -> Iterator[tuple[str, Floats]]:
    """For each side (N, N) the gaps from each shape to each run on that side, px; infinite for other runs."""
    left, top, right, bottom = boxes.T
    high = bottom - top
    run = ~framed[None, :] & ~np.eye(len(boxes), dtype=bool)
    level = run & (_overlap(top, bottom) >= 0.5 * np.minimum(high[:, None], high))
    column = run & (_overlap(left, right) > 0)
    for name, gap, there in (
        ("left", left[:, None] - right[None, :], level & (left[None, :] < left[:, None])),
        ("right", left[None, :] - right[:, None], level & (right[None, :] > right[:, None])),
        ("above", top[:, None] - bottom[None, :], column & (top[None, :] < top[:, None])),
        ("below", top[None, :] - bottom[:, None], column & (bottom[None, :] > bottom[:, None])),
    ):
        yield name, np.where(there & (gap > least), gap, np.float32(np.inf))


def _overlap(start: Floats, end: Floats) -> Floats:
    return np.asarray(np.minimum(end[:, None], end) - np.maximum(start[:, None], start), np.float32)


def _sample(pixels: Pixels, boxes: Boxes, inset: int) -> Floats:
    """(N, 3) the median color of eight pixels along each box's sides, `inset` px inside (outside if negative)."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = boxes.T + np.array([[inset], [inset], [-inset - 1], [-inset - 1]])
    near_x, far_x = (3 * left + right) / 4, (left + 3 * right) / 4
    near_y, far_y = (3 * top + bottom) / 4, (top + 3 * bottom) / 4
    across = np.stack([near_x, far_x, near_x, far_x, left, left, right, right], axis=1)
    down = np.stack([top, top, bottom, bottom, near_y, far_y, near_y, far_y], axis=1)
    across, down = across.clip(0, width - 1).astype(np.int64), down.clip(0, height - 1).astype(np.int64)
    return np.asarray(np.median(pixels[down, across].astype(np.float32), axis=1).reshape(-1, 3), np.float32)


def _vividness(colors: Floats) -> Floats:
    """(N,) the range of the (N, 3) channels; 0 for gray."""
    return np.asarray(colors.max(axis=1, initial=0) - colors.min(axis=1, initial=255), np.float32)


def _difference(first: Floats, second: Floats) -> Floats:
    """(N,) the largest difference in any channel."""
    return np.asarray(np.abs(first - second).max(axis=1, initial=0), np.float32)
