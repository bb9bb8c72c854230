"""The process that talks to Ray: `python -m perception.detectors.ray_serve.client FD`. Started by `RayLink`.

It reads `Ask`s from the socket FD, sends each to its application of Ray Serve, and answers each with an `Answer`.

Rule 1: each ask is answered by its deadline, whatever Ray does: Ray's code that can wait runs in threads.
Rule 2: the process ends when the other end of the socket closes, even while Ray's code hangs.
Rule 3: nothing is written to standard output, which may be a caller's pipe.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from typing import Any

import msgspec

from perception.detectors.detector_queue import BUSY, LATE
from perception.detectors.ray_serve.messages import (
    STARTED,
    WIRE_VERSION,
    Answer,
    Ask,
    ReplicaAnswer,
    application_name,
)
from perception.detectors.ray_serve.serve_cluster import BY_VARIABLE, join_cluster
from perception.detectors.worker import decode_image
from perception.errors import PerceptionError
from perception.ray_cluster.address import RayUnavailableError
from perception.ray_cluster.head import try_cluster
from perception.ray_cluster.joining import JoinLateError

RETRY_SECONDS = 2.0
"""How long a cluster that cannot be joined is not tried again: its reason is the answer meanwhile."""

ANSWER_SHARE, ANSWER_SECONDS = 0.05, 0.2
"""Part of an ask's time, and most of it, that stays for the answer's way back in this machine. A replica answers twice
that before the deadline, so that what it has found by then still counts where processors are busy. Chosen by hand."""

WATCH_SECONDS = 2.0
"""How often Ray's head is tried, by one call of 1 ms. It takes longer to start again."""

GONE = "Ray's head at {} does not answer"


class RayClient:
    """Answers asks. Lives on one event loop.

    Args:
        link: where answers go.
    """

    def __init__(self, link: Connection) -> None:
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._sending = threading.Lock()
        self._joining: asyncio.Task[str] | None = None
        self._refused: tuple[float, str] = (-RETRY_SECONDS, "")
        self._handles: dict[str, Any] = {}
        self._doubted: set[str] = set()
        self._asks: dict[int, asyncio.Task[None]] = {}
        self._gone = False

    def take(self, ask: Ask) -> None:
        """Starts to answer an ask, or cancels one."""
        if ask.images:
            task = self._loop.create_task(self._answer(ask))
            self._asks[ask.id] = task
            task.add_done_callback(lambda _: self._asks.pop(ask.id, None))
        elif (running := self._asks.get(ask.id)) is not None:
            running.cancel()

    def send(self, answer: Answer) -> None:
        with self._sending:
            self._link.send_bytes(msgspec.msgpack.encode(answer))

    async def watch(self) -> None:
        """Tries Ray's head from time to time, so that a late answer can say that it is gone. Ends this process when it
        has come back: a head that was started again has a new cluster, which only a new process joins."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if self._joining is None or not self._joining.done():
                continue
            try:
                await asyncio.to_thread(try_cluster, self._joining.result(), BY_VARIABLE)
            except PerceptionError:
                self._gone = True
            else:
                if self._gone:
                    os._exit(1)

    async def _answer(self, ask: Ask) -> None:
        seconds = ask.images[0].seconds
        spared_s = min(ANSWER_SECONDS, seconds * ANSWER_SHARE)
        ends_s = self._loop.time() + seconds - spared_s
        try:
            async with asyncio.timeout_at(ends_s):
                answer = await self._detect(ask, ends_s - spared_s)
        except asyncio.CancelledError:
            self.send(Answer(ask.id))
            return
        except TimeoutError:
            self._doubted.add(ask.detector)
            answer = Answer(ask.id, failure=self._why_late())
        except PerceptionError as exc:
            answer = Answer(ask.id, failure=str(exc))
        except Exception as exc:  # what Ray or a replica raises is that ask's failure
            self._doubted.add(ask.detector)
            answer = Answer(ask.id, failure=self._reason(exc))
        self.send(answer)

    async def _detect(self, ask: Ask, ends_s: float) -> Answer:
        handle = await self._handle(ask.detector)
        pixels = [decode_image(image) for image in ask.images]
        hints = [image.hint for image in ask.images]
        response = handle.detect.remote(WIRE_VERSION, pixels, hints, ends_s - self._loop.time(), ask.yields)
        try:
            reply = msgspec.msgpack.decode(await response, type=ReplicaAnswer)
        except asyncio.CancelledError:
            response.cancel()
            raise
        return Answer(ask.id, reply.results, reply.failure)

    async def _handle(self, detector: str) -> Any:
        """The handle of an application. Raises RayUnavailableError."""
        head = await self._join()
        if detector not in self._handles or detector in self._doubted:
            from ray import serve
            from ray.serve.exceptions import RayServeException

            try:
                handle = await asyncio.to_thread(serve.get_app_handle, application_name(detector))
            except RayServeException as exc:
                self._handles.pop(detector, None)
                raise RayUnavailableError(
                    f"Ray at {head} has no detector of that name: perception detectors serve {detector} --ray {head}"
                ) from exc
            self._handles.setdefault(detector, handle)
            self._doubted.discard(detector)
        return self._handles[detector]

    async def _join(self) -> str:
        """The address of the head of the cluster, joined. Raises RayUnavailableError."""
        at_s, refusal = self._refused
        if self._loop.time() - at_s < RETRY_SECONDS:
            raise RayUnavailableError(refusal)
        if self._joining is None:
            self._joining = self._loop.create_task(asyncio.to_thread(join_cluster))
        try:
            return await asyncio.shield(self._joining)
        except PerceptionError as exc:
            self._joining, self._refused = None, (self._loop.time(), str(exc))
            if isinstance(exc, JoinLateError):  # the next process starts from nothing
                self._loop.call_later(RETRY_SECONDS, os._exit, 1)
            raise RayUnavailableError(str(exc)) from exc

    def _why_late(self) -> str:
        if self._joining is None or not self._joining.done():
            return f"{LATE} while Ray was being joined"
        return f"{LATE}: {GONE.format(self._joining.result())}" if self._gone else ""

    def _reason(self, error: Exception) -> str:
        from ray.exceptions import RayActorError
        from ray.serve.exceptions import BackPressureError, DeploymentUnavailableError

        if isinstance(error, BackPressureError):
            return f"{BUSY}: its queue on Ray is full"
        if isinstance(error, RayActorError):
            return "its replica on Ray ended before it had answered"
        if isinstance(error, DeploymentUnavailableError):
            return "it cannot run on Ray just now: `perception detectors served` says why"
        traceback.print_exception(error)
        return f"it failed on Ray with {type(error).__name__}"


def _read(link: Connection, loop: asyncio.AbstractEventLoop, client: RayClient) -> None:
    decode = msgspec.msgpack.Decoder(Ask).decode
    try:
        while True:
            loop.call_soon_threadsafe(client.take, decode(link.recv_bytes()))
    except (EOFError, OSError):
        os._exit(0)


async def serve(link: Connection) -> None:
    """Answers asks until the other end closes the connection."""
    client = RayClient(link)
    client.send(Answer(STARTED))
    threading.Thread(target=_read, args=(link, asyncio.get_running_loop(), client), daemon=True).start()
    await client.watch()


def main(argv: list[str]) -> None:
    # Ctrl-C is for the service, which closes the socket when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    (number,) = argv
    asyncio.run(serve(Connection(socket.socket(fileno=int(number)).detach())))


if __name__ == "__main__":
    main(sys.argv[1:])
