"""The fork server, of which each new server of this user is a copy: as a server of its own in all that a host sees."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil
import pytest

from perception.client import aconnect, handing_over
from perception.client.shared_service import SharedService, is_listening
from tests.support.processes import NO_MODELS, perception_anew
from tests.support.waiting import until

FIRST_LINES_SECONDS = 120.0
"""For a server to answer; it takes 1 s on a quiet machine."""


class Host:
    """A host's server over stdio, as the host starts it.

    Attributes:
        process: what the host has started.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._sent = 0

    @classmethod
    async def start(
        cls, environment: dict[str, str], *options: str, folder: Path | None = None, umask: int = -1
    ) -> Self:
        pipe = asyncio.subprocess.PIPE
        command = perception_anew("mcp", "--allow-host", "127.0.0.1", *options)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=folder, umask=umask
        )
        return cls(process)

    async def begin(self) -> Self:
        who = {"name": "host", "version": "1"}
        await self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=who)
        self._send({"method": "notifications/initialized"})
        return self

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        assert self.process.stdout is not None
        self._sent += 1
        self._send({"id": self._sent, "method": method, "params": params})
        async with asyncio.timeout(FIRST_LINES_SECONDS):
            answer: dict[str, Any] = json.loads(await self.process.stdout.readline())
        assert answer["id"] == self._sent
        return answer

    async def call(self, tool: str, **arguments: Any) -> str:
        answer = await self.ask("tools/call", name=tool, arguments=arguments)
        return "".join(each.get("text", "") for each in answer["result"]["content"])

    async def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await self.process.wait()


