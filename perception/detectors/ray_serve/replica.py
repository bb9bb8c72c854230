"""A replica of a detector in Ray Serve: it loads the detector once, and looks at the images of many callers.

Rule 1: calls that come together form one batch, those that can wait last, then by deadline; each is answered as soon as
its own images are done.
Rule 2: a call is answered by its deadline with what was found until then. What nobody waits for any more stops at the
detector's next step.
Rule 3: a replica whose detector runs on well after all its deadlines is unhealthy: Serve ends it and starts another.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
import numpy as np
from ray import serve

from perception import host_os
from perception.deadline import Deadline
from perception.detectors.ray_serve.messages import WIRE_VERSION, ReplicaAnswer
from perception.detectors.registry import Registry
from perception.detectors.worker import MAPPED_BYTES, WorkerResult, detect_images, result_of
from perception.types import Pixels

PATIENCE_SECONDS = 2.0
"""A detector may run on so long after all deadlines of its batch. Serve asks every second, and acts on the third no."""

WARM_UP_SECONDS = 60.0


@dataclass(eq=False, slots=True)
class _Call:
    """Images of one caller. `ends_s` is the caller's own deadline; `deadline` is over sooner if the caller leaves."""

    pixels: Sequence[Pixels]
    hints: Sequence[str]
    deadline: Deadline
    yields: bool
    done: asyncio.Event = field(default_factory=asyncio.Event)
    results: list[WorkerResult] = field(default_factory=list)
    ends_s: float = 0.0

    def __post_init__(self) -> None:
        self.ends_s = self.deadline.deadline_s
        self.results = [WorkerResult(late=True)] * len(self.pixels)

    def add(self, place: int, result: WorkerResult, *, last: bool) -> None:
        self.results[place] = result
        if last:
            self.done.set()

    def stop(self) -> None:
        """Answers it now with what was found; the detector leaves the rest."""
        self.deadline.deadline_s = 0.0
        self.done.set()


class DetectorReplica:
    """The class of the deployment.

    Args:
        detector: name of the detector, as on this machine without Ray.
        batch: most calls in a batch.
        batch_wait_s: how long the first call of a batch waits for others.
    """

    def __init__(self, detector: str, batch: int, batch_wait_s: float) -> None:
        host_os.give_memory_back(MAPPED_BYTES)
        self._detector = Registry.load().get(detector).make()
        self._detect_batch.set_max_batch_size(batch)
        self._detect_batch.set_batch_wait_timeout_s(batch_wait_s)
        self._calls: set[_Call] = set()
        self._running: Sequence[_Call] = ()
        self._tasks: set[asyncio.Task[None]] = set()
        blank = np.full((32, 32, 3), 255, np.uint8)
        self._detector.detect(blank, Deadline.of(WARM_UP_SECONDS))

    async def detect(
        self, wire_version: int, pixels: Sequence[Pixels], hints: Sequence[str], seconds: float, yields: bool
    ) -> bytes:
        """Looks at images. See `Ask` for the arguments, and `ReplicaAnswer` for what is returned."""
        if wire_version != WIRE_VERSION:
            return _encoded(
                ReplicaAnswer(
                    failure=f"its application on Ray speaks version {WIRE_VERSION} and this service {wire_version}: "
                    "deploy it again from the service's version of perception"
                )
            )
        call = _Call(pixels, hints, Deadline.of(seconds), yields)
        if not yields:
            for other in self._calls:
                if other.yields:
                    other.stop()
        self._calls.add(call)
        task = asyncio.create_task(self._detect_batch(call))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(call.deadline.remaining()):
                    await call.done.wait()
        finally:
            call.stop()
            self._calls.discard(call)
        return _encoded(ReplicaAnswer(call.results))

    async def check_health(self) -> None:
        """For Serve."""
        running = self._running
        if running and time.monotonic() > max(call.ends_s for call in running) + PATIENCE_SECONDS:
            raise RuntimeError("the detector runs on long after its deadline")

    @serve.batch
    async def _detect_batch(self, calls: list[_Call]) -> list[None]:
        waiting = [call for call in calls if not call.deadline.spent()]
        waiting.sort(key=lambda call: (call.yields, call.deadline.deadline_s))
        if waiting:
            self._running = waiting
            try:
                await asyncio.to_thread(self._look, waiting, asyncio.get_running_loop())
            finally:
                self._running = ()
        return [None] * len(calls)

    def _look(self, calls: Sequence[_Call], loop: asyncio.AbstractEventLoop) -> None:
        rows = [(call, place) for call in calls for place in range(len(call.pixels))]
        found = detect_images(
            self._detector,
            [call.pixels[place] for call, place in rows],
            [call.deadline for call, _ in rows],
            [call.hints[place] for call, place in rows],
        )
        for (call, place), each in zip(rows, found, strict=True):
            last = place == len(call.pixels) - 1
            loop.call_soon_threadsafe(partial(call.add, place, result_of(each), last=last))


def _encoded(answer: ReplicaAnswer) -> bytes:
    return msgspec.msgpack.encode(answer)
