"""The queue of a detector that runs on Ray: calls go there side by side, and wait for their own deadlines only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from perception.detectors.detector_queue import DetectorJob
from perception.detectors.ray_serve.messages import Answer
from perception.detectors.ray_serve.ray_link import RayLink
from perception.detectors.worker import decode_detections


class RayQueue:
    """One detector on Ray; used as a `DetectorQueue` is.

    Args:
        detector: its name on Ray.
        link: see `share_link`.
    """

    def __init__(self, detector: str, link: RayLink) -> None:
        self._detector = detector
        self.link = link

    async def run(self, job: DetectorJob, patience_s: float) -> str:
        """See `DetectorQueue.run`. What the caller does not wait for any more is cancelled on Ray, too."""
        loop = asyncio.get_running_loop()
        answered = asyncio.Event()

        def take(answer: Answer) -> None:
            _keep(job, answer)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(answered.set)

        images = list(job.images.values())
        number = self.link.ask(self._detector, images, job.deadline, take, yields=job.yields)
        try:
            async with asyncio.timeout(job.deadline.remaining() + job.grace_s):
                await answered.wait()
        except TimeoutError:
            self.link.drop(number)
            loop.call_later(patience_s, self.link.kill_if_silent, number)
        except asyncio.CancelledError:
            self.link.drop(number)
            raise
        return job.failure

    def close(self) -> None:
        """Ends the client process, also for the other detectors on Ray of the same pool."""
        self.link.close()


def share_link(queues: Iterable[object]) -> RayLink:
    """The link of the first of these queues that is on Ray, else a new one: a client process takes 175 MB."""
    return next((each.link for each in queues if isinstance(each, RayQueue)), None) or RayLink()


def _keep(job: DetectorJob, answer: Answer) -> None:
    job.failure = job.failure or answer.failure
    for key, result in zip(job.images, answer.results, strict=False):
        if result.failure:
            job.failure = job.failure or result.failure
        elif not result.late:
            job.keep(key, decode_detections(result))
