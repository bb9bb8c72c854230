"""Text in pixels, by the PP-OCRv6 small models that the `rapidocr` package brings along. Works offline.

The package's models and box decoding are used; its `RapidOCR` class is not, because (3.10, read and tried):
it hands ONNX Runtime no way to stop its threads from spinning beside a browser; it resizes every image to a
multiple of 32, which squeezes small crops out of shape; it pads every line to 320 columns and reads six at a
time, which costs 1.6 times as much as reading each line at its own width; it turns every tall crop by 90
degrees, so that a lone `1` is misread; and it cannot stop between lines when the time is up.

Rule 1: importing this module loads neither model nor runtime.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.budget import Budget
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.types import Detections, Pixels

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

NAME = "ppocr"
DETECTION_MODEL = "PP-OCRv6_det_small.onnx"
RECOGNITION_MODEL = "PP-OCRv6_rec_small.onnx"

THREADS = 1
"""With every core busy, which is what a browser does to them, 2 threads read 2 to 4 times slower than 1
(2 vCPU, onnxruntime 1.31: a 1280x800 detection 0.5 s with 1 thread, 1.1 s with 2)."""

TILE_PIXELS = 1280 * 1024
"""An image is searched in bands of about this many pixels: it bounds memory (a 2560x1600 screenshot peaks at 516 MB,
at 779 MB in one piece) and lets a spent budget stop the search in between."""
TILE_OVERLAP = 96
"""Rows that two bands share; a line not taller than that lies whole in one of them."""
MAX_WIDTH = 4096
"""A wider image is shrunk to this before it is searched."""
MARGIN = 16
"""Pixels put around an image, for letters that touch its edge. Of 73 lines of a form page, cut out tightly, 58 read
as in the whole page with none, 59 with 8 or 16, 60 with 24."""
STRIDE = 32
"""Of the detection network: its input is a multiple of this."""

LINE_HEIGHT = 48
"""Of the recognition network's input, from its model file."""
MIN_SCORE = 0.5
"""The package's own default (`Global.text_score`)."""
MAX_TILT = 0.05
"""Slope above which a line is cut out turned instead of straight: 3 px over a 60 px word."""

_KNOWN_LIMITS = (
    "no Korean: the models know no Hangul",
    "no Cyrillic, Arabic, Hebrew, Thai or Indic scripts",
    "no upside-down text",
    "spaces between Latin words are sometimes missing",
    "icons are sometimes read as a letter",
    f"images wider than {MAX_WIDTH} pixels are searched at reduced size",
)

