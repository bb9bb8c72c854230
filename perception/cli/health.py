"""`perception health`: whether a service serves, for scripts and health checks."""

from __future__ import annotations

from typing import Annotated

import typer

from perception.cli.command_options import Timeout, access_options, service_command
from perception.client import RemoteError, connect
from perception.errors import BadInputError
from perception.terminal import FAILED, Output, OutputFormat, out, tame


@service_command
def health(
    address: Annotated[str, typer.Option(help="HOST:PORT or unix:PATH of the service.")] = "127.0.0.1:50051",
    service: Annotated[
        str, typer.Option(help="One of its services, such as perception.v1.ActionService. Default: all of it.")
    ] = "",
    output: Output = OutputFormat.TEXT,
    timeout: Timeout = 5.0,
) -> None:
    """Ask a running service whether it serves: exit code 0 if it does, 1 if it does not or nothing answers."""
    workers: dict[str, list[str]] = {}
    try:
        with connect(address, timeout_s=timeout, **access_options()) as client:
            status = "SERVING" if client.is_serving(service) else "NOT_SERVING"
            workers = {} if service else _workers(client.worker_states())
    except RemoteError as exc:
        if exc.code.name == "NOT_FOUND" and service:
            raise BadInputError(f"{address} has no service {service!r}: ask without --service, or see proto/") from exc
        if output is OutputFormat.TEXT or exc.code.name != "UNAVAILABLE":
            raise
        status = "UNREACHABLE"
    if output is OutputFormat.JSON:
        shown = {"workers": workers} if workers else {}
        out.print_json(data={"address": address, "service": service, "status": status, **shown})
    else:
        out.print(status)
        if workers:
            out.print(_workers_line(workers), markup=False)
    if status != "SERVING":
        raise typer.Exit(FAILED)


def _workers(states: dict[str, str]) -> dict[str, list[str]]:
    """The names of an edge's workers by how they are; empty for none."""
    kinds = ("up", "draining", "missing")
    return {kind: [name for name, state in states.items() if state == kind] for kind in kinds} if states else {}


def _workers_line(workers: dict[str, list[str]]) -> str:
    """`1 of 3 workers is up; about to end: w2; not reached: w3`."""
    total = sum(map(len, workers.values()))
    up = len(workers["up"])
    parts = [f"{up} of {total} worker{'s' if total != 1 else ''} {'is' if up == 1 else 'are'} up"]
    parts += [f"about to end: {', '.join(map(tame, workers['draining']))}"] if workers["draining"] else []
    parts += [f"not reached: {', '.join(map(tame, workers['missing']))}"] if workers["missing"] else []
    return "; ".join(parts)
