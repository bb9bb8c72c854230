"""The measurements of a speed run, and its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from perception.bench.comparison.paired import LATENCY, TOTAL_COST
from perception.bench.report.report_model import Cell, Chart, ChartKind, Column, ColumnUnit, Report, Series, Table
from perception.bench.scores import scores_of_values
from perception.bench.stats import Spread, median_by, paired_ratios, spread_of
from perception.bench.suite import Comparable


class SpeedMeasure(StrEnum):
    """What is timed, in milliseconds. First: the first look at a newly loaded page; unchanged: a look directly after
    another one; changed: a look after a small change of the page; after thinking: the first look at a page that was
    opened a second before, in a session that has looked before."""

    TEXT_FIRST = "text first"
    TEXT_CHANGED = "text changed"
    TEXT_UNCHANGED = "text unchanged"
    PAGE_FIRST = "page text first"
    PAGE_CHANGED = "page text changed"
    PAGE_UNCHANGED = "page text unchanged"
    FUSED_FIRST = "fused first"
    FUSED_CHANGED = "fused changed"
    FUSED_UNCHANGED = "fused unchanged"
    TEXT_THOUGHT = "text after thinking"
    FUSED_THOUGHT = "fused after thinking"
    PLAYWRIGHT_THOUGHT = "playwright after thinking"
    PLAYWRIGHT_FIRST = "playwright first"
    PLAYWRIGHT_CHANGED = "playwright changed"
    PLAYWRIGHT_UNCHANGED = "playwright unchanged"
    AGENT_BROWSER_FIRST = "agent-browser -i -c first"
    AGENT_BROWSER_CHANGED = "agent-browser -i -c changed"
    AGENT_BROWSER_UNCHANGED = "agent-browser -i -c unchanged"


class TextSize(StrEnum):
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


class LoopMeasure(StrEnum):
    """What an agent's loop of looks and clicks costs, in milliseconds: all looks together, and the processor time of
    all processes. Plain: without looking ahead."""

    TEXT = "loop, text"
    TEXT_PLAIN = "loop, text, plain"
    PLAYWRIGHT = "loop, playwright"
    TEXT_CPU = "loop, text, CPU"
    TEXT_PLAIN_CPU = "loop, text, plain, CPU"
    PLAYWRIGHT_CPU = "loop, playwright, CPU"


Quantity = SpeedMeasure | TextSize | LoopMeasure

AGAINST_PLAYWRIGHT: tuple[tuple[Quantity, Quantity], ...] = (
    (SpeedMeasure.TEXT_FIRST, SpeedMeasure.PLAYWRIGHT_FIRST),
    (SpeedMeasure.TEXT_CHANGED, SpeedMeasure.PLAYWRIGHT_CHANGED),
    (SpeedMeasure.TEXT_UNCHANGED, SpeedMeasure.PLAYWRIGHT_UNCHANGED),
)

SPEED_COMPARISONS: tuple[tuple[Quantity, Quantity], ...] = (
    *AGAINST_PLAYWRIGHT,
    (SpeedMeasure.TEXT_FIRST, SpeedMeasure.PLAYWRIGHT_UNCHANGED),
    (SpeedMeasure.PAGE_FIRST, SpeedMeasure.PLAYWRIGHT_FIRST),
    (SpeedMeasure.PAGE_CHANGED, SpeedMeasure.PLAYWRIGHT_CHANGED),
    (SpeedMeasure.PAGE_UNCHANGED, SpeedMeasure.PLAYWRIGHT_UNCHANGED),
    (SpeedMeasure.TEXT_FIRST, SpeedMeasure.AGENT_BROWSER_FIRST),
    (SpeedMeasure.TEXT_CHANGED, SpeedMeasure.AGENT_BROWSER_CHANGED),
    (SpeedMeasure.TEXT_UNCHANGED, SpeedMeasure.AGENT_BROWSER_UNCHANGED),
    (SpeedMeasure.TEXT_THOUGHT, SpeedMeasure.PLAYWRIGHT_THOUGHT),
    (SpeedMeasure.FUSED_THOUGHT, SpeedMeasure.PLAYWRIGHT_THOUGHT),
    (LoopMeasure.TEXT, LoopMeasure.PLAYWRIGHT),
    (LoopMeasure.TEXT_PLAIN, LoopMeasure.PLAYWRIGHT),
    (LoopMeasure.TEXT_CPU, LoopMeasure.PLAYWRIGHT_CPU),
    (LoopMeasure.TEXT_PLAIN_CPU, LoopMeasure.PLAYWRIGHT_CPU),
    (SpeedMeasure.FUSED_FIRST, SpeedMeasure.TEXT_FIRST),
    (SpeedMeasure.FUSED_CHANGED, SpeedMeasure.TEXT_CHANGED),
    (SpeedMeasure.FUSED_UNCHANGED, SpeedMeasure.TEXT_UNCHANGED),
    (TextSize.INTERACTIVE, TextSize.AGENT_BROWSER_SHORT),
    (TextSize.INTERACTIVE_COMPACT, TextSize.AGENT_BROWSER_SHORT),
    (TextSize.INTERACTIVE, TextSize.PLAYWRIGHT_PLAIN),
    (TextSize.INTERACTIVE_COMPACT, TextSize.PLAYWRIGHT_PLAIN),
    (TextSize.DIGEST, TextSize.PLAYWRIGHT_PLAIN),
    (TextSize.DIGEST, TextSize.AGENT_BROWSER_SHORT),
    (TextSize.FULL, TextSize.PLAYWRIGHT_PLAIN),
    (TextSize.FULL, TextSize.AGENT_BROWSER_SHORT),
    (TextSize.PAGE, TextSize.PLAYWRIGHT_PLAIN),
    (TextSize.PAGE_COMPACT, TextSize.PLAYWRIGHT_PLAIN),
    (TextSize.PAGE, TextSize.AGENT_BROWSER),
    (TextSize.PAGE, TextSize.AGENT_BROWSER_SHORT),
)
"""Ratios that are shown, first to second."""

SPEED_GOALS: Mapping[tuple[Quantity, Quantity], float] = {
    (SpeedMeasure.TEXT_FIRST, SpeedMeasure.PLAYWRIGHT_FIRST): 0.5,
    (SpeedMeasure.TEXT_CHANGED, SpeedMeasure.PLAYWRIGHT_CHANGED): 0.3,
    (SpeedMeasure.TEXT_UNCHANGED, SpeedMeasure.PLAYWRIGHT_UNCHANGED): 0.1,
    (TextSize.INTERACTIVE, TextSize.AGENT_BROWSER_SHORT): 0.35,
    (TextSize.INTERACTIVE_COMPACT, TextSize.AGENT_BROWSER_SHORT): 0.35,
    (TextSize.PAGE, TextSize.PLAYWRIGHT_PLAIN): 0.5,
    (TextSize.PAGE_COMPACT, TextSize.PLAYWRIGHT_PLAIN): 0.5,
}
"""Maxima of the median over pages. They are reported first."""

DIGEST_GOAL = 150
"""Tokens of a page's digest, at the median."""

