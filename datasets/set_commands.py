"""`perception dataset list`, `build`, `show` and `export`: what there is to look at, building it, and a sheet of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.table import Table

from perception.datasets.contact_sheet import write_sheet
from perception.datasets.layouts import LAYOUTS
from perception.datasets.open import import_dataset, open_dataset
from perception.datasets.progress import ConsoleProgress
from perception.datasets.sample import COMPOSED, DEMOS, UNSEEN, WIDGETS, Broken, Dataset, DatasetError, Item
from perception.datasets.sample_store import Store
from perception.datasets.sources.build import BuildReport
from perception.datasets.sources.builders import build_pages, build_twins
from perception.datasets.sources.composed.build import build_composed
from perception.datasets.sources.page_shapes import parse_shape
from perception.datasets.sources.peer_snapshots import installed_peers, missing_peers
from perception.datasets.sources.widgets.build import build_widgets
from perception.paths import home_folder
from perception.terminal import FAILED, INTERRUPTED, err, out

PACKAGES, TWINS, MINIWOB = "packages", "twins", "miniwob"

ABOUT = {
    PACKAGES: "real pages out of packages of npm, Debian and PyPI, rendered here; truth by Chromium",
    TWINS: "the same pages as one canvas painting each: nothing to read but pixels; truth of the originals",
    COMPOSED: "applications put together at random out of style sheets, icons and words, to train detectors on",
    WIDGETS: "widgets of component libraries and demo pages of packages, in every state, to train detectors on",
    DEMOS: "demo pages and mounted widgets of further packages, to train the judge of `controls` on",
    UNSEEN: "the same of packages that nothing was trained or chosen on, to measure detectors on",
    MINIWOB: "MiniWoB++ tasks, one screen each; `perception bench run miniwob` plays them",
}


def list_datasets() -> None:
    """Prints what can be built, what is built, and which layouts of the user's own folders can be read."""
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


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What to build.

    Attributes:
        pages: page ids, families or `smoke`, or libraries of widgets; empty for all.
        shapes: `WIDTHxHEIGHT[@SCALE][-dark]`; empty for the default ones.
        source: LAYOUT:FOLDER to copy; empty to render pages.
        workers: pages rendered at the same time.
        peers: whether installed peers look at each page, too.
        count: how many pages are composed, or made of widgets or demos.
        first: number of the first of them: the same number is the same page.
    """

    pages: Sequence[str] = ()
    shapes: Sequence[str] = ()
    source: str = ""
    workers: int = 2
    peers: bool = True
    count: int = 600
    first: int = 0


def build(name: str, options: BuildOptions) -> None:
    """Makes the samples of a data set that are missing. Ends the command with 1 when one failed, 130 after Ctrl-C.

    Raises:
        BadInputError: a name, shape or folder is wrong.
    """
    try:
        with ConsoleProgress(name) as progress:
            report = _build(name, options, progress)
    except KeyboardInterrupt as exc:
        err.print("interrupted: what is made is kept; the same command continues from here")
        raise typer.Exit(INTERRUPTED) from exc
    for sample, note in report.notes.items():
        err.print(f"{sample}: {note}", markup=False)
    for sample, why in report.failed.items():
        err.print(f"failed {sample}: {why}", markup=False)
    out.print(f"{name}: {report.made} made, {report.kept} there already, {len(report.failed)} failed", markup=False)
    if report.failed:
        raise typer.Exit(FAILED)


def show(name: str, out_file: Path | None, limit: int) -> None:
    """Writes a contact sheet. Ends the command with 1 when a record is broken.

    Raises:
        BadInputError: there is no such data set, or the file cannot be written.
    """
    read = _Read()
    dataset = open_dataset(name, home_folder())
    path = out_file or Path(f"{dataset.name.replace('/', '-').replace(':', '-')}.html")
    with _writing(path):
        count = write_sheet(_items(dataset, read), path, title=dataset.name, limit=limit)
    _report_written(path, f"{count} samples", read.broken)


def export(name: str, layout: str, folder: Path) -> None:
    """Writes a data set in a public layout. Ends the command with 1 when a record is broken.

    Raises:
        BadInputError: there is no such data set or layout, or the folder is not empty or cannot be written.
    """
    read = _Read()
    known = LAYOUTS.get(layout)
    if known is None or known.write is None:
        can = ", ".join(each for each, of in LAYOUTS.items() if of.write is not None)
        raise DatasetError(f"layout {layout!r} cannot be written: {can} can")
    dataset = open_dataset(name, home_folder())
    with _writing(folder):
        if folder.exists() and any(folder.iterdir()):
            raise DatasetError(f"{folder} is not empty: name an empty or new folder")
        count = known.write(_items(dataset, read), folder)
    _report_written(folder, f"{count} records of {read.samples} samples", read.broken)


@dataclass(slots=True)
class _Read:
    """What was read of a data set, as a layout may have no form for a sample.

    Attributes:
        samples: how many could be read.
        broken: the records that could not.
    """

    samples: int = 0
    broken: list[Broken] = field(default_factory=list)


def _items(dataset: Dataset, read: _Read) -> Iterator[Item]:
    """The samples that can be read; the others are kept in `read.broken`."""
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


def _report_written(path: Path, what: str, broken: list[Broken]) -> None:
    for each in broken:
        err.print(f"{each.record}: {each.reason}", markup=False)
    out.print(f"{path}: {what}, {len(broken)} broken records", markup=False)
    if broken:
        raise typer.Exit(FAILED)


def _build(name: str, options: BuildOptions, progress: ConsoleProgress) -> BuildReport:
    home = home_folder()
    if options.source:
        if name in ABOUT:
            raise DatasetError(f"{name} is the name of a data set that is built here: choose another")
        return import_dataset(open_dataset(options.source, home), Store(home), name)
    if name not in ABOUT:
        raise DatasetError(
            f"{name!r} cannot be built: {', '.join(ABOUT)} can; to import a folder of yours, "
            f"`perception dataset build {name} --from LAYOUT:FOLDER`"
        )
    if name == COMPOSED:
        if options.pages or options.shapes:
            raise DatasetError(f"{name} takes neither pages nor shapes: give --count and --first")
        seeds = range(options.first, options.first + options.count)
        return build_composed(seeds, home, workers=options.workers, progress=progress)
    if name in (WIDGETS, DEMOS, UNSEEN):
        if options.shapes:
            raise DatasetError(f"{name} takes no shapes: give --count, --first, and --page with names of libraries")
        numbers = range(options.first, options.first + options.count)
        return build_widgets(numbers, options.pages, home, workers=options.workers, progress=progress, dataset=name)
    shapes = [parse_shape(each) for each in options.shapes]
    if options.peers:
        for peer, why in missing_peers().items():
            progress.say(f"without {peer}: {why}")
    peers = installed_peers() if options.peers else ()
    pages = list(options.pages)
    if name == TWINS:
        return build_twins(pages, shapes, home, peers=peers, workers=options.workers, progress=progress)
    return build_pages(name, pages, shapes, home, peers=peers, workers=options.workers, progress=progress)
