"""Controls in pixels, by a small network of our own: its card is `controls.md`.

The network answers for each cell of 8 × 8 px: how likely a control is there, its class, its states and its box.
`perception bench run train_detector` trained it on rendered pages.

Rule 1: images are looked at in their own resolution, since icons of 16 px do not survive less; only images of more than
MAX_PIXELS are shrunk.
Rule 2: where something was found, a second look at a smaller image helps to say where its sides are; never whether a
control is there.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.deadline import Deadline
from perception.detectors.onnx_frames import InputForm, Placement, Resize, place, to_tensor
from perception.detectors.onnx_layouts import average_overlaps, suppress_overlaps
from perception.detectors.onnx_model import open_model
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.geometry import Boxes
from perception.types import Detections, Pixels

NAME = "controls"
MODEL = Path(__file__).with_name("controls.onnx")

CLASSES = (
    "button", "icon button", "link", "textbox", "combobox", "checkbox", "radio", "switch", "slider", "tab", "menuitem",
)  # fmt: skip
"""Classes of the network. An icon button is a button or link without words."""
STATES = ("checked", "disabled")

LEAST_SCORES = dict.fromkeys(CLASSES, 0.4) | {"link": 0.5, "button": 0.45, "tab": 0.35, "menuitem": 0.35}
"""By class. Of links with 0.4 to 0.5 one in seven is one: the others are words of plain text. With 0.4 for all, 0.7
points more controls of `packages#dev` are found, at 5 points less precision."""
LEAST_STATE = 0.5
"""Likelihood from which a state is told."""
SAME, ALIKE = 0.4, 0.5
"""Intersection over union from which two boxes are one control, and from which both tell where it is. Averaging finds 2
points more controls at an overlap of half (`packages#dev`), with a fifth fewer boxes than SAME = 0.6 alone."""
STRIDE, CELL = 32, 8
"""Sides of the input are multiples of the first; the network answers for squares of the second, px of the input."""
MAX_PIXELS = 2560 * 1600
SMALLER, SMALLER_WEIGHT = 0.75, 0.7
"""Scale of the second look, and the weight of its boxes: it shows more of a control's surroundings. 6 to 7 points more
controls of `packages#dev` are found at an overlap of half; of 0.5, 0.67, 0.7, 0.8 and 0.9 none does clearly more. With
scores of the second look, precision falls by 2 to 5 points."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What the network said of an image at one scale, for N cells, row by row.

    Attributes:
        placement: of the image in the input.
        columns: cells of a row.
        boxes: (N, 4) xyxy, px of the input.
        scores: (classes, N).
        states: (states, N).
    """

    placement: Placement
    columns: int
    boxes: Boxes
    scores: NDArray[np.float32]
    states: NDArray[np.float32]

    def cells_at(self, points: NDArray[np.float32]) -> NDArray[np.intp]:
        """Indices of the cells at (N, 2) px of the image."""
        last = np.asarray([self.columns, len(self.boxes) // self.columns]) - 1
        places = (points * self.placement.scale[0] // CELL).astype(np.intp).clip(0, last)
        return np.asarray(places @ [1, self.columns], np.intp)

    def centres(self, cells: NDArray[np.intp]) -> NDArray[np.float32]:
        """(N, 2) px of the image."""
        middle = np.stack([cells % self.columns, cells // self.columns], axis=-1).astype(np.float32) + 0.5
        return middle * np.float32(CELL / self.placement.scale[0])


class ControlBoxes:
    """Finds controls. The constructor loads the model.

    Args:
        model: an export of `perception bench run train_detector`.
        least_scores: by class; boxes with a lower score are dropped.
    """

    def __init__(self, model: Path = MODEL, *, least_scores: Mapping[str, float] = LEAST_SCORES) -> None:
        self._session = open_model(model, optimized=True)
        self._least = np.asarray([least_scores[name] for name in CLASSES], np.float32)

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. A score is how likely the box is a control; a label is its class, and its states."""
        deadline.check("detect")
        height, width = pixels.shape[:2]
        shrink = min(1.0, (MAX_PIXELS / (height * width)) ** 0.5)
        look = self._look(pixels, shrink)
        deadline.check("detect")
        score = look.scores.max(axis=0)
        likely = np.flatnonzero(score >= self._least[look.scores.argmax(axis=0)])
        boxes, score = look.placement.undo(look.boxes[likely], width, height), score[likely]
        if len(likely):
            smaller = self._look(pixels, shrink * SMALLER)
            deadline.check("detect")
            cells = smaller.cells_at(look.centres(likely))
            own, other = (1 - SMALLER_WEIGHT) * score, SMALLER_WEIGHT * smaller.scores[:, cells].max(axis=0)
            share = (other / (own + other))[:, None]
            boxes += share * (smaller.placement.undo(smaller.boxes[cells], width, height) - boxes)
        kept = suppress_overlaps(boxes, score, SAME)
        labels = tuple(_label(look.scores[:, row], look.states[:, row]) for row in likely[kept].tolist())
        averaged = average_overlaps(boxes, score, kept, ALIKE)
        return Detections(NAME, averaged, score[kept], ("box",) * len(kept), ("",) * len(kept), labels)

    def _look(self, pixels: Pixels, scale: float) -> _Look:
        height, width = pixels.shape[:2]
        framed, placement = place(pixels, _steps(width * scale), _steps(height * scale), Resize.CORNER)
        given = {"images": to_tensor(framed, InputForm(), np.float32, channels_last=False)}
        rows, states = (np.asarray(each[0], np.float32) for each in self._session.run(["output0", "states"], given))
        return _Look(placement, framed.shape[1] // CELL, _corners(rows[:4]), rows[4:], states)


def _steps(side: float) -> int:
    return max(1, -(-round(side) // STRIDE)) * STRIDE


def _corners(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, 4) xyxy of (4, N) centers and sides."""
    return np.concatenate([rows[:2] - rows[2:] / 2, rows[:2] + rows[2:] / 2]).T


def _label(scores: NDArray[np.float32], states: NDArray[np.float32]) -> str:
    told = [state for state, likely in zip(STATES, states.tolist(), strict=True) if likely >= LEAST_STATE]
    return ", ".join([CLASSES[int(scores.argmax())], *told])


def _describe() -> DetectorInfo:
    return DetectorInfo(
        name=NAME,
        description="Controls and their roles, by a small network trained on rendered pages.",
        licence="Apache-2.0",
        kinds=("box",),
        version=importlib.metadata.version("onnxruntime"),
        limits=("knows controls of web pages; not those of games or photographs",),
        model_bytes=MODEL.stat().st_size,
        default_enabled=True,
        at_css_scale=True,
    )


PLUGIN = Plugin(describe=_describe, missing=lambda: "", make=ControlBoxes)
