"""Compares two readers of text on whole screenshots of real pages: time, memory and accuracy.

Rule 1: a reader has a separate process, so that its time and memory are measured separately; the other waits.
Rule 2: pictures are read one by one by both in turn, and the order alternates.
Rule 3: neither is configured: threads and settings are the defaults.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from perception import host_os
from perception.bench.memory_meter import StageCost, StageMeter
from perception.bench.metrics.line_matching import LineCounts, count_lines
from perception.datasets.sample import Broken, Item, TextLine
from perception.datasets.sample_store import Store
from perception.datasets.sources.build import Progress
from perception.deadline import Deadline
from perception.detectors.ppocr import PpOcr, threads_of
from perception.detectors.registry import Registry
from perception.detectors.step_times import StepTimes
from perception.detectors.worker import MAPPED_BYTES
from perception.errors import PerceptionError, first_line
from perception.geometry import Box, coverage, stack
from perception.imaging.codec import MAX_FILE_BYTES, decode_image

if TYPE_CHECKING:
    from perception.detectors.protocol import Detector

Given = TypeVar("Given")
Answer = TypeVar("Answer")

OURS, THEIRS = "ppocr", "rapidocr"

REST = "all else"
"""Processor time that no measured step accounts for: all of RapidOCR's."""

PICTURE_READ_SECONDS = 120.0
"""Time limit of a picture: RapidOCR takes 7 s for 400 lines of text on two busy cores."""

PICTURE_DATASET = "packages"
"""The data set of the pictures."""

PICTURE_SIZE = (1280, 800)
"""CSS px at scale 1: the default viewport of agents' tools."""

LEAST_LINES = 40
"""Minimum legible lines of a picture: dense pages take long. See `legible_lines`."""

LEAST_HEIGHT = 7.0
"""Minimum height of a legible line's box, CSS px. The truth has illegible lines of 1 to 3 px, in thumbnails."""

MOST_SHARED = 1 / 3
"""Maximum overlap, as a share of either line's area. Labels of a chart may overlap, and text scrolled out of a field
may be in the truth at the position of other text; lines of a dense paragraph overlap by up to a fifth."""

UNREAD_SCRIPTS = ("ARABIC", "CYRILLIC", "HANGUL", "HEBREW", "THAI")
"""Scripts, by prefix of Unicode's letter names, that no model of the rapidocr package reads (`perception
detectors`)."""


@dataclass(frozen=True, slots=True)
class ReaderCost:
    """The cost of creating a reader in a new process, imports of its runtime included, and the maximum memory of the
    process (RSS); None if the kernel does not report it."""

    reader: str
    init_ms: float
    peak_bytes: int | None


