"""Builds data sets: renders pages and their painted twins in parallel, only those that are missing or outdated.

Rule 1: a sample is built again exactly if one of its inputs changed: the page, its packages, the shape, the browser,
the peers, or the code that captures it.
Rule 2: the failure of a page does not affect others; it is reported, and the next build tries the page again.
Rule 3: every sample is stored as soon as it is built, so that an interrupted build can be continued.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import perception.browser
from perception.datasets.sample import Sample
from perception.datasets.sample_store import IndexRow, Store, StoredDataset
from perception.datasets.sources.manifest import Manifest, PageSpec
from perception.datasets.sources.page_shapes import Shape
from perception.datasets.sources.peer_snapshots import Peer
from perception.datasets.sources.rendering import RenderedLook, Renderer, Visit, stratum_of
from perception.datasets.sources.site_server import Served
from perception.datasets.truth.instructions import make_tasks
from perception.errors import PerceptionError, first_line

TASKS_PER_PAGE = 12
"""Maximum number of instructions for a sample: enough to compare variants, without one page outweighing the others.
Chosen by hand."""

TASK_SEED = 1

CODE_DIGITS = 12
"""Of the digest of the code, in a sample's `made["code"]`."""


class Progress(Protocol):
    """Receives every sample as it is done."""

    def start(self, total: int) -> None: ...

    def done(self, name: str, problem: str = "") -> None: ...


@dataclass(frozen=True, slots=True)
class BuildJob:
    """One sample to build.

    Attributes:
        name: name of the sample.
        key: digest of its inputs: those of the capture, then `:` and those of the instructions.
        make: builds the sample.
    """

    name: str
    key: str
    make: Callable[[], Awaitable[Sample]]


@dataclass(slots=True)
class BuildReport:
    """Result of a build.

    Attributes:
        made: number of built samples.
        kept: number of samples that were up to date.
        failed: reasons by sample name.
        notes: what a sample lacks, by its name.
    """

    made: int = 0
    kept: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


async def run_jobs(
    jobs: Sequence[BuildJob], dataset: StoredDataset, store: Store, *, workers: int, progress: Progress
) -> BuildReport:
    """Builds the samples that are missing or outdated."""
    report = BuildReport()
    rows = dataset.rows()
    due = []
    for job in jobs:
        row = rows.get(job.name)
        if row is None or _looked(row.key) != _looked(job.key) or not store.has(row.id):
            due.append(job)
        elif row.key != job.key:  # only the instructions have changed, which needs no new capture
            dataset.add(IndexRow(job.name, store.put(with_tasks(store.load(row.id).sample)), job.key))
    report.kept = len(jobs) - len(due)
    progress.start(len(due))
    waiting = iter(due)

    async def work() -> None:
        for job in waiting:
            problem = ""
            try:
                sample = await job.make()
            except PerceptionError as exc:
                problem = report.failed[job.name] = first_line(exc)
            else:
                dataset.add(IndexRow(job.name, store.put(sample), job.key))
                report.made += 1
                if sample.made.get("still") == "no":
                    report.notes[job.name] = "it never stood still: pixels and facts may be of different moments"
            progress.done(job.name, problem)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(due))):
            group.create_task(work())
    return report


def page_jobs(
    pages: Iterable[PageSpec],
    shapes: Sequence[Shape],
    manifest: Manifest,
    served: Served,
    renderer: Renderer,
    peers: Sequence[Peer],
    store: Store,
    source: str,
) -> list[BuildJob]:
    """A job for each served page in each shape."""
    jobs = []
    for page in pages:
        if page.id not in served.urls:
            continue
        for shape in shapes:
            visit = Visit(page, shape, served.urls[page.id])
            parts = [
                repr(page),
                *(f"{each.name} {each.sha256}" for each in manifest.packages_of(page)),
                shape.name,
                renderer.version,
                *(f"{peer.name} {peer.version}" for peer in peers),
                code_digest(),
            ]
            key = f"{digest_of(parts)}:{tasks_digest()}"
            jobs.append(BuildJob(visit.name, key, _page_maker(visit, renderer, store, source)))
    return jobs


def _page_maker(visit: Visit, renderer: Renderer, store: Store, source: str) -> Callable[[], Awaitable[Sample]]:
    async def make() -> Sample:
        look = await renderer.visit(visit)
        return page_sample(visit, look, store.put_image(look.png), source, renderer.version)

    return make


def page_sample(visit: Visit, look: RenderedLook, image_sha256: str, source: str, browser: str) -> Sample:
    """Makes the sample of a rendered page."""
    truth = look.truth
    sample = Sample(
        name=visit.name,
        source=source,
        group=visit.page.package or visit.page.family,
        page=visit.page.id,
        image_sha256=image_sha256,
        viewport=look.capture.viewport,
        category=visit.page.category,
        stratum=stratum_of(truth.elements, truth.opaque_share),
        color_scheme=visit.shape.color_scheme,
        complete=True,
        truth=truth.elements,
        lines=truth.lines,
        ax=truth.ax,
        unknown=truth.unknown,
        capture=look.capture,
        peers=look.peers,
        made=made_facts(look, browser),
        milliseconds=look.milliseconds,
    )
    return with_tasks(sample)


def with_tasks(sample: Sample) -> Sample:
    """The sample with instructions generated from its ground truth."""
    return replace(sample, tasks=make_tasks(sample.truth, sample.lines, limit=TASKS_PER_PAGE, seed=TASK_SEED))


def _looked(key: str) -> str:
    """The part of a key that belongs to the capture."""
    return key.partition(":")[0]


def made_facts(look: RenderedLook, browser: str) -> Mapping[str, str]:
    """Facts about a capture (browser, code, peers), by name."""
    errors = {f"no {name}": why for name, why in look.peer_errors.items()}
    return {"browser": browser, "code": code_digest()[:CODE_DIGITS], "still": "yes" if look.still else "no", **errors}


@cache
def code_digest() -> str:
    """Digest of the code that captures pages; samples are outdated when it changes."""
    root = Path(__file__).parent.parent
    browser = Path(perception.browser.__file__).parent
    names = (
        "sample",
        "sources/arrival",
        "sources/painted_twins",
        "sources/peer_snapshots",
        "sources/rendering",
        "truth/dom_snapshot",
        "truth/visible_lines",
        "truth/truth",
    )
    files = [*sorted(browser.rglob("*.py")), *sorted(browser.rglob("*.js")), *(root / f"{name}.py" for name in names)]
    return digest_of(file.read_text("utf-8") for file in files)


@cache
def tasks_digest() -> str:
    """Digest of the code that generates instructions."""
    return digest_of(
        [
            (Path(__file__).parent.parent / "truth" / "instructions.py").read_text("utf-8"),
            str(TASKS_PER_PAGE),
            str(TASK_SEED),
        ]
    )


def digest_of(parts: Iterable[str]) -> str:
    """sha256 of texts, hexadecimal; it also depends on the borders between them."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode()
        whole.update(f"{len(data)}:".encode() + data)
    return whole.hexdigest()
