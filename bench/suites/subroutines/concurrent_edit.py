"""Another user's edit while a run is under way: when it is made, and what may have become of it.

Rule: a run may not do worse than a person. Where an application itself lets the last save win, a person at the same
page overwrites the edit, too; where it does not, an edit that is gone is a wrong effect of the run.
"""

from __future__ import annotations

from dataclasses import dataclass

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.effects import State
from perception.bench.suites.subroutines.task import Row, fill


@dataclass(slots=True)
class ConcurrentEdit:
    """One edit.

    Attributes:
        record, name, value: the record, its field, and what that is given.
        after: all records after the edit; None until it is made.
    """

    app: App
    record: str
    name: str
    value: str
    after: State | None = None

    @classmethod
    def of(cls, app: App, task: AppTask, row: Row) -> ConcurrentEdit:
        """The edit of a field that the task leaves alone."""
        assert task.untouched is not None
        record, name, value = task.untouched
        return cls(app, fill(record, row), name, fill(value, row))

    def make(self) -> None:
        self.app.change(self.record, self.name, self.value)
        self.after = self.app.truth()

    def judged_from(self, before: State, after: State, *, stays_by_hand: bool) -> State:
        """The records that a run is judged from: with the edit, unless it is gone and would be gone by hand, too.

        Args:
            before: all records before the run.
            after: all records after it.
            stays_by_hand: whether the edit stays where a person does the task.
        """
        if self.after is None:
            return before
        return self.after if self.stays(after) or stays_by_hand else before

    def stays(self, state: State) -> bool:
        return state.get(self.record, {}).get(self.name) == self.value
