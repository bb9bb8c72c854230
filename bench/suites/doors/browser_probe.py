"""Reads an effect in the page past the server that acted: by the browser's own DevTools port.

Playwright MCP starts its browser with a pipe: its configuration adds the port.
"""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil
from websockets.asyncio.client import connect

from perception.bench.mcp_client import McpError

POLL_SECONDS = 0.1

EFFECT_SECONDS = 5.0
"""How long an effect may take to show: none of these pages answers later than after a second."""

MAX_ANSWER_BYTES = 2**20


async def has_effect(url: str, script: str) -> bool:
    """Whether the script is true in the tab that shows the URL, now or soon.

    Raises:
        McpError: no browser of this process's children has such a tab.
    """
    end = time.monotonic() + EFFECT_SECONDS
    while True:
        socket = await asyncio.to_thread(_tab_socket, url)
        if await _evaluate(socket, script) is True:
            return True
        if time.monotonic() > end:
            return False
        await asyncio.sleep(POLL_SECONDS)


def _tab_socket(url: str) -> str:
    """The address of a tab's DevTools."""
    for port in _devtools_ports():
        with urlopen(f"http://127.0.0.1:{port}/json/list", timeout=EFFECT_SECONDS) as reply:
            for tab in json.load(reply):
                if tab["type"] == "page" and tab["url"].split("#")[0] == url.split("#")[0]:
                    return str(tab["webSocketDebuggerUrl"])
    raise McpError(f"no browser shows {url}")


def _devtools_ports() -> list[int]:
    """Those of the browsers that descend from this process."""
    ports = []
    for process in psutil.Process().children(recursive=True):
        try:
            words = process.cmdline()
        except psutil.Error:  # it has ended meanwhile
            continue
        folders = [word.split("=", 1)[1] for word in words if word.startswith("--user-data-dir=")]
        if folders and not any(word.startswith("--type=") for word in words):
            told = Path(folders[0]) / "DevToolsActivePort"
            if told.exists():
                ports.append(int(told.read_text().split()[0]))
    return ports


async def _evaluate(socket: str, script: str) -> Any:
    async with connect(socket, max_size=MAX_ANSWER_BYTES) as link:
        parameters = {"expression": script, "returnByValue": True}
        await link.send(json.dumps({"id": 1, "method": "Runtime.evaluate", "params": parameters}))
        async with asyncio.timeout(EFFECT_SECONDS):
            while True:
                answer = json.loads(await link.recv())
                if answer.get("id") == 1:
                    return answer.get("result", {}).get("result", {}).get("value")
