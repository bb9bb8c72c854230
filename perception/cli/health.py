"""`perception health`: whether a service serves, for scripts and health checks."""

from __future__ import annotations

from typing import Annotated

import typer

from perception.cli.command_options import Timeout, access_options, service_command
from perception.client import RemoteError, connect
from perception.errors import BadInputError
from perception.terminal import FAILED, Output, OutputFormat, out


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
    try:
        with connect(address, timeout_s=timeout, **access_options()) as client:
            status = "SERVING" if client.is_serving(service) else "NOT_SERVING"
    except RemoteError as exc:
        if exc.code.name == "NOT_FOUND" and service:
            raise BadInputError(f"{address} has no service {service!r}: ask without --service, or see proto/") from exc
        if output is OutputFormat.TEXT or exc.code.name != "UNAVAILABLE":
            raise
        status = "UNREACHABLE"
    if output is OutputFormat.JSON:
        out.print_json(data={"address": address, "service": service, "status": status})
    else:
        out.print(status)
    if status != "SERVING":
        raise typer.Exit(FAILED)
