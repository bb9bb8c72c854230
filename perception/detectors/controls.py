"""Controls in pixels, by a small network of our own: its card is `controls.md`.

The network answers for each cell of 8 × 8 px: how likely a control is there, its class, its states and its box.
`perception bench run train_detector` trained it on rendered pages.

Rule 1: images are looked at in their own resolution, since icons of 16 px do not survive less; only images of more than
MAX_PIXELS are shrunk.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.deadline import Deadline
from perception.detectors.onnx_frames import InputForm, Resize, place, to_tensor
from perception.detectors.onnx_layouts import average_overlaps, suppress_overlaps
from perception.detectors.onnx_model import open_model
from perception.detectors.protocol import DetectorInfo, Plugin
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
"""Likelihood from which a state is reported."""
SAME, ALIKE = 0.4, 0.5
"""Intersection over union from which two boxes are one control, and from which both tell where it is. Averaging finds 2
points more controls at an overlap of half (`packages#dev`), with a fifth fewer boxes than SAME = 0.6 alone."""
STRIDE = 32
"""Sides of the input are multiples of this."""
MAX_PIXELS = 2560 * 1600


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
        framed, placement = place(pixels, _steps(width * shrink), _steps(height * shrink), Resize.CORNER)
        given = {"images": to_tensor(framed, InputForm(), np.float32, channels_last=False)}
        rows, states = (np.asarray(each[0], np.float32) for each in self._session.run(["output0", "states"], given))
        deadline.check("detect")
        score = rows[4:].max(axis=0)
        likely = np.flatnonzero(score >= self._least[rows[4:].argmax(axis=0)])
        boxes, score = placement.undo(_corners(rows[:4, likely]), width, height), score[likely]
        kept = suppress_overlaps(boxes, score, SAME)
        labels = tuple(_label(rows[4:, row], states[:, row]) for row in likely[kept].tolist())
        averaged = average_overlaps(boxes, score, kept, ALIKE)
        return Detections(NAME, averaged, score[kept], ("box",) * len(kept), ("",) * len(kept), labels)


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
