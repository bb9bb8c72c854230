"""The buildable data sets, whole: fetch, serve, render, keep."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from perception.datasets.build import BuildReport, Job, Progress, page_jobs, run_jobs
from perception.datasets.manifest import Page, load_manifest
from perception.datasets.packages import absent, fetch_all
from perception.datasets.peers import Peer
from perception.datasets.render import Renderer
from perception.datasets.sample import Broken, DatasetError, Item
from perception.datasets.serve import Served, serve, serve_folder
from perception.datasets.shapes import DEFAULT_SHAPES, EPISODE_SHAPE, Shape
from perception.datasets.store import Store, StoredDataset
from perception.datasets.twins import twin_jobs

PACKAGES, TWINS, MINIWOB = "packages", "twins", "miniwob"


class BuildProgress(Progress, Protocol):
    """Told about packages, too, while they are fetched."""

    def say(self, line: str) -> None: ...


def build_pages(
    name: str,
    selected: Sequence[str],
    shapes: Sequence[Shape],
    home: Path,
    *,
    peers: Sequence[Peer],
    workers: int,
    progress: BuildProgress,
) -> BuildReport:
    """Builds `packages` or `miniwob`.

    Args:
        selected: pages and families; empty for all. Samples of other pages that are there already stay.
        shapes: how each page is looked at; empty for the data set's own.

    Raises:
        DatasetError: what is selected is not of this data set.
    """
    manifest = load_manifest()
    pages = [page for page in manifest.select(selected) if is_in(name, page)]
    if not pages:
        raise DatasetError(f"none of {', '.join(selected)} is a page of {name}")
    wanted = absent(pages, manifest, home)
    if wanted:
        progress.say(f"fetching {len(wanted)} packages")
    lost = fetch_all(wanted, home, report=lambda piece, step: None)
    for piece, why in lost.items():
        progress.say(f"{why} (this costs {', '.join(wanted[piece])})")
    store = Store(home)
    with serve(pages, manifest, home) as served:

        def jobs(renderer: Renderer) -> list[Job]:
            own = (EPISODE_SHAPE,) if name == MINIWOB else DEFAULT_SHAPES
            return page_jobs(pages, shapes or own, manifest, served, renderer, peers, store, name)

        report = _run(jobs, store.dataset(name), store, peers, workers, progress)
    report.failed.update(_unserved(pages, served))
    return report


def build_twins(
    selected: Sequence[str],
    shapes: Sequence[Shape],
    home: Path,
    *,
    peers: Sequence[Peer],
    workers: int,
    progress: BuildProgress,
) -> BuildReport:
    """Builds `twins` of the samples that `packages` has.

    Raises:
        DatasetError: there is none of what is selected.
    """
    store = Store(home)
    manifest = load_manifest()
    pages = {page.id for page in manifest.select(selected)}
    names = {shape.name for shape in shapes}
    items = [item for item in _items(store.dataset(PACKAGES)) if item.sample.page in pages]
    items = [item for item in items if not names or _is_of(item, names)]
    if not items:
        raise DatasetError("there are no samples to paint: `perception dataset build packages` first")
    with tempfile.TemporaryDirectory(prefix="twins-") as work, serve_folder(Path(work)) as address:

        def jobs(renderer: Renderer) -> list[Job]:
            return twin_jobs(items, Path(work), address, renderer, peers, store)

        return _run(jobs, store.dataset(TWINS), store, peers, workers, progress)


def is_in(name: str, page: Page) -> bool:
    """Whether a page belongs to `packages` or to `miniwob`."""
    return (page.family == MINIWOB) == (name == MINIWOB)


def _run(
    jobs: Callable[[Renderer], list[Job]],
    dataset: StoredDataset,
    store: Store,
    peers: Sequence[Peer],
    workers: int,
    progress: Progress,
) -> BuildReport:
    async def run() -> BuildReport:
        async with Renderer(peers) as renderer:
            return await run_jobs(jobs(renderer), dataset, store, workers=workers, progress=progress)

    return asyncio.run(run())


def _is_of(item: Item, shapes: set[str]) -> bool:
    return any(item.sample.name.endswith(f"@{shape}") for shape in shapes)


def _items(dataset: StoredDataset) -> Iterator[Item]:
    for each in dataset:
        if not isinstance(each, Broken):
            yield each.load()


def _unserved(pages: Sequence[Page], served: Served) -> dict[str, str]:
    return {page.id: served.unserved[page.id] for page in pages if page.id in served.unserved}
