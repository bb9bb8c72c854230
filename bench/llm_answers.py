"""What language models answered in a run, as it is kept, and how their choices landed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec

from perception.bench.llm import read_choice
from perception.bench.runstore import Run, read_lines
from perception.bench.score import Measure
from perception.bench.seen import Score, Seen, Tally
from perception.datasets.sample import Sample
from perception.geometry import Point

FILE = "llm.jsonl"


class Told(msgspec.Struct, frozen=True):
    """One answer. `error` says why there is none; then it is asked again by the next run."""

    id: str
    who: str
    model: str
    task: int
    text: str = ""
    cost: float = 0.0
    error: str = ""


def answers_of(run: Run) -> Iterator[Told]:
    """What was answered in a run so far."""
    for _, line in read_lines(run.folder / FILE):
        yield msgspec.json.decode(line, type=Told)


def with_answers(sample: Sample, seen: Seen, score: Score, told: Mapping[int, Told]) -> Score:
    """The score with how the model's choices landed; as it is, where a task of the sample has no answer."""
    if len(told) < len(sample.tasks) or not sample.tasks:
        return score
    landed = []
    for index, task in enumerate(sample.tasks):
        choice = read_choice(told[index].text, seen)
        landed.append(choice is not None and task.box.contains(Point(*choice.point)))
    tallies = {
        **score.tallies,
        Measure.LLM: Tally(sum(landed), len(landed)),
        Measure.LLM_COST: Tally(sum(each.cost for each in told.values()), len(told)),
    }
    return replace(score, tallies=tallies, outcomes={**score.outcomes, Measure.LLM: tuple(landed)})
