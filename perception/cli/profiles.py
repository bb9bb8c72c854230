"""`perception profile`: the logins that the service keeps by name."""

from __future__ import annotations

from typing import Annotated

import typer

from perception.cli.command_options import Address, Timeout, service_command
from perception.cli.printing import print_json
from perception.cli.service import service_client
from perception.terminal import Output, OutputFormat, out
from perception.v1 import session_service_pb2 as pb

app = typer.Typer(
    help="Logins that the service keeps by name: `--profile` of other commands uses them.", no_args_is_help=True
)


@app.callback()
def _profile() -> None:
    """Logins that the service keeps by name: `--profile` of other commands uses them."""


@app.command("list")
@service_command
def list_profiles(output: Output = OutputFormat.TEXT, address: Address = "", timeout: Timeout = 60.0) -> None:
    """List your profiles."""
    with service_client(address, (), timeout) as client:
        reply: pb.ListProfilesResponse = client.call(client.sessions.ListProfiles, pb.ListProfilesRequest())
    if output is OutputFormat.JSON:
        print_json(reply)
        return
    if not reply.profiles:
        out.print("there is no profile: `perception open URL --profile NAME` makes one", markup=False)
    longest = max((len(each.name) for each in reply.profiles), default=0)
    for each in reply.profiles:
        kept = each.save_time.ToDatetime().strftime("%Y-%m-%d %H:%M")
        used = f"  in use by session {each.used_by_session_id}" if each.used_by_session_id else ""
        counts = f"{each.cookie_count} cookies, {each.origin_count} origins"
        out.print(f"{each.name:{longest}}  kept {kept} UTC  {counts}{used}", markup=False)


@app.command("delete")
@service_command
def delete_profile(
    name: Annotated[str, typer.Argument(help="The profile's name.")], address: Address = "", timeout: Timeout = 60.0
) -> None:
    """Delete a profile that no session uses."""
    with service_client(address, (), timeout) as client:
        client.delete_profile(name)
    out.print(f"profile {name} is deleted", markup=False)
