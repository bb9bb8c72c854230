"""Hosts in URLs, in every spelling that browsers accept, and which addresses are outside the public internet.

Pure: nothing here asks a name server.
"""

from __future__ import annotations

import re
import socket
import unicodedata
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias
from urllib.parse import urlsplit

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network
Host: TypeAlias = Address | str
"""An address, or a name: ASCII, lower case, without the trailing dot."""

MAX_HOST_NAME = 253
"""Characters of a host name: https://www.rfc-editor.org/rfc/rfc1035#section-3.1 less the root's two bytes."""

LOOPBACK = "loopback"
PRIVATE = "private"
LINK_LOCAL = "link-local"
METADATA = "metadata"
MULTICAST = "multicast"
RESERVED = "reserved"

METADATA_NAMES = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "instance-data",
        "instance-data.ec2.internal",
        "metadata.tencentyun.com",
        "metadata.packet.net",
        "metadata.platformequinix.com",
    }
)
"""Names under which clouds serve a machine's credentials, at the addresses below or at others."""

METADATA_ADDRESSES = frozenset(
    map(
        ip_address,
        (
            "169.254.169.254",  # AWS, Azure, Google, DigitalOcean, OpenStack, Oracle …
            "169.254.170.2",  # AWS ECS: task credentials
            "169.254.170.23",  # AWS EKS: pod identity
            "169.254.0.23",  # Tencent
            "100.100.100.200",  # Alibaba
            "168.63.129.16",  # Azure's wire server: a public address that only the machine itself can reach
            "192.0.0.192",  # Oracle
            "fd00:ec2::254",  # AWS
            "fd00:ec2::23",  # AWS EKS
            "fd20:ce::254",  # Google
            "fe80::a9fe:a9fe",  # OpenStack
        ),
    )
)

_NAT64 = IPv6Network("64:ff9b::/96")
_EMBEDDING = (
    # The prefix, and how far to shift the 128 bits right for the embedded IPv4 address.
    (IPv6Network("::ffff:0:0/96"), 0),  # mapped, https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2
    (IPv6Network("::/96"), 0),  # compatible, section 2.5.5.1; holds :: and ::1
    (IPv6Network("::ffff:0:0:0/96"), 0),  # translated, https://www.rfc-editor.org/rfc/rfc2765
    (_NAT64, 0),  # https://www.rfc-editor.org/rfc/rfc6052
    (IPv6Network("2002::/16"), 80),  # 6to4, https://www.rfc-editor.org/rfc/rfc3056
    (IPv6Network("2001::/32"), 64),  # Teredo's server, https://www.rfc-editor.org/rfc/rfc4380
)
_TEREDO = IPv6Network("2001::/32")
_PUBLIC_V6 = IPv6Network("2000::/3")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_SHARED = IPv4Network("100.64.0.0/10")
_RELAY = IPv4Network("192.88.99.0/24")
_ISATAP = (0x00005EFE, 0x02005EFE)

_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")  # what IDNA reads as a dot besides the dot itself
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*", re.ASCII)


def likely_scheme(url: str) -> str:
    """The scheme that a URL without one most likely lacks: `http` for this machine's name and for addresses, which
    rarely have a certificate, `https` for all else."""
    try:
        host = read_host(urlsplit(f"//{url}").hostname or "")
    except ValueError:
        return "https"
    is_named = isinstance(host, str) and host != "localhost" and not host.endswith(".localhost")
    return "https" if is_named else "http"


def read_host(text: str) -> Host:
    """A URL's host as browsers read it: `2130706433`, `0x7f.1` and `[::1]` are addresses, `EXAMPLE.org.` is a name.

    Raises:
        ValueError: browsers reject it.
    """
    host = unicodedata.normalize("NFKC", text).translate(_DOTS).lower()
    if host.startswith("[") and host.endswith("]"):
        return _read_v6(host[1:-1])
    if ":" in host:
        return _read_v6(host)
    host = host.removesuffix(".")
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    last = host.rpartition(".")[2]
    if _NUMBER.fullmatch(last):  # https://url.spec.whatwg.org/#ends-in-a-number-checker
        if not all(_NUMBER.fullmatch(part) for part in host.split(".")):
            raise ValueError("a host whose last part is a number has to be an address")
        try:
            return IPv4Address(socket.inet_aton(host))
        except OSError as exc:
            raise ValueError("no IPv4 address") from exc
    if len(host) > MAX_HOST_NAME or not _NAME.fullmatch(host):
        raise ValueError("no host name")
    return host


def _read_v6(text: str) -> Address:
    if "%" in text:
        raise ValueError("a URL's address has no zone")
    address = IPv6Address(text)
    return address.ipv4_mapped or address  # sockets reach the same host by both


def why_not_public(address: Address) -> str:
    """Why an address is outside the public internet, as one word; empty for a public one."""
    for each in (*_embedded(address), address):
        if why := _kind(each):
            return why
    return ""


def _kind(address: Address) -> str:
    if address in METADATA_ADDRESSES:
        return METADATA
    if address.is_loopback:
        return LOOPBACK
    if address.is_link_local:
        return LINK_LOCAL
    if address.is_multicast:
        return MULTICAST
    if isinstance(address, IPv4Address):
        if address in _SHARED:
            return PRIVATE
        if address.is_unspecified or int(address) >> 24 == 0:
            return LOOPBACK  # connecting to 0.0.0.0 reaches this machine
        if address.is_reserved or address in _RELAY:
            return RESERVED
    else:
        if address.is_unspecified:
            return LOOPBACK
        if address.is_site_local or address in _LOCAL_NAT64:
            return PRIVATE
        if any(address in network for network, _ in _EMBEDDING):
            return "" if address in _NAT64 else RESERVED if address not in _PUBLIC_V6 else ""
        if address not in _PUBLIC_V6:
            return PRIVATE if address.is_private else RESERVED
    return "" if address.is_global else PRIVATE


def _embedded(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses inside an IPv6 address, which gateways and tunnels on the way may extract."""
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    for network, shift in _EMBEDDING:
        if address in network:
            yield IPv4Address(number >> shift & 0xFFFFFFFF)
    if address in _TEREDO:
        yield IPv4Address(~number & 0xFFFFFFFF)  # the client's, with its bits inverted
    elif (number >> 32 & 0xFFFFFFFF) in _ISATAP:
        yield IPv4Address(number & 0xFFFFFFFF)
