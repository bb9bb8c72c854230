"""Where the service listens: to others only with TLS and tokens, and only as files that nobody else can read say."""

from __future__ import annotations

import asyncio
import os
import ssl
import stat
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from click.testing import Result
from typer.testing import CliRunner

from perception.cli.main import make_app
from perception.client import RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb
from tests.support.lent_browser import borrowing
from tests.support.processes import perception
from tests.support.tls_files import TOKEN, Files


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[tuple[Service, int]]:
    service = Service(settings)
    try:
        yield service, await service.start()
    finally:
        await service.stop()


async def test_tls_and_token_together_serve_others(files: Files) -> None:
    request = session_pb.ListSessionsRequest()
    async with serving(files.settings()) as (_, port):
        client = await aconnect(f"localhost:{port}", token=TOKEN, root_certificates=files.ca)
        await client.call(client.sessions.ListSessions, request)
        await client.close()
        client = await aconnect(f"localhost:{port}", root_certificates=files.ca)
        with pytest.raises(RemoteError) as caught:
            await client.call(client.sessions.ListSessions, request)
        assert caught.value.code is grpc.StatusCode.UNAUTHENTICATED
        await client.close()
        for trusting, says in (({"tls": True}, "not signed by an authority"), ({}, "speaks TLS")):
            with pytest.raises(RemoteError, match=says):
                await aconnect(f"localhost:{port}", token=TOKEN, timeout_s=3, **trusting)


async def test_a_renewed_certificate_is_shown_to_the_next_connection(files: Files) -> None:
    cert, key = files.issue("localhost", name="current")
    async with serving(files.settings(tls_cert=cert, tls_key=key)) as (_, port):
        before = await asyncio.to_thread(shown_at, port)
        client = await aconnect(f"localhost:{port}", token=TOKEN, root_certificates=files.ca)
        kept = key.read_bytes()
        files.issue("localhost", name="current")
        renewed = key.read_bytes()
        key.write_bytes(kept)  # halfway: the new certificate is there, its key is not
        assert await asyncio.to_thread(shown_at, port) == before
        key.write_bytes(renewed)
        assert await asyncio.to_thread(shown_at, port) == cert.read_text().partition("-----END")[0]
        await client.call(client.sessions.ListSessions, session_pb.ListSessionsRequest())  # the old one's still serves
        await client.close()


def shown_at(port: int) -> str:
    """The service's certificate (PEM, up to its last line)."""
    return ssl.get_server_certificate(("localhost", port)).partition("-----END")[0]


async def test_certificate_identifies_the_caller_without_tokens(service: Service, files: Files) -> None:
    cert, key = files.issue("ana@example.org", name="ana")
    settings = files.settings(address="127.0.0.1:0", token_file=None, tls_client_ca=files.ca)
    async with borrowing(service, settings) as (asked, port):
        client = await aconnect(
            f"127.0.0.1:{port}", root_certificates=files.ca, client_certificate=cert, client_key=key
        )
        page = await client.open()
        (session,) = asked.context.sessions.sessions
        assert session.principal == "ana@example.org"
        await page.close()
        await client.close()


async def test_socket_is_for_its_user_alone_with_any_umask(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    before = os.umask(0)
    try:
        async with serving(Settings(address=f"unix:{path}", data_dir=tmp_path)):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert os.umask(0) == 0
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--address", "0.0.0.0:0"), "can be reached from other machines"),
        (("--address", "[::]:0"), "can be reached from other machines"),
        (("--address", "127.0.0.1:0", "--tls-cert", "x"), "go together"),
        (("--address", "127.0.0.1:0", "--token-file", "/nowhere"), "the token file cannot be read"),
        (("--upload-dir", "/" + "a" * 5000), "File name too long"),  # as of a folder that is closed to this user
    ],
)
def test_serve_refuses_in_one_clear_line(options: tuple[str, ...], message: str) -> None:
    done = subprocess.run(perception("serve", *options), capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


async def test_commands_show_the_token_of_a_file(
    service: Service, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in os.environ if each.startswith("PERCEPTION_T")]:
        monkeypatch.delenv(name)
    address = f"unix:{files.folder / 'socket'}"

    async def run(*words: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, make_app(words[0]), [*words, "--address", address])

    settings = Settings(address=address, token_file=files.tokens, data_dir=files.folder)
    async with borrowing(service, settings):
        assert (await run("health")).exit_code == 0
        refused = await run("detectors")
        said = [line for line in refused.stderr.splitlines() if "rpc  " not in line]  # the service logs there, too
        assert (refused.exit_code, len(said)) == (2, 1)
        assert "token" in said[0]
        assert (await run("detectors", "--token-file", str(files.tokens))).exit_code == 0
        monkeypatch.setenv("PERCEPTION_TOKEN_FILE", str(files.tokens))
        assert (await run("detectors")).exit_code == 0


async def test_clients_without_a_required_certificate_are_refused(
    files: Files, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with serving(files.settings(tls_client_ca=files.ca)) as (_, port):
        with pytest.raises(RemoteError, match="wants a certificate of the client"):
            await aconnect(f"localhost:{port}", token=TOKEN, root_certificates=files.ca, timeout_s=3)
        stranger = Files(tmp_path_factory.mktemp("stranger")).issue("me@elsewhere.example", name="stranger")
        with pytest.raises(RemoteError, match="wants a certificate of the client"):
            await aconnect(
                f"localhost:{port}",
                token=TOKEN,
                root_certificates=files.ca,
                client_certificate=stranger[0],
                client_key=stranger[1],
                timeout_s=3,
            )


async def test_a_pipe_in_a_token_files_place_holds_no_call_up(files: Files) -> None:
    async with serving(Settings(address="127.0.0.1:0", token_file=files.tokens, data_dir=files.folder)) as (_, port):
        files.tokens.unlink()
        os.mkfifo(files.tokens, 0o600)
        client = await aconnect(f"127.0.0.1:{port}", token=TOKEN, timeout_s=30)
        await client.call(client.sessions.ListSessions, session_pb.ListSessionsRequest())  # by what was known before
        await client.close()
