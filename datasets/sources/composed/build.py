"""Builds the data set of composed pages: writes them beside the packages they need, serves, renders and stores them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from perception.datasets.sample import COMPOSED, Sample
from perception.datasets.sample_store import Store
from perception.datasets.sources.build import BuildJob, BuildReport, code_digest, digest_of, page_sample, run_jobs
from perception.datasets.sources.builders import BuildProgress
from perception.datasets.sources.composed.icons import ICON_SETS
from perception.datasets.sources.composed.kits import load_kits
from perception.datasets.sources.composed.page import ComposedPage, compose
from perception.datasets.sources.composed.theme import FONTS
from perception.datasets.sources.manifest import Manifest, PageSpec, load_manifest
from perception.datasets.sources.package_clients import PackageError
from perception.datasets.sources.packages import absent, fetch_all, package_folder, work_folder
from perception.datasets.sources.page_actions import Action, ActionVerb
from perception.datasets.sources.rendering import Renderer, Visit
from perception.datasets.sources.site_server import serve_folder

CONTROL = "a[href],button:not(:disabled),input:not(:disabled),select,[role]"


def build_composed(seeds: Sequence[int], home: Path, *, workers: int, progress: BuildProgress) -> BuildReport:
    """Builds the composed pages of these seeds.

    Raises:
        PackageError: a package cannot be fetched.
    """
    manifest = load_manifest()
    _fetch(manifest, home, progress)
    store = Store(home)
    with _served(manifest, home) as (folder, address):

        async def run() -> BuildReport:
            async with Renderer() as renderer:
                jobs = [_job(seed, manifest, home, folder, address, renderer, store) for seed in seeds]
                return await run_jobs(jobs, store.dataset(COMPOSED), store, workers=workers, progress=progress)

        return asyncio.run(run())


def needed_packages() -> tuple[str, ...]:
    """The packages that any composed page may need."""
    kits = [package for kit in load_kits() for package in kit.packages]
    return tuple(
        dict.fromkeys([*kits, *(each.package for each in ICON_SETS), *(f"@fontsource/{each}" for each in FONTS)])
    )


def _fetch(manifest: Manifest, home: Path, progress: BuildProgress) -> None:
    page = PageSpec(COMPOSED, "/", COMPOSED, origin="beside", needs=needed_packages())
    wanted = absent([page], manifest, home)
    if wanted:
        progress.say(f"fetching {len(wanted)} packages")
    if lost := fetch_all(wanted, home, report=lambda piece, step: None):
        raise PackageError("; ".join(lost.values()))


@contextmanager
def _served(manifest: Manifest, home: Path) -> Iterator[tuple[Path, str]]:
    """A folder with all packages beside each other, and its address."""
    with work_folder(home, "composed") as folder, serve_folder(folder) as address:
        for name in needed_packages():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).symlink_to(package_folder(manifest.packages[name], home), target_is_directory=True)
        yield folder, address


def _job(
    seed: int, manifest: Manifest, home: Path, folder: Path, address: str, renderer: Renderer, store: Store
) -> BuildJob:
    page = compose(seed, lambda name: package_folder(manifest.packages[name], home))
    visit = _visit(page, f"{address}/{seed}.html")
    versions = [manifest.packages[each].sha256 for each in page.packages]
    key = digest_of([page.html, repr(visit.page), visit.shape.name, *versions, renderer.version, code_digest()])
    return BuildJob(visit.name, key, _maker(page, visit, folder, renderer, store))


def _visit(page: ComposedPage, url: str) -> Visit:
    steps = []
    if page.focus:
        steps.append(Action(ActionVerb.PRESS, "Tab"))
    if page.hover:
        steps.append(Action(ActionVerb.HOVER, f":is({CONTROL}) >> visible=true >> nth={page.seed % 5}"))
    if page.scroll:
        steps.append(
            Action(ActionVerb.EVAL, f"scrollTo(0, {page.scroll} * (document.body.scrollHeight - innerHeight))")
        )
    spec = PageSpec(
        f"{COMPOSED}--{page.seed:06}", f"/{page.seed}.html", COMPOSED, origin="beside", actions=tuple(steps)
    )
    return Visit(spec, page.shape, url)


def _maker(
    page: ComposedPage, visit: Visit, folder: Path, renderer: Renderer, store: Store
) -> Callable[[], Awaitable[Sample]]:
    async def make() -> Sample:
        file = folder / f"{page.seed}.html"
        file.write_text(page.html, "utf-8")
        try:
            look = await renderer.visit(visit)
        finally:
            file.unlink()
        return replace(
            page_sample(visit, look, store.put_image(look.png), COMPOSED, renderer.version), group=COMPOSED, tasks=()
        )

    return make
