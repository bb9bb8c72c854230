"""Where the service listens: to others only with TLS and tokens, and only as files that nobody else can read say."""

from __future__ import annotations

import asyncio
import datetime
import os
import secrets
import ssl
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from perception.client import RemoteError, aconnect
from perception.client.access import is_local
from perception.errors import BadInputError
from perception.server.app import Service
from perception.server.auth.authenticator import Authenticator, find_token, new_token, parse_tokens
from perception.server.auth.rights import Right
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb

TOKEN = secrets.token_urlsafe(32)


class Files:
    """A service's files: certificates of an authority of its own, and a token file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = trustme.CA()
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(str(self.ca))
        self.tokens = folder / "tokens"
        self.tokens.touch(0o600)
        self.tokens.write_text(f"me {TOKEN}\n")
        self.cert, self.key = self.issue("localhost", "127.0.0.1")

    def issue(self, *names: str, name: str = "service", **options: Any) -> tuple[Path, Path]:
        issued = self.authority.issue_cert(*names, **options)
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        cert.write_bytes(b"".join(each.bytes() for each in issued.cert_chain_pems))
        key.touch(0o600)
        key.write_bytes(issued.private_key_pem.bytes())
        return cert, key

    def settings(self, **changes: Any) -> Settings:
        given = {
            "address": "0.0.0.0:0",
            "token_file": self.tokens,
            "tls_cert": self.cert,
            "tls_key": self.key,
            "data_dir": self.folder,
        }
        return Settings(**{name: value for name, value in (given | changes).items() if value is not None})


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


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1:50051", True),
        ("127.8.9.1:50051", True),
        ("localhost:0", True),
        ("[::1]:50051", True),
        ("unix:/run/perception/socket", True),
        ("0.0.0.0:50051", False),
        ("[::]:50051", False),
        (":50051", False),
        ("*:50051", False),
        ("10.0.0.1:50051", False),
        ("2130706433:50051", False),
        ("0x7f.1:50051", False),
        ("localhost.example:50051", False),
        ("127.0.0.1.example:50051", False),
        ("dns:///localhost:50051", False),
        ("unix-abstract:name:1", False),
        ("vsock:1:50051", False),
    ],
)
def test_only_sockets_and_loopback_are_local(address: str, local: bool) -> None:
    assert is_local(address) is local
    if local:
        Authenticator(Settings(address=address))
    else:
        with pytest.raises(BadInputError, match="--tls-cert, --tls-key and --token-file"):
            Authenticator(Settings(address=address))


@pytest.mark.parametrize("missing", ["token_file", "tls_cert", "tls_key"])
def test_others_are_not_served_without_any_of_the_three(files: Files, missing: str) -> None:
    with pytest.raises(BadInputError, match=r"can be reached from other machines|go together"):
        Authenticator(files.settings(**{missing: None}))


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
        for trusting in ({"tls": True}, {}):  # an authority that is not known, and none at all
            with pytest.raises(RemoteError, match="no service answers"):
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


async def test_clients_without_a_required_certificate_are_refused(
    files: Files, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with serving(files.settings(tls_client_ca=files.ca)) as (_, port):
        with pytest.raises(RemoteError, match="no service answers"):
            await aconnect(f"localhost:{port}", token=TOKEN, root_certificates=files.ca, timeout_s=3)
        stranger = Files(tmp_path_factory.mktemp("stranger")).issue("me@elsewhere.example", name="stranger")
        with pytest.raises(RemoteError, match="no service answers"):
            await aconnect(
                f"localhost:{port}",
                token=TOKEN,
                root_certificates=files.ca,
                client_certificate=stranger[0],
                client_key=stranger[1],
                timeout_s=3,
            )


async def test_certificate_identifies_the_caller_without_tokens(files: Files) -> None:
    cert, key = files.issue("ana@example.org", name="ana")
    settings = files.settings(address="127.0.0.1:0", token_file=None, tls_client_ca=files.ca)
    async with serving(settings) as (service, port):
        client = await aconnect(
            f"127.0.0.1:{port}", root_certificates=files.ca, client_certificate=cert, client_key=key
        )
        page = await client.open()
        (session,) = service.context.sessions.sessions
        assert session.principal == "ana@example.org"
        await page.close()
        await client.close()


def _expired(files: Files) -> dict[str, Any]:
    then = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    cert, key = files.issue("localhost", name="old", not_before=then - datetime.timedelta(days=9), not_after=then)
    return {"tls_cert": cert, "tls_key": key}


def _early(files: Files) -> dict[str, Any]:
    then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)
    cert, key = files.issue("localhost", name="new", not_before=then, not_after=then + datetime.timedelta(days=9))
    return {"tls_cert": cert, "tls_key": key}


def _other_key(files: Files) -> dict[str, Any]:
    return {"tls_key": files.issue("localhost", name="other")[1]}


def _open_key(files: Files) -> dict[str, Any]:
    files.key.chmod(0o644)
    return {}


def _open_tokens(files: Files) -> dict[str, Any]:
    files.tokens.chmod(0o604)
    return {}


def _pipe(files: Files) -> Path:
    os.mkfifo(files.folder / "pipe", 0o600)
    return files.folder / "pipe"


def _large(files: Files) -> Path:
    path = files.folder / "large"
    with path.open("wb") as file:
        file.truncate(2**21)
    return path


BROKEN = [
    pytest.param(lambda files: {"token_file": _pipe(files)}, "the token file is no regular file", id="tokens-pipe"),
    pytest.param(lambda files: {"tls_key": _pipe(files)}, "the key is no regular file", id="key-pipe"),
    pytest.param(lambda files: {"tls_cert": _pipe(files)}, "the certificate is no regular file", id="cert-pipe"),
    pytest.param(lambda files: {"tls_client_ca": Path("/dev/zero")}, "authority is no regular file", id="ca-endless"),
    pytest.param(lambda files: {"tls_cert": _large(files)}, "the certificate is larger than 1 MiB", id="cert-large"),
    pytest.param(_expired, "expired on", id="expired"),
    pytest.param(_early, "not valid before", id="not-valid-yet"),
    pytest.param(_other_key, "do not fit", id="keys-differ"),
    pytest.param(_open_key, "the key can be read by other users", id="key-others-read"),
    pytest.param(_open_tokens, "the token file can be read by other users", id="tokens-others-read"),
    pytest.param(lambda files: {"tls_cert": files.tokens}, "no PEM certificate", id="no-certificate"),
    pytest.param(lambda files: {"tls_key": files.tokens}, "do not fit", id="no-key"),
    pytest.param(lambda files: {"tls_cert": files.folder / "none"}, "cannot be read", id="certificate-gone"),
    pytest.param(lambda files: {"tls_key": files.folder}, "cannot be read", id="key-is-a-folder"),
    pytest.param(
        lambda files: {"token_file": files.folder / "none"}, "the token file cannot be read", id="tokens-gone"
    ),
    pytest.param(lambda files: {"tls_client_ca": files.tokens}, "no PEM certificate", id="no-authority"),
    pytest.param(lambda files: {"address": "unix:/x/socket"}, "takes no TLS", id="socket"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_files_that_are_not_as_they_should_be_are_refused_at_the_start(files: Files, change: Any, message: str) -> None:
    with pytest.raises(BadInputError, match=message) as caught:
        Authenticator(files.settings(**change(files)))
    assert "\n" not in str(caught.value)
    assert str(files.folder) not in str(caught.value)
    assert TOKEN not in str(caught.value)


async def test_a_pipe_in_a_token_files_place_holds_no_call_up(files: Files) -> None:
    async with serving(Settings(address="127.0.0.1:0", token_file=files.tokens, data_dir=files.folder)) as (_, port):
        files.tokens.unlink()
        os.mkfifo(files.tokens, 0o600)
        client = await aconnect(f"127.0.0.1:{port}", token=TOKEN, timeout_s=10)
        await client.call(client.sessions.ListSessions, session_pb.ListSessionsRequest())  # by what was known before
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
    ("text", "names"),
    [
        pytest.param(TOKEN, ["default"], id="bare"),
        pytest.param(f"\n# a comment\n  ana   {TOKEN}  \r\n", ["ana"], id="spaces"),
        pytest.param(f"ana {TOKEN}\nana {TOKEN}x\n", ["ana", "ana"], id="two-of-one"),
        pytest.param(f"\ufeffana {TOKEN}\r\n", ["ana"], id="byte-order-mark"),
        pytest.param(f"# gone:\x0cben {TOKEN}x\u2028eve {TOKEN}y\nana {TOKEN}", ["ana"], id="comment-to-the-end"),
        pytest.param(f"ana@example.org {TOKEN}=\nci.bot-2 {TOKEN}x\n", ["ana@example.org", "ci.bot-2"], id="names"),
    ],
)
def test_token_files_identify_the_caller(text: str, names: list[str]) -> None:
    assert [token.principal for token in parse_tokens(text.encode())] == names


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "holds no token", id="empty"),
        pytest.param(b"# nothing\n", "holds no token", id="comments"),
        pytest.param(b"me tooshort", "line 1 .* less than 32", id="short"),
        pytest.param(b"me " + b"a" * 31, "less than 32", id="one-short-of-it"),
        pytest.param(f"a b c {TOKEN}".encode(), "4 words", id="four-words"),
        pytest.param(f"ana {TOKEN} watch".encode(), "line 1 .* no right 'watch'", id="right"),
        pytest.param(f"ana {TOKEN} view,".encode(), "no right ''", id="half-a-list"),
        pytest.param(f"{TOKEN} view".encode(), "letters, digits|less than 32", id="rights-without-a-name"),
        pytest.param(f"a/b {TOKEN}".encode(), "names nobody", id="name"),
        pytest.param(f"me {TOKEN}§".encode(), "letters, digits", id="character"),
        pytest.param(f"me {TOKEN}\nyou {TOKEN}".encode(), "line 2 .* repeats", id="repeated"),
        pytest.param(f"{TOKEN}\n{TOKEN}x".encode(), "line 2 .* second token without a name", id="two-bare"),
        pytest.param(b"\xff\xfe", "is no text", id="no-text"),
    ],
)
def test_token_files_with_mistakes_are_refused_without_telling_tokens(data: bytes, message: str) -> None:
    with pytest.raises(BadInputError, match=message) as caught:
        parse_tokens(data)
    assert TOKEN not in str(caught.value)


def test_new_tokens_are_good_lines_and_never_the_same() -> None:
    lines = {new_token("ana") for _ in range(20)}
    assert len(lines) == 20
    tokens = parse_tokens("\n".join(lines).encode())
    assert {found.principal for line in lines if (found := find_token(line.split()[1], tokens))} == {"ana"}
    assert find_token(TOKEN, tokens) is None


@pytest.mark.parametrize(
    ("rights", "right"),
    [
        pytest.param("", Right.ALL, id="none-said"),
        pytest.param("all", Right.ALL, id="all"),
        pytest.param("view", Right.VIEW, id="view"),
        pytest.param("view,control", Right.CONTROL, id="both"),
        pytest.param("control", Right.CONTROL, id="control-alone"),
    ],
)
def test_a_token_has_the_rights_of_its_line(rights: str, right: Right) -> None:
    (token,) = parse_tokens(new_token("ana", rights).encode())
    assert (token.principal, token.right) == ("ana", right)
    assert new_token("ana", rights).endswith(rights)


def test_new_tokens_have_only_rights_that_there_are() -> None:
    with pytest.raises(BadInputError, match="--rights: there is no right 'drive': write view"):
        new_token("ana", "drive")


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
    done = subprocess.run([sys.executable, "-m", "perception", "serve", *options], capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_commands_show_the_token_of_a_file(files: Files) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERCEPTION_T")}
    address = f"unix:{files.folder / 'socket'}"
    perception = [sys.executable, "-m", "perception"]

    def run(*options: str, **changes: str) -> subprocess.CompletedProcess[str]:
        command = [*perception, *options, "--address", address]
        return subprocess.run(command, capture_output=True, text=True, env=environment | changes)

    serve = [*perception, "serve", "--address", address, "--token-file", str(files.tokens)]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True, env=environment) as service:
        assert service.stderr is not None
        assert "serves on" in service.stderr.readline()
        try:
            assert run("health").returncode == 0
            refused = run("detectors")
            assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
            assert "token" in refused.stderr
            assert run("detectors", "--token-file", str(files.tokens)).returncode == 0
            assert run("detectors", PERCEPTION_TOKEN_FILE=str(files.tokens)).returncode == 0
        finally:
            service.terminate()
