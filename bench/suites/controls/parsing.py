"""What is served for a screenshot, by each reader: the work on each sample."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import msgspec
import numpy as np

from perception.bench.looks.look_output import ListedElement
from perception.bench.run_store import load_run
from perception.bench.sample_worker import OFFLINE_LOOK_SECONDS, read_pixels, seen_element
from perception.datasets.sample import Item
from perception.deadline import Deadline
from perception.detectors.onnx import OnnxBoxes
from perception.detectors.onnx_settings import NAME as ONNX
from perception.detectors.onnx_settings import PATH_VARIABLE, OnnxSettings
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.registry import Registry
from perception.engine.detect import Detected
from perception.engine.parse import ParsedImage, fuse_image, parse_in_stages
from perception.fusion.regions import SeenRegion
from perception.fusion.residual import whole_viewport
from perception.geometry import Box
from perception.instrumentation.stages import Stages
from perception.render.text import PagedText
from perception.types import Detections, Screenshot, Skipped, Viewport


@dataclass(frozen=True, slots=True)
class Reader:
    """One way to read a screenshot.

    Attributes:
        name: its row in the report.
        detectors: names of detectors that run together.
        model: ONNX file of the detector `onnx`; empty for none.
        digest: of that file's content.
        plain: each detection is served as a control, without fusion.
    """

    name: str
    detectors: tuple[str, ...]
    model: str = ""
    digest: str = ""
    plain: bool = False


@dataclass(frozen=True, slots=True)
class FoundColumns:
    """Detections of one detector in a whole image, as they are stored. Boxes are image px, xyxy."""

    detector: str
    xyxy: list[list[float]]
    score: list[float]
    kind: tuple[str, ...]
    text: tuple[str, ...]
    label: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadImage:
    """What a reader serves for a sample.

    Attributes:
        sample, id: the sample's name and id.
        who: the reader's name.
        elements: the served list.
        tokens: of its text, o200k.
        wall_ms, cpu_ms: from decoded pixels to the list. CPU time is that of the whole process.
        skipped: detectors that failed, and why.
        found: what each detector found.
    """

    sample: str
    id: str
    who: str
    elements: tuple[ListedElement, ...]
    tokens: int
    wall_ms: float
    cpu_ms: float
    skipped: tuple[str, ...]
    found: tuple[FoundColumns, ...]


@dataclass(frozen=True, slots=True)
class ParseTask:
    """Each reader reads the sample's image with models that are loaded."""

    readers: tuple[Reader, ...]

    def prepare(self) -> Callable[[Item], list[bytes]]:
        """See `SampleTask`."""
        cv2.setNumThreads(1)  # workers are the parallelism
        loop = asyncio.new_event_loop()
        pools = [DetectorPool(registry_of(reader), in_threads=True) for reader in self.readers]
        blank = np.full((64, 64, 3), 255, np.uint8)
        for reader, pool in zip(self.readers, pools, strict=True):
            deadline = Deadline.of(OFFLINE_LOOK_SECONDS)
            loop.run_until_complete(pool.detect(reader.detectors, [blank], deadline, CropCache(), reserve_s=0))

        def read(item: Item) -> list[bytes]:
            screenshot = screenshot_of(item)
            outputs = []
            for reader, pool in zip(self.readers, pools, strict=True):
                clock = _Clock()
                deadline = Deadline.of(OFFLINE_LOOK_SECONDS)
                parsed = loop.run_until_complete(parse_in_stages(screenshot, reader.detectors, pool, deadline))
                outputs.append(msgspec.json.encode(_output(item, reader, parsed, clock)))
            return outputs

        return read


