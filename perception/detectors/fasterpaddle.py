"""Text in pixels with the package `faster-paddle`: PP-OCRv6 in Rust, with its own ONNX Runtime. Works offline.

    PERCEPTION_FASTERPADDLE_MODEL    tiny or small, both inside the package; tiny
    PERCEPTION_FASTERPADDLE_THREADS  1

Its largest model, medium, is not offered: the package fetches it from the network. The bill of materials of 1.0.4 lists
permissive crates only, except option-ext (MPL-2.0, unchanged).

Rule 1: importing or describing this does not load the package, whose library is 65 MB.
Rule 2: the environment is read when a detector is created or described, never during detection.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from perception.deadline import Deadline
from perception.detectors import ppocr
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.errors import DetectorMissingError
from perception.types import Detections, Pixels

NAME = "fasterpaddle"
MODEL_VARIABLE = "PERCEPTION_FASTERPADDLE_MODEL"
THREADS_VARIABLE = "PERCEPTION_FASTERPADDLE_THREADS"

MODEL_BYTES: Mapping[str, int] = {"tiny": 6_000_000, "small": 31_000_000}
"""From the package's documentation; the models are linked into its library."""
DEFAULT_MODEL = "tiny"
DEFAULT_THREADS = 1
"""With every core busy, as a browser keeps them, two threads are slower than one."""
FASTERPADDLE_MAX_SIDE = 65_000
"""The package refuses a BMP with a side over 65,535; a longer image is shrunk to this."""
MIN_SCORE = 0.5
"""As our other text detectors; the package keeps lines without text."""


@dataclass(frozen=True, slots=True)
class FasterPaddleSettings:
    """Settings of the detector.

    Attributes:
        model: a key of MODEL_BYTES.
        threads: threads of the package's runtime.
    """

    model: str = DEFAULT_MODEL
    threads: int = DEFAULT_THREADS

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> FasterPaddleSettings:
        """Reads the settings. Raises DetectorMissingError: a variable is invalid."""
        model = environment.get(MODEL_VARIABLE) or DEFAULT_MODEL
        threads = environment.get(THREADS_VARIABLE) or str(DEFAULT_THREADS)
        if model not in MODEL_BYTES:
            raise _unusable(f"{MODEL_VARIABLE} is {model!r}: set it to {' or '.join(MODEL_BYTES)}")
        if not re.fullmatch(r"[1-9]\d{0,2}", threads):
            raise _unusable(f"{THREADS_VARIABLE} is {threads!r}: set it to a whole number from 1 on")
        return cls(model, int(threads))


class FasterPaddle:
    """Reads lines of text. The constructor loads both models in 0.4 s."""

    def __init__(self, settings: FasterPaddleSettings) -> None:
        from faster_paddle import OcrEngine

        self._engine = OcrEngine(model_size=settings.model, threads=settings.threads)

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. Checks the deadline once: the package cannot be stopped."""
        deadline.check("ocr")
        shrink = min(1.0, FASTERPADDLE_MAX_SIDE / max(pixels.shape[:2]))
        image = pixels if shrink == 1 else cv2.resize(pixels, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        # It takes encoded images only. Encoding 1600x900 takes 3 ms as BMP, 33 ms as the fastest PNG.
        _, encoded = cv2.imencode(".bmp", image)
        read = self._engine.ocr(encoded.tobytes())["bounds"].values()
        lines = [line for line in read if line["text"] and line["confidence"] >= MIN_SCORE]
        corners = [(*line["topLeftCoord"], *line["bottomRightCoord"]) for line in lines]
        return Detections(
            detector=NAME,
            xyxy=np.asarray(corners, np.float32).reshape(-1, 4) / np.float32(shrink),
            score=np.asarray([line["confidence"] for line in lines], np.float32),
            kind=("text",) * len(lines),
            text=tuple(line["text"] for line in lines),
        )


def _unusable(reason: str) -> DetectorMissingError:
    return DetectorMissingError(reason, detector=NAME)


def _missing() -> str:
    if importlib.util.find_spec("faster_paddle") is None:
        return "the package faster-paddle is not installed: pip install 'perception-service[fasterpaddle]'"
    try:
        FasterPaddleSettings.from_environment(os.environ)
    except DetectorMissingError as exc:
        return str(exc)
    return ""


def _describe() -> DetectorInfo:
    try:
        settings = FasterPaddleSettings.from_environment(os.environ)
    except DetectorMissingError:
        settings = FasterPaddleSettings()
    installed = importlib.util.find_spec("faster_paddle") is not None
    languages = ppocr.PLUGIN.describe().languages
    return DetectorInfo(
        name=NAME,
        description=f"Lines of text, read by PP-OCRv6 {settings.model} in the Rust of the faster-paddle package.",
        licence="MIT AND Apache-2.0",
        kinds=("text",),
        version=importlib.metadata.version("faster-paddle") if installed else "",
        # `ppocrv6_tiny_langs` of rapidocr 3.10 has the languages of the small models except Japanese.
        languages=tuple(tag for tag in languages if settings.model != "tiny" or tag != "ja"),
        limits=(
            f"the tiny models misread more than the small ones, and no Japanese: {MODEL_VARIABLE}=small",
            "no Korean: the models know no Hangul",
            "no Cyrillic, Arabic, Hebrew, Thai or Indic scripts",
            "cannot be stopped before it is done",
            "images with a side over 1600 pixels are searched at reduced size",
        ),
        model_bytes=MODEL_BYTES[settings.model] if installed else 0,
    )


PLUGIN = Plugin(
    describe=_describe,
    missing=_missing,
    make=lambda: FasterPaddle(FasterPaddleSettings.from_environment(os.environ)),
)
