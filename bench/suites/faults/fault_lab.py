"""The lab of fault injection: a service in a separate process, a site that counts presses, and all process ids.

Rule 1: the site counts presses of its button. Every acknowledged press must be counted, and no press twice.
Rule 2: after each fault the service must open a session, look and press again without help.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler
from perception.bench.suites.faults.processes import PerceptionProcess, kind_of
from perception.browser.chromium.process_memory import process_tree
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.datasets.sources.site_server import free_port
from perception.v1 import session_service_pb2 as session_pb

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
    run: PerceptionProcess | None = None
    port: int = 0
    client: AsyncClient | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def process(self) -> PerceptionProcess:
        assert self.run is not None
        return self.run

    @property
    def pid(self) -> int:
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
        words = ["serve", "--address", self.address, "--allow-host", "127.0.0.1"]
        words += ["--download-dir", str(self.folder / "downloads")]
        environment = {
            "TMPDIR": str(self.temporary),
            "PERCEPTION_DATA_DIR": str(self.folder / "data"),
            "PERCEPTION_DRAIN_S": "5",
            **self.environment,
        }
        self.run = PerceptionProcess(words, self.folder, environment)
        await self.run.start()
        self.client = await self.run.connect(self.address, FAULT_CALL_SECONDS)

    async def stop(self, number: int = signal.SIGTERM) -> int:
        """Stops the service; returns its exit code."""
        await self.disconnect()
        self.process.signal(number)
        return await self.process.wait()

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
