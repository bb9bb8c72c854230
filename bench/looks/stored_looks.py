"""The samples of data sets and of runs, and the looks that a run has stored of them, one in memory at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from perception.bench.looks.look_output import LookOutput
from perception.bench.looks.peer_lists import seen_of
from perception.bench.run_store import Run
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, DatasetError, Item, Reference
from perception.datasets.sample_store import Store


def records_of(datasets: Sequence[str], home: Path, *, limit: int = 0, every: int = 1) -> Iterator[Reference | Broken]:
    """Every record of data sets, one after another.

    Args:
        limit: of each data set only so many, the first; 0 for all.
        every: of each data set only the first of so many: a small part of it that has all its pages.

    Raises:
        DatasetError: one of them is named twice, cannot be opened or is empty, or two samples have one name.
    """
    if twice := [spec for spec in set(datasets) if datasets.count(spec) > 1]:
        raise DatasetError(f"data set {twice[0]} is named twice: name each once")
    names: set[bytes] = set()
    for spec in datasets:
        count = 0
        for record in islice(open_dataset(spec, home), 0, limit * every or None, every):
            count += 1
            if not isinstance(record, Broken):
                name = hashlib.blake2b(record.name.encode(), digest_size=8).digest()
                if name in names:
                    raise DatasetError(f"{spec}: two samples are called {record.name}")
                names.add(name)
            yield record
        if not count:
            raise DatasetError(f"{spec}: it has no samples")


def items_of(run: Run, home: Path, *, names: set[str] | None = None) -> Iterator[Item]:
    """The samples for which a run has all outputs, in the run's order, or in the data sets' if they are folders.

    Args:
        names: only these; None for all.
    """
    store, wanted = Store(home), dict.fromkeys(run.done_in_order())
    for digest in list(wanted):
        if store.has(digest):
            item = store.load(digest)
            del wanted[digest]
            if names is None or item.sample.name in names:
                yield item
    if wanted:  # samples of folders are not in the store
        for record in records_of(run.facts.datasets, home):
            if not isinstance(record, Broken) and record.id in wanted and (names is None or record.name in names):
                yield record.load()


def looks_of(run: Run, item: Item, *, peers: bool) -> Iterator[LookOutput]:
    """The looks at a sample: the run's own outputs, then the peers' views that were taken with the sample."""
    for line in run.outputs(item.id):
        yield msgspec.json.decode(line, type=LookOutput)
    if peers:
        for view in item.sample.peers:
            yield seen_of(view, item.sample.name, item.id, viewport=item.sample.viewport)
