"""The service as a process: it starts, answers, drains, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import grpc
import psutil
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import perception
from perception.bench.pages.local_site import serve_handler
from perception.browser.chromium.leftovers import is_listened_to
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.process import HARD_END
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import session_service_pb2 as session_pb
from tests.support.inbox_app import serve_inbox
from tests.support.live import Show
from tests.support.processes import children_with, perception_anew
from tests.support.processes import perception as perception_forked
from tests.support.waiting import again_and_again, until

LIGHT = {"PERCEPTION_DETECTORS": "controls"}
"""The service loads one small model at its start: nothing here is looked at by vision."""


def chromiums_in(folder: Path) -> list[psutil.Process]:
    """Processes of browsers whose files are in a temporary folder."""
    own = f"--user-data-dir={folder}"
    every = psutil.process_iter(["cmdline"])
    return [each for each in every if any(own in part for part in each.info["cmdline"] or ())]


class Process:
    """`perception serve` in a process of its own.

    Attributes:
        folder: its temporary folder.
        lost: how many of its browsers the tests have ended.
    """

    def __init__(
        self, folder: Path, address: Path | None = None, command: Callable[..., list[str]] = perception_forked
    ) -> None:
        socket = address or folder / "socket"
        self.address = f"unix:{socket}"
        # It drains for as long as a busy machine may need: no test waits for the end of that.
        environment = {**os.environ, **LIGHT, "TMPDIR": str(folder), "PERCEPTION_DRAIN_S": "60"}
        self.popen = subprocess.Popen(
            command("serve", "--address", self.address, "--allow-host", "127.0.0.1"),
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.folder = folder
        self.lost = 0
        while not is_listened_to(socket):
            assert self.popen.poll() is None, "the service did not start"
            time.sleep(0.02)

    def end(self, number: int = signal.SIGKILL) -> int:
        """Ends it; its exit code."""
        self.popen.send_signal(number)
        if self.popen.stderr is not None and not self.popen.stderr.closed:
            self.popen.communicate()
        return self.popen.wait()

    def chromiums(self) -> list[psutil.Process]:
        return chromiums_in(self.folder)

    def left(self) -> list[str]:
        """Files and folders of the service and of its browsers."""
        return [name for name in os.listdir(self.folder) if name.startswith(("perception-", "org.", "playwright-"))]


@contextlib.contextmanager
def running(command: Callable[..., list[str]] = perception_forked) -> Iterator[Process]:
    # Not in pytest's own folder: that is closed to the unprivileged user whom root runs Chromium as.
    with tempfile.TemporaryDirectory(prefix="perception-test-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        process = Process(folder, command=command)
        yield process
        process.end()


@pytest.fixture(scope="module")
def processes() -> Iterator[Callable[[], Process]]:
    """The running process; a new one where a test has ended it. Each takes seconds, with its browser."""
    with contextlib.ExitStack() as stack:
        started: list[Process] = []

        def take() -> Process:
            if not started or started[-1].popen.poll() is not None:
                started.append(stack.enter_context(running()))
            return started[-1]

        yield take


@pytest.fixture
def process(processes: Callable[[], Process]) -> Process:
    return processes()


@contextlib.contextmanager
def held_page() -> Iterator[tuple[str, threading.Event, threading.Event]]:
    """A page that comes when the second event is set; the first one is set when it was asked for."""
    asked, go_on = threading.Event(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            go_on.wait(60)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>Held</title>")

        def log_message(self, *_: object) -> None:
            pass

    with serve_handler(Handler) as url:
        try:
            yield f"{url}/", asked, go_on
        finally:
            go_on.set()


async def gone(processes: list[psutil.Process]) -> bool:
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, timeout=30)
    return not alive


def temporary_folder(process: Process) -> Path:
    """The folder for sockets of its browser: the name of the browser's own is too long for them."""
    (browser,) = [
        each for each in process.chromiums() if not any(part.startswith("--type=") for part in each.cmdline())
    ]
    return Path(browser.environ()["TMPDIR"])


async def begins_to_end(client: AsyncClient) -> None:
    async with asyncio.timeout(30):
        while await client.is_serving():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@dataclass(frozen=True)
class Killed:
    """A service that was killed while it had a browser, and what it left.

    Attributes:
        chromiums: its browser's processes.
        folder: its browser's folder.
        short: its browser's folder for sockets.
        survivor: a process that uses the browser's folder and did not end with the service.
    """

    process: Process
    chromiums: list[psutil.Process]
    folder: Path
    short: Path
    survivor: subprocess.Popen[bytes]


