"""One private service for the MCP servers of a user: sessions apart, and it ends by itself."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from perception.client import user_folder
from perception.client.shared_service import SharedService, listener
from perception.mcp import shared
from perception.server.app import Service
from perception.tools import backend as backend_module
from perception.tools.backend import Backend, BackendOptions
from tests.long.mcp.conftest import Tools
from tests.support.processes import NO_MODELS, perception
from tests.support.waiting import until


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Path]:
    """A home folder; services that were started there have ended at the end."""
    yield tmp_path
    for folder in (tmp_path / "shell").glob("mcp-*"):
        await asyncio.to_thread(SharedService(folder, 1.0).end)


@asynccontextmanager
async def _server(home: Path, *options: str, **environment: str) -> AsyncIterator[Tools]:
    """A host's server over stdio."""
    command, *arguments = perception("mcp", "--allow-host", "127.0.0.1", *options)
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    whole = {**own, **NO_MODELS, "PERCEPTION_HOME": str(home), **environment}
    transport = stdio_client(StdioServerParameters(command=command, args=arguments, env=whole))
    async with Client(transport, mode="legacy") as client:
        yield Tools(client)


def _listeners(home: Path) -> list[int]:
    """The processes of shared services that listen."""
    found = [listener(each.read_text()) for each in (home / "shell").glob("mcp-*/service")]
    return [each for each in found if each]


async def test_servers_share_a_service_and_their_sessions_are_apart(two: str, home: Path) -> None:
    async with _server(home) as first:
        await first("open", url=two)
        (pid,) = _listeners(home)
        async with _server(home) as second, _server(home, "--unshared") as alone:
            assert "Two" in await second("open", url=two)
            await alone("open", url=two)
            assert _listeners(home) == [pid]
            assert "Go away" not in await second("act", do="click", target="e1")
            assert "nothing changed" in await first("look", since="s1")
        assert "Two" in await first("look")  # the others' end has closed their sessions alone
        psutil.Process(pid).kill()
        await until(lambda: not _listeners(home))
        assert "open" in await first.refused("look")
        assert "Two" in await first("open", url=two)
        assert len(set(_listeners(home)) | {pid}) == 2


def test_what_a_service_is_started_with_says_which_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path))
    secrets = tmp_path / "secrets"
    secrets.write_text("one")

    def folder(*options: str) -> str:
        found = shared.shared_service(options)
        assert found is not None
        return found.folder.name

    plain = folder()
    assert folder() == plain
    monkeypatch.setenv("TERM_SESSION_ID", "another")
    assert folder() == plain
    different = {folder("--allow-host", "localhost"), plain}
    for name, value in (("PERCEPTION_SECRETS_FILE", str(secrets)), ("https_proxy", "http://proxy:1"), ("TZ", "UTC")):
        monkeypatch.setenv(name, value)
        different.add(folder())
    os.utime(secrets, (1, 1))
    different.add(folder())
    assert len(different) == 6
    monkeypatch.setattr(user_folder, "is_own", lambda found: False)
    assert shared.shared_service(()) is None


def test_folders_of_services_that_nobody_starts_any_more_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path))
    shell = tmp_path / "shell"
    for name in ("mcp-old", "mcp-running", "mcp-new", "other"):
        (shell / name).mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "running.sock"))
        listening.listen()
        (shell / "mcp-running" / "service").write_text(f"unix:{tmp_path / 'running.sock'}")
        for name in ("mcp-old", "mcp-running", "other"):
            os.utime(shell / name, (1, 1))
        found = shared.shared_service(())
    assert found is not None
    left = {each.name for each in shell.iterdir() if each.is_dir()}
    assert left == {"mcp-running", "mcp-new", "other", found.folder.name}


async def test_a_shared_service_that_does_not_answer_is_replaced_by_one_alone(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend_module, "CHECK_SECONDS", 0.3)
    silent = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(silent))
        listening.listen()
        (tmp_path / "service").write_text(f"unix:{silent}")
        given = Backend(BackendOptions(), shared=SharedService(tmp_path, 1.0))
        launched = _launched(service, monkeypatch)
        try:
            assert await (await given.caller()).client.is_serving()
            assert launched == [()]
        finally:
            await given.close()


def _launched(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The allowed hosts of services that are started for one process alone: each is the tests' own."""
    launched: list[tuple[str, ...]] = []

    class Process:
        def poll(self) -> None: ...

    class Child:
        process, address, access = Process(), service.context.settings.address, backend_module.Access()

        async def astop(self) -> None: ...

    def launch(hosts: tuple[str, ...], options: tuple[str, ...]) -> Child:
        launched.append(tuple(hosts))
        return Child()

    monkeypatch.setattr(backend_module.ServiceChild, "launch", launch)
    return launched
