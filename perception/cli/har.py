"""`perception har`: what a page, or a session of the shell, asked of the network, as HAR 1.2."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from perception.cli.command_options import SETTLE_SECONDS, Address, Settle, Timeout, service_command
from perception.cli.service import hosts_of, page_url_of, service_client, shell_page
from perception.client import Page, RemoteError
from perception.errors import BadInputError
from perception.terminal import err


@service_command
def har(
    url: Annotated[str, typer.Argument(help="The page to load; or none with --session.")] = "",
    session: Annotated[
        str, typer.Option(help="A session of the shell, by its name, that was opened with --record.")
    ] = "",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file. Default: standard output.")] = None,
    bodies: Annotated[
        bool, typer.Option("--bodies/--no-bodies", help="With bodies, as far as they can be read.")
    ] = True,
    max_body_bytes: Annotated[
        int | None, typer.Option(min=1, max=4 * 2**20, help="Limit on each body. Default: 1048576.")
    ] = None,
    settle: Settle = SETTLE_SECONDS,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Write what a page asks of the network as a HAR file, which DevTools opens."""
    if bool(url) == bool(session):
        raise BadInputError("har: give a URL to load, or --session with a session of the shell")
    limit = max_body_bytes if bodies else 0
    with shell_page(session, timeout) if session else _loaded_page(url, settle, address, timeout) as page:
        if out is None:
            for part in page.read_har(limit):
                sys.stdout.buffer.write(part.data)
            sys.stdout.flush()
            return
        written = page.save_har(out, max_body_bytes=limit)
    missing = f", {written.missing_body_count} bodies could not be read" if written.missing_body_count else ""
    err.print(f"{out}: {written.entry_count} requests{missing}", markup=False)


@contextmanager
def _loaded_page(url: str, settle: float, address: str, timeout: float) -> Iterator[Page]:
    """The page in a session of its own, at rest as far as that comes in time."""
    with (
        page_url_of(url) as page_url,
        service_client(address, hosts_of(url, page_url), timeout) as client,
        closing(client.open(page_url, record_network=True)) as page,
    ):
        try:
            page.wait_for(settled=True, timeout_s=settle or None, skip_diff=True)
        except RemoteError as exc:
            if exc.code.name != "DEADLINE_EXCEEDED":
                raise
        yield page
