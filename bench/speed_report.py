"""A speed run as it was measured, and the report that is made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from perception.bench.report.model import Cell, Chart, ChartKind, Column, Report, Series, Table, Unit
from perception.bench.stats import Spread, median_by, paired_ratios, spread_of


class Measure(StrEnum):
    """What is timed, in milliseconds. First: the first look at a page just loaded; unchanged: a look after another one,
    with nothing done between; changed: a look after the page changed a little."""

    TEXT_FIRST = "text first"
    TEXT_CHANGED = "text changed"
    TEXT_UNCHANGED = "text unchanged"
    PAGE_FIRST = "page text first"
    PAGE_CHANGED = "page text changed"
    PAGE_UNCHANGED = "page text unchanged"
    FUSED_FIRST = "fused first"
    FUSED_CHANGED = "fused changed"
    FUSED_UNCHANGED = "fused unchanged"
    PLAYWRIGHT_FIRST = "playwright first"
    PLAYWRIGHT_CHANGED = "playwright changed"
    PLAYWRIGHT_UNCHANGED = "playwright unchanged"
    AGENT_BROWSER_FIRST = "agent-browser -i -c first"
    AGENT_BROWSER_CHANGED = "agent-browser -i -c changed"
    AGENT_BROWSER_UNCHANGED = "agent-browser -i -c unchanged"


class Size(StrEnum):
    """What is counted, in o200k tokens."""

    FULL = "full, viewport"
    FULL_COMPACT = "full, viewport, compact"
    INTERACTIVE = "interactive, viewport"
    INTERACTIVE_COMPACT = "interactive, viewport, compact"
    DIGEST = "digest"
    PAGE = "full, page"
    PAGE_COMPACT = "full, page, compact"
    PLAYWRIGHT = "playwright, boxes"
    PLAYWRIGHT_PLAIN = "playwright"
    AGENT_BROWSER = "agent-browser"
    AGENT_BROWSER_SHORT = "agent-browser -i -c"


Of = Measure | Size

AGAINST_PLAYWRIGHT: tuple[tuple[Of, Of], ...] = (
    (Measure.TEXT_FIRST, Measure.PLAYWRIGHT_FIRST),
    (Measure.TEXT_CHANGED, Measure.PLAYWRIGHT_CHANGED),
    (Measure.TEXT_UNCHANGED, Measure.PLAYWRIGHT_UNCHANGED),
)

COMPARISONS: tuple[tuple[Of, Of], ...] = (
    *AGAINST_PLAYWRIGHT,
    (Measure.TEXT_FIRST, Measure.PLAYWRIGHT_UNCHANGED),
    (Measure.PAGE_FIRST, Measure.PLAYWRIGHT_FIRST),
    (Measure.PAGE_CHANGED, Measure.PLAYWRIGHT_CHANGED),
    (Measure.PAGE_UNCHANGED, Measure.PLAYWRIGHT_UNCHANGED),
    (Measure.TEXT_FIRST, Measure.AGENT_BROWSER_FIRST),
    (Measure.TEXT_CHANGED, Measure.AGENT_BROWSER_CHANGED),
    (Measure.TEXT_UNCHANGED, Measure.AGENT_BROWSER_UNCHANGED),
    (Measure.FUSED_FIRST, Measure.TEXT_FIRST),
    (Measure.FUSED_CHANGED, Measure.TEXT_CHANGED),
    (Measure.FUSED_UNCHANGED, Measure.TEXT_UNCHANGED),
    (Size.INTERACTIVE, Size.AGENT_BROWSER_SHORT),
    (Size.INTERACTIVE_COMPACT, Size.AGENT_BROWSER_SHORT),
    (Size.INTERACTIVE, Size.PLAYWRIGHT_PLAIN),
    (Size.INTERACTIVE_COMPACT, Size.PLAYWRIGHT_PLAIN),
    (Size.DIGEST, Size.PLAYWRIGHT_PLAIN),
    (Size.DIGEST, Size.AGENT_BROWSER_SHORT),
    (Size.FULL, Size.PLAYWRIGHT_PLAIN),
    (Size.FULL, Size.AGENT_BROWSER_SHORT),
    (Size.PAGE, Size.PLAYWRIGHT_PLAIN),
    (Size.PAGE_COMPACT, Size.PLAYWRIGHT_PLAIN),
    (Size.PAGE, Size.AGENT_BROWSER),
    (Size.PAGE, Size.AGENT_BROWSER_SHORT),
)
"""Ratios that are shown, first to second."""

GOALS: Mapping[tuple[Of, Of], float] = {
    (Measure.TEXT_FIRST, Measure.PLAYWRIGHT_FIRST): 0.5,
    (Measure.TEXT_CHANGED, Measure.PLAYWRIGHT_CHANGED): 0.3,
    (Measure.TEXT_UNCHANGED, Measure.PLAYWRIGHT_UNCHANGED): 0.1,
    (Size.INTERACTIVE, Size.AGENT_BROWSER_SHORT): 0.35,
    (Size.INTERACTIVE_COMPACT, Size.AGENT_BROWSER_SHORT): 0.35,
    (Size.PAGE, Size.PLAYWRIGHT_PLAIN): 0.5,
    (Size.PAGE_COMPACT, Size.PLAYWRIGHT_PLAIN): 0.5,
}
"""What the median over pages shall be at most. They are said first."""

DIGEST_GOAL = 150
"""Tokens of a page's digest, at the median."""

