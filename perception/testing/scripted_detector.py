"""A detector with fixed detections, for tests of this project and of plug-ins.

It is not an entry point, so that no service offers it by accident.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from perception.deadline import Deadline
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.types import Detections, Pixels


@dataclass(frozen=True, slots=True)
class ScriptedDetection:
    """One detection.

    Attributes:
        xyxy: left, top, right, bottom in pixels of the image.
        text: text of a line; "" for a box.
        score: 0 to 1.
        label: class of a box; "" for none.
    """

    xyxy: tuple[float, float, float, float]
    text: str = ""
    score: float = 1.0
    label: str = ""


@dataclass(slots=True)
class ScriptedDetector:
    """Returns the same detections for every image and records the images' shapes.

    Attributes:
        name: name of the detector.
        sightings: the detections that it returns.
        failure: exception that it raises instead; None for none.
        before: called first, in the worker's thread; a function that waits makes the detector late.
        shapes: shapes of the images so far.
        at_css_scale: see `DetectorInfo`.
        missing: see `Detections`.
    """

    name: str = "scripted"
    sightings: Sequence[ScriptedDetection] = ()
    failure: Exception | None = None
    before: Callable[[Pixels, Deadline], None] | None = None
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    at_css_scale: bool = False
    missing: str = ""

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`."""
        self.shapes.append(pixels.shape)
        if self.before is not None:
            self.before(pixels, deadline)
        if self.failure is not None:
            raise self.failure
        return replace(detections_of(self.name, self.sightings), missing=self.missing)

    def plugin(self, *, default_enabled: bool = False, missing: str = "") -> Plugin:
        """This detector as a plug-in. `make` returns the detector itself, so that a test can inspect it afterwards.

        Args:
            default_enabled: whether it runs when a request names no detector.
            missing: why it cannot be used; "" if it can.
        """
        kinds = tuple(sorted({"text" if sighting.text else "box" for sighting in self.sightings})) or ("box",)
        info = DetectorInfo(
            name=self.name,
            description="Returns the same detections for every image.",
            licence="Apache-2.0",
            kinds=kinds,
            default_enabled=default_enabled,
            at_css_scale=self.at_css_scale,
        )
        return Plugin(describe=lambda: info, missing=lambda: missing, make=lambda: self)


def detections_of(name: str, sightings: Sequence[ScriptedDetection]) -> Detections:
    """Converts single detections to columns; empty for none."""
    return Detections(
        detector=name,
        xyxy=np.asarray([sighting.xyxy for sighting in sightings], np.float32).reshape(-1, 4),
        score=np.asarray([sighting.score for sighting in sightings], np.float32),
        kind=tuple("text" if sighting.text else "box" for sighting in sightings),
        text=tuple(sighting.text for sighting in sightings),
        label=tuple(sighting.label for sighting in sightings),
    )
