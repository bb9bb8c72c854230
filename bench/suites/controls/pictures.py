"""Screenshots with what a reader served drawn on them: right, wrong and missed controls in three colors.

A right or wrong control is drawn as it was served, with the first letters of its role; a missed one as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from perception.bench.looks.stored_looks import items_of
from perception.bench.metrics.control_matching import control_truth
from perception.bench.run_store import Run
from perception.bench.sample_worker import read_pixels
from perception.bench.suites.controls.control_scores import JudgedImage, judge_output
from perception.bench.suites.controls.parsing import decode_output
from perception.geometry import Box
from perception.imaging.codec import encode_png
from perception.types import Pixels

Color = tuple[int, int, int]

RIGHT, WRONG, MISSED, NOT_JUDGED = (60, 150, 0), (40, 40, 230), (230, 110, 0), (150, 150, 150)
"""BGR: green, red, blue, gray. Wrong and missed differ in lightness for people with color blindness, too."""

LEGEND = (("right", RIGHT), ("wrong", WRONG), ("missed", MISSED), ("not judged", NOT_JUDGED))

FONT, FONT_SCALE = cv2.FONT_HERSHEY_SIMPLEX, 0.38
"""The smallest size at which OpenCV's font can be read."""


def write_pictures(folder: Path, run: Run, home: Path) -> int:
    """Writes a picture for each sample and reader, and returns their number."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for item in items_of(run, home):
        truth, pixels = control_truth(item.sample), read_pixels(item)
        for output in map(decode_output, run.outputs(item.id)):
            image = judge_output(item.sample, truth, output)
            name = re.sub(r"[^\w.+@-]+", "_", f"{item.sample.name}.{output.who}")
            (folder / f"{name}.png").write_bytes(encode_png(draw_judged(pixels, image)))
            count += 1
    return count


def draw_judged(pixels: Pixels, image: JudgedImage) -> Pixels:
    """A copy of a screenshot with a legend line under it."""
    scale = image.sample.viewport.scale
    height, width = pixels.shape[:2]
    drawn = np.full((height + 20, width, 3), 255, np.uint8)
    drawn[:height] = pixels
    counts = dict.fromkeys((name for name, _ in LEGEND), 0)
    for name, box, word in _marks(image):
        counts[name] += 1
        _draw(drawn, box, scale, dict(LEGEND)[name], word)
    x = 6
    for name, color in LEGEND:
        text = f"{name} {counts[name]}"
        cv2.putText(drawn, text, (x, height + 14), FONT, 0.45, color, 1, cv2.LINE_AA)
        x += 30 + cv2.getTextSize(text, FONT, 0.45, 1)[0][0]
    return drawn


def _marks(image: JudgedImage) -> Iterator[tuple[str, Box, str]]:
    """Name in the legend, box and label of each mark."""
    for control, found in zip(image.truth.controls, image.judgment.found.tolist(), strict=True):
        if not found:
            yield "missed", control.box, control.role
    right, judged = image.judgment.right.tolist(), image.judgment.judged.tolist()
    for element, good, counts in zip(image.served, right, judged, strict=True):
        if element.box is not None:
            name = "right" if good else "wrong" if counts else "not judged"
            yield name, element.box, element.role


def _draw(pixels: Pixels, box: Box, scale: float, color: Color, word: str) -> None:
    left, top, right, bottom = (round(side * scale) for side in (box.left, box.top, box.right, box.bottom))
    cv2.rectangle(pixels, (left, top), (right - 1, bottom - 1), color, 1)
    label = word[:4]
    (wide, high), _ = cv2.getTextSize(label, FONT, FONT_SCALE, 1)
    start = (left, max(top - 2, high + 1))
    cv2.rectangle(pixels, (start[0], start[1] - high - 1), (start[0] + wide, start[1] + 1), color, cv2.FILLED)
    cv2.putText(pixels, label, start, FONT, FONT_SCALE, (255, 255, 255), 1, cv2.LINE_AA)
