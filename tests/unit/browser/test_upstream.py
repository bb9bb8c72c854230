"""A session's proxy behind another one: who is asked for what, and how each failure is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from ipaddress import ip_address

import pytest

from perception.browser.network.policy import UrlPolicy
from perception.browser.network.proxy import EgressProxy
from perception.browser.network.upstream import UpstreamProxy, check_credentials, parse_upstream
from perception.errors import BadInputError
from tests.support.upstream_proxies import ScriptedProxy, serve_proxy
from tests.unit.browser.test_egress import HELLO, OK, answers, ask, named

pytestmark = pytest.mark.real_time  # real sockets

PUBLIC = "93.184.216.34"


@pytest.fixture
async def echo() -> AsyncIterator[int]:
    """Port of a server that sends its own first words, and then echoes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hi")
        while data := await reader.read(100):
            writer.write(data.upper())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


def known_as(proxy: ScriptedProxy, credentials: str = "") -> UpstreamProxy:
    parsed = replace(parse_upstream(proxy.url, "url"), is_trusted=True)
    return replace(parsed, credentials=lambda: credentials, secret="corp") if credentials else parsed


async def talk(egress: EgressProxy, host: bytes = b"shop.test") -> bytes:
    """What comes of a connection to port 80: the server's words, or empty where it was refused."""
    answer, reader, writer = await ask(egress, HELLO, named(host, 80))
    try:
        if answer[1] != OK:
            return b""
        writer.write(b"there")
        return await asyncio.wait_for(reader.readexactly(7), 10)
    finally:
        writer.close()


@pytest.mark.parametrize("scheme", ["http", "socks5"])
@pytest.mark.parametrize("credentials", ["", "ana:p:ss"])
async def test_a_proxy_is_asked_for_the_address_that_was_checked(echo: int, scheme: str, credentials: str) -> None:
    async with serve_proxy(ScriptedProxy(scheme, echo, credentials)) as proxy:
        policy = UrlPolicy(resolve=answers((PUBLIC,)))
        egress = await EgressProxy.start(policy, [known_as(proxy, credentials)])
        assert await talk(egress) == b"hiTHERE"
        assert proxy.asked == [f"{PUBLIC}:80"]
        assert proxy.given == ([credentials] if credentials else [])
        await egress.close()


@pytest.mark.parametrize("scheme", ["http", "socks5"])
async def test_a_name_that_leads_into_a_private_network_is_refused_before_the_proxy_hears_of_it(
    echo: int, scheme: str
) -> None:
    async with serve_proxy(ScriptedProxy(scheme, echo)) as proxy:
        egress = await EgressProxy.start(UrlPolicy(resolve=answers(("10.0.0.7",))), [known_as(proxy)])
        assert await talk(egress) == b""
        assert await talk(egress, b"169.254.169.254") == b""
        assert proxy.asked == []
        assert "private" in str(egress.error_of("http://shop.test/"))
        await egress.close()


async def test_what_is_allowed_in_this_network_is_reached_without_the_proxy(echo: int) -> None:
    async with serve_proxy(ScriptedProxy("http", 1)) as proxy:
        policy = UrlPolicy.of([f"127.0.0.1:{echo}"])
        egress = await EgressProxy.start(policy, [known_as(proxy)])
        answer, _, writer = await ask(egress, HELLO, named(b"127.0.0.1", echo))
        writer.close()
        assert answer[1] == OK
        assert proxy.asked == []
        await egress.close()


async def test_one_proxy_behind_another(echo: int) -> None:
    own = ScriptedProxy("socks5", echo)
    async with serve_proxy(own), serve_proxy(ScriptedProxy("http", 0)) as outer:
        outer.to = own.port
        beyond = replace(known_as(own), host=ip_address("93.184.216.35"), is_trusted=False)
        egress = await EgressProxy.start(UrlPolicy(resolve=answers((PUBLIC,))), [known_as(outer), beyond])
        assert await talk(egress) == b"hiTHERE"
        assert outer.asked == [f"93.184.216.35:{own.port}"]
        assert own.asked == [f"{PUBLIC}:80"]
        await egress.close()


