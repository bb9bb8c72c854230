"""The report of `settling`."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.settling.run import SETTLE_SECONDS, SettlingOutcome, SettlingRun

HOLDS, WAITED = "holds the update", "ms of an action with its settled look"
"""Measures, as runs are compared by."""

LOOKS = {"plain_s": "look afterwards", "look_s": "settled look"}
"""What the durations of looks after the action are called."""


def settling_report(ran: Sequence[SettlingOutcome]) -> Report:
    """Which looks held the update, and how long looks at pages at rest took."""
    updates, resting = [each for each in ran if each.updates], [each for each in ran if not each.updates]
    return Report(
        title="Settling",
        summary=(
            _share("ways to update late", [each for each in updates if not each.kept]),
            _share("ways that were written after the code that waits", [each for each in updates if each.kept]),
            _early(resting),
            _overhead(resting),
        ),
        facts={},
        tables=(
            _table("updates", "Late updates", updates, ()),
            _table("rest", "Pages at rest, or nearly so", resting, ("plain_s", "look_s")),
        ),
        skipped=tuple(f"{each.case}: {each.later or each.problem}" for each in ran if not each.holds),
    )


def _share(what: str, ran: Sequence[SettlingOutcome]) -> str:
    held = sum(each.holds for each in ran)
    return f"{len({each.case for each in ran})} {what}: {held} of {len(ran)} looks held the update."


def _early(ran: Sequence[SettlingOutcome]) -> str:
    early = sum(each.holds and not each.pending for each in ran)
    return (
        f"{len({each.case for each in ran})} pages at rest: {early} of {len(ran)} verdicts came before the time was up."
    )


def _overhead(ran: Sequence[SettlingOutcome]) -> str:
    more_ms = [1000 * (each.look_s - each.plain_s) for each in ran] or [0.0]
    return (
        f"A settled look at a page that has come to rest takes {statistics.median(more_ms):.0f} ms more than one that "
        f"does not wait (median; greatest {max(more_ms):.0f})."
    )


def _table(name: str, title: str, ran: Sequence[SettlingOutcome], looks: Sequence[str]) -> Table:
    """A row for each case. `looks` names the durations of looks after the action."""
    rows: list[tuple[Cell, ...]] = []
    for case in dict.fromkeys(each.case for each in ran):
        own = [each for each in ran if each.case == case]
        rows.append(
            (
                case,
                sum(each.holds for each in own) / len(own),
                statistics.median(each.first_s for each in own) * 1000,
                statistics.median(each.act_s for each in own) * 1000,
                *(statistics.median(getattr(each, look) for each in own) * 1000 for look in looks),
                ", ".join(dict.fromkeys(name for each in own for name in each.pending)),
                ", ".join(dict.fromkeys(name for each in own for name in each.background)),
            )
        )
    columns = (
        Column("page"),
        Column("held", ColumnUnit.SHARE),
        Column("first look", ColumnUnit.MILLISECONDS, "settled for pages at rest"),
        Column("action", ColumnUnit.MILLISECONDS, "with its settled look"),
        *(Column(LOOKS[look], ColumnUnit.MILLISECONDS) for look in looks),
        Column("pending"),
        Column("background"),
    )
    return Table(name, title, columns, tuple(rows), f"Medians. settle_timeout is {SETTLE_SECONDS:g} s.")


def settling_comparable(run: SettlingRun) -> Comparable:
    """By case and round: whether the look held the update, and how long the action took. If not, it is wrong."""
    scores = []
    for number, each in enumerate(run.outcomes):
        tallies = {HOLDS: Tally(each.holds, 1), WAITED: Tally(each.act_s * 1000, 1)}
        scores.append(Score(f"{each.case}, {number}", "settling", each.case, "", "", tallies))
    wrong = sum(not each.holds and not each.later for each in run.outcomes)
    return Comparable(scores, {HOLDS: ComparisonRule(True), WAITED: LATENCY}, {"looks without the update": wrong})
