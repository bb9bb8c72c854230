"""A cluster's certificates: edges and workers know each other by them, and nobody else gets in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

from perception.client import RemoteError, aconnect
from perception.client.access import CHANNEL_OPTIONS
from perception.errors import BadInputError, DeadlineError
from perception.server.auth.authenticator import Authenticator
from perception.server.auth.session_ids import parse_keys
from perception.server.placement import draining as draining_module
from perception.server.placement.authority import HOST, edge_credentials
from perception.server.placement.command import app
from perception.server.placement.draining import ask_and_wait, ask_to_end
from perception.server.placement.new_cluster import add_key, make_cluster
from perception.server.placement.worker_link import WorkerLink, tls_options
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as pb
from tests.support.scripted_workers import GET, Cluster, address_of, cluster, until

HERE = "127.0.0.1:0"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with cluster(tmp_path) as house:
        yield house


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "c"
    make_cluster(folder)
    return folder


def channel(address: str, folder: Path | None, name: str = "edge", root: Path | None = None) -> grpc.aio.Channel:
    """A channel with a certificate of a cluster's folder; without one for None."""
    options = (*CHANNEL_OPTIONS, ("grpc.ssl_target_name_override", HOST))
    authority = ((root or folder or Path()) / "authority.pem").read_bytes()
    shown = ((folder / f"{name}.key").read_bytes(), (folder / f"{name}.pem").read_bytes()) if folder else (None, None)
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(authority, *shown), options=options)


async def test_an_edge_reaches_its_workers_over_mutual_tls(house: Cluster, folder: Path) -> None:
    worker = await house.worker(HERE, cluster=folder)
    client = await aconnect(address_of(await house.edge(cluster=folder)), timeout_s=10)
    reply = await client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=10)
    assert reply.session.session_id in worker.opened
    await client.close()


async def test_a_worker_refuses_other_clusters_other_certificates_and_plain_connections(
    house: Cluster, folder: Path, tmp_path: Path
) -> None:
    worker = await house.worker(HERE, cluster=folder)
    make_cluster(tmp_path / "other")
    request = pb.GetSessionRequest(session_id="s1").SerializeToString()
    ways = {
        "no certificate": channel(worker.address, None, root=folder),
        "another cluster's": channel(worker.address, tmp_path / "other", root=folder),
        "a worker's": channel(worker.address, folder, "worker"),
        "plain": grpc.aio.insecure_channel(worker.address, options=CHANNEL_OPTIONS),
        "an edge's, without who calls": channel(worker.address, folder),
    }
    for way, opened in ways.items():
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await opened.unary_unary(GET)(request, timeout=30)
        expected = grpc.StatusCode.UNAUTHENTICATED if way.startswith("an edge") else grpc.StatusCode.UNAVAILABLE
        assert caught.value.code() is expected, way
        await opened.close()


async def test_an_edge_refuses_a_worker_of_another_cluster(house: Cluster, folder: Path, tmp_path: Path) -> None:
    make_cluster(tmp_path / "other")
    (tmp_path / "other/session.keys").write_bytes((folder / "session.keys").read_bytes())
    worker = await house.worker(HERE, cluster=tmp_path / "other")
    with pytest.raises(TimeoutError):
        await reached(worker.address, folder)
    assert worker.placement.taken == 0


async def reached(address: str, folder: Path) -> None:
    """Raises TimeoutError where the worker is not reached within a second."""
    keys = parse_keys((folder / "session.keys").read_bytes())
    news = asyncio.Event()
    link = WorkerLink(address, lambda: keys, lambda _: news.set(), edge_credentials(folder), tls_options())
    link.start()
    try:
        async with asyncio.timeout(1):
            while not link.up:
                await news.wait()
                news.clear()
    finally:
        await link.close()


async def test_an_operator_tells_a_worker_to_end(house: Cluster, folder: Path) -> None:
    worker = await house.worker(HERE, cluster=folder)
    status = await ask_to_end(worker.address, folder, 1.5)
    assert status.taken == 0
    await until(worker.worker.asked_to_end.is_set)


