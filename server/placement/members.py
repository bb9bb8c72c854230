"""Which workers an edge has: fixed ones, or what something else knows of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from perception.client.access import is_local
from perception.errors import BadInputError
from perception.server.environment import how_to_set
from perception.server.settings import Settings

STATIC = "static="
"""A placement on workers at fixed addresses."""


class Members(Protocol):
    """Where an edge learns of its workers."""

    async def start(self, expect: Callable[[Sequence[str]], None]) -> None:
        """Begins.

        Args:
            expect: to be called with the addresses of all workers, now and after each change.
        """

    async def close(self) -> None:
        """Ends. Safe to call twice."""


class StaticMembers:
    """Workers at fixed addresses."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses

    async def start(self, expect: Callable[[Sequence[str]], None]) -> None:
        expect(self._addresses)

    async def close(self) -> None:
        pass


def members_of(settings: Settings) -> Members:
    """What `placement` names. Raises BadInputError."""
    placement = settings.placement
    addresses = parse_addresses(placement.removeprefix(STATIC)) if placement.startswith(STATIC) else ()
    bad = [each for each in addresses if not _is_address(each)]
    if not addresses or bad:
        raise BadInputError(
            f"{(bad or [placement])[0][:80]!r} names no workers: write --placement local, or "
            "static=HOST:PORT,HOST:PORT with an address of each worker",
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
