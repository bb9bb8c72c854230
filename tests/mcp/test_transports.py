"""Both transports in both eras of the protocol, by the official SDK's client; what happens when a client goes away."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import httpx2
import psutil
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPDeprecationWarning

from perception.bench.mcp_client import OWN_COMMAND
from perception.bench.suites.fuzz.clients_cut import HOST
from perception.client import AsyncClient
from perception.client.child import WITH_BROWSER, ServiceChild
from perception.mcp import server
from perception.server.app import Service
from perception.tools.backend import Backend, BackendOptions
from tests.mcp.conftest import ERAS, InProcess, Tools, http_server, stdio, text_of

GONE_SECONDS = 30.0
"""For a service to end with its browser once its client has gone; it takes 1 s on a quiet machine."""


START_SECONDS = 120.0
"""For a server to answer its first lines; it takes 1 s on a quiet machine."""


@pytest.fixture
def two(site: str) -> str:
    return f"{site}/html?body={quote('<h1>Two</h1><button onclick=this.remove()>Go away</button>')}"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_page_is_opened_acted_on_and_left(
    transport: str, era: str, service: Service, client: AsyncClient, http_url: str, two: str
) -> None:
    server = http_url if transport == "http" else stdio("--address", service.context.settings.address)
    async with Client(server, mode=era) as connected:
        tools = Tools(connected)
        assert connected.protocol_version == ("2025-11-25" if era == "legacy" else "2026-07-28")
        assert len((await connected.list_tools()).tools) == 11
        handle = (await tools("open", url=two)).split()[1]
        if transport == "http" and era == "auto":  # requests share no connection: the handle is an argument
            assert "give the session that open answered" in await tools.refused("look")
        assert "Two" in await tools("look", session=handle)
        if era == "legacy":
            waiting = asyncio.create_task(connected.call_tool("wait", {"text": "never", "seconds": 60}))
            with pytest.warns(MCPDeprecationWarning):  # the next era has none
                await connected.send_ping()  # answered while the call runs
            assert not waiting.done()
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
        assert "Go away" not in await tools("act", session=handle, do="click", target="e1")
        if transport == "http" and era == "auto":
            await tools("close", session=handle)
    end_s = time.monotonic() + GONE_SECONDS
    while handle in [each.session_id for each in await client.open_sessions()]:
        assert time.monotonic() < end_s
        await asyncio.sleep(0.05)


async def test_a_line_that_the_sdk_cannot_read_is_answered(service: Service) -> None:
    process = await asyncio.create_subprocess_exec(
        *OWN_COMMAND,
        *("--address", service.context.settings.address),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    who = {"name": "host", "version": "1"}
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
    call = {"name": "look", "arguments": {"view": "half\ud83d"}}
    for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call"\n')
    async with asyncio.timeout(START_SECONDS):
        answers = [json.loads(await process.stdout.readline()) for _ in range(3)]
    process.stdin.close()
    await process.wait()
    by_id = {each["id"]: each for each in answers}
    assert by_id[None]["error"]["code"] == -32700
    assert "view is 'half\ufffd': it takes one of" in by_id[2]["result"]["content"][0]["text"]


async def test_a_cancelled_call_ends_at_the_service(in_process: InProcess, two: str, service: Service) -> None:
    async with in_process.connect(mode="legacy") as tools:
        await tools("open", url=two)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await tools("wait", text="never", seconds=25)
        began = time.monotonic()
        await tools("close")  # it waits for calls that are under way
        assert time.monotonic() - began < 15


async def test_a_long_call_reports_that_it_goes_on(
    in_process: InProcess, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PROGRESS_SECONDS", 0.05)
    reports: list[str | None] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append(message)

    async with in_process.connect() as tools:
        await tools("open", url=two)
        arguments = {"text": "never", "seconds": 1}
        result = await tools.client.call_tool("wait", arguments, progress_callback=report)
    assert text_of(result).startswith("DEADLINE: ")
    assert reports
    assert str(reports[0]).startswith("wait: ")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "rebound.example"}, 421),
        ({"Origin": "http://rebound.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
    ids=lambda value: str(value),
)
async def test_requests_that_a_web_page_could_send_are_refused(
    http_url: str, headers: dict[str, str], status: int
) -> None:
    whole = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"} | headers
    async with httpx2.AsyncClient() as sender:
        answer = await sender.post(http_url, headers=whole, content=b"{}")
    assert answer.status_code == status


async def test_eight_clients_at_once_have_eight_sessions(site: str) -> None:
    async def work(url: str, number: int) -> str:
        body = quote(f"<h1>Client {number}</h1><button onclick=\"this.textContent='Done {number}'\">Go</button>")
        async with Client(url, mode=ERAS[number % 2]) as connected:
            tools = Tools(connected)
            handle = (await tools("open", url=f"{site}/html?body={body}")).split()[1]
            shown = await tools("act", session=handle, do="click", target="button")
            assert f"Done {number}" in shown
            assert f"Client {number}" in await tools("look", session=handle)
            await tools("close", session=handle)
        return handle

    async with http_server("--http", "127.0.0.1:0", "--allow-host", "127.0.0.1") as (url, process):
        handles = await asyncio.gather(*(work(url, number) for number in range(8)))
        assert len(set(handles)) == 8
        family = psutil.Process(process.pid).children(recursive=True)
    await _gone(family)


async def test_a_private_service_that_has_died_is_started_again() -> None:
    backend = Backend(BackendOptions(allow_hosts=("127.0.0.1",)))
    try:
        first = await backend.caller()
        assert await backend.caller() is first
        assert backend._child is not None
        backend._child.process.kill()
        await asyncio.to_thread(backend._child.process.wait)
        second = await backend.caller()
        assert second is not first
        assert await second.client.is_serving()
    finally:
        await backend.close()


@pytest.mark.parametrize("killed", ["host", "server"])
async def test_nothing_is_left_of_a_host_or_server_that_is_killed(killed: str, two: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOST, two, *OWN_COMMAND, "--allow-host", "127.0.0.1"]
    errors = tmp_path / "errors"
    with errors.open("wb") as file:
        host = psutil.Popen(command, stdout=subprocess.PIPE, stderr=file)
    try:
        server_pid = int(await asyncio.to_thread(host.stdout.readline))
        family = psutil.Process(host.pid).children(recursive=True)
        assert any("chrom" in each.name() for each in family), family
        (host if killed == "host" else psutil.Process(server_pid)).kill()
        await _gone(family)
        assert "Traceback" not in errors.read_text("utf-8")
    finally:
        host.kill()
        host.wait()
        host.stdout.close()


async def test_a_server_that_is_asked_to_end_closes_its_sessions(
    service: Service, client: AsyncClient, two: str
) -> None:
    before = {each.session_id for each in await client.open_sessions()}
    options = ["--address", service.context.settings.address]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOST, two, *OWN_COMMAND, *options),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    server_pid = int(await process.stdout.readline())
    assert {each.session_id for each in await client.open_sessions()} > before
    psutil.Process(server_pid).terminate()
    async with asyncio.timeout(GONE_SECONDS):
        assert await process.wait() == 0
    assert {each.session_id for each in await client.open_sessions()} == before


SHORT_LEASE = """
from perception.tools import keep_alive
keep_alive.BEAT_SECONDS = 0.5
import perception.mcp.launch
perception.mcp.launch.LEASE_SECONDS = 3.0
from perception.__main__ import main
main()
"""
"""`perception mcp` whose sessions end 3 s after it."""


async def test_a_session_lives_as_long_as_its_server_and_ends_soon_after_a_killed_one(
    service: Service, client: AsyncClient, two: str
) -> None:
    before = {each.session_id for each in await client.open_sessions()}
    command = [sys.executable, "-c", SHORT_LEASE, "mcp", "--address", service.context.settings.address]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOST.replace('send("tools/call", name="wait"', 'send("ping"'), two, *command),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    server_pid = int(await process.stdout.readline())
    (opened,) = [each for each in await client.open_sessions() if each.session_id not in before]
    assert opened.options.idle_timeout.seconds == 3
    end_s = time.monotonic() + 5.0  # longer than its idle time, without a call of a tool
    while time.monotonic() < end_s:
        assert opened.session_id in [each.session_id for each in await client.open_sessions()]
        await asyncio.sleep(0.2)
    psutil.Process(server_pid).kill()
    await process.wait()
    end_s = time.monotonic() + GONE_SECONDS
    while {each.session_id for each in await client.open_sessions()} - before:
        assert time.monotonic() < end_s
        await asyncio.sleep(0.1)


async def test_a_service_that_was_started_ahead_ends_where_nobody_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCEPTION_SESSION_IDLE_S", "60")
    started = ServiceChild.launch(options=WITH_BROWSER)
    backend = Backend(BackendOptions(), started)
    try:
        family = await _with_browser(psutil.Process(started.process.pid))
        monkeypatch.setattr("perception.tools.backend.UNUSED_SECONDS", 0.0)
        await backend.end_unused()
        assert started.process.returncode is not None
        assert not started.folder.exists()
        await _gone(family)
        assert await (await backend.caller()).client.is_serving()  # another one
        await backend.end_unused()
        caller = await backend.caller()
        assert await caller.client.is_serving()
        caller.lease_s = 120.0  # longer than that service allows
        assert (await (await caller.open()).page.state()).options.idle_timeout.seconds == 60
    finally:
        await backend.close()


async def test_a_host_that_leaves_at_once_leaves_nothing(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    with errors.open("wb") as file:
        server = psutil.Popen([*OWN_COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file)
    family: dict[int, psutil.Process] = {}
    server.stdin.close()
    while server.is_running() and server.poll() is None:
        with suppress(psutil.NoSuchProcess):
            family |= {each.pid: each for each in server.children(recursive=True)}
        await asyncio.sleep(0.01)
    server.stdout.close()
    assert server.returncode == 0
    assert family  # the private service, which was starting
    await _gone(list(family.values()))
    assert errors.read_text("utf-8") == ""


async def _with_browser(service: psutil.Process) -> list[psutil.Process]:
    """The processes below a service, once its browser is among them."""
    end_s = time.monotonic() + START_SECONDS
    while True:
        family = service.children(recursive=True)
        if any("chrom" in each.name() for each in family):
            return family
        assert time.monotonic() < end_s
        await asyncio.sleep(0.1)


async def _gone(family: list[psutil.Process]) -> None:
    _, alive = await asyncio.to_thread(psutil.wait_procs, family, GONE_SECONDS)
    assert alive == []
