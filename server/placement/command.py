"""`perception cluster`: what edges and workers share, and the end of a worker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.terminal import out, reporting_errors

if TYPE_CHECKING:
    from perception.server.placement.worker_status import WorkerStatus

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


@app.command()
def drain(
    address: Annotated[str, typer.Argument(help="HOST:PORT or unix:PATH of the worker.")],
    cluster: Annotated[Path, typer.Option(help="Folder of the cluster's certificates and keys.")],
    grace: Annotated[
        float | None, typer.Option(min=0, help="Seconds for its sessions to go on. Default: the worker's own.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when it has ended.")] = False,
) -> None:
    """Tell a worker to take no more sessions, and to end with the last one."""
    from perception.server.placement.draining import ask_and_wait, ask_to_end

    def say(status: WorkerStatus) -> None:
        out.print(f"{status.name} takes no more sessions; {status.taken} are open", markup=False)

    with reporting_errors():
        if wait:
            asyncio.run(ask_and_wait(address, cluster, grace, say))
            out.print(f"{address} has ended", markup=False)
        else:
            say(asyncio.run(ask_to_end(address, cluster, grace)))
