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
    """What the service says of a run. `reason` and `error` are empty for a success."""

    success: bool
    reason: str = ""
    error: str = ""
    sent: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
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


def judge(before: State, after: State, wanted: Sequence[Effect], answer: RunAnswer) -> Judgement:
    """Judges a run by the records before and after it.

    Args:
        wanted: all changes of the task; a change that is not among them is stray.
    """
    left = differences(before, after)
    counts = []
    for effect in wanted:
        fitting = [each for each in left if _fits(each, effect)]
        left = [each for each in left if each not in fitting]
        counts.append(len(fitting))
    stray = tuple(str(each) for each in left)
    done = all(counts)
    return Judgement(_ending(done, max(counts, default=0) > 1, bool(stray or any(counts)), stray, answer), done, stray)


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
