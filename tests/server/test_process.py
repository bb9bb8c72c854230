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
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import psutil
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import perception
from perception.browser.chromium.leftovers import is_listened_to
from perception.client import RemoteError, aconnect
from perception.server.process import HARD_END
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import session_service_pb2 as session_pb


class Process:
    """`perception serve` in a process of its own."""

    def __init__(self, folder: Path, name: str = "socket") -> None:
        self.address = f"unix:{folder / name}"
        command = [sys.executable, "-m", "perception", "serve", "--address", self.address, "--allow-host", "127.0.0.1"]
        environment = {**os.environ, "TMPDIR": str(folder)}
        self.popen = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.folder = folder
        while not is_listened_to(folder / name):
            assert self.popen.poll() is None, "the service did not start"
            time.sleep(0.02)

    def end(self, number: int = signal.SIGKILL) -> int:
        """Ends it; its exit code."""
        self.popen.send_signal(number)
        if self.popen.stderr is not None and not self.popen.stderr.closed:
            self.popen.communicate()
        return self.popen.wait()

    def chromiums(self) -> list[psutil.Process]:
        own = f"--user-data-dir={self.folder}"
        found = []
        for process in psutil.process_iter(["cmdline"]):
            if any(own in part for part in process.info["cmdline"] or ()):
                found.append(process)
        return found


@contextlib.contextmanager
def running() -> Iterator[Process]:
    # Not in pytest's own folder: that is closed to the unprivileged user whom root runs Chromium as.
    with tempfile.TemporaryDirectory(prefix="perception-test-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        process = Process(folder)
        yield process
        process.end()


@pytest.fixture
def process() -> Iterator[Process]:
    with running() as process:
        yield process


@pytest.fixture(scope="module")
def shared() -> Iterator[Process]:
    """One process for the tests that leave it as it was: each start takes seconds."""
    with running() as process:
        yield process


async def gone(processes: list[psutil.Process]) -> bool:
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, timeout=10)
    return not alive


async def test_sigterm_finishes_what_is_under_way_and_leaves_no_chromium(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=30)
    page = await client.open(f"{site}/inner.html")
    chromiums = process.chromiums()
    assert chromiums
    request = session_pb.NavigateRequest(
        session_id=page.session_id, url=f"{site}/endless", wait_until=session_pb.WAIT_UNTIL_SETTLED
    )
    under_way = asyncio.ensure_future(client.sessions.Navigate(request, timeout=30))
    await client.sessions.ListSessions(session_pb.ListSessionsRequest(), timeout=10)  # so that it has arrived
    process.popen.send_signal(signal.SIGTERM)
    assert (await under_way).result.title == "Endless"
    assert await asyncio.to_thread(process.popen.wait, 30) == 0
    assert await gone(chromiums)
    assert not list(process.folder.glob("perception-chromium-*"))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.sessions.ListSessions(session_pb.ListSessionsRequest(), timeout=5)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    await client.close()


async def test_sigkill_takes_chromium_along(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=30)
    await client.open(f"{site}/inner.html")
    chromiums = process.chromiums()
    assert chromiums
    process.popen.kill()
    assert await gone(chromiums)
    await client.close()


async def test_a_browser_that_dies_loses_only_its_sessions(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=30)
    page = await client.open(f"{site}/inner.html")
    for chromium in process.chromiums():
        with contextlib.suppress(psutil.NoSuchProcess):  # it went with its parent
            chromium.kill()
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(mode="MODE_TEXT")
    assert caught.value.reason == "SESSION_LOST"
    again = await client.open(f"{site}/inner.html")
    assert (await again.snapshot(mode="MODE_TEXT")).title == "Inner"
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(mode="MODE_TEXT")
    assert caught.value.reason == "SESSION_LOST"
    await client.close()


async def test_a_client_without_an_address_starts_a_service_and_ends_it(site: str) -> None:
    client = await aconnect(allow_hosts=["127.0.0.1"])
    page = await client.open(f"{site}/canvas.html")
    assert "Toolbar" in (await page.snapshot(mode="MODE_TEXT")).text
    child = client._child
    assert child is not None
    await client.close()
    assert child.process.returncode == 0
    assert not child.folder.exists()


def test_the_blocking_client_does_the_main_job(site: str) -> None:
    with perception.connect(allow_hosts=["127.0.0.1"]) as client, client.open(f"{site}/form.html") as page:
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


