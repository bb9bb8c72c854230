"""`perception dataset`: what there is to look at, building it, and a sheet of it.

Exit codes: 0 done, 1 some samples could not be made or read, 2 bad input, 130 interrupted (the same command goes on).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from perception.datasets.sample import Broken, Dataset, DatasetError, Item

if TYPE_CHECKING:
    from perception.datasets.build import BuildReport
    from perception.datasets.progress import ConsoleProgress

app = typer.Typer(
    help="Samples to measure on: real pages, their painted twins, public data sets.", no_args_is_help=True
)
out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

PACKAGES, TWINS, MINIWOB = "packages", "twins", "miniwob"

ABOUT = {
    PACKAGES: "real pages out of packages of npm, Debian and PyPI, rendered here; truth by Chromium",
    TWINS: "the same pages as one canvas painting each: nothing to read but pixels; truth of the originals",
    MINIWOB: "MiniWoB++ tasks, one screen each; `perception bench run miniwob` plays them",
}


@app.command("list")
def list_datasets() -> None:
    """What can be built, what is built, and which layouts of your own folders can be read."""
    from perception.datasets.layouts import LAYOUTS
    from perception.datasets.packages import home_folder
    from perception.datasets.store import Store

    store = Store(home_folder())
    table = Table("data set", "samples", "what it is", box=None, pad_edge=False)
    built = store.names()
    for name in [*ABOUT, *(each for each in built if each not in ABOUT)]:
        count = len(store.dataset(name)) if name in built else 0
        table.add_row(name, str(count) if count else "not built", ABOUT.get(name, "imported"))
    out.print(table)
    out.print("\nFolders of your own, as LAYOUT:FOLDER wherever a data set is asked for:")
    layouts = Table("layout", "what the folder holds", box=None, pad_edge=False)
    for name, layout in LAYOUTS.items():
        layouts.add_row(name, layout.describe)
    out.print(layouts)


@app.command()
def build(
    name: Annotated[str, typer.Argument(help="packages, twins, miniwob; or a name for what --from names.")],
    page: Annotated[list[str] | None, typer.Option(help="Page id or family, or `smoke`; may be repeated.")] = None,
    shape: Annotated[list[str] | None, typer.Option(help="WIDTHxHEIGHT[@SCALE][-dark]; may be repeated.")] = None,
    source: Annotated[str, typer.Option("--from", help="LAYOUT:FOLDER to copy into a data set of this name.")] = "",
    workers: Annotated[int, typer.Option(min=1, max=16, help="Pages rendered side by side.")] = 2,
    peers: Annotated[bool, typer.Option(help="Let installed peers look at each page, too.")] = True,
) -> None:
    """Make the samples that are not there yet. Goes on where an earlier build was interrupted."""
    from perception.datasets.progress import ConsoleProgress
    from perception.errors import BadInputError

    try:
        with ConsoleProgress(name) as progress:
            report = _build(name, page or [], shape or [], source, workers, peers=peers, progress=progress)
    except BadInputError as exc:
        err.print(f"error: {exc}", markup=False)
        raise typer.Exit(BAD_INPUT) from exc
    except KeyboardInterrupt as exc:
        err.print("interrupted: what is made is kept; the same command goes on from here")
        raise typer.Exit(INTERRUPTED) from exc
    _tell(name, report)


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(help="A built data set, LAYOUT:FOLDER or FOLDER, of it #train, #dev or #test.")
    ],
    out_file: Annotated[Path | None, typer.Option("--out", help="Where to write the HTML. Default: NAME.html")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Samples on the sheet at most.")] = 200,
) -> None:
    """Write a contact sheet: every sample with its truth drawn over it, as one HTML file."""
    from perception.datasets.open import open_dataset
    from perception.datasets.packages import home_folder
    from perception.datasets.sheet import write_sheet
    from perception.errors import BadInputError

    read = _Read()
    try:
        dataset = open_dataset(name, home_folder())
        path = out_file or Path(f"{dataset.name.replace('/', '-').replace(':', '-')}.html")
        with _writing(path):
            count = write_sheet(_items(dataset, read), path, title=dataset.name, limit=limit)
    except BadInputError as exc:
        err.print(f"error: {exc}", markup=False)
        raise typer.Exit(BAD_INPUT) from exc
    _tell_written(path, f"{count} samples", read.broken)


@app.command()
def export(
    name: Annotated[
        str, typer.Argument(help="A built data set, LAYOUT:FOLDER or FOLDER, of it #train, #dev or #test.")
    ],
    layout: Annotated[str, typer.Argument(help="The layout to write.")],
    folder: Annotated[Path, typer.Argument(help="An empty or new folder.")],
) -> None:
    """Write a data set in a public layout, for other tools."""
    from perception.datasets.layouts import LAYOUTS
    from perception.datasets.open import open_dataset
    from perception.datasets.packages import home_folder
    from perception.errors import BadInputError

    read = _Read()
    try:
        known = LAYOUTS.get(layout)
        if known is None or known.write is None:
            can = ", ".join(each for each, of in LAYOUTS.items() if of.write is not None)
            raise DatasetError(f"layout {layout!r} cannot be written: {can} can")
        dataset = open_dataset(name, home_folder())
        with _writing(folder):
            if folder.exists() and any(folder.iterdir()):
                raise DatasetError(f"{folder} is not empty: name an empty or new folder")
            count = known.write(_items(dataset, read), folder)
    except BadInputError as exc:
        err.print(f"error: {exc}", markup=False)
        raise typer.Exit(BAD_INPUT) from exc
    _tell_written(folder, f"{count} records of {read.samples} samples", read.broken)


@dataclass(slots=True)
class _Read:
    """What became of a data set's records. A layout may have no form for a sample."""

    samples: int = 0
    broken: list[Broken] = field(default_factory=list)


