"""The lab of fault injection: a service in a separate process, a site that counts presses, and all process ids.

Rule 1: the site counts presses of its button. Every acknowledged press must be counted, and no press twice.
Rule 2: after each fault the service must open a session, look and press again without help.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psutil

from perception.bench.pages.local_site import SiteHandler, serve_handler
from perception.browser.chromium.process_memory import process_tree
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.v1 import session_service_pb2 as session_pb

SERVICE_START_SECONDS = 60.0

FAULT_CALL_SECONDS = 30.0

AGAIN_SECONDS = 90.0
"""Time within which a service must work again."""

_COUNTER_PAGE = """<!doctype html><title>Counter</title><h1>Counter</h1><button onclick="press(this)">Press</button>
<input aria-label="Note"><canvas width="300" height="80"></canvas>
<script>
const paper = document.querySelector("canvas").getContext("2d");
paper.font = "28px sans-serif";
paper.fillText("Revenue " + ID, 10, 50);
let count = 0;
const press = (button) => {
  const call = new XMLHttpRequest();
  call.open("POST", "/count?id=" + ID, false);
  call.send();
  button.textContent = "Pressed " + ++count;
};
</script>"""


class _FaultSiteHandler(SiteHandler):
    site: Site

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        asked = parse_qs(where.query)
        if where.path == "/never":
            self.site.stalled.wait(60)
        elif where.path == "/cut":  # half an answer
            self.respond(b"<title>Cut</title>" + b"x" * 1000, Content_Length="10000")
        elif where.path == "/file":
            self.respond(b"x" * int(asked["size"][0]), "application/octet-stream")
        else:
            self.respond(_COUNTER_PAGE.replace("ID", repr(asked.get("id", [""])[0])))

    def do_POST(self) -> None:
        self.site.counted[parse_qs(urlsplit(self.path).query)["id"][0]] += 1
        self.respond(b"")


@dataclass(slots=True)
class Site:
    """The site. `counted`: presses, by the id of the page."""

    counted: Counter[str] = field(default_factory=Counter)
    stalled: threading.Event = field(default_factory=threading.Event)
    url: str = ""


@contextmanager
def serve_site() -> Iterator[Site]:
    site = Site()
    try:
        with serve_handler(type("Handler", (_FaultSiteHandler,), {"site": site})) as site.url:
            yield site
    finally:
        site.stalled.set()


@dataclass(slots=True, eq=False)
class Counted:
    """A page of the site, and the known presses on it."""

    page: AsyncPage
    id: str
    sent: int = 0
    acknowledged: int = 0

    async def press(self, timeout_s: float = FAULT_CALL_SECONDS) -> None:
        self.sent += 1
        await self.page.click("button", timeout_s=timeout_s, skip_diff=True)
        self.acknowledged += 1


@dataclass(slots=True, eq=False)
class FaultLab:
    """One service under test. `folder` contains its temporary files, downloads, data and socket."""

    site: Site
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    pages: list[Counted] = field(default_factory=list)
    process: asyncio.subprocess.Process | None = None
    port: int = 0
    client: AsyncClient | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    async def start(self) -> None:
        """Restarts the service, and connects."""
        self.port = self.port or free_port()
        for name in ("tmp", "data", "downloads"):
            (self.folder / name).mkdir(exist_ok=True)
            (self.folder / name).chmod(0o755)
        command = [sys.executable, "-m", "perception", "serve", "--address", self.address]
        command += ["--allow-host", "127.0.0.1", "--download-dir", str(self.folder / "downloads")]
        environment = {
            **os.environ,
            "TMPDIR": str(self.temporary),
            "PERCEPTION_DATA_DIR": str(self.folder / "data"),
            "PERCEPTION_LOG_LEVEL": "warning",
            "PERCEPTION_DRAIN_S": "5",
            **self.environment,
        }
        with (self.folder / "log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        async with asyncio.timeout(SERVICE_START_SECONDS):
            while self.client is None:
                try:
                    self.client = await aconnect(self.address, timeout_s=FAULT_CALL_SECONDS)
                except RemoteError:
                    if self.process.returncode is not None:
                        raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
                    await asyncio.sleep(0.1)

    async def stop(self, number: int = signal.SIGTERM) -> int:
        """Stops the service; returns its exit code."""
        await self.disconnect()
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)
        return await asyncio.wait_for(self.process.wait(), SERVICE_START_SECONDS)

    async def disconnect(self) -> None:
        if self.client is not None:
            await self.client.close()
            self.client = None

    @property
    def caller(self) -> AsyncClient:
        assert self.client is not None
        return self.client

    async def open(self, **options: Any) -> Counted:
        """A session with a counting page."""
        made = f"p{secrets.token_hex(4)}"
        counted = Counted(await self.caller.open(f"{self.site.url}/?id={made}", **options), made)
        self.pages.append(counted)
        return counted

    async def works_again(self) -> float:
        """Seconds until a new session could be opened, looked at and pressed in.

        Raises:
            TimeoutError: it never could.
        """
        start = time.monotonic()
        async with asyncio.timeout(AGAIN_SECONDS):
            while True:
                try:
                    counted = await self.open()
                    await counted.page.snapshot(mode="text")
                    await counted.press()
                except RemoteError:
                    await asyncio.sleep(0.05)
                else:
                    break
        seconds = time.monotonic() - start
        await counted.page.close()
        return seconds

    async def close_sessions(self) -> None:
        reply = await self.caller.call(self.caller.sessions.ListSessions, session_pb.ListSessionsRequest())
        for session in reply.sessions:
            with contextlib.suppress(RemoteError):
                request = session_pb.CloseSessionRequest(session_id=session.session_id)
                await self.caller.call(self.caller.sessions.CloseSession, request)

    def processes(self, kind: str) -> list[int]:
        """Ids of the service's child processes: `browser`, `renderer`, `gpu-process`, `network`, `zygote`, `crashpad`,
        `driver` (Playwright's), or `detector`."""
        return [pid for pid in process_tree(self.pid)[1:] if kind_of(pid) == kind]

    def wrong_counts(self) -> list[str]:
        """Presses that were lost or done twice, one line each."""
        found = []
        for each in self.pages:
            counted = self.site.counted[each.id]
            if not each.acknowledged <= counted <= each.sent:
                found.append(f"{each.acknowledged} acknowledged, {counted} counted, {each.sent} sent")
        return found


def kind_of(pid: int) -> str:
    """The kind of a process of the service; empty for an unknown one."""
    try:
        line = " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return ""
    if "chrome_crashpad_handler" in line:
        return "crashpad"
    if "--utility-sub-type=network" in line:
        return "network"
    kind = re.search(r" --type=(\S+)", line)
    if kind:
        return kind[1]
    if "--user-data-dir=" in line:  # after those with a type, which have it, too
        return "browser"
    if "perception.detectors.worker" in line:
        return "detector"
    return "driver" if "run-driver" in line else ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def stopped(pids: list[int]) -> AsyncIterator[None]:
    """Stops the processes within the context."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def kill(pids: list[int], number: int = signal.SIGKILL) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
