"""`perception cluster`: what edges and workers share, and the end of a worker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perception.errors import BadInputError
from perception.terminal import Output, OutputFormat, out, reporting_errors

if TYPE_CHECKING:
    from perception.server.placement.ray.facts import WorkerFacts
    from perception.server.placement.worker_status import WorkerStatus

app = typer.Typer(help="Edges and workers: their certificates and keys.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of the cluster's certificates and keys.")]


@app.command()
def init(
    folder: Folder, days: Annotated[int, typer.Option(min=1, help="How long the certificates are valid.")] = 825
) -> None:
    """Make the certificates and keys of a new cluster."""
    from perception.server.placement.new_cluster import make_cluster

    with reporting_errors():
        make_cluster(folder, days)
    out.print(f"made {folder}: copy it to edges and workers, without authority.key", markup=False)


@app.command("new-key")
def new_key(folder: Folder) -> None:
    """Add a key that signs session ids from now on. Those before it are still accepted."""
    from perception.server.placement.new_cluster import add_key

    with reporting_errors():
        count = add_key(folder)
    out.print(f"{count} keys: copy session.keys to edges first, then to workers; they read it again by themselves")


Cluster = Annotated[Path | None, typer.Option(help="Folder of the cluster's certificates and keys.")]

OnRay = Annotated[str, typer.Option("--placement", help="Where the workers are: ray=auto or ray=HOST:PORT.")]

Where = Annotated[
    str, typer.Option("--placement", help="Where the workers are: ray=auto, ray=HOST:PORT or static=HOST:PORT,….")
]

Grace = Annotated[
    float | None, typer.Option(min=0, help="Seconds for its sessions to go on. Default: the worker's own.")
]


@app.command()
def workers(placement: Where, cluster: Cluster = None, output: Output = OutputFormat.TEXT) -> None:
    """List the workers: name, address, node, sessions and state."""
    from perception.server.placement.listing import as_json, as_table, list_workers

    with reporting_errors():
        found = asyncio.run(list_workers(placement, cluster))
    if output is OutputFormat.JSON:
        out.print_json(data=as_json(found))
    else:
        out.print(as_table(found), markup=False)


@app.command()
def drain(
    worker: Annotated[str, typer.Argument(help="HOST:PORT or unix:PATH of the worker; with --placement ray its name.")],
    cluster: Cluster = None,
    grace: Grace = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when it has ended.")] = False,
    placement: OnRay = "",
) -> None:
    """Tell a worker to take no more sessions, and to end with the last one."""
    with reporting_errors():
        if placement:
            asyncio.run(_drain_on_ray(_joined(placement), worker, grace, wait=wait))
        elif cluster is None:
            raise BadInputError(
                "give --cluster with the folder of its certificates and keys, or --placement ray=auto with its name"
            )
        else:
            asyncio.run(_drain(worker, cluster, grace, wait=wait))


@app.command()
def stop(placement: OnRay, grace: Grace = None) -> None:
    """Drain all workers on a Ray cluster: each ends with its last session, and is not started again."""
    from perception.errors import WorkerUnreachableError
    from perception.server.placement.ray.fleet import end_fleet
    from perception.server.placement.ray.operating import drain_all

    with reporting_errors():
        ray = _joined(placement)
        end_fleet(ray)
        told = asyncio.run(drain_all(ray, grace))
        for each in told:
            if not isinstance(each, BaseException):
                _say_draining(each)
        failed = [str(each) for each in told if isinstance(each, BaseException)]
        if failed:
            raise WorkerUnreachableError(". ".join(failed))
    if not told:
        out.print("there are no workers")


async def _drain(address: str, cluster: Path, grace_s: float | None, *, wait: bool) -> None:
    from perception.server.placement.draining import ask_and_wait, ask_to_end
    from perception.server.telemetry import logs

    logs.set_up("error")
    if wait:
        await ask_and_wait(address, cluster, grace_s, _say_draining)
        out.print(f"{address} has ended", markup=False)
    else:
        _say_draining(await ask_to_end(address, cluster, grace_s))


async def _drain_on_ray(ray: Any, name: str, grace_s: float | None, *, wait: bool) -> None:
    from perception.server.placement.ray.operating import drain_worker, until_gone

    facts = await drain_worker(ray, name, grace_s)
    _say_draining(facts)
    if wait:
        await until_gone(ray, facts.name)
        out.print(f"{facts.name} has ended", markup=False)


def _say_draining(worker: WorkerStatus | WorkerFacts) -> None:
    out.print(f"{worker.name} takes no more sessions; {worker.taken} are open", markup=False)


def _joined(placement: str) -> Any:
    """Ray's module in a cluster. Raises BadInputError and RayUnavailableError."""
    from perception.ray_cluster.joining import join
    from perception.server.placement.ray.address import PLACEMENT, address_in, is_ray

    if not is_ray(placement):
        raise BadInputError(f"--placement {placement[:80]} is not on Ray: write ray=auto or ray=HOST:PORT")
    return join(address_in(placement), PLACEMENT).ray
