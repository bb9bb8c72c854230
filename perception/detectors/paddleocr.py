"""Text in pixels with PaddleOCR: the 3.x API of the package `paddleocr`, with models that the environment names.

    PERCEPTION_PADDLE_DET      text detection: a folder, or a name that PaddleOCR fetches once (PP-OCRv6_medium_det)
    PERCEPTION_PADDLE_REC      text recognition, likewise; korean_PP-OCRv5_mobile_rec reads Korean
    PERCEPTION_PADDLE_THREADS  threads of each model, 1

A folder contains `inference.yml` and either `inference.onnx` or Paddle's `inference.json` (or `.pdmodel`) with
`inference.pdiparams`. The default is PP-OCRv6 small of the rapidocr package, which needs no network.

PaddleOCR requires opencv-contrib-python, which shares the folder `cv2` with our opencv-python-headless and cannot be
imported without libGL. The one that was installed last is used, and removing one breaks both.
`pip install --force-reinstall --no-deps opencv-python-headless` restores ours in either case; PaddleOCR works with it.

Rule 1: importing or describing this loads neither PaddleOCR nor a model.
Rule 2: the environment is read when a detector is created or described, never during detection.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import json
import logging
import os
import re
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from perception.deadline import Deadline
from perception.detectors import ppocr
from perception.detectors.bundled_models import bundled_model
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.errors import DetectorMissingError, first_line
from perception.types import Detections, Pixels

if TYPE_CHECKING:
    from paddleocr import PaddleOCR

NAME = "paddleocr"
THREADS_VARIABLE = "PERCEPTION_PADDLE_THREADS"
INSTALL = (
    "pip install 'perception-service[paddle]', then pip install --force-reinstall --no-deps opencv-python-headless"
)

MIN_SCORE = 0.5
"""As our other text detectors; PaddleOCR's own default keeps every line."""
PADDLE_MAX_SIDE = 32_000
"""PaddleOCR stores positions of lines in 16-bit numbers; a longer image is shrunk to this."""
DEFAULT_THREADS = 1
"""With every core busy, as a browser keeps them, two threads are slower than one."""

SIGACTION_BYTES = 256
"""More than C's `struct sigaction`, which has 152 bytes on 64-bit Linux."""

ONNX = "onnxruntime"
PADDLE = "paddle_static"
_ENGINE_OF_FILES: Mapping[tuple[str, ...], str] = {
    ("inference.onnx",): ONNX,
    ("inference.json", "inference.pdiparams"): PADDLE,
    ("inference.pdmodel", "inference.pdiparams"): PADDLE,
}

_NORMALIZED = {"mean": [0.5] * 3, "std": [0.5] * 3, "scale": 1 / 255, "order": "hwc"}
"""Input normalization of the rapidocr package's detection model. Of 379 lines on 8 pages it finds .992, and .984
with the mean colors of ImageNet, which older generations were trained with."""


@dataclass(frozen=True, slots=True)
class ModelTask:
    """One of the two tasks of a model.

    Attributes:
        part: name in PaddleOCR's configuration.
        variable: environment variable that names a model.
        mark: part of the names of all models for this task.
        default_name: PaddleOCR's name of the default model.
        bundled: file of the default model in the rapidocr package.
    """

    part: str
    variable: str
    mark: str
    default_name: str
    bundled: str


DETECTION = ModelTask("TextDetection", "PERCEPTION_PADDLE_DET", "_det", "PP-OCRv6_small_det", "PP-OCRv6_det_small.onnx")
RECOGNITION = ModelTask(
    "TextRecognition", "PERCEPTION_PADDLE_REC", "_rec", "PP-OCRv6_small_rec", "PP-OCRv6_rec_small.onnx"
)