async def test_reflection_shows_the_whole_contract(shared: Process) -> None:
    client = await aconnect(shared.address)  # waits until it serves
    await client.close()

    def look() -> list[str]:
        with grpc.insecure_channel(shared.address) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            names = list(database.get_services())
            service = DescriptorPool(database).FindServiceByName("perception.v1.ActionService")
            assert "Evaluate" in service.methods_by_name
            return names

    names = await asyncio.to_thread(look)
    assert {"perception.v1.PerceptionService", "perception.v1.SubroutineService", "grpc.health.v1.Health"} <= set(names)


async def test_messages_up_to_16_mib_pass_and_larger_ones_are_refused(shared: Process) -> None:
    from perception.v1 import detection_service_pb2 as detection_pb

    client = await aconnect(shared.address, timeout_s=30)
    limit = 16 * 2**20
    with pytest.raises(RemoteError) as caught:
        await client.call(client.detection.ParseImage, detection_pb.ParseImageRequest(image=b"x" * (limit - 100)))
    assert caught.value.reason == "BAD_IMAGE"
    with pytest.raises(RemoteError) as caught:
        await client.call(client.detection.ParseImage, detection_pb.ParseImageRequest(image=b"x" * (limit + 1)))
    assert caught.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    await client.close()


async def test_a_running_chromium_is_used_by_its_cdp_endpoint(shared: Process, site: str) -> None:
    client = await aconnect(shared.address, timeout_s=30)
    await client.open(f"{site}/inner.html")
    (port_file,) = shared.folder.glob("perception-chromium-*/own/profile/DevToolsActivePort")
    port = port_file.read_text().split("\n")[0]
    request = session_pb.CreateSessionRequest(cdp_endpoint=f"http://127.0.0.1:{port}", url=f"{site}/form.html")
    attached = (await client.call(client.sessions.CreateSession, request)).session
    snapshot = pb.CaptureSnapshotRequest(session_id=attached.session_id, options=pb.SnapshotOptions(mode="MODE_TEXT"))
    assert (await client.call(client.perception.CaptureSnapshot, snapshot)).snapshot.title == "Form"
    await client.call(client.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=attached.session_id))
    assert shared.chromiums(), "a browser that is not ours is left running"
    with pytest.raises(RemoteError) as caught:
        await client.call(
            client.sessions.CreateSession, session_pb.CreateSessionRequest(cdp_endpoint="http://10.0.0.1:1")
        )
    assert caught.value.reason == "ORIGIN_BLOCKED"
    await client.close()


async def test_what_a_killed_service_left_is_gone_after_the_next_start(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=30)
    await client.open(f"{site}/inner.html")
    (folder,) = process.folder.glob("perception-chromium-*")
    # Its name is too long for Chromium's sockets, which are in a folder of their own.
    short = Path(process.chromiums()[0].environ()["TMPDIR"])
    assert folder not in short.parents
    assert any(name.startswith("org.chromium.") for name in os.listdir(short))
    # What a Chromium that outlives its service looks like: the folder is in its command line, and nobody has the lock.
    survivor = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", f"--user-data-dir={folder}/own/profile", stdin=subprocess.PIPE
    )
    process.end()
    assert folder.exists()
    await client.close()
    (process.folder / "socket").unlink()
    again = Process(process.folder)
    try:
        assert await asyncio.wait_for(survivor.wait(), 10) == -signal.SIGKILL
        assert not folder.exists()
        client = await aconnect(again.address, timeout_s=30)
        await client.open(f"{site}/inner.html")
        await client.close()
    finally:
        again.end(signal.SIGTERM)
    left = [name for name in os.listdir(process.folder) if name.startswith(("perception-", "org.", "playwright-"))]
    assert not left
    assert not short.parent.exists()


async def test_a_second_service_leaves_the_first_ones_browser_alone(shared: Process, site: str) -> None:
    client = await aconnect(shared.address, timeout_s=30)
    page = await client.open(f"{site}/inner.html")
    other = Process(shared.folder, name="other")
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Inner"
    assert other.end(signal.SIGTERM) == 0
    await client.close()


