"""Workers behind a name: each of its addresses is one, and an edge follows what the name says."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from perception.client import RemoteError, aconnect
from perception.errors import BadInputError
from perception.server.placement import members
from perception.server.placement.edge import Edge
from perception.server.placement.members import StaticMembers, members_of, resolve_host
from perception.server.placement.new_cluster import make_cluster
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as pb
from tests.support.scripted_workers import Cluster, address_of, cluster, until

NAME = "workers.test"


class Names:
    """What this process's resolver says of NAME: a test changes it."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.asked = 0
        self._system = socket.getaddrinfo

    def getaddrinfo(self, host: str, port: int, *args: Any, **options: Any) -> Any:
        if host != NAME:
            return self._system(host, port, *args, **options)
        self.asked += 1
        if not self.addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [each for address in self.addresses for each in self._system(address, port, *args, **options)]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    names = Names()
    monkeypatch.setattr(socket, "getaddrinfo", names.getaddrinfo)
    monkeypatch.setattr(members, "RESOLVE_SECONDS", 0.02)
    monkeypatch.setattr(members, "RETRY_SECONDS", 0.02)
    return names


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "c"
    make_cluster(folder)
    return folder


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with cluster(tmp_path) as house:
        yield house


async def pods(house: Cluster, folder: Path, *hosts: str) -> int:
    """Workers at one port of several addresses of this machine. Returns the port."""
    first = await house.worker(f"{hosts[0]}:0", cluster=folder, name="pod-0")
    port = int(first.address.rpartition(":")[2])
    for number, each in enumerate(hosts[1:], 1):
        await house.worker(f"{each}:{port}", cluster=folder, name=f"pod-{number}")
    return port


def up(edge: Edge) -> set[str]:
    return {each.address for each in edge.workers.up}


async def test_each_address_of_a_name_is_a_worker(house: Cluster, folder: Path, names: Names) -> None:
    port = await pods(house, folder, "127.0.0.2", "127.0.0.3")
    names.addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.2"]
    edge = await house.edge(f"{NAME}:{port}", cluster=folder)
    assert up(edge) == {f"127.0.0.2:{port}", f"127.0.0.3:{port}"}
    client = await aconnect(address_of(edge), timeout_s=10)
    for _ in range(2):
        await client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=10)
    assert [len(each.opened) for each in house.workers] == [1, 1]
    await client.close()


async def test_an_edge_follows_a_name_and_keeps_what_it_reaches(house: Cluster, folder: Path, names: Names) -> None:
    port = await pods(house, folder, "127.0.0.2", "127.0.0.3")
    names.addresses = ["127.0.0.2"]
    edge = await house.edge(f"{NAME}:{port}", cluster=folder)
    assert up(edge) == {f"127.0.0.2:{port}"}
    names.addresses = ["127.0.0.2", "127.0.0.3"]
    await until(lambda: len(up(edge)) == 2)
    client = await aconnect(address_of(edge), timeout_s=10)
    ids = [
        (await client.sessions.CreateSession(pb.CreateSessionRequest(), timeout=10)).session.session_id
        for _ in range(2)
    ]
    names.addresses = ["127.0.0.3"]  # the other one has sessions, and is reached
    asked = names.asked
    await until(lambda: names.asked > asked + 2)
    for each in ids:
        assert (await client.attach(each)).session_id == each
    await house.workers[0].kill()
    await until(lambda: {each.address for each in edge.workers.links} == {f"127.0.0.3:{port}"})
    names.addresses = []
    asked = names.asked
    await until(lambda: names.asked > asked + 2)
    assert up(edge) == {f"127.0.0.3:{port}"}
    await client.close()


async def test_a_name_that_is_not_known_yet_is_asked_again_and_said_once(
    house: Cluster, folder: Path, names: Names
) -> None:
    port = await pods(house, folder, "127.0.0.2")
    with capture_logs() as logs:
        edge = await house.edge(f"{NAME}:{port}", cluster=folder)
        client = await aconnect(address_of(edge), timeout_s=10)
        with pytest.raises(RemoteError) as caught:
            await client.open()
        assert caught.value.reason == "WORKER_UNREACHABLE"
        await until(lambda: names.asked > 3)
        names.addresses = ["127.0.0.2"]
        await until(lambda: bool(up(edge)))
    said = [each for each in logs if each["event"].startswith("name ")]
    assert [each["event"] for each in said] == ["name not resolved", "name resolved"]
    assert said[0]["name"] == f"{NAME}:{port}"
    assert "not known" in said[0]["why"]
    await client.close()


async def test_a_resolver_that_hangs_holds_no_edge_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "FIRST_ANSWER_SECONDS", 0.01)
    answered = asyncio.Event()

    async def resolve(_: str, port: int) -> tuple[str, ...]:
        await answered.wait()
        return (f"10.0.0.9:{port}",)

    monkeypatch.setattr(members, "RETRY_SECONDS", 0.01)
    heard: list[tuple[str, ...]] = []
    those = StaticMembers(["10.0.0.1:1", "slow.test:1"], resolve)
    with capture_logs() as logs:
        await those.start(lambda addresses: heard.append(tuple(addresses)))
    assert heard == [("10.0.0.1:1",)]
    assert [each["event"] for each in logs] == ["names not resolved yet"]
    answered.set()
    await until(lambda: len(heard) > 1)
    assert heard[-1] == ("10.0.0.1:1", "10.0.0.9:1")
    await those.close()
    await those.close()


async def test_a_name_has_its_addresses_of_one_kind(names: Names) -> None:
    names.addresses = ["::1", "127.0.0.3", "127.0.0.2"]
    assert await resolve_host(NAME, 5) == ("127.0.0.2:5", "127.0.0.3:5")
    names.addresses = ["::2", "::1"]
    assert await resolve_host(NAME, 5) == ("[::1]:5", "[::2]:5")


async def test_addresses_and_localhost_are_not_resolved(names: Names) -> None:
    async def resolve(_: str, __: int) -> tuple[str, ...]:
        raise AssertionError("asked")

    fixed = ("unix:/run/w", "localhost:1", "127.0.0.1:1", "[::1]:1", "10.0.0.5:1", "[fd00::5]:1")
    heard: list[tuple[str, ...]] = []
    those = StaticMembers(fixed, resolve)
    await those.start(lambda addresses: heard.append(tuple(addresses)))
    await those.close()
    assert heard == [fixed]


def test_a_name_needs_a_clusters_certificates(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"workers\.test:50061 is another machine, and .* not encrypted"):
        members_of(Settings(placement=f"static={NAME}:50061", session_keys=tmp_path))
