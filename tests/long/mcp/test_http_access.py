"""Who may reach an HTTP server: loopback without more, everybody else with TLS and a token of the service."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from pathlib import Path

import httpx2
import trustme
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.long.mcp.conftest import ERAS, Tools, http_server
from tests.support.commands import run_here


async def test_options_that_do_not_go_together_are_one_line(tmp_path: Path) -> None:
    done = await asyncio.to_thread(run_here, "mcp", "--callers", str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --callers, --name, --tls-cert and --tls-key are for --http")
    assert done.stderr.count("\n") == 1


async def test_callers_need_their_token_and_reach_their_own_sessions_only(
    tmp_path: Path, site: str, quick_services: dict[str, str]
) -> None:
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

    async with http_server(*options, **quick_services) as (url, _):
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
