"""The report of `selectors`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from perception.bench.comparison.paired import LATENCY, TOTAL_COST, ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Estimate, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.stats import Spread, cluster_interval, spread_of
from perception.bench.suite import Comparable
from perception.bench.suites.selectors.selector_trials import (
    ListCost,
    ListedSelector,
    SelectorFinding,
    SelectorMaker,
    SelectorsRun,
    SelectorStage,
    SelectorTrial,
)

SELECTOR_GOALS = {SelectorStage.NOW: 1.0, SelectorStage.RELOAD: 0.97, SelectorStage.REBUILD: 0.90}
"""Share of our selectors that must find the same element."""

SMALLER_GOAL, FEWER_GOAL, LIST_TIME_GOAL, AGAIN_GOAL = 0.90, 0.85, 1.0, 0.3
"""Goals at the median page: the saving in bytes and tokens compared with a map of the page, and the list's time as a
share of the map's, of a new page and of an unchanged one."""

LONG = 150
"""A selector with more characters is hard to read and to send."""

BUCKETS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.01)
"""Limits of the ranges of stability that are reported apart."""

MAX_CASES = 60
"""Misses that are shown; the counts are of all."""


def selectors_report(found: SelectorsRun) -> Report:
    """The report of a run."""
    tables = (
        _stages(found),
        _stabilities(found),
        _shapes(found),
        _reasons(found),
        _misses(found),
        _spreads(found.costs),
        _costs(found.costs),
    )
    return Report(
        title="Selectors that find their element again",
        summary=(
            *(_say_stage(found, stage) for stage in SelectorStage),
            *_say_costs(found.costs),
            *_say_left_out(found),
        ),
        facts={"pages": str(len(found.pages) - len(found.failed))},
        tables=tables,
        skipped=tuple(f"{page}: {why}" for page, why in found.failed.items()),
    )


def same_share(sightings: Sequence[SelectorTrial]) -> Estimate | float | None:
    """A share of at least one, with the interval over pages if there are enough of them."""
    if not sightings:
        return None
    same = Counter(each.page for each in sightings if each.finding is SelectorFinding.SAME)
    of = Counter(each.page for each in sightings)
    sums = np.array([(same[page], count) for page, count in of.items()], dtype=np.float64)
    share = float(sums[:, 0].sum() / sums[:, 1].sum())
    interval = cluster_interval(sums, lambda drawn: drawn[..., 0] / drawn[..., 1])
    return Estimate(share, interval.low, interval.high) if interval else share


def _of(found: SelectorsRun, stage: SelectorStage, maker: SelectorMaker, *, shared: bool) -> list[SelectorTrial]:
    return [
        each for each in found.sightings if each.stage is stage and each.maker is maker and (each.shared or not shared)
    ]


def _value(share: Estimate | float | None) -> float:
    return share.value if isinstance(share, Estimate) else share or 0.0


def _say_stage(found: SelectorsRun, stage: SelectorStage) -> str:
    own = _of(found, stage, SelectorMaker.OURS, shared=False)
    value = _value(same_share(own))
    others = ", ".join(
        f"{maker} {_value(same_share(_of(found, stage, maker, shared=True))):.1%}" for maker in SelectorMaker
    )
    goal = SELECTOR_GOALS.get(stage)
    verdict = "" if goal is None else f"; the goal of {goal:.0%} is {'met' if value >= goal else 'missed'}"
    same = sum(each.finding is SelectorFinding.SAME for each in own)
    return (
        f"{stage}, ours find the same element {same} times of {len(own)}, "
        f"{value:.2%}{verdict}. Where all have a selector: {others}."
    )


_SAVINGS: tuple[tuple[str, float, Callable[[ListCost], float]], ...] = (
    ("bytes saved, as JSON", SMALLER_GOAL, lambda each: 1 - each.json_bytes / each.map_bytes),
    ("tokens saved, as JSON", FEWER_GOAL, lambda each: 1 - each.json_tokens / each.map_tokens),
    ("bytes saved, as text", SMALLER_GOAL, lambda each: 1 - each.text_bytes / each.map_bytes),
    ("tokens saved, as text", FEWER_GOAL, lambda each: 1 - each.text_tokens / each.map_tokens),
)


