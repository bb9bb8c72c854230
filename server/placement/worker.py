"""A worker: what it tells edges, and how it ends without cutting sessions off."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import grpc
import msgspec
import structlog

from perception.client.access import CLOSES_BY_KEY
from perception.errors import BadInputError
from perception.server.auth.session_ids import worker_number
from perception.server.placement.figures import read_figures
from perception.server.placement.local import LocalPlacement
from perception.server.placement.request_turns import RequestTurns
from perception.server.placement.worker_status import (
    DRAIN,
    FIGURES,
    FIND,
    HEARTBEAT_SECONDS,
    HOLD,
    RARE_HEARTBEAT_SECONDS,
    SERVICE,
    WATCH,
    Asked,
    DrainAsked,
    Found,
    Held,
    Wanted,
    WatchAsked,
    WorkerStatus,
)

log = structlog.get_logger(__name__)

LAST_WORD_SECONDS = 0.2
"""For edges to read that the worker ends."""


class Worker:
    """One worker, as edges see it.

    Args:
        placement: its slots.
        browsers: returns the share of their memory that is taken, and the age of the shared one.
        has_request: whether a principal's request id has opened a session that is open here.
        grace_s: how long sessions may go on after the worker was told to end.
        requests: returns the principals and ids of all requests that `has_request` knows; None where nobody lists
            them: edges ask, then.
        folder: id of its data folder.

    Attributes:
        turns: those that it gives to edges.
        asked_to_end: set when an edge or an operator has told it to end.
    """

    def __init__(
        self,
        placement: LocalPlacement,
        browsers: Callable[[], tuple[float, float | None]],
        has_request: Callable[[str, str], bool],
        grace_s: float,
        requests: Callable[[], Iterable[tuple[str, str]]] | None = None,
        folder: str = "",
    ) -> None:
        self._placement = placement
        self._browsers = browsers
        self._has_request = has_request
        self._grace_s = grace_s
        self._requests = requests
        self._folder = folder
        self.turns = RequestTurns()
        self._ended = asyncio.Event()
        self._listeners: set[asyncio.Event] = set()
        self._hurried = asyncio.Event()
        self.asked_to_end = asyncio.Event()
        placement.when_changed(self._say_news)

    @property
    def status(self) -> WorkerStatus:
        memory_share, browser_age_s = self._browsers()
        return WorkerStatus(
            name=self._placement.worker,
            number=worker_number(self._placement.worker),
            epoch=self._placement.epoch,
            slots=self._placement.slots,
            taken=self._placement.taken,
            memory_share=round(memory_share, 2),
            browser_age_s=browser_age_s,
            closes_by_s=self._placement.closes_by_s,
            ended=self._ended.is_set(),
            requests=None if self._requests is None else tuple(Wanted(*each).digest for each in self._requests()),
            folder=self._folder,
        )

    @property
    def notice(self) -> Sequence[tuple[str, str]]:
        """What answers to its sessions say of its end, as trailing metadata."""
        closes_by_s = self._placement.closes_by_s
        return () if closes_by_s is None else ((CLOSES_BY_KEY, f"{closes_by_s:.0f}"),)

    @property
    def handlers(self) -> grpc.GenericRpcHandler:
        """The rpcs between edges and workers."""
        rpcs: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            WATCH.rpartition("/")[2]: grpc.unary_stream_rpc_method_handler(self._watch),
            FIND.rpartition("/")[2]: grpc.unary_unary_rpc_method_handler(self._find),
            HOLD.rpartition("/")[2]: grpc.stream_stream_rpc_method_handler(self._hold),
            FIGURES.rpartition("/")[2]: grpc.unary_unary_rpc_method_handler(self._figures),
            DRAIN.rpartition("/")[2]: grpc.unary_unary_rpc_method_handler(self._drain),
        }
        return grpc.method_handlers_generic_handler(SERVICE, rpcs)

    async def drain(self) -> None:
        """Takes no more sessions, and returns when the last one has ended, the grace is over, or `hurry` was called."""
        self._placement.drain()
        if self._placement.closes_by_s is None:
            self._placement.closes_by_s = time.time() + self._grace_s
        log.info("draining", sessions=self._placement.taken, grace_s=self._grace_s)
        self._say_news()
        hurried = asyncio.create_task(self._hurried.wait())
        empty = asyncio.create_task(self._until_empty())
        try:
            await asyncio.wait((hurried, empty), timeout=self._grace_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hurried.cancel()
            empty.cancel()
            await asyncio.gather(hurried, empty, return_exceptions=True)
        log.info("drained", sessions_left=self._placement.taken)

    def hurry(self) -> None:
        """Ends the drain."""
        self._hurried.set()

    async def announce_end(self) -> None:
        """Tells edges that this worker ends now: its sessions are lost then, and nobody waits for it."""
        self._placement.drain()
        self._placement.closes_by_s = self._placement.closes_by_s or time.time()
        self._ended.set()
        self._say_news()
        await asyncio.sleep(LAST_WORD_SECONDS)

    def _say_news(self) -> None:
        for news in self._listeners:
            news.set()

    @contextlib.contextmanager
    def _listening(self) -> Iterator[asyncio.Event]:
        """An event that is set with each change of the status."""
        news = asyncio.Event()
        self._listeners.add(news)
        try:
            yield news
        finally:
            self._listeners.discard(news)

    async def _until_empty(self) -> None:
        with self._listening() as news:
            while self._placement.taken:
                news.clear()
                await news.wait()

    async def _watch(self, request: bytes, _: Any) -> AsyncIterator[bytes]:
        asked = _read(request, WatchAsked) if request else None
        heartbeat_s = min(RARE_HEARTBEAT_SECONDS, max(HEARTBEAT_SECONDS, asked.heartbeat_s if asked else 0.0))
        said: WorkerStatus | None = None
        with self._listening() as news:
            while True:
                news.clear()
                status = self.status
                is_news = asked is None or said is None or _differ(status, said)
                yield msgspec.json.encode(status) if is_news else b""
                said = status
                if self._ended.is_set():
                    return
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(heartbeat_s):
                        await news.wait()

    async def _find(self, request: bytes, _: Any) -> bytes:
        wanted = _read(request, Wanted)
        return msgspec.json.encode(Found(self._has_request(wanted.principal, wanted.request_id)))

    async def _hold(self, requests: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        key = _read(await anext(requests), Wanted).key
        yield b""
        async with self.turns.turn(key):
            yield msgspec.json.encode(Held(self.turns.asked(key)))
            async for each in requests:
                self.turns.note(key, _read(each, Asked).worker)

    async def _figures(self, _: bytes, __: Any) -> bytes:
        return msgspec.json.encode(read_figures())

    async def _drain(self, request: bytes, _: Any) -> bytes:
        asked = _read(request, DrainAsked)
        if asked.grace_s is not None:
            self._grace_s = max(0.0, asked.grace_s)
        self.asked_to_end.set()
        return msgspec.json.encode(self.status)


def _differ(now: WorkerStatus, before: WorkerStatus) -> bool:
    """Whether a status says more than that its browser has grown older."""
    age_s, earlier_s = now.browser_age_s, before.browser_age_s
    if age_s is None or earlier_s is None or age_s < earlier_s:
        return now != before
    return now != msgspec.structs.replace(before, browser_age_s=age_s)


Message = TypeVar("Message")


def _read(data: bytes, kind: type[Message]) -> Message:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.MsgspecError as exc:
        raise BadInputError(
            "the message is not one that a worker takes: edge and worker are of different versions"
        ) from exc
