"""Boxes by a detection model of the user's own: any ONNX file of the YOLO family, named by environment variables.

    PERCEPTION_ONNX_DETECTOR   path of the .onnx file
    PERCEPTION_ONNX_SIZE       side of its input in pixels, 1280 or 1280x800; where the model leaves it open
    PERCEPTION_ONNX_SCORE      lowest score of a box, 0.25

What goes in: the image in RGB, 0 … 1, shrunk to fit and never enlarged, in the middle of grey (Ultralytics' letterbox);
where the model leaves its input size open, as large as the image needs in steps of 32. What may come out: see `Layout`.

The model's licence is its user's choice: OmniParser's icon_detect, for one, is AGPL-3.0.

Rule 1: importing or describing this loads neither model nor runtime; saying what is missing loads the model once for
each version of the file, to say whether it is one.
Rule 2: the environment is read when a detector is made or asked for, and never while it looks.
"""

from __future__ import annotations

import importlib.util
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.budget import Budget
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.errors import DetectorMissingError, first_line
from perception.geometry import Boxes
from perception.types import Detections, Pixels

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

NAME = "onnx"
PATH_VARIABLE = "PERCEPTION_ONNX_DETECTOR"
SIZE_VARIABLE = "PERCEPTION_ONNX_SIZE"
SCORE_VARIABLE = "PERCEPTION_ONNX_SCORE"

DEFAULT_SIZE = 1280
"""A usual screenshot's width, so that it is not shrunk: OmniParser's detector found .735 of 392 true elements on ten
1280x800 pages at 640, .778 at 1280."""
DEFAULT_SCORE = 0.25
"""`conf` of Ultralytics' predict."""
LEAST_OVERLAP = 0.7
"""Intersection over union from which the weaker of two boxes is dropped: `iou` of Ultralytics' predict."""
MAX_BOXES = 2000
"""Of one image, the best first: as the OpenCV detector. Ultralytics' 300 is fewer than a dense page has."""
MAX_CANDIDATES = 30_000
"""That are compared with each other, the best first: Ultralytics' `max_nms`."""
GREY = 114
"""Around a smaller image, as in training (Ultralytics, YOLOX)."""
STRIDE = 32
"""Of the coarsest grid; an input that is a multiple of it suits every model of the family but the P6 ones."""
PROBE = 640
"""Side of the blank image that an open-sized model is asked about its output with."""
GRIDS = ((8, 16, 32), (8, 16, 32, 64), (4, 8, 16, 32), (16, 32))
"""Strides of the family's grids: all common models, their P6 and P2 kin, and the tiny ones."""
LEAST_GRID = 1000
"""Places from which a grid is believed that is none of these; a DETR gives 300 boxes, a 640x640 grid has 8,400."""
THREADS = 1
"""As the text detector: with every core busy, two threads are slower than one."""

_TYPES: Mapping[str, type[np.floating]] = {"tensor(float)": np.float32, "tensor(float16)": np.float16}


class Layout(Enum):
    """How a model says what it found. Boxes are in pixels of its input; C is any number of classes."""

    ANCHORS_LAST = "(1, 4 + C, N): x, y, width, height and a score for each class (YOLOv8, YOLO11)"
    OBJECTNESS = "(1, N, 5 + C): x, y, width, height, objectness and a score for each class (YOLOv5, YOLOv7)"
    LISTED = "(1, N, 6): left, top, right, bottom, score and class (end to end, after its own suppression)"