@dataclass(frozen=True, slots=True)
class Model:
    """A model for a task.

    Attributes:
        task: what it is for.
        name: PaddleOCR's name of the model.
        source: its folder or a bundled .onnx file; None for a model that PaddleOCR fetches.
        engine: PaddleOCR's name of the runtime.
    """

    task: ModelTask
    name: str
    source: Path | None
    engine: str

    def size(self) -> int:
        """Size on disk, bytes; 0 for a model that is not yet fetched."""
        if self.source is None:
            return 0
        files = self.source.glob("inference.*") if self.source.is_dir() else [self.source]
        return sum(path.stat().st_size for path in files)


@dataclass(frozen=True, slots=True)
class PaddleSettings:
    """Settings of the detector.

    Attributes:
        detection: model that finds lines.
        recognition: model that reads lines.
        threads: threads of each model.
    """

    detection: Model
    recognition: Model
    threads: int = DEFAULT_THREADS

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> PaddleSettings:
        """Reads the settings. Raises DetectorMissingError: a variable is invalid."""
        threads = environment.get(THREADS_VARIABLE) or str(DEFAULT_THREADS)
        if not re.fullmatch(r"[1-9]\d{0,2}", threads):
            raise _unusable(f"{THREADS_VARIABLE} is {threads!r}: set it to a whole number from 1 on")
        return cls(
            choose_model(DETECTION, environment.get(DETECTION.variable, "")),
            choose_model(RECOGNITION, environment.get(RECOGNITION.variable, "")),
            int(threads),
        )


class PaddleReader:
    """Reads lines of text. Importing PaddleOCR takes 4 s of one core, its models 1 s.

    Raises:
        DetectorMissingError: a model cannot be fetched or used; the message says why.
    """

    def __init__(self, settings: PaddleSettings) -> None:
        try:
            with _signals_kept():
                self._engine = _make_engine(settings)
                # Models that are incompatible with each other fail only here.
                self._engine.predict(_page_with_a_word())
        except Exception as exc:  # PaddleOCR raises the errors of its parts; the user needs the reason
            raise _unusable(_failure(settings, exc)) from exc

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. Checks the deadline once: PaddleOCR cannot be stopped."""
        deadline.check("ocr")
        shrink = min(1.0, PADDLE_MAX_SIDE / max(pixels.shape[:2]))
        image = pixels if shrink == 1 else cv2.resize(pixels, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        (read,) = self._engine.predict(image)
        corners = np.asarray(read["rec_polys"], np.float32).reshape(-1, 4, 2) / np.float32(shrink)
        return Detections(
            detector=NAME,
            xyxy=np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1),
            score=np.asarray(read["rec_scores"], np.float32),
            kind=("text",) * len(corners),
            text=tuple(read["rec_texts"]),
        )


def choose_model(task: ModelTask, value: str) -> Model:
    """The model that a variable names; the bundled model if it is empty.

    Raises:
        DetectorMissingError: it names neither a folder with a model nor one of PaddleOCR's models for the task.
    """
    if not value:
        # None if it is not there, so that PaddleOCR fetches the same model.
        return Model(task, task.default_name, bundled_model(task.bundled), ONNX)
    folder = Path(value).expanduser()
    if "/" in value or folder.is_dir():
        return _model_in(task, folder)
    if not re.fullmatch(rf"(\w+_)?PP-OCRv\d\w*{task.mark}(_\w+)?", value):
        likely = "korean_PP-OCRv5_mobile_rec" if task is RECOGNITION else task.default_name
        raise _unusable(
            f"{task.variable} is {value!r}, which is neither a folder here nor the name of such a model: set it to "
            f"a folder, or to a name such as {likely}"
        )
    # PaddleOCR 3.7 has no ONNX files of its third and fourth generation.
    return Model(task, value, None, PADDLE if re.search(r"PP-OCRv[34]_", value) else ONNX)


def _model_in(task: ModelTask, folder: Path) -> Model:
    named = f"{task.variable} names {folder.name}"
    if not folder.is_dir():
        raise _unusable(f"{named}, which is not a folder here: correct the path")
    engine = next((engine for files, engine in _ENGINE_OF_FILES.items() if _holds(folder, files)), None)
    if engine is None:
        known = ", ".join(" with ".join(files) for files in _ENGINE_OF_FILES)
        raise _unusable(f"{named}, a folder without a model: put there one of {known}")
    facts = folder / "inference.yml"
    text = facts.read_text("utf-8", "replace") if facts.is_file() else ""
    name = re.search(r"^ *model_name: *[\"']?([\w.-]+)", text, re.MULTILINE)
    if name is None:
        raise _unusable(f"{named}, where no inference.yml says model_name: copy the one that the model came with")
    if task.mark not in name[1]:
        raise _unusable(f"{named}, which holds {name[1]}: set it to a model with {task.mark} in its name")
    return Model(task, name[1], folder, engine)


def _holds(folder: Path, files: tuple[str, ...]) -> bool:
    return all((folder / file).is_file() and (folder / file).stat().st_size for file in files)


def _make_engine(settings: PaddleSettings) -> PaddleOCR:
    from paddleocr import PaddleOCR
    from paddlex.inference import load_pipeline_config

    # It logs every loaded model and every large image; errors are raised, too.
    logging.getLogger("paddlex").setLevel(logging.CRITICAL)
    models = (settings.detection, settings.recognition)
    config = load_pipeline_config("OCR")
    for model in models:
        config["SubModules"][model.task.part]["engine"] = model.engine
    with TemporaryDirectory(prefix="perception-paddle-") as scratch:
        folders = [_folder_of(model, Path(scratch)) for model in models]
        return PaddleOCR(
            paddlex_config=config,
            text_detection_model_name=settings.detection.name,
            text_detection_model_dir=folders[0],
            text_recognition_model_name=settings.recognition.name,
            text_recognition_model_dir=folders[1],
            text_rec_score_thresh=MIN_SCORE,
            use_doc_orientation_classify=False,
            use_doc_unwarping=False,
            use_textline_orientation=False,
            device="cpu",
            engine_config=_engine_config(settings.threads),
        )


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Restores the signal handlers. Importing paddlepaddle 3.3 replaces them, so that SIGTERM would end the process at
    once; its own `disable_signal_handler` leaves none, and Python sets handlers in its main thread only."""
    libc = ctypes.CDLL(None)
    taken = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGTERM)
    actions = {number: ctypes.create_string_buffer(SIGACTION_BYTES) for number in taken}
    for number, action in actions.items():
        libc.sigaction(number, None, action)
    try:
        yield
    finally:
        for number, action in actions.items():
            libc.sigaction(number, action, None)


