"""Snapshots of peers (Playwright, agent-browser) of the same tab at the same moment as a sample.

Rule 1: a peer's output is stored unchanged and parsed later (`bench/looks/peer_lists.py`).
Rule 2: a peer is measured at its best. agent-browser is called over its daemon's own socket, as its command line does,
but without that command's fixed 150 ms (0.27.0: `agent-browser snapshot` takes 160 to 190 ms on a page of 25 elements,
the daemon behind it 12 ms).
Rule 3: a peer captures the current document, not the one before: every connection to the browser learns of a navigation
at its own time.
Rule 4: a snapshot does not change the page. Playwright keeps its refs in a world of its own; agent-browser writes
`data-__ab-ci` attributes and removes them again.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
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

from perception import host_os
from perception.browser.browser_session import Tab
from perception.datasets.sample import DatasetError, PeerView
from perception.datasets.sources.arrival import BIRTH, arrive
from perception.deadline import Deadline
from perception.errors import DeadlineError, first_line

AGENT_BROWSER_VARIABLE = "PERCEPTION_AGENT_BROWSER"
"""Variable with the path of agent-browser's program, if it is not on the PATH."""

LOOK_SECONDS = 15.0
"""Time limit of a peer. Two snapshots of 10,000 controls take Playwright 2 s, and Chromium's accessibility tree, which
agent-browser reads, 8 s (Chromium 156)."""

VERSION_SECONDS = 20.0
"""`agent-browser --version` takes 5 ms, through its Node.js launcher 0.2 s; a cold disk takes longer."""

IDLE_MS = 60_000
"""Milliseconds without a request after which agent-browser's daemon ends itself, if this process cannot end it."""

PEER_POLL_SECONDS = 0.005

ANSWER_BYTES = 256 * 2**20
"""Limit of one response: that of a page of 10,000 controls has 2 MB."""

_SESSION = "perception"


class PeerError(DatasetError):
    """A peer could not capture the page."""


PEER_SHORT = " -i -c"
"""Options of agent-browser's command line for the short list (`--interactive --compact`), and suffix of that peer's
name."""


@dataclass(frozen=True, slots=True)
class Peer:
    """An installed peer.

    Attributes:
        name: name with its options.
        version: version of the peer.
        program: path of its program; "" if it needs none.
    """

    name: str
    version: str
    program: str = ""

    @property
    def short(self) -> bool:
        """Whether it returns the short list: controls and headings."""
        return self.name.endswith(PEER_SHORT)


