"""The report of `train_scripts`."""

from __future__ import annotations

from perception.bench.comparables import compare_shares
from perception.bench.report.report_model import Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.train_scripts.run import TrainedScripts
from perception.detectors.scripts import KNOWN


def train_scripts_report(run: TrainedScripts) -> Report:
    """How many lines of each script are called unread, with fonts that the training has not seen."""
    columns = (
        Column("script"),
        Column("lines", ColumnUnit.COUNT),
        Column("called unread", ColumnUnit.COUNT),
        Column("script right", ColumnUnit.COUNT),
    )
    rows = tuple((check.name, check.lines, check.unread, check.right) for check in run.checks)
    return Report(
        title="The model of unread scripts",
        summary=(f"{run.lines} lines and icons: {run.file}.",),
        facts={"fonts": run.fonts, "icons": run.icons, "file": run.file, "SHA-256": run.sha256},
        tables=(Table("checks", "Lines in fonts that were not trained on", columns, rows),),
    )


def train_scripts_comparable(run: TrainedScripts) -> Comparable:
    """Shares of lines that are judged rightly: read where they can be read, unread where not."""
    tallies = {
        check.name: Tally(check.lines - check.unread if check.name == KNOWN else check.right, max(check.lines, 1))
        for check in run.checks
    }
    return compare_shares([Score("scripts", "train_scripts", "scripts", "", "", tallies)])
