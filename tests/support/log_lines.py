"""What a service logs, as values."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

from perception.server.telemetry import logs

MARKER = "zebra7Q"
"""In all that a page or a client may hold of others' words; in no line of the log."""


class Stream(io.StringIO):
    """Tells when there is news."""

    def __init__(self) -> None:
        super().__init__()
        self.news = asyncio.Event()

    def write(self, text: str) -> int:
        self.news.set()
        return super().write(text)


class Lines:
    """What was logged so far."""

    def __init__(self) -> None:
        self.stream = Stream()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def of(self, event: str) -> list[dict[str, Any]]:
        return [line for line in map(json.loads, self.text.splitlines()) if line["event"] == event]

    async def call(self, method: str) -> dict[str, Any]:
        """The last one of a method. A call's line is written after its answer was sent: it is waited for."""
        async with asyncio.timeout(10):
            while not (found := [line for line in self.of("rpc") if line["method"].endswith(f"/{method}")]):
                self.stream.news.clear()
                await self.stream.news.wait()
        return found[-1]


@contextmanager
def logged() -> Iterator[Lines]:
    """What is logged meanwhile."""
    root, hook = logging.getLogger(), threading.excepthook
    handlers, before = root.handlers, structlog.get_config()
    lines = Lines()
    logs.set_up("debug", "json", lines.stream)
    yield lines
    structlog.configure(**before)
    root.handlers, threading.excepthook = handlers, hook
