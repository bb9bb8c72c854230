"""Shows the progress of a long run on standard error: a bar on a terminal, else a line at intervals."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

LINE_SECONDS = 10.0
"""Interval between lines without a terminal: the log shows progress and stays short. Chosen by hand."""


class ConsoleProgress:
    """Progress of one run."""

    def __init__(self, title: str, console: Console | None = None) -> None:
        self._title = title
        self._console = console or Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task(title, total=None)
        self._total = self._count = self._problems = 0
        self._said = time.monotonic()

    def __enter__(self) -> ConsoleProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def start(self, total: int) -> None:
        """Sets the number of steps; 0 if it is not known."""
        self._total = total
        self._bar.update(self._task, total=total or None)

    def done(self, name: str, problem: str = "") -> None:
        """Counts a step that is done, or has failed with `problem`."""
        self._count += 1
        self._bar.update(self._task, completed=self._count)
        if problem:
            self._problems += 1
            self.say(f"{name}: {problem}")
        now = time.monotonic()
        if not self._console.is_terminal and (now - self._said > LINE_SECONDS or self._count == self._total):
            self._said = now
            failed = f", {self._problems} failed" if self._problems else ""
            of = f" of {self._total}" if self._total else ""
            self._console.print(f"{self._title}: {self._count}{of}{failed}", markup=False)

    def say(self, line: str) -> None:
        """Prints a line."""
        self._console.print(line, markup=False)
