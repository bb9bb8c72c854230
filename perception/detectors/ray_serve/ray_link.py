"""The service's end of the client process, which talks to Ray.

Rule 1: no caller waits for a socket, a process or Ray: threads send and receive, callers wait for their deadline.
Rule 2: a client that says nothing about an ask well after its deadline is killed; the next ask starts another.
"""

from __future__ import annotations

import itertools
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

import msgspec
import numpy as np

from perception.deadline import Deadline
from perception.detectors.detector_queue import BUSY
from perception.detectors.ray_serve.messages import STARTED, Answer, Ask, client_environment
from perception.detectors.worker import Image
from perception.types import Pixels

MAX_ASKS = 256
"""Asks of one service that wait at once, 3 MB of pixels each: more than its calls (`max_calls`, 128) make."""

RESTART_SECONDS = 1.0
"""Least time between two starts of a client, which take 1.5 s of a processor each."""

START_SECONDS = 30.0
"""How long a new client may take to say that it runs: 0.2 s when the machine is idle."""

TOO_MANY = f"{BUSY}: {MAX_ASKS} calls of this service wait for Ray"
ENDED = "the process that talks to Ray ended before it had answered"


@dataclass(slots=True)
class _Pending:
    """An ask without an answer. `client` is the number of the process that it was sent to; 0: not sent yet."""

    images: Sequence[tuple[Pixels, str]]
    detector: str
    deadline: Deadline
    yields: bool
    answered: Callable[[Answer], None]
    client: int = 0


class RayLink:
    """One client process for all detectors that a pool runs on Ray. It is started by the first ask. Thread-safe."""

    def __init__(self, command: Sequence[str] = ("-m", "perception.detectors.ray_serve.client")) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._outgoing: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._ids = itertools.count(STARTED + 1)
        self._client = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: Connection | None = None
        self._started_s = 0.0
        self._speaks = False
        self._closed = False
        self._thread = threading.Thread(target=self._send_all, name="detectors-on-ray", daemon=True)
        self._thread.start()

    def ask(
        self,
        detector: str,
        images: Sequence[tuple[Pixels, str]],
        deadline: Deadline,
        answered: Callable[[Answer], None],
        *,
        yields: bool = False,
    ) -> int:
        """Sends images, each with its hint; never waits. `answered` is called once, in a thread of the link."""
        number = next(self._ids)
        with self._lock:
            refused = ENDED if self._closed else TOO_MANY if len(self._pending) >= MAX_ASKS else ""
            if not refused:
                self._pending[number] = _Pending(images, detector, deadline, yields, answered)
        if refused:
            answered(Answer(number, failure=refused))
        else:
            self._outgoing.put(number)
        return number

    def drop(self, number: int) -> None:
        """Nobody waits for this answer any more: what it asked for is cancelled, also on Ray. Never waits."""
        with self._lock:
            pending = self._pending.get(number)
            if pending is not None and not pending.client:
                del self._pending[number]  # it has not been sent
                return
        if pending is not None:
            self._outgoing.put(-number)

    def kill_if_silent(self, number: int) -> None:
        """Kills a client that has not answered this ask. For a time after the ask's deadline."""
        with self._lock:
            pending = self._pending.get(number)
            starting = not self._speaks and time.monotonic() - self._started_s < START_SECONDS
            if pending is not None and pending.client == self._client and self._process is not None and not starting:
                self._process.kill()

    def close(self) -> None:
        """Ends the process and answers what is pending. Does nothing the second time."""
        with self._lock:
            self._closed = True
            process = self._process
        self._outgoing.put(None)
        if process is not None:
            process.kill()
            process.wait()
        self._fail(lambda _: True)

    @property
    def pid(self) -> int:
        """The client process's id; 0 while there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else 0

    def _send_all(self) -> None:
        while (number := self._outgoing.get()) is not None:
            try:
                self._send(number)
            except OSError:
                self._fail(lambda pending: pending.client == self._client)

    def _send(self, number: int) -> None:
        with self._lock:
            link, pending = self._socket, self._pending.get(abs(number))
        if pending is None:
            return
        if number < 0:
            if link is not None:
                link.send_bytes(msgspec.msgpack.encode(Ask(-number)))
            return
        link = link or self._start()
        if link is None:
            self._fail(lambda pending: not pending.client)
            return
        pending.client = self._client
        images = [_image(pixels, hint, pending.deadline) for pixels, hint in pending.images]
        ask = Ask(number, pending.detector, images, pending.yields)
        link.send_bytes(msgspec.msgpack.encode(ask))

    def _start(self) -> Connection | None:
        """Starts a client; None if the last one was started just now."""
        if self._client and time.monotonic() - self._started_s < RESTART_SECONDS:
            return None
        ours, theirs = socket.socketpair()
        with theirs:
            # As for a detector's own process: its standard output must not be a caller's pipe.
            process = subprocess.Popen(
                [sys.executable, *self._command, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=client_environment(os.environ),
            )
        connection = Connection(ours.detach())
        with self._lock:
            self._client += 1
            self._process, self._socket = process, connection
            self._started_s, self._speaks = time.monotonic(), False
            if self._closed:
                process.kill()
        receiver = threading.Thread(target=self._receive, args=(self._client, process, connection), daemon=True)
        receiver.start()
        return connection

    def _receive(self, client: int, process: subprocess.Popen[bytes], connection: Connection) -> None:
        decode = msgspec.msgpack.Decoder(Answer).decode
        try:
            while True:
                self._take(decode(connection.recv_bytes()))
        except (EOFError, OSError):
            pass
        process.kill()
        process.wait()
        with self._lock:
            if self._client == client:
                self._socket = self._process = None
        self._fail(lambda pending: pending.client == client)

    def _take(self, answer: Answer) -> None:
        with self._lock:
            self._speaks = True
            pending = self._pending.pop(answer.id, None)
        if pending is not None:
            pending.answered(answer)

    def _fail(self, is_meant: Callable[[_Pending], bool]) -> None:
        with self._lock:
            lost = {number: each for number, each in self._pending.items() if is_meant(each)}
            for number in lost:
                del self._pending[number]
        for number, each in lost.items():
            each.answered(Answer(number, failure=ENDED))


def _image(pixels: Pixels, hint: str, deadline: Deadline) -> Image:
    height, width = pixels.shape[:2]
    return Image(height, width, np.ascontiguousarray(pixels).tobytes(), deadline.remaining(), hint)
