"""Reads whole screenshots with `ppocr`, without the detectors that read other scripts and with them.

Rule 1: both looks at a screenshot share the cache of `ppocr`'s answers: they differ in nothing but the line readers.
Rule 2: a line that is listed as unread is not found.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perception.bench.metrics.line_matching import LineCounts, count_lines
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, Item, Reference, TextLine
from perception.deadline import Deadline
from perception.detectors.frame_cache import FrameCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.registry import Registry
from perception.detectors.script_languages import count_scripts
from perception.engine.detect import Detected, detect
from perception.engine.detect_context import DetectContext
from perception.fusion.regions import place_detections
from perception.fusion.residual import whole_viewport
from perception.geometry import coverage, stack
from perception.imaging.codec import MAX_FILE_BYTES, decode_image
from perception.instrumentation.stages import Stages
from perception.types import UNREAD, Screenshot

READER = "ppocr"
READABLE = "Latin, Chinese, Japanese"
"""Name of all scripts that the bundled models read."""
PICTURE_SECONDS = 300.0
"""Time limit of a picture, on a machine that does other things, too."""
COVERED = 0.5
"""Least part of a true line under an unread one from which it counts as unread."""


@dataclass(frozen=True, slots=True)
class ScriptLines:
    """The lines of one script in one screenshot.

    Attributes:
        page: the sample.
        script: a name of SCRIPT_LETTERS, or READABLE.
        without, read: lines found without line readers and with them.
        unread_without, unread: how many lines are listed as unread.
    """

    page: str
    script: str
    without: LineCounts
    read: LineCounts
    unread_without: int
    unread: int


@dataclass(frozen=True, slots=True)
class ScriptsRun:
    """All lines, and the milliseconds of the second look at each screenshot, in which only line readers work."""

    lines: tuple[ScriptLines, ...]
    reading_ms: tuple[float, ...]


def script_of(text: str) -> str:
    """The script of most of a line's letters that the bundled models do not read; READABLE without any."""
    counts = count_scripts([text])
    return max(counts, key=lambda script: counts[script]) if counts else READABLE


def pages_of(names: Sequence[str], home: Path, limit: int, *, all_pages: bool) -> list[Reference]:
    """Samples of data sets, those that have lines in other scripts unless `all_pages`; `limit` of each, 0 for all."""
    found: list[Reference] = []
    for name in names:
        records = (each for each in open_dataset(name, home) if not isinstance(each, Broken))
        own = [each for each in records if all_pages or _has_other_scripts(each)]
        found += own[:limit] if limit else own
    return found


def _has_other_scripts(reference: Reference) -> bool:
    return any(script_of(line.text) != READABLE for line in reference.load().sample.lines)


async def run_scripts(pages: Sequence[Reference], on_page: Callable[[str], None]) -> ScriptsRun:
    """Reads and judges each screenshot."""
    registry = Registry.load()
    bare = Registry.of(**{READER: registry.get(READER)})
    pools = DetectorPool(bare, in_threads=True), DetectorPool(registry)
    lines: list[ScriptLines] = []
    spent: list[float] = []
    try:
        for page in pages:
            item = page.load()
            cache = CropCache()
            without = await _look(item, pools[0], cache)
            started = time.perf_counter()
            read = await _look(item, pools[1], cache)
            spent.append((time.perf_counter() - started) * 1000)
            lines += judge(item.sample.name, item.sample.lines, without, read)
            on_page(item.sample.name)
    finally:
        for pool in pools:
            pool.close()
    return ScriptsRun(tuple(lines), tuple(spent))


async def _look(item: Item, pool: DetectorPool, cache: CropCache) -> Detected:
    viewport = item.sample.viewport
    shot = Screenshot(decode_image(item.image.read_bytes(), max_bytes=MAX_FILE_BYTES), viewport.scale)
    regions = [whole_viewport(viewport)]
    context = DetectContext([READER], pool, cache, FrameCache(), Stages(), Deadline.of(PICTURE_SECONDS))
    return await detect(context, shot, regions)


def judge(page: str, truth: Sequence[TextLine], without: Detected, read: Detected) -> list[ScriptLines]:
    """Judges two looks at one screenshot by script."""
    found = []
    looks = [_lines_of(look) for look in (without, read)]
    for script in sorted({script_of(line.text) for line in truth}):
        own = [line for line in truth if script_of(line.text) == script]
        counts = [count_lines(own, texts) for texts, _ in looks]
        unread = [_count_covered(own, unread) for _, unread in looks]
        found.append(ScriptLines(page, script, counts[0], counts[1], unread[0], unread[1]))
    return found


def _lines_of(look: Detected) -> tuple[list[TextLine], list[TextLine]]:
    """The lines that were read, and those that were not."""
    placed = [each for seen in look.regions for each in place_detections(seen) if each.text]
    texts = [TextLine(each.text, each.box) for each in placed if each.label != UNREAD]
    return texts, [TextLine(each.text, each.box) for each in placed if each.label == UNREAD]


def _count_covered(truth: Sequence[TextLine], unread: Sequence[TextLine]) -> int:
    if not truth or not unread:
        return 0
    covered = coverage(stack(line.box for line in truth), stack(line.box for line in unread))
    return int(np.count_nonzero(covered.max(axis=1) >= COVERED))


def summed(lines: Sequence[ScriptLines]) -> dict[str, ScriptLines]:
    """The sums over all pages by script, the most frequent first."""
    frequency = Counter[str]()
    for each in lines:
        frequency[each.script] += each.read.lines
    sums: dict[str, ScriptLines] = {}
    for script, _ in frequency.most_common():
        own = [each for each in lines if each.script == script]
        sums[script] = ScriptLines(
            "",
            script,
            sum((each.without for each in own), LineCounts()),
            sum((each.read for each in own), LineCounts()),
            sum(each.unread_without for each in own),
            sum(each.unread for each in own),
        )
    return sums
