"""`perception devices`: the devices that sessions can be opened as."""

from __future__ import annotations

from typing import Annotated

import typer

from perception.cli.command_options import Address, Timeout, service_command
from perception.cli.printing import print_json
from perception.cli.service import service_client
from perception.errors import NoMatchError
from perception.terminal import Output, OutputFormat, out
from perception.v1 import session_service_pb2 as pb


@service_command
def devices(
    query: Annotated[str, typer.Argument(help="Only those whose name contains this.")] = "",
    output: Output = OutputFormat.TEXT,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """List devices by name, for --device."""
    with service_client(address, (), timeout) as client:
        reply: pb.ListDevicesResponse = client.call(client.sessions.ListDevices, pb.ListDevicesRequest(query=query))
    if output is OutputFormat.JSON:
        print_json(reply)
        return
    if not reply.devices:
        raise NoMatchError(f"no device's name contains {query!r}: `perception devices` lists all")
    longest = max(len(each.name) for each in reply.devices)
    for each in reply.devices:
        kinds = [word for word, there in (("mobile", each.mobile), ("touch", each.touch)) if there]
        size = f"{each.viewport.width}x{each.viewport.height} @{each.viewport.device_scale_factor:g}"
        out.print(f"{each.name:{longest}}  {size:14} {' '.join(kinds)}".rstrip(), markup=False)
