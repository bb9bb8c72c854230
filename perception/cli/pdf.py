"""`perception pdf`: a page as a PDF."""

from __future__ import annotations

from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from perception.cli.command_options import Address, Timeout, Url, service_command
from perception.cli.service import hosts_of, page_url_of, service_client
from perception.terminal import check_writable, out


class PaperName(Enum):
    """The sheet."""

    A3 = "a3"
    A4 = "a4"
    A5 = "a5"
    LETTER = "letter"
    LEGAL = "legal"
    TABLOID = "tabloid"


@service_command
def pdf(
    url: Url,
    path: Annotated[Path, typer.Argument(metavar="OUT.pdf", help="The file to write.")],
    paper: Annotated[PaperName, typer.Option(help="The sheet.")] = PaperName.A4,
    landscape: Annotated[bool, typer.Option("--landscape", help="Turn the sheet.")] = False,
    margin: Annotated[float, typer.Option(min=0, help="Of all edges, mm.")] = 10.0,
    pages: Annotated[str, typer.Option(help="Which pages, such as 1-3,5. Default: all.")] = "",
    background: Annotated[bool, typer.Option("--background", help="With background colors and images.")] = False,
    scale: Annotated[float, typer.Option(min=0.1, max=2, help="Of the page's content.")] = 1.0,
    reveal: Annotated[
        bool, typer.Option("--reveal-sensitive", help="Print private content, too, such as card numbers; no passwords.")
    ] = False,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Print a page to a PDF."""
    check_writable(path)
    options: dict[str, Any] = {"paper": paper.value, "landscape": landscape, "margins": margin}
    with (
        page_url_of(url) as page_url,
        service_client(address, hosts_of(url, page_url), timeout) as client,
        closing(client.open(page_url)) as page,
    ):
        page.pdf(path, **options, page_ranges=pages, background=background, scale=scale, reveal_sensitive=reveal)
    out.print(f"{path}: {path.stat().st_size} bytes", markup=False)
