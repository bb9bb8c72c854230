"""Ports that this service and its browsers listen on: no page may reach them, regardless of what else it may reach.

DevTools gives control of the browser and of all sessions in it. The ports belong to the process, so they are kept here
and not in one service or browser.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterable

from perception.browser.network.addresses import Address, Host

_ports: Counter[int] = Counter()


def guard(port: int) -> None:
    """Reserves a port. Each call needs one `release`."""
    _ports[port] += 1


def release(port: int) -> None:
    """Ends one reservation of a port."""
    _ports[port] -= 1
    if _ports[port] <= 0:
        del _ports[port]


def is_own(addresses: Iterable[Address], port: int) -> bool:
    """Whether the port is reserved and one of the addresses belongs to this machine."""
    return port in _ports and any(map(is_here, addresses))


def is_here(host: Host) -> bool:
    """Whether an address belongs to this machine: only such an address can be bound."""
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
