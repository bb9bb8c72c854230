"""The detector protocol. A plug-in author needs this module and `perception.types.Detections`.

A package offers a detector by an entry point in the group `perception.detectors` whose value is a `Plugin`:

    [project.entry-points."perception.detectors"]
    mine = "my_package.detector:PLUGIN"

Rule 1: importing that module loads no model and registers nothing.
Rule 2: settings are fixed when a detector is created; `detect` changes nothing on it that a caller can observe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from perception.deadline import Deadline
from perception.types import Detections, Pixels

ICON_KIND = "icon"
"""Kind of the detections of a detector that names icons. It is given the pixels of single controls, each with a margin
of ICON_MARGIN, and answers with one detection at most, whose label is the name."""

ICON_MARGIN = 2
"""Px of the image."""


class Detector(Protocol):
    """Finds text or user-interface boxes in an image. Called from a worker thread, one call at a time."""

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """Detects text or boxes in one image.

        Args:
            pixels: (H, W, 3) uint8 BGR, read-only; H and W are at least 1.
            deadline: checked between steps; a detector that runs on after it may be killed.

        Returns:
            Boxes in pixels of the image; empty if the image was processed and nothing was found. What was found before
            the deadline may be returned after it, if `missing` says what is not among it.

        Raises:
            DeadlineError: the deadline has passed, and nothing is known. Any other exception is reported as a failure
                of the detector.
        """
        ...


@runtime_checkable
class BatchDetector(Protocol):
    """A detector that is faster on several images at once: many small icons cost it little more than one."""

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`."""
        ...

    def detect_all(self, images: Sequence[Pixels], deadlines: Sequence[Deadline]) -> Iterator[Detections | None]:
        """Yields what `detect` returns for each image, in order and as soon as it is known; None after a deadline."""
        ...


@runtime_checkable
class LineReader(Protocol):
    """A detector that also reads single lines that another detector found and cannot read."""

    def read_lines(
        self, images: Sequence[Pixels], hints: Sequence[str], deadlines: Sequence[Deadline]
    ) -> Iterator[Detections | None]:
        """Reads lines, one in each image.

        Args:
            images: as for `Detector.detect`, each cut to one line.
            hints: for each image the script of its line, and BCP 47 tags of the languages that it may be in, the
                likeliest first, separated by spaces: `Arabic fa`.

        Yields:
            For each image, in order and as soon as it is known: its text as one detection; no detection if it cannot
            be read reliably; None after a deadline.
        """
        ...


@dataclass(frozen=True, slots=True)
class DetectorInfo:
    """Facts for a person who chooses a detector.

    Attributes:
        name: name of the detector in requests.
        description: one or two sentences.
        licence: SPDX expression for code and weights.
        kinds: kinds of its detections: `text`, `box` or `icon`.
        version: version of the engine; empty if unknown.
        languages: BCP 47 tags of the languages it reads; empty for a box detector.
        limits: known limits, one sentence each.
        model_bytes: size of its models on disk; 0 if there are none or they are not installed.
        default_enabled: whether it runs when a request names no detector.
        at_css_scale: whether it sees screenshots of a high resolution at one pixel for each CSS px.
    """

    name: str
    description: str
    licence: str
    kinds: tuple[str, ...]
    version: str = ""
    languages: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    model_bytes: int = 0
    default_enabled: bool = False
    at_css_scale: bool = False


@dataclass(frozen=True, slots=True)
class Plugin:
    """Factory of a detector.

    Attributes:
        describe: returns facts about the detector; works without its packages and models.
        missing: returns why the detector cannot be used on this machine and how to fix it; "" if it can be used.
        make: creates the detector.
        missing_script: only of a `LineReader`: returns why lines in a script, such as `Arabic`, cannot be read on this
            machine and how to fix it; "" if they can. It is asked only about scripts that another detector left unread.
    """

    describe: Callable[[], DetectorInfo]
    missing: Callable[[], str]
    make: Callable[[], Detector]
    missing_script: Callable[[str], str] | None = None
