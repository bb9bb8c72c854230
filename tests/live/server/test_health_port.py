"""Health at an address of its own: for probes without certificate and token, and nothing else is answered there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from perception.browser.network import reserved_ports
from perception.errors import BadInputError
from perception.server.app import Service
from perception.server.health_port import HealthPort
from perception.server.placement.new_cluster import make_cluster
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import session_service_pb2_grpc as session_grpc
from tests.support.scripted_workers import cluster, until, write_keys

HERE = "127.0.0.1:0"

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def state(port: HealthPort, service: str = "") -> int:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port.port}") as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        return int((await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=30)).status)


async def becomes(port: HealthPort, wanted: int) -> None:
    """An edge tells of its workers a moment after it has heard of them."""
    async with asyncio.timeout(20):
        while await state(port) != wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_an_edge_with_certificates_says_without_them_whether_it_serves(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    make_cluster(folder)
    async with cluster(tmp_path) as house:
        worker = await house.worker(HERE, cluster=folder)
        edge = await house.edge(cluster=folder, health_address=HERE)
        probed = edge._health_port
        await becomes(probed, SERVING)
        assert (await state(probed), await state(probed, "live")) == (SERVING, SERVING)
        await worker.kill()
        await until(lambda: not edge.workers.up)
        await becomes(probed, NOT_SERVING)
        assert (await state(probed), await state(probed, "live")) == (NOT_SERVING, SERVING)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{probed.port}") as channel:
            sessions = session_grpc.SessionServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await sessions.ListSessions(session_pb.ListSessionsRequest(), timeout=30)
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_no_page_reaches_the_port_and_it_ends_with_the_service() -> None:
    port = HealthPort(HERE, health.aio.HealthServicer())
    await port.start()
    number = port.port
    assert number in reserved_ports._ports
    await port.stop()
    await port.stop()
    assert number not in reserved_ports._ports


async def test_none_is_opened_unless_it_is_asked_for() -> None:
    port = HealthPort("", health.aio.HealthServicer())
    await port.start()
    assert port.port == 0
    await port.stop()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("0.0.0.0", "'0.0.0.0' is not an address for health: write HOST:PORT or unix:PATH"),
        ("192.0.2.1:50052", "192.0.2.1:50052 cannot be listened on for health: another program uses it, or it is no"),
    ],
)
async def test_an_address_that_is_none_is_refused_by_name(address: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        await HealthPort(address, health.aio.HealthServicer()).start()


async def test_a_worker_that_drains_lives_and_takes_no_calls(tmp_path: Path) -> None:
    keys = write_keys(tmp_path / "session.keys", b"k" * 32)
    service = Service(
        Settings(
            address=f"unix:{tmp_path / 'w'}",
            worker=True,
            session_keys=keys,
            health_address=HERE,
            data_dir=tmp_path,
            drain_s=0,
        )
    )
    await service.start()
    try:
        probed = service._health_port
        assert (await state(probed), await state(probed, "live")) == (SERVING, SERVING)
        await service.drain()
        assert (await state(probed), await state(probed, "live")) == (NOT_SERVING, SERVING)
    finally:
        await service.stop()
    assert probed._server is None