LARGE_GOAL = 0.1
"""Maximum time of a look at the generated page, as a share of Playwright's."""


@dataclass(frozen=True, slots=True)
class SpeedSample:
    """One measurement: milliseconds of a SpeedMeasure or tokens of a TextSize.

    `change`: the change of the page before the look; empty for none.
    """

    page: str
    round: int
    of: str
    value: float
    change: str = ""


@dataclass(frozen=True, slots=True)
class SpeedRun:
    """A run as it was measured.

    Attributes:
        machine: facts about the machine and the software, by name.
        skipped: what was not measured, and why; one line each.
        made: when it began, in UTC.
        apart: generated pages, which are shown separately and are in no ratio over pages.
    """

    samples: tuple[SpeedSample, ...]
    rounds: int
    machine: dict[str, str]
    skipped: tuple[str, ...]
    made: datetime
    apart: tuple[str, ...] = ()


def page_medians(run: SpeedRun, of: Quantity, *, change: str = "") -> dict[str, float]:
    """Each page's median of all its looks, or of those after one kind of change; pages without any are omitted."""
    found = (sample for sample in run.samples if sample.of == of and (not change or sample.change == change))
    return median_by((sample.page, sample.value) for sample in found)


def page_ratios(run: SpeedRun, above: Quantity, below: Quantity, *, change: str = "") -> dict[str, float]:
    """By page, the ratio of its medians, where it has both."""
    return paired_ratios(page_medians(run, above, change=change), page_medians(run, below, change=change))


def ratio_spreads(run: SpeedRun, *, change: str = "") -> dict[tuple[Quantity, Quantity], Spread]:
    """The spread over pages of the ratio of medians, for each of COMPARISONS that any page has both sides of.

    Args:
        change: only looks after this kind of change; all if empty.
    """
    found = {}
    for above, below in SPEED_COMPARISONS:
        ratios = page_ratios(run, above, below, change=change)
        if kept := [ratio for page, ratio in ratios.items() if page not in run.apart]:
            found[above, below] = spread_of(kept)
    return found


def speed_report(run: SpeedRun) -> Report:
    """Ratios over pages, then page by page."""
    spreads = ratio_spreads(run)
    pages = dict.fromkeys(sample.page for sample in run.samples)
    tables = (
        _ratios(spreads),
        *_large(run),
        *_by_change(run),
        _by_page(run, "milliseconds", "Milliseconds a look, medians", tuple(SpeedMeasure), ColumnUnit.MILLISECONDS),
        *_loops(run),
        _by_page(run, "tokens", "Tokens (o200k), medians", tuple(TextSize), ColumnUnit.COUNT),
    )
    return Report(
        title="Speed and size of a look",
        summary=(*_say_ratios(spreads), *_say_large(run), *_say_digest(run)),
        facts={"rounds": str(run.rounds), f"{len(pages)} pages": ", ".join(pages)},
        tables=tables,
        charts=(_times(run),),
        skipped=run.skipped,
    )