@dataclass(frozen=True, slots=True)
class _Found:
    peers: tuple[Peer, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


def installed_peers() -> tuple[Peer, ...]:
    """The installed peers, Playwright first; agent-browser twice: with its full list and with its short list."""
    return _find_peers(os.environ.get(AGENT_BROWSER_VARIABLE, ""), os.environ.get("PATH", "")).peers


def missing_peers() -> Mapping[str, str]:
    """By name, why a peer cannot be used and how to fix it."""
    return _find_peers(os.environ.get(AGENT_BROWSER_VARIABLE, ""), os.environ.get("PATH", "")).missing


async def witness(peer: Peer, tab: Tab, cdp_endpoint: str, deadline: Deadline) -> PeerView:
    """Takes two snapshots of a page with a peer; the text is that of the second.

    Args:
        peer: the peer.
        tab: the tab.
        cdp_endpoint: `http://host:port` of the tab's browser.
        deadline: limit of the visit; the peer gets at most LOOK_SECONDS of it.

    Raises:
        PeerError: the peer failed, or exceeded its time limit.
    """
    own = deadline.share(LOOK_SECONDS)
    try:
        birth = await _birth(peer, tab, own)
        if peer.name == "playwright":
            return await _look_twice(peer, lambda: _playwright_look(tab, own))
        async with agent_browser(peer, tab.page.url, birth, cdp_endpoint, own) as daemon:
            return await _look_twice(peer, lambda: daemon.snapshot(own, short=peer.short))
    except DeadlineError as exc:
        raise PeerError(f"{peer.name} took longer than its part of the time: {exc.phase}") from exc


async def _birth(peer: Peer, tab: Tab, deadline: Deadline) -> object:
    try:
        return await arrive(tab, deadline)
    except DatasetError as exc:
        raise PeerError(f"{peer.name} could not look: {exc}") from exc


async def _look_twice(peer: Peer, look: Callable[[], Awaitable[str]]) -> PeerView:
    milliseconds = []
    for _ in range(2):
        start = time.perf_counter()
        text = await look()
        milliseconds.append(round((time.perf_counter() - start) * 1000, 2))
    # Lone surrogates, which a page may contain, cannot be written to a file.
    kept = text.encode(errors="replace").decode()
    return PeerView(peer.name, peer.version, kept, (milliseconds[0], milliseconds[1]))


async def _playwright_look(tab: Tab, deadline: Deadline) -> str:
    try:
        async with deadline.phase("taking Playwright's snapshot"):
            return await tab.page.aria_snapshot(mode="ai", boxes=True, timeout=max(1.0, deadline.remaining() * 1000))
    except DeadlineError:
        raise
    except Exception as exc:  # Playwright's errors may only be named in perception.browser
        raise PeerError(f"playwright could not look: {first_line(exc)}") from exc


@cache
def _find_peers(given: str, path: str) -> _Found:
    """Finds peers. `given` is the variable's value; `path` is only a part of the cache key."""
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
        return _Found((playwright,), {"agent-browser": f"{program} reports no version ({first_line(exc)}): {how}"})
    name, _, version = reply.stdout.strip().partition(" ")
    if name != "agent-browser" or not version:
        return _Found((playwright,), {"agent-browser": f"{program} is another program: {how}"})
    return _Found((playwright, Peer(name, version, program), Peer(name + PEER_SHORT, version, program)))


@dataclass(slots=True)
class AgentBrowser:
    """agent-browser's daemon on a socket of its own: requests and responses are one JSON object a line."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, action: str, deadline: Deadline, **parameters: str | bool) -> Mapping[str, Any]:
        """Runs an action and returns its result. Raises PeerError: it fails."""
        async with deadline.phase(f"agent-browser's {action}"):
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

    async def snapshot(self, deadline: Deadline, *, short: bool = False) -> str:
        """Its snapshot of the page, full or short (`snapshot -i -c`)."""
        data = await self.ask("snapshot", deadline, interactive=short, compact=short)
        text = data.get("snapshot")
        if not isinstance(text, str):
            raise PeerError("agent-browser's snapshot holds no text: this version speaks another protocol than 0.27's")
        return text

    async def select(self, url: str, birth: object, deadline: Deadline) -> None:
        """Selects a tab. Its tab numbers are its own, so the tab is identified by its document's BIRTH.

        Raises:
            PeerError: its list has no such tab, or several.
        """
        listed = (await self.ask("tab_list", deadline)).get("tabs", ())
        candidates = [str(each["tabId"]) for each in listed if each["url"] == url]
        found = []
        for candidate in candidates:
            await self.ask("tab_switch", deadline, tabId=candidate)
            data = await self.ask("evaluate", deadline, script=BIRTH)
            if data.get("result") == birth:
                found.append(candidate)
        if len(found) != 1:
            raise PeerError(
                f"agent-browser cannot be pointed at the tab: {len(found)} of the {len(listed)} tabs it lists are it"
            )
        if found[0] != candidates[-1]:
            await self.ask("tab_switch", deadline, tabId=found[0])


@asynccontextmanager
async def agent_browser(
    peer: Peer, url: str, birth: object, cdp_endpoint: str, deadline: Deadline
) -> AsyncIterator[AgentBrowser]:
    """Starts a separate daemon for a tab, and kills it at the end.

    Args:
        url: URL of the tab's document.
        birth: BIRTH of the tab's document.
        cdp_endpoint: `http://host:port` of the tab's browser.

    Raises:
        PeerError: the daemon does not start, or finds no such tab.
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
            daemon = await _connect(process, Path(folder) / f"{_SESSION}.sock", deadline)
            try:
                await daemon.ask("launch", deadline, cdpUrl=cdp_endpoint)
                await daemon.select(url, birth, deadline)
                yield daemon
            finally:
                daemon.writer.close()
        finally:
            # Its Node.js launcher has the program itself as a child: both are in this group.
            host_os.kill_group(process.pid)
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


async def _connect(process: asyncio.subprocess.Process, socket: Path, deadline: Deadline) -> AgentBrowser:
    async with deadline.phase("agent-browser's start"):
        while process.returncode is None:
            try:
                reader, writer = await asyncio.open_unix_connection(socket, limit=ANSWER_BYTES)
            except (FileNotFoundError, ConnectionRefusedError):  # not yet there, or not yet listening
                await asyncio.sleep(PEER_POLL_SECONDS)
            else:
                return AgentBrowser(reader, writer)
    raise PeerError(f"agent-browser ended at its start, with exit status {process.returncode}")
