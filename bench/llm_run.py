"""Lets a language model choose, for every look of a run: its answers are kept word for word, scores are computed later.

Rule 1: asking costs; what has been answered is never asked again.
Rule 2: an endpoint that fails again and again is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from perception.bench.llm import BudgetSpentError, EndpointError, LlmPolicy
from perception.bench.llm_answers import FILE, Told, answers_of
from perception.bench.runstore import Appender, Run
from perception.bench.scoring import items_of, looks_of
from perception.bench.seen import Seen
from perception.datasets.build import Progress

PATIENCE = 5
"""Questions in a row that get no answer, each after retries, before the run stops asking."""


class _GaveUpError(Exception):
    """The endpoint answers no more."""


@dataclass(slots=True)
class _Failures:
    count: int = 0
    in_a_row: int = 0
    last: str = ""

    def note(self, told: Told) -> None:
        self.count += bool(told.error)
        self.in_a_row = self.in_a_row + 1 if told.error else 0
        self.last = told.error or self.last
        if self.in_a_row >= PATIENCE:
            raise _GaveUpError(f"{PATIENCE} questions in a row got no answer")


def ask_all(run: Run, home: Path, policy: LlmPolicy, progress: Progress) -> str:
    """Asks for every task of every look that has no answer yet; a sentence on what it came to.

    Raises:
        BadInputError: the endpoint refuses the key or the model.
    """
    known = {(told.id, told.who, told.task) for told in answers_of(run) if told.model == policy.name and not told.error}
    file = Appender(run.folder / FILE)
    progress.start(len(run.done()))
    stopped, failures = "", _Failures()
    try:
        for item in items_of(run, home):
            for seen in looks_of(run, item, peers=False):
                for index, task in enumerate(item.sample.tasks):
                    if (item.id, seen.who, index) not in known:
                        told = _ask(policy, item.id, seen, index, task.instruction)
                        file.add(msgspec.json.encode(told))
                        failures.note(told)
            progress.done(item.sample.name)
    except (BudgetSpentError, _GaveUpError) as exc:
        stopped = f"; stopped: {exc}"
    finally:
        file.close()
    spent = policy.spent
    lost = f", {failures.count} failed (the last: {failures.last})" if failures.count else ""
    said = f"{spent.answers} answers, {spent.prompt_tokens} tokens read, cost {spent.cost:.4f}"
    return f"{policy.name}: {said}{lost}{stopped}"


def _ask(policy: LlmPolicy, sample: str, seen: Seen, index: int, instruction: str) -> Told:
    try:
        answer = policy.ask(instruction, seen)
    except EndpointError as exc:
        return Told(sample, seen.who, policy.name, index, error=str(exc))
    return Told(sample, seen.who, policy.name, index, answer.text, answer.cost)
