"""Which workers an edge has: fixed ones, or what something else knows of them."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import structlog

from perception.client.access import is_local
from perception.errors import BadInputError
from perception.server.environment import how_to_set
from perception.server.placement.ray.address import address_in, is_ray
from perception.server.placement.ray.members import RayMembers
from perception.server.settings import Settings

log = structlog.get_logger(__name__)

STATIC = "static="
"""A placement on workers at addresses that its edge is given."""

RESOLVE_SECONDS = 5.0
"""After which names are resolved again: as long as Kubernetes' DNS keeps the answers of a headless service."""

RETRY_SECONDS = 1.0
"""After which a name that has no address yet is resolved again."""

FIRST_ANSWER_SECONDS = 5.0
"""How long an edge waits for its names before it serves. Chosen by hand."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""From a host's name and a port to the `ADDRESS:PORT` of each of its addresses. Raises OSError for none."""


class Members(Protocol):
    """Where an edge learns of its workers."""

    async def start(self, expect: Callable[[Sequence[str]], None]) -> None:
        """Begins.

        Args:
            expect: to be called with the addresses of all workers, now and after each change.
        """

    def report(self, waiting: int) -> None:
        """Says how many claims wait for a slot at this edge, at each change."""

    async def close(self) -> None:
        """Ends. Safe to call twice."""


async def resolve_host(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a host, in order. Of a host with both kinds those of IPv4: a worker counts once.

    Raises:
        OSError: the name is not known, or nobody answers.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    by_family = {family: [str(where[0]) for each, *_, where in found if each == family] for family, *_ in found}
    if socket.AF_INET in by_family:
        return tuple(sorted(f"{each}:{port}" for each in set(by_family[socket.AF_INET])))
    return tuple(sorted(f"[{each}]:{port}" for each in set(by_family.get(socket.AF_INET6, ()))))


class StaticMembers:
    """Workers at fixed addresses. A host that is a name is a worker at each address that the name has: it is resolved
    again every RESOLVE_SECONDS, and keeps its last addresses while that fails."""

    def __init__(self, addresses: Sequence[str], resolve: Resolve = resolve_host) -> None:
        self._found: dict[str, Sequence[str]] = {each: () if _is_named(each) else (each,) for each in addresses}
        self._names = [each for each in addresses if _is_named(each)]
        self._resolve = resolve
        self._failing: set[str] = set()
        self._resolving: asyncio.Task[None] | None = None

    async def start(self, expect: Callable[[Sequence[str]], None]) -> None:
        try:
            await asyncio.wait_for(self._resolve_names(), FIRST_ANSWER_SECONDS)
        except TimeoutError:
            log.warning("names not resolved yet", names=self._names, after_s=FIRST_ANSWER_SECONDS)
        self._tell(expect)
        if self._names:
            self._resolving = asyncio.create_task(self._keep_resolving(expect), name="resolve-workers")

    def report(self, waiting: int) -> None:
        """Nobody starts more workers."""

    async def close(self) -> None:
        if self._resolving is not None:
            self._resolving.cancel()
            await asyncio.gather(self._resolving, return_exceptions=True)

    async def _keep_resolving(self, expect: Callable[[Sequence[str]], None]) -> None:
        while True:
            await asyncio.sleep(RESOLVE_SECONDS if all(self._found.values()) else RETRY_SECONDS)
            await self._resolve_names()
            self._tell(expect)

    def _tell(self, expect: Callable[[Sequence[str]], None]) -> None:
        expect(tuple(dict.fromkeys(each for found in self._found.values() for each in found)))

    async def _resolve_names(self) -> None:
        await asyncio.gather(*(self._resolve_name(each) for each in self._names))

    async def _resolve_name(self, name: str) -> None:
        host, _, port = name.rpartition(":")
        try:
            found = await self._resolve(host, int(port))
        except (OSError, UnicodeError) as exc:
            if name not in self._failing:
                log.warning("name not resolved", name=name, why=str(exc), kept=len(self._found[name]))
            self._failing.add(name)
            return
        if name in self._failing or set(found) != set(self._found[name]):
            log.info("name resolved", name=name, addresses=len(found))
        self._failing.discard(name)
        self._found[name] = found


def members_of(settings: Settings) -> Members:
    """What `placement` names. Raises BadInputError."""
    placement = settings.placement
    if is_ray(placement):
        return RayMembers(address_in(placement), is_encrypted=settings.cluster is not None)
    addresses = parse_addresses(placement.removeprefix(STATIC)) if placement.startswith(STATIC) else ()
    bad = [each for each in addresses if not _is_address(each)]
    if not addresses or bad:
        raise BadInputError(
            f"{(bad or [placement])[0][:80]!r} names no workers: write --placement local, or "
            "static=HOST:PORT,HOST:PORT with an address of each worker, or a name that has all of them, or ray=auto",
            field="placement",
        )
    remote = [each for each in addresses if not is_local(each)]
    if remote and settings.cluster is None:
        raise BadInputError(
            f"{remote[0]} is another machine, and what goes there is not encrypted without a cluster's certificates: "
            f"make them by `perception cluster init FOLDER`, and give {how_to_set('cluster')}",
            field="cluster",
        )
    return StaticMembers(addresses)


def parse_addresses(text: str) -> tuple[str, ...]:
    """`HOST:PORT,HOST:PORT` as addresses, without repetitions."""
    return tuple(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))


def _is_address(text: str) -> bool:
    host, _, port = text.rpartition(":")
    return text.startswith("unix:") or (bool(host) and port.isdecimal() and int(port) < 65536)


def _is_named(address: str) -> bool:
    """Whether a host has to be resolved. `localhost` is this machine, whatever its addresses."""
    if is_local(address):
        return False
    try:
        ipaddress.ip_address(address.rpartition(":")[0].strip("[]"))
    except ValueError:
        return True
    return False
