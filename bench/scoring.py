"""From a run's stored outputs to scores: one sample in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from perception.bench.peers import seen_of
from perception.bench.runstore import Run
from perception.bench.score import score_look
from perception.bench.seen import Score, Seen
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, DatasetError, Item, Reference


@dataclass(slots=True)
class Scored:
    """Scores by who looked, each in the data sets' order; and what could not be scored."""

    scores: dict[str, list[Score]] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def records_of(datasets: Sequence[str], home: Path) -> Iterator[Reference | Broken]:
    """Every record of data sets, one after another.

    Raises:
        DatasetError: one of them cannot be opened, or two samples have one name.
    """
    names: set[str] = set()
    for spec in datasets:
        count = 0
        for record in open_dataset(spec, home):
            count += 1
            if not isinstance(record, Broken):
                if record.name in names:
                    raise DatasetError(f"{spec}: two samples are called {record.name}")
                names.add(record.name)
            yield record
        if not count:
            raise DatasetError(f"{spec}: it has no samples")


def looks_of(run: Run, item: Item, *, peers: bool) -> Iterator[Seen]:
    """What was seen of a sample: the run's own outputs, then the peers' views that were taken with the sample."""
    for line in run.outputs(item.id):
        yield msgspec.json.decode(line, type=Seen)
    if peers:
        for view in item.sample.peers:
            yield seen_of(view, item.sample.name, item.id)


def score_run(run: Run, home: Path, *, peers: bool = True) -> Scored:
    """Scores everything that a run of looks has outputs for."""
    scored = Scored({name: [] for name in run.facts.who})
    done = run.done()
    for record in records_of(run.facts.datasets, home):
        if isinstance(record, Broken):
            scored.broken[record.record] = record.reason
        elif record.id not in done:
            scored.missing.append(record.name)
        else:
            _add(scored, record.load(), run, peers=peers)
    return scored


def _add(scored: Scored, item: Item, run: Run, *, peers: bool) -> None:
    for seen in looks_of(run, item, peers=peers):
        scored.scores.setdefault(seen.who, []).append(score_look(item.sample, seen))


def only(scores: Iterable[Score], *, stratum: str = "", category: str = "") -> list[Score]:
    """Those of a stratum or a category."""
    return [
        score
        for score in scores
        if (not stratum or score.stratum == stratum) and (not category or score.category == category)
    ]
