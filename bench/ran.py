"""What every report says of how its runs went: what was left out, and how memory went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perception.bench.report.model import Chart, ChartKind, Series, Unit
from perception.bench.runstore import Run

NAMED = 3
"""So many that were left out for one reason have a line each; more share one."""


def left_out(reasons: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Lines for what was left out.

    Args:
        reasons: name and reason of each.
    """
    first: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for name, reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
        if counts[reason] <= NAMED:
            first.setdefault(reason, []).append(name)
    lines = []
    for reason, names in first.items():
        if (more := counts[reason] - len(names)) > 0:
            lines.append(f"{', '.join(names)} and {more:,} more: {reason}")
        else:
            lines += [f"{name}: {reason}" for name in names]
    return tuple(lines)


def failures_of(run: Run) -> tuple[str, ...]:
    """What of a run was left out."""
    return left_out((name, failure.reason) for name, failure in run.failures().items())


def memory_chart(runs: Sequence[Run]) -> Chart:
    """Resident memory while the runs ran: what grows with the number of samples would show."""
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
        "memory", "Memory of the run", ChartKind.LINES, "samples", "MiB", tuple(series), Unit.MEBIBYTES, note=note
    )
