"""The tables of two readers of text beside one another: what they cost, how well they read, and the goals of ours."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from perception.bench.metrics.lines import LineCounts, LineSummary, summarise_lines
from perception.bench.readers import LEAST_HEIGHT, OURS, THEIRS, Comparison, PictureRead
from perception.bench.report.model import Cell, Column, Table, Unit
from perception.bench.stats import paired_ratios

READING_TIME_GOAL = 0.4
"""Of RapidOCR's time for a dense picture, at the median over pictures."""

INIT_GOAL_MS, PEAK_GOAL_MIB = 500, 600
"""Of our reader."""

READING: Mapping[str, tuple[str, float | None]] = {
    "line recall": ("line_recall", 0.99),
    "exact lines": ("exact_lines", None),
    "CER": ("cer", 0.02),
    "CER, no spaces": ("cer_without_spaces", 0.008),
}
"""Measures of reading by title: where a summary has them, and the goal: at least, but for error rates, at most."""


def reading_ratios(readers: Comparison) -> dict[str, float]:
    """By picture, our reader's time to RapidOCR's."""
    ours, theirs = (
        {each.picture: each.milliseconds for each in readers.reads if each.reader == name} for name in (OURS, THEIRS)
    )
    return paired_ratios(ours, theirs)


def cost_table(readers: Comparison) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for cost in readers.costs:
        times = [each.milliseconds for each in readers.reads if each.reader == cost.reader]
        peak = cost.peak_bytes / 2**20 if cost.peak_bytes is not None else None
        rows.append((cost.reader, cost.init_ms, median(times) if times else None, peak))
    if rows:
        rows.append((f"goal of {OURS}", INIT_GOAL_MS, None, PEAK_GOAL_MIB))
    columns = (
        Column("reader"),
        Column("init", Unit.MILLISECONDS, "in a new process, imports of its runtime included"),
        Column("a picture", Unit.MILLISECONDS, "the median"),
        Column("memory", Unit.MEBIBYTES, "the most that its process held (RSS)"),
    )
    return Table("readers", "Readers of whole screenshots, each in a process of its own", columns, tuple(rows))


def reading_table(readers: Comparison) -> Table:
    """Of all pictures that both have read, by all true lines and by the legible ones."""
    rows: list[tuple[Cell, ...]] = []
    for title, counts_of in (("all", _all_lines), ("legible", _legible_lines)):
        ours, theirs = (
            summarise_lines(sum((counts_of(each) for each in readers.reads if each.reader == name), LineCounts()))
            for name in (OURS, THEIRS)
        )
        for name, (field_name, goal) in READING.items() if ours.lines else ():
            mine, other = _figure(ours, field_name), _figure(theirs, field_name)
            apart = mine - other if mine is not None and other is not None else None
            rows.append((title, ours.lines, name, mine, other, apart, goal))
    columns = (
        Column(
            "true lines",
            note=f"legible: at least {LEAST_HEIGHT:g} CSS px high, in scripts that the bundled models read",
        ),
        Column("lines", Unit.COUNT),
        Column("measure"),
        Column(OURS, Unit.SHARE),
        Column(THEIRS, Unit.SHARE),
        Column("difference", Unit.DIFFERENCE),
        Column("goal", Unit.SHARE, f"of {OURS}: recall at least, error rates at most"),
    )
    return Table("reading", "Text of whole screenshots", columns, tuple(rows), "Error rates (CER) are of found lines.")


def _all_lines(read: PictureRead) -> LineCounts:
    return read.lines


def _legible_lines(read: PictureRead) -> LineCounts:
    return read.legible


def _figure(summary: LineSummary, name: str) -> float | None:
    owner = summary if hasattr(summary, name) else summary.of_found_lines
    value: float | None = getattr(owner, name)
    return value
