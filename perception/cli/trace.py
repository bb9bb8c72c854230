"""`perception trace`: what a session did, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perception.cli.command_options import Address, Timeout, service_command
from perception.cli.service import service_client, shell_page
from perception.terminal import err


@service_command
def trace(
    session: Annotated[str, typer.Argument(help="A session of the shell by its name; with --address by its id.")],
    out: Annotated[Path, typer.Argument(help="The file.")] = Path("trace.html"),
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Write what a session did as one HTML file, which opens without a server: for a bug report.

    It has the session's last 200 calls: what was asked, what came of it, what was read, how the page changed; and
    pictures, if the session was opened with --call-pictures. Secrets are masked, as in answers.
    """
    if address:
        with service_client(address, (), timeout) as client:
            path = client.attach(session).save_trace(out)
    else:
        with shell_page(session, timeout) as page:
            path = page.save_trace(out)
    err.print(f"{path}: {max(1, path.stat().st_size // 1024)} KiB", markup=False)
