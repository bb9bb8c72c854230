"""The queue of one detector: a thread that feeds it, one batch at a time.

Rule 1: work that can wait (`DetectorJob.yields`) stops at the next step of the detector when other work comes, and so
does work whose caller has left.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future

import structlog

from perception.deadline import Deadline
from perception.detectors.detector_hosts import DetectorHost, DetectorLostError
from perception.detectors.worker import WorkerFailure
from perception.types import Detections, Pixels

_log = structlog.get_logger(__name__)

BUSY = "it was still busy with an earlier image"
LATE = "the deadline passed"

QUEUE_CLOSE_SECONDS = 2.0
"""Time limit for a killed process to end. Chosen by hand; guarded by `tests/unit/detectors/test_pool.py`."""


class DetectorJob:
    """Images of one call for one detector, with their hints. `keep` is called with each answer, in the worker's
    thread. `yields`: it stops for jobs that do not. `grace_s`: seconds after the deadline in which an answer comes in
    time."""

    def __init__(
        self,
        images: Mapping[bytes, tuple[Pixels, str]],
        deadline: Deadline,
        keep: Callable[[bytes, Detections], None],
        *,
        yields: bool = False,
        grace_s: float = 0.0,
    ) -> None:
        self.images = images
        self.deadline = deadline
        self.keep = keep
        self.yields = yields
        self.grace_s = grace_s
        self.done: Future[None] = Future()
        self.dropped = False
        self.failure = ""


class DetectorQueue:
    """One daemon thread that feeds one detector, one batch at a time.

    Not a ThreadPoolExecutor: the interpreter would wait at exit for a thread that hangs.
    """

    def __init__(self, name: str, host: DetectorHost) -> None:
        self._host = host
        self._jobs: queue.SimpleQueue[DetectorJob | None] = queue.SimpleQueue()
        self._current: list[DetectorJob] = []
        self._work: list[tuple[DetectorJob, bytes]] = []
        self._changing = threading.Lock()
        self._thread = threading.Thread(target=self._serve, name=f"detector-{name}", daemon=True)
        self._thread.start()

    async def run(self, job: DetectorJob, patience_s: float) -> str:
        """Runs a job; returns when it is done, has failed or has passed its deadline. Returns why it failed, if so."""
        wait_s = job.deadline.remaining() + job.grace_s
        if not self._host.killable and any(other.deadline.spent() and not other.dropped for other in self._current):
            wait_s = min(wait_s, patience_s)
        self._jobs.put(job)
        if not job.yields:
            self._stop(lambda other: other.yields)
        waiter = asyncio.wrap_future(job.done)
        try:
            async with asyncio.timeout(wait_s):
                await waiter
        except TimeoutError:
            # A queued job is cancelled with its future; a running job may finish its step.
            if job.done.running():
                asyncio.get_running_loop().call_later(patience_s, self._kill_if_at, job)
            else:
                return BUSY if self._current else LATE
        except asyncio.CancelledError:
            job.dropped = True
            self._stop(lambda other: other is job)
            raise
        return job.failure

    def close(self) -> None:
        self._jobs.put(None)
        self._host.kill()
        if self._host.killable:
            self._thread.join(QUEUE_CLOSE_SECONDS)

    def _stop(self, is_meant: Callable[[DetectorJob], bool]) -> None:
        """Has jobs of the batch that runs stop at the detector's next step: they are late from now on."""
        with self._changing:
            stopped = [at for at, (job, _) in enumerate(self._work) if is_meant(job)]
            for at in stopped:
                self._work[at][0].deadline.deadline_s = 0.0
            if stopped:
                self._host.stop(stopped)

    def _kill_if_at(self, job: DetectorJob) -> None:
        # Other jobs of the batch may still have time, but they would lose it by waiting, too.
        if self._host.killable and job in self._current and not job.done.done():
            _log.warning("a detector ran on long after its deadline: it is killed, and created again on the next call")
            self._host.kill()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            batch = [job]
            while not self._jobs.empty():
                another = self._jobs.get()
                if another is None:
                    self._jobs.put(None)
                    break
                batch.append(another)
            batch = [each for each in batch if each.done.set_running_or_notify_cancel()]
            batch.sort(key=lambda each: (each.yields, each.deadline.deadline_s))
            self._current = batch
            with self._changing:
                self._work = [(job, key) for job in batch for key in job.images]
            self._process(batch)
            with self._changing:
                self._work = []
            self._current = []
            del job, batch
        self._host.close()

    def _process(self, batch: list[DetectorJob]) -> None:
        work = self._work
        left = {id(job): len(job.images) for job in batch}
        try:
            images = [job.images[key][0] for job, key in work]
            hints = [job.images[key][1] for job, key in work]
            answers = self._host.detect(images, [job.deadline for job, _ in work], hints)
            for (job, key), answer in zip(work, answers, strict=True):
                if isinstance(answer, WorkerFailure):
                    job.failure = job.failure or answer.reason
                else:
                    job.keep(key, answer)
                left[id(job)] -= 1
                if not left[id(job)]:
                    job.done.set_result(None)
        except Exception as exc:  # a lost process, or a bug of ours: the callers get the reason, the thread goes on
            if not isinstance(exc, DetectorLostError):
                _log.warning("detector failed", exc_info=exc)
            for job in batch:
                if not job.done.done():
                    job.failure = str(exc)
                    job.done.set_result(None)
