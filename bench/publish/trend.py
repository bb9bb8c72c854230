"""How published figures changed over the commits that changed them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from perception.bench.machine import git
from perception.bench.publish.published import FOLDER, Published
from perception.bench.report.report_model import Cell, Chart, ChartKind, Column, ColumnUnit, Report, Series, Table

ROOT, PUBLISHED = FOLDER.parents[1], "bench/published"


MOVED, MOST_LINES = 0.05, 8
"""Drawn are the figures of a suite that changed most, and by a larger share than this."""


def trend(command: str, root: Path = ROOT) -> Report:
    """A table of all published figures, first and last, and a chart for each suite in which one has changed: the mean
    over the pages at each commit that was published, relative to the first."""
    rows: list[tuple[Cell, ...]] = []
    charts: list[Chart] = []
    for suite in sorted(path.stem for path in (root / PUBLISHED).glob("*.json")):
        figures = _figures(_history(suite, root))
        for (measure, who), points in figures.items():
            (first, before), (last, now) = points[0], points[-1]
            rows.append((suite, measure, who, first, before, last, now, now / before if before else None))
        charts += _chart(suite, figures)
    numbers = (Column("first commit"), Column("then", ColumnUnit.NUMBER), Column("last commit"))
    ends = (*numbers, Column("now", ColumnUnit.NUMBER), Column("change", ColumnUnit.RATIO))
    table = Table("figures", "Figures", (Column("suite"), Column("measure"), Column("of"), *ends), tuple(rows))
    return Report("Published figures by commit", (), {}, (table,), tuple(charts), command=command)


def _history(suite: str, root: Path) -> Iterator[Published]:
    """The published files of a suite, the oldest first; those of another version are left out."""
    path = f"{PUBLISHED}/{suite}.json"
    for commit in reversed(git(root, "log", "--format=%H", "--", path).split()):
        try:
            yield msgspec.json.decode(git(root, "show", f"{commit}:{path}"), type=Published)
        except (msgspec.DecodeError, subprocess.CalledProcessError):
            continue


def _figures(history: Iterable[Published]) -> dict[tuple[str, str], list[tuple[str, float]]]:
    """The commits and values of each figure, by measure and by who was measured on which part."""
    figures: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for published in history:
        for part in published.parts:
            for (who, measure), value in part.means().items():
                figure = measure, " ".join(filter(None, (who, part.name)))
                figures.setdefault(figure, []).append((published.commit, value))
    return figures


def _chart(suite: str, figures: dict[tuple[str, str], list[tuple[str, float]]]) -> Iterator[Chart]:
    relative = {
        ", ".join(filter(None, figure)): {commit: value / points[0][1] for commit, value in points}
        for figure, points in figures.items()
        if points[0][1]
    }
    change = {name: max(abs(value - 1) for value in values.values()) for name, values in relative.items()}
    moved = [name for name in relative if change[name] > MOVED]
    drawn = sorted(moved, key=change.__getitem__, reverse=True)[:MOST_LINES]
    if not drawn:
        return
    series = tuple(Series(name, tuple(relative[name]), tuple(relative[name].values())) for name in drawn)
    note = f"{len(moved)} of {len(figures)} figures moved by more than {MOVED:.0%} from the first that was published"
    note += f"; the {MOST_LINES} that moved most are drawn." if len(moved) > MOST_LINES else "."
    title = drawn[0] if len(drawn) == 1 else "of the first"
    yield Chart(suite, suite, ChartKind.LINES, "commit", title, series, ColumnUnit.RATIO, note=note)
