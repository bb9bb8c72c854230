"""Which workers a cluster has, as their actors say.

Rule 1: an actor that does not answer keeps the address that it said last; one that is gone has none.
Rule 2: each actor is asked beside the others, and its next answer comes when it has news: what lies idle costs nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import structlog

from perception.ray_cluster.address import NAMESPACE
from perception.server.placement.ray.address import PREFIX
from perception.server.placement.ray.facts import WorkerFacts

log = structlog.get_logger(__name__)

NEWS_SECONDS = 20.0
"""How long an actor may wait with its answer that nothing has changed."""

PATIENCE_SECONDS = 30.0
"""After which an actor that has not answered is asked again."""

AGAIN_SECONDS = 1.0
"""Before an actor that could not be asked is asked again."""

MAX_ADDRESS = 300
"""Characters."""


class Roster:
    """The workers of a cluster.

    Args:
        find: returns the actor of a name; raises for none.
        on_change: called when an address came or went.
    """

    def __init__(self, find: Callable[[str], Any], on_change: Callable[[], None]) -> None:
        self._find = find
        self._on_change = on_change
        self._following: dict[str, asyncio.Task[None]] = {}
        self._addresses: dict[str, str] = {}

    @property
    def addresses(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._addresses.values())))

    def expect(self, names: Iterable[str]) -> None:
        """Says which named actors there are now."""
        wanted = {each for each in names if each.startswith(PREFIX)}
        for name in wanted.difference(self._following):
            self._following[name] = asyncio.create_task(self._follow(name), name=f"follow-{name}")
        for name in set(self._following).difference(wanted):
            self._following.pop(name).cancel()
            self._say(name, "")

    async def close(self) -> None:
        for each in self._following.values():
            each.cancel()
        await asyncio.gather(*self._following.values(), return_exceptions=True)

    async def _follow(self, name: str) -> None:
        """Asks one actor for as long as it is listed."""
        failed = ""
        seen = -1
        while True:
            try:
                actor = await asyncio.to_thread(self._find, name)
                while True:
                    async with asyncio.timeout(PATIENCE_SECONDS):
                        facts = facts_in(await actor.news.remote(seen, NEWS_SECONDS))
                    seen, failed = facts.change, ""
                    self._say(name, facts.address)
            except TimeoutError:
                why = "it does not answer"
            except Exception as exc:  # of Ray, in many kinds; and of actors that are not ours
                why = type(exc).__name__
                seen = -1
                self._say(name, "")
            if why != failed:
                log.warning("worker's actor not reached", worker=name, why=why)
            failed = why
            await asyncio.sleep(AGAIN_SECONDS)

    def _say(self, name: str, address: str) -> None:
        if self._addresses.get(name, "") == address:
            return
        if address:
            self._addresses[name] = address
        else:
            del self._addresses[name]
        self._on_change()


def facts_in(answer: Any) -> WorkerFacts:
    """What an actor has said. Raises msgspec.ValidationError for what no worker says."""
    facts = msgspec.convert(answer, WorkerFacts)
    host, _, port = facts.address.rpartition(":")
    if facts.address and not (host and port.isdecimal() and len(facts.address) < MAX_ADDRESS):
        raise msgspec.ValidationError("no address")
    return facts


def finder(ray: Any) -> Callable[[str], Any]:
    """Finds actors of our namespace by name."""

    def find(name: str) -> Any:
        return ray.get_actor(name, namespace=NAMESPACE)

    return find
