"""Ports that this service and its browsers listen on: no page may reach them, whatever it is allowed else.

Whoever can speak to DevTools has the browser, and all sessions in it. They are the process's own, so they are kept here
and not by one service or browser.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterable

from perception.browser.addresses import Address, Host

_ports: Counter[int] = Counter()


def guard(port: int) -> None:
    """From now on the port is ours. Give it back by `release`, once for each time."""
    _ports[port] += 1


def release(port: int) -> None:
    _ports[port] -= 1
    if _ports[port] <= 0:
        del _ports[port]


def is_own(addresses: Iterable[Address], port: int) -> bool:
    """Whether the port is one of ours and an address is this machine's."""
    return port in _ports and any(map(is_here, addresses))


def is_here(host: Host) -> bool:
    """Whether an address is this machine's: only such a one can be bound to."""
    if isinstance(host, str):
        return host == "localhost"
    address = host
    if address.is_loopback or address.is_unspecified:
        return True
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
