"""Two readers of text over whole screenshots of real pages: how long they take, what they hold, how well they read.

Rule 1: a reader has a process of its own, so that its time and memory are its alone; the other waits meanwhile.
Rule 2: pictures are read one by one by both in turn, and who is first alternates.
Rule 3: nothing is told to either but to read: threads and settings are as they are shipped.
"""

from __future__ import annotations

import multiprocessing
import signal
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from perception.bench.memory import StageCost, StageMeter
from perception.bench.metrics.lines import LineCounts, count_lines
from perception.budget import Budget
from perception.datasets.build import Progress
from perception.datasets.sample import Broken, Item, TextLine
from perception.datasets.store import Store
from perception.detectors.registry import Registry
from perception.detectors.worker import give_memory_back
from perception.errors import PerceptionError, first_line
from perception.geometry import Box, coverage, stack
from perception.images import MAX_FILE_BYTES, decode_image

if TYPE_CHECKING:
    from perception.detectors.protocol import Detector

Given = TypeVar("Given")
Answer = TypeVar("Answer")

OURS, THEIRS = "ppocr", "rapidocr"

READ_SECONDS = 120.0
"""RapidOCR takes 7 s for 400 lines of text on two busy cores; what is over this is stuck."""

PICTURES = "packages"
"""The data set that pictures are of."""

SIDES = (1280, 800)
"""CSS px at scale 1: the viewport that agents' tools open by default."""

LEAST_LINES = 40
"""Legible lines of a picture: dense pages are what takes long. See `legible_lines`."""

LEAST_HEIGHT = 7.0
"""CSS px of a legible line's box. The truth has lines of 1 to 3 px, in thumbnails, that nobody can read."""

MOST_SHARED = 1 / 3
"""Of a line's area, or of the other's. Labels of a chart are painted over one another, and text that has been scrolled
out of a field may be in the truth where other text is; lines of a close-set paragraph share up to a fifth."""

UNREAD_SCRIPTS = ("ARABIC", "CYRILLIC", "HANGUL", "HEBREW", "THAI")
"""Of Unicode's names of letters: what no model reads that the rapidocr package bundles (`perception detectors`)."""


@dataclass(frozen=True, slots=True)
class ReaderCost:
    """What making a reader in a new process takes, imports of its runtime included, and the most that the process ever
    held (RSS); None where the kernel does not tell."""

    reader: str
    init_ms: float
    peak_bytes: int | None


@dataclass(frozen=True, slots=True)
class PictureRead:
    """One reader at one picture. `lines` are judged by all true lines, `legible` by the legible ones alone."""

    picture: str
    reader: str
    milliseconds: float
    lines: LineCounts
    legible: LineCounts


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both readers at the same pictures. `skipped`: why there are none, or which failed; a line each."""

    costs: tuple[ReaderCost, ...] = ()
    reads: tuple[PictureRead, ...] = ()
    skipped: tuple[str, ...] = ()


class Reader:
    """A reader in a process of its own, which is made at once; see `open_reader`."""

    def __init__(self, name: str, pool: ProcessPoolExecutor) -> None:
        self.name = name
        self._pool = pool
        self._costs = [self._ask(_make, name)]

    def read(self, image: bytes) -> tuple[float, list[TextLine]]:
        """Milliseconds without decoding the file, and the lines, image px. Raises PerceptionError where it fails."""
        cost, lines = self._ask(_read, image)
        self._costs.append(cost)
        return cost.milliseconds, lines

    def _ask(self, call: Callable[[Given], Answer], given: Given) -> Answer:
        try:
            return self._pool.submit(call, given).result()
        except PerceptionError:
            raise
        except Exception as exc:  # whatever a reader raises, or dies of, is that call's own failure
            raise PerceptionError(f"{self.name} failed: {type(exc).__name__}: {first_line(exc)}") from exc

    @property
    def cost(self) -> ReaderCost:
        peaks = [each.peak_bytes for each in self._costs]
        known = [peak for peak in peaks if peak is not None]
        return ReaderCost(self.name, self._costs[0].milliseconds, max(known) if len(known) == len(peaks) else None)


@contextmanager
def open_reader(name: str) -> Iterator[Reader]:
    """A reader, until the context is left. Raises DetectorMissingError: it cannot be used here."""
    # Spawned, not forked: what this process holds is none of the reader's memory.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=_ignore_interrupts) as pool:
        yield Reader(name, pool)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer


_detector: Detector | None = None


def _make(name: str) -> StageCost:
    global _detector
    plugin = Registry.load().get(name)
    meter = StageMeter()
    with meter.stage(name):
        if name == OURS:
            give_memory_back()  # as the service's process of it does; the other is measured as it ships
        _detector = plugin.make()
    return meter.costs[name]


def _read(image: bytes) -> tuple[StageCost, list[TextLine]]:
    assert _detector is not None
    pixels = decode_image(image, max_bytes=MAX_FILE_BYTES)
    meter = StageMeter()
    with meter.stage("read"):
        found = _detector.detect(pixels, Budget.of(READ_SECONDS))
    boxes = np.asarray(found.xyxy, np.float64).tolist()
    return meter.costs["read"], [TextLine(text, Box(*box)) for box, text in zip(boxes, found.text, strict=True)]


def legible_lines(lines: Sequence[TextLine]) -> list[TextLine]:
    """Those that a person with the models' languages could read: high enough, in no script of UNREAD_SCRIPTS, and not
    where another line is. In their order; empty for none."""
    boxes = stack(line.box for line in lines)
    shared = coverage(boxes, boxes)
    np.fill_diagonal(shared, 0)
    alone = np.asarray((np.maximum(shared, shared.T) < MOST_SHARED).all(axis=1))
    return [line for line, is_alone in zip(lines, alone.tolist(), strict=True) if is_alone and _is_readable(line)]


def _is_readable(line: TextLine) -> bool:
    unread = any(unicodedata.name(letter, "").startswith(UNREAD_SCRIPTS) for letter in line.text)
    return not unread and line.box.height >= LEAST_HEIGHT


def dense_pictures(home: Path, *, least_lines: int = LEAST_LINES) -> list[Item]:
    """Of each package that has one, the screenshot of SIDES with the most legible lines; empty where none is built."""
    densest: dict[str, tuple[int, Item]] = {}
    for record in Store(home).dataset(PICTURES):
        if isinstance(record, Broken) or "@{}x{}".format(*SIDES) not in record.name:
            continue
        item = record.load()
        viewport = item.sample.viewport
        count = len(legible_lines(item.sample.lines))
        best = densest.get(item.sample.group)
        if (viewport.width, viewport.height, viewport.scale) == (*SIDES, 1) and count >= least_lines:
            densest[item.sample.group] = (count, item) if best is None or count > best[0] else best
    return [item for _, item in densest.values()]


def compare_readers(items: Sequence[Item], progress: Progress) -> Comparison:
    """Lets both read pictures at scale 1.

    Raises:
        DetectorMissingError: one of them cannot be used here.
    """
    if not items:
        built = f"perception dataset build {PICTURES}"
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


def _judge(item: Item, reader: Reader) -> PictureRead:
    milliseconds, found = reader.read(item.image.read_bytes())
    truth = item.sample.lines
    counts = count_lines(truth, found), count_lines(legible_lines(truth), found)
    return PictureRead(item.sample.name, reader.name, milliseconds, *counts)
