"""A vision run as it was measured, and the report that is made of it: every goal beside what was reached."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from statistics import median

from perception.bench.readers import OURS, THEIRS, Comparison
from perception.bench.readers_report import TIME_GOAL, cost_table, picture_table, reading_table, time_ratios
from perception.bench.report.model import Cell, Column, Report, Table, Unit
from perception.bench.stats import Spread, median_by, paired_ratios, spread_of


class Measure(StrEnum):
    """What is timed. First: the first look at a page just loaded; unchanged: a look after another one, with nothing
    done between; changed: a look after the page changed a little. Then the peers: a pass over the whole picture, and
    bare screenshots."""

    FIRST = "first"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    RAPIDOCR = "rapidocr"
    PNG = "screenshot, PNG"
    JPEG = "screenshot, JPEG"


class Kind(StrEnum):
    """What carries a page: see AX_POOR_SHARE."""

    EXPLAINED = "explains itself"
    AX_POOR = "AX-poor"


AX_POOR_SHARE = 1 / 3
"""Of the viewport: a page of whose viewport pictures cover so much is AX-poor. Pictures are canvases, drawings, films
and images without words of at least 64 CSS px each way, as `vision.js` counts them: the page's own tags say what they
are, and neither our walker nor our mask is asked."""

LOOKS = (Measure.FIRST, Measure.UNCHANGED, Measure.CHANGED)
"""Our looks."""

COMPARISONS = (
    (Measure.FIRST, Measure.RAPIDOCR),
    (Measure.CHANGED, Measure.RAPIDOCR),
    (Measure.UNCHANGED, Measure.PNG),
    (Measure.UNCHANGED, Measure.JPEG),
)
"""Ratios that are shown, first to second."""

GOALS: Mapping[tuple[Kind, Measure, Measure], float] = {
    (Kind.EXPLAINED, Measure.FIRST, Measure.RAPIDOCR): 0.12,
    (Kind.EXPLAINED, Measure.CHANGED, Measure.RAPIDOCR): 0.15,
    (Kind.EXPLAINED, Measure.UNCHANGED, Measure.PNG): 1.3,
    (Kind.AX_POOR, Measure.FIRST, Measure.RAPIDOCR): 0.5,
    (Kind.AX_POOR, Measure.CHANGED, Measure.RAPIDOCR): 0.15,
}
"""What the median over pages shall be at most."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement, in milliseconds."""

    page: str
    round: int
    of: Measure
    value: float


@dataclass(frozen=True, slots=True)
class StageTime:
    """What one look's reply says of one stage, in milliseconds."""

    page: str
    round: int
    of: Measure
    stage: str
    value: float


@dataclass(frozen=True, slots=True)
class VisionRun:
    """A run as it was measured.

    Attributes:
        pictures: by page, the share of its viewport that pictures cover.
        machine: facts of it and of what ran on it, by name.
        skipped: what was not measured, and why; a line each.
        made: when it began, in UTC.
        readers: both readers of text at whole screenshots.
    """

    samples: tuple[Sample, ...]
    stages: tuple[StageTime, ...]
    pictures: Mapping[str, float]
    rounds: int
    machine: Mapping[str, str]
    skipped: tuple[str, ...]
    made: datetime
    readers: Comparison = field(default=Comparison())

    def kind(self, page: str) -> Kind:
        return Kind.AX_POOR if self.pictures[page] >= AX_POOR_SHARE else Kind.EXPLAINED

    def medians(self, of: Measure) -> dict[str, float]:
        """Each page's; pages without any are left out."""
        return median_by((sample.page, sample.value) for sample in self.samples if sample.of is of)

    def ratios(self, kind: Kind, above: Measure, below: Measure) -> list[float]:
        """Of medians, of the pages of a kind that have both."""
        found = paired_ratios(self.medians(above), self.medians(below))
        return [ratio for page, ratio in found.items() if self.kind(page) is kind]


def write_seen(home: Path, run: VisionRun) -> Path:
    """Keeps every measurement; the file."""
    path = home / "runs" / f"vision-{run.made:%Y%m%d-%H%M%S}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {**asdict(run), "made": run.made.isoformat(timespec="seconds")}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True)
class _Compared:
    """A ratio over pages or pictures, and its goal."""

    who: str
    above: str
    below: str
    spread: Spread
    goal: float | None


