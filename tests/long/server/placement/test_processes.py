"""The commands of docs/scaling.md as processes: clients work unchanged, and workers and edges come and go."""

from __future__ import annotations

import asyncio
import atexit
import os
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, RemoteError, aconnect
from perception.v1 import perception_service_pb2 as perception_pb
from tests.paths import DOCS
from tests.support.processes import in_browser, perception

SCALING = DOCS / "scaling.md"


def held_port() -> int:
    """A port that nobody else is given: it stays bound, and a server that reuses it may listen."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    atexit.register(holder.close)
    return int(holder.getsockname()[1])


class Processes:
    """What the first block of the guide runs, at free ports and in a folder of its own.

    Args:
        ws_url: of the browser that all workers use.
    """

    def __init__(self, folder: Path, ws_url: str) -> None:
        self.folder = folder
        self._environment = in_browser(ws_url)
        self.ports = {each: held_port() for each in ("50051", "50061", "50062")}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        block = re.search(r"^```sh\n(.*?)^```", SCALING.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        assert block is not None
        self.commands = [each for each in block[1].splitlines() if each]

    def run(self, command: str, *more: str) -> subprocess.Popen[bytes]:
        for printed, port in self.ports.items():
            command = command.replace(printed, str(port))
        words = shlex.split(command)[1:]
        folders = {"TMPDIR": str(self.folder), "PERCEPTION_DATA_DIR": str(self.folder / "data")}
        environment = {**os.environ, **folders, **self._environment}
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(perception(*words, *more), cwd=self.folder, env=environment, stderr=log)

    def start(self, printed: str) -> None:
        """The worker of that port."""
        command = next(each for each in self.commands if "worker" in each and printed in each)
        self.running[printed] = self.run(command, "--allow-host", "127.0.0.1", "--max-sessions", "2")

    def start_edge(self, port: int) -> str:
        address = f"127.0.0.1:{port}"
        self.running[address] = self.run(self.commands[-1], "--address", address)
        return address

    def end(self) -> None:
        for each in self.running.values():
            each.kill()
            each.wait()


def ws_url_of(host: BrowserHost) -> str:
    assert host._chromium is not None
    return host._chromium.ws_url


async def client_of(address: str) -> AsyncClient:
    """A client, once the edge reaches a worker."""
    async with asyncio.timeout(60):
        while True:
            try:
                client = await aconnect(address, timeout_s=30)
            except RemoteError:
                await asyncio.sleep(0.1)
                continue
            if await client.is_serving():
                return client
            await client.close()
            await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
def processes(host: BrowserHost) -> Iterator[Processes]:
    # Not in pytest's own folder: that is closed to the unprivileged user whom root runs Chromium as.
    with tempfile.TemporaryDirectory(prefix="perception-test-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        processes = Processes(Path(name), ws_url_of(host))
        assert processes.run(processes.commands[0]).wait() == 0
        for printed in ("50061", "50062"):
            processes.start(printed)
        yield processes
        processes.end()


async def workers_up(client: AsyncClient, count: int) -> None:
    """Waits until the edge reaches so many workers."""
    async with asyncio.timeout(60):
        while list((await client.worker_states()).values()).count("up") != count:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.05)


async def test_clients_use_an_edge_like_a_service(processes: Processes, site: str, tmp_path: Path) -> None:
    client = await client_of(processes.start_edge(processes.ports["50051"]))
    await workers_up(client, 2)
    one = await client.open(f"{site}/html?body=<button onclick='this.textContent=1'>Go</button><input type=file>")
    two = await client.open(f"{site}/html?body=<h1>Two</h1>", profile="shop")
    assert one.session_id[:7] != two.session_id[:7]
    button = next(each for each in (await one.snapshot(mode="MODE_TEXT")).elements if each.name == "Go")
    await one.click(button.ref)
    assert "1" in (await one.snapshot(mode="MODE_TEXT")).text
    with pytest.raises(RemoteError) as caught:  # whichever worker it would be on
        await client.open(profile="shop")
    assert (caught.value.reason, caught.value.session) == ("PROFILE_IN_USE", two.session_id)
    (tmp_path / "big.bin").write_bytes(os.urandom(3 * 2**20))
    assert await one.send_file(tmp_path / "big.bin")
    assert {each.session_id for each in await client.open_sessions()} == {one.session_id, two.session_id}
    for page in (one, two):
        await page.close()
    await client.close()


async def test_an_edge_that_is_killed_takes_no_session_along(processes: Processes, site: str) -> None:
    first, second = (processes.start_edge(held_port()) for _ in range(2))
    one, two = await client_of(first), await client_of(second)
    page = await one.open(f"{site}/html?body=<h1>Here</h1>")
    waiting = asyncio.ensure_future(page.navigate(f"{site}/never"))
    await two.open_sessions()
    processes.running[first].kill()
    with pytest.raises(RemoteError):
        await waiting
    again = await two.attach(page.session_id)
    await again.navigate(f"{site}/html?body=<h1>Still</h1>")
    assert "Still" in (await again.snapshot(mode="MODE_TEXT")).text
    await again.close()
    await one.close()
    await two.close()


async def test_a_worker_that_is_killed_loses_its_sessions_alone(processes: Processes, site: str) -> None:
    client = await client_of(processes.start_edge(held_port()))
    await workers_up(client, 2)
    pages = [await client.open(f"{site}/html?body=<h1>Here</h1>") for _ in range(2)]
    live = [asyncio.ensure_future(each.navigate(f"{site}/never", timeout_s=20)) for each in pages]
    await client.open_sessions()
    processes.running["50062"].kill()
    done, _ = await asyncio.wait(live, timeout=15, return_when=asyncio.FIRST_COMPLETED)
    lost = live.index(done.pop())
    with pytest.raises(RemoteError) as caught:
        await live[lost]
    assert caught.value.reason == "SESSION_LOST"
    with pytest.raises(RemoteError) as caught:
        await pages[lost].snapshot(mode="MODE_TEXT")
    assert caught.value.reason == "SESSION_LOST"
    live[1 - lost].cancel()
    assert pages[1 - lost].session_id in {each.session_id for each in await client.open_sessions()}
    await pages[1 - lost].close()
    processes.running["50062"].wait()
    await workers_up(client, 1)
    processes.start("50062")
    await workers_up(client, 2)
    with pytest.raises(RemoteError) as caught:
        await pages[lost].snapshot(mode="MODE_TEXT")
    assert caught.value.reason == "SESSION_LOST"
    await client.close()


async def test_a_worker_that_is_told_to_end_waits_for_its_last_session(processes: Processes, site: str) -> None:
    client = await client_of(processes.start_edge(held_port()))
    await workers_up(client, 2)
    pages = [await client.open(f"{site}/html?body=<h1>Here</h1>") for _ in range(2)]
    watches = [
        client.perception.WatchSnapshots(
            perception_pb.WatchSnapshotsRequest(
                session_id=each.session_id, options=perception_pb.SnapshotOptions(mode=perception_pb.MODE_TEXT)
            ),
            timeout=60,
        )
        for each in pages
    ]
    for each in watches:
        await each.read()
    leaving = processes.running["50061"]
    told_s = time.time()
    leaving.send_signal(signal.SIGTERM)
    async with asyncio.timeout(30):
        while not any([(await each.state()).HasField("closes_at_ms") for each in pages]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    reason = ""
    async with asyncio.timeout(30):
        while not reason:  # until the slots of the other worker are taken
            try:
                pages.append(await client.open())
            except RemoteError as exc:
                reason = exc.reason
    assert reason == "SESSION_LIMIT"
    assert leaving.poll() is None
    states = [await each.state() for each in pages[:2]]
    assert len({each.worker for each in states}) == 2
    assert all(each.worker.startswith(f"{socket.gethostname()}:") for each in states)
    ending = [each for each in states if each.HasField("closes_at_ms")]
    assert [each.worker.rpartition(":")[2] for each in ending] == [str(processes.ports["50061"])]
    assert told_s + 299 < ending[0].closes_at_ms / 1000 <= time.time() + 300
    for page in pages[:2]:
        await page.navigate(f"{site}/html?body=<h1>Later</h1>")
    for watch in watches:
        while "Later" not in (await watch.read()).snapshot.text:  # of a page that comes
            pass
        watch.cancel()
    for page in pages:
        await page.close()
    assert await asyncio.to_thread(leaving.wait, 30) == 0
    await client.close()
