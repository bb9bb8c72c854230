"""Detectors at work: made once, kept warm, each in a thread of its own, never looking at the same pixels twice.

Rule 1: the event loop only waits; hashing, models and caches are touched in worker threads.
Rule 2: a detector that is late, broken or missing costs its own answer, never the others'.
Rule 3: a thread cannot be killed. One that overruns keeps its detector busy, and later calls are told so.
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
from perception.detectors.protocol import Detector, Plugin
from perception.detectors.registry import Registry
from perception.errors import DeadlineError, DetectorMissingError, PerceptionError, ShuttingDownError
from perception.types import Detections, Pixels, Skipped

_log = structlog.get_logger(__name__)

TEXT_STAGE = "ocr"
BOX_STAGE = "detect"


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
        patience_s: how long a call waits for a detector that is still at work past the deadline of an earlier
            call. Built-ins overrun by one step at most: a band of an image, 0.5 s on one core.
    """

    def __init__(self, registry: Registry, *, patience_s: float = 1.0) -> None:
        self._registry = registry
        self._patience_s = patience_s
        self._workers: dict[str, _Worker] = {}
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
        plugins = {name: self._plugin(name) for name in dict.fromkeys(names)}
        if not images:
            return DetectionRun(detections=())
        work = (self._look(name, plugin, images, own, cache) for name, plugin in plugins.items())
        return _gather(await asyncio.gather(*work), len(images))

    def close(self) -> None:
        """Lets idle threads end and drops waiting work. Does not wait for a detector that is at work."""
        self._closed = True
        for worker in self._workers.values():
            worker.close()

    def _plugin(self, name: str) -> Plugin | Skipped:
        try:
            return self._registry.get(name)
        except DetectorMissingError as exc:
            return Skipped(name, str(exc))

    async def _look(
        self, name: str, plugin: Plugin | Skipped, images: Sequence[Pixels], budget: Budget, cache: CropCache
    ) -> _Look:
        if isinstance(plugin, Skipped):
            return _Look(name, "", skipped=plugin)
        look = _Look(name, TEXT_STAGE if "text" in plugin.describe().kinds else BOX_STAGE)
        worker = self._workers.get(name) or self._workers.setdefault(name, _Worker(name, plugin.make))
        started = budget.clock()
        wait_s = budget.remaining()
        if worker.overdue():
            wait_s = min(wait_s, self._patience_s)
        await worker.run(lambda detector: _look_at_all(detector, images, budget, cache, look), look, budget, wait_s)
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
        self._lock = threading.Lock()
        self._closed = False

    def add(self, index: int, found: Detections, *, hit: bool) -> None:
        """A late worker's findings are dropped: the answer they belong to is gone."""
        with self._lock:
            if not self._closed:
                self.found[index] = found
                self.hits += hit

    def close(self, seconds: float, image_count: int) -> None:
        with self._lock:
            self._closed = True
        self.seconds = seconds
        if self.skipped is None and len(self.found) < image_count:
            done = f"{len(self.found)} of {image_count} images were looked at"
            self.skipped = Skipped(self.name, f"{self.trouble or 'its time was up'}; {done}")


class _Worker:
    """One daemon thread that owns one detector and does one job at a time, first come, first served.

    Not a ThreadPoolExecutor: the interpreter would wait at exit for a thread that hangs.
    """

    def __init__(self, name: str, make: Callable[[], Detector]) -> None:
        self._make = make
        self._jobs: queue.SimpleQueue[tuple[Future[None], Callable[[Detector], None], Budget] | None]
        self._jobs = queue.SimpleQueue()
        self._now: Budget | None = None
        threading.Thread(target=self._serve, name=f"detector-{name}", daemon=True).start()

    def overdue(self) -> bool:
        """It is at work for a call whose time is up."""
        now = self._now
        return now is not None and now.spent()

    async def run(self, job: Callable[[Detector], None], look: _Look, budget: Budget, wait_s: float) -> None:
        """Does the job in its turn; returns when it is done, failed (see `look.trouble`) or `wait_s` have passed."""
        done: Future[None] = Future()
        self._jobs.put((done, job, budget))
        waiter = asyncio.wrap_future(done)
        try:
            async with asyncio.timeout(wait_s):
                await waiter
        except TimeoutError:
            # A job that still waits in the queue is cancelled with its future; one at work is beyond reach.
            if not done.running():
                look.trouble = "it was still busy with an earlier image"
        except PerceptionError as exc:
            look.trouble = str(exc)
        except Exception as exc:  # whatever a stranger's detector raises is its own failure, never the caller's
            _log.warning("detector failed", detector=look.name, exc_info=exc)
            look.trouble = f"it failed with {type(exc).__name__}"

    def close(self) -> None:
        self._jobs.put(None)

    def _serve(self) -> None:
        detector: Detector | None = None
        while (job := self._jobs.get()) is not None:
            future, work, self._now = job
            if future.set_running_or_notify_cancel():
                try:
                    detector = detector or self._make()
                    work(detector)
                except BaseException as exc:  # handed to whoever waits; the thread must live on
                    future.set_exception(exc)
                else:
                    future.set_result(None)
            self._now = None
            del job, future, work


def _look_at_all(detector: Detector, images: Sequence[Pixels], budget: Budget, cache: CropCache, look: _Look) -> None:
    for index, pixels in enumerate(images):
        key = _key(look.name, pixels)
        known = cache.get(key)
        if known is None:
            if budget.spent():
                return
            try:
                known = detector.detect(pixels, budget)
            except DeadlineError:
                return
            cache.put(key, known)
            look.add(index, known, hit=False)
        else:
            look.add(index, known, hit=True)


def _key(name: str, pixels: Pixels) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{name}\0{pixels.shape}\0".encode())
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.digest()


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
