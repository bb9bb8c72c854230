"""Asks a language model about every look of a run. Answers are stored verbatim; scores are computed later.

Rule 1: answers cost money; an answered question is never asked again.
Rule 2: after repeated failures the endpoint is not asked any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from perception.bench.llm.llm_policy import BudgetSpentError, LlmPolicy
from perception.bench.llm.model_answers import FILE, ModelAnswer, answers_of
from perception.bench.looks.look_output import LookOutput
from perception.bench.looks.stored_looks import items_of, looks_of
from perception.bench.run_store import Appender, Run
from perception.datasets.sources.build import Progress
from perception.llm.endpoint import EndpointError

MAX_UNANSWERED = 5
"""Consecutive questions without an answer, each after retries, that end the run's questions."""


class _GaveUpError(Exception):
    """The endpoint no longer answers."""


@dataclass(slots=True)
class _Failures:
    count: int = 0
    in_a_row: int = 0
    last: str = ""

    def note(self, answer: ModelAnswer) -> None:
        self.count += bool(answer.error)
        self.in_a_row = self.in_a_row + 1 if answer.error else 0
        self.last = answer.error or self.last
        if self.in_a_row >= MAX_UNANSWERED:
            raise _GaveUpError(f"{MAX_UNANSWERED} questions in a row got no answer")


def ask_all(run: Run, home: Path, policy: LlmPolicy, progress: Progress) -> str:
    """Asks about every task of every look without an answer; returns a sentence on the result.

    Raises:
        BadInputError: the endpoint refuses the key or the model.
    """
    known = {
        (answer.id, answer.who, answer.task)
        for answer in answers_of(run)
        if answer.model == policy.name and not answer.error
    }
    file = Appender(run.folder / FILE)
    progress.start(len(run.done()))
    stopped, failures = "", _Failures()
    try:
        for item in items_of(run, home):
            for seen in looks_of(run, item, peers=False):
                for index, task in enumerate(item.sample.tasks):
                    if (item.id, seen.who, index) not in known:
                        answer = _ask(policy, item.id, seen, index, task.instruction)
                        file.add(msgspec.json.encode(answer))
                        failures.note(answer)
            progress.done(item.sample.name)
    except (BudgetSpentError, _GaveUpError) as exc:
        stopped = f"; stopped: {exc}"
    finally:
        file.close()
    spent = policy.spent
    lost = f", {failures.count} failed (the last: {failures.last})" if failures.count else ""
    said = f"{spent.answers} answers, {spent.prompt_tokens} tokens read, cost {spent.cost:.4f}"
    return f"{policy.name}: {said}{lost}{stopped}"


def _ask(policy: LlmPolicy, sample: str, seen: LookOutput, index: int, instruction: str) -> ModelAnswer:
    try:
        answer = policy.ask(instruction, seen)
    except EndpointError as exc:
        return ModelAnswer(sample, seen.who, policy.name, index, error=str(exc))
    return ModelAnswer(sample, seen.who, policy.name, index, answer.text, answer.cost)
