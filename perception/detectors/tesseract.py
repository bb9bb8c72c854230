"""Lines in scripts that the bundled models do not read, with Tesseract 5 by the package `tesserocr`. Works offline.

Another detector finds a line and says its script; this one reads it (`read_lines`). Named in a request it searches
whole images, like other detectors of text.

    TESSDATA_PREFIX                   folder of the data; found by itself where a package manager puts it
    PERCEPTION_TESSERACT_LANGUAGES    data for whole images, such as `ell+eng`; eng

`tesserocr` and not `pytesseract`: that starts a program for each line, 135 ms on one of two busy cores; a line takes
10 ms in a process that has loaded its data (240 lines of six scripts, tesserocr 2.13, Tesseract 5.5).

Rule 1: importing or describing this does not load the package.
Rule 2: a reading that is doubtful, or not in the line's script, is none.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.deadline import Deadline
from perception.detectors.ppocr import OCR_THREADS
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.script_languages import ALPHABETS, script_letters
from perception.detectors.tesseract_packs import data_folder, environment_packs, missing_pack, packs_for
from perception.errors import DeadlineError, DetectorMissingError
from perception.types import Detections, Pixels

NAME = "tesseract"
LANGUAGES_VARIABLE = "PERCEPTION_TESSERACT_LANGUAGES"
DEFAULT_LANGUAGES = "eng"

INK_HEIGHT = 28
"""Height to which a line's ink is scaled, px. Of 240 lines in fonts of Debian 90 % are accepted with 28, 88 % with 24,
85 % with 32, and as many as there are have equal errors."""
MARGIN = 0.6
"""Ground around the ink, in heights of it: with 0.3 Tesseract finds no line in some crops."""
INK_CONTRAST = 60
"""Least difference from the ground that is ink, of 255."""

LEAST_CONFIDENCE = 60
"""Least confidence, 0 to 100, of a reading that counts. Of 240 lines the 31 below it have half of their letters wrong,
those above 9 %."""
SURE_CONFIDENCE = 88
"""Confidence from which no other data is tried."""
LEAST_SHARE = 0.5
"""Least share of a reading's letters that are of the line's script."""

SEARCH_SCALE = 2
"""Enlargement of whole images: Tesseract is made for print at 300 dpi."""

_TEXT_LINE, _SPARSE_TEXT = 7, 11
"""Tesseract's page segmentation modes: the image is one line; find text anywhere."""
_LSTM_ONLY = 1
"""Tesseract's engine mode: the only one that Debian's data has."""

