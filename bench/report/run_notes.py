"""Parts that several reports share: skipped items, and memory over the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perception.bench.report.report_model import Chart, ChartKind, ColumnUnit, Series
from perception.bench.run_store import Run

NAMED_EACH = 3
"""This many items skipped for one reason have a line each; more share one."""


def left_out(reasons: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Lines for skipped items.

    Args:
        reasons: name and reason of each.
    """
    first: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for name, reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
        if counts[reason] <= NAMED_EACH:
            first.setdefault(reason, []).append(name)
    lines = []
    for reason, names in first.items():
        if (more := counts[reason] - len(names)) > 0:
            lines.append(f"{', '.join(names)} and {more:,} more: {reason}")
        else:
            lines += [f"{name}: {reason}" for name in names]
    return tuple(lines)


def failures_of(run: Run) -> tuple[str, ...]:
    """What a run skipped."""
    return left_out((name, failure.reason) for name, failure in run.failures().items())


def memory_chart(runs: Sequence[Run]) -> Chart:
    """Resident memory during the runs: growth with the number of samples would be visible."""
    series = []
    for run in runs:
        marks = run.memory()
        for name, values in (
            ("parent", tuple(mark.parent / 2**20 for mark in marks)),
            ("workers", tuple(mark.workers / 2**20 for mark in marks)),
        ):
            prefix = f"{'-'.join(run.facts.who)}, " if len(runs) > 1 else ""
            series.append(Series(f"{prefix}{name}", tuple(mark.done for mark in marks), values))
    note = "Of the process that hands out the samples, and of all worker processes together."
    return Chart(
        "memory", "Memory of the run", ChartKind.LINES, "samples", "MiB", tuple(series), ColumnUnit.MEBIBYTES, note=note
    )
