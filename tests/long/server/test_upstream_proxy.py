"""Pages through another proxy, with a real service and Chromium. The proxies lead to the site of the test pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.errors import BadInputError, UnknownSecretError
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as pb
from tests.support.upstream_proxies import ScriptedProxy, serve_proxy

PUBLIC = "93.184.216.34"


@pytest.fixture
def port(site: str) -> int:
    found = urlsplit(site).port
    assert found is not None
    return found


@asynccontextmanager
async def serving(folder: Path, secrets: str, **settings: Any) -> AsyncIterator[AsyncClient]:
    path = folder / "secrets.toml"
    path.write_text(secrets)
    path.chmod(0o600)
    service = Service(
        Settings(
            address=f"unix:{folder / 'socket'}",
            allow_hosts=("127.0.0.1",),
            secrets_file=path,
            data_dir=folder,
            **settings,
        )
    )
    await service.start()
    client = await aconnect(service.context.settings.address, timeout_s=30)
    try:
        yield client
    finally:
        await client.close()
        await service.stop()


async def session_of(client: AsyncClient, page: AsyncPage) -> pb.Session:
    request = pb.GetSessionRequest(session_id=page.session_id)
    reply: pb.GetSessionResponse = await client.call(client.sessions.GetSession, request)
    return reply.session


async def test_a_session_goes_through_the_proxy_that_it_names(client: AsyncClient, site: str, port: int) -> None:
    async with serve_proxy(ScriptedProxy("socks5", port)) as proxy:
        page = await client.open(f"http://{PUBLIC}/form.html", upstream_proxy=proxy.url)
        async with page:
            assert set(proxy.asked) == {f"{PUBLIC}:80"}
            session = await session_of(client, page)
            assert (session.options.upstream_proxy.url, session.options.upstream_proxy.secret) == (proxy.url, "")
            await page.navigate(f"{site}/form.html")  # of this machine: directly
            for url in ("http://127.0.0.2/", "http://169.254.169.254/", "http://10.0.0.1/"):
                with pytest.raises(RemoteError) as caught:
                    await page.navigate(url)
                assert caught.value.reason == "ORIGIN_BLOCKED"
            assert set(proxy.asked) == {f"{PUBLIC}:80"}


async def test_all_sessions_go_through_the_service_s_proxy_with_its_credentials(tmp_path: Path, port: int) -> None:
    async with serve_proxy(ScriptedProxy("http", port, "ana:pass-word")) as proxy:
        secrets = '[corp]\nvalue = "ana:pass-word"\nprincipals = ["nobody"]\n[wrong]\nvalue = "ana:other-word"\n'
        given = {"upstream_proxy": proxy.url, "upstream_proxy_secret": "corp"}
        async with serving(tmp_path, secrets, **given) as client:
            async with await client.open(f"http://{PUBLIC}:8080/form.html") as page:
                assert (await page.snapshot(mode="text")).elements
                assert not (await session_of(client, page)).options.HasField("upstream_proxy")
            assert set(proxy.asked) == {f"{PUBLIC}:8080"}
            assert set(proxy.given) == {"ana:pass-word"}
            # Behind it, a session's own one, whose host the first proxy is asked for.
            with pytest.raises(RemoteError) as caught:
                await client.open(f"http://{PUBLIC}/", upstream_proxy="http://93.184.216.35:3128")
            assert caught.value.reason == "NAVIGATION_FAILED"
            assert "93.184.216.35:3128" in str(caught.value)
            assert proxy.asked[-1] == "93.184.216.35:3128"
            with pytest.raises(RemoteError) as caught:
                await client.open(f"http://{PUBLIC}/", upstream_proxy={"url": proxy.url, "secret": "corp"})
            assert caught.value.reason == "UNKNOWN_SECRET"


async def test_credentials_that_the_proxy_refuses_are_told_and_not_shown(tmp_path: Path, port: int) -> None:
    secrets = '[corp]\nvalue = "ana:other-word"\n[here]\nvalue = "ana:word-word"\norigins = ["http://else.example"]\n'
    async with serve_proxy(ScriptedProxy("http", port, "ana:pass-word")) as proxy, serving(tmp_path, secrets) as client:
        with pytest.raises(RemoteError) as caught:
            await client.open(f"http://{PUBLIC}/", upstream_proxy={"url": proxy.url, "secret": "corp"})
        assert caught.value.reason == "NAVIGATION_FAILED"
        assert "refuses the credentials of secret corp (HTTP 407)" in str(caught.value)
        assert "other-word" not in str(caught.value)
        with pytest.raises(RemoteError) as caught:
            await client.open(upstream_proxy={"url": proxy.url, "secret": "here"})
        assert caught.value.reason == "SECRET_ORIGIN"
        assert f"add {proxy.url} to its origins" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "reason", "field"),
    [
        pytest.param("http://10.0.0.9:3128", "ORIGIN_BLOCKED", "", id="private"),
        pytest.param("http://metadata.google.internal", "ORIGIN_BLOCKED", "", id="metadata"),
        pytest.param("ftp://proxy", "BAD_INPUT", "options.upstream_proxy.url", id="scheme"),
        pytest.param("", "BAD_INPUT", "options.upstream_proxy.url", id="empty"),
    ],
)
async def test_a_proxy_that_cannot_be_is_refused_when_the_session_is_made(
    client: AsyncClient, url: str, reason: str, field: str
) -> None:
    with pytest.raises(RemoteError) as caught:
        await client.open(upstream_proxy={"url": url})
    assert (caught.value.reason, caught.value.field) == (reason, field)


async def test_a_service_does_not_start_with_a_proxy_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(
        BadInputError, match="--upstream-proxy or PERCEPTION_UPSTREAM_PROXY is not an http: or socks5: URL"
    ):
        Service(Settings(upstream_proxy="proxy:3128"))
    with pytest.raises(UnknownSecretError, match="no secret 'corp' in the secrets file"):
        Service(Settings(upstream_proxy="http://proxy:3128", upstream_proxy_secret="corp"))
