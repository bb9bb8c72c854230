"""Builds whole data sets: fetches packages, serves pages, renders and stores samples."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from perception.datasets.sample import Broken, DatasetError, Item
from perception.datasets.sample_store import Store, StoredDataset
from perception.datasets.sources.build import BuildJob, BuildReport, Progress, page_jobs, run_jobs
from perception.datasets.sources.manifest import PageSpec, load_manifest
from perception.datasets.sources.packages import absent, fetch_all
from perception.datasets.sources.page_shapes import DEFAULT_SHAPES, EPISODE_SHAPE, Shape
from perception.datasets.sources.painted_twins import twin_jobs
from perception.datasets.sources.peer_snapshots import Peer
from perception.datasets.sources.rendering import Renderer
from perception.datasets.sources.site_server import Served, serve, serve_folder

PACKAGES, TWINS, MINIWOB = "packages", "twins", "miniwob"


class BuildProgress(Progress, Protocol):
    """Receives packages, too, while they are fetched."""

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
        selected: pages and families; empty for all. Stored samples of other pages stay.
        shapes: shapes of each page; empty for the data set's own.

    Raises:
        DatasetError: a selected page does not belong to this data set.
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

        def jobs(renderer: Renderer) -> list[BuildJob]:
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
    """Builds `twins` of the samples of `packages`.

    Raises:
        DatasetError: `packages` has none of the selected samples.
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

        def jobs(renderer: Renderer) -> list[BuildJob]:
            return twin_jobs(items, Path(work), address, renderer, peers, store)

        return _run(jobs, store.dataset(TWINS), store, peers, workers, progress)


def is_in(name: str, page: PageSpec) -> bool:
    """Whether a page belongs to `packages` or to `miniwob`."""
    return (page.family == MINIWOB) == (name == MINIWOB)


def _run(
    jobs: Callable[[Renderer], list[BuildJob]],
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


def _unserved(pages: Sequence[PageSpec], served: Served) -> dict[str, str]:
    return {page.id: served.unserved[page.id] for page in pages if page.id in served.unserved}