@dataclass(frozen=True, slots=True)
class OnnxSettings:
    """What to run. `size` is (width, height) of the model's input, None for the default or the model's own.

    Raises:
        DetectorMissingError: a size or score that cannot be right.
    """

    path: Path
    size: tuple[int, int] | None = None
    score: float = DEFAULT_SCORE

    def __post_init__(self) -> None:
        if self.size is not None and not all(side >= STRIDE and side % STRIDE == 0 for side in self.size):
            raise _unusable(f"a side of {SIZE_VARIABLE} is no multiple of {STRIDE}: set it to 640, 1280 or 1280x800")
        if not 0 < self.score <= 1:
            raise _unusable(f"{SCORE_VARIABLE} is {self.score:g}: set it to a number over 0 and up to 1")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> OnnxSettings:
        """Raises DetectorMissingError: a variable is not set, or to what it cannot be."""
        path = environment.get(PATH_VARIABLE, "")
        if not path:
            raise _unusable(f"no model is named: set {PATH_VARIABLE} to the path of an .onnx file")
        if not Path(path).is_file():
            raise _unusable(f"{PATH_VARIABLE} names {Path(path).name}, which is no file here: correct the path")
        score = environment.get(SCORE_VARIABLE) or str(DEFAULT_SCORE)
        try:
            return cls(Path(path), _parse_size(environment.get(SIZE_VARIABLE, "")), float(score))
        except ValueError as exc:
            raise _unusable(f"{SCORE_VARIABLE} is {score!r}: set it to a number over 0 and up to 1") from exc


@dataclass(frozen=True, slots=True)
class ModelInput:
    """What a model takes. `width` and `height` are None where it leaves them open."""

    name: str
    dtype: type[np.floating]
    width: int | None
    height: int | None


class OnnxBoxes:
    """Finds boxes with a model of the user's own. Loads it when made and asks it once, about a blank image.

    Raises:
        DetectorMissingError: the model cannot be used; says why.
    """

    def __init__(self, settings: OnnxSettings) -> None:
        self._session = _open(settings.path, optimized=True)
        self._input = read_input(self._session, settings)
        self._size = settings.size or (DEFAULT_SIZE, DEFAULT_SIZE)
        self._score = settings.score
        self._layout = self._probe(settings.path.name)

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """See `Detector.detect`. Looks at the budget before the model runs and after."""
        budget.check("detect")
        image, shrink, margin = letterbox(pixels, *self._frame(pixels))
        output = self._run(image)
        budget.check("detect")
        boxes, score = decode(output[0].astype(np.float32), self._layout, self._score)
        height, width = pixels.shape[:2]
        boxes = ((boxes - np.tile(margin, 2)) / shrink).clip(0, np.array([width, height, width, height]))
        boxes = boxes.astype(np.float32)
        kept = np.flatnonzero((boxes[:, :2] < boxes[:, 2:]).all(axis=1))[:MAX_BOXES]
        return Detections(NAME, boxes[kept], score[kept], ("box",) * len(kept), ("",) * len(kept))

    def _probe(self, model: str) -> Layout:
        blank = np.full((self._input.height or PROBE, self._input.width or PROBE, 3), GREY, np.uint8)
        try:
            shape = self._run(blank).shape
        except Exception as exc:  # ONNX Runtime's own errors share no base but this
            reason = first_line(exc)
            raise _unusable(f"{model} fails on a blank image ({reason}): export it again") from exc
        return tell_layout(shape, blank.shape[:2], model)

    def _frame(self, pixels: Pixels) -> tuple[int, int]:
        """Width and height of the input for an image."""
        height, width = pixels.shape[:2]
        shrink = min(1.0, self._size[0] / width, self._size[1] / height)
        return (
            self._input.width or _round_up(round(width * shrink)),
            self._input.height or _round_up(round(height * shrink)),
        )

    def _run(self, image: Pixels) -> NDArray[np.floating]:
        batch = (image[..., ::-1].transpose(2, 0, 1)[None] / np.float32(255)).astype(self._input.dtype)
        output = self._session.run(None, {self._input.name: np.ascontiguousarray(batch)})[0]
        return np.asarray(output)


def letterbox(pixels: Pixels, width: int, height: int) -> tuple[Pixels, float, tuple[float, float]]:
    """Puts an image into the middle of a grey one, shrunk where it does not fit.

    Never enlarged: an icon in a small crop is as large as it is in the page.

    Returns:
        (height, width, 3); the factor it was shrunk by; what lies left of it and above.
    """
    shrink = min(1.0, width / pixels.shape[1], height / pixels.shape[0])
    inner = max(1, round(pixels.shape[1] * shrink)), max(1, round(pixels.shape[0] * shrink))
    resized = pixels if shrink == 1 else cv2.resize(pixels, inner, interpolation=cv2.INTER_AREA)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    framed = np.full((height, width, 3), GREY, np.uint8)
    framed[top : top + inner[1], left : left + inner[0]] = resized
    return framed, shrink, (left, top)


