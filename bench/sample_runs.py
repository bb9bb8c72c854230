"""Runs of variants or of a detector over the samples of data sets. An equal run continues an earlier one."""

from __future__ import annotations

import hashlib
import importlib.metadata
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from perception.bench.looks.stored_looks import records_of
from perception.bench.machine import machine_facts
from perception.bench.run_store import Run, RunFacts, open_run
from perception.bench.runner import RunReport, run_task
from perception.bench.sample_worker import DetectTask, LookTask, SampleTask
from perception.bench.variant import Variant
from perception.datasets.open import parse_split
from perception.datasets.sample import Broken, Reference
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
    facts = _facts(LOOKS, tuple(config), config, datasets, home, str(limit))
    return _run(facts, LookTask(tuple(variants)), datasets, home, workers, Part(limit), progress)


def run_detector(
    name: str, datasets: Sequence[str], home: Path, *, workers: int, limit: int, progress: Progress
) -> tuple[Run, RunReport]:
    """Lets one detector look at every sample's image."""
    facts = _facts(DETECT, (name,), {}, datasets, home, str(limit))
    return _run(facts, DetectTask(name), datasets, home, workers, Part(limit), progress)


@dataclass(frozen=True, slots=True)
class Part:
    """The part of data sets that a run is about.

    Attributes:
        limit: of each data set only so many samples, the first; 0 for all.
        every: of each data set only the first of so many samples.
        only: ids of samples; None for all.
        run: the stored run that these are of; empty for none.
    """

    limit: int = 0
    every: int = 1
    only: frozenset[str] | None = None
    run: str = ""

    def records(self, datasets: Sequence[str], home: Path) -> Iterator[Reference | Broken]:
        """The records of the part."""
        for record in records_of(datasets, home, limit=self.limit, every=self.every):
            if self.only is None or isinstance(record, Broken) or record.id in self.only:
                yield record


def run_readers(
    kind: str,
    task: SampleTask,
    config: dict[str, str],
    datasets: Sequence[str],
    home: Path,
    *,
    workers: int,
    part: Part,
    progress: Progress,
) -> tuple[Run, RunReport]:
    """Lets readers read every sample's image.

    Args:
        kind: of the run, which its suite reads.
        config: by reader, everything that determines what it serves.
    """
    facts = _facts(kind, tuple(config), {**config}, datasets, home, f"{part.limit} {part.every} {part.run}")
    return _run(facts, task, datasets, home, workers, part, progress)


def _run(
    facts: RunFacts,
    task: SampleTask,
    datasets: Sequence[str],
    home: Path,
    workers: int,
    part: Part,
    progress: Progress,
) -> tuple[Run, RunReport]:
    run = open_run(home, facts)
    total = len(part.only or ()) or _total(datasets, home, part)
    report = run_task(task, part.records(datasets, home), run, workers=workers, progress=progress, total=total)
    return run.fresh(), report


def _facts(
    kind: str, who: tuple[str, ...], config: dict[str, str], datasets: Sequence[str], home: Path, part: str
) -> RunFacts:
    digest = digest_of(
        (
            kind,
            *who,
            *config.values(),
            *(f"{each} {_state(each, home)}" for each in datasets),
            part,
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


def _total(datasets: Sequence[str], home: Path, part: Part) -> int:
    """The number of samples; 0 if it requires reading a folder."""
    store = Store(home)
    if not set(datasets) <= set(store.names()):
        return 0
    sizes = [math.ceil(len(store.dataset(each)) / part.every) for each in datasets]
    return sum(min(part.limit or size, size) for size in sizes)


@cache
def code_digest() -> str:
    """A digest of the code from the capture on, and of the model packages: other code makes another run."""
    package = Path(__file__).parent.parent  # not resolved: rooms are links in it, or folders once it is installed
    files = [
        file
        for room in ("fusion", "detectors", "render", "engine", "imaging")
        for file in sorted((package / room).glob("*.py"))
    ]
    files += [package / name for name in ("refs.py", "ref_entries.py", "geometry.py", "bench/sample_worker.py")]
    models = [model for kind in ("*.onnx", "*.npz") for model in sorted((package / "detectors").glob(kind))]
    versions = [importlib.metadata.version(name) for name in ("onnxruntime", "rapidocr", "opencv-python-headless")]
    whole = hashlib.sha256()
    for text in (*(file.read_text("utf-8") for file in files), *versions):
        whole.update(text.encode())
    for model in models:
        whole.update(model.read_bytes())
    return whole.hexdigest()
