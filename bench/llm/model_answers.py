"""The answers of language models in a run, as they are stored, and whether their choices hit the target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec

from perception.bench.llm.llm_policy import read_choice
from perception.bench.looks.look_output import LookOutput
from perception.bench.looks.look_score import LookMeasure
from perception.bench.run_store import Run, read_lines
from perception.bench.scores import Score, Tally
from perception.datasets.sample import Sample
from perception.geometry import Point

FILE = "llm.jsonl"


class ModelAnswer(msgspec.Struct, frozen=True):
    """One answer. `error` is the reason if there is none; the next run asks again."""

    id: str
    who: str
    model: str
    task: int
    text: str = ""
    cost: float = 0.0
    error: str = ""


def answers_of(run: Run) -> Iterator[ModelAnswer]:
    """The answers of a run so far."""
    for _, line in read_lines(run.folder / FILE):
        yield msgspec.json.decode(line, type=ModelAnswer)


def with_answers(sample: Sample, seen: LookOutput, score: Score, answer: Mapping[int, ModelAnswer]) -> Score:
    """The score with the results of the model's choices; unchanged if a task of the sample has no answer."""
    if len(answer) < len(sample.tasks) or not sample.tasks:
        return score
    landed = []
    for index, task in enumerate(sample.tasks):
        choice = read_choice(answer[index].text, seen)
        landed.append(choice is not None and task.box.contains(Point(*choice.point)))
    tallies = {
        **score.tallies,
        LookMeasure.LLM: Tally(sum(landed), len(landed)),
        LookMeasure.LLM_COST: Tally(sum(each.cost for each in answer.values()), len(answer)),
    }
    return replace(score, tallies=tallies, outcomes={**score.outcomes, LookMeasure.LLM: tuple(landed)})