async def test_a_private_proxy_that_a_client_names_is_refused(echo: int) -> None:
    async with serve_proxy(ScriptedProxy("http", echo)) as proxy:
        untrusted = replace(known_as(proxy), is_trusted=False)
        egress = await EgressProxy.start(UrlPolicy(resolve=answers((PUBLIC,))), [untrusted])
        assert await talk(egress) == b""
        assert "may not be used" in str(egress.error_of("http://shop.test/"))
        assert proxy.asked == []
        await egress.close()


@pytest.mark.parametrize(
    ("scheme", "answer", "told"),
    [
        pytest.param("http", b"HTTP/1.1 403 No\r\n\r\n", "does not connect (HTTP 403)", id="http-403"),
        pytest.param("http", b"HTTP/1.1 407 No\r\n\r\n", "refuses a connection without credentials", id="http-407"),
        pytest.param("http", b"SSH-2.0-x\r\n\r\n", "is not HTTP", id="http-other"),
        pytest.param("http", b"H" * 20_000, "is not HTTP", id="http-endless"),
        pytest.param("http", b"", "hung up", id="http-silent"),
        pytest.param("socks5", b"HT", "is not SOCKS5", id="socks-other"),
        pytest.param("socks5", b"\x05\xff", "refuses a connection without credentials", id="socks-wants-credentials"),
        pytest.param("socks5", b"\x05\x00\x05\x02\x00\x01" + bytes(6), "rules do not allow", id="socks-rules"),
        pytest.param("socks5", b"\x05\x00\x05\x04\x00\x03\x02ab\x00\x00", "host cannot be reached", id="socks-host"),
        pytest.param("socks5", b"\x05\x00\x05", "hung up", id="socks-cut-off"),
    ],
)
async def test_what_a_proxy_answers_is_told(echo: int, scheme: str, answer: bytes, told: str) -> None:
    async with serve_proxy(ScriptedProxy(scheme, echo, answer=answer)) as proxy:
        egress = await EgressProxy.start(UrlPolicy(resolve=answers((PUBLIC,))), [known_as(proxy)])
        assert await talk(egress) == b""
        error = egress.error_of("http://shop.test/")
        assert told in str(error)
        assert proxy.url in str(error)
        await egress.close()


async def test_wrong_credentials_are_told_by_the_name_of_their_secret(echo: int) -> None:
    for scheme in ("http", "socks5"):
        async with serve_proxy(ScriptedProxy(scheme, echo, "ana:right")) as proxy:
            egress = await EgressProxy.start(UrlPolicy(resolve=answers((PUBLIC,))), [known_as(proxy, "ana:wrong")])
            assert await talk(egress) == b""
            said = str(egress.error_of("http://shop.test/"))
            assert "refuses the credentials of secret corp" in said
            assert "wrong" not in said
            await egress.close()


async def test_a_proxy_that_is_not_there_is_told() -> None:
    nobody = UpstreamProxy("http", ip_address("127.0.0.1"), 1, is_trusted=True)
    egress = await EgressProxy.start(UrlPolicy(resolve=answers((PUBLIC,))), [nobody])
    assert await talk(egress) == b""
    assert "nothing answers there" in str(egress.error_of("http://shop.test/"))
    await egress.close()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        pytest.param("proxy:3128", "not an http: or socks5: URL", id="no-scheme"),
        pytest.param("https://proxy:3128", "not an http: or socks5: URL", id="https"),
        pytest.param("socks5h://proxy", "use it in its place", id="socks5h"),
        pytest.param("http://ana:s3cret@proxy", "holds credentials", id="credentials"),
        pytest.param("http://proxy/path", "not a proxy's URL", id="path"),
        pytest.param("http://", "not a proxy's URL", id="no-host"),
        pytest.param("http://proxy:99999", "not a proxy's URL", id="port"),
    ],
)
def test_what_is_no_proxy_is_refused_without_repeating_it(url: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said) as caught:
        parse_upstream(url, "options.upstream_proxy.url")
    assert "s3cret" not in str(caught.value)
    assert caught.value.field == "options.upstream_proxy.url"


@pytest.mark.parametrize("text", ["", "ana", ":x", "a" * 256 + ":x", "ana:p\nx"])
def test_what_are_no_credentials_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="USER:PASSWORD") as caught:
        check_credentials(text, "corp")
    assert not text or text not in str(caught.value)
