"""`perception cluster`: what edges and workers share, and the end of a worker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from perception.errors import BadInputError
from perception.terminal import Output, OutputFormat, out, reporting_errors

app = typer.Typer(help="Edges and workers: their certificates and keys.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="Folder of the cluster's certificates and keys.")]


@app.command()
def init(
    folder: Folder, days: Annotated[int, typer.Option(min=1, help="How long the certificates are valid.")] = 825
) -> None:
    """Make the certificates and keys of a new cluster."""
    from perception.server.placement.authority import make_cluster

    with reporting_errors():
        make_cluster(folder, days)
    out.print(f"made {folder}: copy it to edges and workers, without authority.key", markup=False)


@app.command("new-key")
def new_key(folder: Folder) -> None:
    """Add a key that signs session ids from now on. Those before it are still accepted."""
    from perception.server.placement.authority import add_key

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
    placement: OnRay = "",
) -> None:
    """Tell a worker to take no more sessions, and to end with the last one."""
    from perception.server.placement.draining import ask_to_end
    from perception.server.placement.ray.operating import drain_worker

    with reporting_errors():
        if placement:
            facts = asyncio.run(drain_worker(_joined(placement), worker, grace))
            name, taken = facts.name, facts.taken
        elif cluster is None:
            raise BadInputError(
                "give --cluster with the folder of its certificates and keys, or --placement ray=auto with its name"
            )
        else:
            status = asyncio.run(ask_to_end(worker, cluster, grace))
            name, taken = status.name, status.taken
    out.print(f"{name} takes no more sessions; {taken} are open", markup=False)


@app.command()
def stop(placement: OnRay, grace: Grace = None) -> None:
    """Drain all workers on a Ray cluster: each ends with its last session, and is not started again."""
    from perception.errors import WorkerUnreachableError
    from perception.server.placement.ray.operating import drain_all

    with reporting_errors():
        told = asyncio.run(drain_all(_joined(placement), grace))
        failed = [each for each in told if isinstance(each, BaseException)]
        for each in told:
            if not isinstance(each, BaseException):
                out.print(f"{each.name} takes no more sessions; {each.taken} are open", markup=False)
        if failed:
            raise WorkerUnreachableError(". ".join(map(str, failed)))
    if not told:
        out.print("there are no workers")


def _joined(placement: str) -> Any:
    """Ray's module in a cluster. Raises BadInputError."""
    from perception.server.placement.ray.address import address_in, is_ray
    from perception.server.placement.ray.joining import join

    if not is_ray(placement):
        raise BadInputError(f"--placement {placement[:80]} is none on Ray: write ray=auto or ray=HOST:PORT")
    return join(address_in(placement))