# BCP 47 tags of what `default_models.yaml` of rapidocr 3.10 lists for PP-OCRv6 (`ppocrv6_langs`).
_LANGUAGES = tuple(
    "zh-Hans zh-Hant en ja af az-Latn bs ca cs cy da de es et eu fi fr ga gl hr hu id is it ku-Latn la lb lt lv mi ms "
    "mt nl no oc pl pt qu rm ro sr-Latn sk sl sq sv sw tl tr uz-Latn vi".split()
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text that was found, not yet read. `quad` is (4, 2), clockwise from top left, image px."""

    quad: NDArray[np.float32]

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        (left, top), (right, bottom) = self.quad.min(axis=0), self.quad.max(axis=0)
        return float(left), float(top), float(right), float(bottom)


class PpOcr:
    """Reads lines of text. Loads both models when made (0.9 s and 100 MB with all imports, on one core).

    Args:
        threads: of ONNX Runtime, for each model.
    """

    def __init__(self, *, threads: int = THREADS) -> None:
        from rapidocr.ch_ppocr_det.utils import DBPostProcess

        self._detection = _session(_models() / DETECTION_MODEL, threads)
        self._recognition = _session(_models() / RECOGNITION_MODEL, threads)
        # The values of the package's config.yaml for these models.
        self._boxes_of: Callable[..., tuple[Any, Any]] = DBPostProcess(
            thresh=0.3, box_thresh=0.5, max_candidates=1000, unclip_ratio=1.6, use_dilation=True
        )
        characters = self._recognition.get_modelmeta().custom_metadata_map["character"].splitlines()
        self._alphabet = np.array(["", *characters, " "])

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """See `Detector.detect`. Looks at the budget before every band and before every line."""
        found, texts, scores = [], [], []
        for line in self._find_lines(pixels, budget):
            budget.check("ocr")
            text, score = self._read_line(pixels, line)
            if text and score >= MIN_SCORE:
                found.append(line.xyxy)
                texts.append(text)
                scores.append(score)
        return Detections(
            detector=NAME,
            xyxy=np.asarray(found, np.float32).reshape(-1, 4),
            score=np.asarray(scores, np.float32),
            kind=("text",) * len(found),
            text=tuple(texts),
        )

    def _find_lines(self, pixels: Pixels, budget: Budget) -> list[_Line]:
        shrink = min(1.0, MAX_WIDTH / pixels.shape[1])
        image = _shrink(pixels, shrink)
        lines = []
        for top, bottom, first, last in _bands(*image.shape[:2]):
            budget.check("ocr")
            for quad in self._search(image[top:bottom]):
                quad[:, 1] += top
                if first <= quad[:, 1].mean() < last:
                    lines.append(_Line(quad / np.float32(shrink)))
        return sorted(lines, key=lambda line: (line.xyxy[1], line.xyxy[0]))

    def _search(self, image: Pixels) -> Iterator[NDArray[np.float32]]:
        height, width = image.shape[:2]
        padded = cv2.copyMakeBorder(
            image,
            MARGIN,
            MARGIN + -(height + 2 * MARGIN) % STRIDE,
            MARGIN,
            MARGIN + -(width + 2 * MARGIN) % STRIDE,
            cv2.BORDER_REPLICATE,
        )
        heat = _run(self._detection, _normalize(padded))
        quads, _ = self._boxes_of(heat, padded.shape[:2])
        for quad in quads:
            inside = (np.asarray(quad, np.float32) - MARGIN).clip(0, np.array([width, height], np.float32))
            if np.ptp(inside, axis=0).min() >= 1:
                yield inside

    def _read_line(self, pixels: Pixels, line: _Line) -> tuple[str, float]:
        crop = _cut_out(pixels, line)
        height, width = crop.shape[:2]
        if height < 1.5 * width:
            return self._read(crop)
        # Tall: a single narrow letter, or text that runs up or down. Whatever reads best is right.
        turned = [crop, np.rot90(crop), np.rot90(crop, -1)]
        return max((self._read(np.ascontiguousarray(image)) for image in turned), key=lambda read: read[1])

    def _read(self, crop: Pixels) -> tuple[str, float]:
        height, width = crop.shape[:2]
        columns = max(LINE_HEIGHT, round(width * LINE_HEIGHT / height))
        resized = cv2.resize(crop, (columns, LINE_HEIGHT))
        odds = _run(self._recognition, _normalize(resized))[0]
        best = odds.argmax(axis=1)
        # Connectionist temporal classification, greedy: repeats are one letter, class 0 is the gap between two.
        fresh = (best != 0) & np.diff(best, prepend=0).astype(bool)
        letters = self._alphabet[best[fresh]]
        if not len(letters):
            return "", 0.0
        return "".join(letters).strip(), float(odds.max(axis=1)[fresh].mean())


def _bands(height: int, width: int) -> Iterator[tuple[int, int, int, int]]:
    """Top and bottom of each band, and the rows of which it has the say, so that no line is found twice."""
    step = max(TILE_PIXELS // width, 2 * TILE_OVERLAP) - TILE_OVERLAP
    count = max(1, -(-(height - TILE_OVERLAP) // step))
    for index in range(count):
        top, bottom = index * step, min(height, index * step + step + TILE_OVERLAP)
        first = top + TILE_OVERLAP // 2 if index else 0
        last = bottom - TILE_OVERLAP // 2 if index < count - 1 else height + 1
        yield top, bottom, first, last


def _shrink(pixels: Pixels, factor: float) -> Pixels:
    if factor == 1:
        return pixels
    size = (MAX_WIDTH, max(1, round(pixels.shape[0] * factor)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _cut_out(pixels: Pixels, line: _Line) -> Pixels:
    if _is_tilted(line.quad):
        return _cut_out_turned(pixels, line.quad)
    left, top, right, bottom = (round(side) for side in line.xyxy)
    return pixels[top : max(bottom, top + 1), left : max(right, left + 1)]


def _is_tilted(quad: NDArray[np.float32]) -> bool:
    """A slope that can be trusted: the rectangle around a short word or an icon turns any way."""
    sides = np.linalg.norm(quad[[1, 3]] - quad[0], axis=1)
    dx, dy = np.abs(quad[1] - quad[0])
    return bool(sides.max() > 2 * sides.min() and min(dx, dy) > MAX_TILT * max(dx, dy))


def _cut_out_turned(pixels: Pixels, quad: NDArray[np.float32]) -> Pixels:
    width = max(1, round(float(np.linalg.norm(quad[1] - quad[0]))))
    height = max(1, round(float(np.linalg.norm(quad[3] - quad[0]))))
    straight = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    turn = cv2.getPerspectiveTransform(np.ascontiguousarray(quad), straight)
    return np.asarray(cv2.warpPerspective(pixels, turn, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _normalize(pixels: Pixels | cv2.typing.MatLike) -> NDArray[np.float32]:
    """(H, W, 3) 0 … 255 → (1, 3, H, W) -1 … 1."""
    return np.ascontiguousarray((pixels.astype(np.float32) * (2 / 255) - 1).transpose(2, 0, 1)[None])


def _run(session: InferenceSession, batch: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(session.run(None, {session.get_inputs()[0].name: batch})[0], np.float32)


def _session(path: Path, threads: int) -> InferenceSession:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The arena keeps memory for good: six pages read in turn left 535 MB with it and 312 MB without.
    options.enable_cpu_mem_arena = False
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _models() -> Path:
    spec = importlib.util.find_spec("rapidocr")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "models"


def _missing() -> str:
    for package in ("rapidocr", "onnxruntime"):
        if importlib.util.find_spec(package) is None:
            return f"the package {package} is not installed: pip install {package}"
    absent = [name for name in (DETECTION_MODEL, RECOGNITION_MODEL) if not (_models() / name).is_file()]
    if absent:
        return f"the package rapidocr here has no {absent[0]}: pip install --force-reinstall 'rapidocr>=3.10,<4'"
    return ""


def _describe() -> DetectorInfo:
    missing = bool(_missing())
    models = [] if missing else [_models() / DETECTION_MODEL, _models() / RECOGNITION_MODEL]
    return DetectorInfo(
        name=NAME,
        description="Lines of text, read by the PP-OCRv6 small models of the rapidocr package on ONNX Runtime.",
        licence="Apache-2.0",
        kinds=("text",),
        version="" if missing else importlib.metadata.version("rapidocr"),
        languages=_LANGUAGES,
        limits=_KNOWN_LIMITS,
        model_bytes=sum(path.stat().st_size for path in models),
        default_enabled=True,
    )


PLUGIN = Plugin(describe=_describe, missing=_missing, make=PpOcr)
