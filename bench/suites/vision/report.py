"""The measurements of a vision run, and its report: every goal with its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from statistics import median

from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.pages.restless_pages import RESTLESS_PAGES
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally, scores_of_values
from perception.bench.stats import Spread, median_by, paired_ratios, spread_of
from perception.bench.suite import Comparable
from perception.bench.suites.vision.readers import OURS, THEIRS, Comparison
from perception.bench.suites.vision.readers_report import (
    READER_TIME_GOAL,
    cost_table,
    picture_table,
    reading_table,
    step_table,
    time_ratios,
)


class VisionMeasure(StrEnum):
    """What is timed. First: the first look at a newly loaded page; unchanged: a look directly after another one;
    changed: a look after a small change of the page; restless: a look at a page that moves by itself. Then the peers: a
    look without pixels at the newly loaded page and a bare screenshot after it, a pass over the whole picture, and bare
    screenshots."""

    FIRST = "first"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    RESTLESS = "restless"
    TEXT = "first, text"
    TEXT_AND_PNG = "first, text + screenshot"
    RAPIDOCR = "rapidocr"
    PNG = "screenshot, PNG"
    JPEG = "screenshot, JPEG"


class PageKind(StrEnum):
    """The medium of a page's content: see AX_POOR_SHARE."""

    EXPLAINED = "explains itself"
    AX_POOR = "AX-poor"
    RESTLESS = "never rests"


AX_POOR_SHARE = 1 / 3
"""Share of the viewport. If pictures cover more, the page is AX-poor. Pictures are canvases, drawings, videos and
images without words of at least 64 CSS px each way, as `vision.js` counts them: by the page's own tags, independently
of our walker and our mask."""

OUR_LOOKS = (
    VisionMeasure.FIRST,
    VisionMeasure.UNCHANGED,
    VisionMeasure.CHANGED,
    VisionMeasure.RESTLESS,
    VisionMeasure.TEXT,
)
"""Our looks."""

VISION_COMPARISONS = (
    (VisionMeasure.FIRST, VisionMeasure.TEXT_AND_PNG),
    (VisionMeasure.FIRST, VisionMeasure.RAPIDOCR),
    (VisionMeasure.CHANGED, VisionMeasure.RAPIDOCR),
    (VisionMeasure.UNCHANGED, VisionMeasure.PNG),
    (VisionMeasure.UNCHANGED, VisionMeasure.JPEG),
    (VisionMeasure.RESTLESS, VisionMeasure.PNG),
)
"""Ratios that are shown, first to second."""

VISION_GOALS: Mapping[tuple[PageKind, VisionMeasure, VisionMeasure], float] = {
    (PageKind.EXPLAINED, VisionMeasure.FIRST, VisionMeasure.TEXT_AND_PNG): 1.5,
    (PageKind.EXPLAINED, VisionMeasure.FIRST, VisionMeasure.RAPIDOCR): 0.12,
    (PageKind.EXPLAINED, VisionMeasure.CHANGED, VisionMeasure.RAPIDOCR): 0.15,
    (PageKind.EXPLAINED, VisionMeasure.UNCHANGED, VisionMeasure.PNG): 1.15,
    (PageKind.AX_POOR, VisionMeasure.FIRST, VisionMeasure.RAPIDOCR): 0.5,
    (PageKind.AX_POOR, VisionMeasure.CHANGED, VisionMeasure.RAPIDOCR): 0.15,
    (PageKind.AX_POOR, VisionMeasure.UNCHANGED, VisionMeasure.PNG): 1.15,
}
"""Maxima of the median over pages."""


@dataclass(frozen=True, slots=True)
class VisionSample:
    """One measurement, in milliseconds."""

    page: str
    round: int
    of: VisionMeasure
    value: float


@dataclass(frozen=True, slots=True)
class StageTime:
    """One stage's duration in milliseconds, from one look's reply."""

    page: str
    round: int
    of: VisionMeasure
    stage: str
    value: float


@dataclass(frozen=True, slots=True)
class VisionRun:
    """A run as it was measured.

    Attributes:
        pictures: by page, the share of its viewport that pictures cover.
        machine: facts about the machine and the software, by name.
        skipped: what was not measured, and why; one line each.
        made: when it began, in UTC.
        readers: the comparison of both readers of text on whole screenshots.
    """

    samples: tuple[VisionSample, ...]
    stages: tuple[StageTime, ...]
    pictures: Mapping[str, float]
    rounds: int
    machine: Mapping[str, str]
    skipped: tuple[str, ...]
    made: datetime
    readers: Comparison = field(default=Comparison())

    def kind(self, page: str) -> PageKind:
        if page in RESTLESS_PAGES:
            return PageKind.RESTLESS
        return PageKind.AX_POOR if self.pictures[page] >= AX_POOR_SHARE else PageKind.EXPLAINED

    def medians(self, of: VisionMeasure) -> dict[str, float]:
        """Each page's median; pages without any are omitted."""
        return median_by((sample.page, sample.value) for sample in self.samples if sample.of is of)

    def ratios(self, kind: PageKind, above: VisionMeasure, below: VisionMeasure) -> list[float]:
        """Ratios of medians, for the pages of a kind that have both."""
        found = paired_ratios(self.medians(above), self.medians(below))
        return [ratio for page, ratio in found.items() if self.kind(page) is kind]


