"""A detector that sees what it is told: for tests, and for authors of plug-ins who need a partner in theirs.

Not an entry point: nobody's service should offer it by accident.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from perception.budget import Budget
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.types import Detections, Pixels


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing to be seen. `xyxy` in pixels of the image; without `text` it is a box, of the class `label`."""

    xyxy: tuple[float, float, float, float]
    text: str = ""
    score: float = 1.0
    label: str = ""


@dataclass(slots=True)
class ScriptedDetector:
    """Returns the same sightings for every image and keeps the images' shapes.

    Args:
        name: what its detections are signed with.
        sightings: what it sees.
        failure: raised instead, when given.
        before: called first, in the worker's thread; one that waits makes the detector late.
    """

    name: str = "scripted"
    sightings: Sequence[Sighting] = ()
    failure: Exception | None = None
    before: Callable[[Pixels, Budget], None] | None = None
    shapes: list[tuple[int, ...]] = field(default_factory=list)

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        self.shapes.append(pixels.shape)
        if self.before is not None:
            self.before(pixels, budget)
        if self.failure is not None:
            raise self.failure
        return detections_of(self.name, self.sightings)

    def plugin(self, *, default_enabled: bool = False, missing: str = "") -> Plugin:
        """This very detector as a plug-in, so that a test can ask it afterwards what it was shown."""
        kinds = tuple(sorted({"text" if sighting.text else "box" for sighting in self.sightings})) or ("box",)
        info = DetectorInfo(
            name=self.name,
            description="Sees what it is told.",
            licence="Apache-2.0",
            kinds=kinds,
            default_enabled=default_enabled,
        )
        return Plugin(describe=lambda: info, missing=lambda: missing, make=lambda: self)


def detections_of(name: str, sightings: Sequence[Sighting]) -> Detections:
    """Sightings as columns; empty for none."""
    return Detections(
        detector=name,
        xyxy=np.asarray([sighting.xyxy for sighting in sightings], np.float32).reshape(-1, 4),
        score=np.asarray([sighting.score for sighting in sightings], np.float32),
        kind=tuple("text" if sighting.text else "box" for sighting in sightings),
        text=tuple(sighting.text for sighting in sightings),
        label=tuple(sighting.label for sighting in sightings),
    )
