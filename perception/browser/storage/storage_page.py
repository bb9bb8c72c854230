"""A page in which every address shows an empty document, without any request: there the storage of an origin is read
and written, and nothing of the site runs.

The page is hidden: it is not a tab, for nobody who is connected to the browser, and the tab in front keeps the focus.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpLink, CdpSession, consume
from perception.browser.opening import attach_to_target, await_opened
from perception.deadline import Deadline
from perception.errors import PerceptionError, SessionLostError

_EMPTY = base64.b64encode(b"<!doctype html><title></title>").decode()

_PHASE = "opening a page for the session's state"


class StoragePageError(PerceptionError):
    """An origin's storage that the browser does not give; its callers report it as a note."""


class StoragePage:
    """See `StoragePages.open`."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self._committed: dict[str, asyncio.Future[None]] = {}
        session.on("Fetch.requestPaused", self._answer)
        session.on("Page.frameNavigated", lambda params: self._commit(params["frame"]["loaderId"]))

    async def run(self, origin: str, function: str, options: Any, deadline: Deadline) -> Any:
        """The result of a function of storage.js in an empty document of an origin.

        Raises:
            StoragePageError: the origin cannot be opened, or the function failed.
            DeadlineError
        """
        call = self._session.call
        phase = "opening an origin for its storage"
        try:
            done = await call("Page.navigate", deadline, phase, url=f"{origin}/")
            if "errorText" in done:
                raise StoragePageError(f"the browser does not open it ({done['errorText']})")
            async with deadline.phase(phase):
                await self._commit_of(done["loaderId"])
            script = f"({_script()}).run({json.dumps(origin)}, {json.dumps(function)}, {json.dumps(options)})"
            answer = await call(
                "Runtime.evaluate",
                deadline,
                "reading or writing an origin's storage",
                expression=script,
                awaitPromise=True,
                returnByValue=True,
            )
        except CdpCallError as exc:
            raise StoragePageError(str(exc)) from exc
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"].get("exception", {})
            raise StoragePageError(str(thrown.get("description", "it failed")).splitlines()[0])
        return answer["result"]["value"]

    def _answer(self, params: dict[str, Any]) -> None:
        self._session.start(
            "Fetch.fulfillRequest",
            requestId=params["requestId"],
            responseCode=200,
            responseHeaders=[{"name": "Content-Type", "value": "text/html"}],
            body=_EMPTY,
        ).add_done_callback(consume)

    def _commit_of(self, loader_id: str) -> asyncio.Future[None]:
        return self._committed.setdefault(loader_id, asyncio.get_running_loop().create_future())

    def _commit(self, loader_id: str) -> None:
        if not (commit := self._commit_of(loader_id)).done():
            commit.set_result(None)


class StoragePages:
    """The storage pages of a session, one at a time or several.

    Rule 1: no context is closed before they are: a hidden page outlives its context, and ends the whole browser with
    all other sessions (Chromium 156). A page may open after its caller has gone.
    """

    def __init__(self) -> None:
        self._open: set[asyncio.Future[None]] = set()
        self._is_ended = False

    async def end(self) -> None:
        """Opens none any more, and returns when all are closed."""
        self._is_ended = True
        await self.all_closed()

    async def all_closed(self) -> None:
        """Returns when no page is open, opening or closing."""
        while self._open:
            await asyncio.wait(tuple(self._open))

    @asynccontextmanager
    async def open(self, link: CdpLink, context_id: str, deadline: Deadline) -> AsyncIterator[StoragePage]:
        """A storage page in a browser context, closed at the end.

        Args:
            context_id: the context's BrowserContextID.

        Raises:
            CdpCallError, SessionLostError: the session, its context or the browser is gone.
            DeadlineError
        """
        if self._is_ended:
            raise SessionLostError("the session was closed: create a new one")
        target_id, close = await self._create(link, context_id, deadline)
        try:
            session = await attach_to_target(link.session(), target_id, deadline, _PHASE)
            page = StoragePage(session)
            for method, params in (
                ("Page.enable", {}),
                ("Network.enable", {}),
                ("Network.setBypassServiceWorker", {"bypass": True}),
                ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
            ):
                await session.call(method, deadline, _PHASE, **params)
            yield page
        finally:
            close()

    async def _create(
        self, link: CdpLink, context_id: str, deadline: Deadline
    ) -> tuple[str, Callable[[], asyncio.Future[dict[str, Any]]]]:
        """The id of a new hidden target, and what closes it."""
        life = asyncio.get_running_loop().create_future()
        self._open.add(life)
        life.add_done_callback(self._open.discard)

        def close(target: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
            closing = link.session().start("Target.closeTarget", targetId=target["targetId"])
            closing.add_done_callback(consume)
            closing.add_done_callback(lambda _: life.set_result(None))
            return closing

        creating = link.session().start(
            "Target.createTarget", url="about:blank", browserContextId=context_id, hidden=True
        )
        creating.add_done_callback(lambda done: life.set_result(None) if _failed(done) else None)
        async with deadline.phase(_PHASE):
            target = await await_opened(creating, close)
        return str(target["targetId"]), lambda: close(target)


def _failed(done: asyncio.Future[Any]) -> bool:
    return done.cancelled() or done.exception() is not None


@cache
def _script() -> str:
    return (Path(__file__).parent / "storage.js").read_text("utf-8").strip()
