"""The open tabs of a running browser, read without attaching to any of them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from perception.errors import BrowserUnavailableError

MAX_TABS = 200
"""Tabs that are listed. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class UserTab:
    """A tab of the user's browser."""

    target_id: str
    url: str
    title: str


async def read_tabs(endpoint: str, left_s: float) -> list[UserTab]:
    """The open pages of a browser, without touching them.

    Raises:
        BrowserUnavailableError: no browser answers there.
    """
    try:
        async with asyncio.timeout(left_s), connect(endpoint, max_size=2**24, proxy=None) as socket:
            await socket.send(json.dumps({"id": 1, "method": "Target.getTargets"}))
            while (reply := json.loads(await socket.recv())).get("id") != 1:
                pass
    except (OSError, TimeoutError, ValueError, WebSocketException) as exc:
        raise BrowserUnavailableError(
            f"no browser answers at {endpoint[:100]}: give its ws:// address, as its DevToolsActivePort file has it"
        ) from exc
    pages: list[dict[str, Any]] = reply.get("result", {}).get("targetInfos", [])
    tabs = [UserTab(each["targetId"], each["url"], each["title"]) for each in pages if each["type"] == "page"]
    return [each for each in tabs if each.url.startswith(("http:", "https:", "about:blank"))][:MAX_TABS]
