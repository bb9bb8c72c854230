"""`python -m perception.datasets fetch|list|serve [NAME…]`: a page, a family of pages or `smoke`; without one, all."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from perception.datasets.manifest import Manifest, Page, load_manifest
from perception.datasets.packages import Piece, Step, absent, fetch_all, home_folder
from perception.datasets.serve import serve
from perception.errors import BadInputError

INTERRUPTED = 128 + signal.SIGINT
"""What a shell gives for a program that Ctrl-C ended."""


def main(arguments: list[str]) -> int:
    """0 when every page was fetched or served, 1 when one was not, 2 for bad input, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m perception.datasets", description="Pages to look at.")
    parser.add_argument("action", choices=("fetch", "list", "serve"))
    parser.add_argument("name", nargs="*", help="page ids, families of pages, or `smoke`; all pages when none is given")
    asked = parser.parse_args(arguments)
    try:
        manifest = load_manifest()
        pages = manifest.select(asked.name)
    except BadInputError as exc:
        print(exc, file=sys.stderr)
        return 2
    return {"fetch": fetch_pages, "list": list_pages, "serve": serve_pages}[asked.action](pages, manifest)


def fetch_pages(pages: Sequence[Page], manifest: Manifest) -> int:
    wanted = absent(pages, manifest, home_folder())
    try:
        with _progress(len(wanted)) as report:
            failures = fetch_all(wanted, home_folder(), report=report)
    except KeyboardInterrupt:
        print("stopped; what is complete is kept: fetch again to go on from there", file=sys.stderr)
        return INTERRUPTED
    for piece, why in failures.items():
        print(f"{why}\n  this costs {_counted(wanted[piece])}: {', '.join(wanted[piece])}", file=sys.stderr)
    lost = {page_id for piece in failures for page_id in wanted[piece]}
    print(f"{len(pages) - len(lost)} of {_counted(pages)} can be served")
    return int(bool(failures))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Piece, Step], None]]:
    """A bar on a terminal, else a line for each piece that is done or failed."""
    console = Console(stderr=True)
    columns = (BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    now: list[str] = []
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=total)

        def report(piece: Piece, step: Step) -> None:
            if step is Step.STARTED:
                now.append(piece.label)
            else:
                now.remove(piece.label)
                progress.advance(bar)
            progress.update(bar, description=", ".join(now))
            if step is Step.FAILED or not (step is Step.STARTED or console.is_terminal):
                console.print(
                    f"[{progress.tasks[bar].completed:.0f}/{total}] {piece.label}: {step}",
                    markup=False,
                    highlight=False,
                )

        yield report


def list_pages(pages: Sequence[Page], manifest: Manifest) -> int:
    """A page a line, cut to a terminal's width, whole where there is none; what they come to at the end."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `list | head` ends quietly
    there = {page.id for page in pages if not absent([page], manifest, home_folder())}
    rows = [
        (page.id, page.category, "there" if page.id in there else "not fetched", _source(page, manifest))
        for page in pages
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    console = Console()
    for row in rows:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        print(line if not console.is_terminal or len(line) <= console.width else f"{line[: console.width - 1]}…")
    packages = {package for page in pages for package in manifest.packages_of(page)}
    apps = {page.app for page in pages if page.app}
    sources = f"{_counted(packages, 'package')} and {_counted(apps, 'program')}"
    print(f"{_counted(pages)} of {sources}: {len(there)} there", file=sys.stderr)
    return 0


def _source(page: Page, manifest: Manifest) -> str:
    return ", ".join(f"{each.name} {each.version} ({each.licence})" for each in manifest.packages_of(page))


def serve_pages(pages: Sequence[Page], manifest: Manifest) -> int:
    """Serves until SIGINT or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # programs may be starting: ends as Ctrl-C does
    unserved = False
    try:
        with serve(pages, manifest, home_folder()) as served:
            unserved = bool(served.unserved)
            for page_id, url in served.urls.items():
                print(page_id, url, flush=True)
            for page_id, why in served.unserved.items():
                print(f"{page_id}: {why}", file=sys.stderr)
            while True:
                time.sleep(1)  # not for ever: a signal that comes just before it would be slept through
    except KeyboardInterrupt:
        return int(unserved)


def _counted(things: Sized, noun: str = "page") -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
