"""Lets a language model choose, for every look of a run: its answers are kept word for word, scores are computed later.

Rule 1: asking costs; what has been answered is never asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec

from perception.bench.llm import BudgetSpentError, EndpointError, LlmPolicy, read_choice
from perception.bench.runstore import Appender, Run, read_lines
from perception.bench.scoring import items_of, looks_of
from perception.bench.seen import Score, Seen, Tally
from perception.datasets.build import Progress
from perception.datasets.sample import Sample
from perception.geometry import Point

FILE = "llm.jsonl"

MEASURE = "grounding by a language model"

COST = "language model, cost of a task"


class Told(msgspec.Struct, frozen=True):
    """One answer. `error` says why there is none; then it is asked again by the next run."""

    id: str
    who: str
    model: str
    task: int
    text: str = ""
    cost: float = 0.0
    error: str = ""


def ask_all(run: Run, home: Path, policy: LlmPolicy, progress: Progress) -> str:
    """Asks for every task of every look that has no answer yet; a sentence on what it came to.

    Raises:
        BadInputError: the endpoint refuses the key or the model.
    """
    known = {(told.id, told.who, told.task) for told in answers_of(run) if told.model == policy.name and not told.error}
    file = Appender(run.folder / FILE)
    progress.start(len(run.done()))
    stopped = ""
    try:
        for item in items_of(run, home):
            for seen in looks_of(run, item, peers=False):
                for index, task in enumerate(item.sample.tasks):
                    if (item.id, seen.who, index) not in known:
                        file.add(msgspec.json.encode(_ask(policy, item.id, seen, index, task.instruction)))
            progress.done(item.sample.name)
    except BudgetSpentError as exc:
        stopped = f"; stopped: {exc}"
    finally:
        file.close()
    spent = policy.spent
    return f"{policy.name}: {spent.answers} answers, {spent.prompt_tokens} tokens read, cost {spent.cost:.4f}{stopped}"


def _ask(policy: LlmPolicy, sample: str, seen: Seen, index: int, instruction: str) -> Told:
    try:
        answer = policy.ask(instruction, seen)
    except EndpointError as exc:
        return Told(sample, seen.who, policy.name, index, error=str(exc))
    return Told(sample, seen.who, policy.name, index, answer.text, answer.cost)


def answers_of(run: Run) -> Iterator[Told]:
    """What was answered in a run so far."""
    for _, line in read_lines(run.folder / FILE):
        yield msgspec.json.decode(line, type=Told)


def with_answers(run: Run, sample: Sample, seen: Seen, score: Score, told: dict[int, Told]) -> Score:
    """The score with how the model's choices landed. A task without an answer fails nobody: then there is no outcome."""
    if len(told) < len(sample.tasks) or not sample.tasks:
        return score
    landed = []
    for index, task in enumerate(sample.tasks):
        choice = read_choice(told[index].text, seen)
        landed.append(choice is not None and task.box.contains(Point(*choice.point)))
    tallies = {
        **score.tallies,
        MEASURE: Tally(sum(landed), len(landed)),
        COST: Tally(sum(each.cost for each in told.values()), len(told)),
    }
    return replace(score, tallies=tallies)
