"""A speed run as it was measured, and the report that is made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from perception.bench.report.model import Cell, Chart, ChartKind, Column, Report, Series, Table, Unit
from perception.bench.stats import Spread, median_by, paired_ratios, spread_of

WARM_LOOKS = 5
"""Looks at a page that has been looked at already, in each visit."""


class Measure(StrEnum):
    """What is timed, in milliseconds. First: the first look at a page just loaded; warm: the looks after it."""

    TEXT_FIRST = "text first"
    TEXT_WARM = "text warm"
    FUSED_FIRST = "fused first"
    FUSED_WARM = "fused warm"
    PLAYWRIGHT_FIRST = "playwright first"
    PLAYWRIGHT_WARM = "playwright warm"
    AGENT_BROWSER_FIRST = "agent-browser first"
    AGENT_BROWSER_WARM = "agent-browser warm"


class Size(StrEnum):
    """What is counted, in o200k tokens."""

    FULL = "full, viewport"
    INTERACTIVE = "interactive, viewport"
    PAGE = "full, page"
    PLAYWRIGHT = "playwright, boxes"
    PLAYWRIGHT_PLAIN = "playwright, no boxes"
    AGENT_BROWSER = "agent-browser"


COMPARISONS = (
    (Measure.TEXT_FIRST, Measure.PLAYWRIGHT_FIRST),
    (Measure.TEXT_WARM, Measure.PLAYWRIGHT_WARM),
    (Measure.TEXT_FIRST, Measure.AGENT_BROWSER_FIRST),
    (Measure.TEXT_WARM, Measure.AGENT_BROWSER_WARM),
    (Measure.FUSED_FIRST, Measure.TEXT_WARM),
    (Measure.FUSED_WARM, Measure.TEXT_WARM),
    (Size.FULL, Size.PLAYWRIGHT),
    (Size.INTERACTIVE, Size.PLAYWRIGHT),
    (Size.PAGE, Size.PLAYWRIGHT),
    (Size.PAGE, Size.PLAYWRIGHT_PLAIN),
    (Size.PAGE, Size.AGENT_BROWSER),
)
"""Ratios that are shown, first to second."""

SAID = COMPARISONS[:4]
"""Those of the summary."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: milliseconds of a Measure, tokens of a Size."""

    page: str
    round: int
    of: Measure | Size
    value: float


@dataclass(frozen=True, slots=True)
class SpeedRun:
    """A run as it was measured.

    Attributes:
        machine: facts of it and of what ran on it, by name.
        skipped: what was not measured, and why; a line each.
        made: when it began, in UTC.
    """

    samples: tuple[Sample, ...]
    rounds: int
    machine: dict[str, str]
    skipped: tuple[str, ...]
    made: datetime


def page_medians(run: SpeedRun, of: Measure | Size) -> dict[str, float]:
    """Each page's median of all its looks; pages without a measurement are left out."""
    return median_by((sample.page, sample.value) for sample in run.samples if sample.of is of)


def ratio_spreads(run: SpeedRun) -> dict[tuple[str, str], Spread]:
    """For each of COMPARISONS that any page has both sides of: the spread over pages of the ratio of medians."""
    ratios = {
        (above, below): paired_ratios(page_medians(run, above), page_medians(run, below))
        for above, below in COMPARISONS
    }
    return {(str(above), str(below)): spread_of(each.values()) for (above, below), each in ratios.items() if each}


def to_json(run: SpeedRun) -> str:
    """The whole run: every measurement, and the medians and ratios that are computed from them."""
    document = {
        **asdict(run),
        "made": run.made.isoformat(timespec="seconds"),
        "warm_looks": WARM_LOOKS,
        "medians": {of: page_medians(run, of) for of in (*Measure, *Size)},
        "ratios": [
            {"above": above, "below": below, **asdict(spread)} for (above, below), spread in ratio_spreads(run).items()
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def write_measured(home: Path, run: SpeedRun) -> Path:
    """Keeps every measurement; the file."""
    path = home / "runs" / f"speed-{run.made:%Y%m%d-%H%M%S}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_json(run), encoding="utf-8")
    return path


def speed_report(run: SpeedRun, command: str) -> Report:
    """Ratios over pages, then page by page."""
    spreads = ratio_spreads(run)
    return Report(
        title="Speed and size of a look",
        summary=tuple(
            f"{above} takes {spread.median:.2f} × {below} "
            f"({spread.minimum:.2f} … {spread.maximum:.2f} over {spread.count} pages)."
            for (above, below), spread in spreads.items()
            if (above, below) in SAID
        ),
        facts={"rounds": str(run.rounds), "warm looks in each": str(WARM_LOOKS), **run.machine},
        tables=(
            _ratios(spreads),
            _by_page(run, "milliseconds", "Milliseconds a look, medians", tuple(Measure), Unit.MILLISECONDS),
            _by_page(run, "tokens", "Tokens (o200k), medians", tuple(Size), Unit.COUNT),
        ),
        charts=(_times(run),),
        skipped=run.skipped,
        command=command,
        made=run.made.isoformat(timespec="seconds"),
    )


def _ratios(spreads: dict[tuple[str, str], Spread]) -> Table:
    names = ("least", "lower", "median", "upper", "most")
    return Table(
        "ratios",
        "Ratios of a page's medians, over pages",
        (Column("ratio"), *(Column(name, Unit.RATIO) for name in names), Column("pages", Unit.COUNT)),
        tuple(
            (f"{above} / {below}", each.minimum, each.lower, each.median, each.upper, each.maximum, each.count)
            for (above, below), each in spreads.items()
        ),
        "All look at one tab of one browser; each loads the page anew before its first look. The peers' texts are of "
        "the whole page: compare them with our full list of the page.",
    )


def _by_page(run: SpeedRun, name: str, title: str, wanted: Sequence[Measure | Size], unit: Unit) -> Table:
    medians = {of: page_medians(run, of) for of in wanted}
    measured = [of for of in wanted if medians[of]]
    pages = dict.fromkeys(sample.page for sample in run.samples)
    rows: list[tuple[Cell, ...]] = [(page, *(medians[of].get(page) for of in measured)) for page in pages]
    return Table(name, title, (Column("page"), *(Column(str(of), unit) for of in measured)), tuple(rows))


def _times(run: SpeedRun) -> Chart:
    series = []
    for of in Measure:
        found = [sample for sample in run.samples if sample.of is of]
        if found:
            values, pages = (tuple(sample.value for sample in found), tuple(sample.page for sample in found))
            series.append(Series(str(of), (), values, pages))
    return Chart("times", "All looks", ChartKind.DISTRIBUTION, "", "ms", tuple(series), Unit.MILLISECONDS)