def _say_costs(costs: Sequence[ListCost]) -> list[str]:
    if not costs:
        return []
    said = []
    for what, goal, of in _SAVINGS:
        spread = spread_of(of(each) for each in costs)
        pooled = _pooled(costs, what)
        verdict = "met" if pooled >= goal else "missed"
        said.append(
            f"{what} of a map of the page: {pooled:.1%} of all pages together, {spread.median:.1%} at the median page "
            f"({spread.minimum:.1%} … {spread.maximum:.1%}); the goal of {goal:.0%} is {verdict}."
        )
    larger = sum(each.map_bytes for each in costs) / sum(each.html_bytes for each in costs)
    times, again = (spread_of(getattr(each, name) / each.map_ms for each in costs) for name in ("ours_ms", "again_ms"))
    verdict = "met" if times.median <= LIST_TIME_GOAL else "missed"
    said.append(
        f"the list takes {times.median:.2f} × the time of the map ({times.minimum:.2f} … {times.maximum:.2f}); the "
        f"goal of {LIST_TIME_GOAL:g} × is {verdict}; on an unchanged page {again.median:.2f} × ({again.minimum:.2f} … "
        f"{again.maximum:.2f}; the goal is {AGAIN_GOAL:g} ×). The map is {larger:.1f} × the page's markup."
    )
    return said


def _pooled(costs: Sequence[ListCost], what: str) -> float:
    kind = "text" if what.endswith("text") else "json"
    unit = "tokens" if what.startswith("tokens") else "bytes"
    ours = sum(getattr(each, f"{kind}_{unit}") for each in costs)
    return float(1 - ours / sum(getattr(each, f"map_{unit}") for each in costs))


def _say_left_out(found: SelectorsRun) -> list[str]:
    unnamed = sum(found.unnamed.values())
    return [
        f"not counted: {found.changed} elements that the page itself changed at its reload; {unnamed} elements of the "
        "lists had no selector."
    ]


def _stages(found: SelectorsRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for stage in SelectorStage:
        for maker in SelectorMaker:
            all_of, shared = (_of(found, stage, maker, shared=each) for each in (False, True))
            if all_of:
                counts = Counter(each.finding for each in all_of)
                own = (same_share(all_of), same_share(shared))
                rows.append((str(stage), str(maker), len(all_of), *own, *(counts[each] for each in SelectorFinding)))
    columns = (
        Column("when"),
        Column("whose"),
        Column("asked for", ColumnUnit.COUNT),
        Column("the same", ColumnUnit.SHARE),
        Column(
            "the same, where all have one", ColumnUnit.SHARE, "elements of the top document, outside of shadow trees"
        ),
        *(Column(str(each), ColumnUnit.COUNT) for each in SelectorFinding),
    )
    return Table("stages", "What selectors find", columns, tuple(rows))


def _stabilities(found: SelectorsRun) -> Table:
    """How long our selectors last, by the stability that was promised for them."""
    own = [each for each in found.sightings if each.maker is SelectorMaker.OURS]
    rows: list[tuple[Cell, ...]] = []
    for low, high in pairwise(BUCKETS):
        of = [each for each in own if low <= each.stability < high]
        listed = sum(low <= each.stability < high for each in found.listed)
        stages = [[each for each in of if each.stage is stage] for stage in SelectorStage]
        shares = (None if not each else _value(same_share(each)) for each in stages)
        rows.append((f"{low:g} … {min(high, 1):g}", listed, len(stages[1]), *shares))
    columns = (
        Column("stability"),
        Column("listed", ColumnUnit.COUNT),
        Column("followed over a reload", ColumnUnit.COUNT),
        *(Column(str(each), ColumnUnit.SHARE) for each in SelectorStage),
    )
    return Table("stabilities", "How long selectors last, by their stability", columns, tuple(rows))


def _shapes(found: SelectorsRun) -> Table:
    """How long our selectors are, and how many count siblings: by page, and all together."""
    by_page: dict[str, list[ListedSelector]] = {}
    for each in found.listed:
        by_page.setdefault(each.page, []).append(each)
    groups = [("all pages", list(found.listed)), *by_page.items()] if by_page else []
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            page,
            len(of),
            sum(each.length > LONG for each in of),
            sum(each.positional for each in of),
            float(np.median([each.length for each in of])),
            max(each.length for each in of),
        )
        for page, of in groups
    )
    columns = (
        Column("page"),
        Column("selectors", ColumnUnit.COUNT),
        Column(f"over {LONG} characters", ColumnUnit.COUNT),
        Column("by position", ColumnUnit.COUNT),
        Column("median length", ColumnUnit.COUNT),
        Column("longest", ColumnUnit.COUNT),
    )
    return Table("shapes", "Length of our selectors", columns, rows)


