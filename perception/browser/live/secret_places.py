"""Where a tab shows what is sensitive, sampled while frames of it arrive.

A frame was painted some time before it was received, and the page goes on meanwhile. So a frame is covered wherever a
sample shows something sensitive, from the last one that surely is older than the frame to one that was begun after it
was received.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from perception.browser.capture.redaction import Secrets, find_secrets
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.geometry import Box
from perception.imaging.mask import cover_moves

LATENCY_SECONDS = 0.1
"""A frame is received at most so long after it was painted: 5 to 35 ms on a quiet machine (Chromium 156)."""

MAX_SAMPLES = 32
"""Samples that are kept. At 30 pictures a second, LATENCY_SECONDS has four."""


@dataclass(frozen=True, slots=True)
class _Sample:
    begun_s: float
    ended_s: float
    secrets: dict[bool, Secrets]


class SecretPlaces:
    """Of one page."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._samples: deque[_Sample] = deque(maxlen=MAX_SAMPLES)

    async def sample(self, reveals: Collection[bool], deadline: Deadline) -> Secrets:
        """Looks where they are now.

        Args:
            reveals: for whom: who may see what is sensitive (True), all others (False).

        Returns:
            One of what was found, for what else it tells.

        Raises:
            PageCrashedError, SessionLostError, DeadlineError, PerceptionError
        """
        begun_s = time.monotonic()
        found = await asyncio.gather(
            *(find_secrets(self._page, deadline, reveal=each, dotted=each) for each in reveals)
        )
        self._samples.append(_Sample(begun_s, time.monotonic(), dict(zip(reveals, found, strict=True))))
        return found[0]

    def covering(self, received_s: float, reveals: bool) -> Sequence[Box]:
        """What is to be painted over in a frame, CSS px of the viewport. There must be a sample since it was received.

        Args:
            received_s: when it was received, monotonic.
        """
        samples = [each for each in self._samples if reveals in each.secrets]
        older = [index for index, each in enumerate(samples) if each.ended_s < received_s - LATENCY_SECONDS]
        relevant = samples[older[-1] if older else 0 :]
        return cover_moves([each.secrets[reveals].boxes for each in relevant])

    def forget(self) -> None:
        """Begins again, for another page."""
        self._samples.clear()
