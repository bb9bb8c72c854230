"""The actor that keeps a fleet of workers: it makes some while claims wait, and drains idle ones.

An actor that fits on no node is demand to Ray's autoscaler, which may start a node for it.
Rule 1: it drains workers without sessions alone, and one that got a session meanwhile keeps it to its end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import structlog

from perception.deadline import loop_time
from perception.ray_cluster.address import NAMESPACE
from perception.server.placement.ray.facts import WorkerFacts
from perception.server.placement.ray.growth import Bounds, plan_of
from perception.server.placement.ray.operating import Order, drain_worker, list_workers, make_worker
from perception.server.telemetry import logs

log = structlog.get_logger(__name__)

FLEET = "fleet"
"""Name of the actor."""

LOOK_SECONDS = 1.0

REPORT_SECONDS = 5.0
"""After which what an edge has reported counts no more: it reports once a second while claims wait."""

GRACE_SECONDS = 7 * 24 * 3600.0
"""For the sessions of a worker that is drained as idle: longer than any session lives by default."""


class Fleet:
    """Keeps as many workers as its bounds and the waiting claims ask for. Answers are plain values.

    Args:
        order: what a worker is made from, as the fields of `Order`.
        bounds: as the fields of `Bounds`.
    """

    def __init__(self, order: Mapping[str, Any], bounds: Mapping[str, Any]) -> None:
        logs.set_up()
        self._order = Order(**order)
        self._bounds = Bounds(**bounds)
        self._reports: dict[str, tuple[float, int]] = {}
        self._idle_since: dict[str, float] = {}
        self._running = asyncio.get_running_loop().create_task(self._run(), name="keep-fleet")

    async def report(self, edge: str, waiting: int) -> None:
        """How many claims wait at an edge."""
        self._reports[edge] = loop_time(), waiting

    async def _run(self) -> None:
        while True:
            try:
                await self._look()
            except Exception as exc:  # of Ray, in many kinds: looked again in a second
                log.warning("the fleet could not be looked after", why=type(exc).__name__)
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        import ray

        workers = await list_workers(ray)
        now = loop_time()
        self._note_idle(workers, now)
        self._reports = {edge: each for edge, each in self._reports.items() if now - each[0] < REPORT_SECONDS}
        waiting = sum(count for _, count in self._reports.values())
        plan = plan_of(workers, waiting, self._idle_since, now, self._bounds)
        for _ in range(plan.make):
            name, _ = await asyncio.to_thread(make_worker, ray, self._order)
            log.info("worker made", worker=name, waiting=waiting, workers=len(workers))
        if plan.drain:
            log.info("idle worker drained", worker=plan.drain, workers=len(workers))
            await drain_worker(ray, plan.drain, GRACE_SECONDS)

    def _note_idle(self, workers: list[WorkerFacts], now: float) -> None:
        idle = [each.name for each in workers if each.state == "serving" and each.slots and not each.taken]
        self._idle_since = {name: self._idle_since.get(name, now) for name in idle}


def start_fleet(ray: Any, order: Order, bounds: Bounds) -> None:
    """Starts a fleet, in place of the one that there may be."""
    end_fleet(ray)
    parts = {"environment": dict(order.environment), "files": dict(order.files)}
    parts |= {"has_certificates": order.has_certificates, "cpus": order.cpus}
    options = {"name": FLEET, "namespace": NAMESPACE, "lifetime": "detached", "max_restarts": -1, "num_cpus": 0}
    limits = {"least": bounds.least, "most": bounds.most, "idle_s": bounds.idle_s}
    actor = ray.remote(Fleet).options(**options).remote(parts, limits)
    ray.get(actor.report.remote("", 0), timeout=60)


def end_fleet(ray: Any) -> None:
    """Workers stay as they are."""
    try:
        actor = ray.get_actor(FLEET, namespace=NAMESPACE)
    except ValueError:
        return
    ray.kill(actor)
    while FLEET in ray.util.list_named_actors():
        time.sleep(0.1)
