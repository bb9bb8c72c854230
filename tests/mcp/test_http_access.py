"""Who may reach an HTTP server: loopback without more, everybody else with TLS and a token of the service."""

from __future__ import annotations

import secrets
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from perception.errors import BadInputError
from perception.mcp.http_options import HttpOptions, check_http, parse_http_address
from tests.mcp.conftest import ERAS, Tools, http_server


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "give --tls-cert and --tls-key"),
        ({"certificate": Path("c"), "key": Path("k")}, "give --callers, or --address"),
        ({"certificate": Path("c"), "key": Path("k"), "by_token": True}, "--name HOST"),
        ({"certificate": Path("c")}, "go together"),
    ],
)
def test_an_address_that_others_reach_needs_tls_tokens_and_a_name(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        check_http(HttpOptions("0.0.0.0", 8931, **options))
    check_http(HttpOptions("127.0.0.1", 8931))


@pytest.mark.parametrize("address", ["8931", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", ""])
def test_an_address_without_host_or_port_is_refused(address: str) -> None:
    with pytest.raises(BadInputError, match="HOST:PORT"):
        parse_http_address(address)


def test_options_that_do_not_go_together_are_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "perception", "mcp", "--callers", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --callers, --name, --tls-cert and --tls-key are for --http")
    assert done.stderr.count("\n") == 1


async def test_callers_need_their_token_and_reach_their_own_sessions_only(tmp_path: Path, site: str) -> None:
    tokens = {name: secrets.token_urlsafe(32) for name in ("ana", "bob")}
    callers = tmp_path / "callers"
    callers.touch(mode=0o600)
    callers.write_text("".join(f"{name} {token}\n" for name, token in tokens.items()))
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    options = ["--http", "127.0.0.1:0", "--allow-host", "127.0.0.1", "--callers", str(callers)]
    options += ["--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")]

    verified = ssl.create_default_context(cafile=tmp_path / "ca.pem")

    def sender(token: str) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.AsyncClient(headers=headers, verify=verified, timeout=60)

    async with http_server(*options) as (url, _):
        assert url.startswith("https://127.0.0.1:")
        for token in ("", "x" * 40):
            async with sender(token) as stranger:
                assert (await stranger.post(url, json={})).status_code == 401
        async with (
            sender(tokens["ana"]) as ana,
            sender(tokens["bob"]) as bob,
            Client(streamable_http_client(url, http_client=ana), mode=ERAS[0]) as anas,
        ):
            handle = (await Tools(anas)("open", url=f"{site}/form.html")).split()[1]
            assert "UNKNOWN_SESSION" not in await Tools(anas)("look", session=handle)
            async with Client(streamable_http_client(url, http_client=bob), mode=ERAS[1]) as bobs:
                assert "UNKNOWN_SESSION: " in await Tools(bobs).refused("look", session=handle)