_DIRECTIONS = dict.fromkeys((0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""Marks of direction, which Tesseract writes between words and nobody sees."""


@dataclass(frozen=True, slots=True)
class LineReading:
    """What was read in a line: the text, and Tesseract's confidence in it, 0 to 100."""

    text: str = ""
    confidence: int = 0


class Tesseract:
    """Reads lines of text. Data is loaded when a line needs it, once for each thread.

    Args:
        languages: data for whole images, in Tesseract's form: `ell+eng`.
        threads: lines that are read in parallel.
    """

    def __init__(self, languages: str = DEFAULT_LANGUAGES, *, threads: int = OCR_THREADS) -> None:
        import tesserocr

        folder = data_folder(os.environ)
        if folder is None:
            raise DetectorMissingError(_missing(), detector=NAME)
        self._tesserocr: Any = tesserocr
        self._folder = f"{folder}/"
        self._installed = environment_packs()
        self._languages = languages
        self._workers = ThreadPoolExecutor(threads, NAME)
        self._loaded = threading.local()

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. Checks the deadline once: the package cannot be stopped."""
        deadline.check("ocr")
        scale = SEARCH_SCALE
        gray = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
        large = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
        engine = self._engine(self._languages)
        _show(engine, np.asarray(large, np.uint8), _SPARSE_TEXT)
        engine.Recognize()
        level = self._tesserocr.RIL.TEXTLINE
        found = []
        for line in self._tesserocr.iterate_level(engine.GetIterator(), level):
            box = line.BoundingBox(level)
            if box is not None and (text := _clean(line.GetUTF8Text(level))):
                found.append((box, text, line.Confidence(level)))
        kept = [each for each in found if each[2] >= LEAST_CONFIDENCE]
        return Detections(
            detector=NAME,
            xyxy=np.asarray([box for box, _, _ in kept], np.float32).reshape(-1, 4) / np.float32(scale),
            score=np.asarray([confidence / 100 for _, _, confidence in kept], np.float32),
            kind=("text",) * len(kept),
            text=tuple(text for _, text, _ in kept),
        )

    def read_lines(
        self, images: Sequence[Pixels], hints: Sequence[str], deadlines: Sequence[Deadline]
    ) -> Iterator[Detections | None]:
        """See `LineReader.read_lines`. Checks the deadline before every line."""
        yield from self._workers.map(self._read_line, images, hints, deadlines)

    def _read_line(self, pixels: Pixels, hint: str, deadline: Deadline) -> Detections | None:
        script, *languages = hint.split()
        try:
            reading = self._read(pixels, script, languages, deadline)
        except DeadlineError:
            return None
        if reading.confidence < LEAST_CONFIDENCE or not is_in_script(reading.text, script):
            return Detections.empty(NAME)
        height, width = pixels.shape[:2]
        box = np.asarray([[0, 0, width, height]], np.float32)
        score = np.asarray([reading.confidence / 100], np.float32)
        return Detections(NAME, box, score, ("text",), (reading.text,))

    def _read(self, pixels: Pixels, script: str, languages: Sequence[str], deadline: Deadline) -> LineReading:
        """The reading with the highest confidence."""
        line, best = straighten(pixels), LineReading()
        for pack in packs_for(script, languages, self._installed):
            deadline.check("ocr")
            engine = self._engine(pack)
            _show(engine, line, _TEXT_LINE)
            text = _clean(engine.GetUTF8Text())
            reading = LineReading(text, engine.MeanTextConf()) if text else LineReading()
            best = max(best, reading, key=lambda each: each.confidence)
            if best.confidence >= SURE_CONFIDENCE:
                break
        return best

    def _engine(self, pack: str) -> Any:
        """This thread's engine with that data. An engine serves one thread at a time."""
        engines: dict[str, Any] = self._loaded.__dict__.setdefault("engines", {})
        if pack not in engines:
            engine = self._tesserocr.PyTessBaseAPI(path=self._folder, lang=pack, oem=_LSTM_ONLY)
            engine.SetVariable("debug_file", os.devnull)  # it warns of images without a resolution
            engines[pack] = engine
        return engines[pack]


def straighten(pixels: Pixels) -> NDArray[np.uint8]:
    """A line as Tesseract reads it best: (H, W) gray, dark on light, its ink INK_HEIGHT high, with ground around it."""
    gray = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    ground = float(np.median(np.concatenate([gray[0], gray[-1], gray[:, 0], gray[:, -1]])))
    if float(gray.max()) - ground > ground - float(gray.min()):
        gray, ground = 255 - gray, 255 - ground
    rows = np.flatnonzero((np.abs(gray.astype(np.float32) - ground) > INK_CONTRAST).any(axis=1))
    height = int(rows[-1] - rows[0] + 1) if len(rows) else gray.shape[0]
    scale = INK_HEIGHT / height
    size = max(1, round(gray.shape[1] * scale)), max(1, round(gray.shape[0] * scale))
    scaled = cv2.resize(gray, size, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA)
    margin = round(INK_HEIGHT * MARGIN)
    framed = cv2.copyMakeBorder(scaled, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=ground)
    return np.asarray(framed, np.uint8)


def is_in_script(text: str, script: str) -> bool:
    """Whether at least half of a text's letters, and one, are of a script."""
    own = script_letters(text, script)
    return own > 0 and own >= LEAST_SHARE * sum(letter.isalpha() for letter in text)


def _show(engine: Any, gray: NDArray[np.uint8], mode: int) -> None:
    height, width = gray.shape
    engine.SetPageSegMode(mode)
    engine.SetImageBytes(np.ascontiguousarray(gray).tobytes(), width, height, 1, width)


def _clean(text: str | None) -> str:
    return " ".join((text or "").translate(_DIRECTIONS).split())


def _languages(environment: Mapping[str, str]) -> str:
    return environment.get(LANGUAGES_VARIABLE) or DEFAULT_LANGUAGES


def _missing_package() -> str:
    if importlib.util.find_spec("tesserocr") is None:
        return "the package tesserocr is not installed: pip install 'perception-service[tesseract]'"
    return ""


def _missing() -> str:
    if missing := _missing_package():
        return missing
    if data_folder(os.environ) is None:
        return "Tesseract's data is not installed: apt install tesseract-ocr"
    absent = [each for each in _languages(os.environ).split("+") if each not in environment_packs()]
    # Without a variable of the user's, lines in other scripts are still read.
    if absent and LANGUAGES_VARIABLE in os.environ:
        return f"{LANGUAGES_VARIABLE} names {absent[0]}: apt install tesseract-ocr-{absent[0].replace('_', '-')}"
    return ""


def _missing_script(script: str) -> str:
    missing = [each for each in (_missing_package(), missing_pack(script, os.environ)) if each]
    return "; ".join(missing)


def _describe() -> DetectorInfo:
    package = importlib.util.find_spec("tesserocr") is not None
    packs = environment_packs()
    read = [tag for script, tags in ALPHABETS.items() for tag in tags if packs_for(script, (tag,), packs)]
    absent = [script for script in ALPHABETS if not packs_for(script, (), packs)]
    folder = data_folder(os.environ)
    return DetectorInfo(
        name=NAME,
        description="Lines that other detectors find and cannot read, in "
        f"{', '.join(ALPHABETS)}, read by Tesseract 5 without being asked for; by name, text of whole images.",
        licence="Apache-2.0 AND MIT",
        kinds=("text",),
        version=importlib.metadata.version("tesserocr") if package else "",
        languages=tuple(read),
        limits=(
            *(f"no {script} here: {missing_pack(script, os.environ)}" for script in absent),
            "Latin words and digits within a line of another script are often misread",
            "decorative fonts are not read",
            "whole images are read slowly, and small text badly",
        ),
        model_bytes=sum(file.stat().st_size for file in folder.rglob("*.traineddata")) if folder else 0,
    )


PLUGIN = Plugin(
    describe=_describe,
    missing=_missing,
    make=lambda: Tesseract(_languages(os.environ)),
    missing_script=_missing_script,
)