def tell_layout(shape: Sequence[int], size: tuple[int, int], model: str) -> Layout:
    """Which layout an output has.

    The longer side counts the places of a grid, or three times as many (YOLOv5 has three boxes a place); the other is
    what is said of each. Six numbers each are a list of boxes, unless there are exactly as many as places.

    Args:
        shape: of the output for a blank image of `size` (height, width).

    Raises:
        DetectorMissingError: none that is known.
    """
    if len(shape) == 3 and shape[0] == 1:
        _, rows, columns = shape
        is_grid = max(rows, columns) in grid_sizes(*size)
        if columns == 6 and not (is_grid and rows > columns):
            return Layout.LISTED
        is_grid = is_grid or max(rows, columns) > LEAST_GRID
        if is_grid and rows > columns > 5:
            return Layout.OBJECTNESS
        if is_grid and columns > rows > 4:
            return Layout.ANCHORS_LAST
    known = "; ".join(layout.value for layout in Layout)
    found = f"{model} answers an image of {size[1]}x{size[0]} with {tuple(shape)}"
    raise _unusable(f"{found}, a layout that is not known: export it as one of {known}")


def grid_sizes(height: int, width: int) -> set[int]:
    """How many boxes the family's grids give for an input of that size."""
    places = [sum(math.ceil(height / stride) * math.ceil(width / stride) for stride in grid) for grid in GRIDS]
    return {boxes * count for boxes in (1, 3) for count in places}


def decode(output: NDArray[np.float32], layout: Layout, least_score: float) -> tuple[Boxes, NDArray[np.float32]]:
    """What a model found, the best first.

    Args:
        output: one image's, in the given layout.
        least_score: what has less is dropped.

    Returns:
        (K, 4) xyxy in pixels of its input and (K,) scores; empty for none.

    Raises:
        DetectorMissingError: there are scores over 1: the export lacks their sigmoid.
    """
    rows = output.T if layout is Layout.ANCHORS_LAST else output
    match layout:
        case Layout.ANCHORS_LAST:
            score = rows[:, 4:].max(axis=1)
        case Layout.OBJECTNESS:
            score = rows[:, 4] * rows[:, 5:].max(axis=1)
        case Layout.LISTED:
            score = rows[:, 4]
    # Half precision rounds a certain 1 up to 1.0005.
    if score.max(initial=0) > 1.01:
        raise _unusable(f"the model gives scores up to {score.max():.3g}: export it with the sigmoid at its end")
    good = np.flatnonzero((score >= least_score) & np.isfinite(rows[:, :4]).all(axis=1))
    good = good[np.argsort(-score[good], kind="stable")[:MAX_CANDIDATES]]
    boxes, score = np.ascontiguousarray(rows[good, :4]), score[good].clip(0, 1)
    if layout is not Layout.LISTED:
        boxes = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], axis=1)
        kept = drop_repeats(boxes, score)
        boxes, score = boxes[kept], score[kept]
    return boxes, score


def drop_repeats(boxes: Boxes, score: NDArray[np.float32]) -> NDArray[np.intp]:
    """Non-maximum suppression, whatever the class: a button that is a link too is one thing to click.

    Returns:
        Indices of those kept, the best first.
    """
    if not len(boxes):
        return np.zeros(0, np.intp)
    sides = np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)
    kept = cv2.dnn.NMSBoxes(sides.tolist(), score.tolist(), 0.0, LEAST_OVERLAP)
    return np.asarray(kept, np.intp).reshape(-1)


