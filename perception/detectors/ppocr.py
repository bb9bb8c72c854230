"""Text in pixels, with the PP-OCRv6 small models of the `rapidocr` package. Works offline.

This module uses the package's models but not its `RapidOCR` class (3.10), which cannot disable the spinning of ONNX
Runtime's threads beside a browser; resizes every image to a multiple of 32, which distorts small crops; pads every
line to 320 columns and reads six at a time; rotates every tall crop by 90 degrees, so that a lone `1` is misread;
cannot stop between lines at a deadline; and takes 2 s to import.

Lines are read in parallel, each at its own width: for 974 lines on 11 dense pages, batches of 8 in buckets of 32
columns took 7 % more time than single lines, buckets of 64 columns 16 % (one thread, onnxruntime 1.31).

Rule: importing this module loads neither model nor runtime.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.deadline import Deadline
from perception.detectors.bundled_models import bundled_model, missing_models, size_of
from perception.detectors.ctc_decode import TextPiece
from perception.detectors.line_images import LINE_HEIGHT, normalize
from perception.detectors.line_recognizer import LineRecognizer
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.step_times import StepTimes
from perception.detectors.text_lines import (
    TILE_PIXELS,
    Line,
    Rect,
    cut_strips,
    find_ink,
    lay_out,
    lines_of,
    search,
    snapped,
)
from perception.detectors.text_networks import TextNetwork
from perception.errors import DeadlineError, DetectorMissingError
from perception.types import DOUBTFUL, UNREAD, Detections, Pixels

NAME = "ppocr"
PPOCR_MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")
SEARCH, LOCATE, READ = STEPS = ("detection network", "boxes of lines", "recognition network")
"""Steps that are measured. Spaces, pieces and the cache of lines are in none."""
THREADS_VARIABLE = "PERCEPTION_OCR_THREADS"

OCR_THREADS = min(2, os.cpu_count() or 1)
"""Tiles or lines that are processed in parallel, each by one thread of ONNX Runtime. Threads within ONNX Runtime wait
for each other at every step: with both cores busy, as a browser keeps them, two of them are 2 to 4 times slower than
one (2 vCPU, onnxruntime 1.31: detection in 1280x800 takes 0.5 s with 1 thread, 1.1 s with 2)."""

MARGIN = 16
"""Pixels added around a tile, for letters that touch its edge. Of 73 tightly cropped lines of a form page, 58 read as
in the whole page without a margin, 59 with 8 or 16, 60 with 24."""
OCR_STRIDE = 32
"""The sides of the detection network's input are multiples of this."""

SEARCH_SCALE, SHRUNK_FROM = 0.75, 400 * 400
"""Scale at which large tiles are searched for lines, and the pixels of a large one. On the ten densest screenshots of
`packages#train`, 89.9 % of 890 lines are read so, 89.6 % at the full size and 89.2 % at 0.6; a tile has 0.56 ×
the pixels. Lines are read from the image itself."""

SMALLEST = ((OCR_STRIDE, OCR_STRIDE), (LINE_HEIGHT, LINE_HEIGHT))
"""(height, width) of the smallest image of each network, px."""
FREE_FROM = 500 * 500 * 3
"""Values of pixels in an image from which the networks' memory is freed after it. That takes 6 ms, and the search of
such an image 80 ms or more; what smaller ones leave is less than 100 MB."""
SHEET_MAX_SIDE = 96
"""Largest side of an image that is searched on a sheet with others, px, such as the icons of a toolbar."""
SHEET_IMAGES = 64
"""Images on a sheet: 64 of 40 px make 0.25 megapixels."""
_KNOWN_LIMITS = (
    "no Korean: the models know no Hangul; name a Korean model to paddleocr for that",
    "no Cyrillic, Arabic, Hebrew, Thai or Devanagari: the detector tesseract reads such lines, or they are unread",
    "no other Indic scripts and no Greek words",
    "no upside-down text",
    "icons are sometimes read as a letter",
)

# BCP 47 tags of what `default_models.yaml` of rapidocr 3.10 lists for PP-OCRv6 (`ppocrv6_langs`).
_LANGUAGES = tuple(
    "zh-Hans zh-Hant en ja af az-Latn bs ca cs cy da de es et eu fi fr ga gl hr hu id is it ku-Latn la lb lt lv mi ms "
    "mt nl no oc pl pt qu rm ro sr-Latn sk sl sq sv sw tl tr uz-Latn vi".split()
)