def vision_report(run: VisionRun, command: str) -> Report:
    """Ratios with their goals, then what they are made of."""
    compared = [*_compare_looks(run), *_compare_reading(run.readers)]
    readers = (cost_table(run.readers), reading_table(run.readers), picture_table(run.readers))
    tables = (_ratios(compared), _by_page(run), _stages(run), *readers)
    return Report(
        title="Speed and quality of vision",
        summary=tuple(_say(each) for each in compared if each.goal is not None),
        facts={
            "rounds": str(run.rounds),
            **{f"{kind}, pages": ", ".join(pages) for kind in Kind if (pages := _pages(run, kind))},
            **run.machine,
        },
        tables=tuple(table for table in tables if table.rows),
        skipped=(*run.skipped, *run.readers.skipped),
        command=command,
        made=run.made.isoformat(timespec="seconds"),
    )


def _pages(run: VisionRun, kind: Kind) -> list[str]:
    return [page for page in run.pictures if run.kind(page) is kind]


def _compare_looks(run: VisionRun) -> Iterator[_Compared]:
    for kind in Kind:
        for above, below in COMPARISONS:
            if ratios := run.ratios(kind, above, below):
                yield _Compared(kind, above, below, spread_of(ratios), GOALS.get((kind, above, below)))


def _compare_reading(readers: Comparison) -> Iterator[_Compared]:
    if ratios := time_ratios(readers):
        yield _Compared("whole screenshots", OURS, THEIRS, spread_of(ratios), TIME_GOAL)


def _say(each: _Compared) -> str:
    verdict = "within" if each.goal is not None and each.spread.median <= each.goal else "over"
    return (
        f"{each.who}: {each.above} takes {each.spread.median:.3f} × {each.below} ({each.spread.minimum:.3f} … "
        f"{each.spread.maximum:.3f} over {each.spread.count}; {verdict} the goal of {each.goal:g} ×)."
    )


def _ratios(compared: Iterable[_Compared]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in compared:
        spread = each.spread
        numbers = (spread.minimum, spread.lower, spread.median, spread.upper, spread.maximum, spread.count)
        rows.append((each.who, f"{each.above} / {each.below}", *numbers, each.goal))
    columns = (
        Column("pages", note=f"AX-poor: pictures cover at least {AX_POOR_SHARE:.0%} of the viewport"),
        Column("ratio"),
        *(Column(name, Unit.RATIO) for name in ("least", "lower", "median", "upper", "most")),
        Column("of", Unit.COUNT),
        Column("goal", Unit.RATIO, "what the median shall be at most"),
    )
    note = (
        "Of a page's medians, over pages; of one pass each, over pictures. FUSED looks at the gRPC boundary; RapidOCR "
        "as shipped, over the whole picture of the first look; screenshots over a DevTools connection of their own."
    )
    return Table("ratios", "Ratios", columns, tuple(rows), note)


def _by_page(run: VisionRun) -> Table:
    medians = {of: run.medians(of) for of in Measure}
    rows: list[tuple[Cell, ...]] = []
    for kind in Kind:
        pages = _pages(run, kind)
        rows += [(page, run.pictures[page], *(medians[of].get(page) for of in Measure)) for page in pages]
    columns = (
        Column("page"),
        Column("pictures", Unit.SHARE, "of the viewport"),
        *(Column(of, Unit.MILLISECONDS) for of in Measure),
    )
    return Table("milliseconds", "Milliseconds, medians of each page", columns, tuple(rows))


def _stages(run: VisionRun) -> Table:
    """Medians over pages of each page's median."""
    names = list(dict.fromkeys(each.stage for each in run.stages))
    rows: list[tuple[Cell, ...]] = []
    for kind in Kind:
        for of in LOOKS:
            found = [each for each in run.stages if each.of is of and run.kind(each.page) is kind]
            times = [median_by((each.page, each.value) for each in found if each.stage == name) for name in names]
            if found:
                rows.append((kind, of, *(median(each.values()) if each else None for each in times)))
    columns = (Column("pages"), Column("look"), *(Column(name, Unit.MILLISECONDS) for name in names))
    note = "Of the pages that had the stage: one that did not run is not in a reply."
    return Table("stages", "Stages of our looks, medians over pages", columns, tuple(rows), note)
