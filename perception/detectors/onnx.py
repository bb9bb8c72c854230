"""Boxes by a detection model of the user's own: an ONNX file that an environment variable names.

    PERCEPTION_ONNX_DETECTOR   path of the .onnx file, or of a .toml file that describes it
    PERCEPTION_ONNX_SIZE       side of its input in pixels, 1280 or 1280x800; where the model leaves it open
    PERCEPTION_ONNX_SCORE      lowest score of a box, 0.25

Exports of YOLOv5 to YOLO26, YOLOX, RT-DETR, D-FINE, DETR and RF-DETR are known by their outputs (see `LAYOUTS`), and
names of classes by Ultralytics' metadata. The rest is declared in a TOML file of the model's name beside it,
`buttons.toml` for `buttons.onnx`; every key may be left out:

    name = "buttons"                      # and `description`, for `perception detectors`
    licence = "Apache-2.0"                # of the weights, as SPDX writes it
    layout = "yolox"                      # one of `LAYOUT_NAMES`
    size = [960, 608]                     # width and height, or one side; where the model leaves it open
    classes = ["button", "link", "icon"]  # in the model's order
    score = 0.3                           # lowest score of a box
    overlap = 0.7                         # intersection over union from which the weaker of two boxes is dropped
    outputs = ["output0"]                 # which to read, where there are several that could be boxes
    model = "buttons-v2.onnx"             # where the names differ
    [input]
    order = "bgr"                         # or "rgb"
    range = 255                           # the value of white, or of black and white: [-1, 1]
    mean = [0.485, 0.456, 0.406]          # taken off then, in that order and range
    std = [0.229, 0.224, 0.225]           # and divided by
    resize = "corner"                     # or "letterbox", "stretch"

A letterbox holds the image in its middle, a corner in its top left one; it is shrunk to fit and never enlarged. Where
such a model leaves its input size open, the input is as large as the image needs in steps of 32, up to the size that is
set, else the one that the export names, else 1280.

The model's licence is its user's choice: OmniParser's icon_detect, for one, is AGPL-3.0.

Rule 1: importing or describing this loads neither model nor runtime; saying what is missing loads the model once for
each version of the files and asks it about a blank image, to say whether it is one.
Rule 2: the environment is read when a detector is made or asked for, and never while it looks.
"""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from perception.budget import Budget
from perception.detectors.onnx_frames import GREY, InputForm, Placement, Resize, place, to_tensor
from perception.detectors.onnx_layouts import (
    LAYOUT_NAMES,
    LAYOUTS,
    Answer,
    Reader,
    class_count,
    decode,
    tell_layout,
)
from perception.detectors.onnx_model import ModelInput, bytes_of, chosen_outputs, open_model, read_input, size_source
from perception.detectors.onnx_readers import Asked, Seen, Size
from perception.detectors.onnx_settings import (
    NAME,
    PATH_VARIABLE,
    SCORE_VARIABLE,
    SIZE_VARIABLE,
    ModelNotes,
    OnnxSettings,
    unusable,
)
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.errors import DetectorMissingError, first_line
from perception.types import Detections, Pixels

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

USUAL_SIZE = {Resize.LETTERBOX: 1280, Resize.CORNER: 1280, Resize.STRETCH: 640}
"""Side of an open-sized input. 1280 is a usual screenshot's width, so that it is not shrunk: OmniParser's detector
found .735 of 392 true elements on ten 1280x800 pages at 640, .778 at 1280. 640 is what RT-DETR and D-FINE were trained
at, and their queries are made for."""
PROBE = 640
"""Side of the blank image that an open-sized model is asked about its output with."""
STRIDE = 32
"""Of the coarsest grid; an input that is a multiple of it suits every model of the YOLO family but the P6 ones."""
MAX_BOXES = 2000
"""Of one image, the best first: as the OpenCV detector. Ultralytics' 300 is fewer than a dense page has."""
TASKS = ("", "detect", "segment", "pose")
"""Of Ultralytics' models: those whose boxes are upright ones."""


