"""Computes scores from a run's stored outputs, with one sample in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from perception.bench.llm.model_answers import ModelAnswer, answers_of, with_answers
from perception.bench.looks.control_recall import Miss, recall_of
from perception.bench.looks.look_score import score_look
from perception.bench.looks.stored_looks import items_of, looks_of
from perception.bench.run_store import Run
from perception.bench.scores import Score


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
