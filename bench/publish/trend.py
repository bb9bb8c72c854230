"""How published figures changed over the commits that changed them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec

from perception.bench.machine import git
from perception.bench.publish.published import FOLDER, Published
from perception.bench.report.report_model import Chart, ChartKind, Report, Series

ROOT, PUBLISHED = FOLDER.parents[1], "bench/published"


def trend(command: str, root: Path = ROOT) -> Report:
    """A chart for each measure of each suite: the mean over its pages, at each commit that was published."""
    charts: list[Chart] = []
    for suite in sorted(path.stem for path in (root / PUBLISHED).glob("*.json")):
        charts += _charts(suite, list(_history(suite, root)))
    return Report("Published figures by commit", (), {}, (), tuple(charts), command=command)


def _history(suite: str, root: Path) -> Iterator[Published]:
    """The published files of a suite, the oldest first; those of another version are left out."""
    path = f"{PUBLISHED}/{suite}.json"
    for commit in reversed(git(root, "log", "--format=%H", "--", path).split()):
        try:
            yield msgspec.json.decode(git(root, "show", f"{commit}:{path}"), type=Published)
        except (msgspec.DecodeError, subprocess.CalledProcessError):
            continue


def _charts(suite: str, history: list[Published]) -> Iterator[Chart]:
    parts = [(published.commit, part) for published in history for part in published.parts]
    measures: dict[str, dict[str, list[tuple[str, float]]]] = {}
    for commit, part in parts:
        for (who, measure), value in part.means().items():
            line = " ".join(filter(None, (who, part.name)))
            measures.setdefault(measure, {}).setdefault(line, []).append((commit, value))
    for number, (measure, lines) in enumerate(measures.items()):
        series = tuple(
            Series(name, tuple(commit for commit, _ in points), tuple(value for _, value in points))
            for name, points in lines.items()
        )
        yield Chart(f"{suite}-{number}", f"{suite}: {measure}", ChartKind.LINES, "commit", measure, series)
