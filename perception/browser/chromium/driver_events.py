"""What Playwright's driver reports unasked: uncaught errors of pages are limited, and the time that all of it takes.

Playwright 1.65 reports every uncaught error of every page, whether or not anything listens, to the event loop that
serves all sessions. Errors over the limit are skipped where the driver's output is read: messages in JSON, each after
its length in four bytes.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog
from playwright.async_api import BrowserContext, Playwright

from perception.browser.chromium.driver_end import transport_of
from perception.deadline import loop_time

log = structlog.get_logger(__name__)

ERRORS_PER_SECOND = 100
"""Uncaught errors of one context that are read in a second. Chosen by hand."""

_PAGE_ERROR = re.compile(rb'\{"guid":"([^"]{1,80})","method":"pageError"')
"""How the driver's message of an uncaught error begins (Playwright 1.65); the group names the context."""

_HEAD_BYTES = 160
"""As much of a message as that takes."""

_LENGTH_BYTES = 4

_CHUNK_BYTES = 32768


@dataclass(slots=True)
class _Count:
    """Errors of one context: those of the second that began at `since_s`, and those skipped so far."""

    since_s: float
    read: int = 0
    skipped: int = 0


class DriverEvents:
    """What one Playwright driver reports unasked. Made by `watch_driver`.

    Attributes:
        spent_s: processor time that the event loop has spent on the driver's events so far, s.
    """

    def __init__(self, clock: Callable[[], float] = loop_time) -> None:
        self._clock = clock
        self._counts: dict[str, _Count] = {}
        self.spent_s = 0.0

    def errors_skipped(self, context: BrowserContext) -> int:
        """Uncaught errors of a context's pages that were not read so far."""
        count = self._counts.get(_guid(context))
        return count.skipped if count is not None else 0

    def forget(self, context: BrowserContext) -> None:
        """Call when a context is closed."""
        self._counts.pop(_guid(context), None)

    def skips(self, head: bytes) -> bool:
        """Whether a message that begins so is an uncaught error over the limit; counts it."""
        found = _PAGE_ERROR.match(head)
        if found is None:
            return False
        now_s = self._clock()
        count = self._counts.setdefault(found[1].decode(errors="replace"), _Count(now_s))
        if now_s - count.since_s >= 1:
            count.since_s, count.read = now_s, 0
        if count.read >= ERRORS_PER_SECOND:
            count.skipped += 1
            return True
        count.read += 1
        return False


class _KeptOutput:
    """The driver's output without the messages that are skipped. Everything else is the stream's own."""

    def __init__(self, stream: asyncio.StreamReader, skips: Callable[[bytes], bool]) -> None:
        self._stream = stream
        self._skips = skips
        self._head = b""
        self._rest = 0  # bytes of the present message that the stream still has

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def readexactly(self, count: int) -> bytes:
        if not self._head and not self._rest:
            if (
                count != _LENGTH_BYTES
            ):  # the rest of a message whose length was read before this took the stream's place
                return await self._stream.readexactly(count)
            await self._find_message()
        taken, self._head = self._head[:count], self._head[count:]
        if len(taken) < count:
            self._rest -= count - len(taken)
            taken += await self._stream.readexactly(count - len(taken))
        return taken

    async def _find_message(self) -> None:
        while True:
            length = await self._stream.readexactly(_LENGTH_BYTES)
            left = int.from_bytes(length, "little")
            head = await self._stream.readexactly(min(left, _HEAD_BYTES))
            left -= len(head)
            if not self._skips(head):
                self._head, self._rest = length + head, left
                return
            while left:
                left -= len(await self._stream.readexactly(min(left, _CHUNK_BYTES)))


def watch_driver(playwright: Playwright) -> DriverEvents:
    """Limits and times the events of a driver that has started. Where this Playwright keeps its connection elsewhere,
    this is logged, and nothing is limited."""
    events = DriverEvents()
    transport = transport_of(playwright)
    process: Any = getattr(transport, "_proc", None)
    handle = getattr(transport, "on_message", None)
    if not callable(handle) or not isinstance(getattr(process, "stdout", None), asyncio.StreamReader):
        log.warning("uncaught errors of pages are not limited: a page that throws many slows all sessions")
        return events

    def timed(message: Any) -> None:
        start_s = time.thread_time()
        try:
            handle(message)
        finally:
            if "id" not in message:
                events.spent_s += time.thread_time() - start_s

    process.stdout = _KeptOutput(process.stdout, events.skips)
    transport.on_message = timed
    return events


def _guid(context: BrowserContext) -> str:
    return str(getattr(getattr(context, "_impl_obj", None), "_guid", ""))