def _reasons(found: SelectorsRun) -> Table:
    """What our selectors are based on, and how long they last."""
    own = [each for each in found.sightings if each.maker is SelectorMaker.OURS]
    kinds = Counter(_kind(each.reason) for each in own if each.stage is SelectorStage.NOW)
    rows: list[tuple[Cell, ...]] = []
    for kind, count in kinds.most_common():
        of = [each for each in own if _kind(each.reason) == kind]
        shares = (same_share([each for each in of if each.stage is stage]) for stage in SelectorStage)
        rows.append((kind, count, *(None if share is None else _value(share) for share in shares)))
    columns = (
        Column("rests on"),
        Column("elements", ColumnUnit.COUNT),
        *(Column(str(each), ColumnUnit.SHARE) for each in SelectorStage),
    )
    return Table("reasons", "What our selectors rest on", columns, tuple(rows))


def _kind(reason: str) -> str:
    return reason.split(" in ")[0].split(":")[0] if len(reason) > 30 else reason


def _misses(found: SelectorsRun) -> Table:
    own = [
        each
        for each in found.sightings
        if each.maker is SelectorMaker.OURS and each.finding is not SelectorFinding.SAME
    ]
    shown = sorted(
        (each for each in own if each.stage is not SelectorStage.RECLASSED),
        key=lambda each: list(SelectorStage).index(each.stage),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.page, str(each.stage), each.element, each.selector, each.reason, str(each.finding))
        for each in shown[:MAX_CASES]
    )
    columns = tuple(Column(name) for name in ("page", "when", "element", "selector", "rests on", "found"))
    return Table("misses", f"Ours that did not find it, the first {MAX_CASES}", columns, rows)


def _spreads(costs: Sequence[ListCost]) -> Table:
    if not costs:
        return Table("savings", "", (Column("what"),), ())
    shares: list[tuple[str, Spread]] = [(what, spread_of(of(each) for each in costs)) for what, _, of in _SAVINGS]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (what, each.minimum, each.lower, each.median, each.upper, each.maximum) for what, each in shares
    )
    names = ("least", "lower", "median", "upper", "most")
    columns = (Column("beside a map of the page"), *(Column(name, ColumnUnit.SHARE) for name in names))
    return Table("savings", "What the list saves, over pages", columns, rows)


def _costs(costs: Sequence[ListCost]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            each.page,
            each.elements,
            each.count,
            each.html_bytes,
            each.map_bytes,
            each.json_bytes,
            each.text_bytes,
            each.map_tokens,
            each.json_tokens,
            each.text_tokens,
            each.map_ms,
            each.ours_ms,
            each.again_ms,
            each.ours_ms / each.map_ms,
        )
        for each in costs
    )
    counts = ("elements", "in the list", "markup, bytes", "map, bytes", "JSON, bytes", "text, bytes")
    tokens = ("map, tokens", "JSON, tokens", "text, tokens")
    columns = (
        Column("page"),
        *(Column(name, ColumnUnit.COUNT) for name in (*counts, *tokens)),
        Column("map", ColumnUnit.MILLISECONDS),
        Column("list", ColumnUnit.MILLISECONDS),
        Column("again", ColumnUnit.MILLISECONDS),
        Column("ratio", ColumnUnit.RATIO),
    )
    return Table("costs", "Each page", columns, rows)


def selectors_comparable(found: SelectorsRun) -> Comparable:
    """By page: selectors that find the same element, by maker and stage; the cost of our list."""
    scores, rules = [], {}
    costs = {each.page: each for each in found.costs}
    for page in found.pages:
        tallies = {}
        for maker in SelectorMaker:
            for stage in SelectorStage:
                asked = [each for each in _of(found, stage, maker, shared=False) if each.page == page]
                if asked:
                    name = f"{maker}, same element {stage}"
                    tallies[name] = Tally(sum(each.finding is SelectorFinding.SAME for each in asked), len(asked))
                    rules[name] = ComparisonRule(True)
        if page in costs:
            tallies |= {"list, ms": Tally(costs[page].ours_ms, 1), "list, tokens": Tally(costs[page].text_tokens, 1)}
        scores.append(Score(page, "selectors", page, "", "", tallies))
    return Comparable(scores, rules | {"list, ms": LATENCY, "list, tokens": TOTAL_COST})
