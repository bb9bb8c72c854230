"""Process of one detector: `python -m perception.detectors.worker FD PLUGIN`. Started by `detector_hosts.ProcessHost`.

It reads `WorkerJob`s from the socket FD and answers each image, in order, with a `WorkerResult`. `PLUGIN` is
`module:attribute`, as in an entry point.

Rule 1: the process ends when the other end of the socket closes, even while the detector runs.
Rule 2: nothing is written to standard output, which may be a caller's pipe.
"""

from __future__ import annotations

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

from perception import host_os
from perception.deadline import Deadline
from perception.detectors.protocol import BatchDetector, Detector, LineReader, Plugin
from perception.errors import DeadlineError, PerceptionError
from perception.types import Detections, Pixels

MAPPED_BYTES = 4 * 2**20
"""Larger blocks are given back as they are freed. After nine dense pages the process had 274 MB with it and 425 MB
without, and took 7 % more time."""


class Image(msgspec.Struct, array_like=True):
    """An image on the wire: (height, width, 3) uint8 BGR, the seconds that are left for it, and the hint of a line that
    a `LineReader` is to read."""

    height: int
    width: int
    data: bytes
    seconds: float
    hint: str = ""


class WorkerJob(msgspec.Struct, array_like=True):
    """Images to process, one after another. Without any: places of images in the last job that have become late."""

    images: list[Image]
    late: list[int] = []


class WorkerResult(msgspec.Struct, array_like=True):
    """Answer for one image: the columns of its detections and what is missing among them, or `failure` with a reason,
    or `late` after the deadline."""

    xyxy: bytes = b""
    score: bytes = b""
    kind: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    detector: str = ""
    failure: str = ""
    late: bool = False
    missing: str = ""


def decode_image(image: Image) -> Pixels:
    return np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3)


def encode_detections(found: Detections) -> WorkerResult:
    xyxy = np.ascontiguousarray(found.xyxy, np.float32).tobytes()
    score = np.ascontiguousarray(found.score, np.float32).tobytes()
    return WorkerResult(xyxy, score, found.kind, found.text, found.label, found.detector, missing=found.missing)


def decode_detections(result: WorkerResult) -> Detections:
    xyxy = np.frombuffer(result.xyxy, np.float32).reshape(-1, 4)
    score = np.frombuffer(result.score, np.float32)
    return Detections(result.detector, xyxy, score, result.kind, result.text, result.label, result.missing)


def report_exception(error: Exception) -> str:
    """Prints a plug-in's exception to standard error, and returns a reason for callers without its message."""
    traceback.print_exception(error)
    return f"it failed with {type(error).__name__}"


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    """Why an image has no answer; an empty reason means that the deadline passed."""

    reason: str = ""


def create_detector(make: Callable[[], Detector]) -> Detector | WorkerFailure:
    """Creates a detector; a failure is then the answer for every image."""
    try:
        return make()
    except PerceptionError as exc:
        return WorkerFailure(str(exc))
    except Exception as exc:  # a plug-in may raise anything; that is its own failure, never the caller's
        return WorkerFailure(report_exception(exc))


def detect_images(
    detector: Detector | WorkerFailure, images: Sequence[Pixels], deadlines: Sequence[Deadline], hints: Sequence[str]
) -> Iterator[Detections | WorkerFailure]:
    """Yields an answer for each image in order. An exception of the detector is the answer for its image.

    Args:
        hints: for each image the hint of the line in it; "" for an image that is to be searched.
    """
    if isinstance(detector, WorkerFailure):
        yield from repeat(detector, len(images))
        return
    done = 0
    batch = _start_batch(detector, images, deadlines, hints)
    if batch is not None:
        try:
            for found in batch:
                yield found if found is not None else WorkerFailure()
                done += 1
        except DeadlineError:
            yield WorkerFailure()
            done += 1
        except Exception as exc:  # a failure on one image is not an answer for the images after it
            yield WorkerFailure(report_exception(exc))
            done += 1
    for pixels, deadline, hint in zip(images[done:], deadlines[done:], hints[done:], strict=True):
        yield WorkerFailure() if deadline.spent() else _detect_one(detector, pixels, deadline, hint)


def _start_batch(
    detector: Detector, images: Sequence[Pixels], deadlines: Sequence[Deadline], hints: Sequence[str]
) -> Iterator[Detections | None] | None:
    """The detector's own batch; None if it has none for these images."""
    if len(images) < 2:
        return None
    if isinstance(detector, LineReader) and all(hints):
        return detector.read_lines(images, hints, deadlines)
    if isinstance(detector, BatchDetector) and not any(hints):
        return detector.detect_all(images, deadlines)
    return None


def _detect_one(detector: Detector, pixels: Pixels, deadline: Deadline, hint: str) -> Detections | WorkerFailure:
    try:
        if isinstance(detector, LineReader) and hint:
            read = next(detector.read_lines([pixels], [hint], [deadline]))
            return read if read is not None else WorkerFailure()
        return detector.detect(pixels, deadline)
    except DeadlineError:
        return WorkerFailure()
    except PerceptionError as exc:
        return WorkerFailure(str(exc))
    except Exception as exc:
        return WorkerFailure(report_exception(exc))


def result_of(found: Detections | WorkerFailure) -> WorkerResult:
    return (
        WorkerResult(failure=found.reason, late=not found.reason)
        if isinstance(found, WorkerFailure)
        else encode_detections(found)
    )


def serve(link: Connection, make: Callable[[], Detector]) -> None:
    """Answers jobs until the other end closes the connection."""
    jobs: queue.SimpleQueue[tuple[list[Image], list[Deadline]]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(link, jobs), daemon=True).start()
    detector = create_detector(make)
    while True:
        images, deadlines = jobs.get()
        hints = [image.hint for image in images]
        for each in detect_images(detector, [decode_image(image) for image in images], deadlines, hints):
            link.send_bytes(msgspec.msgpack.encode(result_of(each)))


def _read(link: Connection, jobs: queue.SimpleQueue[tuple[list[Image], list[Deadline]]]) -> None:
    """Reads jobs in a thread of its own, so that a closed connection, and what has become late, is noticed while a
    detector runs or hangs."""
    decode = msgspec.msgpack.Decoder(WorkerJob).decode
    deadlines: list[Deadline] = []
    try:
        while True:
            job = decode(link.recv_bytes())
            for place in job.late:
                deadlines[place].deadline_s = 0.0
            if job.images:
                deadlines = [Deadline.of(image.seconds) for image in job.images]
                jobs.put((job.images, deadlines))
    except (EOFError, OSError):
        os._exit(0)


def main(argv: list[str]) -> None:
    # Ctrl-C is for the service, which closes the socket when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    host_os.give_memory_back(MAPPED_BYTES)
    number, value = argv
    plugin = EntryPoint("", value, "").load()
    assert isinstance(plugin, Plugin)
    serve(Connection(socket.socket(fileno=int(number)).detach()), plugin.make)


if __name__ == "__main__":
    main(sys.argv[1:])
