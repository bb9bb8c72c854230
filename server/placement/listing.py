"""Which workers there are, for operators."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from perception.errors import BadInputError
from perception.server.placement.members import STATIC, parse_addresses
from perception.server.placement.ray.address import PLACEMENT, address_in, is_ray
from perception.server.placement.ray.facts import WorkerFacts
from perception.server.placement.worker_link import link_by
from perception.server.placement.worker_status import WorkerStatus

COLUMNS = ("NAME", "ADDRESS", "NODE", "SESSIONS", "STATE")

NOT_REACHED = "not reached"

ANSWER_SECONDS = 5.0


async def list_workers(placement: str, cluster: Path | None) -> list[WorkerFacts]:
    """All workers of a placement.

    Args:
        placement: `ray=…` or `static=…`.
        cluster: folder with the certificates and keys of workers at fixed addresses.

    Raises:
        BadInputError: the placement names no workers, or the folder cannot be used.
        RayUnavailableError: the Ray cluster cannot be joined.
    """
    if is_ray(placement):
        from perception.ray_cluster.joining import join
        from perception.server.placement.ray import operating

        return await operating.list_workers(join(address_in(placement), PLACEMENT).ray)
    addresses = parse_addresses(placement.removeprefix(STATIC)) if placement.startswith(STATIC) else ()
    if not addresses:
        raise BadInputError(f"{placement[:80]!r} names no workers: write ray=auto, ray=HOST:PORT or static=HOST:PORT,…")
    if cluster is None:
        raise BadInputError("give --cluster with the folder of the workers' certificates and keys", field="cluster")
    return list(await asyncio.gather(*(_describe(each, cluster) for each in addresses)))


def as_json(workers: Sequence[WorkerFacts]) -> list[dict[str, Any]]:
    """One object for each worker."""
    kept = ("name", "address", "node", "state", "taken", "slots", "version", "error")
    return [{name: getattr(each, name) for name in kept} for each in workers]


def as_table(workers: Sequence[WorkerFacts]) -> str:
    """One line for each worker, below a heading."""
    if not workers:
        return "there are no workers"
    rows = [COLUMNS, *(_row(each) for each in workers)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _row(worker: WorkerFacts) -> tuple[str, ...]:
    sessions = f"{worker.taken}/{worker.slots}" if worker.slots else "-"
    state = f"{worker.state}: {worker.error}" if worker.error else worker.state
    return worker.name, worker.address or "-", worker.node or "-", sessions, state


async def _describe(address: str, cluster: Path) -> WorkerFacts:
    """What a worker says of itself."""
    heard = asyncio.Event()
    link = link_by(cluster, address, lambda _: heard.set())
    link.start()
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await heard.wait()
    except TimeoutError:
        pass
    finally:
        await link.close()
    node = address.rpartition(":")[0]
    if link.status is None:
        return WorkerFacts(address, address=address, node=node, state=NOT_REACHED)
    return facts_of(link.status, address, node)


def facts_of(status: WorkerStatus, address: str, node: str) -> WorkerFacts:
    """The same, as of a worker on Ray."""
    state = "draining" if status.is_draining else "serving"
    return WorkerFacts(status.name, address, node, state, status.slots, status.taken)
