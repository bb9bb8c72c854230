"""What a client says where no service answers: one sentence that names the cause, and what to do."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc

from perception.client import AsyncClient, RemoteError, aconnect, connect
from perception.client.access import check_address, prepare_access
from perception.client.no_answer import explain_failure
from perception.client.requests import image_bytes, state_bytes
from perception.errors import BadInputError
from tests.support.commands import run_here


class Healthy(health_pb2_grpc.HealthServicer):
    """Answers for the whole service, and leaves waiting who asks for one."""

    def __init__(self) -> None:
        self.waiting = asyncio.Event()

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        if request.service:
            self.waiting.set()
            await asyncio.Event().wait()
        return health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)


class Certificates:
    """PEM files of two authorities, and what they signed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority, self.other = trustme.CA(), trustme.CA()
        self.ca, self.other_ca, self.junk = folder / "ca.pem", folder / "other.pem", folder / "junk.pem"
        self.authority.cert_pem.write_to_path(self.ca)
        self.other.cert_pem.write_to_path(self.other_ca)
        self.junk.write_text("no certificate")

    def server(self, name: str = "localhost", *, is_expired: bool = False, asks_client: bool = False) -> Any:
        until = datetime(2020, 1, 1, tzinfo=UTC) if is_expired else None
        issued = self.authority.issue_cert(name, not_after=until)
        chain = b"".join(each.bytes() for each in issued.cert_chain_pems)
        roots = self.authority.cert_pem.bytes() if asks_client else None
        return grpc.ssl_server_credentials([(issued.private_key_pem.bytes(), chain)], roots, asks_client)


@asynccontextmanager
async def serving(credentials: Any = None) -> AsyncIterator[tuple[int, Healthy]]:
    server, health = grpc.aio.server(), Healthy()
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    address = "127.0.0.1:0"
    port = server.add_secure_port(address, credentials) if credentials else server.add_insecure_port(address)
    await server.start()
    try:
        yield port, health
    finally:
        await server.stop(0)


@pytest.fixture
def files(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path)


async def refusal(address: str, **access: Any) -> str:
    with pytest.raises(RemoteError) as caught:
        await aconnect(address, timeout_s=10, **access)
    assert caught.value.code is grpc.StatusCode.UNAVAILABLE
    said = str(caught.value)
    for raw in ("TSI_", "SSL_ERROR", "UNKNOWN:", "last error", "Socket closed", "ipv4:"):
        assert raw not in said
    assert "\n" not in said
    return said


async def test_a_client_with_tls_is_told_of_a_service_without(files: Certificates) -> None:
    async with serving() as (port, _):
        said = await refusal(f"localhost:{port}", root_certificates=files.ca)
        assert "does not speak TLS" in said
        assert "tls=False" in said


async def test_a_client_without_tls_is_told_of_a_service_with_it(files: Certificates) -> None:
    async with serving(files.server()) as (port, _):
        said = await refusal(f"localhost:{port}")
        assert "speaks TLS, and this client does not" in said
        assert "--tls-ca" in said


@pytest.mark.parametrize(
    ("server", "access", "says"),
    [
        pytest.param({}, "other_ca", "not signed by an authority that this client trusts", id="other-authority"),
        pytest.param({}, "junk", "not PEM", id="no-certificate"),
        pytest.param({"name": "elsewhere.example"}, "ca", "for other names", id="other-name"),
        pytest.param({"is_expired": True}, "ca", "has expired", id="expired"),
        pytest.param({"asks_client": True}, "ca", "wants a certificate of the client", id="no-client-certificate"),
    ],
)
async def test_certificates_that_do_not_fit_are_named(
    files: Certificates, server: dict[str, Any], access: str, says: str
) -> None:
    async with serving(files.server(**server)) as (port, _):
        assert says in await refusal(f"localhost:{port}", root_certificates=getattr(files, access))


async def test_where_nobody_listens_the_address_is_named(tmp_path: Path) -> None:
    assert "no service answers at localhost:9" in await refusal("localhost:9")
    missing = tmp_path / "missing"
    assert f"there is no folder {missing}" in await refusal(f"unix:{missing}/socket")
    assert "no service answers at unix:" in await refusal(f"unix:{tmp_path}/socket")
    assert "is not known" in await refusal("nowhere.invalid:50051", tls=False)


