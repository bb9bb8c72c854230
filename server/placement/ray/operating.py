"""What operators do with workers on Ray: start them, list them, and drain them. For the process of a command."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import msgspec

from perception.errors import BadInputError, WorkerUnreachableError
from perception.loopback import is_loopback
from perception.ray_cluster.address import NAMESPACE
from perception.server.placement.ray.actor import RayWorker
from perception.server.placement.ray.address import PREFIX
from perception.server.placement.ray.facts import WorkerFacts
from perception.server.placement.ray.roster import facts_in
from perception.server.placement.ray.versions import own_version

SERVE_SECONDS = 90.0
"""For a worker to serve, and for its node to have room for it."""

ANSWER_SECONDS = 3.0
"""For an actor to say what it knows."""

DRAIN_SECONDS = 10.0

LOOK_SECONDS = 0.5

SILENT = "does not answer"
"""State of a worker whose actor says nothing: it hangs, its node is not reached, or no node has room for it yet."""


@dataclass(frozen=True, slots=True)
class Order:
    """What workers are to be made.

    Attributes:
        environment: of each worker, beside the node's own.
        files: content of the cluster's folder without `authority.key`, or the session keys alone.
        has_certificates: whether there are certificates among them.
        cpus: of its node that each one takes.
    """

    environment: Mapping[str, str]
    files: Mapping[str, bytes]
    has_certificates: bool
    cpus: float = 1.0


def start_workers(ray: Any, order: Order, number: int) -> Iterator[WorkerFacts]:
    """Makes workers, and yields each one when it serves.

    Raises:
        BadInputError: a node cannot be reached by TLS alone, or a worker did not start: those that did stay.
    """
    check_nodes(ray, order)
    made = [make_worker(ray, order) for _ in range(number)]
    failed: list[str] = []
    for name, actor in made:
        try:
            facts = facts_in(ray.get(actor.settled.remote(), timeout=SERVE_SECONDS))
            if facts.address:
                yield facts
                continue
            failed.append(f"{name} on node {facts.node}: {facts.error}")
        except ray.exceptions.GetTimeoutError:
            failed.append(f"{name}: {_why_late(ray, actor, order)}")
        except ray.exceptions.RayError as exc:
            failed.append(f"{name}: {_cause(exc)}")
        ray.kill(actor)
    if failed:
        raise BadInputError(f"{len(failed)} of {number} workers did not start. {'. '.join(failed)}", field="placement")


def _why_late(ray: Any, actor: Any, order: Order) -> str:
    """Why a worker does not serve in time."""
    try:
        facts = facts_in(ray.get(actor.describe.remote(), timeout=ANSWER_SECONDS))
    except ray.exceptions.RayError:
        return f"no node had room for it within {SERVE_SECONDS:.0f} s; it takes {order.cpus:g} CPUs (--cpus)"
    return f"it did not serve within {SERVE_SECONDS:.0f} s on node {facts.node}"


def make_worker(ray: Any, order: Order) -> tuple[str, Any]:
    """Makes one actor, with the lowest free number. It is there for as long as the cluster, on whichever node."""
    remote = ray.remote(RayWorker)
    taken = set(names(ray))
    for number in count(1):
        name = f"{PREFIX}{number}"
        if name in taken:
            continue
        options = remote.options(
            name=name,
            namespace=NAMESPACE,
            lifetime="detached",
            max_restarts=-1,
            max_task_retries=0,
            num_cpus=order.cpus,
            scheduling_strategy="SPREAD",
        )
        try:
            environment, files = dict(order.environment), dict(order.files)
            return name, options.remote(name, environment, files, order.has_certificates, own_version())
        except ValueError:  # somebody else has made one of that name meanwhile
            taken.add(name)
    raise AssertionError("there is always a next number")


def check_nodes(ray: Any, order: Order) -> None:
    """Raises BadInputError where workers would take calls from other machines without certificates."""
    far = [each["NodeManagerAddress"] for each in ray.nodes() if each["Alive"]]
    far = [each for each in far if not is_loopback(each)]
    if far and not order.has_certificates:
        raise BadInputError(
            f"the cluster's node {far[0]} is reached by other machines, and what goes there is not encrypted without "
            "certificates: make them by `perception cluster init FOLDER`, and give --cluster to workers and edges",
            field="cluster",
        )


def names(ray: Any) -> list[str]:
    """Of all workers' actors, in order."""
    ours = [each for each in ray.util.list_named_actors() if each.startswith(PREFIX)]
    return sorted(ours, key=lambda each: (len(each), each))


def count_workers(ray: Any) -> int:
    """How many there are, also those that do not serve."""
    return len(names(ray))


async def list_workers(ray: Any) -> list[WorkerFacts]:
    """All workers, also those that say nothing."""
    return list(await asyncio.gather(*(_describe(ray, each) for each in names(ray))))


async def drain_worker(ray: Any, wanted: str, grace_s: float | None) -> WorkerFacts:
    """Tells one worker to take no more sessions, and to end with its last one.

    Args:
        wanted: name of the actor, or the name with an ending that edges and logs have.
        grace_s: seconds for its sessions to go on; None for its own setting.

    Raises:
        BadInputError: there is no such worker.
        WorkerUnreachableError: its actor does not answer.
    """
    known = names(ray)
    name = wanted if wanted in known else wanted.partition(".")[0]
    if name not in known:
        those = ", ".join(known[:10]) or "none"
        raise BadInputError(f"no worker {wanted[:80]!r} on this Ray cluster: there are {those}")
    try:
        actor = ray.get_actor(name, namespace=NAMESPACE)
        async with asyncio.timeout(DRAIN_SECONDS):
            return facts_in(await actor.drain.remote(grace_s))
    except (TimeoutError, ValueError, AttributeError, ray.exceptions.RayError, msgspec.ValidationError) as exc:
        raise WorkerUnreachableError(f"worker {name} does not answer: {_cause(exc)}") from exc


async def until_gone(ray: Any, name: str) -> None:
    """Returns when a worker that drains has ended, and its actor with it."""
    while name in await asyncio.to_thread(names, ray):  # noqa: ASYNC110  (Ray tells nobody)
        await asyncio.sleep(LOOK_SECONDS)


async def drain_all(ray: Any, grace_s: float | None) -> Sequence[WorkerFacts | BaseException]:
    """As `drain_worker`, for all of them."""
    asked = (drain_worker(ray, each, grace_s) for each in names(ray))
    return await asyncio.gather(*asked, return_exceptions=True)


async def _describe(ray: Any, name: str) -> WorkerFacts:
    try:
        actor = await asyncio.to_thread(ray.get_actor, name, namespace=NAMESPACE)
        async with asyncio.timeout(ANSWER_SECONDS):
            return facts_in(await actor.describe.remote())
    except TimeoutError:
        return WorkerFacts(name, state=SILENT)
    except Exception as exc:  # of Ray, in many kinds; and of actors that are not ours
        return WorkerFacts(name, state=SILENT, error=_cause(exc))


def _cause(error: BaseException) -> str:
    """The last line that says something: Ray's texts begin with a stack trace."""
    lines = [each.strip() for each in str(error).splitlines() if each.strip()]
    return lines[-1][:500] if lines else type(error).__name__
