"""Peers that look at the very tab that a sample is taken of, at the same moment.

Rule 1: a peer's word is kept as it is; what it means is read later (`bench/peers.py`).
Rule 2: a peer gets every benefit. agent-browser is asked over its daemon's own socket, as its command line asks it,
but without that command's fixed 150 ms (0.27.0: `agent-browser snapshot` takes 160 to 190 ms on a page of 25 elements,
the daemon behind it 12 ms).
Rule 3: a peer looks at the document that is there for us, not at the one before: every connection to the browser
hears of a navigation in its own time.
Rule 4: a look leaves the page as it was. Playwright keeps its refs in a world of its own; agent-browser writes
`data-__ab-ci` attributes and takes them away again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from perception.browser.session import Tab
from perception.budget import Budget
from perception.datasets.arrival import BIRTH, arrive
from perception.datasets.sample import DatasetError, PeerView
from perception.errors import DeadlineError, first_line

AGENT_BROWSER_VARIABLE = "PERCEPTION_AGENT_BROWSER"
"""Where agent-browser's program is, if it is not on the PATH."""

LOOK_SECONDS = 15.0
"""A peer's part of the visit. Two looks at 10,000 controls take Playwright 2 s and Chromium's accessibility tree,
which agent-browser asks for, 8 s (Chromium 156)."""

VERSION_SECONDS = 20.0
"""`agent-browser --version` takes 5 ms, through its Node.js launcher 0.2 s; a cold disk takes longer."""

IDLE_MS = 60_000
"""After so long without a question agent-browser's daemon ends by itself, should this process not live to end it."""

POLL_SECONDS = 0.005

ANSWER_BYTES = 256 * 2**20
"""Limit of one answer: a page of 10,000 controls gives 2 MB."""

_SESSION = "perception"


class PeerError(DatasetError):
    """A peer could not look at the page."""


SHORT = " -i -c"
"""What its command line is given for the short list (`--interactive --compact`), and the end of that peer's name."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer that is installed: one way to ask it. `program` is empty for one that needs none."""

    name: str
    version: str
    program: str = ""

    @property
    def short(self) -> bool:
        """Whether it is asked for the short list: of what can be acted on, and headings."""
        return self.name.endswith(SHORT)


