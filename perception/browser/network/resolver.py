"""Resolves host names by the system's resolver, some at a time, and caches the answers for a minute."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Protocol

from cachetools import TTLCache

from perception.browser.network.addresses import Address
from perception.deadline import loop_time

KEPT_SECONDS = 60.0
"""As long as Chromium itself keeps an answer of the system's resolver (net/dns/host_resolver_manager.cc)."""

KEPT_NAMES = 1000
"""Names whose addresses are cached. Chosen by hand."""

RESOLVER_THREADS = 16
"""Names that are resolved at once, in separate threads: a page that names a thousand hosts must not delay other work.
Chosen by hand."""

RESOLVER_ANSWER_SECONDS = 10.0
"""glibc asks a name server twice, 5 s each, then the next one."""


class Resolve(Protocol):
    """Returns the addresses of a name; empty for an unknown one."""

    async def __call__(self, name: str) -> tuple[Address, ...]: ...


class SystemResolver:
    """The system's resolver. Concurrent requests share an answer; answers are cached, failures are not."""

    def __init__(self, clock: Callable[[], float] = loop_time) -> None:
        self._kept: TTLCache[str, tuple[Address, ...]] = TTLCache(KEPT_NAMES, KEPT_SECONDS, timer=clock)
        self._asked: dict[str, asyncio.Future[tuple[Address, ...]]] = {}

    async def __call__(self, name: str) -> tuple[Address, ...]:
        if name == "localhost" or name.endswith(".localhost"):  # https://www.rfc-editor.org/rfc/rfc6761#section-6.3
            return IPv4Address("127.0.0.1"), IPv6Address("::1")
        if (addresses := self._kept.get(name)) is not None:
            return addresses
        asked = self._asked.get(name)
        if asked is None:
            asked = asyncio.ensure_future(self._ask(name))
            self._asked[name] = asked
            asked.add_done_callback(lambda _: self._asked.pop(name, None))
        return await asyncio.shield(asked)

    async def _ask(self, name: str) -> tuple[Address, ...]:
        try:
            async with asyncio.timeout(RESOLVER_ANSWER_SECONDS):
                addresses = await asyncio.get_running_loop().run_in_executor(_threads, _look_up, name)
        except (OSError, UnicodeError, TimeoutError):
            return ()
        self._kept[name] = addresses
        return addresses


_threads = ThreadPoolExecutor(RESOLVER_THREADS, "resolve")


def _look_up(name: str) -> tuple[Address, ...]:
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    texts = dict.fromkeys(str(entry[4][0]) for entry in found)
    return tuple(_address(text) for text in texts)


def _address(text: str) -> Address:
    address = ip_address(text.partition("%")[0])
    return getattr(address, "ipv4_mapped", None) or address
