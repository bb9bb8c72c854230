"""Where pages may come from and may send to: http and https to public addresses and to hosts that the operator allows;
where a session names origins, to those alone.

The rules are here, in one place. What is asked for by URL is held to them before it is opened (`check`); whatever the
browser itself connects to is held to them by the session's proxy (`egress`), which sees a host and a port.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from urllib.parse import SplitResult, urlsplit

from perception.browser import own_ports
from perception.browser.addresses import METADATA, METADATA_NAMES, Address, Host, Network, read_host, why_not_public
from perception.browser.resolver import Resolve, SystemResolver
from perception.budget import Budget
from perception.errors import (
    BadInputError,
    BadUrlError,
    BrowserUnavailableError,
    OriginBlockedError,
    SchemeBlockedError,
)

MAX_URL_LENGTH = 2 * 2**20
"""Chromium's own limit (url::kMaxURLChars)."""

MAX_ORIGINS = 1000
"""Of one session: each connection is held against all of them."""

EVERYTHING = "*"

DEFAULT_PORTS = {"http": 80, "https": 443}

ORIGIN = "origin"
OWN_PORT = "own-port"
MALFORMED = "malformed"

PAGE_SCHEMES = frozenset({"http", "https", "about", "blob", "chrome-error"})
"""Of documents that a tab may show: what is opened, what such pages make themselves, and Chromium's word for `none`."""


