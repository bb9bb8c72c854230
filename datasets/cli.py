"""`perception dataset`: pages, and samples of them to measure on.

Exit codes: 0 done, 1 some pages or samples could not be made, read or served, 2 bad input, 130 interrupted (the same
command continues). What a command runs with is imported when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perception.errors import BadInputError
from perception.terminal import reporting_errors

app = typer.Typer(
    help="Samples to measure on: real pages, their painted twins, public data sets.", no_args_is_help=True
)

Pages = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME]...", help="Page id or family, or `smoke`. Default: all pages.")
]
DatasetName = Annotated[
    str, typer.Argument(help="A built data set, LAYOUT:FOLDER or FOLDER, of it #train, #dev or #test.")
]


@app.command("list")
def list_datasets(
    name: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="With --pages: page id or family, or `smoke`.")
    ] = None,
    pages: Annotated[bool, typer.Option("--pages", help="The pages that data sets are made from.")] = False,
) -> None:
    """List what can be built, what is built, and which layouts of your own folders can be read."""
    with reporting_errors():
        if pages:
            from perception.datasets.page_commands import list_pages

            raise typer.Exit(list_pages(name or []))
        if name:
            raise BadInputError(f"{name[0]!r} names a page: give --pages, too")
        from perception.datasets import set_commands

        set_commands.list_datasets()


@app.command()
def fetch(name: Pages = None) -> None:
    """Fetch the packages that pages are made from. Continues where an earlier fetch was interrupted."""
    from perception.datasets.page_commands import fetch_pages

    with reporting_errors():
        raise typer.Exit(fetch_pages(name or []))


@app.command()
def serve(name: Pages = None) -> None:
    """Serve fetched pages on loopback until Ctrl-C, to look at them."""
    from perception.datasets.page_commands import serve_pages

    with reporting_errors():
        raise typer.Exit(serve_pages(name or []))


@app.command()
def build(
    name: Annotated[
        str,
        typer.Argument(
            help="packages, twins, composed, widgets, demos, unseen, miniwob; or a name for what --from names."
        ),
    ],
    page: Annotated[
        list[str] | None, typer.Option(help="Page id or family, `smoke`, or a library of widgets; may be repeated.")
    ] = None,
    shape: Annotated[list[str] | None, typer.Option(help="WIDTHxHEIGHT[@SCALE][-dark]; may be repeated.")] = None,
    source: Annotated[str, typer.Option("--from", help="LAYOUT:FOLDER to copy into a data set of this name.")] = "",
    workers: Annotated[int, typer.Option(min=1, max=16, help="Pages rendered at the same time.")] = 2,
    peers: Annotated[bool, typer.Option(help="Let installed peers look at each page, too.")] = True,
    count: Annotated[int, typer.Option(min=1, help="composed, widgets, demos, unseen: how many pages.")] = 600,
    first: Annotated[int, typer.Option(min=0, help="composed, widgets, demos, unseen: number of the first page.")] = 0,
) -> None:
    """Make the samples that are missing. Continues where an earlier build was interrupted."""
    from perception.datasets import set_commands

    with reporting_errors():
        set_commands.build(
            name, set_commands.BuildOptions(page or (), shape or (), source, workers, peers, count, first)
        )


@app.command()
def show(
    name: DatasetName,
    out_file: Annotated[Path | None, typer.Option("--out", help="Where to write the HTML. Default: NAME.html")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most samples on the sheet.")] = 200,
) -> None:
    """Write a contact sheet: every sample with its truth drawn over it, as one HTML file."""
    from perception.datasets import set_commands

    with reporting_errors():
        set_commands.show(name, out_file, limit)


@app.command()
def export(
    name: DatasetName,
    layout: Annotated[str, typer.Argument(help="The layout to write.")],
    folder: Annotated[Path, typer.Argument(help="An empty or new folder.")],
) -> None:
    """Write a data set in a public layout, for other tools."""
    from perception.datasets import set_commands

    with reporting_errors():
        set_commands.export(name, layout, folder)
