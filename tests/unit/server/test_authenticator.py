"""Where the service listens: to others only with TLS and tokens, and only as files that nobody else can read say."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

import pytest

from perception.client.access import AUTHORIZATION, is_local
from perception.errors import BadInputError, UnauthenticatedError
from perception.server.auth.authenticator import Authenticator
from perception.server.auth.rights import Right
from perception.server.auth.token_file import BearerToken, find_token, new_token, parse_tokens
from perception.server.settings import Settings
from tests.support.tls_files import TOKEN, Files


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


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
    pytest.param(lambda files: {"token_file": _pipe(files)}, "the token file is not a regular file", id="tokens-pipe"),
    pytest.param(lambda files: {"tls_key": _pipe(files)}, "the key is not a regular file", id="key-pipe"),
    pytest.param(lambda files: {"tls_cert": _pipe(files)}, "the certificate is not a regular file", id="cert-pipe"),
    pytest.param(
        lambda files: {"tls_client_ca": Path("/dev/zero")}, "authority is not a regular file", id="ca-endless"
    ),
    pytest.param(lambda files: {"tls_cert": _large(files)}, "the certificate is larger than 1 MiB", id="cert-large"),
    pytest.param(_expired, "expired on", id="expired"),
    pytest.param(_early, "not valid before", id="not-valid-yet"),
    pytest.param(_other_key, "do not fit", id="keys-differ"),
    pytest.param(_open_key, "the key can be read by other users", id="key-others-read"),
    pytest.param(_open_tokens, "the token file can be read by other users", id="tokens-others-read"),
    pytest.param(lambda files: {"tls_cert": files.tokens}, "not a PEM certificate", id="no-certificate"),
    pytest.param(lambda files: {"tls_key": files.tokens}, "do not fit", id="no-key"),
    pytest.param(lambda files: {"tls_cert": files.folder / "none"}, "cannot be read", id="certificate-gone"),
    pytest.param(lambda files: {"tls_key": files.folder}, "cannot be read", id="key-is-a-folder"),
    pytest.param(
        lambda files: {"token_file": files.folder / "none"}, "the token file cannot be read", id="tokens-gone"
    ),
    pytest.param(lambda files: {"tls_client_ca": files.tokens}, "not a PEM certificate", id="no-authority"),
    pytest.param(lambda files: {"address": "unix:/x/socket"}, "takes no TLS", id="socket"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_files_that_are_not_as_they_should_be_are_refused_at_the_start(files: Files, change: Any, message: str) -> None:
    with pytest.raises(BadInputError, match=message) as caught:
        Authenticator(files.settings(**change(files)))
    assert "\n" not in str(caught.value)
    assert str(files.folder) not in str(caught.value)
    assert TOKEN not in str(caught.value)


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
        pytest.param(b"\xff\xfe", "is not text", id="no-text"),
    ],
)
def test_token_files_with_mistakes_are_refused_without_telling_tokens(data: bytes, message: str) -> None:
    with pytest.raises(BadInputError, match=message) as caught:
        parse_tokens(data)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"# nothing\n"], ids=["empty", "comments"])
def test_a_file_without_tokens_is_refused_at_the_start_and_is_nobody_later(files: Files, data: bytes) -> None:
    settings = Settings(address="127.0.0.1:0", token_file=files.tokens)
    authenticator = Authenticator(settings)
    shown = ((AUTHORIZATION, f"Bearer {TOKEN}"),)

    def known() -> tuple[BearerToken, ...]:
        assert authenticator._tokens is not None
        return authenticator._tokens.content

    assert authenticator._by_token(shown, known()).principal
    files.tokens.write_bytes(f"bob {TOKEN[:20]}".encode())  # half-written
    assert authenticator._by_token(shown, known()).principal
    files.tokens.write_bytes(data)
    with pytest.raises(UnauthenticatedError):
        authenticator._by_token(shown, known())
    with pytest.raises(BadInputError, match="holds no token"):
        Authenticator(settings)
    files.tokens.unlink()
    files.tokens.touch(0o600)
    files.tokens.write_bytes(f"ana {TOKEN}".encode())
    assert authenticator._by_token(shown, known()).principal == "ana"
    files.tokens.unlink()
    assert authenticator._by_token(shown, known()).principal == "ana"


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