@dataclass(frozen=True, slots=True)
class _Compared:
    """A ratio over pages or pictures, and its goal."""

    who: str
    above: str
    below: str
    spread: Spread
    goal: float | None


def vision_report(run: VisionRun) -> Report:
    """Ratios with their goals, then their components."""
    compared = [*_compare_looks(run), *_compare_reading(run.readers)]
    readers = tuple(table(run.readers) for table in (cost_table, step_table, reading_table, picture_table))
    return Report(
        title="Speed and quality of vision",
        summary=tuple(_say(each) for each in compared if each.goal is not None),
        facts={
            "rounds": str(run.rounds),
            **{f"{kind}, pages": ", ".join(pages) for kind in PageKind if (pages := _pages(run, kind))},
        },
        tables=(_ratios(compared), _by_page(run), _stages(run), *readers),
        skipped=(*run.skipped, *run.readers.skipped),
    )


def _pages(run: VisionRun, kind: PageKind) -> list[str]:
    return [page for page in run.pictures if run.kind(page) is kind]


def _compare_looks(run: VisionRun) -> Iterator[_Compared]:
    for kind in PageKind:
        for above, below in VISION_COMPARISONS:
            if ratios := run.ratios(kind, above, below):
                yield _Compared(kind, above, below, spread_of(ratios), VISION_GOALS.get((kind, above, below)))


def _compare_reading(readers: Comparison) -> Iterator[_Compared]:
    if ratios := time_ratios(readers):
        yield _Compared("whole screenshots", OURS, THEIRS, spread_of(ratios), READER_TIME_GOAL)


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
        *(Column(name, ColumnUnit.RATIO) for name in ("least", "lower", "median", "upper", "most")),
        Column("of", ColumnUnit.COUNT),
        Column("goal", ColumnUnit.RATIO, "what the median shall be at most"),
    )
    note = (
        "Of a page's medians, over pages; of one pass each, over pictures. FUSED looks at the gRPC boundary; RapidOCR "
        "as shipped, over the whole picture of the first look; screenshots over a DevTools connection of their own."
    )
    return Table("ratios", "Ratios", columns, tuple(rows), note)


def _by_page(run: VisionRun) -> Table:
    medians = {of: run.medians(of) for of in VisionMeasure}
    rows: list[tuple[Cell, ...]] = []
    for kind in PageKind:
        pages = _pages(run, kind)
        rows += [(page, run.pictures[page], *(medians[of].get(page) for of in VisionMeasure)) for page in pages]
    columns = (
        Column("page"),
        Column("pictures", ColumnUnit.SHARE, "of the viewport"),
        *(Column(of, ColumnUnit.MILLISECONDS) for of in VisionMeasure),
    )
    return Table("milliseconds", "Milliseconds, medians of each page", columns, tuple(rows))


def _stages(run: VisionRun) -> Table:
    """Medians over pages of each page's median."""
    names = list(dict.fromkeys(each.stage for each in run.stages))
    rows: list[tuple[Cell, ...]] = []
    for kind in PageKind:
        for of in OUR_LOOKS:
            found = [each for each in run.stages if each.of is of and run.kind(each.page) is kind]
            times = [median_by((each.page, each.value) for each in found if each.stage == name) for name in names]
            if found:
                rows.append((kind, of, *(median(each.values()) if each else None for each in times)))
    columns = (Column("pages"), Column("look"), *(Column(name, ColumnUnit.MILLISECONDS) for name in names))
    note = "Of the pages that had the stage: one that did not run is not in a reply."
    return Table("stages", "Stages of our looks, medians over pages", columns, tuple(rows), note)


def vision_comparable(run: VisionRun) -> Comparable:
    """By page and round: milliseconds of each look; by picture: each reader's time, and the legible lines it found."""
    looks = ((each.page, f"{each.page}, round {each.round}", str(each.of), each.value) for each in run.samples)
    scores = scores_of_values("looks", looks)
    for read in run.readers.reads:
        tallies = {"ms": Tally(read.milliseconds, 1)}
        if read.legible.lines:
            tallies["legible lines found"] = Tally(read.legible.found, read.legible.lines)
        scores.append(Score(read.picture, read.reader, read.picture, "", "", tallies))
    times = dict.fromkeys(map(str, VisionMeasure), LATENCY)
    return Comparable(scores, {**times, "ms": LATENCY, "legible lines found": ComparisonRule(True)})
