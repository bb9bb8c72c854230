"""The suites: what each runs, over which data sets, and the report it ends in."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from perception.bench.machine import machine_facts
from perception.bench.names import Suite
from perception.bench.runner import RunReport, run_task
from perception.bench.runstore import Run, RunFacts, open_run
from perception.bench.scoring import records_of
from perception.bench.variant import Variant
from perception.bench.work import DetectTask, LookTask, Task
from perception.datasets.build import Progress, digest_of
from perception.datasets.open import parse_split
from perception.datasets.sample import Broken
from perception.datasets.store import Store
from perception.errors import BadInputError

LOOKS, DETECT, SPEED, MINIWOB = "looks", "detect", "speed", "miniwob"
"""Kinds of runs, by what their outputs are."""


DATASETS = {
    Suite.REACHABILITY: ("packages", "twins"),
    Suite.TOKENS: ("packages",),
    Suite.DETECTORS: ("packages",),
    Suite.GROUNDING: ("packages", "twins"),
    Suite.HIDDEN: ("packages",),
}
"""What a suite runs over unless told otherwise."""

_FILE_NAME = re.compile(r"[^\w.+-]+")
"""What a variant may be called, and a folder may not."""

VARIANTS = {
    Suite.REACHABILITY: ("text", "fused", "page"),
    Suite.TOKENS: ("text", "fused", "interactive", "interactive-compact", "digest", "page", "page-compact"),
    Suite.GROUNDING: ("text", "fused"),
    Suite.MINIWOB: ("text", "fused", "scripted"),
}
"""Variants that look in a suite, unless told otherwise."""


def run_looks(
    variants: Sequence[Variant], datasets: Sequence[str], home: Path, *, workers: int, limit: int, progress: Progress
) -> tuple[Run, RunReport]:
    """Lets variants look at every sample; what a run of the same has done already is kept.

    Raises:
        BadInputError: two variants have one name, or a data set cannot be opened.
    """
    config = {variant.name: variant.text() for variant in variants}
    if len(config) < len(variants):
        names = ", ".join(variant.name for variant in variants)
        raise BadInputError(f"variants are told apart by name, and these are called {names}: give each its own")
    facts = _facts(LOOKS, tuple(config), config, datasets, home, limit)
    return _run(facts, LookTask(tuple(variants)), datasets, home, workers, limit, progress)


def run_detector(
    name: str, datasets: Sequence[str], home: Path, *, workers: int, limit: int, progress: Progress
) -> tuple[Run, RunReport]:
    """Lets one detector look at every sample's image."""
    facts = _facts(DETECT, (name,), {}, datasets, home, limit)
    return _run(facts, DetectTask(name), datasets, home, workers, limit, progress)


def _run(
    facts: RunFacts,
    task: Task,
    datasets: Sequence[str],
    home: Path,
    workers: int,
    limit: int,
    progress: Progress,
) -> tuple[Run, RunReport]:
    run = open_run(home, facts)
    records = records_of(datasets, home, limit=limit)
    report = run_task(task, records, run, workers=workers, progress=progress, total=_total(datasets, home, limit))
    return run.fresh(), report


def _facts(
    kind: str, who: tuple[str, ...], config: dict[str, str], datasets: Sequence[str], home: Path, limit: int
) -> RunFacts:
    digest = digest_of(
        (
            kind,
            *who,
            *config.values(),
            *(f"{each} {_state(each, home)}" for each in datasets),
            str(limit),
            code_digest(),
        )
    )
    return RunFacts(
        id=f"{kind}-{_FILE_NAME.sub('_', '-'.join(who))[:60]}-{digest[:10]}",
        suite=kind,
        who=who,
        config=config,
        datasets=tuple(datasets),
        machine=machine_facts(browser_of(datasets, home)),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def browser_of(datasets: Sequence[str], home: Path) -> str:
    """The browser that the first sample was taken in."""
    for record in records_of(datasets, home, limit=1):
        if not isinstance(record, Broken):
            return record.load().sample.made.get("browser", "none: images").removeprefix("Chromium ")
    return "none: images"


def _state(spec: str, home: Path) -> str:
    """A digest of what a built data set holds; a folder is known by its name alone."""
    store = Store(home)
    name, _ = parse_split(spec)
    if name not in store.names():
        return ""
    return digest_of(row.id for row in store.dataset(name).rows().values())


def _total(datasets: Sequence[str], home: Path, limit: int) -> int:
    """How many samples there are, 0 where that takes reading a folder."""
    store = Store(home)
    if not set(datasets) <= set(store.names()):
        return 0
    return sum(min(limit or len(store.dataset(each)), len(store.dataset(each))) for each in datasets)


@cache
def code_digest() -> str:
    """Of the code from the capture on, and of the models' packages: outputs of other code are another run's."""
    package = Path(__file__).parent.parent  # not resolved: rooms are links in it, or folders once it is installed
    files = [file for room in ("fusion", "detectors", "render") for file in sorted((package / room).glob("*.py"))]
    files += [package / name for name in ("pipeline.py", "refs.py", "images.py", "geometry.py", "bench/work.py")]
    versions = [importlib.metadata.version(name) for name in ("onnxruntime", "rapidocr", "opencv-python-headless")]
    whole = hashlib.sha256()
    for text in (*(file.read_text("utf-8") for file in files), *versions):
        whole.update(text.encode())
    return whole.hexdigest()