@pytest.fixture(scope="module")
async def killed(site: str) -> AsyncIterator[Killed]:
    with running(perception_anew) as process:
        client = await aconnect(process.address, timeout_s=60)
        await client.open(f"{site}/inner.html")
        (folder,) = process.folder.glob("perception-chromium-*")
        short = temporary_folder(process)
        assert folder not in short.parents
        assert any(name.startswith("org.chromium.") for name in os.listdir(short))
        chromiums = process.chromiums()
        # What a Chromium that outlives its service looks like: the folder is in its command line.
        command = [sys.executable, "-c", "input()", f"--user-data-dir={folder}/own/profile"]
        survivor = await asyncio.to_thread(subprocess.Popen, command, stdin=subprocess.PIPE)
        process.end()
        await client.close()
        yield Killed(process, chromiums, folder, short, survivor)
        survivor.communicate()


async def test_sigkill_takes_chromium_along(killed: Killed) -> None:
    assert killed.chromiums
    assert await gone(killed.chromiums)


async def test_what_a_killed_service_left_is_gone_after_the_next_start(killed: Killed) -> None:
    assert killed.folder.exists()
    (killed.process.folder / "socket").unlink()
    again = Process(killed.process.folder)
    try:
        assert await asyncio.to_thread(killed.survivor.wait, 30) == -signal.SIGKILL
        # Another service that starts meanwhile removes what lies beside its own folders: ours leaves that to it.
        await until(lambda: not killed.folder.exists() and not killed.short.parent.exists())
    finally:
        again.end(signal.SIGTERM)
    assert not again.left()


async def test_a_browser_that_dies_loses_only_its_sessions_and_ends_their_scripts(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    with serve_inbox() as app:
        app.pages["/"] = "<title>Scripts</title>"
        scripted = await client.open(app.url, allow_evaluate=True)
        under_way = asyncio.ensure_future(
            scripted.evaluate("fetch('/begun').then(() => new Promise(() => {}))", await_promise=True)
        )
        await until(lambda: "GET /begun" in app.asked)
    for chromium in process.chromiums():
        with contextlib.suppress(psutil.NoSuchProcess):  # it went with its parent
            chromium.kill()
    process.lost += 1
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(mode="MODE_TEXT")
    assert caught.value.reason == "SESSION_LOST"
    with pytest.raises(RemoteError) as caught:
        await under_way
    assert caught.value.reason == "SESSION_LOST"
    again = await client.open(f"{site}/inner.html")
    assert (await again.snapshot(mode="MODE_TEXT")).title == "Inner"
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(mode="MODE_TEXT")
    assert caught.value.reason == "SESSION_LOST"
    await again.close()
    await client.close()


async def test_a_client_without_an_address_starts_a_service_and_ends_it(
    site: str, monkeypatch: pytest.MonkeyPatch, quick_services: dict[str, str]
) -> None:
    for name, value in (LIGHT | quick_services).items():
        monkeypatch.setenv(name, value)
    client = await aconnect(allow_hosts=["127.0.0.1"])
    page = await client.open(f"{site}/canvas.html")
    assert "Toolbar" in (await page.snapshot(mode="MODE_TEXT")).text
    child = client._child
    assert child is not None
    await client.close()
    assert child.process.returncode == 0
    assert not child.folder.exists()


async def test_the_blocking_client_does_the_main_job(service: Service, site: str) -> None:
    def work() -> None:
        address = service.context.settings.address
        with perception.connect(address) as client, client.open(f"{site}/form.html") as page:
            save = next(each for each in page.snapshot(mode="MODE_TEXT").elements if each.name == "Save")
            page.click(save.ref)
            page.type_text("[name=email]", "x@y.z", clear=True)
            page.press("Tab")
            page.scroll(100)
            snapshot = page.snapshot(mode="MODE_TEXT")
            assert snapshot.title == "saved"
            assert any(each.value == "x@y.z" for each in snapshot.elements)
            with pytest.raises(RemoteError) as caught:
                page.click("e9999")
            assert caught.value.reason == "UNKNOWN_REF"
            page.navigate(f"{site}/inner.html")
            assert page.back().title == "saved"
            assert page.forward().title == "Inner"
            assert page.reload().title == "Inner"
            assert page.screenshot().startswith(b"\x89PNG")
            (tab,) = page.tabs()
            assert page.select_tab(tab.tab_id).selected
            (left,) = page.close_tab()
            assert left.url == "about:blank"

    await asyncio.to_thread(work)


async def test_reflection_shows_the_whole_contract(service: Service) -> None:
    def look() -> list[str]:
        with grpc.insecure_channel(service.context.settings.address) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            names = list(database.get_services())
            described = DescriptorPool(database).FindServiceByName("perception.v1.ActionService")
            assert "Evaluate" in described.methods_by_name
            return names

    names = await asyncio.to_thread(look)
    assert {"perception.v1.PerceptionService", "perception.v1.SubroutineService", "grpc.health.v1.Health"} <= set(names)


async def test_messages_up_to_16_mib_pass_and_larger_ones_are_refused(client: AsyncClient) -> None:
    from perception.v1 import detection_service_pb2 as detection_pb

    limit = 16 * 2**20
    with pytest.raises(RemoteError) as caught:
        await client.call(client.detection.ParseImage, detection_pb.ParseImageRequest(image=b"x" * (limit - 100)))
    assert caught.value.reason == "BAD_IMAGE"
    with pytest.raises(RemoteError) as caught:
        await client.call(client.detection.ParseImage, detection_pb.ParseImageRequest(image=b"x" * (limit + 1)))
    assert caught.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_running_chromium_is_used_by_its_cdp_endpoint(
    service: Service, client: AsyncClient, shared_page: AsyncPage, site: str
) -> None:
    endpoint = service.context.sessions.get(shared_page.session_id).host.endpoint
    request = session_pb.CreateSessionRequest(cdp_endpoint=endpoint, url=f"{site}/form.html")
    attached = (await client.call(client.sessions.CreateSession, request)).session
    snapshot = pb.CaptureSnapshotRequest(session_id=attached.session_id, options=pb.SnapshotOptions(mode="MODE_TEXT"))
    assert (await client.call(client.perception.CaptureSnapshot, snapshot)).snapshot.title == "Form"
    await client.call(client.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=attached.session_id))
    assert await shared_page.snapshot(mode="text"), "a browser that is not ours is left running"
    with pytest.raises(RemoteError) as caught:
        await client.call(
            client.sessions.CreateSession, session_pb.CreateSessionRequest(cdp_endpoint="http://10.0.0.1:1")
        )
    assert caught.value.reason == "ORIGIN_BLOCKED"


