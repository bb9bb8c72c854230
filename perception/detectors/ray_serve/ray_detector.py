"""A detector on Ray behind the detector protocol, for callers without an event loop."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from perception.deadline import Deadline
from perception.detectors.ray_serve.messages import Answer
from perception.detectors.ray_serve.ray_link import RayLink
from perception.detectors.worker import decode_detections
from perception.errors import PerceptionError
from perception.types import Detections, Pixels


class RayDetector:
    """A `BatchDetector` and `LineReader`. Its client process is started by the first call.

    Args:
        name: name of the detector on Ray.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._link = RayLink()

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`."""
        (found,) = self._ask([pixels], [""], deadline)
        if found is None:
            raise deadline.error(f"detection on Ray by {self._name}")
        return found

    def detect_all(self, images: Sequence[Pixels], deadlines: Sequence[Deadline]) -> Iterator[Detections | None]:
        """See `BatchDetector.detect_all`. All images have the earliest of the deadlines."""
        yield from self._ask(images, [""] * len(images), _earliest(deadlines))

    def read_lines(
        self, images: Sequence[Pixels], hints: Sequence[str], deadlines: Sequence[Deadline]
    ) -> Iterator[Detections | None]:
        """See `LineReader.read_lines`. All images have the earliest of the deadlines."""
        yield from self._ask(images, hints, _earliest(deadlines))

    def close(self) -> None:
        """Ends the client process."""
        self._link.close()

    def _ask(self, images: Sequence[Pixels], hints: Sequence[str], deadline: Deadline) -> Sequence[Detections | None]:
        """Raises PerceptionError: why it has no answer, other than the deadline."""
        answers: list[Answer] = []
        come = threading.Event()

        def take(answer: Answer) -> None:
            answers.append(answer)
            come.set()

        number = self._link.ask(self._name, list(zip(images, hints, strict=True)), deadline, take)
        if not come.wait(deadline.remaining()):
            self._link.drop(number)
            return [None] * len(images)
        (answer,) = answers
        failure = answer.failure or next((each.failure for each in answer.results if each.failure), "")
        if failure:
            raise PerceptionError(failure)
        found = [None if each.late else decode_detections(each) for each in answer.results]
        return found or [None] * len(images)


def _earliest(deadlines: Sequence[Deadline]) -> Deadline:
    return min(deadlines, key=lambda each: each.deadline_s)
