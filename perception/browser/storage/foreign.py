"""Which parts of a state are for origins that a session may reach. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from perception.browser.network.addresses import read_host
from perception.browser.network.policy import DEFAULT_PORTS, Origin
from perception.browser.storage.state import BrowserState, Cookie, OriginStorage
from perception.errors import StateOriginRefusedError
from perception.page_words import quoted_list

SHOWN = 3
"""Foreign hosts that an error names."""


def split_state(state: BrowserState, origins: Sequence[Origin]) -> tuple[BrowserState, BrowserState]:
    """What of a state is for these origins, and the rest. Without origins all of it is."""
    if not origins:
        return state, BrowserState()
    mine = [cookie for cookie in state.cookies if cookie_goes_to(cookie, origins)]
    stored = [each for each in state.origins if storage_is_of(each, origins)]
    rest = BrowserState(
        [cookie for cookie in state.cookies if not cookie_goes_to(cookie, origins)],
        [each for each in state.origins if not storage_is_of(each, origins)],
    )
    return BrowserState(mine, stored), rest


def refuse_foreign(state: BrowserState, origins: Sequence[Origin]) -> None:
    """Raises StateOriginRefusedError for a state with a cookie or storage of another origin than the session's."""
    _, foreign = split_state(state, origins)
    if not foreign.cookies and not foreign.origins:
        return
    hosts = list(dict.fromkeys([each.domain for each in foreign.cookies] + [each.origin for each in foreign.origins]))
    more = f" and {len(hosts) - SHOWN} more" if len(hosts) > SHOWN else ""
    raise StateOriginRefusedError(
        f"the state has {len(foreign.cookies)} cookies and {len(foreign.origins)} origins that this session's "
        f"allowed_origins do not cover ({quoted_list(hosts[:SHOWN])}{more}): nothing was taken; "
        "name these origins there, or leave them out of the state (ExportState takes `origins`)"
    )


def cookie_goes_to(cookie: Cookie, origins: Sequence[Origin]) -> bool:
    """Whether a browser may send the cookie to one of these origins."""
    bare = cookie.domain.removeprefix(".").lower().strip("[]")
    return any(_covers(origin, bare, below=cookie.domain.startswith(".")) for origin in origins)


def _covers(origin: Origin, domain: str, *, below: bool) -> bool:
    host = str(origin.rule.host)
    if not origin.rule.below:
        return host == domain or (below and host.endswith(f".{domain}"))
    return domain.endswith(f".{host}") or (below and (domain == host or host.endswith(f".{domain}")))


def storage_is_of(storage: OriginStorage, origins: Sequence[Origin]) -> bool:
    """Whether storage is of one of these origins."""
    return is_one_of(storage.origin, origins)


def is_one_of(origin: str, origins: Sequence[Origin]) -> bool:
    """Whether an origin as text is one of these."""
    parts = urlsplit(origin)
    try:
        host, port = read_host(parts.hostname or ""), parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return False
    return any(each.scheme == parts.scheme and each.rule.holds(host, port) for each in origins)
