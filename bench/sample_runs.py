"""Runs of variants or of a detector over the samples of data sets. An equal run continues an earlier one."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from perception.bench.looks.score_run import records_of
from perception.bench.machine import machine_facts
from perception.bench.run_store import Run, RunFacts, open_run
from perception.bench.runner import RunReport, run_task
from perception.bench.sample_worker import DetectTask, LookTask, SampleTask
from perception.bench.variant import Variant
from perception.datasets.open import parse_split
from perception.datasets.sample import Broken
from perception.datasets.sample_store import Store
from perception.datasets.sources.build import Progress, digest_of
from perception.errors import BadInputError

LOOKS, DETECT = "looks", "detect"
"""Kinds of runs by samples, by their outputs. Several suites share runs of looks."""

_FILE_NAME = re.compile(r"[^\w.+-]+")
"""Characters that are valid in a variant's name but not in a folder's."""


def run_looks(
    variants: Sequence[Variant], datasets: Sequence[str], home: Path, *, workers: int, limit: int, progress: Progress
) -> tuple[Run, RunReport]:
    """Lets variants look at every sample; results of an earlier, equal run are kept.

    Raises:
        BadInputError: two variants have one name, or a data set cannot be opened.
    """
    config = {variant.name: variant.text() for variant in variants}
    if len(config) < len(variants):
        names = ", ".join(variant.name for variant in variants)
        raise BadInputError(f"variants are distinguished by name, and these are called {names}: give each its own")
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
    task: SampleTask,
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
    """The browser of the first sample."""
    for record in records_of(datasets, home, limit=1):
        if not isinstance(record, Broken):
            return record.load().sample.made.get("browser", "none: images").removeprefix("Chromium ")
    return "none: images"


def _state(spec: str, home: Path) -> str:
    """A digest of a built data set's content; a folder is identified by its name only."""
    store = Store(home)
    name, _ = parse_split(spec)
    if name not in store.names():
        return ""
    return digest_of(row.id for row in store.dataset(name).rows().values())


def _total(datasets: Sequence[str], home: Path, limit: int) -> int:
    """The number of samples; 0 if it requires reading a folder."""
    store = Store(home)
    if not set(datasets) <= set(store.names()):
        return 0
    return sum(min(limit or len(store.dataset(each)), len(store.dataset(each))) for each in datasets)


@cache
def code_digest() -> str:
    """A digest of the code from the capture on, and of the model packages: other code makes another run."""
    package = Path(__file__).parent.parent  # not resolved: rooms are links in it, or folders once it is installed
    files = [
        file
        for room in ("fusion", "detectors", "render", "engine", "imaging")
        for file in sorted((package / room).glob("*.py"))
    ]
    files += [package / name for name in ("refs.py", "geometry.py", "bench/sample_worker.py")]
    versions = [importlib.metadata.version(name) for name in ("onnxruntime", "rapidocr", "opencv-python-headless")]
    whole = hashlib.sha256()
    for text in (*(file.read_text("utf-8") for file in files), *versions):
        whole.update(text.encode())
    return whole.hexdigest()