class PpOcr:
    """Reads lines of text. The constructor loads the models.

    Args:
        threads: number of tiles or lines that are processed in parallel.
        judge_scripts: whether lines in scripts that the models do not know are called unread.
        steps: measures the steps in STEPS.

    Attributes:
        recognizer: reads a line.
    """

    def __init__(
        self,
        *,
        threads: int = OCR_THREADS,
        judge_scripts: bool = True,
        steps: StepTimes | None = None,
    ) -> None:
        self._detection, self._recognition = (
            TextNetwork(_path(name), smallest) for name, smallest in zip(PPOCR_MODELS, SMALLEST, strict=True)
        )
        self._steps = steps or StepTimes()
        self._tile_pixels = TILE_PIXELS // threads
        self._workers = ThreadPoolExecutor(threads, "ppocr")
        self.recognizer = LineRecognizer(
            self._recognition, judge_scripts=judge_scripts, step=partial(self._steps.step, READ)
        )

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. Checks the deadline before every tile and every line; lines that were read until then
        are returned."""
        found: list[tuple[Rect, TextPiece]] = []
        missing: list[str] = []
        with self._memory_for(pixels.size):
            for strip in cut_strips(*pixels.shape[:2]):
                try:
                    pieces, late = self._read_strip(pixels, strip, deadline)
                except DeadlineError:
                    pieces, late = [], "a part of it was not searched"
                found += pieces
                missing += [late] if late else []
        if missing and not found:
            raise deadline.error("ocr")
        return _detections(found, missing[0] if missing else "")

    def _read_strip(
        self, pixels: Pixels, strip: tuple[int, int, float, float], deadline: Deadline
    ) -> tuple[list[tuple[Rect, TextPiece]], str]:
        """The pieces of a strip's own lines, and what the deadline left out, if anything."""
        top, bottom, first, last = strip
        part = pixels[top:bottom]
        heats_of = partial(self._workers.map, partial(self._heat, deadline))
        with self._steps.step(LOCATE):
            ink = find_ink(part)
            lines = search(part, ink, heats_of, self._tile_pixels)
        own = [line for line in lines if first <= top + (line.box[1] + line.box[3]) / 2 < last]
        read = list(self._read_lines(part, ink, own, deadline))
        late = sum(pieces is None for pieces in read)
        found = [(_down(box, top), piece) for pieces in read for box, piece in pieces or ()]
        return found, f"{late} of {len(own)} lines were not read" if late else ""

    def detect_all(self, images: Sequence[Pixels], deadlines: Sequence[Deadline]) -> Iterator[Detections | None]:
        """See `BatchDetector.detect_all`. Small images are searched together, on one sheet."""
        small = [index for index, pixels in enumerate(images) if max(pixels.shape[:2]) <= SHEET_MAX_SIDE]
        with self._memory_for(sum(images[index].size for index in small)):
            heats = self._heat_of_small([images[index] for index in small], deadlines)
        reading = {
            index: self._read_small(images[index], heat, deadlines[index])
            for index, heat in zip(small, heats, strict=True)
        }
        for index, (pixels, deadline) in enumerate(zip(images, deadlines, strict=True)):
            try:
                if index in reading:
                    yield _detections([each for line in reading[index] for each in line.result()])
                else:
                    yield self.detect(pixels, deadline)
            except DeadlineError:
                yield None

    def read_lines(
        self, images: Sequence[Pixels], hints: Sequence[str], deadlines: Sequence[Deadline]
    ) -> Iterator[Detections | None]:
        """See `LineReader.read_lines`. The models read what they read, whatever the hints say."""
        jobs = [
            self._workers.submit(self._read_whole, pixels, deadline)
            for pixels, deadline in zip(images, deadlines, strict=True)
        ]
        for job in jobs:
            try:
                yield _detections(job.result())
            except DeadlineError:
                yield None

    def _read_whole(self, pixels: Pixels, deadline: Deadline) -> list[tuple[Rect, TextPiece]]:
        """The line that an image shows."""
        return self.recognizer.read_line(
            pixels, find_ink(pixels), Line((0, 0, pixels.shape[1], pixels.shape[0])), deadline
        )

    @contextmanager
    def _memory_for(self, size: int) -> Iterator[None]:
        """Frees the memory of the networks after a block that reads `size` values of pixels, if these are many."""
        try:
            yield
        finally:
            if size >= FREE_FROM:
                self._detection.free_memory()
                self._recognition.free_memory()

    def _read_small(
        self, pixels: Pixels, heat: NDArray[np.float32], deadline: Deadline
    ) -> list[Future[list[tuple[Rect, TextPiece]]]]:
        """Starts to read the lines of a small image; without lines, one job that only checks the deadline."""
        ink = find_ink(pixels)
        lines = snapped(lines_of(heat), ink)
        if not lines:
            return [self._workers.submit(_nothing, deadline)]
        return [self._workers.submit(self.recognizer.read_line, pixels, ink, line, deadline) for line in lines]

    def _heat_of_small(self, images: Sequence[Pixels], deadlines: Sequence[Deadline]) -> list[NDArray[np.float32]]:
        """The heat map of each image; zeros after the last deadline."""
        heats: list[NDArray[np.float32]] = []
        for start in range(0, len(images), SHEET_IMAGES):
            some = images[start : start + SHEET_IMAGES]
            if all(deadline.spent() for deadline in deadlines):
                return [*heats, *(np.zeros(image.shape[:2], np.float32) for image in images[start:])]
            sheet, places = lay_out(some)
            heat = self._heat(max(deadlines, key=Deadline.remaining), sheet)
            heats += [
                heat[y : y + each.shape[0], x : x + each.shape[1]] for each, (x, y) in zip(some, places, strict=True)
            ]
        return heats

    def _read_lines(
        self, pixels: Pixels, ink: NDArray[np.uint8], lines: Sequence[Line], deadline: Deadline
    ) -> Iterator[list[tuple[Rect, TextPiece]] | None]:
        """The pieces of each line with a sufficient score, with their boxes; None for a line after the deadline."""
        return self._workers.map(lambda line: self._read_in_time(pixels, ink, line, deadline), lines)

    def _read_in_time(
        self, pixels: Pixels, ink: NDArray[np.uint8], line: Line, deadline: Deadline
    ) -> list[tuple[Rect, TextPiece]] | None:
        try:
            return self.recognizer.read_line(pixels, ink, line, deadline)
        except DeadlineError:
            return None

    def _heat(self, deadline: Deadline, tile: Pixels) -> NDArray[np.float32]:
        """The heat map of a tile; of a large one that of a smaller picture, enlarged."""
        height, width = tile.shape[:2]
        if height * width < SHRUNK_FROM:
            return self._heat_at_size(deadline, tile)
        size = round(width * SEARCH_SCALE), round(height * SEARCH_SCALE)
        smaller = np.asarray(cv2.resize(tile, size, interpolation=cv2.INTER_AREA), np.uint8)
        heat = cv2.resize(self._heat_at_size(deadline, smaller), (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(heat, np.float32)

    def _heat_at_size(self, deadline: Deadline, tile: Pixels) -> NDArray[np.float32]:
        deadline.check("ocr")
        height, width = tile.shape[:2]
        below, beside = -(height + 2 * MARGIN) % OCR_STRIDE, -(width + 2 * MARGIN) % OCR_STRIDE
        padded = cv2.copyMakeBorder(tile, MARGIN, MARGIN + below, MARGIN, MARGIN + beside, cv2.BORDER_REPLICATE)
        with self._steps.step(SEARCH):
            heat = self._detection.run(normalize(padded))[0, 0]
        return np.asarray(heat[MARGIN : MARGIN + height, MARGIN : MARGIN + width], np.float32)


def _detections(found: Sequence[tuple[Rect, TextPiece]], missing: str = "") -> Detections:
    return Detections(
        detector=NAME,
        xyxy=np.asarray([box for box, _ in found], np.float32).reshape(-1, 4),
        score=np.asarray([piece.score for _, piece in found], np.float32),
        kind=tuple(DOUBTFUL if piece.label == DOUBTFUL else "text" for _, piece in found),
        text=tuple(piece.text for _, piece in found),
        label=tuple(UNREAD if piece.label == UNREAD else "" for _, piece in found),
        missing=missing,
    )


def _nothing(deadline: Deadline) -> list[tuple[Rect, TextPiece]]:
    deadline.check("ocr")
    return []


def _down(box: Rect, by: int) -> Rect:
    left, top, right, bottom = box
    return left, top + by, right, bottom + by


def _path(name: str) -> Path:
    path = bundled_model(name)
    if path is None:
        raise DetectorMissingError(missing_models(PPOCR_MODELS), detector=NAME)
    return path


def threads_of(environment: Mapping[str, str]) -> int:
    """Number of threads from the environment. Raises DetectorMissingError: the value is not a number from 1 to 64."""
    value = environment.get(THREADS_VARIABLE) or str(OCR_THREADS)
    if not value.isdecimal() or not 1 <= int(value) <= 64:
        raise DetectorMissingError(f"{THREADS_VARIABLE} is {value!r}: set it to a number from 1 to 64", detector=NAME)
    return int(value)


def _missing() -> str:
    try:
        threads_of(os.environ)
    except DetectorMissingError as exc:
        return missing_models(PPOCR_MODELS) or str(exc)
    return missing_models(PPOCR_MODELS)


def _describe() -> DetectorInfo:
    return DetectorInfo(
        name=NAME,
        description="Lines of text, read by the PP-OCRv6 small models of the rapidocr package on ONNX Runtime.",
        licence="Apache-2.0",
        kinds=("text",),
        version="" if missing_models(PPOCR_MODELS) else importlib.metadata.version("rapidocr"),
        languages=_LANGUAGES,
        limits=_KNOWN_LIMITS,
        model_bytes=size_of(PPOCR_MODELS),
        default_enabled=True,
    )


PLUGIN = Plugin(describe=_describe, missing=_missing, make=lambda: PpOcr(threads=threads_of(os.environ)))