LARGE_GOAL = 0.1
"""What looking at the page apart takes, to Playwright's."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: milliseconds of a Measure, tokens of a Size. `change`: what of the page was changed before."""

    page: str
    round: int
    of: Of
    value: float
    change: str = ""


@dataclass(frozen=True, slots=True)
class SpeedRun:
    """A run as it was measured.

    Attributes:
        machine: facts of it and of what ran on it, by name.
        skipped: what was not measured, and why; a line each.
        made: when it began, in UTC.
        apart: pages that are shown by themselves, in no ratio over pages: made-up ones.
    """

    samples: tuple[Sample, ...]
    rounds: int
    machine: dict[str, str]
    skipped: tuple[str, ...]
    made: datetime
    apart: tuple[str, ...] = ()


def page_medians(run: SpeedRun, of: Of, *, change: str = "") -> dict[str, float]:
    """Each page's median of all its looks, or of those after one kind of change; pages without any are left out."""
    found = (sample for sample in run.samples if sample.of is of and (not change or sample.change == change))
    return median_by((sample.page, sample.value) for sample in found)


def page_ratios(run: SpeedRun, above: Of, below: Of, *, change: str = "") -> dict[str, float]:
    """By page, the ratio of its medians, where it has both."""
    return paired_ratios(page_medians(run, above, change=change), page_medians(run, below, change=change))


def ratio_spreads(run: SpeedRun, *, change: str = "") -> dict[tuple[Of, Of], Spread]:
    """For each of COMPARISONS that any page has both sides of: the spread over pages of the ratio of medians.

    Args:
        change: only looks after this kind of change; all where it is empty.
    """
    found = {}
    for above, below in COMPARISONS:
        ratios = page_ratios(run, above, below, change=change)
        if kept := [ratio for page, ratio in ratios.items() if page not in run.apart]:
            found[above, below] = spread_of(kept)
    return found


