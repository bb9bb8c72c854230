"""Detectors at work: made once, kept warm, each in a process of its own, never looking at the same pixels twice.

Rule 1: the event loop only waits; hashing, sending and caches are the worker threads' part, models their processes'.
Rule 2: a detector that is late, broken or missing costs its own answer, never the others'.
Rule 3: one that is still at work well after its time is killed, and made again for the next call. Only one that is an
object of this very process (see `InThread`) cannot be: later calls are told that it is busy.
Rule 4: what several sessions ask for at once goes to a detector in one batch, whose time ends first comes first.
"""

from __future__ import annotations

import asyncio
import hashlib
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
import structlog

from perception.budget import Budget
from perception.detectors.host import DetectorLostError, Host, InProcess, InThread
from perception.detectors.protocol import Plugin
from perception.detectors.registry import Registry
from perception.detectors.worker import Failure
from perception.errors import DetectorMissingError, ShuttingDownError
from perception.metrics import CACHE_HITS, DETECTOR_SKIPPED
from perception.types import Detections, Pixels, Skipped

_log = structlog.get_logger(__name__)

TEXT_STAGE = "ocr"
BOX_STAGE = "detect"

BUSY = "it was still busy with an earlier image"

CLOSE_SECONDS = 2.0
"""For a process that has been killed to be gone."""


