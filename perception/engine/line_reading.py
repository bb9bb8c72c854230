"""Gives lines that a detector could not read to one that reads their script (`Plugin.missing_script`).

Rule 1: a look without such lines pays nothing: no other detector is asked for, loaded or started.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perception.deadline import Deadline
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.script_languages import likely_languages
from perception.engine.unread_lines import (
    LineText,
    Place,
    UnreadLine,
    apply_readings,
    find_unread_lines,
    main_script,
)
from perception.fusion.regions import SeenRegion
from perception.types import Detections, Element, Screenshot, Skipped


@dataclass(frozen=True, slots=True)
class LinesRead:
    """What came of the lines.

    Attributes:
        regions: with what was read in them.
        unreadable: why lines in a script cannot be read here, by script.
        skipped: detectors that failed or were late.
    """

    regions: tuple[SeenRegion, ...]
    unreadable: Mapping[str, str] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()


async def read_unread_lines(
    screenshot: Screenshot,
    regions: Sequence[SeenRegion],
    elements: Sequence[Element],
    pool: DetectorPool,
    crops: CropCache,
    deadline: Deadline,
    *,
    reserve_s: float,
) -> LinesRead:
    """Reads the lines that the detectors of a look could not read, if there are any.

    Args:
        screenshot: as the detectors saw it.
        elements: of the page; () if there are only pixels.
        reserve_s: seconds of the deadline that stay for later stages.
    """
    lines = find_unread_lines(screenshot, regions)
    if not lines:
        return LinesRead(tuple(regions))
    words = [word for element in elements for word in (element.name, element.value, element.text) if word]
    main = main_script(regions, lines, words)
    reading = _Reading(words, pool, crops, deadline, reserve_s)
    # Of a doubtful line, the page says the script.
    await reading.read([(line, main if line.doubtful else line.script) for line in lines if main or not line.doubtful])
    left = [line for line in lines if line.place not in reading.found and not line.doubtful and line.script != main]
    await reading.read([(line, main) for line in left if main])
    return LinesRead(
        apply_readings(regions, reading.found, main), reading.unreadable, tuple(dict.fromkeys(reading.skipped))
    )


class _Reading:
    """The readings of one look."""

    def __init__(
        self, words: Sequence[str], pool: DetectorPool, crops: CropCache, deadline: Deadline, reserve_s: float
    ) -> None:
        self.found: dict[Place, LineText] = {}
        self.unreadable: dict[str, str] = {}
        self.skipped: list[Skipped] = []
        self._words = words
        self._pool = pool
        self._crops = crops
        self._deadline = deadline
        self._reserve_s = reserve_s

    async def read(self, wanted: Sequence[tuple[UnreadLine, str]]) -> None:
        """Has each line read as one in that script."""
        by_reader: dict[str, list[tuple[UnreadLine, str]]] = {}
        for script in sorted({script for _, script in wanted}):
            name, missing = await asyncio.to_thread(self._pool.line_reader, script)
            if missing:
                self.unreadable[script] = missing
            else:
                hint = " ".join((script, *likely_languages(script, self._words)))
                by_reader.setdefault(name, []).extend((line, hint) for line, own in wanted if own == script)
        for name, lines in by_reader.items():
            await self._run(name, lines)

    async def _run(self, name: str, lines: Sequence[tuple[UnreadLine, str]]) -> None:
        pixels, hints = [line.pixels for line, _ in lines], [hint for _, hint in lines]
        run = await self._pool.detect(
            [name], pixels, self._deadline, self._crops, reserve_s=self._reserve_s, hints=hints
        )
        self.skipped += run.skipped
        for (line, _), answers in zip(lines, run.detections, strict=True):
            text = _text_of(answers)
            if text is not None:
                self.found[line.place] = text


def _text_of(answers: Sequence[Detections]) -> LineText | None:
    for each in answers:
        if len(each):
            return LineText(each.detector, each.text[0], float(each.score[0]))
    return None
