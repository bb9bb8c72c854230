"""Box detection with the user's own model: an ONNX file that an environment variable names.

    PERCEPTION_ONNX_DETECTOR   path of the .onnx file, or of a .toml file that describes it
    PERCEPTION_ONNX_SIZE       side of its input in pixels, 1280 or 1280x800; for models with an open input size
    PERCEPTION_ONNX_SCORE      lowest score of a box, 0.25

Exports of YOLOv5 to YOLO26, YOLOX, RT-DETR, D-FINE, DETR and RF-DETR are recognized by outputs (`OUTPUT_LAYOUTS`),
and class names are read from Ultralytics' metadata. Everything else is declared in a TOML file next to the model,
`buttons.toml` for `buttons.onnx`; every key is optional:

    name = "buttons"                      # and `description`, for `perception detectors`
    licence = "Apache-2.0"                # of the weights, as SPDX writes it
    layout = "yolox"                      # one of `LAYOUT_NAMES`
    size = [960, 608]                     # width and height, or one side; for models with an open input size
    classes = ["button", "link", "icon"]  # in the model's order
    score = 0.3                           # lowest score of a box
    overlap = 0.7                         # intersection over union from which the weaker of two boxes is dropped
    outputs = ["output0"]                 # which outputs to read, if several could be boxes
    model = "buttons-v2.onnx"             # if the names differ
    [input]
    order = "bgr"                         # or "rgb"
    range = 255                           # the value of white, or of black and white: [-1, 1]
    mean = [0.485, 0.456, 0.406]          # subtracted then, in that order and range
    std = [0.229, 0.224, 0.225]           # and divided by
    resize = "corner"                     # or "letterbox", "stretch"

`letterbox` places the image in the center of the input, `corner` in its top left corner; the image is shrunk to fit and
never enlarged. If such a model has an open input size, the input is as large as the image needs in steps of 32, up to
the configured size, else the size of the export's metadata, else 1280.

The model's licence is its user's choice: OmniParser's icon_detect, for example, is AGPL-3.0.

Rule 1: importing or describing this loads neither model nor runtime; `missing` loads the model once for each version of
the files and runs it on a blank image, to test whether it is a detection model.
Rule 2: the environment is read when a detector is created or described, never during detection.
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

from perception.deadline import Deadline
from perception.detectors.onnx_frames import GREY, InputForm, Placement, Resize, place, to_tensor
from perception.detectors.onnx_layouts import (
    LAYOUT_NAMES,
    OUTPUT_LAYOUTS,
    LayoutMatch,
    class_count,
    decode,
    find_layout,
)
from perception.detectors.onnx_model import ModelInput, bytes_of, chosen_outputs, open_model, read_input, size_source
from perception.detectors.onnx_outputs import ModelOutput
from perception.detectors.onnx_readers import InputFrame, RawDetections, Size
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
"""Side of an open-sized input, px. 1280 is a usual screenshot's width, so that it is not shrunk: OmniParser's detector
found .735 of 392 true elements on ten 1280x800 pages at 640, .778 at 1280. RT-DETR and D-FINE were trained at 640."""
PROBE_SIDE = 640
"""Side of the blank image that an open-sized model is probed with, px."""
MODEL_STRIDE = 32
"""Stride of the coarsest grid; an input that is a multiple of it fits every YOLO model but the P6 ones."""
MAX_BOXES = 2000
"""Maximum number of boxes of one image, best first. Ultralytics' 300 is fewer than a dense page has."""
MODEL_TASKS = ("", "detect", "segment", "pose")
"""Tasks of Ultralytics' models whose boxes are upright."""