@dataclass(frozen=True, slots=True)
class PictureRead:
    """One reader's result for one picture. `lines` are judged by all true lines, `legible` by the legible ones only.
    `steps` is processor time, ms, by step; their sum is that of the picture."""

    picture: str
    reader: str
    milliseconds: float
    lines: LineCounts
    legible: LineCounts
    steps: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both readers at the same pictures. `skipped`: why there are none, or which failed; one line each."""

    costs: tuple[ReaderCost, ...] = ()
    reads: tuple[PictureRead, ...] = ()
    skipped: tuple[str, ...] = ()


class ReaderProcess:
    """A reader in a separate process, which is started at once; see `open_reader`."""

    def __init__(self, name: str, pool: ProcessPoolExecutor) -> None:
        self.name = name
        self._pool = pool
        self._costs = [self._ask(_make, name)]

    def read(self, image: bytes) -> tuple[float, Mapping[str, float], list[TextLine]]:
        """Milliseconds without decoding the file, processor time by step, and the lines, image px. Raises
        PerceptionError if it fails."""
        cost, steps, lines = self._ask(_read, image)
        self._costs.append(cost)
        return cost.milliseconds, steps, lines

    def _ask(self, call: Callable[[Given], Answer], given: Given) -> Answer:
        try:
            return self._pool.submit(call, given).result()
        except PerceptionError:
            raise
        except Exception as exc:  # any exception or crash of a reader is that call's own failure
            raise PerceptionError(f"{self.name} failed: {type(exc).__name__}: {first_line(exc)}") from exc

    @property
    def cost(self) -> ReaderCost:
        peaks = [each.peak_bytes for each in self._costs]
        known = [peak for peak in peaks if peak is not None]
        return ReaderCost(self.name, self._costs[0].milliseconds, max(known) if len(known) == len(peaks) else None)


@contextmanager
def open_reader(name: str) -> Iterator[ReaderProcess]:
    """A reader, valid within the context. Raises DetectorMissingError: it cannot be used here."""
    # Spawned, not forked: this process's memory must not count as the reader's.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=_ignore_interrupts) as pool:
        yield ReaderProcess(name, pool)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent


_detector: Detector | None = None
_steps = StepTimes()


def _make(name: str) -> StageCost:
    global _detector
    plugin = Registry.load().get(name)
    meter = StageMeter()
    with meter.stage(name):
        if name == OURS:
            # As the service's detector process does; the other is measured with its defaults.
            host_os.give_memory_back(MAPPED_BYTES)
            _detector = PpOcr(threads=threads_of(os.environ), steps=_steps)
        else:
            _detector = plugin.make()
    return meter.costs[name]


def _read(image: bytes) -> tuple[StageCost, dict[str, float], list[TextLine]]:
    assert _detector is not None
    pixels = decode_image(image, max_bytes=MAX_FILE_BYTES)
    meter, before = StageMeter(), _steps.seconds
    with meter.stage("read"):
        found = _detector.detect(pixels, Deadline.of(PICTURE_READ_SECONDS))
    cost = meter.costs["read"]
    steps = {name: (seconds - before.get(name, 0.0)) * 1000 for name, seconds in _steps.seconds.items()}
    steps[REST] = cost.processor_ms - sum(steps.values())
    boxes = np.asarray(found.xyxy, np.float64).tolist()
    return cost, steps, [TextLine(text, Box(*box)) for box, text in zip(boxes, found.text, strict=True)]


def legible_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that a person with the models' languages could read: high enough, in no script of UNREAD_SCRIPTS, and
    not overlapping another line. In their order; empty for none."""
    boxes = stack(line.box for line in lines)
    shared = coverage(boxes, boxes)
    np.fill_diagonal(shared, 0)
    alone = np.asarray((np.maximum(shared, shared.T) < MOST_SHARED).all(axis=1))
    return [line for line, is_alone in zip(lines, alone.tolist(), strict=True) if is_alone and _is_readable(line)]


def _is_readable(line: TextLine) -> bool:
    unread = any(unicodedata.name(letter, "").startswith(UNREAD_SCRIPTS) for letter in line.text)
    return not unread and line.box.height >= LEAST_HEIGHT


def dense_pictures(home: Path, *, least_lines: int = LEAST_LINES) -> list[Item]:
    """The screenshot of SIDES with the most legible lines of each package that has one; empty if none is built."""
    densest: dict[str, tuple[int, Item]] = {}
    for record in Store(home).dataset(PICTURE_DATASET):
        if isinstance(record, Broken) or "@{}x{}".format(*PICTURE_SIZE) not in record.name:
            continue
        item = record.load()
        viewport = item.sample.viewport
        count = len(legible_lines(item.sample.lines))
        best = densest.get(item.sample.group)
        if (viewport.width, viewport.height, viewport.scale) == (*PICTURE_SIZE, 1) and count >= least_lines:
            densest[item.sample.group] = (count, item) if best is None or count > best[0] else best
    return [item for _, item in densest.values()]


def compare_readers(items: Sequence[Item], progress: Progress) -> Comparison:
    """Lets both read pictures at scale 1.

    Raises:
        DetectorMissingError: one of them cannot be used here.
    """
    if not items:
        built = f"perception dataset build {PICTURE_DATASET}"
        return Comparison(skipped=(f"{OURS} beside {THEIRS}: no picture of so many lines: {built}",))
    progress.start(len(items))
    reads: list[PictureRead] = []
    skipped: list[str] = []
    with open_reader(OURS) as ours, open_reader(THEIRS) as theirs:
        for number, item in enumerate(items):
            for reader in (ours, theirs) if number % 2 == 0 else (theirs, ours):
                try:
                    reads.append(_judge(item, reader))
                except PerceptionError as exc:
                    skipped.append(f"{reader.name}: {item.sample.name}: {first_line(exc)}")
            progress.done(item.sample.name)
        return Comparison((ours.cost, theirs.cost), tuple(reads), tuple(skipped))


def _judge(item: Item, reader: ReaderProcess) -> PictureRead:
    milliseconds, steps, found = reader.read(item.image.read_bytes())
    truth = item.sample.lines
    counts = count_lines(truth, found), count_lines(legible_lines(truth), found)
    return PictureRead(item.sample.name, reader.name, milliseconds, *counts, steps)
