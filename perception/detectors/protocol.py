"""What a detector is. A plug-in author needs this module and `perception.types.Detections`.

A package offers a detector by an entry point in the group `perception.detectors` whose value is a `Plugin`:

    [project.entry-points."perception.detectors"]
    mine = "my_package.detector:PLUGIN"

Rule 1: importing that module loads no model and registers nothing.
Rule 2: settings are fixed when a detector is made; `detect` changes nothing on it that a caller could notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from perception.budget import Budget
from perception.types import Detections, Pixels


class Detector(Protocol):
    """Finds text or user-interface boxes in an image. Called from a worker thread, one call at a time."""

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """Looks at one image.

        Args:
            pixels: (H, W, 3) uint8 BGR; H and W at least 1. Not to be written to.
            budget: looked at between steps; an overrun may be killed.

        Returns:
            Boxes in pixels of that image; empty means "looked, saw nothing".

        Raises:
            DeadlineError: the budget was spent; anything else is reported as a failure.
        """
        ...


@runtime_checkable
class BatchDetector(Protocol):
    """A detector that gains by seeing several images at once: many small icons cost it little more than one."""

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """See `Detector.detect`."""
        ...

    def detect_all(self, images: Sequence[Pixels], budgets: Sequence[Budget]) -> Iterator[Detections | None]:
        """What `detect` gives for each image in turn, each once it is there; None where its time was up."""
        ...


@dataclass(frozen=True, slots=True)
class DetectorInfo:
    """What a person choosing a detector wants to know. `licence` is an SPDX expression of code and weights;
    `languages` are BCP 47 tags; `model_bytes` is the size of its models on disk."""

    name: str
    description: str
    licence: str
    kinds: tuple[str, ...]
    version: str = ""
    languages: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    model_bytes: int = 0
    default_enabled: bool = False


@dataclass(frozen=True, slots=True)
class Plugin:
    """A detector that can be made. `missing` returns why it cannot be used here and how to change that, or ""."""

    describe: Callable[[], DetectorInfo]
    missing: Callable[[], str]
    make: Callable[[], Detector]