def _items(dataset: Dataset, read: _Read) -> Iterator[Item]:
    """What can be used; what cannot is put aside."""
    for each in dataset:
        if isinstance(each, Broken):
            read.broken.append(each)
        else:
            read.samples += 1
            yield each.load()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise DatasetError(f"{path} cannot be written: {exc}") from exc


def _tell_written(path: Path, what: str, broken: list[Broken]) -> None:
    for each in broken:
        err.print(f"{each.record}: {each.reason}", markup=False)
    out.print(f"{path}: {what}, {len(broken)} broken records", markup=False)
    if broken:
        raise typer.Exit(FAILED)


def _build(
    name: str,
    page: list[str],
    shape: list[str],
    source: str,
    workers: int,
    *,
    peers: bool,
    progress: ConsoleProgress,
) -> BuildReport:
    from perception.datasets.make import build_pages, build_twins
    from perception.datasets.packages import home_folder
    from perception.datasets.peers import installed_peers, missing_peers
    from perception.datasets.shapes import parse_shape
    from perception.datasets.store import Store

    home = home_folder()
    if source:
        from perception.datasets.open import import_dataset, open_dataset

        if name in ABOUT:
            raise DatasetError(f"{name} is the name of a data set that is built here: choose another")
        return import_dataset(open_dataset(source, home), Store(home), name)
    if name not in ABOUT:
        raise DatasetError(
            f"{name!r} cannot be built: {', '.join(ABOUT)} can; to take in a folder of yours, "
            f"`perception dataset build {name} --from LAYOUT:FOLDER`"
        )
    shapes = [parse_shape(each) for each in shape]
    if peers:
        for peer, why in missing_peers().items():
            progress.say(f"without {peer}: {why}")
    lookers = installed_peers() if peers else ()
    if name == TWINS:
        return build_twins(page, shapes, home, peers=lookers, workers=workers, progress=progress)
    return build_pages(name, page, shapes, home, peers=lookers, workers=workers, progress=progress)


def _tell(name: str, report: BuildReport) -> None:
    for sample, note in report.notes.items():
        err.print(f"{sample}: {note}", markup=False)
    for sample, why in report.failed.items():
        err.print(f"failed {sample}: {why}", markup=False)
    out.print(f"{name}: {report.made} made, {report.kept} there already, {len(report.failed)} failed", markup=False)
    if report.failed:
        raise typer.Exit(FAILED)
