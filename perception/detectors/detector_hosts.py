"""Hosts of detectors: a process of its own, which can be killed, or a thread of this process, which cannot."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Protocol

import msgspec
import numpy as np

from perception.deadline import Deadline
from perception.detectors.protocol import Detector
from perception.detectors.worker import (
    Image,
    WorkerFailure,
    WorkerJob,
    WorkerResult,
    create_detector,
    decode_detections,
    detect_images,
)
from perception.errors import PerceptionError
from perception.types import Detections, Pixels

TUNABLES_VARIABLE, HUGE_PAGES = "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"
"""Large blocks of a detector's process get huge pages where the kernel offers them (`madvise`, its usual setting; glibc
2.35 or newer, others ignore it): in a process that frees its memory after each image, detection in 480x1312 pixels
causes 2,000 page faults and not 24,000, and takes a fifth less processor time."""


class DetectorLostError(PerceptionError):
    """The process of a detector ended before it had answered."""


class DetectorHost(Protocol):
    """Runs one detector. One thread calls `detect` and `close`; any thread may call `kill`.

    Attributes:
        killable: whether `kill` ends a running call.
    """

    killable: bool

    def detect(
        self, images: Sequence[Pixels], deadlines: Sequence[Deadline], hints: Sequence[str]
    ) -> Iterator[Detections | WorkerFailure]:
        """Yields an answer for each image, in order and as soon as it is known. `hints` as for `detect_images`.

        Raises:
            DetectorLostError: the process was killed or died; the next call starts another.
        """
        ...

    def stop(self, places: Sequence[int]) -> None:
        """Has the images at these places of the running call be late from now on. For any thread; never waits."""
        ...

    def kill(self) -> None:
        """Ends a running call, if the host is killable."""
        ...

    def close(self) -> None:
        """Releases the detector."""
        ...


class ThreadHost:
    """Runs a detector in the calling thread: for detectors that are objects of this process, and for benchmarks."""

    killable = False

    def __init__(self, make: Callable[[], Detector]) -> None:
        self._make = make
        self._detector: Detector | WorkerFailure | None = None

    def detect(
        self, images: Sequence[Pixels], deadlines: Sequence[Deadline], hints: Sequence[str]
    ) -> Iterator[Detections | WorkerFailure]:
        """See `DetectorHost.detect`."""
        if self._detector is None or isinstance(self._detector, WorkerFailure):
            self._detector = create_detector(self._make)
        yield from detect_images(self._detector, images, deadlines, hints)

    def stop(self, places: Sequence[int]) -> None:
        """Does nothing: its detector reads the callers' own deadlines."""

    def kill(self) -> None:
        """Does nothing: a thread cannot be killed."""

    def close(self) -> None:
        """Does nothing: the detector is freed with the thread."""


class ProcessHost:
    """Runs a detector in a process of its own, which is started on first use and again after it was killed.

    Args:
        plugin: `module:attribute` of the plug-in.
    """

    killable = True

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin
        self._process: subprocess.Popen[bytes] | None = None
        self._link: Connection | None = None
        self._sending = threading.Lock()

    def detect(
        self, images: Sequence[Pixels], deadlines: Sequence[Deadline], hints: Sequence[str]
    ) -> Iterator[Detections | WorkerFailure]:
        """See `DetectorHost.detect`."""
        decode = msgspec.msgpack.Decoder(WorkerResult).decode
        try:
            link = self._started()
            with self._sending:
                job = WorkerJob([_image(*row) for row in zip(images, deadlines, hints, strict=True)])
                link.send_bytes(msgspec.msgpack.encode(job))
            for _ in images:
                result = decode(link.recv_bytes())
                yield WorkerFailure(result.failure) if result.late or result.failure else decode_detections(result)
        except (EOFError, OSError) as exc:
            self._end()
            raise DetectorLostError("its process ended before it had answered") from exc

    def stop(self, places: Sequence[int]) -> None:
        if self._link is None or not self._sending.acquire(blocking=False):
            return  # it is only being sent: it goes with the deadlines of now
        try:
            self._link.send_bytes(msgspec.msgpack.encode(WorkerJob([], list(places))))
        except OSError:
            pass  # its process is gone
        finally:
            self._sending.release()

    def kill(self) -> None:
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        self._end()

    def _started(self) -> Connection:
        if self._process is not None and self._process.poll() is not None:
            self._end()  # it was killed, or ran out of memory, while it was idle
        if self._link is None:
            ours, theirs = socket.socketpair()
            with theirs:
                command = [sys.executable, "-m", "perception.detectors.worker", str(theirs.fileno()), self._plugin]
                # Its standard output must not be a caller's pipe; its standard error is ours.
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    env=process_environment(os.environ),
                )
            self._link = Connection(ours.detach())
        return self._link

    def _end(self) -> None:
        link, process, self._link, self._process = self._link, self._process, None, None
        if link is not None:
            link.close()
        if process is not None:
            process.kill()
            process.wait()


def process_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a detector's process; tunables of the user stay and come last, so that they win."""
    tunables = [HUGE_PAGES, environment.get(TUNABLES_VARIABLE, "")]
    return {**environment, TUNABLES_VARIABLE: ":".join(filter(None, tunables))}


def _image(pixels: Pixels, deadline: Deadline, hint: str) -> Image:
    height, width = pixels.shape[:2]
    return Image(height, width, np.ascontiguousarray(pixels).tobytes(), deadline.remaining(), hint)
