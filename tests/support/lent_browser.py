"""Services that open their sessions in a browser that runs already: to start one takes three core-seconds.

For tests that say nothing of the browser itself, of its process or of its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from perception.browser.browser_session import BrowserSession, PopupListener, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.deadline import Deadline
from perception.detectors.registry import Registry
from perception.server.app import Service
from perception.server.settings import Settings


class LentBrowser:
    """A running browser for a service that did not start it: when the service ends it, only its sessions end."""

    def __init__(self, host: BrowserHost) -> None:
        self.epoch = 1
        self._host = host
        self._sessions: list[BrowserSession] = []
        self._returned = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    @property
    def alive(self) -> bool:
        return self._host.alive and not self._returned.is_set()

    async def gone(self) -> None:
        waiting = [asyncio.create_task(self._host.gone()), asyncio.create_task(self._returned.wait())]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()

    async def new_session(
        self,
        options: SessionOptions,
        on_tab_closed: Callable[[str], None],
        deadline: Deadline,
        on_popup: PopupListener | None = None,
    ) -> BrowserSession:
        session = await self._host.new_session(options, on_tab_closed, deadline, on_popup)
        self._sessions.append(session)
        return session

    async def close(self) -> None:
        self._returned.set()
        for session in self._sessions:
            if session.alive and not session._is_closing:
                await session.close()


def service_in(host: BrowserHost, settings: Settings, registry: Registry | None = None) -> Service:
    """A service whose sessions are in that browser, unless they ask for a dedicated one.

    By default it has no detectors; it loads no model before one is asked for.
    """
    service = Service(settings, registry or Registry.of())
    browsers = service.context.sessions.browsers

    async def start() -> BrowserHost:
        return browsers._adopt(LentBrowser(host))  # type: ignore[arg-type]

    async def load_nothing() -> None:
        """A service that lives for one test has no use for its models."""

    browsers._start_in_time = start  # type: ignore[method-assign]
    service._warm_up = load_nothing  # type: ignore[method-assign]
    return service


@asynccontextmanager
async def borrowing(owner: Service, settings: Settings) -> AsyncIterator[tuple[Service, int]]:
    """A service that uses the shared browser and the detectors of another one, and its port."""
    owned = await owner.context.sessions.browsers.take_shared(Deadline.of(60))
    service = service_in(owned, settings, owner.context.registry)
    try:
        yield service, await service.start()
    finally:
        await service.stop()