async def test_another_program_is_no_service() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    web = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = web.sockets[0].getsockname()[1]
    assert "not a Perception service" in await refusal(f"127.0.0.1:{port}")
    web.close()
    other = grpc.aio.server()
    port = other.add_insecure_port("127.0.0.1:0")
    await other.start()
    assert "not a Perception service" in await refusal(f"127.0.0.1:{port}")
    await other.stop(0)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("localhost", "HOST:PORT"),
        ("127.0.0.1", "HOST:PORT"),
        ("", "HOST:PORT"),
        ("::1", "HOST:PORT"),
        ("localhost:", "HOST:PORT"),
        ("localhost:http", "HOST:PORT"),
        ("localhost:99999", "HOST:PORT"),
        ("localhost:0", "HOST:PORT"),
        ("http://localhost:50051", "is a URL"),
        ("unix:", "has 0 bytes"),
        (f"unix:/tmp/{'x' * 120}", "has 125 bytes"),
    ],
)
def test_an_address_that_is_none_is_refused_before_anything_is_sent(address: str, says: str) -> None:
    with pytest.raises(BadInputError, match=says) as caught:
        prepare_access(address)
    assert caught.value.field == "address"


@pytest.mark.parametrize(
    "address", ["localhost:1", "[::1]:50051", "perception.example:443", "unix:/tmp/s", "unix:s", "dns:///a.example"]
)
def test_addresses_that_a_service_can_have_are_taken(address: str) -> None:
    check_address(address)


async def test_a_deadline_that_the_client_notices_first_has_its_reason() -> None:
    async with serving() as (port, _):
        client = await aconnect(f"127.0.0.1:{port}")
        with pytest.raises(RemoteError, match="timeout_s") as caught:
            await client.is_serving("waits", timeout_s=0.2)
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE")
        await client.close()


async def test_a_connection_that_is_cut_during_a_call_says_so() -> None:
    async with serving() as (port, health), cut_off(port) as (relay, cut):
        client = await aconnect(f"127.0.0.1:{relay}")
        call = asyncio.create_task(client.is_serving("waits", timeout_s=30))
        await health.waiting.wait()
        await cut()
        with pytest.raises(RemoteError, match="was cut during this call: whether it was carried out is not known"):
            await call
        async with asyncio.timeout(30):
            while "the service is not reached" not in await refused(client):  # the first calls may still find the cut
                pass
        await client.close()


async def refused(client: AsyncClient) -> str:
    with pytest.raises(RemoteError) as caught:
        await client.is_serving(timeout_s=30)
    return str(caught.value)


@asynccontextmanager
async def cut_off(port: int) -> AsyncIterator[tuple[int, Callable[[], Awaitable[None]]]]:
    """A relay to a port, and what cuts all its connections and closes it."""
    writers: list[asyncio.StreamWriter] = []
    tasks: list[asyncio.Task[None]] = []

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(2**16):
            writer.write(data)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        writers.extend((writer, inner_writer))
        tasks.extend(asyncio.create_task(pass_on(*each)) for each in ((reader, inner_writer), (inner_reader, writer)))

    server = await asyncio.start_server(relay, "127.0.0.1", 0)

    async def cut() -> None:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.gather(*tasks, return_exceptions=True)

    yield server.sockets[0].getsockname()[1], cut
    await cut()


def test_a_text_of_grpc_that_is_not_known_is_no_cut_connection_to_an_address() -> None:
    said = explain_failure("failed to connect to all addresses; last error: NEW: words", tls=None)
    assert "closed the connection" in said


async def test_the_command_line_says_the_same(files: Certificates) -> None:
    async with serving(files.server()) as (port, _):
        asked = await asyncio.to_thread(run_here, "detectors", "--address", f"localhost:{port}")
        assert "speaks TLS, and this client does not" in asked.stderr
        asked = await asyncio.to_thread(
            run_here, "detectors", "--address", f"localhost:{port}", "--tls-ca", str(files.other_ca)
        )
        assert "not signed by an authority" in asked.stderr
    asked = await asyncio.to_thread(run_here, "detectors", "--address", "localhost")
    assert (asked.returncode, len(asked.stderr.strip().splitlines())) == (2, 1)
    assert "HOST:PORT" in asked.stderr


def test_a_dead_address_is_told_without_what_led_to_it() -> None:
    with pytest.raises(RemoteError, match=r"no service answers at 127\.0\.0\.1:1: check the address") as caught:
        connect("127.0.0.1:1", timeout_s=5)
    told = "".join(traceback.format_exception(caught.value))
    assert told.count("Traceback") == 1
    assert "_InactiveRpcError" not in told
    assert "refused" in caught.value.transport


@pytest.mark.parametrize("name", ["token_file", "root_certificates"])
def test_a_file_without_an_end_is_refused(name: str) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        prepare_access("127.0.0.1:1", **{name: Path("/dev/zero")})


@pytest.mark.parametrize("read", [state_bytes, image_bytes])
def test_a_state_or_image_without_an_end_is_refused(read: Callable[[Path], bytes]) -> None:
    with pytest.raises(BadInputError, match="/dev/zero cannot be read: it is larger than 64 MiB"):
        read(Path("/dev/zero"))