def read_input(session: InferenceSession, settings: OnnxSettings) -> ModelInput:
    """What a model takes.

    Raises:
        DetectorMissingError: not one image, or not of the size that was set.
    """
    model, inputs = settings.path.name, session.get_inputs()
    taken = ", ".join(f"{each.name} {each.type} {each.shape}" for each in inputs)
    shape = inputs[0].shape if len(inputs) == 1 and inputs[0].type in _TYPES else []
    if len(shape) != 4 or _fixed(shape[1]) not in (3, None) or _fixed(shape[0]) not in (1, None):
        raise _unusable(f"{model} takes {taken}: export it to take one image, float (1, 3, height, width)")
    height, width = _fixed(shape[2]), _fixed(shape[3])
    asked = settings.size or (width, height)
    if (width or asked[0], height or asked[1]) != asked:
        own = f"{width or 'any'}x{height or 'any'}"
        raise _unusable(f"{model} takes images of {own} only: unset {SIZE_VARIABLE}")
    return ModelInput(inputs[0].name, _TYPES[inputs[0].type], width, height)


def _fixed(side: object) -> int | None:
    """Open sides have a name, no name or a negative number."""
    return side if isinstance(side, int) and side > 0 else None


def _parse_size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    match = re.fullmatch(r"(\d{1,5})(?:x(\d{1,5}))?", text)
    if match is None:
        raise _unusable(f"{SIZE_VARIABLE} is {text!r}: set it to 640, 1280 or 1280x800")
    return int(match[1]), int(match[2] or match[1])


def _round_up(side: int) -> int:
    return max(1, math.ceil(side / STRIDE)) * STRIDE


def _open(path: Path, *, optimized: bool) -> InferenceSession:
    """Raises DetectorMissingError: not a model that ONNX Runtime reads, or one with more than one output."""
    from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = THREADS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # ONNX Runtime's own errors share no base but this
        reason = first_line(exc).replace(str(path), path.name)
        raise _unusable(f"{path.name} is no model that ONNX Runtime reads ({reason}): export it again") from exc
    outputs = session.get_outputs()
    if len(outputs) != 1:
        shapes = ", ".join(f"{each.name} {each.shape}" for each in outputs)
        raise _unusable(f"{path.name} has {len(outputs)} outputs ({shapes}): export a detector with one")
    return session


def _unusable(reason: str) -> DetectorMissingError:
    return DetectorMissingError(reason, detector=NAME)


@lru_cache(maxsize=4)
def _refusal(settings: OnnxSettings, _changed: tuple[int, int]) -> str:
    """Why a version of a file cannot be used, as far as that shows without running it, or ""."""
    try:
        session = _open(settings.path, optimized=False)
        taken = read_input(session, settings)
        shape = [_fixed(side) for side in session.get_outputs()[0].shape]
        if taken.width and taken.height and all(shape):
            tell_layout([side or 0 for side in shape], (taken.height, taken.width), settings.path.name)
    except DetectorMissingError as exc:
        return str(exc)
    return ""


def _missing() -> str:
    if importlib.util.find_spec("onnxruntime") is None:
        return "the package onnxruntime is not installed: pip install onnxruntime"
    try:
        settings = OnnxSettings.from_environment(os.environ)
        file = settings.path.stat()
    except DetectorMissingError as exc:
        return str(exc)
    return _refusal(settings, (file.st_mtime_ns, file.st_size))


def _describe() -> DetectorInfo:
    path = Path(os.environ.get(PATH_VARIABLE, ""))
    return DetectorInfo(
        name=NAME,
        description=f"Boxes, by a YOLO-family model of your own that {PATH_VARIABLE} names.",
        licence="LicenseRef-of-the-model",
        kinds=("box",),
        limits=(
            "the model's licence is yours to heed: OmniParser's icon_detect is AGPL-3.0",
            "input is RGB in 0 … 1: YOLOX's own exports, which take BGR in 0 … 255 and give raw grids, are not read",
            "all classes count as one",
            f"size and lowest score are set by {SIZE_VARIABLE} and {SCORE_VARIABLE}",
        ),
        model_bytes=path.stat().st_size if path.is_file() else 0,
    )


PLUGIN = Plugin(describe=_describe, missing=_missing, make=lambda: OnnxBoxes(OnnxSettings.from_environment(os.environ)))
