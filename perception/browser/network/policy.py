"""What pages may reach: public addresses by http and https, and hosts that the operator allows; in a session that names
origins, only those.

URLs that a client opens are checked before (`UrlPolicy.check`). Connections of the browser itself are checked by the
session's proxy, which knows a host and a port (`UrlPolicy.lead`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from urllib.parse import SplitResult, urlsplit

from perception.browser.network import reserved_ports
from perception.browser.network.addresses import (
    METADATA,
    METADATA_NAMES,
    Address,
    Host,
    Network,
    likely_scheme,
    read_host,
    why_not_public,
)
from perception.browser.network.resolver import Resolve, SystemResolver
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    BadUrlError,
    BrowserUnavailableError,
    OriginBlockedError,
    SchemeBlockedError,
)
from perception.page_words import page_words

MAX_URL_LENGTH = 2 * 2**20
"""Chromium's own limit (url::kMaxURLChars)."""

MAX_ORIGINS = 1000
"""Most origins of one session: each connection is compared with all of them. Chosen by hand."""

EVERYTHING = "*"

DEFAULT_PORTS = {"http": 80, "https": 443}

ORIGIN = "origin"
OWN_PORT = "own-port"
MALFORMED = "malformed"

PAGE_SCHEMES = frozenset({"http", "https", "about", "blob", "chrome-error", "data"})
"""Schemes of documents that a tab may show: opened ones, those that pages create, and Chromium's error page. No page
leads a tab to a data: URL: Chromium refuses that."""


