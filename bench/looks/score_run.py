"""Computes scores from a run's stored outputs, with one sample in memory at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import msgspec

from perception.bench.llm.model_answers import ModelAnswer, answers_of, with_answers
from perception.bench.looks.control_recall import Miss, recall_of
from perception.bench.looks.look_output import LookOutput
from perception.bench.looks.look_score import score_look
from perception.bench.looks.peer_lists import seen_of
from perception.bench.run_store import Run
from perception.bench.scores import Score
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, DatasetError, Item, Reference
from perception.datasets.sample_store import Store


@dataclass(slots=True)
class Scored:
    """Scores by variant or peer, each in the run's order.

    Attributes:
        model: the language model whose choices are included, if any.
        skipped: looks with a skipped stage (`fused: page@1280x800`), the stage and the reason.
        missed: by variant or peer, the reachable, named controls that its list does not have, each with its sample.
    """

    scores: dict[str, list[Score]] = field(default_factory=dict)
    model: str = ""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    missed: dict[str, list[tuple[str, Miss]]] = field(default_factory=dict)


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


def score_run(run: Run, home: Path, *, peers: bool = True) -> Scored:
    """Scores all outputs of a run of looks. Of two samples of one name the later counts.

    If several language models were asked, the last one's answers are scored.
    """
    answered = [each for each in answers_of(run) if not each.error]
    scored = Scored({name: [] for name in run.facts.who}, answered[-1].model if answered else "")
    answers_by_look: dict[tuple[str, str], dict[int, ModelAnswer]] = {}
    for each in answered:
        if each.model == scored.model:
            answers_by_look.setdefault((each.id, each.who), {})[each.task] = each
    for item in items_of(run, home):
        for seen in looks_of(run, item, peers=peers):
            score = score_look(item.sample, seen)
            scored.skipped += [(f"{seen.who}: {seen.sample}", step) for step in seen.skipped]
            recall = recall_of(item.sample, seen)
            if recall is not None:
                scored.missed.setdefault(seen.who, []).extend((item.sample.page, miss) for miss in recall.misses)
            answers = answers_by_look.get((item.id, seen.who), {})
            scored.scores.setdefault(seen.who, []).append(with_answers(item.sample, seen, score, answers))
    scored.scores = {
        who: list({score.sample: score for score in scores}.values()) for who, scores in scored.scores.items()
    }
    return scored


def only(scores: Iterable[Score], *, stratum: str) -> list[Score]:
    """The scores of a stratum."""
    return [score for score in scores if score.stratum == stratum]