@dataclass(frozen=True, slots=True)
class FuseTask:
    """Fuses what the detectors of a stored run found, with today's fusion. No detector runs."""

    readers: tuple[Reader, ...]
    run: str
    home: str

    def prepare(self) -> Callable[[Item], list[bytes]]:
        """See `SampleTask`."""
        cv2.setNumThreads(1)
        run = load_run(Path(self.home), self.run)

        def read(item: Item) -> list[bytes]:
            screenshot = screenshot_of(item)
            before = {each.who: each for each in map(decode_output, run.outputs(item.id))}
            outputs = []
            for reader in self.readers:
                stored, clock = before[reader.name], _Clock()
                detected = detected_of(stored, screenshot)
                parsed = ParsedImage(detected, fuse_image(screenshot, detected, Stages()))
                outputs.append(msgspec.json.encode(_output(item, reader, parsed, clock)))
            return outputs

        return read


class _Clock:
    """Time since it was made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def wall_ms(self) -> float:
        return round((time.perf_counter() - self._wall) * 1000, 2)

    def cpu_ms(self) -> float:
        return round((time.process_time() - self._cpu) * 1000, 2)


def _output(item: Item, reader: Reader, parsed: ParsedImage, clock: _Clock) -> ReadImage:
    wall_ms, cpu_ms = clock.wall_ms(), clock.cpu_ms()
    found = [each for region in parsed.detected.regions for each in region.detections]
    elements = parsed.snapshot.elements
    listed = tuple(map(seen_element, elements))
    return ReadImage(
        sample=item.sample.name,
        id=item.id,
        who=reader.name,
        elements=_each_detection(found, item.sample.viewport.scale) if reader.plain else listed,
        tokens=PagedText(elements).page(0).token_count,
        wall_ms=wall_ms,
        cpu_ms=cpu_ms,
        skipped=tuple(f"{each.name}: {each.reason}" for each in parsed.detected.skipped),
        found=tuple(map(_columns, found)),
    )


def _each_detection(found: Sequence[Detections], scale: float) -> tuple[ListedElement, ...]:
    return tuple(
        ListedElement("", "", text, Box(*box), True, True, confidence=float(score))
        for each in found
        for box, text, score in zip((each.xyxy / scale).tolist(), each.text, each.score, strict=True)
    )


def _columns(found: Detections) -> FoundColumns:
    boxes, scores = np.asarray(found.xyxy, np.float64).tolist(), np.asarray(found.score, np.float64).tolist()
    return FoundColumns(found.detector, boxes, scores, tuple(found.kind), tuple(found.text), tuple(found.label))


def detected_of(stored: ReadImage, screenshot: Screenshot) -> Detected:
    """What was detected, from a stored output."""
    found = tuple(
        Detections(
            each.detector,
            np.asarray(each.xyxy, np.float32).reshape(-1, 4),
            np.asarray(each.score, np.float32),
            each.kind,
            each.text,
            each.label,
        )
        for each in stored.found
    )
    height, width = (round(side / screenshot.scale) for side in screenshot.pixels.shape[:2])
    region = whole_viewport(Viewport(width, height, screenshot.scale))
    skipped = tuple(Skipped(name, reason) for name, reason in (each.split(": ", 1) for each in stored.skipped))
    return Detected((SeenRegion(region, screenshot.scale, found),), skipped)


def screenshot_of(item: Item) -> Screenshot:
    """The decoded image of a sample."""
    pixels = read_pixels(item)
    return Screenshot(pixels, pixels.shape[1] / item.sample.viewport.width)


def decode_output(line: bytes) -> ReadImage:
    """A stored output."""
    return msgspec.json.decode(line, type=ReadImage)


def registry_of(reader: Reader) -> Registry:
    """All detectors, and the reader's model as `onnx`."""
    return Registry.load(**{ONNX: model_plugin(reader.model)} if reader.model else {})


def model_plugin(file: str) -> Plugin:
    """A detector of an ONNX file, with the settings beside it."""
    environment: Mapping[str, str] = {PATH_VARIABLE: file}

    def make() -> OnnxBoxes:
        return OnnxBoxes(OnnxSettings.from_environment(environment))

    info = DetectorInfo(name=ONNX, description=file, licence="", kinds=("box",))
    return Plugin(describe=lambda: info, missing=lambda: "", make=make)
