"""Runs detectors: each is created once, stays loaded, has a process of its own, and sees no pixels twice.

Rule 1: the event loop only waits; worker threads hash, send and cache, and detector processes run the models.
Rule 2: a detector that is late, broken or missing loses its own answer only; the other detectors are not affected.
Rule 3: a detector that runs on well after its deadline is killed, and created again for the next call. A detector in a
thread of this process (`ThreadHost`) cannot be killed: later calls report that it is busy.
A detector on Ray (`ray:NAME`) has replicas there, and its calls do not wait for each other.
Rule 4: images that several sessions send at once form one batch, sorted by deadline.
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from perception.deadline import Deadline
from perception.detectors.detector_hosts import DetectorHost, ProcessHost, ThreadHost
from perception.detectors.detector_queue import BUSY, LATE, DetectorJob, DetectorQueue
from perception.detectors.protocol import ICON_KIND, DetectorInfo, Plugin
from perception.detectors.registry import Registry, name_on_ray
from perception.errors import DetectorMissingError, ShuttingDownError
from perception.instrumentation.metrics import CACHE_HITS, DETECTOR_SKIPPED
from perception.types import Detections, Pixels, Skipped

TEXT_STAGE = "ocr"
BOX_STAGE = "detect"
SENDING_SHARE = 0.3
"""Part of the time that stays for later stages, or of the detector's own if that is less, by which it stops earlier, so
that what it found so far is sent in time. Chosen by hand; guarded by `tests/unit/detectors/test_pool.py`."""


class JobQueue(Protocol):
    """What runs the jobs of one detector. See `DetectorQueue`."""

    async def run(self, job: DetectorJob, patience_s: float) -> str: ...

    def close(self) -> None: ...


class CropCache:
    """Detections by the content of the image. Evicts the least recently used entry first. Thread-safe.

    Args:
        size: maximum number of entries; an entry is one detector's answer for one image, a few kB. The default holds
            the answers of two detectors for a page of 256 icons.
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
    """Result of one call of `DetectorPool.detect`.

    Attributes:
        detections: for each image the detections of each detector, in the order of the requested names; a detector
            that did not process an image is absent there.
        skipped: detectors that did not finish, and why.
        timings_ms: milliseconds by stage, `ocr` for text detectors and `detect` for the others; the slowest of each.
        cache_hits: number of answers from the cache.
    """

    detections: tuple[tuple[Detections, ...], ...]
    skipped: tuple[Skipped, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    cache_hits: int = 0


class DetectorPool:
    """Runs the detectors of a registry; all sessions share one pool.

    Args:
        registry: source of the detectors.
        patience_s: seconds that a detector may run on after its deadline before it is killed or reported as busy.
            Built-in detectors overrun by one step at most: a tile of an image, 0.5 s on one core.
        in_threads: run detectors in threads of this process, for benchmarks that measure it.
    """

    def __init__(self, registry: Registry, *, patience_s: float = 1.0, in_threads: bool = False) -> None:
        self._registry = registry
        self._patience_s = patience_s
        self._in_threads = in_threads
        self._workers: dict[str, JobQueue] = {}
        self._infos: dict[str, DetectorInfo] = {}
        self._closed = False
        self._yields = False

    def for_spare_time(self) -> DetectorPool:
        """The same pool for work that nobody waits for yet: a detector leaves it for any other."""
        pool = copy.copy(self)
        pool._yields = True
        return pool

    async def detect(
        self,
        names: Sequence[str],
        images: Sequence[Pixels],
        deadline: Deadline,
        cache: CropCache,
        *,
        reserve_s: float,
        hints: Sequence[str] = (),
    ) -> DetectionRun:
        """Runs every named detector on every image: detectors in parallel, images one after another.

        Args:
            names: names of detectors; a missing detector is skipped. To fail instead, call `Registry.get` first.
            images: (H, W, 3) uint8 BGR each.
            deadline: the caller's deadline; this returns `reserve_s` before it, with the detections so far.
            cache: read before a detector runs, and updated after it.
            reserve_s: seconds of the deadline that stay for later stages.
            hints: for each image what is known of the line in it, where the detectors are to read lines: see
                `LineReader`. Empty for images that are to be searched.

        Raises:
            UnknownDetectorError: no detector has that name.
            ShuttingDownError: the pool is closed.
        """
        if self._closed:
            raise ShuttingDownError("the service is shutting down: ask another one")
        own = Deadline(deadline.deadline_s - reserve_s, deadline.clock)
        # Whether a detector is missing may only be known after its model is loaded.
        plugins = await asyncio.to_thread(lambda: {name: self._plugin(name) for name in dict.fromkeys(names)})
        if not images:
            return DetectionRun(detections=())
        hints = hints or ("",) * len(images)
        work = (
            self._run_detector(name, plugin, images, hints, own, cache, reserve_s) for name, plugin in plugins.items()
        )
        runs = await asyncio.gather(*work)
        for run in runs:
            if run.skip_reason:
                DETECTOR_SKIPPED.labels(name=run.name, reason=run.skip_reason).inc()
            if run.hits:
                CACHE_HITS.labels(cache="crop").inc(run.hits)
        return _gather(runs, len(images))

    def reads(self, name: str) -> bool:
        """Whether a detector finds lines of text. Raises UnknownDetectorError: no detector has that name."""
        return "text" in self._info_of(name).kinds

    def names_icons(self, name: str) -> bool:
        """Whether a detector names icons in the pixels of single controls. Raises as `reads`."""
        return ICON_KIND in self._info_of(name).kinds

    def at_css_scale(self, name: str) -> bool:
        """Whether a detector sees screenshots at one pixel for each CSS px. Raises as `reads`."""
        return self._info_of(name).at_css_scale

    def _info_of(self, name: str) -> DetectorInfo:
        if name not in self._infos:
            self._infos[name] = self._registry.describe(name).info
        return self._infos[name]

    def line_reader(self, script: str) -> tuple[str, str]:
        """The detector that reads lines in a script, and why none does. One of the two is ""."""
        return self._registry.line_reader(script)

    def close(self) -> None:
        """Ends the processes and idle threads, and drops queued jobs."""
        self._closed = True
        for worker in self._workers.values():
            worker.close()

    def _plugin(self, name: str) -> Plugin | Skipped:
        try:
            return self._registry.get(name)
        except DetectorMissingError as exc:
            return Skipped(name, str(exc))

    def _worker(self, name: str, plugin: Plugin) -> JobQueue:
        if name not in self._workers:
            on_ray = name_on_ray(name)
            self._workers[name] = self._queue_on_ray(on_ray) if on_ray else self._queue_here(name, plugin)
        return self._workers[name]

    def _queue_here(self, name: str, plugin: Plugin) -> JobQueue:
        origin = self._registry.origin(name)
        host: DetectorHost = ThreadHost(plugin.make) if self._in_threads or not origin else ProcessHost(origin)
        return DetectorQueue(name, host)

    def _queue_on_ray(self, name: str) -> JobQueue:
        from perception.detectors.ray_serve.ray_queue import RayQueue, share_link

        return RayQueue(name, share_link(self._workers.values()))

    async def _run_detector(
        self,
        name: str,
        plugin: Plugin | Skipped,
        images: Sequence[Pixels],
        hints: Sequence[str],
        deadline: Deadline,
        cache: CropCache,
        reserve_s: float,
    ) -> _DetectorRun:
        if isinstance(plugin, Skipped):
            return _DetectorRun(name, "", skipped=plugin)
        run = _DetectorRun(name, TEXT_STAGE if self.reads(name) else BOX_STAGE)
        worker = self._worker(name, plugin)
        started = deadline.clock()
        places: dict[bytes, list[int]] = {}
        for index, key in enumerate(await asyncio.to_thread(_keys, name, images, hints)):
            places.setdefault(key, []).append(index)
        new: dict[bytes, tuple[Pixels, str]] = {}
        for key, indices in places.items():
            found = cache.get(key)
            if found is None:
                new[key] = images[indices[0]], hints[indices[0]]
            else:
                run.add(indices, found, hit=True)

        def keep(key: bytes, found: Detections) -> None:
            if not found.missing:
                cache.put(key, found)
            run.add(places[key], found, hit=False)

        if new:
            # What was found until the deadline has to be sent, too.
            grace_s = min(reserve_s, deadline.remaining()) * SENDING_SHARE
            work = Deadline(deadline.deadline_s - grace_s, deadline.clock)
            job = DetectorJob(new, work, keep, yields=self._yields, grace_s=grace_s)
            run.failure = await worker.run(job, self._patience_s)
        run.close(deadline.clock() - started, len(images))
        return run


class _DetectorRun:
    """One detector's part of one call. The worker writes it until `close`; the event loop reads it afterwards."""

    def __init__(self, name: str, stage: str, skipped: Skipped | None = None) -> None:
        self.name = name
        self.stage = stage
        self.skipped = skipped
        self.seconds = 0.0
        self.hits = 0
        self.found: dict[int, Detections] = {}
        self.failure = ""
        self.skip_reason = "missing" if skipped else ""
        self._lock = threading.Lock()
        self._closed = False

    def add(self, indices: Sequence[int], found: Detections, *, hit: bool) -> None:
        """Adds detections; those that arrive after `close` are dropped, since the answer has been sent."""
        with self._lock:
            if not self._closed:
                self.found |= dict.fromkeys(indices, found)
                self.hits += len(indices) if hit else len(indices) - 1

    def close(self, seconds: float, image_count: int) -> None:
        with self._lock:
            self._closed = True
        self.seconds = seconds
        if self.skipped is None and len(self.found) < image_count:
            done = f"{len(self.found)} of {image_count} images were processed"
            self.skip_reason = _skip_reason(self.failure)
            self.skipped = Skipped(self.name, f"{self.failure or LATE}; {done}")
        elif self.skipped is None and (missing := [each.missing for each in self.found.values() if each.missing]):
            self.skip_reason = _skip_reason("")
            self.skipped = Skipped(self.name, f"{LATE}; {missing[0]}")


def _skip_reason(failure: str) -> str:
    """The label of the metric for a detector that did not process all images."""
    if not failure or failure.startswith(LATE):
        return "late"
    return "busy" if failure.startswith(BUSY) else "failed"


def _keys(name: str, images: Sequence[Pixels], hints: Sequence[str]) -> list[bytes]:
    """Cache keys: a digest of the detector, the hint and the pixels for each image."""
    keys = []
    for pixels, hint in zip(images, hints, strict=True):
        digest = hashlib.blake2b(digest_size=16)
        digest.update(f"{name}\0{hint}\0{pixels.shape}\0".encode())
        digest.update(np.ascontiguousarray(pixels).data)
        keys.append(digest.digest())
    return keys


def _gather(runs: Sequence[_DetectorRun], image_count: int) -> DetectionRun:
    timings: dict[str, float] = {}
    for run in runs:
        if run.stage:
            timings[run.stage] = max(timings.get(run.stage, 0.0), run.seconds * 1000)
    return DetectionRun(
        detections=tuple(tuple(run.found[index] for run in runs if index in run.found) for index in range(image_count)),
        skipped=tuple(run.skipped for run in runs if run.skipped is not None),
        timings_ms=timings,
        cache_hits=sum(run.hits for run in runs),
    )
