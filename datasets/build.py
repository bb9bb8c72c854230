"""Builds data sets: pages and their painted twins, rendered side by side, only what is not there already.

Rule 1: a sample is made again exactly when something that it is made from changed: the page, its packages, the shape,
the browser, the peers, or the code that looks.
Rule 2: one page's failure is its own; it is reported, and tried again by the next build.
Rule 3: every sample is kept as soon as it is made, so that an interrupted build goes on where it was.
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
from perception.datasets.instructions import make_tasks
from perception.datasets.manifest import Manifest, Page
from perception.datasets.peers import Peer
from perception.datasets.render import Look, Renderer, Visit, stratum_of
from perception.datasets.sample import Sample
from perception.datasets.serve import Served
from perception.datasets.shapes import Shape
from perception.datasets.store import Row, Store, StoredDataset
from perception.errors import PerceptionError, first_line

TASKS = 12
"""Instructions a sample at most: enough to tell looks apart, not so many that one page outweighs the others."""

TASK_SEED = 1


class Progress(Protocol):
    """Told about every sample as it is done."""

    def start(self, total: int) -> None: ...

    def done(self, name: str, problem: str = "") -> None: ...


@dataclass(frozen=True, slots=True)
class Job:
    """One sample to make. `key` is a digest of what it is made from: the look, then `:` and the instructions."""

    name: str
    key: str
    make: Callable[[], Awaitable[Sample]]


@dataclass(slots=True)
class BuildReport:
    """`failed` and `notes` are by sample name: why there is none, and what it lacks."""

    made: int = 0
    kept: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


async def run_jobs(
    jobs: Sequence[Job], dataset: StoredDataset, store: Store, *, workers: int, progress: Progress
) -> BuildReport:
    """Makes what is not there yet."""
    report = BuildReport()
    rows = dataset.rows()
    due = []
    for job in jobs:
        row = rows.get(job.name)
        if row is None or _looked(row.key) != _looked(job.key) or not store.has(row.id):
            due.append(job)
        elif row.key != job.key:  # only the instructions are made otherwise: that needs no new look
            dataset.add(Row(job.name, store.put(with_tasks(store.load(row.id).sample)), job.key))
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
                dataset.add(Row(job.name, store.put(sample), job.key))
                report.made += 1
                if sample.made.get("still") == "no":
                    report.notes[job.name] = "it never stood still: pixels and facts may be of different moments"
            progress.done(job.name, problem)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(workers, len(due))):
            group.create_task(work())
    return report


def page_jobs(
    pages: Iterable[Page],
    shapes: Sequence[Shape],
    manifest: Manifest,
    served: Served,
    renderer: Renderer,
    peers: Sequence[Peer],
    store: Store,
    source: str,
) -> list[Job]:
    """A job for each page that is served, in each shape."""
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
            jobs.append(Job(visit.name, key, _page_maker(visit, renderer, store, source)))
    return jobs


def _page_maker(visit: Visit, renderer: Renderer, store: Store, source: str) -> Callable[[], Awaitable[Sample]]:
    async def make() -> Sample:
        look = await renderer.visit(visit)
        return page_sample(visit, look, store.put_image(look.png), source, renderer.version)

    return make


def page_sample(visit: Visit, look: Look, image_sha256: str, source: str, browser: str) -> Sample:
    """A sample of a look at a page."""
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
    """The sample with instructions made from its truth."""
    return replace(sample, tasks=make_tasks(sample.truth, sample.lines, limit=TASKS, seed=TASK_SEED))


def _looked(key: str) -> str:
    """The part of a key that is of the look."""
    return key.partition(":")[0]


def made_facts(look: Look, browser: str) -> Mapping[str, str]:
    """What a look was made with, by name."""
    errors = {f"no {name}": why for name, why in look.peer_errors.items()}
    return {"browser": browser, "code": code_digest()[:12], "still": "yes" if look.still else "no", **errors}


@cache
def code_digest() -> str:
    """Of the code that looks at pages: what it gives may change when this does."""
    root = Path(__file__).parent
    browser = Path(perception.browser.__file__).parent
    names = ("arrival", "domsnapshot", "peers", "render", "sample", "textlines", "truth", "twins")
    files = [*sorted(browser.rglob("*.py")), *sorted(browser.rglob("*.js")), *(root / f"{name}.py" for name in names)]
    return digest_of(file.read_text("utf-8") for file in files)


@cache
def tasks_digest() -> str:
    """Of the code that makes instructions."""
    return digest_of([Path(__file__).with_name("instructions.py").read_text("utf-8"), str(TASKS), str(TASK_SEED)])


def digest_of(parts: Iterable[str]) -> str:
    """sha256 of texts, in hexadecimal; another split of the same letters has another one."""
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode()
        whole.update(f"{len(data)}:".encode() + data)
    return whole.hexdigest()
