"""Boxes and lines that a detector found in samples, and the true ones. Boxes are CSS px of the viewport."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from perception.bench.run_store import Run
from perception.bench.sample_worker import DetectorOutput
from perception.datasets.sample import Sample, TextLine
from perception.detectors.protocol import ICON_KIND
from perception.detectors.registry import Registry
from perception.geometry import Box, Boxes, stack


def detector_outputs_of(run: Run, sample: str) -> Iterator[DetectorOutput]:
    """The output of the run's detector for a sample, by its id."""
    for line in run.outputs(sample):
        yield msgspec.json.decode(line, type=DetectorOutput)


def true_boxes(sample: Sample) -> Boxes:
    """The reachable elements, clipped to the viewport; two at one position (a link around a button) are one."""
    shown = [each.box.intersect(sample.viewport.box) for each in sample.truth if each.reachable]
    return stack(dict.fromkeys(box for box in shown if box is not None))


def found_boxes(sights: Sequence[DetectorOutput], scale: float) -> Boxes:
    """All detected boxes, CSS px of the viewport."""
    device = np.concatenate([np.asarray(each.xyxy, np.float32).reshape(-1, 4) for each in sights])
    return np.asarray(device / scale, np.float32)


def read_lines(sight: DetectorOutput, scale: float) -> list[TextLine]:
    """The lines of text that were read, CSS px of the viewport."""
    return [
        TextLine(text, Box(*(side / scale for side in box)))
        for box, kind, text in zip(sight.xyxy, sight.kind, sight.text, strict=True)
        if kind == "text"
    ]


def installed_detectors(names: Sequence[str] = ()) -> tuple[list[str], dict[str, str]]:
    """The named detectors that can be used here, all that look at whole images if none are named; and the reasons for
    the others.

    Raises:
        UnknownDetectorError: there is no detector of a name.
    """
    registry = Registry.load()
    statuses = {name: registry.describe(name) for name in names or _of_images(registry, registry.names())}
    usable = [name for name, status in statuses.items() if status.installed]
    return usable, {name: status.missing for name, status in statuses.items() if not status.installed}


def default_detectors() -> tuple[str, ...]:
    """The detectors that the service uses by default on whole images."""
    registry = Registry.load()
    return _of_images(registry, registry.defaults())


def _of_images(registry: Registry, names: Sequence[str]) -> tuple[str, ...]:
    """The detectors without those that name the icons of single controls."""
    return tuple(name for name in names if ICON_KIND not in registry.describe(name).info.kinds)