class OnnxBoxes:
    """Finds boxes with a model of the user's own. Loads it when made and asks it once, about a blank image.

    Raises:
        DetectorMissingError: the model cannot be used; says why.
    """

    def __init__(self, settings: OnnxSettings, *, optimized: bool = True) -> None:
        self._settings = settings
        self._model = settings.path.name
        self._session = open_model(settings.path, optimized=optimized)
        self._input = read_input(self._session, settings)
        notes = _read_notes(self._session, self._model)
        self._classes = settings.declared.classes or notes.classes
        self._outputs = chosen_outputs(self._session, settings)
        size = settings.size or notes.size
        self._reader = self._probe(size or (PROBE, PROBE), notes.keypoints)
        self._form = _form_of(self._reader, settings, self._input.dtype)
        _check_steps(settings, self._input, self._form)
        self._size = size or (USUAL_SIZE[self._form.resize],) * 2

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """See `Detector.detect`. Looks at the budget before the model runs and after.

        Raises:
            DetectorMissingError: the model fails on this image, or answers what cannot be.
        """
        budget.check("detect")
        height, width = pixels.shape[:2]
        framed, placement = place(pixels, *self._frame(width, height), self._form.resize)
        told = _told(framed, placement)
        outputs = self._run(framed, told, self._form)
        budget.check("detect")
        seen = self._decode(self._reader, outputs, Asked((framed.shape[1], framed.shape[0]), told))
        boxes = placement.undo(seen.xyxy, width, height)
        kept = np.flatnonzero((boxes[:, :2] < boxes[:, 2:]).all(axis=1))[:MAX_BOXES]
        labels = tuple(self._label(number) for number in seen.label[kept])
        count = len(kept)
        return Detections(NAME, boxes[kept], seen.score[kept], ("box",) * count, ("",) * count, labels)

    def _label(self, number: int) -> str:
        return self._classes[number] if 0 <= number < len(self._classes) else ""

    def _probe(self, size: Size, keypoints: int) -> Reader:
        """Which layout the model has, by what it says of a blank image; that has to be readable, too."""
        width, height = self._input.width or size[0], self._input.height or size[1]
        blank = np.full((height, width, 3), GREY, np.uint8)
        outputs = self._run(blank, (width, height), self._settings.declared.input.apply(InputForm()))
        answer = Answer(outputs, (width, height), len(self._classes), keypoints)
        declared = self._settings.declared.layout
        reader = tell_layout(answer, declared)
        if reader is None:
            shapes = ", ".join(f"{name} {each.shape}" for name, each in outputs.items())
            file = f"{self._settings.path.stem}.toml"
            raise unusable(
                f"{self._model} answers an image of {width}x{height} with {shapes}; {_known(declared, file)}"
            )
        count = class_count(reader, answer)
        if self._classes and count and count != len(self._classes):
            layout = reader.layout.names[0]
            raise unusable(
                f"{self._model} scores {count} classes as {layout} has them, and {len(self._classes)} are named: "
                f"correct classes or layout in {self._settings.path.stem}.toml"
            )
        self._decode(reader, outputs, Asked((width, height), (width, height)))
        return reader

    def _frame(self, width: int, height: int) -> Size:
        """Width and height of the input for an image."""
        across, down = self._size
        if self._form.resize is not Resize.STRETCH:
            shrink = min(1.0, across / width, down / height)
            across, down = _round_up(round(width * shrink)), _round_up(round(height * shrink))
        return self._input.width or across, self._input.height or down

    def _run(self, image: Pixels, told: Size, form: InputForm) -> dict[str, NDArray[np.generic]]:
        taken = self._input
        height, width = image.shape[:2]
        given = {taken.name: to_tensor(image, form, taken.dtype, channels_last=taken.channels_last)}
        given |= {each.name: np.array([told], each.dtype) for each in taken.sizes}
        given |= {
            each.name: np.ones((1, each.shape[1] or height, each.shape[2] or width), each.dtype) for each in taken.masks
        }
        try:
            outputs = self._session.run(list(self._outputs), given)
        except Exception as exc:  # ONNX Runtime's own errors share no base but this
            raise unusable(
                f"{self._model} fails on an image of {width}x{height} ({first_line(exc)}): "
                f"export it again, or set {SIZE_VARIABLE} to a size that it takes"
            ) from exc
        return {name: np.asarray(each) for name, each in zip(self._outputs, outputs, strict=True)}

    def _decode(self, reader: Reader, outputs: Mapping[str, NDArray[np.generic]], asked: Asked) -> Seen:
        least_score, overlap = self._settings.score, self._settings.overlap
        try:
            return decode(reader, outputs, asked, least_score=least_score, overlap=overlap)
        except ValueError as exc:
            raise unusable(f"{self._model} {exc}") from exc


