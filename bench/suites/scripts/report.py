"""The report of `scripts`."""

from __future__ import annotations

from statistics import median

from perception.bench.comparison.paired import ComparisonRule
from perception.bench.metrics.line_matching import LineCounts
from perception.bench.report.report_model import Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.scripts.run import ScriptsRun, summed

COLUMNS = (
    Column("script"),
    Column("lines", ColumnUnit.COUNT),
    Column("found without", ColumnUnit.SHARE),
    Column("found", ColumnUnit.SHARE),
    Column("exact", ColumnUnit.SHARE),
    Column("CER of found", ColumnUnit.SHARE),
    Column("CER of all without", ColumnUnit.SHARE),
    Column("CER of all", ColumnUnit.SHARE),
    Column("unread without", ColumnUnit.COUNT),
    Column("unread", ColumnUnit.COUNT),
)


def scripts_report(run: ScriptsRun) -> Report:
    """Lines found and errors by script, without line readers and with them."""
    rows = tuple(
        (
            script,
            each.read.lines,
            _share(each.without.found, each.without.lines),
            _share(each.read.found, each.read.lines),
            _share(each.read.exact_without_spaces, each.read.lines),
            _errors(each.read, found_only=True),
            _errors(each.without),
            _errors(each.read),
            each.unread_without,
            each.unread,
        )
        for script, each in summed(run.lines).items()
    )
    return Report(
        title="Scripts that the bundled models do not read",
        summary=(
            f"{len(run.reading_ms)} screenshots. `without`: without line readers. Errors without spaces.",
            f"Median of the second look, with `ppocr`'s answers cached: {median(run.reading_ms or [0.0]):.0f} ms.",
        ),
        facts={},
        tables=(Table("scripts", "Lines by script", COLUMNS, rows),),
    )


def scripts_comparable(run: ScriptsRun) -> Comparable:
    """Shares of found lines by page, and of lines that are listed as unread."""
    scores = [
        Score(
            each.page,
            each.page,
            "scripts",
            "",
            "",
            {
                f"found {each.script}": Tally(each.read.found, each.read.lines),
                f"unread {each.script}": Tally(each.unread, each.read.lines),
            },
        )
        for each in run.lines
        if each.read.lines
    ]
    names = {name for score in scores for name in score.tallies}
    return Comparable(scores, {name: ComparisonRule(higher_is_better=name.startswith("found")) for name in names})


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _errors(counts: LineCounts, *, found_only: bool = False) -> float | None:
    edits = (counts.found_lines if found_only else counts.all_lines).letters_without_spaces
    return _share(edits.edits, edits.of)
