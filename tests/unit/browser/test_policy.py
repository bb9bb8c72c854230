"""Which hosts and URLs are opened: every spelling, every kind of address, allowed hosts and origins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.browser.network import reserved_ports as own_ports
from perception.browser.network.addresses import Address, read_host, why_not_public
from perception.browser.network.policy import HostRule, Origin, UrlPolicy, check_page_scheme
from perception.deadline import Deadline
from perception.errors import BadInputError, BrowserUnavailableError, OriginBlockedError, SchemeBlockedError

PUBLIC = "93.184.215.14"


def answering(*addresses: str, allowed: Sequence[str] = ()) -> UrlPolicy:
    async def resolve(name: str) -> tuple[Address, ...]:
        return tuple(map(ip_address, addresses))

    return replace(UrlPolicy.of(allowed), resolve=resolve)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        pytest.param("127.0.0.1", "loopback", id="loopback"),
        pytest.param("127.255.255.254", "loopback", id="loopback-end"),
        pytest.param("0.0.0.0", "loopback", id="unspecified"),
        pytest.param("0.1.2.3", "loopback", id="this-network"),
        pytest.param("::", "loopback", id="unspecified-v6"),
        pytest.param("::1", "loopback", id="loopback-v6"),
        pytest.param("10.0.0.1", "private", id="ten"),
        pytest.param("172.16.0.1", "private", id="172"),
        pytest.param("172.31.255.255", "private", id="172-end"),
        pytest.param("192.168.0.1", "private", id="192-168"),
        pytest.param("100.64.0.1", "private", id="carrier"),
        pytest.param("198.18.0.1", "private", id="benchmark"),
        pytest.param("fc00::1", "private", id="unique-local"),
        pytest.param("fec0::1", "private", id="site-local"),
        pytest.param("64:ff9b:1::a00:1", "private", id="local-nat64"),
        pytest.param("169.254.1.1", "link-local", id="link-local"),
        pytest.param("fe80::1", "link-local", id="link-local-v6"),
        pytest.param("169.254.169.254", "metadata", id="metadata"),
        pytest.param("fd00:ec2::254", "metadata", id="metadata-v6"),
        pytest.param("100.100.100.200", "metadata", id="alibaba"),
        pytest.param("168.63.129.16", "metadata", id="azure"),
        pytest.param("224.0.0.1", "multicast", id="multicast"),
        pytest.param("ff02::1", "multicast", id="multicast-v6"),
        pytest.param("240.0.0.1", "reserved", id="class-e"),
        pytest.param("255.255.255.255", "reserved", id="broadcast"),
        pytest.param("192.88.99.1", "reserved", id="6to4-relay"),
        pytest.param("4000::1", "reserved", id="unassigned-v6"),
        pytest.param("::ffff:127.0.0.1", "loopback", id="mapped"),
        pytest.param("::127.0.0.1", "loopback", id="compatible"),
        pytest.param("::ffff:0:10.0.0.1", "private", id="translated"),
        pytest.param("64:ff9b::a9fe:a9fe", "metadata", id="nat64"),
        pytest.param("2002:7f00:1::", "loopback", id="6to4"),
        pytest.param("2001:0:808:808::f5ff:fffe", "private", id="teredo-client"),
        pytest.param("2001:0:a00:1::f7f7:f7f7", "private", id="teredo-server"),
        pytest.param("2a00::5efe:7f00:1", "loopback", id="isatap"),
        pytest.param(PUBLIC, "", id="public"),
        pytest.param("172.32.0.1", "", id="past-172"),
        pytest.param("100.128.0.1", "", id="past-carrier"),
        pytest.param("2606:4700::1111", "", id="public-v6"),
        pytest.param("64:ff9b::808:808", "", id="nat64-of-public"),
    ],
)
def test_what_is_not_the_public_internet(address: str, why: str) -> None:
    assert why_not_public(ip_address(address)) == why


@given(st.ip_addresses(v=4))
def test_an_address_is_judged_as_what_it_embeds(inner: IPv4Address) -> None:
    number, told = int(inner), bool(why_not_public(inner))
    assert bool(why_not_public(ip_address(0x64FF9B << 96 | number))) == told
    if told:
        assert why_not_public(ip_address(0x2002 << 112 | number << 80))
        assert why_not_public(ip_address(0xFFFF << 32 | number))


@pytest.mark.parametrize(
    ("text", "host"),
    [
        pytest.param("Example.ORG.", "example.org", id="name"),
        pytest.param("2130706433", "127.0.0.1", id="decimal"),
        pytest.param("0x7f.1", "127.0.0.1", id="hex-short"),
        pytest.param("0177.0.0.1", "127.0.0.1", id="octal"),
        pytest.param("127.1.", "127.0.0.1", id="short-dot"),
        pytest.param("[::ffff:127.0.0.1]", "127.0.0.1", id="mapped"),
        pytest.param("[::1]", "::1", id="v6"),
        pytest.param("127\u30020\uff0e0\uff611", "127.0.0.1", id="other-dots"),
        pytest.param("\uff11\uff12\uff17.0.0.1", "127.0.0.1", id="wide-digits"),
        pytest.param("b\u00fccher.example", "xn--bcher-kva.example", id="idn"),
        pytest.param("\u24dbocalhost", "localhost", id="circled"),
    ],
)
def test_a_host_is_read_as_a_browser_reads_it(text: str, host: str) -> None:
    assert str(read_host(text)) == host


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "a..b",
        "1.2.3.4.5",
        "256.1.1.1",
        "a.1",
        "a b",
        "a/b",
        "a@b",
        "a\x00b",
        "a\r\nb",
        "[fe80::1%lo]",
        "x" * 254,
    ],
)
def test_what_is_no_host(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (the class is the claim)
        read_host(text)


@given(st.text(max_size=40))
def test_any_text_is_a_host_or_a_value_error(text: str) -> None:
    try:
        host = read_host(text)
    except ValueError:
        return
    assert read_host(str(host)) == host


@pytest.mark.parametrize(
    ("rule", "held", "not_held"),
    [
        pytest.param("localhost", ["localhost:1", "localhost:80"], ["127.0.0.1:80", "x.localhost:80"], id="name"),
        pytest.param("127.0.0.1:3000", ["127.0.0.1:3000", "0x7f.1:3000"], ["127.0.0.1:80"], id="port"),
        pytest.param("[::1]:3000", ["[::1]:3000"], ["[::1]:80"], id="v6-port"),
        pytest.param("::1", ["[::1]:80"], ["[::2]:80"], id="bare-v6"),
        pytest.param(
            "*.corp.example",
            ["a.corp.example:1", "a.b.corp.example:1"],
            ["corp.example:1", "xcorp.example:1"],
            id="below",
        ),
        pytest.param("*", ["10.0.0.1:80", "x.localhost:1"], [], id="all"),
    ],
)
def test_allowed_hosts(rule: str, held: list[str], not_held: list[str]) -> None:
    parsed = HostRule.parse(rule)
    for place in held + not_held:
        host, _, port = place.rpartition(":")
        assert parsed.holds(read_host(host), int(port)) == (place in held), place


@pytest.mark.parametrize(
    "text", ["", "http://a", "a/b", "u@a", "a:b", "a:99999", "*.10.0.0.1", "**", "a b", "10.0.0.1/8", "10.0.0.0/8:80"]
)
def test_an_invalid_allowed_host_is_refused_at_the_start(text: str) -> None:
    with pytest.raises(BadInputError, match="--allow-host"):
        UrlPolicy.of([text])


@pytest.mark.parametrize(
    ("url", "leads_to", "why"),
    [
        pytest.param("http://10.2.3.4/", "10.2.3.4", "", id="address"),
        pytest.param("http://wiki.corp/", "10.2.3.4", "", id="name"),
        pytest.param("http://wiki.corp/", "192.168.0.1", "private", id="other-network"),
        pytest.param("http://167903236/", "10.2.3.4", "", id="spelled-otherwise"),
        pytest.param("http://[fd00::5]/", "fd00::5", "", id="v6"),
        pytest.param("http://[64:ff9b::a02:304]/", "64:ff9b::a02:304", "private", id="behind-a-gateway"),
        pytest.param("http://100.100.100.200/", "100.100.100.200", "metadata", id="metadata-in-it"),
        pytest.param("http://metadata/", "10.2.3.4", "metadata", id="metadata-name"),
    ],
)
async def test_a_network_is_allowed_with_the_names_that_lead_into_it(url: str, leads_to: str, why: str) -> None:
    policy = answering(leads_to, allowed=["10.0.0.0/8", "fd00::/8", "100.64.0.0/10"])
    if not why:
        await policy.check(url, Deadline.of(5))
        return
    with pytest.raises(OriginBlockedError) as caught:
        await policy.check(url, Deadline.of(5))
    assert caught.value.metadata["why"] == why


async def test_one_address_outside_an_allowed_network_is_enough_to_refuse_a_name() -> None:
    with pytest.raises(OriginBlockedError):
        await answering("10.2.3.4", "127.0.0.1", allowed=["10.0.0.0/8"]).check("http://wiki.corp/", Deadline.of(5))


@pytest.mark.parametrize(
    ("origin", "held", "not_held"),
    [
        pytest.param(
            "https://a.example",
            ["https://a.example/x"],
            ["http://a.example/", "https://a.example:8443/", "https://b.a.example/"],
            id="default-port",
        ),
        pytest.param("HTTPS://A.example:8443/", ["https://a.example:8443/"], ["https://a.example/"], id="port"),
        pytest.param(
            "https://*.a.example",
            ["https://x.a.example/", "https://x.y.a.example/"],
            ["https://a.example/", "https://xa.example/"],
            id="below",
        ),
        pytest.param("http://a.example", ["http://a.example:80/"], ["https://a.example/"], id="http"),
    ],
)
async def test_a_session_opens_its_origins_alone(origin: str, held: list[str], not_held: list[str]) -> None:
    policy = answering(PUBLIC).within([Origin.parse(origin)])
    for url in held:
        await policy.check(url, Deadline.of(5))
    for url in not_held:
        with pytest.raises(OriginBlockedError, match="allowed_origins"):
            await policy.check(url, Deadline.of(5))


async def test_an_allowed_origin_is_not_thereby_an_allowed_host() -> None:
    policy = answering("10.0.0.1").within([Origin.parse("https://a.example")])
    with pytest.raises(OriginBlockedError, match="--allow-host"):
        await policy.check("https://a.example/", Deadline.of(5))


async def test_one_bad_address_among_good_ones_is_enough() -> None:
    with pytest.raises(OriginBlockedError):
        await answering(PUBLIC, "10.0.0.1").check("http://a.example/", Deadline.of(5))


async def test_a_metadata_name_is_refused_wherever_it_leads() -> None:
    with pytest.raises(OriginBlockedError) as caught:
        await answering(PUBLIC).check("http://metadata.google.internal/", Deadline.of(5))
    assert caught.value.metadata == {"host": "metadata.google.internal", "why": "metadata"}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "x.localhost", "[::1]", "0.0.0.0"])
async def test_ports_of_our_own_are_refused_though_every_host_is_allowed(host: str) -> None:
    policy = UrlPolicy.of(["*"])
    await policy.check(f"http://{host}:40404/", Deadline.of(5))
    own_ports.guard(40404)
    try:
        with pytest.raises(OriginBlockedError, match="port of this service"):
            await policy.check(f"http://{host}:40404/", Deadline.of(5))
    finally:
        own_ports.release(40404)
    await policy.check(f"http://{host}:40404/", Deadline.of(5))


async def test_an_endpoint_is_pinned_to_the_address_that_was_checked() -> None:
    policy = answering(PUBLIC)
    assert await policy.check_endpoint("ws://a.example:9222/devtools/browser/1", Deadline.of(5)) == (
        f"ws://{PUBLIC}:9222/devtools/browser/1"
    )
    assert await policy.check_endpoint("ws://s/x", Deadline.of(5)) == f"ws://{PUBLIC}:80/x"
    assert await policy.check_endpoint("wss://a.example/x", Deadline.of(5)) == "wss://a.example/x"
    with pytest.raises(OriginBlockedError):
        await answering("10.0.0.1").check_endpoint("http://a.example:9222", Deadline.of(5))
    with pytest.raises(BrowserUnavailableError):
        await answering().check_endpoint("http://a.example:9222", Deadline.of(5))


@pytest.mark.parametrize("url", ["file:///x", "chrome://version", "view-source:http://a/", "devtools://d"])
def test_documents_of_other_schemes_are_left(url: str) -> None:
    with pytest.raises(SchemeBlockedError):
        check_page_scheme(url)


@pytest.mark.parametrize(
    "url", ["", "about:blank", "http://a/", "https://a/", "blob:http://a/1", "chrome-error://chromewebdata/", "data:,x"]
)
def test_documents_that_pages_make_are_not(url: str) -> None:
    check_page_scheme(url)


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1:3000/a", "http://0x0a000001/", "HTTP://10.0.0.1", "http://a@10.0.0.1/"]
)
def test_the_host_of_a_named_url_is_allowed_at_every_port(url: str) -> None:
    policy = UrlPolicy.of(["localhost:1"]).with_host_of(url)
    assert policy.refuse(read_host("10.0.0.1"), 8080) is None
    assert policy.refuse(read_host("10.0.0.2"), 3000) is not None
    assert policy.with_host_of(url) is policy


@pytest.mark.parametrize("url", ["about:blank", "http://", "http://[::1", "http://a b/", "no url", "http://\u2100/"])
def test_a_url_without_a_host_allows_nothing(url: str) -> None:
    policy = UrlPolicy.of([])
    assert policy.with_host_of(url) is policy
