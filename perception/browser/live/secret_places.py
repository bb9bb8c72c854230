"""Where a tab shows what is sensitive, sampled while frames of it arrive.

A frame was painted some time before it was received, and the page goes on meanwhile. So a frame is covered wherever a
sample shows something sensitive, from the last one that surely is older than the frame to one that was begun after it
was received. Where something has come or gone lately, it is covered wherever it has been lately; where things come and
go faster than they can be followed, or move before there is a sample that surely is older than the frame, nobody knows
what a frame shows.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from perception.browser.capture.redaction import Secrets, find_secrets
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline, loop_time
from perception.geometry import Box
from perception.imaging.mask import cover_moves

LATENCY_SECONDS = 0.25
"""A frame is captured at most so long after its page was laid out like that, or longer by the time that a look takes: 5
to 35 ms on a quiet machine (Chromium 156); with 0.1 s, one in 150 was older on two cores with eight busy programs."""

LATELY_SECONDS, MAX_CHANGES = 1.0, 3
"""Something that has come or gone within that time may do so again, between two samples; after more such changes it
flickers. Chosen by hand: at 30 ms a time, one picture in forty had it."""

MAX_STEP_PX, MAX_STEP_SECONDS = 150.0, 0.25
"""What moves farther between two samples, or for longer, may have been anywhere. Chosen by hand: a notch of a wheel
scrolls by 100 px."""

MAX_GAP_SECONDS = 0.5
"""On a page on which things come and go, something may have come and gone between two samples that are further apart.
Chosen by hand: what flickers faster is noticed, or not shown at all."""

MAX_SAMPLES = 64
"""Samples that are kept: LATELY_SECONDS at 30 pictures a second, and some."""


@dataclass(frozen=True, slots=True)
class _Sample:
    begun_s: float
    ended_s: float
    secrets: dict[bool, Secrets]


class SecretPlaces:
    """The places of what is private on one page."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._samples: deque[_Sample] = deque(maxlen=MAX_SAMPLES)
        self._is_flickering = False

    async def sample(self, reveals: Collection[bool], deadline: Deadline) -> Secrets:
        """Looks where they are now.

        Args:
            reveals: for whom: who may see what is sensitive (True), all others (False).

        Returns:
            One of what was found, for what else it tells.

        Raises:
            PageCrashedError, SessionLostError, DeadlineError, PerceptionError
        """
        begun_s = loop_time()
        found = await asyncio.gather(
            *(find_secrets(self._page, deadline, reveal=each, dotted=each) for each in reveals)
        )
        self._samples.append(_Sample(begun_s, loop_time(), dict(zip(reveals, found, strict=True))))
        return found[0]

    def covering(self, captured_s: float, reveals: bool) -> Sequence[Box] | None:
        """What is to be painted over in a frame, CSS px of the viewport; None where something came, went or moved too
        far meanwhile to know that. There must be a sample since it was received.

        Args:
            captured_s: when it was captured, monotonic.
        """
        samples = self._of(reveals)
        latency_s = LATENCY_SECONDS + max((each.ended_s - each.begun_s for each in self._lately(reveals)), default=0.0)
        older = [index for index, each in enumerate(samples) if each.ended_s < captured_s - latency_s]
        relevant = samples[older[-1] if older else 0 :]
        places = [each.secrets[reveals].boxes for each in relevant]
        if not older and len(set(places)) > 1:
            return None
        if any(not _is_followed(one, other, reveals) for one, other in pairwise(relevant)):
            return None
        if _changes(samples) and any(
            other.ended_s - one.ended_s > MAX_GAP_SECONDS for one, other in pairwise(relevant)
        ):
            return None
        covered = cover_moves(places)
        if _changes(lately := self._lately(reveals)):
            covered += [box for each in lately for box in each.secrets[reveals].boxes]
        return covered

    def flicker(self) -> bool:
        """Whether things come and go faster than they can be followed: until nothing has come or gone lately."""
        changes = _changes(self._lately(False) or self._lately(True))
        self._is_flickering = changes > 0 if self._is_flickering else changes > MAX_CHANGES
        return self._is_flickering

    def _of(self, reveals: bool) -> list[_Sample]:
        return [each for each in self._samples if reveals in each.secrets]

    def _lately(self, reveals: bool) -> list[_Sample]:
        since_s = loop_time() - LATELY_SECONDS
        return [each for each in self._of(reveals) if each.ended_s > since_s]


def _is_followed(one: _Sample, other: _Sample, reveals: bool) -> bool:
    """Whether it is known where things were between two samples: nothing came or went, and what moved did not move
    far."""
    before, after = one.secrets[reveals].boxes, other.secrets[reveals].boxes
    if len(before) != len(after):
        return False
    steps = [max(abs(to.left - at.left), abs(to.top - at.top)) for at, to in zip(before, after, strict=True)]
    return max(steps, default=0.0) < 1 or (
        max(steps) <= MAX_STEP_PX and other.ended_s - one.ended_s <= MAX_STEP_SECONDS
    )


def _changes(samples: Sequence[_Sample]) -> int:
    """How often the number of things has changed."""
    counts = [[len(each.boxes) for each in sample.secrets.values()] for sample in samples]
    return sum(one != other for one, other in pairwise(counts))
