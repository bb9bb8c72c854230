"""Both transports in both eras of the protocol, by the official SDK's client; what happens when a client goes away."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import httpx2
import psutil
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPDeprecationWarning

from perception.bench.mcp_client import OWN_COMMAND
from perception.bench.suites.fuzz.clients_cut import HOST
from perception.client import AsyncClient, child
from perception.client.child import WITH_BROWSER, ServiceChild
from perception.mcp import server
from perception.server.app import Service
from perception.tools.backend import Backend, BackendOptions
from tests.long.mcp.conftest import ERAS, InProcess, Tools, http_server, stdio, text_of
from tests.support.early_ends import early_ends
from tests.support.processes import FORKED_SERVICES, NO_MODELS, forked, perception, prepared
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("kept_contexts")

GONE_SECONDS = 30.0
"""For a service to end with its browser once its client has gone; it takes 1 s on a quiet machine."""


START_SECONDS = 120.0
"""For a server to answer its first lines; it takes 1 s on a quiet machine."""


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
        *perception("mcp", "--address", service.context.settings.address),
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
        session = service.context.sessions.get((await tools("open", url=two)).split()[1])
        waiting = asyncio.create_task(tools("wait", text="never", seconds=120))
        await until(lambda: session.lifetime.calls == 1)
        waiting.cancel()
        await until(lambda: session.lifetime.calls == 0)
        assert "Two" in await tools("look")


async def test_a_long_call_reports_that_it_goes_on(
    service: Service, in_process: InProcess, two: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PROGRESS_SECONDS", 0.05)
    reports: list[str | None] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append(message)

    async with in_process.connect() as tools:
        await tools("open", url=two)
        with early_ends(service) as reserve_s:
            arguments = {"text": "never", "seconds": reserve_s + 0.3}
            result = await tools.client.call_tool("wait", arguments, progress_callback=report)
        assert text_of(result).startswith("DEADLINE: ")
        await until(lambda: bool(reports))
    assert str(reports[0]).startswith("wait: ")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "rebound.example"}, 421),
        ({"Origin": "http://rebound.example"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Origin": "http://localhost"}, 403),
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


async def test_pages_of_its_own_origin_are_answered(http_url: str) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Origin": http_url.removesuffix("/mcp")}
    async with httpx2.AsyncClient() as sender:
        answer = await sender.post(http_url, headers=headers, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert answer.status_code != 403


async def test_four_clients_at_once_have_four_sessions(site: str, http_url: str) -> None:
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

    handles = await asyncio.gather(*(work(http_url, number) for number in range(4)))
    assert len(set(handles)) == 4


async def test_nothing_is_left_of_a_server_that_ends(two: str, quick_services: dict[str, str]) -> None:
    before = forked()
    async with http_server("--http", "127.0.0.1:0", "--allow-host", "127.0.0.1", **quick_services) as (url, _):
        async with Client(url, mode="auto") as connected:
            await Tools(connected)("open", url=two)
        family = forked() - before
        assert len(family) >= 2  # the server and its private service
    await _gone(family)


@pytest.mark.usefixtures("http_url")  # the fork server runs
async def test_a_server_that_is_asked_to_end_ends_streams_and_calls_and_says_nothing(
    two: str, quick_services: dict[str, str]
) -> None:
    before, options = forked(), ("--http", "127.0.0.1:0", "--allow-host", "127.0.0.1")
    async with http_server(*options, **quick_services) as (url, process), httpx2.AsyncClient(timeout=60) as sender:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
        headers = {"Accept": "application/json, text/event-stream"}
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        headers["Mcp-Session-Id"] = (await sender.post(url, headers=headers, json=first)).headers["Mcp-Session-Id"]

        def message(number: int, name: str, **arguments: object) -> dict[str, object]:
            params = {"name": name, "arguments": arguments}
            return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}

        assert "session: " in (await sender.post(url, headers=headers, json=message(2, "open", url=two))).text
        wait = message(3, "wait", text="never", seconds=60)
        async with (
            sender.stream("GET", url, headers=headers) as stream,
            sender.stream("POST", url, headers=headers, json=wait) as waiting,
        ):
            family = forked() - before
            begun_s = time.monotonic()
            process.terminate()
            assert [line async for line in stream.aiter_lines() if line] == []
            with suppress(httpx2.TransportError):  # the machine was too slow for the answer
                assert '"id":3' in "".join([line async for line in waiting.aiter_lines()])
        assert process.stderr is not None
        assert b"Traceback" not in await process.stderr.read()
        assert await process.wait() == 0
        assert time.monotonic() - begun_s < 20  # 1 s on a quiet machine
    await _gone(family)


async def test_a_private_service_that_has_died_is_started_again(
    quick_services: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _start_services_by_fork(monkeypatch, quick_services)
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


async def test_nothing_is_left_of_a_host_that_is_killed(two: str, tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    async with _host(two, [*OWN_COMMAND, "--allow-host", "127.0.0.1"], errors, **NO_MODELS) as (host, _):
        family = psutil.Process(host.pid).children(recursive=True)
        assert _has_browser(family), family
        host.kill()
        await _gone(family)
    assert "Traceback" not in errors.read_text("utf-8")


async def test_nothing_is_left_of_a_server_that_is_killed(two: str, tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    before = forked()
    command = perception("mcp", "--unshared", "--allow-host", "127.0.0.1")
    async with _host(two, command, errors, **FORKED_SERVICES, **NO_MODELS) as (_, server_pid):
        family = list(forked() - before)
        assert _has_browser(family), family
        psutil.Process(server_pid).kill()
        await _gone(family)
    assert "Traceback" not in errors.read_text("utf-8")


async def test_a_server_that_is_asked_to_end_closes_its_sessions(
    service: Service, client: AsyncClient, two: str, tmp_path: Path
) -> None:
    before = {each.session_id for each in await client.open_sessions()}
    command = perception("mcp", "--address", service.context.settings.address)
    async with _host(two, command, tmp_path / "errors") as (host, server_pid):
        assert {each.session_id for each in await client.open_sessions()} > before
        psutil.Process(server_pid).terminate()
        async with asyncio.timeout(GONE_SECONDS):
            assert await host.wait() == 0
    assert {each.session_id for each in await client.open_sessions()} == before


SHORT_LEASE = """
from perception.mcp import launch
from perception.tools import keep_alive
keep_alive.BEAT_SECONDS = 0.3
launch.LEASE_SECONDS = 5.0
"""
"""Sessions end 5 s after their server."""


async def test_a_session_lives_as_long_as_its_server_and_ends_soon_after_a_killed_one(
    service: Service, client: AsyncClient, two: str, tmp_path: Path
) -> None:
    before = {each.session_id for each in await client.open_sessions()}
    command = perception("mcp", "--address", service.context.settings.address)
    host = HOST.replace('send("tools/call", name="wait"', 'send("ping"')  # without a call of a tool
    async with _host(two, command, tmp_path / "errors", host, **prepared(SHORT_LEASE)) as (_, server_pid):
        (opened,) = [each for each in await client.open_sessions() if each.session_id not in before]
        assert opened.options.idle_timeout.seconds == 5
        session = service.context.sessions.get(opened.session_id)
        uses: set[float] = set()
        await until(lambda: uses.add(session.lifetime.used_s) or len(uses) > 6)  # type: ignore[func-returns-value]
        psutil.Process(server_pid).kill()
        await until(lambda: session not in service.context.sessions.sessions)


async def test_a_service_that_was_started_ahead_ends_where_nobody_calls_it(
    quick_services: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _start_services_by_fork(monkeypatch, {"PERCEPTION_SESSION_IDLE_S": "60", **NO_MODELS})
    before = forked()
    started = ServiceChild.launch(options=WITH_BROWSER)
    backend = Backend(BackendOptions(), started)
    try:
        await until(lambda: _has_browser(forked() - before))
        family = forked() - before
        monkeypatch.setattr("perception.tools.backend.UNUSED_SECONDS", 0.0)
        await backend.end_unused()
        assert started.process.returncode is not None
        assert not started.folder.exists()
        await _gone(family)
        _start_services_by_fork(monkeypatch, quick_services)
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
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": file}
        server = psutil.Popen([*OWN_COMMAND], env=os.environ | NO_MODELS, **pipes)
    family: dict[int, psutil.Process] = {}
    server.stdin.close()
    while server.is_running() and server.poll() is None:
        with suppress(psutil.NoSuchProcess):
            family |= {each.pid: each for each in server.children(recursive=True)}
        await asyncio.sleep(0.01)
    server.stdout.close()
    assert server.returncode == 0
    assert family  # the private service, which was starting
    await _gone(family.values())
    assert errors.read_text("utf-8") == ""


@asynccontextmanager
async def _host(
    page: str, command: Sequence[str], errors: Path, program: str = HOST, **environment: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A host whose server, started by the command, has opened the page; and the process id of the server."""
    with errors.open("wb") as file:
        host = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program, page, *command),
            env=os.environ | environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=file,
        )
    assert host.stdout is not None
    try:
        async with asyncio.timeout(START_SECONDS):
            line = await host.stdout.readline()
        assert line, "the host's server did not open the page"
        yield host, int(line)
    finally:
        if host.returncode is None:
            host.kill()
        await host.wait()
        host._transport.close()  # type: ignore[attr-defined]


def _start_services_by_fork(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    monkeypatch.setattr(child, "serve_command", lambda *options: perception("serve", *options))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def _has_browser(family: Iterable[psutil.Process]) -> bool:
    for each in family:
        with suppress(psutil.NoSuchProcess):
            if "chrom" in each.name():
                return True
    return False


async def _gone(family: Iterable[psutil.Process]) -> None:
    _, alive = await asyncio.to_thread(psutil.wait_procs, list(family), GONE_SECONDS)
    assert alive == []
