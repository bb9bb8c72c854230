"""The declarative form of a task: what is recorded, what differs between rows, and the change that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.effects import Effect
from perception.bench.suites.subroutines.task import Row, TaskStep


@dataclass(frozen=True, slots=True)
class AppTask:
    """One task in one application.

    Attributes:
        app: the application's name.
        name: the task in words.
        start: the path that the task starts at; a template.
        steps: what is done.
        prepare: makes what the task needs in the application, new for each row, and returns the row. Its number
            differs in every row.
        wanted: the change that the task makes.
        object_keys: the values of a row that identify the object; empty for a task that creates one.
        untouched: a record (a template), a field that the task leaves alone, and a value that another user gives it.
        twin: makes another object with the same name as the row's; returns nothing.
        rejected: values that the application refuses, or None.
        finds: of a search: texts that the run's data must have, and texts of other records that it must not have.
    """

    app: str
    name: str
    start: str
    steps: tuple[TaskStep, ...]
    prepare: Callable[[App, int], Row]
    wanted: Callable[[Row], tuple[Effect, ...]]
    object_keys: tuple[str, ...] = ()
    untouched: tuple[str, str, str] | None = None
    twin: Callable[[App, Row], None] | None = None
    rejected: Mapping[str, str] | None = None
    finds: Callable[[Row], tuple[tuple[str, ...], tuple[str, ...]]] | None = None

    @property
    def title(self) -> str:
        return f"{self.app}: {self.name}"
