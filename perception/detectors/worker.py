"""A detector in a process of its own: `python -m perception.detectors.worker FD PLUGIN`. Started by `host.InProcess`.

It reads `Job`s from the socket FD and answers each image with a `Seen`, in turn. `PLUGIN` is `module:attribute`, as an
entry point names it.

Rule 1: when the other end of the socket is gone, so is this process, whatever the detector is doing.
Rule 2: nothing is written to standard output, which may be a caller's pipe.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from itertools import repeat
from multiprocessing.connection import Connection

import msgspec
import numpy as np

from perception.budget import Budget
from perception.detectors.protocol import BatchDetector, Detector, Plugin
from perception.errors import DeadlineError, PerceptionError
from perception.types import Detections, Pixels

M_MMAP_THRESHOLD = -3
"""Of malloc.h: larger blocks are mapped, and unmapped once they are free."""


class Image(msgspec.Struct, array_like=True):
    """(height, width, 3) uint8 BGR, and how long it may be looked at, from when it is sent."""

    height: int
    width: int
    data: bytes
    seconds: float


class Job(msgspec.Struct, array_like=True):
    """Images to look at, one after another."""

    images: list[Image]


class Seen(msgspec.Struct, array_like=True):
    """What came of one image: detections, or `trouble` for why there are none; `late` where time was up."""

    xyxy: bytes = b""
    score: bytes = b""
    kind: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    detector: str = ""
    trouble: str = ""
    late: bool = False


def pixels_of(image: Image) -> Pixels:
    return np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3)


def seen_of(found: Detections) -> Seen:
    xyxy = np.ascontiguousarray(found.xyxy, np.float32).tobytes()
    score = np.ascontiguousarray(found.score, np.float32).tobytes()
    return Seen(xyxy, score, found.kind, found.text, found.label, found.detector)


def detections_of(seen: Seen) -> Detections:
    xyxy = np.frombuffer(seen.xyxy, np.float32).reshape(-1, 4)
    return Detections(seen.detector, xyxy, np.frombuffer(seen.score, np.float32), seen.kind, seen.text, seen.label)


def failed_with(error: Exception) -> str:
    """For a caller, who is not told what a stranger's words may give away: those go to standard error."""
    traceback.print_exception(error)
    return f"it failed with {type(error).__name__}"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an image has no answer; without a reason its time was up."""

    reason: str = ""


def made(make: Callable[[], Detector]) -> Detector | Failure:
    """A detector; why there is none, which then is the answer for every image."""
    try:
        return make()
    except PerceptionError as exc:
        return Failure(str(exc))
    except Exception as exc:  # whatever a stranger's detector raises is its own failure, never the caller's
        return Failure(failed_with(exc))


def look_at_all(
    detector: Detector | Failure, images: Sequence[Pixels], budgets: Sequence[Budget]
) -> Iterator[Detections | Failure]:
    """An answer for each image in turn. Whatever a stranger's detector raises is its answer, too."""
    if isinstance(detector, Failure):
        yield from repeat(detector, len(images))
        return
    done = 0
    if isinstance(detector, BatchDetector) and len(images) > 1:
        try:
            for found in detector.detect_all(images, budgets):
                yield found if found is not None else Failure()
                done += 1
        except DeadlineError:
            yield Failure()
            done += 1
        except Exception as exc:  # what one image brings about is no answer for those after it
            yield Failure(failed_with(exc))
            done += 1
    for pixels, budget in zip(images[done:], budgets[done:], strict=True):
        yield Failure() if budget.spent() else _look_at(detector, pixels, budget)


def _look_at(detector: Detector, pixels: Pixels, budget: Budget) -> Detections | Failure:
    try:
        return detector.detect(pixels, budget)
    except DeadlineError:
        return Failure()
    except PerceptionError as exc:
        return Failure(str(exc))
    except Exception as exc:
        return Failure(failed_with(exc))


def answer_of(found: Detections | Failure) -> Seen:
    return Seen(trouble=found.reason, late=not found.reason) if isinstance(found, Failure) else seen_of(found)


def give_memory_back() -> None:
    """Lets glibc give memory back to the system as soon as it is free; elsewhere nothing has to be done.

    Nine dense pages read in turn left 274 MB with it and 425 MB without, in 7 % more time.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(M_MMAP_THRESHOLD, 4 * 2**20)


def serve(link: Connection, make: Callable[[], Detector]) -> None:
    """Answers jobs until the other end is gone."""
    jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(link, jobs), daemon=True).start()
    detector = made(make)
    while True:
        images = jobs.get().images
        budgets = [Budget.of(image.seconds) for image in images]
        for each in look_at_all(detector, [pixels_of(image) for image in images], budgets):
            link.send_bytes(msgspec.msgpack.encode(answer_of(each)))


def _read(link: Connection, jobs: queue.SimpleQueue[Job]) -> None:
    """In a thread of its own, so that the end is heard of while a detector is at work, or hangs."""
    decode = msgspec.msgpack.Decoder(Job).decode
    try:
        while True:
            jobs.put(decode(link.recv_bytes()))
    except (EOFError, OSError):
        os._exit(0)


def main(argv: list[str]) -> None:
    # Ctrl-C is for the service: it lets go of the socket when it is done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    give_memory_back()
    number, value = argv
    plugin = EntryPoint("", value, "").load()
    assert isinstance(plugin, Plugin)
    serve(Connection(socket.socket(fileno=int(number)).detach()), plugin.make)


if __name__ == "__main__":
    main(sys.argv[1:])
