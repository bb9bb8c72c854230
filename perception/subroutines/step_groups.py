"""Orders recorded events for a script: what a step leads to has to be said before it.

Rule: the answer to a dialog stands before the step that opens the dialog.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.subroutines.recording import Event

ANSWERS = ("dialog", "prompt")
"""Kinds of events that answer a dialog."""


@dataclass(frozen=True, slots=True)
class StepGroup:
    """A step and the dialogs that it opens.

    Attributes:
        step: index of its event; None for the start of the task.
        answers: indices of the events that answer its dialogs.
    """

    step: int | None
    answers: tuple[int, ...] = ()

    @property
    def indices(self) -> tuple[int, ...]:
        return (*self.answers, *(() if self.step is None else (self.step,)))


def group_steps(events: Sequence[Event]) -> list[StepGroup]:
    """The steps in their order; the first group is the start of the task."""
    groups = [StepGroup(None)]
    for index, event in enumerate(events):
        if event.kind in ANSWERS:
            last = groups[-1]
            groups[-1] = StepGroup(last.step, (*last.answers, index))
        else:
            groups.append(StepGroup(index))
    return groups
