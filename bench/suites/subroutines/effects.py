"""Judges what a run did by the application's own records, before and after it.

Rule 1: pure. The answer of the run is compared with the records and never decides what happened.
Rule 2: a change that the task does not explain is a wrong effect, whatever else is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

State = Mapping[str, Mapping[str, str]]
"""An application's records: fields by record, such as `person/7`."""


class Change(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Effect:
    """One change that a task makes.

    Attributes:
        change: what happens to the record.
        record: the record; of a created one the part before its id, such as `person/`.
        fields: their values afterwards; of a created record those that are checked.
    """

    change: Change
    record: str
    fields: Mapping[str, str] = field(default_factory=dict)


class Ending(StrEnum):
    """What came of a run, worst first."""

    DOUBLE = "double effect"
    WRONG = "wrong effect"
    FALSE_SUCCESS = "false success"
    UNREPORTED = "done, and said to have failed"
    UNVERIFIED = "unverified"
    FAILED = "failed after something was sent"
    REFUSED = "refused before anything was sent"
    RIGHT = "right effect"


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """What the service says of a run. `reason` and `error` are empty for a success; `data` is what it returned."""

    success: bool
    reason: str = ""
    error: str = ""
    sent: bool = False
    data: str = ""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What came of a run.

    Attributes:
        done: every change of the task is in the records, at least once.
        stray: changes that the task does not explain, as text.
    """

    ending: Ending
    done: bool
    stray: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordDifference:
    """One record that differs. `fields` are the values afterwards of what differs; empty for a deleted record."""

    change: Change
    record: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value[:60]!r}" for name, value in self.fields.items())
        return f"{self.record} {self.change}" + (f": {values}" if values else "")


def differences(before: State, after: State) -> list[RecordDifference]:
    """The records that differ, in the order of their names."""
    found = []
    for record in sorted({*before, *after}):
        if record not in before:
            found.append(RecordDifference(Change.CREATED, record, after[record]))
        elif record not in after:
            found.append(RecordDifference(Change.DELETED, record, {}))
        elif changed := {name: value for name, value in after[record].items() if before[record].get(name) != value}:
            found.append(RecordDifference(Change.CHANGED, record, changed))
    return found


def has_found(answer: RunAnswer, found: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a search returned what it must, and nothing of the other records."""
    has_others = any(each in answer.data for each in others)
    return answer.success and not has_others and all(each in answer.data for each in found)


def judge(before: State, after: State, wanted: Sequence[Effect], answer: RunAnswer, *, found: bool = True) -> Judgment:
    """Judges a run by the records before and after it.

    Args:
        wanted: all changes of the task; a change that is not among them is stray.
        found: whether a search returned what it must; true for another task.
    """
    left = differences(before, after)
    counts = []
    for effect in wanted:
        fitting = [each for each in left if _fits(each, effect)]
        left = [each for each in left if each not in fitting]
        counts.append(len(fitting))
    stray = tuple(str(each) for each in left)
    done = all(counts) and found
    return Judgment(_ending(done, max(counts, default=0) > 1, bool(stray or any(counts)), stray, answer), done, stray)


def judge_rows(before: State, after: State, rows: Sequence[tuple[Sequence[Effect], RunAnswer]]) -> list[Judgment]:
    """Judges rows that ran one after the other, by the records before and after all of them.

    Args:
        rows: of each row, all its changes, and its answer.

    Returns:
        A judgment for each row. What no row explains is stray in the last one.
    """
    left = differences(before, after)
    counts: dict[int, list[bool]] = {}
    # Whole rows first: what several rows change alike, such as a log, is of the rows that were done.
    for whole in (True, False):
        for index, (wanted, _) in enumerate(rows):
            found = [next((each for each in left if _fits(each, effect)), None) for effect in wanted]
            if index not in counts and (all(found) or not whole):
                left = [each for each in left if each not in found]
                counts[index] = [each is not None for each in found]
    judged = []
    for index, (wanted, answer) in enumerate(rows):
        again = [each for each in left if any(_fits(each, effect) for effect in wanted)]
        left = [each for each in left if each not in again]
        stray = tuple(map(str, left)) if index == len(rows) - 1 else ()
        done = all(counts[index])
        judged.append(
            Judgment(_ending(done, bool(again), bool(stray or any(counts[index])), stray, answer), done, stray)
        )
    return judged


def _fits(found: RecordDifference, effect: Effect) -> bool:
    if found.change is not effect.change:
        return False
    if effect.change is Change.CREATED:
        is_it = found.record.startswith(effect.record)
        return is_it and all(found.fields.get(name) == value for name, value in effect.fields.items())
    return found.record == effect.record and dict(found.fields) == dict(effect.fields)


def _ending(done: bool, twice: bool, touched: bool, stray: Sequence[str], answer: RunAnswer) -> Ending:
    if twice:
        return Ending.DOUBLE
    if stray or (touched and not done):
        return Ending.WRONG
    if answer.success:
        return Ending.RIGHT if done else Ending.FALSE_SUCCESS
    if answer.reason == "UNVERIFIED":
        return Ending.UNVERIFIED
    if done:
        return Ending.UNREPORTED
    return Ending.FAILED if answer.sent else Ending.REFUSED


FORBIDDEN = (Ending.DOUBLE, Ending.WRONG, Ending.FALSE_SUCCESS)
"""Endings whose goal is 0."""

UNDONE = (Ending.FAILED, Ending.REFUSED)
"""Endings that are false refusals where the task can be done."""
