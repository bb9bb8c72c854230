"""Clients of the MCP server that go away in the middle of a call: hosts that are killed, HTTP connections that are cut.

Afterwards the service has no sessions of theirs, no server runs without its host, and memory is as before.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
import time
from pathlib import Path

import psutil

from perception.bench.mcp_client import OWN_COMMAND, McpError, own_http_server
from perception.bench.suites.fuzz.fuzzed_page import serve_page
from perception.bench.suites.fuzz.fuzzed_sessions import resident_mib
from perception.bench.suites.fuzz.outcomes import PartOutcome
from perception.bench.suites.fuzz.raw_client import raw_client
from perception.client import AsyncClient, RemoteError, aconnect
from perception.client.child import ServiceChild

GONE_SECONDS = 150.0
"""For sessions and servers to end: a client over HTTP may come back for two minutes."""

START_SECONDS = 60.0
"""For a host to have its server in the middle of a call; it takes 2 s on a quiet machine."""

WARM = 10
"""Clients before memory and processes are first counted."""

MIB_MORE = 100
"""Allowed growth of the service and of the HTTP server, each."""

POLL_SECONDS = 0.5

HOST = """
import json, subprocess, sys

server = subprocess.Popen(sys.argv[2:], stdin=-1, stdout=-1)

def send(method, **params):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    message |= {} if method.startswith("notifications/") else {"id": method}
    server.stdin.write(json.dumps(message).encode() + bytes([10]))
    server.stdin.flush()

who = {"name": "host", "version": "1"}
send("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=who)
server.stdout.readline()
send("notifications/initialized")
send("tools/call", name="open", arguments={"url": sys.argv[1]})
assert b"session: " in server.stdout.readline()
send("tools/call", name="wait", arguments={"text": "never", "seconds": 120})
print(server.pid, flush=True)
sys.exit(server.wait())
"""
"""A host without any SDK, whose server is in the middle of a call. Its arguments: a page, and the server's command."""


async def fuzz_clients(cases: int, seed: int) -> PartOutcome:
    """Clients one after another, every second one over HTTP. The seed changes nothing."""
    outcome = PartOutcome("clients")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, serve_page() as origin, (Path(folder) / "log").open("wb") as log:
        child = await asyncio.to_thread(ServiceChild.start, ("127.0.0.1",), (), log)
        try:
            async with (
                own_http_server("--address", child.address, log=log) as (url, process),
                await aconnect(child.address) as client,
            ):
                watched = (child.process.pid, process.pid)
                before: tuple[int, ...] = ()
                for number in range(cases):
                    if number == min(WARM, cases - 1):
                        await _sessions_left(client)
                        before = _counts(watched)
                    await _one(outcome, number, url, child.address, f"{origin}/")
                left = await _sessions_left(client)
                if left:
                    outcome.fail(cases, "sessions", f"{left} are left after {GONE_SECONDS:g} s")
                _compare(outcome, before, _counts(watched))
        finally:
            await asyncio.to_thread(child.stop)
    outcome.seconds = time.monotonic() - start
    return outcome


async def _one(outcome: PartOutcome, number: int, url: str, address: str, page: str) -> None:
    how = "HTTP connection cut" if number % 2 else "host killed"
    try:
        if number % 2:
            await cut_client(url, page)
        else:
            await kill_host(page, (*OWN_COMMAND, "--address", address))
    except (McpError, TimeoutError) as exc:
        outcome.count("FAILED")
        outcome.fail(number, how, f"{type(exc).__name__}: {exc}")
    else:
        outcome.count(how)


async def cut_client(url: str, page: str) -> None:
    """A client over HTTP that opens a page and closes its sockets in the middle of a call.

    Raises:
        McpError: the page could not be opened.
    """
    async with raw_client(url) as client:
        text, is_error = await client.call("open", {"url": page})
        if is_error:
            raise McpError(text)
        waiting = asyncio.create_task(client.call("wait", {"text": "never", "seconds": 120}))
        await asyncio.wait({waiting}, timeout=0.2)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


async def kill_host(page: str, command: tuple[str, ...]) -> None:
    """A host over stdio that is killed in the middle of a call. Raises McpError where its server goes on."""
    host = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOST, page, *command), stdout=asyncio.subprocess.PIPE
    )
    assert host.stdout is not None
    try:
        async with asyncio.timeout(START_SECONDS):
            told = await host.stdout.readline()
    finally:
        if host.returncode is None:
            host.send_signal(signal.SIGKILL)
        await host.wait()
    if not told:
        raise McpError("the host's server did not open the page")
    try:
        server = psutil.Process(int(told))
        await asyncio.to_thread(server.wait, GONE_SECONDS)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired as exc:
        raise McpError(f"the server runs {GONE_SECONDS:g} s after its host was killed") from exc


async def _sessions_left(client: AsyncClient) -> int:
    """How many sessions there are after the time that they may take to end."""
    end = time.monotonic() + GONE_SECONDS
    while True:
        try:
            left = len(await client.open_sessions())
        except RemoteError as exc:
            raise McpError(f"the service does not answer: {exc}") from exc
        if not left or time.monotonic() > end:
            return left
        await asyncio.sleep(POLL_SECONDS)


def _counts(pids: tuple[int, int]) -> tuple[int, ...]:
    """Processes below the service, and MiB resident of the service and of the HTTP server."""
    service, server = pids
    return len(psutil.Process(service).children(recursive=True)), int(resident_mib(service)), int(resident_mib(server))


def _compare(outcome: PartOutcome, before: tuple[int, ...], after: tuple[int, ...]) -> None:
    names = ("processes of the service", "MiB of the service", "MiB of the HTTP server")
    allowed = (0, MIB_MORE, MIB_MORE)
    for name, early, late, more in zip(names, before, after, allowed, strict=True):
        outcome.notes.append(f"{name}: {early} early, {late} at the end")
        if late - early > more:
            outcome.fail(outcome.cases, name, f"{late - early} more than early")
