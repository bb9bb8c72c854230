"""Builds the data set of widgets: serves the packages beside each other, renders pages of each library."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from perception.datasets.sample import WIDGETS, DatasetError, Sample
from perception.datasets.sample_store import Store
from perception.datasets.sources.build import BuildJob, BuildReport, code_digest, digest_of, page_sample, run_jobs
from perception.datasets.sources.builders import BuildProgress
from perception.datasets.sources.manifest import Manifest, Package, PackageRegistry, PageSpec, load_manifest
from perception.datasets.sources.packages import absent, fetch_all, package_folder, work_folder
from perception.datasets.sources.rendering import Renderer, Visit
from perception.datasets.sources.site_server import serve_folder
from perception.datasets.sources.widgets.library import FOLDER, SCRIPTS, Library, folder_of, load_libraries
from perception.datasets.sources.widgets.page import WidgetPage, demo_paths, widget_page
from perception.datasets.sources.widgets.render import UntimedRenderer, render
from perception.datasets.sources.widgets.seen_boxes import pictures_of, seen_elements


def build_widgets(
    numbers: Sequence[int],
    selected: Sequence[str],
    home: Path,
    *,
    workers: int,
    progress: BuildProgress,
    dataset: str = WIDGETS,
) -> BuildReport:
    """Builds pages: their numbers go through the libraries in turn, so that any range has as many pages of each.

    Args:
        dataset: `widgets`, or another data set of libraries.
        selected: names of libraries; empty for all.

    Raises:
        DatasetError: there is no such library.
    """
    known = load_libraries(dataset)
    if unknown := [each for each in selected if each not in known]:
        raise DatasetError(f"there is no library {', '.join(unknown)}: {', '.join(known)} are the known ones")
    manifest = load_manifest(folder_of(dataset) / "packages.toml")
    chosen = [known[each] for each in selected or known]
    there = fetch_libraries(chosen, manifest, home, progress.say)
    numbered = [(chosen[number % len(chosen)], number // len(chosen)) for number in numbers]
    store = Store(home)
    with served(there, manifest, home) as (folder, address):

        async def run() -> BuildReport:
            async with UntimedRenderer() as renderer:
                demos = {each.id: demos_of(each, manifest, home) for each in there}
                pages = [
                    widget_page(each, variant, demos[each.id], dataset=dataset)
                    for each, variant in numbered
                    if each in there
                ]
                jobs = [_job(page, manifest, folder, address, renderer, store) for page in pages]
                return await run_jobs(jobs, store.dataset(dataset), store, workers=workers, progress=progress)

        return asyncio.run(run())


def fetch_libraries(
    libraries: Sequence[Library], manifest: Manifest, home: Path, say: Callable[[str], None]
) -> list[Library]:
    """Fetches the packages of libraries; returns the libraries that have all of theirs."""
    specs = {each.id: PageSpec(each.id, "/", WIDGETS, origin="beside", needs=each.needs) for each in libraries}
    wanted = absent(specs.values(), manifest, home)
    if wanted:
        say(f"fetching {len(wanted)} packages")
    for piece, why in fetch_all(wanted, home, report=lambda piece, step: None).items():
        say(f"{why} (this costs {', '.join(wanted[piece])})")
    return [each for each in libraries if not absent([specs[each.id]], manifest, home)]


@contextmanager
def served(libraries: Sequence[Library], manifest: Manifest, home: Path) -> Iterator[tuple[Path, str]]:
    """A folder with the packages beside each other, and its address."""
    with work_folder(home, "widgets") as folder, serve_folder(folder) as address:
        (folder / "_scripts").symlink_to(SCRIPTS, target_is_directory=True)
        shown = {each.needs[0]: each for each in libraries}
        for name in dict.fromkeys(name for each in libraries for name in each.needs):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            library = shown.get(name)
            over = _unpacked_over(library, manifest) if library else []
            if library and (over or library.overlays):
                _lay_out(library, over, manifest, home, folder)
            else:
                (folder / name).symlink_to(package_folder(manifest.packages[name], home), target_is_directory=True)
        yield folder, address


def _unpacked_over(library: Library, manifest: Manifest) -> list[Package]:
    """The packages that a library's first one links into: Debian's, of which all are for one tree."""
    first, *others = (manifest.packages[each] for each in library.needs)
    return [each for each in others if library.pages and each.registry is first.registry is PackageRegistry.DEBIAN]


def _lay_out(library: Library, over: Sequence[Package], manifest: Manifest, home: Path, folder: Path) -> None:
    """Links the files of a library's first package into a new folder, and other files beside them."""
    place = folder / library.needs[0]
    for package in (manifest.packages[library.needs[0]], *over):
        # Hard links, not symbolic ones: Debian's own links lead from one package to another.
        shutil.copytree(package_folder(package, home), place, symlinks=True, copy_function=os.link, dirs_exist_ok=True)
    for path, target in library.overlays.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).symlink_to(folder / target)


def demos_of(library: Library, manifest: Manifest, home: Path) -> Sequence[str]:
    """Paths of the demo pages of a library whose package is there; empty for one whose widgets are mounted."""
    package = manifest.packages[library.needs[0]]
    return demo_paths(library, package_folder(package, home)) if library.pages else ()


def _job(
    page: WidgetPage, manifest: Manifest, folder: Path, address: str, renderer: Renderer, store: Store
) -> BuildJob:
    library = page.library
    spec = PageSpec(page.id, f"/{page.path}", page.dataset, origin="beside", wait_ms=library.wait_ms)
    visit = Visit(spec, page.shape, f"{address}/{page.path}")
    scripts = [] if library.pages else [(SCRIPTS / "common.js").read_text("utf-8"), library.script.read_text("utf-8")]
    code = [(FOLDER / f"{name}.py").read_text("utf-8") for name in ("render", "seen_boxes")]
    versions = [manifest.packages[each].sha256 for each in library.needs]
    key = digest_of([repr(page), *scripts, *code, *versions, renderer.version, code_digest()])
    return BuildJob(visit.name, key, _maker(page, visit, folder, renderer, store))


def _maker(
    page: WidgetPage, visit: Visit, folder: Path, renderer: Renderer, store: Store
) -> Callable[[], Awaitable[Sample]]:
    async def make() -> Sample:
        file = folder / page.path
        if page.html:
            file.write_text(page.html, "utf-8")
        try:
            look, drawn = await render(page, visit, renderer)
        finally:
            if page.html:
                file.unlink()
        sample = page_sample(visit, look, store.put_image(look.png), page.dataset, renderer.version)
        shows = [each.box for each in drawn.shows]
        elements = seen_elements(sample.truth, drawn.frames, drawn.marks, shows)
        return replace(
            sample,
            group=f"{page.dataset}/{page.library.id}",
            truth=elements,
            unknown=pictures_of(sample.unknown, elements, sample.lines, shows),
            tasks=(),
        )

    return make