@dataclass(frozen=True, slots=True)
class HostRule:
    """Hosts that a rule is about.

    Attributes:
        host: the host; with `below` the name that they are below of. Empty with `below` means every host.
        port: the port; None means any.
        below: the rule is about all names below `host` (`*.example.org`), not about `host` itself.
    """

    host: Host
    port: int | None = None
    below: bool = False

    @classmethod
    def parse(cls, text: str) -> HostRule:
        """`HOST`, `HOST:PORT`, `[IPV6]:PORT`, `*.NAME` or `*`.

        Raises:
            ValueError: it is in no such form.
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
        """Whether the rule is about a host and port."""
        if self.port not in (None, port):
            return False
        if self.below:
            return not self.host or (isinstance(host, str) and host.endswith(f".{self.host}"))
        return host == self.host


@dataclass(frozen=True, slots=True)
class Origin:
    """An allowed origin of a session. The proxy cannot tell http from https at the same port; `UrlPolicy.check` can.

    Attributes:
        scheme: http or https.
        rule: its host or hosts, and port.
    """

    scheme: str
    rule: HostRule

    @property
    def text(self) -> str:
        """The origin as text, with its port."""
        host = _bare(self.rule.host)
        shown = f"[{host}]" if ":" in host else f"*.{host}" if self.rule.below else host
        return f"{self.scheme}://{shown}:{self.rule.port}"

    def holds(self, origin: str) -> bool:
        """Whether it is, or includes, the origin of a document, as browsers write it: `https://shop.example`."""
        place = host_and_port(origin)
        return place is not None and origin.startswith(f"{self.scheme}://") and self.rule.holds(*place)

    @classmethod
    def parse(cls, text: str) -> Origin:
        """`https://host`, `https://host:port`, `https://*.example.org`.

        Raises:
            ValueError: it is not such an origin; the message says why.
        """
        scheme, found, rest = text.partition("://")
        if not found or scheme.lower() not in DEFAULT_PORTS:
            raise ValueError("it has to start with https:// or http://")
        if rest.strip("/") == EVERYTHING:
            raise ValueError("it names no host: leave the list empty to allow every origin")
        try:
            rule = HostRule.parse(rest.removesuffix("/"))
        except ValueError as exc:
            raise ValueError("only a host and a port may follow the scheme: no path, no user") from exc
        return cls(scheme.lower(), replace(rule, port=rule.port or DEFAULT_PORTS[scheme.lower()]))


@dataclass(frozen=True, slots=True)
class Blocked:
    """A refusal.

    Attributes:
        why: the reason as one word, for metrics.
        shown: the host, without a path.
        message: of the error.
    """

    why: str
    shown: str
    message: str

    def error(self) -> OriginBlockedError:
        """The error of a call that is refused."""
        return OriginBlockedError(self.message, host=self.shown, why=self.why)


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """The rules of a service, or of one session.

    Attributes:
        allowed_hosts: hosts that may be private.
        allowed_networks: private networks that any name may lead to.
        origins: the only origins that may be opened; empty means all.
        resolve: resolves names.
    """

    allowed_hosts: tuple[HostRule, ...] = ()
    allowed_networks: tuple[Network, ...] = ()
    origins: tuple[Origin, ...] = ()
    resolve: Resolve = field(default_factory=SystemResolver, compare=False)

    @classmethod
    def of(cls, allowed_hosts: Iterable[str]) -> UrlPolicy:
        """From hosts (see `HostRule.parse`) and networks that may be private.

        Raises:
            BadInputError: one is neither a host nor a network.
        """
        texts = [text.strip() for text in allowed_hosts]
        networks = [text for text in texts if "/" in text and "://" not in text]
        hosts = [text for text in texts if text not in networks]
        return cls(tuple(map(_allowed_host, hosts)), tuple(map(_allowed_network, networks)))

    def within(self, origins: Sequence[Origin]) -> UrlPolicy:
        """The same rules, limited to these origins; unlimited for an empty list."""
        return replace(self, origins=tuple(origins))

    def with_host_of(self, url: str) -> UrlPolicy:
        """The same rules, with the host of a URL allowed at every port; the same where it names none."""
        try:
            host = urlsplit(url).hostname
            rule = HostRule(read_host(host)) if host else None
        except ValueError:  # `check` says what is wrong with it
            rule = None
        if rule is None or rule in self.allowed_hosts:
            return self
        return replace(self, allowed_hosts=(*self.allowed_hosts, rule))

    async def check(self, url: str, deadline: Deadline) -> None:
        """Raises unless the URL may be opened.

        Raises:
            BadUrlError: it is not a URL.
            SchemeBlockedError: it is neither http, https, data nor about:blank.
            OriginBlockedError: its host is private and not allowed, or the session does not name its origin.
        """
        if url.lower().partition("#")[0] == "about:blank":
            return
        if url.lower().startswith("data:"):
            self._check_data(url)
            return
        parts, host = _parse(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        blocked = self.refuse(host, port, parts.scheme)
        if blocked is None:
            async with deadline.phase("resolving the host"):
                blocked, _ = await self.lead(host, port)
        if blocked is not None:
            raise blocked.error()

    def _check_data(self, url: str) -> None:
        """Raises unless a data: URL may be opened. It reaches nothing but what its own document asks for."""
        if len(url) > MAX_URL_LENGTH or "\0" in url:
            raise BadUrlError(f"{url[:100] + '…'!r} is not a URL that browsers accept", field="url")
        if self.origins:
            raise Blocked(
                ORIGIN, "data:", "data: URLs are of no origin: open them in a session without allowed_origins"
            ).error()

    async def check_endpoint(self, url: str, deadline: Deadline) -> str:
        """Checks a browser's CDP endpoint that a client names; a session's origins and reserved ports do not matter.

        Returns:
            The URL to connect to: of http and ws with the address that was checked instead of the name.

        Raises:
            BadUrlError, SchemeBlockedError: it is not such a URL.
            OriginBlockedError: its host is private and not allowed.
            BrowserUnavailableError: its host cannot be resolved.
        """
        as_http = url.replace("ws://", "http://", 1).replace("wss://", "https://", 1)
        parts, host = _parse(as_http)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
        addresses: Sequence[Address] = (host,) if not isinstance(host, str) else ()
        if isinstance(host, str):
            async with deadline.phase("resolving the host"):
                addresses = await self.resolve(host)
        if why := self._why_not(host, port, addresses):
            raise _private(why, host).error()
        if not addresses:
            raise BrowserUnavailableError(f"{host} cannot be resolved: check the CDP endpoint's host")
        if parts.scheme == "https":  # the certificate proves the name
            return url
        return url.replace(f"://{parts.netloc}", f"://{_shown(addresses[0], port)}", 1)

    async def lead(self, host: Host, port: int) -> tuple[Blocked | None, tuple[Address, ...]]:
        """The addresses that a connection may use, each of them checked, or why there are none. Neither means that the
        host cannot be resolved."""
        if blocked := self.refuse(host, port):
            return blocked, ()
        addresses = await self.resolve(host) if isinstance(host, str) else (host,)
        blocked = self.refuse_addresses(host, port, addresses)
        return blocked, () if blocked else addresses

    def refuse(self, host: Host, port: int, scheme: str = "") -> Blocked | None:
        """The refusal that needs no name server; None where there is none. Pure.

        Args:
            scheme: http or https; empty where it is not known.
        """
        if self.origins and not any(
            each.rule.holds(host, port) and scheme in ("", each.scheme) for each in self.origins
        ):
            shown = _shown(host, port)
            return Blocked(
                ORIGIN,
                _bare(host),
                f"{f'{scheme}://' if scheme else ''}{shown} is not among this session's allowed_origins: "
                "name it there when you create the session if it should be opened",
            )
        if isinstance(host, str):
            return _private(METADATA, host) if host in METADATA_NAMES and not self._allows(host, port) else None
        return self.refuse_addresses(host, port, (host,))

    def refuse_addresses(self, host: Host, port: int, addresses: Sequence[Address]) -> Blocked | None:
        """The refusal of a host's addresses; None where all are allowed. One bad address among good ones is enough."""
        if reserved_ports.is_own(addresses, port):
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
        # An allowed network does not allow a metadata service in it: that needs a rule of its own.
        is_allowed = why != METADATA and any(address in network for network in self.allowed_networks)
        return "" if is_allowed else why

    def _allows(self, host: Host, port: int) -> bool:
        return any(rule.holds(host, port) for rule in self.allowed_hosts)


