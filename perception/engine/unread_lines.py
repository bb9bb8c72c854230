"""Lines that a detector could not read: which they are, which script the page is in, what readings of them change.

Of short lines the detector is not certain. The page decides: its own words, and its other lines. Pure.

Rule 1: a line that is not read reliably stays unread.
Rule 2: a doubtful line is what the detector read there, unless it is read by another, or the page is in its script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from perception.detectors.frame_cache import taken
from perception.detectors.script_languages import count_scripts
from perception.detectors.scripts import unread_text
from perception.fusion.regions import SeenRegion, box_rect
from perception.geometry import coverage
from perception.types import DOUBTFUL, UNREAD, Detections, Pixels, Screenshot

LEAST_UNREAD_LINES = 2
"""Lines that are certainly in a script from which the page is taken to be in it: one may be a logo. Chosen by hand;
guarded by `tests/engine/test_unread.py`, as are the others here."""
LEAST_PAGE_LETTERS = 12
"""Letters of a script in the page's own words that say the same: two words."""
LEAST_SHARE = 0.1
"""Least part of all lines, or of all letters, that are in the page's script: a table of names and numbers has few."""
SURE_DOUBT = 0.9
"""Least score of a doubtful line that is unread, on a page in that script, rather than what the detector read."""
INSIDE = 0.5
"""Least part of a reading within a doubtful line that it is a reading of."""

Place: TypeAlias = tuple[int, int, int]
"""Indices of a region, of the detections in it, and of a row of these."""


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that was not read, or may have been misread.

    Attributes:
        place: where it stands in the regions.
        script: such as `Arabic`.
        doubtful: whether the detector is not certain of that.
        pixels: of the line.
    """

    place: Place
    script: str
    doubtful: bool
    pixels: Pixels


@dataclass(frozen=True, slots=True)
class LineText:
    """What another detector read in a line: its name, the text, and how certain it is, 0 to 1."""

    detector: str
    text: str
    score: float


def find_unread_lines(screenshot: Screenshot, regions: Sequence[SeenRegion]) -> list[UnreadLine]:
    """The lines that were not read, and the doubtful ones."""
    found = []
    for at, seen in enumerate(regions):
        left, top, right, bottom = box_rect(screenshot, seen.region.box)
        crop = screenshot.pixels[top:bottom, left:right]
        for which, detections in enumerate(seen.detections):
            for row, (kind, label) in enumerate(zip(detections.kind, detections.label, strict=True)):
                x, y, end, low = np.clip(np.rint(detections.xyxy[row]), 0, None).astype(int).tolist()
                pixels = crop[y:low, x:end]
                if (kind == DOUBTFUL or label == UNREAD) and pixels.size:
                    script = script_named(detections.text[row])
                    found.append(UnreadLine((at, which, row), script, kind == DOUBTFUL, pixels))
    return found


def script_named(text: str) -> str:
    """`Arabic` of `unread (Arabic)`."""
    return text.partition("(")[2].rstrip(")")


def main_script(regions: Iterable[SeenRegion], lines: Iterable[UnreadLine], words: Sequence[str]) -> str:
    """The script that a page is in, of those that are not read; "" if it is in none.

    Args:
        regions: with the lines that were read, too.
        lines: that were not read.
        words: of the page itself; none if there are only pixels.
    """
    letters = _frequent(count_scripts(words), LEAST_PAGE_LETTERS, sum(map(len, words)))
    every = sum(found.kind.count("text") for seen in regions for found in seen.detections)
    unread = _frequent(Counter(line.script for line in lines if not line.doubtful), LEAST_UNREAD_LINES, every)
    return max((letters or unread).items(), key=lambda item: (item[1], item[0]), default=("", 0))[0]


def _frequent(counts: Mapping[str, int], least: int, total: int) -> dict[str, int]:
    return {script: count for script, count in counts.items() if count >= max(least, LEAST_SHARE * total)}


def apply_readings(
    regions: Sequence[SeenRegion], readings: Mapping[Place, LineText], main: str
) -> tuple[SeenRegion, ...]:
    """The regions with lines that were read as text of the detector that read them, and without doubtful ones.

    Args:
        main: the script that the page is in.
    """
    return tuple(_apply(seen, at, readings, main) for at, seen in enumerate(regions))


def _apply(seen: SeenRegion, at: int, readings: Mapping[Place, LineText], main: str) -> SeenRegion:
    kept: list[Detections] = []
    new: list[Detections] = []
    for which, detections in enumerate(seen.detections):
        read = {row: readings[place] for row in range(len(detections)) if (place := (at, which, row)) in readings}
        doubtful = [row for row, kind in enumerate(detections.kind) if kind == DOUBTFUL]
        if not read and not doubtful:
            kept.append(detections)
            continue
        unread = [row for row in doubtful if main and row not in read and detections.score[row] >= SURE_DOUBT]
        replaced = _readings_of(detections, [row for row in doubtful if row in read or row in unread])
        gone = {*read, *doubtful, *replaced} - {*unread}
        left = taken(detections, (row for row in range(len(detections)) if row not in gone))
        kept.append(_as_unread(left, main))
        new += [_line(detections, row, text) for row, text in read.items()]
    return replace(seen, detections=(*kept, *new))


def _readings_of(detections: Detections, rows: Sequence[int]) -> set[int]:
    """The texts that were read within these rows."""
    texts = [row for row, kind in enumerate(detections.kind) if kind == "text" and detections.label[row] != UNREAD]
    if not rows or not texts:
        return set()
    inside = coverage(detections.xyxy[texts], detections.xyxy[list(rows)]).max(axis=1) >= INSIDE
    return {row for row, is_inside in zip(texts, inside.tolist(), strict=True) if is_inside}


def _as_unread(found: Detections, main: str) -> Detections:
    """The same detections, where doubtful lines are unread ones in the page's script."""
    doubtful = [kind == DOUBTFUL for kind in found.kind]
    if not any(doubtful):
        return found
    return replace(
        found,
        kind=tuple("text" if is_doubtful else kind for is_doubtful, kind in zip(doubtful, found.kind, strict=True)),
        text=tuple(
            unread_text(main) if is_doubtful else text for is_doubtful, text in zip(doubtful, found.text, strict=True)
        ),
        label=tuple(UNREAD if is_doubtful else label for is_doubtful, label in zip(doubtful, found.label, strict=True)),
    )


def _line(detections: Detections, row: int, read: LineText) -> Detections:
    score = np.asarray([read.score], np.float32)
    return Detections(read.detector, detections.xyxy[row : row + 1], score, ("text",), (read.text,))