@dataclass(frozen=True, slots=True)
class _Found:
    peers: tuple[Peer, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


def installed_peers() -> tuple[Peer, ...]:
    """Those that can look, Playwright first; agent-browser twice: for its whole list, and for its short one."""
    return _find_peers(os.environ.get(AGENT_BROWSER_VARIABLE, ""), os.environ.get("PATH", "")).peers


def missing_peers() -> Mapping[str, str]:
    """By name, why a peer cannot look and what to do about it."""
    return _find_peers(os.environ.get(AGENT_BROWSER_VARIABLE, ""), os.environ.get("PATH", "")).missing


async def witness(peer: Peer, tab: Tab, cdp_endpoint: str, budget: Budget) -> PeerView:
    """A peer's two looks at the page as it stands; the text is that of the second.

    Args:
        cdp_endpoint: `http://host:port` of the browser that the tab is in.

    Raises:
        PeerError: it could not look, or not in its part of the budget.
    """
    own = budget.share(LOOK_SECONDS)
    try:
        birth = await _birth(peer, tab, own)
        if peer.name == "playwright":
            return await _look_twice(peer, lambda: _playwright_look(tab, own))
        async with agent_browser(peer, tab.page.url, birth, cdp_endpoint, own) as daemon:
            return await _look_twice(peer, lambda: daemon.snapshot(own, short=peer.short))
    except DeadlineError as exc:
        raise PeerError(f"{peer.name} took longer than its part of the time: {exc.phase}") from exc


async def _birth(peer: Peer, tab: Tab, budget: Budget) -> object:
    try:
        return await arrive(tab, budget)
    except DatasetError as exc:
        raise PeerError(f"{peer.name} could not look: {exc}") from exc


async def _look_twice(peer: Peer, look: Callable[[], Awaitable[str]]) -> PeerView:
    milliseconds = []
    for _ in range(2):
        start = time.perf_counter()
        text = await look()
        milliseconds.append(round((time.perf_counter() - start) * 1000, 2))
    # Half a surrogate pair, which a page may hold, goes into no file.
    kept = text.encode(errors="replace").decode()
    return PeerView(peer.name, peer.version, kept, (milliseconds[0], milliseconds[1]))


async def _playwright_look(tab: Tab, budget: Budget) -> str:
    try:
        async with budget.phase("taking Playwright's snapshot"):
            return await tab.page.aria_snapshot(mode="ai", boxes=True, timeout=max(1.0, budget.remaining() * 1000))
    except DeadlineError:
        raise
    except Exception as exc:  # Playwright's errors may only be named in perception.browser
        raise PeerError(f"playwright could not look: {first_line(exc)}") from exc


@cache
def _find_peers(given: str, path: str) -> _Found:
    """`given` is the variable's value; `path` only tells one search from another."""
    playwright = Peer("playwright", metadata.version("playwright"))
    program = given or shutil.which("agent-browser", path=path)
    how = f"`npm install agent-browser`, and {AGENT_BROWSER_VARIABLE} set to its program if that is not on the PATH"
    if not program:
        return _Found((playwright,), {"agent-browser": f"not on the PATH: {how}"})
    try:
        reply = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=VERSION_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as exc:
        return _Found((playwright,), {"agent-browser": f"{program} tells no version ({first_line(exc)}): {how}"})
    name, _, version = reply.stdout.strip().partition(" ")
    if name != "agent-browser" or not version:
        return _Found((playwright,), {"agent-browser": f"{program} is another program: {how}"})
    return _Found((playwright, Peer(name, version, program), Peer(name + SHORT, version, program)))


@dataclass(slots=True)
class AgentBrowser:
    """agent-browser's daemon, on a socket of its own: one JSON object a line, question and answer."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, action: str, budget: Budget, **parameters: str | bool) -> Mapping[str, Any]:
        """What an action gives. Raises PeerError where it fails."""
        async with budget.phase(f"agent-browser's {action}"):
            self.writer.write(json.dumps({"id": action, "action": action, **parameters}).encode() + b"\n")
            try:
                await self.writer.drain()
                answer = json.loads(await self.reader.readline())
            except (OSError, ValueError) as exc:  # a line over the limit is a ValueError, too
                raise PeerError(f"agent-browser gave no answer to {action}: {first_line(exc)}") from exc
        if not answer.get("success"):
            raise PeerError(f"agent-browser's {action} failed: {str(answer.get('error')).splitlines()[0]}")
        data = answer.get("data")
        return data if isinstance(data, dict) else {}

    async def snapshot(self, budget: Budget, *, short: bool = False) -> str:
        """Its list of the page, or the short one of `snapshot -i -c`."""
        data = await self.ask("snapshot", budget, interactive=short, compact=short)
        text = data.get("snapshot")
        if not isinstance(text, str):
            raise PeerError("agent-browser's snapshot holds no text: this version speaks another protocol than 0.27's")
        return text

    async def select(self, url: str, birth: object, budget: Budget) -> None:
        """Makes it look at a tab. It names tabs by numbers of its own, so the tab is known by its document's birth.

        Raises:
            PeerError: it lists none that is this tab, or cannot tell two apart.
        """
        listed = (await self.ask("tab_list", budget)).get("tabs", ())
        candidates = [str(each["tabId"]) for each in listed if each["url"] == url]
        found = []
        for candidate in candidates:
            await self.ask("tab_switch", budget, tabId=candidate)
            data = await self.ask("evaluate", budget, script=BIRTH)
            if data.get("result") == birth:
                found.append(candidate)
        if len(found) != 1:
            raise PeerError(
                f"agent-browser cannot be pointed at the tab: {len(found)} of the {len(listed)} tabs it lists are it"
            )
        if found[0] != candidates[-1]:
            await self.ask("tab_switch", budget, tabId=found[0])


@asynccontextmanager
async def agent_browser(
    peer: Peer, url: str, birth: object, cdp_endpoint: str, budget: Budget
) -> AsyncIterator[AgentBrowser]:
    """A daemon of one's own that looks at a tab. It is killed at the end: the browser drops what it held.

    Args:
        url, birth: of the tab's document, the latter as `BIRTH` gives it.
        cdp_endpoint: `http://host:port` of the browser that the tab is in.

    Raises:
        PeerError: it does not start, or finds no such tab.
    """
    with tempfile.TemporaryDirectory(prefix="perception-peer-") as folder:
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": folder,  # no settings of the user's
            "AGENT_BROWSER_SOCKET_DIR": folder,
            "AGENT_BROWSER_SESSION": _SESSION,
            "AGENT_BROWSER_DAEMON": "1",  # as its command line starts it, but as a child that can be waited for
            "AGENT_BROWSER_NO_AUTO_DIALOG": "1",
            "AGENT_BROWSER_IDLE_TIMEOUT_MS": str(IDLE_MS),
        }
        process = await _start(peer.program, environment)
        try:
            daemon = await _connect(process, Path(folder) / f"{_SESSION}.sock", budget)
            try:
                await daemon.ask("launch", budget, cdpUrl=cdp_endpoint)
                await daemon.select(url, birth, budget)
                yield daemon
            finally:
                daemon.writer.close()
        finally:
            # Its Node.js launcher has the program itself as a child: both are in this group.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _start(program: str, environment: Mapping[str, str]) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            program,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except OSError as exc:
        raise PeerError(f"agent-browser does not start: {first_line(exc)}") from exc


async def _connect(process: asyncio.subprocess.Process, socket: Path, budget: Budget) -> AgentBrowser:
    async with budget.phase("agent-browser's start"):
        while process.returncode is None:
            try:
                reader, writer = await asyncio.open_unix_connection(socket, limit=ANSWER_BYTES)
            except (FileNotFoundError, ConnectionRefusedError):  # not yet there, or not yet listening
                await asyncio.sleep(POLL_SECONDS)
            else:
                return AgentBrowser(reader, writer)
    raise PeerError(f"agent-browser ended at its start, with exit status {process.returncode}")