def _say_ratios(spreads: Mapping[tuple[Quantity, Quantity], Spread]) -> list[str]:
    """A sentence for each ratio that has a goal."""
    return [
        f"{above} takes {spreads[above, below].median:.2f} × {below} ({_range(spreads[above, below])}; "
        f"{_judge(spreads[above, below].median, goal)} {goal:g} ×)."
        for (above, below), goal in SPEED_GOALS.items()
        if (above, below) in spreads
    ]


def _say_large(run: SpeedRun) -> list[str]:
    """A sentence for each generated page."""
    said = []
    for page in run.apart:
        ratios = {above: page_ratios(run, above, below).get(page) for above, below in AGAINST_PLAYWRIGHT}
        found = {above: ratio for above, ratio in ratios.items() if ratio is not None}
        if found:
            each = ", ".join(f"{of} {ratio:.2f} ×" for of, ratio in found.items())
            said.append(f"{page}: {each} Playwright's time ({_judge(max(found.values()), LARGE_GOAL)} {LARGE_GOAL} ×).")
    return said


def _say_digest(run: SpeedRun) -> list[str]:
    sizes = [size for page, size in page_medians(run, TextSize.DIGEST).items() if page not in run.apart]
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


def _ratios(spreads: Mapping[tuple[Quantity, Quantity], Spread]) -> Table:
    names = ("least", "lower", "median", "upper", "most")
    return Table(
        "ratios",
        "Ratios of a page's medians, over pages",
        (
            Column("ratio"),
            *(Column(name, ColumnUnit.RATIO) for name in names),
            Column("pages", ColumnUnit.COUNT),
            Column("goal", ColumnUnit.RATIO, "what the median shall be at most"),
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
                SPEED_GOALS.get((above, below)),
            )
            for (above, below), each in spreads.items()
        ),
        "All look at one tab of one browser; each loads the page again before its first look. The peers' texts are of "
        "the whole page: `page text` and `full, page` are our lists of as much.",
    )


def _large(run: SpeedRun) -> list[Table]:
    """The ratios of the generated pages, a column each."""
    rows: list[tuple[Cell, ...]] = []
    for above, below in SPEED_COMPARISONS:
        ratios = page_ratios(run, above, below)
        if any(page in ratios for page in run.apart):
            rows.append((f"{above} / {below}", *(ratios.get(page) for page in run.apart)))
    columns = (Column("ratio"), *(Column(page, ColumnUnit.RATIO) for page in run.apart))
    return [Table("apart", "Made-up pages, in no ratio above", columns, tuple(rows))] if rows else []


def _by_change(run: SpeedRun) -> list[Table]:
    """Medians over pages of the ratios after each kind of change."""
    kinds = list(dict.fromkeys(sample.change for sample in run.samples if sample.change))
    spreads = {kind: ratio_spreads(run, change=kind) for kind in kinds}
    pairs = [pair for pair in SPEED_COMPARISONS if any(pair in spreads[kind] for kind in kinds)]
    rows: list[tuple[Cell, ...]] = [
        (f"{pair[0]} / {pair[1]}", *(spreads[kind][pair].median if pair in spreads[kind] else None for kind in kinds))
        for pair in pairs
    ]
    columns = (Column("ratio"), *(Column(kind, ColumnUnit.RATIO) for kind in kinds))
    note = "The page's own script makes the change; the look begins two animation frames later."
    return [Table("changes", "By what was changed, medians over pages", columns, tuple(rows), note)] if rows else []


def _loops(run: SpeedRun) -> list[Table]:
    """What the agent loops cost, if there are any."""
    if not any(sample.of in set(LoopMeasure) for sample in run.samples):
        return []
    title = "An agent's loop of looks and clicks: all looks, and processor time of all processes"
    return [_by_page(run, "loops", title, tuple(LoopMeasure), ColumnUnit.MILLISECONDS)]


def _by_page(run: SpeedRun, name: str, title: str, wanted: Sequence[Quantity], unit: ColumnUnit) -> Table:
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
    for of in SpeedMeasure:
        found = [sample for sample in run.samples if sample.of == of]
        if found:
            values, pages = (tuple(sample.value for sample in found), tuple(sample.page for sample in found))
            series.append(Series(str(of), (), values, pages))
    return Chart("times", "All looks", ChartKind.DISTRIBUTION, "", "ms", tuple(series), ColumnUnit.MILLISECONDS)


def speed_comparable(run: SpeedRun) -> Comparable:
    """By page and round: milliseconds of each look, tokens of each text."""
    values = ((each.page, f"{each.page}, round {each.round}", each.of, each.value) for each in run.samples)
    rules = {**dict.fromkeys(map(str, SpeedMeasure), LATENCY), **dict.fromkeys(map(str, TextSize), TOTAL_COST)}
    return Comparable(scores_of_values("looks", values), rules)
