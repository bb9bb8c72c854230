"""Which URLs may be opened: http and https to public addresses, and to hosts that the operator allows.

This checks what is asked for, and where a tab is before and after every call: a page that went where it may not be is
left and never read. It does not stand between Chromium and the network: what a page itself requests is not filtered.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from perception.budget import Budget
from perception.errors import BadUrlError, OriginBlockedError, SchemeBlockedError

MAX_URL_LENGTH = 2 * 2**20
"""Chromium's own limit (url::kMaxURLChars)."""


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """`allowed_hosts` are host names or addresses, without ports, that may be private; `*` allows all."""

    allowed_hosts: frozenset[str] = frozenset()

    async def check(self, url: str, budget: Budget) -> None:
        """Raises unless the URL may be opened.

        Raises:
            BadUrlError: it is no URL.
            SchemeBlockedError: it is neither http, https nor about:blank.
            OriginBlockedError: its host is private and not allowed.
        """
        if url.lower().partition("#")[0] == "about:blank":
            return
        host = (_parse(url).hostname or "").lower().rstrip(".")
        if "*" in self.allowed_hosts or host in self.allowed_hosts:
            return
        for address in await _addresses(host, budget):
            if not address.is_global:
                raise OriginBlockedError(
                    f"{host} is a private or local address, which this service does not open: "
                    f"start it with --allow-host {host} if it should",
                    host=host,
                )


def _parse(url: str) -> SplitResult:
    shown = url if len(url) <= 100 else url[:100] + "…"
    try:
        parts = urlsplit(url.strip())
        port_is_number = parts.port is None or parts.port >= 0
    except ValueError as exc:
        raise BadUrlError(f"{shown!r} is no URL: {exc}", field="url") from exc
    if len(url) > MAX_URL_LENGTH or "\0" in url or not port_is_number:
        raise BadUrlError(f"{shown!r} is no URL that a browser takes", field="url")
    if not parts.scheme or (parts.scheme not in ("http", "https") and not parts.netloc and parts.path.isdigit()):
        raise BadUrlError(f"{shown!r} has no scheme: write https://{shown}", field="url")
    if parts.scheme not in ("http", "https"):
        raise SchemeBlockedError(
            f"{parts.scheme}: URLs are not opened: use http, https or about:blank", scheme=parts.scheme[:20]
        )
    # Browsers read \\ as / and decode % in a host: what is checked here must be what they would open.
    if not parts.hostname or any(char.isspace() or char in "\\%" for char in parts.netloc):
        raise BadUrlError(f"{shown!r} names no host", field="url")
    return parts


async def _addresses(host: str, budget: Budget) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """Where a host name leads; empty when it cannot be resolved (then Chromium says so)."""
    if host == "localhost" or host.endswith(".localhost"):
        return [ipaddress.IPv4Address("127.0.0.1")]  # Chromium asks nobody for these
    try:
        # Browsers read 2130706433, 0x7f.1 and 127.1 as addresses; so does inet_aton.
        return [ipaddress.IPv4Address(socket.inet_aton(host))]
    except (OSError, UnicodeEncodeError):
        pass
    async with budget.phase("resolving the host"):
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return []
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    return [getattr(address, "ipv4_mapped", None) or address for address in addresses]
