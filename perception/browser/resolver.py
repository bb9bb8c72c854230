"""Host names to addresses: asked of the system, a few at a time, and remembered for a little while."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Protocol

from perception.browser.addresses import Address

KEPT_SECONDS = 60.0
"""As long as Chromium itself keeps an answer of the system's resolver (net/dns/host_resolver_manager.cc)."""

KEPT_NAMES = 1000

THREADS = 16
"""Names asked for at once, in threads of their own: a page that names a thousand hosts must not keep the service's
other work waiting."""

ANSWER_SECONDS = 10.0
"""glibc asks a name server twice, 5 s each; with a second server it would go on."""


class Resolve(Protocol):
    """Where a name leads; empty when nobody knows."""

    async def __call__(self, name: str) -> tuple[Address, ...]: ...


class SystemResolver:
    """The system's. Answers are shared and kept; that a name is unknown is not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, tuple[Address, ...]]] = OrderedDict()
        self._asked: dict[str, asyncio.Future[tuple[Address, ...]]] = {}

    async def __call__(self, name: str) -> tuple[Address, ...]:
        if name == "localhost" or name.endswith(".localhost"):  # https://www.rfc-editor.org/rfc/rfc6761#section-6.3
            return IPv4Address("127.0.0.1"), IPv6Address("::1")
        until, addresses = self._kept.get(name, (0.0, ()))
        if self._clock() < until:
            return addresses
        asked = self._asked.get(name)
        if asked is None:
            asked = asyncio.ensure_future(self._ask(name))
            self._asked[name] = asked
            asked.add_done_callback(lambda _: self._asked.pop(name, None))
        return await asyncio.shield(asked)

    async def _ask(self, name: str) -> tuple[Address, ...]:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                addresses = await asyncio.get_running_loop().run_in_executor(_threads, _look_up, name)
        except (OSError, UnicodeError, TimeoutError):
            return ()
        self._kept[name] = (self._clock() + KEPT_SECONDS, addresses)
        self._kept.move_to_end(name)
        while len(self._kept) > KEPT_NAMES:
            self._kept.popitem(last=False)
        return addresses


_threads = ThreadPoolExecutor(THREADS, "resolve")


def _look_up(name: str) -> tuple[Address, ...]:
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    texts = dict.fromkeys(str(entry[4][0]) for entry in found)
    return tuple(_address(text) for text in texts)


def _address(text: str) -> Address:
    address = ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address