def to_json(run: SpeedRun) -> str:
    """The whole run: every measurement, and the medians and ratios that are computed from them."""
    document = {
        **asdict(run),
        "made": run.made.isoformat(timespec="seconds"),
        "medians": {of: page_medians(run, of) for of in (*Measure, *Size)},
        "ratios": [
            {"above": above, "below": below, "goal": GOALS.get((above, below)), **asdict(spread)}
            for (above, below), spread in ratio_spreads(run).items()
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
    pages = dict.fromkeys(sample.page for sample in run.samples)
    tables = (
        _ratios(spreads),
        *_large(run),
        *_by_change(run),
        _by_page(run, "milliseconds", "Milliseconds a look, medians", tuple(Measure), Unit.MILLISECONDS),
        _by_page(run, "tokens", "Tokens (o200k), medians", tuple(Size), Unit.COUNT),
    )
    return Report(
        title="Speed and size of a look",
        summary=(*_say_ratios(spreads), *_say_large(run), *_say_digest(run)),
        facts={"rounds": str(run.rounds), f"{len(pages)} pages": ", ".join(pages), **run.machine},
        tables=tables,
        charts=(_times(run),),
        skipped=run.skipped,
        command=command,
        made=run.made.isoformat(timespec="seconds"),
    )


def _say_ratios(spreads: Mapping[tuple[Of, Of], Spread]) -> list[str]:
    """A sentence for each ratio that has a goal."""
    return [
        f"{above} takes {spreads[above, below].median:.2f} × {below} ({_range(spreads[above, below])}; "
        f"{_judge(spreads[above, below].median, goal)} {goal:g} ×)."
        for (above, below), goal in GOALS.items()
        if (above, below) in spreads
    ]


def _say_large(run: SpeedRun) -> list[str]:
    """A sentence for each page apart."""
    said = []
    for page in run.apart:
        ratios = {above: page_ratios(run, above, below).get(page) for above, below in AGAINST_PLAYWRIGHT}
        found = {above: ratio for above, ratio in ratios.items() if ratio is not None}
        if found:
            each = ", ".join(f"{of} {ratio:.2f} ×" for of, ratio in found.items())
            said.append(f"{page}: {each} Playwright's time ({_judge(max(found.values()), LARGE_GOAL)} {LARGE_GOAL} ×).")
    return said


def _say_digest(run: SpeedRun) -> list[str]:
    sizes = [size for page, size in page_medians(run, Size.DIGEST).items() if page not in run.apart]
    if not sizes:
        return []
    spread = spread_of(sizes)
    return [
        f"digest takes {spread.median:.0f} tokens a page ({spread.minimum:.0f} … {spread.maximum:.0f} over "
        f"{spread.count} pages; {_judge(spread.median, DIGEST_GOAL)} {DIGEST_GOAL})."
    ]


def _range(spread: Spread) -> str:
    return f"{spread.minimum:.2f} … {spread.maximum:.2f} over {spread.count} pages"


def _judge(value: float, goal: float) -> str:
    return "within the goal of" if value <= goal else "over the goal of"


def _ratios(spreads: Mapping[tuple[Of, Of], Spread]) -> Table:
    names = ("least", "lower", "median", "upper", "most")
    return Table(
        "ratios",
        "Ratios of a page's medians, over pages",
        (
            Column("ratio"),
            *(Column(name, Unit.RATIO) for name in names),
            Column("pages", Unit.COUNT),
            Column("goal", Unit.RATIO, "what the median shall be at most"),
        ),
        tuple(
            (
                f"{above} / {below}",
                each.minimum,
                each.lower,
                each.median,
                each.upper,
                each.maximum,
                each.count,
                GOALS.get((above, below)),
            )
            for (above, below), each in spreads.items()
        ),
        "All look at one tab of one browser; each loads the page anew before its first look. The peers' texts are of "
        "the whole page: `page text` and `full, page` are our lists of as much.",
    )


def _large(run: SpeedRun) -> list[Table]:
    """The ratios of the pages apart, a column each."""
    rows: list[tuple[Cell, ...]] = []
    for above, below in COMPARISONS:
        ratios = page_ratios(run, above, below)
        if any(page in ratios for page in run.apart):
            rows.append((f"{above} / {below}", *(ratios.get(page) for page in run.apart)))
    columns = (Column("ratio"), *(Column(page, Unit.RATIO) for page in run.apart))
    return [Table("apart", "Made-up pages, in no ratio above", columns, tuple(rows))] if rows else []


def _by_change(run: SpeedRun) -> list[Table]:
    """Medians over pages of the ratios after each kind of change."""
    kinds = list(dict.fromkeys(sample.change for sample in run.samples if sample.change))
    spreads = {kind: ratio_spreads(run, change=kind) for kind in kinds}
    pairs = [pair for pair in COMPARISONS if any(pair in spreads[kind] for kind in kinds)]
    rows: list[tuple[Cell, ...]] = [
        (f"{pair[0]} / {pair[1]}", *(spreads[kind][pair].median if pair in spreads[kind] else None for kind in kinds))
        for pair in pairs
    ]
    columns = (Column("ratio"), *(Column(kind, Unit.RATIO) for kind in kinds))
    note = "The page's own script makes the change; the look begins two animation frames later."
    return [Table("changes", "By what was changed, medians over pages", columns, tuple(rows), note)] if rows else []


def _by_page(run: SpeedRun, name: str, title: str, wanted: Sequence[Of], unit: Unit) -> Table:
    medians = {of: page_medians(run, of) for of in wanted}
    measured = [of for of in wanted if medians[of]]
    pages = dict.fromkeys(sample.page for sample in run.samples)
    rows: list[tuple[Cell, ...]] = [(page, *(medians[of].get(page) for of in measured)) for page in pages]
    if len(rows) > 1:
        kept = [[value for page, value in medians[of].items() if page not in run.apart] for of in measured]
        rows.append(("median", *(spread_of(values).median if values else None for values in kept)))
    return Table(name, title, (Column("page"), *(Column(str(of), unit) for of in measured)), tuple(rows))


def _times(run: SpeedRun) -> Chart:
    series = []
    for of in Measure:
        found = [sample for sample in run.samples if sample.of is of]
        if found:
            values, pages = (tuple(sample.value for sample in found), tuple(sample.page for sample in found))
            series.append(Series(str(of), (), values, pages))
    return Chart("times", "All looks", ChartKind.DISTRIBUTION, "", "ms", tuple(series), Unit.MILLISECONDS)