@dataclass(frozen=True, slots=True)
class HostRule:
    """A host, or all below a name (`*.example.org`), at one port or at any (None)."""

    host: Host
    port: int | None = None
    below: bool = False

    @classmethod
    def parse(cls, text: str) -> HostRule:
        """`HOST`, `HOST:PORT`, `[IPV6]:PORT`, `*.NAME` or `*`.

        Raises:
            ValueError: it is none of these.
        """
        if text == EVERYTHING:
            return cls("", None, below=True)
        host, port = text, None
        if not _is_bare_v6(text):
            parts = urlsplit(f"//{text}")
            if parts.username is not None or parts.path or parts.query or parts.fragment or not parts.hostname:
                raise ValueError("no host")
            host, port = parts.netloc.rpartition(":")[0] if parts.port is not None else text, parts.port
        below = host.startswith("*.")
        read = read_host(host.removeprefix("*."))
        if below and not isinstance(read, str):
            raise ValueError("nothing is below an address")
        return cls(read, port, below)

    def holds(self, host: Host, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if self.below:
            return not self.host or (isinstance(host, str) and host.endswith(f".{self.host}"))
        return host == self.host


@dataclass(frozen=True, slots=True)
class Origin:
    """One of a session's allowed origins. A proxy cannot tell http from https at the same port; `check` can."""

    scheme: str
    rule: HostRule

    @property
    def text(self) -> str:
        """As it is written, with its port."""
        host = _bare(self.rule.host)
        shown = f"[{host}]" if ":" in host else f"*.{host}" if self.rule.below else host
        return f"{self.scheme}://{shown}:{self.rule.port}"

    @classmethod
    def parse(cls, text: str) -> Origin:
        """`https://host`, `https://host:port`, `https://*.example.org`.

        Raises:
            ValueError: it is none; says why.
        """
        scheme, found, rest = text.partition("://")
        if not found or scheme.lower() not in DEFAULT_PORTS:
            raise ValueError("it has to begin with https:// or http://")
        if rest.strip("/") == EVERYTHING:
            raise ValueError("it names no host: leave the list empty to allow every origin")
        try:
            rule = HostRule.parse(rest.removesuffix("/"))
        except ValueError as exc:
            raise ValueError("after the scheme come a host and, at most, a port: no path, no user") from exc
        return cls(scheme.lower(), replace(rule, port=rule.port or DEFAULT_PORTS[scheme.lower()]))


@dataclass(frozen=True, slots=True)
class Blocked:
    """A refusal: `why` is one word, for counting; `shown` and what is said are for people, without any path."""

    why: str
    shown: str
    said: str

    def error(self) -> OriginBlockedError:
        return OriginBlockedError(self.said, host=self.shown, why=self.why)


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """The rules of a service, and of one session where `origins` is not empty."""

    allowed_hosts: tuple[HostRule, ...] = ()
    allowed_networks: tuple[Network, ...] = ()
    origins: tuple[Origin, ...] = ()
    resolve: Resolve = field(default_factory=SystemResolver, compare=False)

    @classmethod
    def of(cls, allowed_hosts: Iterable[str]) -> UrlPolicy:
        """Of hosts that may be private (see `HostRule.parse`), and of networks that names may lead into, too.

        Raises:
            BadInputError: one is neither.
        """
        texts = [text.strip() for text in allowed_hosts]
        networks = [text for text in texts if "/" in text and "://" not in text]
        hosts = [text for text in texts if text not in networks]
        return cls(tuple(map(_allowed_host, hosts)), tuple(map(_allowed_network, networks)))

    def within(self, origins: Sequence[Origin]) -> UrlPolicy:
        """The same rules, and of what they allow these origins alone; all for an empty list."""
        return replace(self, origins=tuple(origins))

    async def check(self, url: str, budget: Budget) -> None:
        """Raises unless the URL may be opened.

        Raises:
            BadUrlError: it is no URL.
            SchemeBlockedError: it is neither http, https nor about:blank.
            OriginBlockedError: its host is private and not allowed, or its origin is none of the session's.
        """
        if url.lower().partition("#")[0] == "about:blank":
            return
        parts, host = _parse(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        blocked = self.refuse(host, port, parts.scheme)
        if blocked is None:
            async with budget.phase("resolving the host"):
                blocked, _ = await self.lead(host, port)
        if blocked is not None:
            raise blocked.error()

    async def check_endpoint(self, url: str, budget: Budget) -> str:
        """A browser's CDP endpoint that a client names, to be connected to: for http and ws with the very address that
        was checked in place of its name. A session's origins, and that a port is our own, are no matter here.

        Raises:
            BadUrlError, SchemeBlockedError: it is no such URL.
            OriginBlockedError: its host is private and not allowed.
            BrowserUnavailableError: nobody knows its host.
        """
        as_http = url.replace("ws://", "http://", 1).replace("wss://", "https://", 1)
        parts, host = _parse(as_http)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        addresses: Sequence[Address] = (host,) if not isinstance(host, str) else ()
        if isinstance(host, str):
            async with budget.phase("resolving the host"):
                addresses = await self.resolve(host)
        if why := self._why_not(host, port, addresses):
            raise _private(why, host).error()
        if not addresses:
            raise BrowserUnavailableError(f"{host} is not known: check the CDP endpoint's host")
        if parts.scheme == "https":  # a certificate holds the name to its owner
            return url
        return url.replace(f"://{parts.netloc}", f"://{_shown(addresses[0], port)}", 1)

    async def lead(self, host: Host, port: int) -> tuple[Blocked | None, tuple[Address, ...]]:
        """The addresses to connect to, each of them held to the rules, or why not. No addresses: nobody knows any."""
        if blocked := self.refuse(host, port):
            return blocked, ()
        addresses = await self.resolve(host) if isinstance(host, str) else (host,)
        blocked = self.refuse_addresses(host, port, addresses)
        return blocked, () if blocked else addresses

    def refuse(self, host: Host, port: int, scheme: str = "") -> Blocked | None:
        """What can be said without a name server. Pure.

        Args:
            scheme: empty where it is not known.
        """
        if self.origins and not any(
            each.rule.holds(host, port) and scheme in ("", each.scheme) for each in self.origins
        ):
            shown = _shown(host, port)
            return Blocked(
                ORIGIN,
                _bare(host),
                f"{f'{scheme}://' if scheme else ''}{shown} is none of this session's allowed_origins: "
                "name it there when you create the session if it should be opened",
            )
        if isinstance(host, str):
            return _private(METADATA, host) if host in METADATA_NAMES and not self._allows(host, port) else None
        return self.refuse_addresses(host, port, (host,))

    def refuse_addresses(self, host: Host, port: int, addresses: Sequence[Address]) -> Blocked | None:
        """Of what a host leads to: one bad address among good ones is enough."""
        if own_ports.is_own(addresses, port):
            shown = _shown(host, port)
            return Blocked(OWN_PORT, _bare(host), f"{shown} is a local port of this service: no page may reach it")
        why = self._why_not(host, port, addresses)
        return _private(why, host) if why else None

    def _why_not(self, host: Host, port: int, addresses: Sequence[Address]) -> str:
        if self._allows(host, port):
            return ""
        if host in METADATA_NAMES:
            return METADATA
        return next(filter(None, map(self._why_not_at, addresses)), "")

    def _why_not_at(self, address: Address) -> str:
        why = why_not_public(address)
        # A network is not meant for a machine's credentials, which may lie in it: they are allowed by their own name.
        is_allowed = why != METADATA and any(address in network for network in self.allowed_networks)
        return "" if is_allowed else why

    def _allows(self, host: Host, port: int) -> bool:
        return any(rule.holds(host, port) for rule in self.allowed_hosts)


def _allowed_host(text: str) -> HostRule:
    try:
        return HostRule.parse(text)
    except (ValueError, UnicodeError) as exc:
        raise BadInputError(
            f"--allow-host {text[:100]!r} is no host: write HOST, HOST:PORT, *.NAME, NETWORK/BITS or *, "
            "without http://",
            field="allow_hosts",
        ) from exc


def _allowed_network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as exc:
        raise BadInputError(
            f"--allow-host {text[:100]!r} is no network: {str(exc)[:200]}; write it like 10.0.0.0/8, without a port",
            field="allow_hosts",
        ) from exc


def _private(why: str, host: Host) -> Blocked:
    return Blocked(
        why,
        _bare(host),
        f"{_bare(host)} is a private or local address, which this service does not open: "
        f"start it with --allow-host {_bare(host)} if it should",
    )


def _bare(host: Host) -> str:
    return str(host)


def _shown(host: Host, port: int) -> str:
    return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"


def _is_bare_v6(text: str) -> bool:
    return text.count(":") > 1 and not text.startswith("[")


def check_page_scheme(url: str) -> None:
    """Of the document that a tab shows. Raises SchemeBlockedError for one that no page may lead to."""
    scheme = url.partition(":")[0].lower()
    if url and scheme not in PAGE_SCHEMES:
        raise SchemeBlockedError(f"the page led to a {scheme[:20]}: URL and was left", scheme=scheme[:20])


def host_and_port(url: str) -> tuple[Host, int] | None:
    """Where an http or https URL of a browser leads; None for any other."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            return None
        return read_host(parts.hostname), parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        return None


def _parse(url: str) -> tuple[SplitResult, Host]:
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
    try:
        return parts, read_host(parts.hostname)
    except ValueError as exc:
        raise BadUrlError(f"{shown!r} names a host that no browser takes", field="url") from exc
