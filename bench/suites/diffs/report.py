"""The report of `diffs`."""

from __future__ import annotations

from perception.bench.comparison.paired import TOTAL_COST
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import scores_of_values
from perception.bench.suite import Comparable
from perception.bench.suites.diffs.run import DiffsRun

DIFF, LOOK = "diff tokens", "look tokens"


def diffs_report(run: DiffsRun) -> Report:
    """Each step by the size of the page, and the whole."""
    rows: list[tuple[Cell, ...]] = [
        (
            each.step,
            each.size,
            each.diff_tokens,
            each.look_tokens,
            each.diff_tokens / max(each.look_tokens, 1),
            "new text" if each.is_snapshot else "changes",
            "yes" if each.is_exact else "NO",
        )
        for each in run.steps
    ]
    diff, look = sum(each.diff_tokens for each in run.steps), sum(each.look_tokens for each in run.steps)
    longer = sum(1 for each in run.steps if each.diff_tokens > each.look_tokens)
    inexact = sum(1 for each in run.steps if not each.is_exact)
    columns = (
        Column("step"),
        Column("rows", ColumnUnit.COUNT),
        Column(DIFF, ColumnUnit.COUNT),
        Column(LOOK, ColumnUnit.COUNT),
        Column("diff ÷ look", ColumnUnit.RATIO),
        Column("text"),
        Column("exact"),
    )
    return Report(
        title="Diffs of actions beside new looks",
        summary=(
            f"The diffs of {len(run.steps)} steps take {diff} tokens, the looks {look}: {diff / max(look, 1):.2f} ×.",
            f"{longer} diffs are longer than the look; the longest takes "
            f"{max((each.diff_tokens for each in run.steps), default=0)} tokens.",
            f"{inexact} diffs do not make the list after of the list before.",
        ),
        facts={"mode": run.mode},
        tables=(Table("steps", "Each step", columns, tuple(rows)),),
    )


def diffs_comparable(run: DiffsRun) -> Comparable:
    """By step and size: tokens of the diff and of the look."""
    values = [
        (f"{each.size} rows", f"{each.step}, {each.size} rows", measure, float(tokens))
        for each in run.steps
        for measure, tokens in ((DIFF, each.diff_tokens), (LOOK, each.look_tokens))
    ]
    return Comparable(scores_of_values("diffs", values), dict.fromkeys((DIFF, LOOK), TOTAL_COST))