async def test_an_operator_who_waits_is_told_when_the_worker_has_ended(house: Cluster, folder: Path) -> None:
    worker = await house.worker(HERE, cluster=folder)
    slot = worker.placement.claim()
    said: list[int] = []
    waiting = asyncio.ensure_future(ask_and_wait(worker.address, folder, 30, lambda each: said.append(each.taken)))
    await worker.worker.asked_to_end.wait()
    draining = asyncio.ensure_future(worker.worker.drain())
    await until(lambda: bool(said))
    done, _ = await asyncio.wait((waiting, draining), timeout=3 * draining_module.LOOK_SECONDS)
    assert not done
    worker.placement.release(slot)
    await draining
    with capture_logs() as logs:
        await worker.worker.announce_end()
        done, _ = await asyncio.wait((waiting,), timeout=3 * draining_module.LOOK_SECONDS)
    assert not done  # its port is open
    assert "worker reached" not in [each["event"] for each in logs]
    await worker.kill()
    await asyncio.wait_for(waiting, 10)
    assert said == [1]


async def test_a_worker_that_stays_after_its_grace_is_an_error(
    house: Cluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draining_module, "ENDING_SECONDS", 0.0)
    worker = await house.worker(HERE, cluster=folder, grace_s=30)
    worker.placement.claim()
    waiting = asyncio.ensure_future(ask_and_wait(worker.address, folder, 0.3, lambda _: None))
    await worker.worker.asked_to_end.wait()
    await worker.worker.drain()
    with pytest.raises(DeadlineError, match="was to end 0 s ago, and is still there: see its log"):
        await asyncio.wait_for(waiting, 10)


async def test_a_worker_that_was_started_again_at_the_address_has_ended(house: Cluster, folder: Path) -> None:
    worker = await house.worker(HERE, cluster=folder)
    waiting = asyncio.ensure_future(ask_and_wait(worker.address, folder, None, lambda _: None))
    await worker.worker.asked_to_end.wait()
    worker.placement.epoch += 1
    await asyncio.wait_for(waiting, 10)


async def test_a_new_key_is_taken_while_edges_and_workers_run(house: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "rotated"
    make_cluster(folder)
    await house.worker(HERE, cluster=folder, slots=3)
    client = await aconnect(address_of(await house.edge(cluster=folder)), timeout_s=10)
    old = (await client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=10)).session.session_id
    assert add_key(folder) == 2
    new = (await client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=10)).session.session_id
    for each in (old, new):
        assert (await client.attach(each)).session_id == each
    lines = (folder / "session.keys").read_text().splitlines()
    (folder / "session.keys").write_text(lines[0] + "\n")
    assert (await client.attach(new)).session_id == new
    with pytest.raises(RemoteError) as caught:
        await client.attach(old)
    assert caught.value.reason == "SESSION_ID_FORGED"
    await client.close()


def test_the_command_makes_a_folder_once_and_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    made = CliRunner().invoke(app, ["init", str(folder)])
    assert made.exit_code == 0, made.output
    private = ["authority.key", "edge.key", "session.keys", "worker.key"]
    assert sorted(each.name for each in folder.iterdir() if not each.stat().st_mode & 0o077) == private
    again = CliRunner().invoke(app, ["init", str(folder)])
    assert again.exit_code == 2
    added = CliRunner().invoke(app, ["new-key", str(folder)])
    assert added.exit_code == 0, added.output


def test_a_worker_that_others_can_reach_needs_a_cluster(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="perception cluster init FOLDER"):
        Authenticator(Settings(address="0.0.0.0:50052", worker=True, session_keys=folder / "session.keys"))
    Authenticator(Settings(address="0.0.0.0:50052", worker=True, cluster=folder))
    with pytest.raises(BadInputError, match="cannot be read"):
        Authenticator(Settings(address="127.0.0.1:1", worker=True, cluster=tmp_path))
