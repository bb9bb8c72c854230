"""Controls in pixels, by a small network of our own: its card is `controls.md`.

The network answers for each cell of 8 × 8 px: how likely a control is there, its class, its states and its box.
`perception bench run train_detector` trained it on rendered pages. `control_judge` says which of its boxes are right.

Rule 1: images are looked at in their own resolution, since icons of 16 px do not survive less; only images of more than
MAX_PIXELS are shrunk.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.deadline import Deadline
from perception.detectors.control_judge import MODEL as JUDGE
from perception.detectors.control_judge import Cells, ControlJudge, Numbers, Proposals, propose
from perception.detectors.onnx_frames import InputForm, Resize, place, to_tensor
from perception.detectors.onnx_layouts import suppress_overlaps
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
LEAST_PROPOSED = 0.25
"""Score of the network from which a cell proposes a box: 94 % of the controls are among these."""
LIKELY_LINK, LIKELY = 0.17, 0.12
"""Judged likelihoods that stand for a score of 0.5: of links, which the network misjudges most, and of others:
`controls.md` says on what they were chosen."""
LEAST_STATE = 0.5
"""Likelihood from which a state is reported."""
SAME = 0.4
"""Intersection over union from which two boxes are one control."""
STRIDE = 32
"""Sides of the input are multiples of this."""
MAX_PIXELS = 2560 * 1600


class ControlBoxes:
    """Finds controls. The constructor loads the models.

    Args:
        model: an export of `perception bench run train_detector`.
        least_scores: by class; boxes with a lower score are dropped.
        judge: an export of `perception bench run train_judge` for this model; None to take the network's scores.
    """

    def __init__(
        self, model: Path = MODEL, *, least_scores: Mapping[str, float] = LEAST_SCORES, judge: Path | None = JUDGE
    ) -> None:
        self._session = open_model(model, optimized=True)
        self._least = np.asarray([least_scores[name] for name in CLASSES], np.float32)
        self._judge = ControlJudge(judge) if judge is not None else None

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. A score is how likely the box is a control; a label is its class, and its states."""
        deadline.check("detect")
        proposals = self.propose(pixels)
        deadline.check("detect")
        boxes, score = proposals.cells, proposals.cells.score
        named = boxes.classes.argmax(axis=1)
        if self._judge is not None:
            score = judged_scores(score, named, self._judge.likelihood(proposals))
        likely = np.flatnonzero(score >= self._least[named])
        kept = likely[suppress_overlaps(boxes.xyxy[likely], score[likely], SAME)]
        labels = tuple(_label(boxes.classes[row], boxes.states[row]) for row in kept.tolist())
        return Detections(NAME, boxes.xyxy[kept], score[kept], ("box",) * len(kept), ("",) * len(kept), labels)

    def propose(self, pixels: Pixels) -> Proposals:
        """The boxes of an image, (H, W, 3) BGR, that may be controls, in px of the image."""
        height, width = pixels.shape[:2]
        shrink = min(1.0, (MAX_PIXELS / (height * width)) ** 0.5)
        framed, placement = place(pixels, _steps(width * shrink), _steps(height * shrink), Resize.CORNER)
        given = {"images": to_tensor(framed, InputForm(), np.float32, channels_last=False)}
        answer = self._session.run(["output0", "states"], given)
        rows, states = (np.asarray(each[0], np.float32).T for each in answer)
        likely = np.flatnonzero(rows[:, 4:].max(axis=1) >= min(LEAST_PROPOSED, float(self._least.min())))
        boxes = placement.undo(_corners(rows[likely, :4]), width, height)
        return propose(Cells(boxes, rows[likely, 4:], states[likely]))


def judged_scores(score: Numbers, named: NDArray[np.intp], likelihood: Numbers) -> Numbers:
    """Scores of proposals, as judged.

    Args:
        score: (N,) of the network.
        named: (N,) indices in CLASSES.
        likelihood: (N,) of the judge.

    Returns:
        (N,) of a link its likelihood, on a scale on which LIKELY_LINK is 0.5; of others the mean of that, with LIKELY,
        and of the network's score, by their log-odds. The network knows more of icons than the judge.
    """
    is_link = named == CLASSES.index("link")
    half = np.where(is_link, LIKELY_LINK, LIKELY)
    told = np.where(likelihood < half, likelihood / half, 1 + (likelihood - half) / (1 - half)) / 2
    odds = np.exp((_log_odds(score) + _log_odds(told)) / 2)
    return np.asarray(np.where(is_link, told, odds / (1 + odds)), np.float32)


def _log_odds(likelihood: NDArray[Any]) -> NDArray[np.float64]:
    inner = np.asarray(likelihood, np.float64).clip(1e-4, 1 - 1e-4)
    return np.asarray(np.log(inner / (1 - inner)), np.float64)


def _steps(side: float) -> int:
    return max(1, -(-round(side) // STRIDE)) * STRIDE


def _corners(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, 4) xyxy of (N, 4) centers and sides."""
    return np.concatenate([rows[:, :2] - rows[:, 2:] / 2, rows[:, :2] + rows[:, 2:] / 2], axis=1)


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
        model_bytes=MODEL.stat().st_size + JUDGE.stat().st_size,
        default_enabled=True,
        at_css_scale=True,
    )


PLUGIN = Plugin(describe=_describe, missing=lambda: "", make=ControlBoxes)
