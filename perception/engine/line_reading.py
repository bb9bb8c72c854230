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
    PageWords,
    Place,
    apply_readings,
    find_unread_lines,
    main_script,
    settle_scripts,
)
from perception.fusion.regions import SeenRegion
from perception.types import Detections, Screenshot, Skipped


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
    page: PageWords,
    pool: DetectorPool,
    crops: CropCache,
    deadline: Deadline,
    *,
    reserve_s: float,
) -> LinesRead:
    """Reads the lines that the detectors of a look could not read, if there are any.

    Args:
        screenshot: as the detectors saw it.
        page: what the page itself says.
        reserve_s: seconds of the deadline that stay for later stages.
    """
    lines = find_unread_lines(screenshot, regions)
    if not lines:
        return LinesRead(tuple(regions))
    lines = settle_scripts(lines, main_script(regions, lines, page))
    readers, unreadable = await _find_readers(sorted({line.script for line in lines}), pool)
    readings: dict[Place, LineText] = {}
    skipped: list[Skipped] = []
    for name in sorted(set(readers.values())):
        own = [line for line in lines if readers.get(line.script) == name]
        hints = [" ".join((line.script, *likely_languages(line.script, page.words, page.language))) for line in own]
        pixels = [line.pixels for line in own]
        run = await pool.detect([name], pixels, deadline, crops, reserve_s=reserve_s, hints=hints)
        skipped += run.skipped
        for line, answers in zip(own, run.detections, strict=True):
            if (text := _text_of(answers)) is not None:
                readings[line.place] = text
    return LinesRead(apply_readings(regions, lines, readings), unreadable, tuple(skipped))


async def _find_readers(scripts: Sequence[str], pool: DetectorPool) -> tuple[dict[str, str], dict[str, str]]:
    """The detector for each script that one reads here, and for each other script why none does."""
    found = {script: await asyncio.to_thread(pool.line_reader, script) for script in scripts}
    readers = {script: name for script, (name, _) in found.items() if name}
    return readers, {script: missing for script, (name, missing) in found.items() if not name}


def _text_of(answers: Sequence[Detections]) -> LineText | None:
    for each in answers:
        if len(each):
            return LineText(each.detector, each.text[0], float(each.score[0]))
    return None