class CropCache:
    """What detectors saw in images, by the images' content. Least recently used entries go first. Thread-safe.

    Args:
        size: entries at most; one is one detector's answer for one image, a few kB. The default holds what two
            detectors see in a page of 256 icons.
    """

    def __init__(self, size: int = 512) -> None:
        self._size = size
        self._entries: OrderedDict[bytes, Detections] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> Detections | None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: bytes, found: Detections) -> None:
        with self._lock:
            self._entries[key] = found
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True, slots=True)
class DetectionRun:
    """What came of one call.

    Args:
        detections: for each image what each detector saw in it, in the order of the names asked for; a detector that
            did not get to an image is absent there.
        skipped: detectors that did not finish, and why.
        timings_ms: by stage, `ocr` for detectors of text and `detect` for the others; the slowest of each.
        cache_hits: answers that came from the cache.
    """

    detections: tuple[tuple[Detections, ...], ...]
    skipped: tuple[Skipped, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    cache_hits: int = 0


class DetectorPool:
    """Runs detectors of a registry for everybody who shares it.

    Args:
        registry: where detectors come from.
        patience_s: how long after its time a detector may still be at work, before it is killed or passed over.
            Built-ins overrun by one step at most: a tile of an image, 0.5 s on one core.
        in_threads: runs them in threads of this process, as benchmarks do that measure it.
    """

    def __init__(self, registry: Registry, *, patience_s: float = 1.0, in_threads: bool = False) -> None:
        self._registry = registry
        self._patience_s = patience_s
        self._in_threads = in_threads
        self._workers: dict[str, _Worker] = {}
        self._kinds: dict[str, tuple[str, ...]] = {}
        self._closed = False

    async def detect(
        self,
        names: Sequence[str],
        images: Sequence[Pixels],
        budget: Budget,
        cache: CropCache,
        *,
        reserve_s: float,
    ) -> DetectionRun:
        """Shows every image to every named detector; detectors side by side, images one after another.

        Args:
            names: detectors; a missing one is skipped. Whoever needs it asks `Registry.get` first.
            images: (H, W, 3) uint8 BGR each.
            budget: the caller's; this returns `reserve_s` before its end, with what there is by then.
            cache: asked before a detector is, and told afterwards.
            reserve_s: seconds of the budget that are left for what follows.

        Raises:
            UnknownDetectorError: no detector has that name.
            ShuttingDownError: the pool is closed.
        """
        if self._closed:
            raise ShuttingDownError("the service is shutting down: ask another one")
        own = Budget(budget.deadline_s - reserve_s, budget.clock)
        # What is missing may have to be found out by loading a model.
        plugins = await asyncio.to_thread(lambda: {name: self._plugin(name) for name in dict.fromkeys(names)})
        if not images:
            return DetectionRun(detections=())
        work = (self._look(name, plugin, images, own, cache) for name, plugin in plugins.items())
        looks = await asyncio.gather(*work)
        for look in looks:
            if look.why_skipped:
                DETECTOR_SKIPPED.labels(name=look.name, reason=look.why_skipped).inc()
            if look.hits:
                CACHE_HITS.labels(cache="crop").inc(look.hits)
        return _gather(looks, len(images))

    def reads(self, name: str) -> bool:
        """Whether a detector finds lines of text. Raises UnknownDetectorError."""
        if name not in self._kinds:
            self._kinds[name] = self._registry.describe(name).info.kinds
        return "text" in self._kinds[name]

    def close(self) -> None:
        """Ends the processes and idle threads, and drops waiting work."""
        self._closed = True
        for worker in self._workers.values():
            worker.close()

    def _plugin(self, name: str) -> Plugin | Skipped:
        try:
            return self._registry.get(name)
        except DetectorMissingError as exc:
            return Skipped(name, str(exc))

    def _worker(self, name: str, plugin: Plugin) -> _Worker:
        if name not in self._workers:
            origin = self._registry.origin(name)
            host: Host = InThread(plugin.make) if self._in_threads or not origin else InProcess(origin)
            self._workers[name] = _Worker(name, host)
        return self._workers[name]

    async def _look(
        self, name: str, plugin: Plugin | Skipped, images: Sequence[Pixels], budget: Budget, cache: CropCache
    ) -> _Look:
        if isinstance(plugin, Skipped):
            return _Look(name, "", skipped=plugin)
        look = _Look(name, TEXT_STAGE if self.reads(name) else BOX_STAGE)
        worker = self._worker(name, plugin)
        started = budget.clock()
        places: dict[bytes, list[int]] = {}
        for index, key in enumerate(await asyncio.to_thread(_keys, name, images)):
            places.setdefault(key, []).append(index)
        new: dict[bytes, Pixels] = {}
        for key, indices in places.items():
            found = cache.get(key)
            if found is None:
                new[key] = images[indices[0]]
            else:
                look.add(indices, found, hit=True)

        def keep(key: bytes, found: Detections) -> None:
            cache.put(key, found)
            look.add(places[key], found, hit=False)

        if new:
            await worker.run(_Job(new, budget, keep), look, self._patience_s)
        look.close(budget.clock() - started, len(images))
        return look


class _Look:
    """One detector's part of one call. Written by its worker until `close`, read by the event loop afterwards."""

    def __init__(self, name: str, stage: str, skipped: Skipped | None = None) -> None:
        self.name = name
        self.stage = stage
        self.skipped = skipped
        self.seconds = 0.0
        self.hits = 0
        self.found: dict[int, Detections] = {}
        self.trouble = ""
        self.why_skipped = "missing" if skipped else ""
        self._lock = threading.Lock()
        self._closed = False

    def add(self, indices: Sequence[int], found: Detections, *, hit: bool) -> None:
        """A late worker's findings are dropped: the answer they belong to is gone."""
        with self._lock:
            if not self._closed:
                self.found |= dict.fromkeys(indices, found)
                self.hits += len(indices) if hit else len(indices) - 1

    def close(self, seconds: float, image_count: int) -> None:
        with self._lock:
            self._closed = True
        self.seconds = seconds
        if self.skipped is None and len(self.found) < image_count:
            done = f"{len(self.found)} of {image_count} images were looked at"
            self.why_skipped = {"": "late", BUSY: "busy"}.get(self.trouble, "failed")
            self.skipped = Skipped(self.name, f"{self.trouble or 'its time was up'}; {done}")


class _Job:
    """Images that one call wants one detector to look at. `keep` is called with each answer, in the worker's thread."""

    def __init__(
        self, images: Mapping[bytes, Pixels], budget: Budget, keep: Callable[[bytes, Detections], None]
    ) -> None:
        self.images = images
        self.budget = budget
        self.keep = keep
        self.done: Future[None] = Future()
        self.dropped = False
        self.trouble = ""


class _Worker:
    """One daemon thread that feeds one detector, one batch at a time.

    Not a ThreadPoolExecutor: the interpreter would wait at exit for a thread that hangs.
    """

    def __init__(self, name: str, host: Host) -> None:
        self._host = host
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._now: list[_Job] = []
        self._thread = threading.Thread(target=self._serve, name=f"detector-{name}", daemon=True)
        self._thread.start()

    async def run(self, job: _Job, look: _Look, patience_s: float) -> None:
        """Does the job; returns when it is done, failed (see `look.trouble`) or out of time."""
        wait_s = job.budget.remaining()
        if not self._host.killable and any(other.budget.spent() and not other.dropped for other in self._now):
            wait_s = min(wait_s, patience_s)
        self._jobs.put(job)
        waiter = asyncio.wrap_future(job.done)
        try:
            async with asyncio.timeout(wait_s):
                await waiter
        except TimeoutError:
            # A job that still waits in the queue is cancelled with its future; one at work may finish its step.
            if job.done.running():
                asyncio.get_running_loop().call_later(patience_s, self._kill_if_at, job)
            else:
                look.trouble = BUSY
        except asyncio.CancelledError:
            job.dropped = True
            job.budget.deadline_s = 0.0
            raise
        look.trouble = look.trouble or job.trouble

    def close(self) -> None:
        self._jobs.put(None)
        self._host.kill()
        if self._host.killable:
            self._thread.join(CLOSE_SECONDS)

    def _kill_if_at(self, job: _Job) -> None:
        # Others in its batch still have time: what they lose by it, they would lose by waiting, too.
        if self._host.killable and job in self._now and not job.done.done():
            _log.warning("a detector was at work long after its time: it is killed, and made again when it is needed")
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
            batch.sort(key=lambda each: each.budget.deadline_s)
            self._now = batch
            self._do(batch)
            self._now = []
            del job, batch
        self._host.close()

    def _do(self, batch: list[_Job]) -> None:
        work = [(job, key) for job in batch for key in job.images]
        left = {id(job): len(job.images) for job in batch}
        try:
            answers = self._host.look([job.images[key] for job, key in work], [job.budget for job, _ in work])
            for (job, key), answer in zip(work, answers, strict=True):
                if isinstance(answer, Failure):
                    job.trouble = job.trouble or answer.reason
                else:
                    job.keep(key, answer)
                left[id(job)] -= 1
                if not left[id(job)]:
                    job.done.set_result(None)
        except Exception as exc:  # a lost process, or a fault of ours: whoever waits is told, the thread lives on
            if not isinstance(exc, DetectorLostError):
                _log.warning("detector failed", exc_info=exc)
            for job in batch:
                if not job.done.done():
                    job.trouble = str(exc)
                    job.done.set_result(None)


def _keys(name: str, images: Sequence[Pixels]) -> list[bytes]:
    """By what an image shows and who looks at it."""
    keys = []
    for pixels in images:
        digest = hashlib.blake2b(digest_size=16)
        digest.update(f"{name}\0{pixels.shape}\0".encode())
        digest.update(np.ascontiguousarray(pixels).data)
        keys.append(digest.digest())
    return keys


def _gather(looks: Sequence[_Look], image_count: int) -> DetectionRun:
    timings: dict[str, float] = {}
    for look in looks:
        if look.stage:
            timings[look.stage] = max(timings.get(look.stage, 0.0), look.seconds * 1000)
    return DetectionRun(
        detections=tuple(
            tuple(look.found[index] for look in looks if index in look.found) for index in range(image_count)
        ),
        skipped=tuple(look.skipped for look in looks if look.skipped is not None),
        timings_ms=timings,
        cache_hits=sum(look.hits for look in looks),
    )