def _check_steps(settings: OnnxSettings, taken: ModelInput, form: InputForm) -> None:
    """A grid's input grows in steps; what is stretched has its one size, in steps that only its maker knows."""
    is_open = taken.width is None or taken.height is None
    if settings.size and is_open and form.resize is not Resize.STRETCH and any(side % STRIDE for side in settings.size):
        asked = "{}x{}".format(*settings.size)
        source = size_source(settings)
        raise unusable(f"a side of {asked} is no multiple of {STRIDE}: set {source} to 640, 1280 or 1280x800")


def _read_notes(session: InferenceSession, model: str) -> ModelNotes:
    notes = ModelNotes.read(session.get_modelmeta().custom_metadata_map)
    if notes.task not in TASKS:
        raise unusable(f"{model} is a model for {notes.task}, which gives no upright boxes: export one for detect")
    return notes


def _form_of(reader: Reader, settings: OnnxSettings, dtype: type[np.generic]) -> InputForm:
    """What the model is to be given: what is declared, else what its layout's models take."""
    choice = settings.declared.input
    if dtype is not np.uint8:
        return choice.apply(reader.layout.form)
    if choice.range not in (None, (0, 255)) or choice.mean or choice.std:
        model, file = settings.path.name, f"{settings.path.stem}.toml"
        raise unusable(f"{model} takes bytes as they are: leave input.range, mean and std out of {file}")
    return choice.apply(replace(reader.layout.form, low=0, high=255, mean=(), std=()))


def _told(framed: Pixels, placement: Placement) -> Size:
    """How large the whole input is in pixels of the image: where it is stretched, as the image."""
    height, width = framed.shape[:2]
    return round(width / placement.scale[0]), round(height / placement.scale[1])


def _known(declared: str, file: str) -> str:
    """What was expected of a model's outputs, and what to do."""
    if declared:
        says = "; or ".join(layout.says for layout in LAYOUTS if declared in layout.names)
        return f"layout {declared} is {says}: declare the one it has, of {', '.join(LAYOUT_NAMES)}"
    names = ", ".join(LAYOUT_NAMES)
    return f"no layout that is known: declare in {file} which outputs to read, or which layout they have, of {names}"


def _round_up(side: int) -> int:
    return max(1, math.ceil(side / STRIDE)) * STRIDE


@lru_cache(maxsize=4)
def _refusal(settings: OnnxSettings, _changed: tuple[int, int]) -> str:
    """Why a version of a file cannot be used, or ""."""
    try:
        OnnxBoxes(settings, optimized=False)
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
    try:
        settings = OnnxSettings.from_environment(os.environ)
    except DetectorMissingError:  # `_missing` says why
        settings = None
    return DetectorInfo(
        name=NAME,
        description=_description(settings),
        licence=(settings and settings.declared.licence) or "LicenseRef-of-the-model",
        kinds=("box",),
        limits=(
            "the model's licence is yours to heed: OmniParser's icon_detect is AGPL-3.0",
            f"reads upright boxes of {', '.join(LAYOUT_NAMES)}",
            "what their exports do not tell (classes, licence, another input) is declared in a .toml file beside it",
            f"size and lowest score are set there or by {SIZE_VARIABLE} and {SCORE_VARIABLE}",
        ),
        model_bytes=bytes_of(settings.path) if settings else 0,
    )


def _description(settings: OnnxSettings | None) -> str:
    if settings is None:
        return f"Boxes, by a detection model of your own: an .onnx file that {PATH_VARIABLE} names."
    declared = settings.declared
    parts = [f"Boxes, by {declared.name or settings.path.name}.", declared.description]
    parts += [f"Takes {'x'.join(map(str, settings.size))}."] if settings.size else []
    parts += [f"Tells apart {', '.join(declared.classes)}."] if declared.classes else []
    return " ".join(part for part in parts if part)


PLUGIN = Plugin(describe=_describe, missing=_missing, make=lambda: OnnxBoxes(OnnxSettings.from_environment(os.environ)))
