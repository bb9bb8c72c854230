"""How many workers there should be: from what waits and what is idle. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perception.errors import BadInputError
from perception.server.placement.ray.facts import WorkerFacts

IDLE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """How a fleet grows and shrinks.

    Attributes:
        least, most: workers that there are at any time.
        idle_s: a worker without sessions for that long is drained.
        is_fleet: whether there is anything to grow; if not, `least` are made once.
    """

    least: int
    most: int
    idle_s: float = IDLE_SECONDS
    is_fleet: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done now: how many workers to make, and the name of one to drain; empty for none."""

    make: int = 0
    drain: str = ""


def bounds_in(text: str, idle_s: float | None) -> Bounds:
    """Of `N` or `MIN-MAX`. Raises BadInputError."""
    least, dash, most = text.partition("-")
    if not least.isdecimal() or (dash and not most.isdecimal()) or not int(least) <= int(most or least) or most == "0":
        raise BadInputError(f"--workers {text[:40]!r} is not a number: write 4, or 1-8 for as many as sessions ask for")
    if not dash and (idle_s is not None or least == "0"):
        raise BadInputError("--workers is 1 or more; --idle-worker is for a range, such as --workers 1-8")
    return Bounds(int(least), int(most or least), IDLE_SECONDS if idle_s is None else idle_s, bool(dash))


def plan_of(
    workers: Sequence[WorkerFacts], waiting: int, idle_since: Mapping[str, float], now: float, bounds: Bounds
) -> Plan:
    """What is to be done. Claims that wait count also where slots look free: a worker may have no memory left for more.

    Args:
        workers: all of them; those that are being made have no address.
        waiting: claims that wait for a slot at all edges.
        idle_since: when a worker was first seen without sessions, by name, in seconds.
        now: on the same clock.
        bounds: of the fleet.
    """
    staying = [each for each in workers if each.state != "draining"]
    coming = [each for each in staying if not each.address]
    slots = max((each.slots for each in staying), default=0) or 1
    wanted = math.ceil(waiting / slots) - len(coming)
    make = max(bounds.least - len(staying), min(wanted, bounds.most - len(staying)), 0)
    if make or waiting or coming or len(staying) <= bounds.least:
        return Plan(make)
    idle = [each.name for each in staying if now - idle_since.get(each.name, now) >= bounds.idle_s]
    return Plan(drain=max(idle, key=lambda name: (len(name), name))) if idle else Plan()
