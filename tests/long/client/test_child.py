"""A service that is started for one client: nobody else reaches it, and nothing is left of it."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import grpc
import pytest

from perception.browser.chromium import leftovers
from perception.client import RemoteError, aconnect, child, connect
from perception.client.child import FOLDER_PREFIX, READY_FILE, ChildError, ServiceChild
from tests.support.processes import perception


def _folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"))


def _without_unix_sockets(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    monkeypatch.delattr(socket, "AF_UNIX")


def _in_a_deep_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))


@pytest.mark.parametrize("prepare", [_without_unix_sockets, _in_a_deep_folder])
def test_without_a_socket_it_listens_on_loopback_for_the_holder_of_its_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prepare: object
) -> None:
    assert callable(prepare)
    serve = perception("serve")  # its fork server starts in a usual folder
    monkeypatch.setattr(child, "serve_command", lambda *options: [*serve, *options])
    prepare(monkeypatch, tmp_path)
    with connect() as client:
        service = client._child
        assert service is not None
        host, _, port = service.address.rpartition(":")
        assert (host, int(port) > 0) == ("127.0.0.1", True)
        assert stat.S_IMODE(service.folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((service.folder / "token").stat().st_mode) == 0o600
        assert len(service.access.token) >= 32
        assert service.access.token not in " ".join(map(str, service.process.args))  # type: ignore[arg-type]
        assert client.is_serving("perception.v1.SessionService")
        with connect(service.address) as stranger:
            with pytest.raises(RemoteError) as caught:
                stranger.open()
            assert caught.value.code is grpc.StatusCode.UNAUTHENTICATED
    assert service.process.returncode == 0
    assert not service.folder.exists()


def test_a_service_that_does_not_start_is_an_error_and_leaves_no_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other tests have services of their own
    monkeypatch.setenv("PERCEPTION_MAX_SESSIONS", "none")
    with pytest.raises(RemoteError, match="the service did not start") as caught:
        connect()
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE
    assert not _folders()


def test_a_service_that_needs_long_goes_on_starting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    waiting = f'until [ -e {tmp_path}/go ]; do sleep 0.05; done; exec "$@"'
    serve = perception("serve")
    monkeypatch.setattr(child, "serve_command", lambda *options: ["sh", "-c", waiting, "sh", *serve, *options])
    service = ServiceChild.launch()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(child, "START_SECONDS", 0.1)
            with pytest.raises(ChildError, match=r"after 0\.1 s: try again"):
                service.wait_until_ready()
        (tmp_path / "go").touch()
        service.wait_until_ready()
        assert service.address
    finally:
        service.stop()


async def test_a_service_without_waiting_clients_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[ServiceChild] = []
    begun, go_on, stopped = threading.Event(), threading.Event(), threading.Event()

    def start(*_: object) -> ServiceChild:
        begun.set()
        assert go_on.wait(30)
        process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        children.append(ServiceChild(process, Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX)), "unix:up"))
        return children[0]

    stop = ServiceChild.stop
    monkeypatch.setattr(ServiceChild, "start", start)
    monkeypatch.setattr(ServiceChild, "stop", lambda child: (stop(child), stopped.set()))
    connecting = asyncio.ensure_future(aconnect())
    assert await asyncio.to_thread(begun.wait, 30)
    connecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await connecting
    go_on.set()
    assert await asyncio.to_thread(stopped.wait, 30)
    assert children[0].process.returncode == 0
    assert not children[0].folder.exists()


def test_folders_of_killed_clients_are_removed_and_others_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(leftovers, "SHORT", tmp_path)
    old = time.time() - 2 * leftovers.YOUNG_SECONDS
    with socket.create_server(("127.0.0.1", 0)) as running, socket.socket() as ended:
        ended.bind(("127.0.0.1", 0))  # nobody listens there, and nobody else gets the port
        ports = {"running": running.getsockname()[1], "ended": ended.getsockname()[1]}
        for name, port in ports.items():
            folder = tmp_path / f"{FOLDER_PREFIX}{name}"
            folder.mkdir()
            (folder / READY_FILE).write_text(f"127.0.0.1:{port}")
            os.utime(folder, (old, old))
        leftovers.sweep()
    assert [path.name for path in tmp_path.iterdir()] == [f"{FOLDER_PREFIX}running"]
