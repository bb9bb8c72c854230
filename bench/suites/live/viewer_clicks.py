"""How long a person's click takes through the viewer while pictures flow.

From the browser's message until the page has the event, over the WebSockets of a viewer beside its service.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from contextlib import AsyncExitStack
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from perception.client import AsyncPage

REST_SECONDS = 1.0
"""Before the first click, for the first pictures."""

BETWEEN_SECONDS = 0.05
"""Between clicks: faster than a person, and no flood."""


class ViewerVisitor:
    """A browser of the viewer, as far as its requests go.

    Args:
        url: `http://127.0.0.1:7900`, of a viewer that asks for no login.
        session_id: what is watched.
    """

    def __init__(self, url: str, session_id: str) -> None:
        self._url = url
        self._session_id = session_id
        self._cookie = ""

    def log_in(self) -> None:
        self._cookie = self._post("/api/login", {}).headers["Set-Cookie"].partition(";")[0]

    def take_over(self) -> None:
        self._post(f"/api/sessions/{self._session_id}/control/take", {"seconds": 300})

    def give_back(self) -> None:
        self._post(f"/api/sessions/{self._session_id}/control/release", {"outcome": "done", "note": ""})

    def socket(self, name: str) -> connect:
        """`frames` or `input`."""
        address = f"{self._url.replace('http', 'ws', 1)}/ws/sessions/{self._session_id}/{name}"
        headers = {"Cookie": self._cookie}
        return connect(address, origin=self._url, additional_headers=headers, proxy=None, max_size=None)  # type: ignore[arg-type]

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json", "Origin": self._url, "Cookie": self._cookie}
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            answer.read()
            return answer


async def click_delays(page: AsyncPage, url: str, count: int) -> list[float]:
    """Milliseconds from each click, a press and a release, until the page has both."""
    visitor = ViewerVisitor(url, page.session_id)
    await asyncio.to_thread(visitor.log_in)
    await asyncio.to_thread(visitor.take_over)
    async with AsyncExitStack() as held:
        frames = await held.enter_async_context(visitor.socket("frames"))
        sending = await held.enter_async_context(visitor.socket("input"))
        showing = asyncio.create_task(_show(frames))
        try:
            await sending.send(json.dumps({"hello": True}))
            await sending.recv()
            await asyncio.sleep(REST_SECONDS)
            delays = [await _click(sending, number) for number in range(count)]
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
    await asyncio.to_thread(visitor.give_back)
    return delays


async def _click(sending: ClientConnection, number: int) -> float:
    await asyncio.sleep(BETWEEN_SECONDS)
    start = time.perf_counter()
    for kind in ("down", "up"):
        mouse = {"kind": kind, "x": 30 + number % 600, "y": 20, "button": 0, "count": 1}
        await sending.send(json.dumps({"number": number + 1, "mouse": mouse}))
    for _ in range(2):
        answer = json.loads(await sending.recv())
        assert not answer["error"], answer
    return (time.perf_counter() - start) * 1000


async def _show(frames: ClientConnection) -> None:
    """Acknowledges each picture at once."""
    await frames.send(json.dumps({"tabId": "", "size": [1280, 800]}))
    async for message in frames:
        assert isinstance(message, bytes)
        head = json.loads(message[4 : 4 + int.from_bytes(message[:4], "big")])
        await frames.send(json.dumps({"shown": head["number"]}))
