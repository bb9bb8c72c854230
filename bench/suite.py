"""The definition of a suite, the result of a run, and the list of suites.

A suite is a folder of `suites/` that exports `SUITE`; its name is the folder's name. There is no other list:
`perception bench run|list|report|compare` find the suites here.

Rule 1: importing a suite's package is fast. Dependencies of `run` and `report` are imported when these are called.
Rule 2: a result is stored in the run store. Reports and comparisons are computed from stored results.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from perception.bench.run_store import Run, RunFacts, encode_result, read_result
from perception.errors import BadInputError

if TYPE_CHECKING:
    from perception.bench.comparison.paired import ComparisonRule
    from perception.bench.report.report_model import Report
    from perception.bench.scores import Score
    from perception.datasets.progress import ConsoleProgress

OptionsT = TypeVar("OptionsT")
DataT = TypeVar("DataT")


@dataclass(frozen=True, slots=True)
class SuiteContext:
    """The environment of a suite's run.

    Attributes:
        home: the folder that holds data sets and runs.
        progress: opens a progress bar with a title, on standard error.
        say: writes a line to standard error.
    """

    home: Path
    progress: Callable[[str], AbstractContextManager[ConsoleProgress]]
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ReportContext:
    """The environment of a report.

    Attributes:
        home: the folder that holds data sets and runs.
        command: the command as it was typed; the report shows it.
        cases: how many of the worst samples the report shows.
        again: the report is made from the store, not at the end of a run.
    """

    home: Path
    command: str
    cases: int = 12
    again: bool = False


@dataclass(frozen=True, slots=True)
class Result(Generic[DataT]):
    """The result of a suite's run.

    Attributes:
        facts: the identity and conditions of the run; `facts.id` is its name in the store.
        data: the suite's own value. The store keeps it as JSON, unless `streamed` has everything.
        failed: how many inputs could not be measured, or were found wrong. The command exits with 1 if there are any.
        streamed: stored runs to which samples were written one by one; empty if `data` is the whole result.
    """

    facts: RunFacts
    data: DataT
    failed: int = 0
    streamed: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparable:
    """The data of a result that `perception bench compare` uses.

    Attributes:
        scores: one for each sample and who was measured; intervals are over their pages.
        rules: how each measure is compared, by its name. A measure without a rule is not compared.
        wrong: how many outcomes are wrong, by kind: an increase is a regression, however small.
    """

    scores: Sequence[Score] = ()
    rules: Mapping[str, ComparisonRule] = field(default_factory=dict)
    wrong: Mapping[str, int] = field(default_factory=dict)


class Suite(ABC, Generic[OptionsT, DataT]):
    """One suite.

    Attributes:
        name: the folder's name, as on the command line.
        summary: one line for `perception bench run --help`.
        options: a frozen dataclass whose fields are annotated with `typer.Option` or `typer.Argument`; its docstring
            is the help of the command.
        resumes: an interrupted run goes on where it was.
        run_kinds: kinds of stored runs that this suite reports beside its own, by `RunFacts.suite`.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    options: ClassVar[type]
    resumes: ClassVar[bool] = False
    run_kinds: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def run(self, options: OptionsT, context: SuiteContext) -> Result[DataT]:
        """Runs the suite. Raises BadInputError for options that name nothing."""

    @abstractmethod
    def load(self, run: Run, home: Path) -> Result[DataT]:
        """The result of a stored run. Raises BadInputError if it is of another version."""

    @abstractmethod
    def report(self, result: Result[DataT], context: ReportContext) -> Report:
        """The report of a result."""

    @abstractmethod
    def comparable(self, result: Result[DataT], home: Path) -> Comparable:
        """The data of a result for a comparison with another run."""


@dataclass(frozen=True, slots=True)
class SuiteParts(Generic[DataT]):
    """The parts of a suite that are in modules of their own.

    Attributes:
        data: the dataclass of the result's data.
        report: of the data alone. `MeasuredSuite` adds the machine and the command, and leaves out empty tables.
        comparable: see `Suite`.
    """

    data: type[DataT]
    report: Callable[[DataT], Report]
    comparable: Callable[[DataT], Comparable]


class MeasuredSuite(Suite[OptionsT, DataT]):
    """A suite whose result is one value, which the store keeps as JSON."""

    @abstractmethod
    def parts(self) -> SuiteParts[DataT]:
        """The suite's parts, imported now."""

    def load(self, run: Run, home: Path) -> Result[DataT]:
        data, failed = read_result(run, self.parts().data)
        return Result(run.facts, data, failed)

    def report(self, result: Result[DataT], context: ReportContext) -> Report:
        report = self.parts().report(result.data)
        return replace(
            report,
            facts={**report.facts, **result.facts.machine},
            tables=tuple(table for table in report.tables if table.rows),
            command=context.command,
        )

    def comparable(self, result: Result[DataT], home: Path) -> Comparable:
        return self.parts().comparable(result.data)

    def result(
        self,
        data: DataT,
        options: OptionsT,
        *,
        machine: Mapping[str, str],
        inputs: Sequence[str] = (),
        failed: int = 0,
        started: datetime | None = None,
    ) -> Result[DataT]:
        """A result of this suite, ready for the store.

        Args:
            machine: facts about the machine and the software.
            inputs: pages or data sets that were measured; empty if the suite has its own.
            failed: see `Result`.
            started: when the run began; now by default.
        """
        began = started or datetime.now(UTC)
        facts = RunFacts(
            id=f"{self.name}-{began:%Y%m%d-%H%M%S}",
            suite=self.name,
            who=(self.name,),
            config={"options": encode_result(options).decode()},
            datasets=tuple(inputs),
            machine=dict(machine),
            started=began.isoformat(timespec="seconds"),
        )
        return Result(facts, data, failed)


def suite_names() -> list[str]:
    """All suites, in alphabetical order. Nothing is imported."""
    folder = Path(__file__).with_name("suites")
    return sorted(module.name for module in pkgutil.iter_modules([str(folder)]) if module.ispkg)


def no_suite(name: str) -> str:
    """The error about a name that no suite has."""
    return (
        f"no suite is called {name!r}: there are {', '.join(suite_names())}; suites that measure Perception itself run "
        "from a clone of its repository"
    )


def load_suite(name: str) -> Suite[Any, Any]:
    """A suite by its name.

    Raises:
        BadInputError: no suite has that name.
    """
    if name not in suite_names():
        raise BadInputError(no_suite(name))
    suite: Suite[Any, Any] = importlib.import_module(f"perception.bench.suites.{name}").SUITE
    return suite


def suite_of_run(facts: RunFacts) -> Suite[Any, Any]:
    """The suite that reports and compares a stored run.

    Raises:
        BadInputError: no suite of this version does.
    """
    if facts.suite in suite_names():
        return load_suite(facts.suite)
    for name in suite_names():
        if facts.suite in (suite := load_suite(name)).run_kinds:
            return suite
    raise BadInputError(f"run {facts.id} is of kind {facts.suite}: no suite of this version reads it")
