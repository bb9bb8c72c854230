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
from perception.detectors.script_languages import count_scripts, script_of_language
from perception.detectors.scripts import unread_text
from perception.fusion.regions import SeenRegion, box_rect
from perception.geometry import coverage
from perception.types import DOUBTFUL, UNREAD, Detections, Element, Pixels, Screenshot

LEAST_UNREAD_LINES = 2
"""Lines that are certainly in a script from which the page is taken to be in it: one may be a logo. Chosen by hand;
guarded by `tests/unit/engine/test_unread.py`, as are the others here."""
LEAST_PAGE_LETTERS = 12
"""Letters of a script in the page's own words that say the same: two words."""
LEAST_SHARE = 0.1
"""Least part of all lines, or of all letters, that are in the page's script: a table of names and numbers has few."""
RARE = 1 / 3
"""Lines in a script, for each in the page's, below which they are taken for the page's."""
SURE_DOUBT = 0.9
"""Least score of a doubtful line that is unread, on a page in that script, rather than what the detector read."""
INSIDE = 0.5
"""Least part of a reading within a doubtful line that it is a reading of."""

Place: TypeAlias = tuple[int, int, int]
"""Indices of a region, of the detections in it, and of a row of these."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """What a page itself says; nothing if there are only pixels.

    Attributes:
        words: of its elements.
        language: of its document, such as `ar-EG`; empty if it says none.
    """

    words: tuple[str, ...] = ()
    language: str = ""

    @classmethod
    def of(cls, elements: Iterable[Element], language: str) -> PageWords:
        """The words of elements."""
        said = (word for each in elements for word in (each.name, each.value, each.text) if word)
        return cls(tuple(said), language)


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


def main_script(regions: Iterable[SeenRegion], lines: Iterable[UnreadLine], page: PageWords) -> str:
    """The script that a page is in, of those that are not read; "" if it is in none.

    Its words say it, or else its lines, or else the language that its document names.

    Args:
        regions: with the lines that were read, too.
        lines: that were not read.
        page: what the page itself says.
    """
    letters = _frequent(count_scripts(page.words), LEAST_PAGE_LETTERS, sum(map(len, page.words)))
    every = sum(found.kind.count("text") for seen in regions for found in seen.detections)
    unread = _frequent(Counter(line.script for line in lines if not line.doubtful), LEAST_UNREAD_LINES, every)
    named = script_of_language(page.language)
    return max((letters or unread).items(), key=lambda item: (item[1], item[0]), default=(named, 0))[0]


def _frequent(counts: Mapping[str, int], least: int, total: int) -> dict[str, int]:
    return {script: count for script, count in counts.items() if count >= max(least, LEAST_SHARE * total)}


def settle_scripts(lines: Sequence[UnreadLine], main: str) -> list[UnreadLine]:
    """The lines with the script of the page where their own is not certain; no doubtful lines if it is in none.

    A script that only a few lines seem to be in is taken for the page's: the detector mixes up Hebrew and Thai.
    """
    counts = Counter(line.script for line in lines if not line.doubtful)

    def script_of(line: UnreadLine) -> str:
        rare = counts[line.script] < RARE * counts[main]
        return main if main and (line.doubtful or rare) else line.script

    return [replace(line, script=script_of(line)) for line in lines if main or not line.doubtful]


def apply_readings(
    regions: Sequence[SeenRegion], lines: Iterable[UnreadLine], readings: Mapping[Place, LineText]
) -> tuple[SeenRegion, ...]:
    """The regions with what was read as text of the detector that read it; nothing in them is doubtful.

    Args:
        lines: as `settle_scripts` returns them.
    """
    scripts = {line.place: line.script for line in lines}
    return tuple(_apply(seen, at, scripts, readings) for at, seen in enumerate(regions))


def _apply(seen: SeenRegion, at: int, scripts: Mapping[Place, str], readings: Mapping[Place, LineText]) -> SeenRegion:
    kept: list[Detections] = []
    new: list[Detections] = []
    for which, found in enumerate(seen.detections):
        own = {row: scripts[place] for row in range(len(found)) if (place := (at, which, row)) in scripts}
        read = {row: readings[place] for row in own if (place := (at, which, row)) in readings}
        doubtful = [row for row, kind in enumerate(found.kind) if kind == DOUBTFUL]
        unread = [row for row in own if row not in read and (row not in doubtful or found.score[row] >= SURE_DOUBT)]
        misread = _texts_within(found, [row for row in doubtful if row in read or row in unread])
        gone = {*read, *doubtful, *misread} - {*unread}
        rows = [row for row in range(len(found)) if row not in gone]
        kept.append(_as_unread(found, {row: own[row] for row in unread}, rows))
        new += [_line(found, row, text) for row, text in read.items()]
    return replace(seen, detections=(*kept, *new))


def _texts_within(found: Detections, rows: Sequence[int]) -> set[int]:
    """The texts that were read within these rows."""
    texts = [row for row, kind in enumerate(found.kind) if kind == "text" and found.label[row] != UNREAD]
    if not rows or not texts:
        return set()
    inside = coverage(found.xyxy[texts], found.xyxy[list(rows)]).max(axis=1) >= INSIDE
    return {row for row, is_inside in zip(texts, inside.tolist(), strict=True) if is_inside}


def _as_unread(found: Detections, scripts: Mapping[int, str], rows: Sequence[int]) -> Detections:
    """The detections at these rows; those with a script are lines that were not read."""
    return replace(
        taken(found, rows),
        kind=tuple("text" if row in scripts else found.kind[row] for row in rows),
        text=tuple(unread_text(scripts[row]) if row in scripts else found.text[row] for row in rows),
        label=tuple(UNREAD if row in scripts else found.label[row] for row in rows),
    )


def _line(found: Detections, row: int, read: LineText) -> Detections:
    score = np.asarray([read.score], np.float32)
    return Detections(read.detector, found.xyxy[row : row + 1], score, ("text",), (read.text,))
