"""Where a detector runs: in a process of its own, which can be killed, or in a thread of ours, which cannot."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Protocol

import msgspec
import numpy as np

from perception.budget import Budget
from perception.detectors.protocol import Detector
from perception.detectors.worker import Failure, Image, Job, Seen, detections_of, look_at_all, made
from perception.errors import PerceptionError
from perception.types import Detections, Pixels


class DetectorLostError(PerceptionError):
    """A detector's process has ended in the middle of its work."""


class Host(Protocol):
    """Holds one detector. `look` and `close` are called by one thread, `kill` by any. `killable`: it can be."""

    killable: bool

    def look(self, images: Sequence[Pixels], budgets: Sequence[Budget]) -> Iterator[Detections | Failure]:
        """An answer for each image in turn, each once it is there.

        Raises:
            DetectorLostError: it has been killed, or died; the next call makes another.
        """
        ...

    def kill(self) -> None:
        """Ends what it is doing, if it can."""
        ...

    def close(self) -> None:
        """Lets go of the detector."""
        ...


class InThread:
    """Runs a detector in the thread that asks: for detectors that are objects of this process, and for benchmarks."""

    killable = False

    def __init__(self, make: Callable[[], Detector]) -> None:
        self._make = make
        self._detector: Detector | Failure | None = None

    def look(self, images: Sequence[Pixels], budgets: Sequence[Budget]) -> Iterator[Detections | Failure]:
        """See `Host.look`."""
        if self._detector is None or isinstance(self._detector, Failure):
            self._detector = made(self._make)
        yield from look_at_all(self._detector, images, budgets)

    def kill(self) -> None:
        """A thread cannot be."""

    def close(self) -> None:
        """A thread's detector goes with the thread."""


class InProcess:
    """Runs a detector in a process of its own, started when it is first needed and again after it was killed.

    Args:
        plugin: `module:attribute` of its plug-in.
    """

    killable = True

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin
        self._process: subprocess.Popen[bytes] | None = None
        self._link: Connection | None = None

    def look(self, images: Sequence[Pixels], budgets: Sequence[Budget]) -> Iterator[Detections | Failure]:
        """See `Host.look`."""
        decode = msgspec.msgpack.Decoder(Seen).decode
        try:
            link = self._started()
            link.send_bytes(msgspec.msgpack.encode(Job([_image(*pair) for pair in zip(images, budgets, strict=True)])))
            for _ in images:
                seen = decode(link.recv_bytes())
                yield Failure(seen.trouble) if seen.late or seen.trouble else detections_of(seen)
        except (EOFError, OSError) as exc:
            self._end()
            raise DetectorLostError("its process ended before it had answered") from exc

    def kill(self) -> None:
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        self._end()

    def _started(self) -> Connection:
        if self._process is not None and self._process.poll() is not None:
            self._end()  # it was killed, or ran out of memory, while it had nothing to do
        if self._link is None:
            ours, theirs = socket.socketpair()
            with theirs:
                command = [sys.executable, "-m", "perception.detectors.worker", str(theirs.fileno()), self._plugin]
                # Its standard output must not be a caller's; what it has to say goes where our own words go.
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
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


def _image(pixels: Pixels, budget: Budget) -> Image:
    height, width = pixels.shape[:2]
    return Image(height, width, np.ascontiguousarray(pixels).tobytes(), budget.remaining())