@pytest.fixture
async def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[dict[str, str]]:
    """Of servers with a home of their own, whose services end at the end, and the fork server with them."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    given = {**own, **NO_MODELS, "PERCEPTION_HOME": str(tmp_path)}
    for name in os.environ.keys() - given.keys():
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    yield given
    for folder in (tmp_path / "shell").glob("mcp-*"):
        await asyncio.to_thread(SharedService(folder, 1.0).end)
    handing_over.fork_server_socket().unlink(missing_ok=True)
    for each in _fork_servers(tmp_path):
        each.kill()


def _fork_servers(home: Path) -> list[psutil.Process]:
    """The fork servers of a home and their copies, which have the same command line."""
    found = []
    for each in psutil.process_iter(["cmdline"]):
        with suppress(psutil.Error):
            is_one = "perception.mcp.fork_server" in (each.info["cmdline"] or ())
            if is_one and each.environ().get("PERCEPTION_HOME") == str(home):
                found.append(each)
    return found


@pytest.fixture
async def fork_server(environment: dict[str, str], tmp_path: Path) -> AsyncIterator[psutil.Process]:
    """One that runs: as no service does, it is started by hand, with a service that seems to."""
    seeming = tmp_path / "shell" / "mcp-seeming"
    seeming.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "seeming.sock"))
        listening.listen(1024)
        (seeming / "service").write_text(f"unix:{tmp_path / 'seeming.sock'}")
        process = psutil.Popen([sys.executable, "-m", "perception.mcp.fork_server"], env=environment)
        await until(lambda: is_listening(f"unix:{handing_over.fork_server_socket()}"))
        yield process
        (seeming / "service").unlink()
        process.kill()
        process.wait()


def _copies(server: psutil.Process) -> list[psutil.Process]:
    return [each for each in server.children() if each.status() != psutil.STATUS_ZOMBIE]


async def test_the_second_server_of_a_user_is_a_copy(environment: dict[str, str], tmp_path: Path, two: str) -> None:
    first = await (await Host.start(environment)).begin()
    await first.call("open", url=two)
    await until(lambda: is_listening(f"unix:{handing_over.fork_server_socket()}"))
    (server,) = _fork_servers(tmp_path)
    second = await (await Host.start(environment, folder=tmp_path, umask=0o27)).begin()
    (copy,) = _copies(server)
    handle = (await second.call("open", url=two)).split()[1]
    assert copy.cwd() == str(tmp_path)
    status = await asyncio.to_thread(Path(f"/proc/{copy.pid}/status").read_text)
    assert "Umask:\t0027\n" in status
    assert "Go away" not in await second.call("act", do="click", target="e1")
    assert "nothing changed" in await first.call("look", since="s1")
    address = SharedService(next((tmp_path / "shell").glob("mcp-*/service")).parent, 1.0).find()
    async with await aconnect(address) as client:
        assert handle in [each.session_id for each in await client.open_sessions()]
        assert await second.leave() == 0
        assert handle not in [each.session_id for each in await client.open_sessions()]
    assert not _copies(server)
    assert await first.leave() == 0


async def test_a_server_that_ends_soon_leaves_one(environment: dict[str, str], two: str) -> None:
    first = await (await Host.start(environment)).begin()
    await first.call("open", url=two)
    assert await first.leave() == 0
    await until(lambda: is_listening(f"unix:{handing_over.fork_server_socket()}"))


async def test_a_copy_ends_as_the_process_that_it_stands_for(
    environment: dict[str, str], fork_server: psutil.Process
) -> None:
    asked = await (await Host.start(environment)).begin()
    asked.process.send_signal(signal.SIGTERM)
    assert await asked.process.wait() == 0
    killed = await (await Host.start(environment)).begin()
    (copy,) = _copies(fork_server)
    killed.process.kill()
    await until(lambda: not copy.is_running())
    lost = await (await Host.start(environment)).begin()
    (copy,) = _copies(fork_server)
    copy.kill()
    assert await lost.process.wait() == 128 + signal.SIGKILL
    orphan = await (await Host.start(environment)).begin()
    fork_server.kill()
    assert (await orphan.ask("tools/list"))["result"]["tools"]  # it serves on
    await orphan.leave()


async def test_what_is_wrong_is_said_as_without_one(
    environment: dict[str, str], fork_server: psutil.Process, tmp_path: Path
) -> None:
    told = []
    for home in (tmp_path, tmp_path / "other"):
        given = {**environment, "PERCEPTION_HOME": str(home)}
        wrong = await Host.start(given, "--tools", "nothing")
        assert wrong.process.stderr is not None
        told.append((await wrong.process.stderr.read(), await wrong.process.wait()))
    assert told[0] == told[1]
    assert b"nothing" in told[0][0]
    assert told[0][1] == 2


async def test_other_servers_serve_themselves(environment: dict[str, str], fork_server: psutil.Process) -> None:
    for given in ({**environment, "TZ": "Asia/Tokyo"}, environment):
        host = await Host.start(given, *(() if given is not environment else ("--unshared",)))
        await host.begin()
        assert not _copies(fork_server)
        await host.leave()
    path = handing_over.fork_server_socket()
    with socket.socket(socket.AF_UNIX) as connection:  # who asks for a copy with another environment
        connection.settimeout(10)
        connection.connect(str(path))
        assert connection.recv(1) == handing_over.READY
        request = {
            "words": ["perception", "mcp"],
            "folder": "/",
            "mask": 0o77,
            "environment": {**environment, "PATH": "/other"},
        }
        told = json.dumps(request).encode()
        socket.send_fds(connection, [len(told).to_bytes(4, "big")], [0, 1, 2])
        connection.sendall(told)
        assert connection.recv(1) == b"\x01"  # the exit code of a copy that was never ready
    await until(lambda: not _copies(fork_server))


async def test_a_fork_server_that_does_not_answer_is_not_waited_for(environment: dict[str, str]) -> None:
    path = handing_over.fork_server_socket()
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        host = await (await Host.start(environment)).begin()
        assert len((await host.ask("tools/list"))["result"]["tools"]) == 11
        assert await host.leave() == 0  # its streams are closed, too: they were given to nobody


async def test_it_ends_when_nobody_needs_it(environment: dict[str, str]) -> None:
    code = "from perception.mcp import fork_server; fork_server.CHECK_SECONDS = 0.1; fork_server.main()"
    start = time.monotonic()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=environment)
    assert await process.wait() == 0  # there is no service
    assert time.monotonic() - start < FIRST_LINES_SECONDS


def test_it_has_one_thread_and_no_library_of_the_service(environment: dict[str, str]) -> None:
    code = "import os, sys; from perception.mcp.fork_server import _load; _load(); print(len(os.listdir('/proc/self/task')), 'playwright' in sys.modules)"  # noqa: E501
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1 False\n"