async def test_a_second_signal_ends_it_at_once(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=60)
    page = await client.open(f"{site}/inner.html")
    chromiums = process.chromiums()
    under_way = asyncio.ensure_future(page.wait_for(text="never", timeout_s=60))
    await client.call(client.sessions.ListSessions, session_pb.ListSessionsRequest())
    process.popen.terminate()
    assert process.popen.stderr is not None
    while '"stopping"' not in await asyncio.to_thread(process.popen.stderr.readline):
        pass
    process.popen.terminate()
    assert await asyncio.to_thread(process.popen.wait, 30) == HARD_END
    assert await gone(chromiums)
    assert not list(process.folder.glob("perception-chromium-*"))
    with pytest.raises(RemoteError):
        await under_way
    await client.close()


async def test_a_script_reports_that_its_browser_died(process: Process) -> None:
    client = await aconnect(process.address, timeout_s=30)
    page = await client.open(allow_evaluate=True)
    running = asyncio.ensure_future(page.evaluate("new Promise(() => {})"))
    await asyncio.sleep(0.5)
    for chromium in process.chromiums():
        with contextlib.suppress(psutil.NoSuchProcess):  # it went with the first
            chromium.kill()
    with pytest.raises(RemoteError) as caught:
        await running
    assert caught.value.reason == "SESSION_LOST"
    await client.close()


async def test_a_browser_whose_folder_was_removed_is_replaced(process: Process, site: str) -> None:
    """As programs do that tidy up temporary files."""
    client = await aconnect(process.address, timeout_s=30)
    page = await client.open(f"{site}/inner.html")
    (folder,) = process.folder.glob("perception-chromium-*")
    shutil.rmtree(folder, ignore_errors=True)
    assert not (folder / "own").exists()
    again = await client.open(f"{site}/inner.html")
    assert (await again.snapshot(mode="MODE_TEXT")).title == "Inner"
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Inner"
    await client.close()


async def test_a_driver_that_dies_loses_only_its_sessions(process: Process, site: str) -> None:
    client = await aconnect(process.address, timeout_s=30)
    page = await client.open(f"{site}/inner.html")
    for child in psutil.Process(process.popen.pid).children():
        if "run-driver" in child.cmdline():
            child.kill()
    with pytest.raises(RemoteError) as caught:
        await page.click("button", timeout_s=20)
    assert (caught.value.reason, caught.value.metadata.get("epoch")) == ("SESSION_LOST", "2")
    again = await client.open(f"{site}/inner.html")
    assert (await again.snapshot(mode="MODE_TEXT")).title == "Inner"
    await client.close()


async def test_a_page_that_crashed_has_its_epoch(shared: Process, site: str) -> None:
    client = await aconnect(shared.address, timeout_s=30)
    page = await client.open(f"{site}/form.html")
    button = next(each for each in (await page.snapshot(mode="MODE_TEXT")).elements if each.name == "Save")
    for chromium in shared.chromiums():
        if "--type=renderer" in " ".join(chromium.cmdline()):
            chromium.kill()
    with pytest.raises(RemoteError) as caught:
        await page.click(button.ref)
    assert (caught.value.reason, caught.value.metadata["epoch"]) == ("PAGE_CRASHED", "2")
    await page.navigate(f"{site}/form.html")
    with pytest.raises(RemoteError) as caught:
        await page.click(button.ref)
    assert caught.value.reason == "STALE_REF"
    request = session_pb.ListTabsRequest(session_id=page.session_id)
    assert (await client.call(client.sessions.ListTabs, request)).tabs[0].epoch == 2
    await client.close()


async def test_a_service_whose_log_has_no_reader_continues(process: Process, site: str) -> None:
    assert process.popen.stderr is not None
    client = await aconnect(process.address, timeout_s=30)
    process.popen.stderr.close()
    page = await client.open(f"{site}/inner.html")
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Inner"
    with pytest.raises(RemoteError) as caught:
        await page.click("#nothing")
    assert caught.value.reason == "NO_MATCH"
    await client.close()


@pytest.mark.parametrize("option", ["--grace", "--worker-name"])
def test_options_of_workers_are_shown_and_taken_by_workers_alone(option: str) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
        return subprocess.run(
            [sys.executable, "-m", "perception", *words], capture_output=True, text=True, env=environment, check=False
        )

    assert option not in run("serve", "--help").stdout
    assert option in run("worker", "--help").stdout
    refused = run("serve", option, "3")
    assert refused.returncode == 2
    assert refused.stderr == f"error: {option} is an option of `perception worker`: use that, or leave it out\n"