class OnnxBoxes:
    """Finds boxes with the user's own model. The constructor loads the model and runs it once on a blank image.

    Raises:
        DetectorMissingError: the model cannot be used; the message says why.
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
        self._reader = self._probe(size or (PROBE_SIDE, PROBE_SIDE), notes.keypoints)
        self._form = _form_of(self._reader, settings, self._input.dtype)
        _check_steps(settings, self._input, self._form)
        self._size = size or (USUAL_SIZE[self._form.resize],) * 2

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. Checks the deadline before and after the model runs.

        Raises:
            DetectorMissingError: the model fails on this image, or its outputs are invalid.
        """
        deadline.check("detect")
        height, width = pixels.shape[:2]
        framed, placement = place(pixels, *self._frame(width, height), self._form.resize)
        image_size = _image_size_in_input(framed, placement)
        outputs = self._run(framed, image_size, self._form)
        deadline.check("detect")
        seen = self._decode(self._reader, outputs, InputFrame((framed.shape[1], framed.shape[0]), image_size))
        boxes = placement.undo(seen.xyxy, width, height)
        kept = np.flatnonzero((boxes[:, :2] < boxes[:, 2:]).all(axis=1))[:MAX_BOXES]
        labels = tuple(self._label(number) for number in seen.label[kept])
        count = len(kept)
        return Detections(NAME, boxes[kept], seen.score[kept], ("box",) * count, ("",) * count, labels)

    def _label(self, number: int) -> str:
        return self._classes[number] if 0 <= number < len(self._classes) else ""

    def _probe(self, size: Size, keypoints: int) -> LayoutMatch:
        """Finds the model's layout from its outputs for a blank image, and checks that they can be decoded."""
        width, height = self._input.width or size[0], self._input.height or size[1]
        blank = np.full((height, width, 3), GREY, np.uint8)
        outputs = self._run(blank, (width, height), self._settings.declared.input.apply(InputForm()))
        answer = ModelOutput(outputs, (width, height), len(self._classes), keypoints)
        declared = self._settings.declared.layout
        reader = find_layout(answer, declared)
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
        self._decode(reader, outputs, InputFrame((width, height), (width, height)))
        return reader

    def _frame(self, width: int, height: int) -> Size:
        """Width and height of the model's input for an image of this size, px."""
        across, down = self._size
        if self._form.resize is not Resize.STRETCH:
            shrink = min(1.0, across / width, down / height)
            across, down = _round_up(round(width * shrink)), _round_up(round(height * shrink))
        return self._input.width or across, self._input.height or down

    def _run(self, image: Pixels, image_size: Size, form: InputForm) -> dict[str, NDArray[np.generic]]:
        taken = self._input
        height, width = image.shape[:2]
        given = {taken.name: to_tensor(image, form, taken.dtype, channels_last=taken.channels_last)}
        given |= {each.name: np.array([image_size], each.dtype) for each in taken.sizes}
        given |= {
            each.name: np.ones((1, each.shape[1] or height, each.shape[2] or width), each.dtype) for each in taken.masks
        }
        try:
            outputs = self._session.run(list(self._outputs), given)
        except Exception as exc:  # ONNX Runtime's errors have no other common base class
            raise unusable(
                f"{self._model} fails on an image of {width}x{height} ({first_line(exc)}): "
                f"export it again, or set {SIZE_VARIABLE} to a size that it takes"
            ) from exc
        return {name: np.asarray(each) for name, each in zip(self._outputs, outputs, strict=True)}

    def _decode(
        self, reader: LayoutMatch, outputs: Mapping[str, NDArray[np.generic]], frame: InputFrame
    ) -> RawDetections:
        least_score, overlap = self._settings.score, self._settings.overlap
        try:
            return decode(reader, outputs, frame, least_score=least_score, overlap=overlap)
        except ValueError as exc:
            raise unusable(f"{self._model} {exc}") from exc


def _check_steps(settings: OnnxSettings, taken: ModelInput, form: InputForm) -> None:
    """Checks that a configured size is a multiple of the stride; inputs that are stretched may have any size."""
    is_open = taken.width is None or taken.height is None
    if (
        settings.size
        and is_open
        and form.resize is not Resize.STRETCH
        and any(side % MODEL_STRIDE for side in settings.size)
    ):
        asked = "{}x{}".format(*settings.size)
        source = size_source(settings)
        raise unusable(f"a side of {asked} is not a multiple of {MODEL_STRIDE}: set {source} to 640, 1280 or 1280x800")


def _read_notes(session: InferenceSession, model: str) -> ModelNotes:
    notes = ModelNotes.read(session.get_modelmeta().custom_metadata_map)
    if notes.task not in MODEL_TASKS:
        raise unusable(f"{model} is a model for {notes.task}, which gives no upright boxes: export one for detect")
    return notes


def _form_of(reader: LayoutMatch, settings: OnnxSettings, dtype: type[np.generic]) -> InputForm:
    """The declared input form, with the form of the layout for every value that is not declared."""
    choice = settings.declared.input
    if dtype is not np.uint8:
        return choice.apply(reader.layout.form)
    if choice.range not in (None, (0, 255)) or choice.mean or choice.std:
        model, file = settings.path.name, f"{settings.path.stem}.toml"
        raise unusable(f"{model} takes bytes as they are: leave input.range, mean and std out of {file}")
    return choice.apply(replace(reader.layout.form, low=0, high=255, mean=(), std=()))


def _image_size_in_input(framed: Pixels, placement: Placement) -> Size:
    """Width and height of the whole input in image px; equal to the image's size if it is stretched."""
    height, width = framed.shape[:2]
    return round(width / placement.scale[0]), round(height / placement.scale[1])


def _known(declared: str, file: str) -> str:
    """Part of an error message: which outputs were expected, and what to do."""
    if declared:
        says = "; or ".join(layout.says for layout in OUTPUT_LAYOUTS if declared in layout.names)
        return f"layout {declared} is {says}: declare the one it has, of {', '.join(LAYOUT_NAMES)}"
    names = ", ".join(LAYOUT_NAMES)
    return f"no layout that is known: declare in {file} which outputs to read, or which layout they have, of {names}"


def _round_up(side: int) -> int:
    return max(1, math.ceil(side / MODEL_STRIDE)) * MODEL_STRIDE


@lru_cache(maxsize=4)
def _refusal(settings: OnnxSettings, _changed: tuple[int, int]) -> str:
    """Why a version of a model file cannot be used; "" if it can be used."""
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
            "you have to follow the model's licence: that of OmniParser's icon_detect is AGPL-3.0",
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