async def test_a_second_service_leaves_the_first_ones_browser_alone(
    service: Service, shared_page: AsyncPage, write: Show, tmp_path: Path
) -> None:
    await write("<title>First</title>")
    host = service.context.sessions.get(shared_page.session_id).host
    temporary = Path(tempfile.gettempdir())
    assert temporary in host._folder.path.parents
    other = Process(temporary, tmp_path / "other")
    assert (await shared_page.snapshot(mode="text")).title == "First"
    assert other.end(signal.SIGTERM) == 0
    assert host.has_folder


async def test_a_browser_whose_folder_was_removed_is_replaced(process: Process, site: str) -> None:
    """As programs do that tidy up temporary files."""
    client = await aconnect(process.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    (folder,) = process.folder.glob("perception-chromium-*")
    shutil.rmtree(folder, ignore_errors=True)
    assert not (folder / "own").exists()
    again = await client.open(f"{site}/inner.html")
    assert (await again.snapshot(mode="MODE_TEXT")).title == "Inner"
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Inner"
    await page.close()
    await again.close()
    await client.close()


async def test_files_of_a_browser_whose_folder_was_removed_fail_by_that_reason(
    process: Process, site: str, tmp_path: Path
) -> None:
    client = await aconnect(process.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    (folder,) = process.folder.glob("perception-chromium-*")
    shutil.rmtree(folder, ignore_errors=True)
    why = "the browser's folder was removed, as programs do that clean temporary folders: create a new session"
    for _ in range(2):  # the first one must not make the folder again
        with pytest.raises(RemoteError) as caught:
            await page.pdf()
        assert (caught.value.reason, why in str(caught.value)) == ("DOWNLOAD_FAILED", True)
    (begun,) = (await page.navigate(f"{site}/file?name=a.bin&size=10")).downloads
    with pytest.raises(RemoteError, match=why):
        await page.save_download(tmp_path / "a.bin", begun)
    again = await client.open(f"{site}/inner.html")
    assert await again.pdf()
    (kept,) = (await again.navigate(f"{site}/file?name=a.bin&size=10")).downloads
    assert not kept.failure
    await page.close()
    await again.close()
    await client.close()


async def test_a_driver_that_dies_loses_only_its_sessions(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    (chromium,) = [each for each in process.chromiums() if "--type=" not in " ".join(each.cmdline())]
    for driver in children_with("run-driver", chromium.ppid()):
        driver.kill()
    process.lost += 1
    with pytest.raises(RemoteError) as caught:
        await again_and_again(lambda: page.click("button", skip_diff=True))  # its end may not be known at once
    assert (caught.value.reason, caught.value.metadata.get("epoch")) == ("SESSION_LOST", str(1 + process.lost))
    again = await client.open(f"{site}/inner.html")
    assert (await again.snapshot(mode="MODE_TEXT")).title == "Inner"
    await again.close()
    await client.close()


async def test_a_page_that_crashed_has_its_epoch(
    service: Service, client: AsyncClient, page: AsyncPage, show: Show
) -> None:
    await show("<button>Save</button>")
    (button,) = [each for each in (await page.snapshot(mode="MODE_TEXT")).elements if each.name == "Save"]
    service.context.sessions.get(page.session_id).browser.tab().link.session.start("Page.crash")
    with pytest.raises(RemoteError) as caught:
        await page.click(button.ref)
    assert (caught.value.reason, caught.value.metadata["epoch"]) == ("PAGE_CRASHED", "2")
    await show("<button>Save</button>")
    with pytest.raises(RemoteError) as caught:
        await page.click(button.ref)
    assert caught.value.reason == "STALE_REF"
    request = session_pb.ListTabsRequest(session_id=page.session_id)
    assert (await client.call(client.sessions.ListTabs, request)).tabs[0].epoch == 2


# What ends the process comes last: the next test has to start another one.


async def test_sigterm_finishes_what_is_under_way_and_leaves_no_chromium(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    chromiums, short = process.chromiums(), temporary_folder(process)
    assert chromiums
    with held_page() as (url, asked, go_on):
        under_way = asyncio.ensure_future(page.navigate(url))
        await until(asked.is_set)
        process.popen.send_signal(signal.SIGTERM)
        await begins_to_end(client)
        assert not under_way.done()
        go_on.set()
        assert (await under_way).title == "Held"
    assert await asyncio.to_thread(process.popen.wait, 60) == 0
    assert await gone(chromiums)
    assert not process.left()
    assert not short.parent.exists()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.sessions.ListSessions(session_pb.ListSessionsRequest(), timeout=30)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    await client.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_it_loads_leaves_no_browser_that_started_ahead(number: int) -> None:
    with tempfile.TemporaryDirectory(prefix="perception-test-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        serve = perception_anew("serve", "--address", f"unix:{folder}/socket", "--start-browser")
        service = subprocess.Popen(serve, env={**os.environ, **LIGHT, "TMPDIR": name})
        while not (chromiums := chromiums_in(folder)):
            assert service.poll() is None, "the service did not start"
        service.send_signal(number)
        service.wait(60)
        assert not psutil.wait_procs(chromiums, timeout=30)[1]
        assert not list(folder.glob("perception-chromium-*"))


async def test_a_service_whose_log_has_no_reader_continues(process: Process, site: str) -> None:
    assert process.popen.stderr is not None
    client = await aconnect(process.address, timeout_s=60)
    process.popen.stderr.close()
    page = await client.open(f"{site}/inner.html")
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Inner"
    with pytest.raises(RemoteError) as caught:
        await page.click("#nothing")
    assert caught.value.reason == "NO_MATCH"
    await page.close()
    await client.close()


async def test_a_second_signal_ends_it_at_once(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    chromiums = process.chromiums()
    with held_page() as (url, asked, _):
        under_way = asyncio.ensure_future(page.navigate(url, timeout_s=300))
        await until(asked.is_set)
        process.popen.terminate()
        await begins_to_end(client)
        process.popen.terminate()
        # It would have drained for 60 s.
        assert await asyncio.to_thread(process.popen.wait, 50) == HARD_END
        with pytest.raises(RemoteError):
            await under_way
    assert await gone(chromiums)
    assert not list(process.folder.glob("perception-chromium-*"))
    await client.close()
