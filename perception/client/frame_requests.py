"""The messages of a watcher of frames: what is watched, then that each picture was shown."""

from __future__ import annotations

import asyncio
from queue import SimpleQueue

from perception.v1 import live_service_pb2 as pb


class FrameRequests:
    """Messages for gRPC, which reads them as an iterator; its asyncio form as an asynchronous one."""

    def __init__(self, first: pb.WatchFramesRequest) -> None:
        self._queue: SimpleQueue[pb.WatchFramesRequest | None] = SimpleQueue()
        self._news: asyncio.Event | None = None
        self._put(first)

    def acknowledge(self, number: int) -> None:
        """Has the next picture sent."""
        self._put(pb.WatchFramesRequest(acknowledged=number))

    def close(self) -> None:
        """Ends the messages."""
        self._put(None)

    def _put(self, request: pb.WatchFramesRequest | None) -> None:
        self._queue.put(request)
        if self._news is not None:
            self._news.set()

    def __iter__(self) -> FrameRequests:
        return self

    def __next__(self) -> pb.WatchFramesRequest:
        request = self._queue.get()
        if request is None:
            raise StopIteration
        return request

    def __aiter__(self) -> FrameRequests:
        return self

    async def __anext__(self) -> pb.WatchFramesRequest:
        self._news = self._news or asyncio.Event()
        while self._queue.empty():
            self._news.clear()
            await self._news.wait()
        request = self._queue.get()
        if request is None:
            raise StopAsyncIteration
        return request
