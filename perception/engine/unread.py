"""Says which lines no detector read, and which model reads their script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from perception.fusion.regions import SeenRegion
from perception.types import UNREAD, Skipped

PADDLE_MODELS = {
    "Arabic": "arabic_PP-OCRv5_mobile_rec",
    "Cyrillic": "cyrillic_PP-OCRv5_mobile_rec",
    "Devanagari": "devanagari_PP-OCRv5_mobile_rec",
    "Hangul": "korean_PP-OCRv5_mobile_rec",
    "Thai": "th_PP-OCRv5_mobile_rec",
}
"""PaddleOCR's recognition models by script. It has none for Hebrew."""


def unread_notes(regions: Iterable[SeenRegion]) -> tuple[Skipped, ...]:
    """A note for each detector and script with lines that were not read."""
    lines = Counter(
        (found.detector, text.partition("(")[2].rstrip(")"))
        for seen in regions
        for found in seen.detections
        for text, label in zip(found.text, found.label, strict=True)
        if label == UNREAD
    )
    return tuple(Skipped(name, _note(script, count)) for (name, script), count in sorted(lines.items()))


def _note(script: str, count: int) -> str:
    many = "1 line" if count == 1 else f"{count} lines"
    model = PADDLE_MODELS.get(script)
    what = f"the detector paddleocr with PERCEPTION_PADDLE_REC={model}" if model else "a detector of your own"
    return f"{many} in {script} not read: its model does not know the script; {what} may, see docs/detectors.md"
