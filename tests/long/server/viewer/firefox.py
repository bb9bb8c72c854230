"""Debian's Firefox by WebDriver BiDi: Playwright drives only a Firefox of its own."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

START_SECONDS = 60
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def find_firefox() -> str:
    """The program; empty where it is not installed."""
    return shutil.which("firefox-esr") or shutil.which("firefox") or ""


class Firefox:
    """One tab of a Firefox."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)
        self._tab = ""

    async def command(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command and waits for its result. Raises AssertionError for an error."""
        number = next(self._numbers)
        await self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(await self._connection.recv())
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return dict(answer["result"])

    async def begin(self) -> None:
        await self.command("session.new", capabilities={})
        tree = await self.command("browsingContext.getTree")
        self._tab = tree["contexts"][0]["context"]

    async def resize(self, width: int, height: int) -> None:
        await self.command(
            "browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height}
        )

    async def open(self, url: str) -> None:
        await self.command("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    async def evaluate(self, expression: str) -> Any:
        """The JSON value of an expression."""
        reply = await self.command(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert reply["type"] == "success", reply
        return json.loads(reply["result"].get("value", "null"))

    async def until(self, expression: str) -> Any:
        """Waits, at most 60 s, until an expression is true. Returns its value."""
        value = None
        try:
            async with asyncio.timeout(60):
                while not (value := await self.evaluate(expression)):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{expression} stays {value!r} on {await self.text()!r}") from None
        return value

    async def text(self) -> str:
        return str(await self.evaluate("document.body.innerText"))

    async def place(self, selector: str) -> tuple[float, float]:
        """The middle of an element, once it is there."""
        found = f"document.querySelector({json.dumps(selector)})"
        await self.until(f"!!{found}")
        box = await self.evaluate(f"{found}.getBoundingClientRect()")
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    async def move(self, x: float, y: float) -> None:
        await self._point([_move(x, y)])

    async def click(self, x: float, y: float) -> None:
        await self._point([_move(x, y), {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    async def click_on(self, selector: str) -> None:
        await self.click(*await self.place(selector))

    async def type(self, text: str) -> None:
        keys = [{"type": kind, "value": each} for each in text for kind in ("keyDown", "keyUp")]
        await self._perform({"type": "key", "id": "keys", "actions": keys})

    async def _point(self, actions: list[dict[str, Any]]) -> None:
        await self._perform({"type": "pointer", "id": "mouse", "actions": actions})

    async def _perform(self, source: dict[str, Any]) -> None:
        await self.command("input.performActions", context=self._tab, actions=[source])


def _move(x: float, y: float) -> dict[str, Any]:
    return {"type": "pointerMove", "x": round(x), "y": round(y)}


@asynccontextmanager
async def firefox() -> AsyncIterator[Firefox]:
    """A Firefox without windows, with a new profile."""
    with tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True) as folder:
        home = {"HOME": folder, "PATH": "/usr/bin:/bin", "MOZ_HEADLESS": "1", "MOZ_DISABLE_CONTENT_SANDBOX": "1"}
        options = ("--headless", "--no-remote", "--profile", str(Path(folder)), "--remote-debugging-port", "0")
        process = await asyncio.create_subprocess_exec(
            find_firefox(), *options, env=home, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                address = await _address(process)
            async with connect(f"{address}/session", max_size=None, proxy=None) as connection:
                browser = Firefox(connection)
                await browser.begin()
                yield browser
        finally:
            process.terminate()
            await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    said = []
    while line := (await process.stderr.readline()).decode("utf-8", "replace"):
        said.append(line)
        if found := LISTENS.search(line):
            return found[1].rstrip("/")
    raise AssertionError(f"Firefox did not start: {''.join(said)[-500:]}")
