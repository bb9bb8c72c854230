"""`perception bench`: run a suite over real pages and print what it measured."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Measure looks at real pages, side by side with the peers.", no_args_is_help=True)

BAD_INPUT = 2
DEMO = "demo"


class Suite(Enum):
    """What is measured."""

    SPEED = "speed"


@app.callback()
def bench() -> None:
    """Keeps `run` a command of its own while it is the only one."""


@app.command()
def run(
    suite: Annotated[Suite, typer.Argument(help="speed: time and tokens beside Playwright's AI snapshot.")],
    page: Annotated[list[str] | None, typer.Option(help="Page id, or `demo`; may be repeated. Default: all.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each page is measured.")] = 3,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every single measurement here.")] = None,
) -> None:
    """Run a suite. Fetches the pages it needs by npm, pip and apt-get, once."""
    # Imported here, so that other commands need not wait for a browser driver and a dataset.
    from perception.bench.speed import render_table, run_speed, to_json
    from perception.errors import BadInputError

    assert suite is Suite.SPEED
    try:
        with _pages(page or []) as urls:
            report = asyncio.run(run_speed(urls, rounds=rounds))
    except BadInputError as exc:
        typer.echo(f"error: {exc}", err=True)
        raise typer.Exit(BAD_INPUT) from exc
    typer.echo(render_table(report))
    if json_file is not None:
        json_file.write_text(to_json(report), encoding="utf-8")


@contextmanager
def _pages(asked: Sequence[str]) -> Iterator[dict[str, str]]:
    """Addresses of the pages while they are served; what cannot be had is said and left out."""
    from perception.datasets import load_manifest
    from perception.datasets.packages import PackageError, fetch, home_folder
    from perception.datasets.serve import serve
    from perception.demo import serve_demo

    manifest = load_manifest()
    wanted = [each for each in asked if each != DEMO]
    pages = manifest.select(wanted) if wanted or not asked else ()
    for each in pages:
        try:
            fetch(each, manifest, home_folder())
        except PackageError as exc:
            typer.echo(f"{each.id}: {exc}", err=True)
    with serve_demo() as demo, serve(pages, manifest, home_folder()) as served:
        for page_id, why in served.unserved.items():
            typer.echo(f"left out {page_id}: {why}", err=True)
        own = {DEMO: demo.url} if DEMO in asked or not asked else {}
        yield {**own, **served.urls}