def _engine_config(threads: int) -> dict[str, dict[str, Any]]:
    return {
        ONNX: {"intra_op_num_threads": threads, "enable_cpu_mem_arena": False},
        # With the new IR, oneDNN of paddlepaddle 3.3.1 fails on these models (ConvertPirAttribute2RuntimeAttribute).
        PADDLE: {"run_mode": "mkldnn", "cpu_threads": threads, "enable_new_ir": False},
    }


def _folder_of(model: Model, scratch: Path) -> str | None:
    """The model's folder; for a bundled file one is created in `scratch`. PaddleOCR reads it once."""
    if model.source is None or model.source.is_dir():
        return None if model.source is None else str(model.source)
    folder = scratch / model.name
    folder.mkdir()
    (folder / "inference.onnx").symlink_to(model.source)
    steps: list[dict[str, Any]] = [{"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}]
    if model.task is DETECTION:
        steps += [{"DetResizeForTest": {"resize_long": 960}}, {"NormalizeImage": _NORMALIZED}, {"ToCHWImage": None}]
        decoding: dict[str, Any] = {"name": "DBPostProcess"}
    else:
        steps += [{"RecResizeImg": {"image_shape": [3, 48, 320]}}]
        decoding = {"name": "CTCLabelDecode", "character_dict": _characters_of(model.source)}
    facts = {
        "Global": {"model_name": model.name},
        "PreProcess": {"transform_ops": steps},
        "PostProcess": decoding,
    }
    # JSON without escaped characters is YAML: the escapes of characters beyond 16 bits differ.
    (folder / "inference.yml").write_text(json.dumps(facts, ensure_ascii=False), "utf-8")
    return str(folder)


def _characters_of(path: Path) -> list[str]:
    from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions

    options = SessionOptions()
    options.graph_optimization_level = GraphOptimizationLevel.ORT_DISABLE_ALL
    session = InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    characters: str = session.get_modelmeta().custom_metadata_map["character"]
    return characters.splitlines()


def _page_with_a_word() -> Pixels:
    page = np.full((128, 256, 3), 255, np.uint8)
    cv2.putText(page, "Word", (40, 80), cv2.FONT_HERSHEY_SIMPLEX, 2, (0, 0, 0), 4)
    return page


def _failure(settings: PaddleSettings, error: Exception) -> str:
    models = (settings.detection, settings.recognition)
    # Messages of libraries contain paths of this machine.
    said = re.sub(r"(?<![\w:/])/[^\s'\":]*/", "", first_line(error))
    failed = f"PaddleOCR cannot read with {' and '.join(model.name for model in models)} ({said})"
    fetched = [model for model in models if model.source is None]
    own = [model.task.variable for model in models if model.source is not None and model.source.is_dir()]
    if fetched:
        names = " and ".join(model.name for model in fetched)
        variables = " and ".join(model.task.variable for model in fetched)
        cure = f"{names} comes over the network: correct its name, or set {variables} to a folder with the model"
    elif own:
        cure = f"set {' and '.join(own)} to another model, or unset it"
    else:
        cure = f"{INSTALL}; it writes into ~/.paddlex, or where PADDLE_PDX_CACHE_HOME says"
    return f"{failed}: {cure}"


def _unusable(reason: str) -> DetectorMissingError:
    return DetectorMissingError(reason, detector=NAME)


def _missing() -> str:
    if importlib.util.find_spec("paddleocr") is None:
        return f"the package paddleocr is not installed: {INSTALL}"
    try:
        settings = PaddleSettings.from_environment(os.environ)
    except DetectorMissingError as exc:
        return str(exc)
    engines = {settings.detection.engine, settings.recognition.engine}
    for engine, package in ((ONNX, "onnxruntime"), (PADDLE, "paddle")):
        if engine in engines and importlib.util.find_spec(package) is None:
            return f"the package {package} is not installed, which the models need: {INSTALL}"
    return ""


def _describe() -> DetectorInfo:
    try:
        settings = PaddleSettings.from_environment(os.environ)
    except DetectorMissingError:
        settings = PaddleSettings.from_environment({})
    is_default = settings.recognition.name == RECOGNITION.default_name
    return DetectorInfo(
        name=NAME,
        description=f"Lines of text, read by PaddleOCR with {settings.detection.name} and {settings.recognition.name}.",
        licence="Apache-2.0",
        kinds=("text",),
        version=importlib.metadata.version("paddleocr") if importlib.util.find_spec("paddleocr") else "",
        languages=ppocr.PLUGIN.describe().languages if is_default else (),
        limits=(
            f"{DETECTION.variable} and {RECOGNITION.variable} name other models: folders, or names, fetched once",
            f"Korean needs a Korean model: {RECOGNITION.variable}=korean_PP-OCRv5_mobile_rec",
            "cannot be stopped before it is done",
            "images with a side over 4000 pixels are searched at reduced size",
            "large images take much memory: 50 megapixels 2.9 GB",
            "on the CPU only",
            "brings 1.2 GB of packages, with LGPL libraries among them (python-bidi, crc32c)",
        ),
        model_bytes=settings.detection.size() + settings.recognition.size(),
    )


PLUGIN = Plugin(
    describe=_describe, missing=_missing, make=lambda: PaddleReader(PaddleSettings.from_environment(os.environ))
)