def _allowed_host(text: str) -> HostRule:
    try:
        return HostRule.parse(text)
    except (ValueError, UnicodeError) as exc:
        raise BadInputError(
            f"--allow-host {text[:100]!r} is not a host: write HOST, HOST:PORT, *.NAME, NETWORK/BITS or *, "
            "without http://",
            field="allow_hosts",
        ) from exc


def _allowed_network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as exc:
        raise BadInputError(
            f"--allow-host {text[:100]!r} is not a network: {str(exc)[:200]}; write it like 10.0.0.0/8, without a port",
            field="allow_hosts",
        ) from exc


def _private(why: str, host: Host) -> Blocked:
    return Blocked(
        why,
        _bare(host),
        f"{_bare(host)} is a private or local address, which this service does not open: "
        f"start it with --allow-host {_bare(host)} (in Python, connect(allow_hosts=[{_bare(host)!r}])) to allow it",
    )


def _bare(host: Host) -> str:
    return str(host)


def _shown(host: Host, port: int) -> str:
    return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"


def _is_bare_v6(text: str) -> bool:
    return text.count(":") > 1 and not text.startswith("[")


def check_page_scheme(url: str) -> None:
    """Checks the URL of a tab's document. Raises SchemeBlockedError for a scheme that pages may not lead to."""
    scheme = url.partition(":")[0].lower()
    if url and scheme not in PAGE_SCHEMES:
        said = page_words(scheme, 20)
        raise SchemeBlockedError(f"the page led to a {said}: URL and was left", scheme=said)


def host_and_port(url: str) -> tuple[Host, int] | None:
    """Host and port of an http or https URL; None for any other URL."""
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
        raise BadUrlError(f"{shown!r} is not a URL: {exc}", field="url") from exc
    if len(url) > MAX_URL_LENGTH or "\0" in url or not port_is_number:
        raise BadUrlError(f"{shown!r} is not a URL that browsers accept", field="url")
    if not parts.scheme or (parts.scheme not in ("http", "https") and not parts.netloc and parts.path.isdigit()):
        raise BadUrlError(f"{shown!r} has no scheme: write {likely_scheme(url)}://{shown}", field="url")
    if parts.scheme not in ("http", "https"):
        raise SchemeBlockedError(
            f"{parts.scheme}: URLs are not opened: use http, https, data or about:blank", scheme=parts.scheme[:20]
        )
    # Browsers read \\ as / and decode % in a host; the checked host must be the one that they open.
    if not parts.hostname or any(char.isspace() or char in "\\%" for char in parts.netloc):
        raise BadUrlError(f"{shown!r} names no host: write https://HOST/PATH", field="url")
    try:
        return parts, read_host(parts.hostname)
    except ValueError as exc:
        raise BadUrlError(f"{shown!r} names a host that browsers reject: check its name", field="url") from exc
