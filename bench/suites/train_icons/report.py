"""The report of `train_icons`."""

from __future__ import annotations

from perception.bench.comparables import compare_shares
from perception.bench.report.report_model import Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.train_icons.run import TrainedIcons


def train_icons_report(run: TrainedIcons) -> Report:
    """How often icons of sets that the training has not seen get the right name."""
    names = ("icons", "named", "named rightly", "likeliest is right", "no icon of a class", "named all the same")
    rows = tuple(
        (each.origin, each.icons, each.named, each.right, each.likeliest, each.others, each.misnamed)
        for each in run.checks
    )
    return Report(
        title="The network that names icons",
        summary=(
            f"{run.steps} of {run.planned} steps on {run.views} views of icons: {run.file}. Sets in the table were not "
            "trained on.",
        ),
        facts={"icon sets": ", ".join(run.sets), "file": run.file, "SHA-256": run.sha256},
        tables=(Table("check", "Names", (Column("set"), *(Column(name, ColumnUnit.COUNT) for name in names)), rows),),
    )


def train_icons_comparable(run: TrainedIcons) -> Comparable:
    """Shares of icons that get a name, of names that are right, and of others that get none."""
    icons, named = sum(each.icons for each in run.checks), sum(each.named for each in run.checks)
    others = sum(each.others for each in run.checks)
    tallies = {
        "named": Tally(named, icons),
        "named rightly": Tally(sum(each.right for each in run.checks), named),
        "others without a name": Tally(others - sum(each.misnamed for each in run.checks), others),
    }
    return compare_shares([Score("icons", "train_icons", "icons", "", "", tallies)])
