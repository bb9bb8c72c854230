"""The tables that compare two readers of text: cost, accuracy, and the goals of ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from statistics import median

from perception.bench.metrics.line_matching import LineCounts, LineSummary, summarize_lines
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Table
from perception.bench.suites.vision.readers import LEAST_HEIGHT, OURS, THEIRS, Comparison, PictureRead

READER_TIME_GOAL = 0.4
"""Share of RapidOCR's time for a dense picture, at the median over pictures."""

INIT_GOAL_MS, PEAK_GOAL_MIB = 500, 600
"""Goal of our reader."""

READER_MEASURES: tuple[tuple[str, Callable[[LineSummary], float | None], float | None], ...] = (
    ("line recall", lambda found: found.line_recall, 0.99),
    ("exact lines", lambda found: found.exact_lines, None),
    ("CER", lambda found: found.of_found_lines.cer, 0.02),
    ("CER, no spaces", lambda found: found.of_found_lines.cer_without_spaces, 0.008),
    ("CER, missed lines too", lambda found: found.of_all_lines.cer, None),
)
"""Measures of reading: title, if a summary has it, and our reader's goal: recall at least, error rates at most."""

LINES_JUDGED: tuple[tuple[str, Callable[[PictureRead], LineCounts]], ...] = (
    ("all", lambda read: read.lines),
    ("legible", lambda read: read.legible),
)
"""The true lines by which readers are judged."""


def pairs_of(readers: Comparison) -> list[tuple[PictureRead, PictureRead]]:
    """Our reader's and RapidOCR's results for each picture that both have read."""
    theirs = {each.picture: each for each in readers.reads if each.reader == THEIRS}
    ours = (each for each in readers.reads if each.reader == OURS and each.picture in theirs)
    return [(each, theirs[each.picture]) for each in ours]


def time_ratios(readers: Comparison) -> list[float]:
    """Our reader's time divided by RapidOCR's, one per picture."""
    return [ours.milliseconds / theirs.milliseconds for ours, theirs in pairs_of(readers)]


def cost_table(readers: Comparison) -> Table:
    """The cost of each, and our reader's goals; no rows if nothing was measured."""
    rows: list[tuple[Cell, ...]] = []
    for cost in readers.costs:
        times = [each.milliseconds for each in readers.reads if each.reader == cost.reader]
        peak = cost.peak_bytes / 2**20 if cost.peak_bytes is not None else None
        rows.append((cost.reader, cost.init_ms, median(times) if times else None, peak))
    if rows:
        rows.append((f"goal of {OURS}", INIT_GOAL_MS, None, PEAK_GOAL_MIB))
    columns = (
        Column("reader"),
        Column("init", ColumnUnit.MILLISECONDS, "in a new process, imports of its runtime included"),
        Column("a picture", ColumnUnit.MILLISECONDS, "the median"),
        Column("memory", ColumnUnit.MEBIBYTES, "the most that its process held (RSS)"),
    )
    return Table("readers", "Readers of whole screenshots, each in a process of its own", columns, tuple(rows))


def step_table(readers: Comparison) -> Table:
    """Processor time of both by step, over the pictures that both have read."""
    rows: list[tuple[Cell, ...]] = []
    pairs = [pair for pair in pairs_of(readers) if all(each.steps for each in pair)]
    for side, reader in enumerate((OURS, THEIRS)):
        sums: Counter[str] = Counter()
        for pair in pairs:
            sums.update(pair[side].steps)
        rows += [(reader, step, sums[step] / len(pairs)) for step in sums]
        if pairs:
            rows.append((reader, "in all", sum(sums.values()) / len(pairs)))
    columns = (
        Column("reader"),
        Column("step"),
        Column("a picture", ColumnUnit.MILLISECONDS, "processor time of all threads, the mean"),
    )
    return Table("steps", "Processor time of readers by step", columns, tuple(rows))


def reading_table(readers: Comparison) -> Table:
    """The accuracy of both, over all pictures."""
    pairs = pairs_of(readers)
    rows: list[tuple[Cell, ...]] = []
    for title, lines_of in LINES_JUDGED:
        ours, theirs = (
            summarize_lines(sum((lines_of(pair[side]) for pair in pairs), LineCounts())) for side in range(2)
        )
        for name, figure, goal in READER_MEASURES if ours.lines else ():
            one, other = figure(ours), figure(theirs)
            apart = one - other if one is not None and other is not None else None
            rows.append((title, ours.lines, name, one, other, apart, goal))
    columns = (
        Column(
            "true lines", note=f"legible: {LEAST_HEIGHT:g} CSS px high or more, in scripts that bundled models read"
        ),
        Column("lines", ColumnUnit.COUNT),
        Column("measure"),
        Column(OURS, ColumnUnit.SHARE),
        Column(THEIRS, ColumnUnit.SHARE),
        Column("difference", ColumnUnit.DIFFERENCE),
        Column("goal", ColumnUnit.SHARE, f"of {OURS}: recall at least, error rates at most"),
    )
    note = "Error rates (CER) are of the lines that each found, unless it says otherwise."
    return Table("reading", "Text of whole screenshots", columns, tuple(rows), note)


def picture_table(readers: Comparison) -> Table:
    """Picture by picture, by the legible lines; measures with a goal."""
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs_of(readers):
        ours, theirs = (summarize_lines(each.legible) for each in pair)
        figures = [figure(each) for _, figure, goal in READER_MEASURES if goal for each in (ours, theirs)]
        rows.append((pair[0].picture, ours.lines, *(each.milliseconds for each in pair), *figures))
    columns = (
        Column("picture"),
        Column("legible lines", ColumnUnit.COUNT),
        *(Column(name, ColumnUnit.MILLISECONDS) for name in (OURS, THEIRS)),
        *(
            Column(f"{title}, {who}", ColumnUnit.SHARE)
            for title, _, goal in READER_MEASURES
            if goal
            for who in (OURS, THEIRS)
        ),
    )
    return Table("pictures", "Whole screenshots one by one", columns, tuple(rows))
