"""A large download and upload, and the service's memory beside clients that stopped in the middle."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from perception.bench.pages.local_site import SiteHandler, serve_handler
from perception.bench.turns import turns
from perception.client import AsyncClient, AsyncPage, aconnect
from perception.client.child import ServiceChild
from perception.v1 import file_service_pb2 as pb

SLOW_READERS = 30
"""As many as a session may have calls, less two."""

SLOW_SENDERS = 8

SETTLE_SECONDS = 1.0
"""Until gRPC has buffered for a slow client what it buffers."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer: `way` is `download` or `upload`."""

    way: str
    round: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Memory:
    """The service's resident memory in one state, MiB."""

    state: str
    mib: float


@dataclass(frozen=True, slots=True)
class TransfersRun:
    """A run. `mib`: size of the file."""

    mib: int
    transfers: tuple[Transfer, ...]
    memory: tuple[Memory, ...]


def run_transfers(mib: int, rounds: int) -> TransfersRun:
    """Starts a service with room for the files, and measures."""
    os.environ |= {
        "PERCEPTION_MAX_DOWNLOAD_MIB": str(mib + 1),
        "PERCEPTION_MAX_SESSION_DOWNLOADS_MIB": str(mib + 1),
        "PERCEPTION_MAX_SESSION_UPLOADS_MIB": str((rounds + 1) * mib + 100),
    }
    child = ServiceChild.start(allow_hosts=("127.0.0.1",))
    try:
        with serve_handler(_site(mib)) as url, tempfile.TemporaryDirectory() as folder:
            return asyncio.run(_measure(child, url, Path(folder), mib, rounds))
    finally:
        child.stop()


async def _measure(child: ServiceChild, url: str, folder: Path, mib: int, rounds: int) -> TransfersRun:
    service = psutil.Process(child.process.pid)
    async with await aconnect(child.address, timeout_s=120) as client, await client.open(url) as page:
        await page.click("a")
        while not await page.downloads():  # noqa: ASYNC110 - a large one begins late
            await asyncio.sleep(0.05)
        path = await page.save_download(folder / "warm")
        await page.send_file(path)
        memory = [Memory("before", _resident(service))]
        transfers = []
        ways: dict[str, Callable[[], Awaitable[object]]] = {
            "download": lambda: page.save_download(folder / "file"),
            "upload": lambda: page.send_file(path),
        }
        for number, way in turns([*ways], rounds):
            transfers.append(Transfer(way, number + 1, await _seconds(ways[way])))
        memory.append(Memory("after the transfers", _resident(service)))
        memory.append(Memory(f"{SLOW_READERS} readers that stopped", await _beside_readers(client, page, service)))
        memory.append(Memory(f"{SLOW_SENDERS} senders that stopped", await _beside_senders(client, page, service)))
    return TransfersRun(mib, tuple(transfers), tuple(memory))


async def _seconds(transfer: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await transfer()
    return time.perf_counter() - started


async def _beside_readers(client: AsyncClient, page: AsyncPage, service: psutil.Process) -> float:
    request = pb.ReadDownloadRequest(session_id=page.session_id)
    streams = [client.files.ReadDownload(request, timeout=120) for _ in range(SLOW_READERS)]
    for stream in streams:
        await stream.read()
    await asyncio.sleep(SETTLE_SECONDS)
    resident = _resident(service)
    for stream in streams:
        stream.cancel()
    return resident


async def _beside_senders(client: AsyncClient, page: AsyncPage, service: psutil.Process) -> float:
    head = pb.StreamUploadRequest(session_id=page.session_id, name="slow", data=bytes(2**20))

    async def requests() -> AsyncIterator[pb.StreamUploadRequest]:
        yield head
        await asyncio.sleep(60)

    calls = [client.files.StreamUpload(requests(), timeout=120) for _ in range(SLOW_SENDERS)]
    await asyncio.sleep(SETTLE_SECONDS)
    resident = _resident(service)
    for call in calls:
        call.cancel()
    return resident


def _resident(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 2**20


def _site(mib: int) -> type[SiteHandler]:
    class Handler(SiteHandler):
        def do_GET(self) -> None:
            is_file = self.path == "/file"
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream" if is_file else "text/html")
            if is_file:
                self.send_header("Content-Length", str(mib * 2**20))
            self.end_headers()
            for _ in range(mib if is_file else 0):
                self.wfile.write(os.urandom(2**20))
            if not is_file:
                self.wfile.write(b"<a href=/file download=file.bin>Get</a>")

    return Handler
