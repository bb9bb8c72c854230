"""The report of `clicks`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Estimate, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.stats import Spread, cluster_interval, median_by, paired_ratios, spread_of
from perception.bench.suite import Comparable
from perception.bench.suites.clicks.click_speed import ClickSide, ClickTime
from perception.bench.suites.clicks.run import LANDED, ClickEnding, ClicksRun, ClickTrial, TargetKind

LANDED_GOAL = 0.995
"""Share of clicks that must hit, each way."""

CLICK_TIME_GOAL = 1.2
"""Maximum of our time until the answer, as a share of Playwright's, at the median page."""

HEARD, ANSWERED = "until the page hears of it", "until it is answered"


def clicks_report(found: ClicksRun) -> Report:
    """The report of a run."""
    ratios = _ratios(found.times)
    kept = (_not_landed(found, ClickEnding.MISS), _not_landed(found, ClickEnding.GONE), _skipped(found))
    return Report(
        title="Clicks that land",
        summary=(*(_say_way(found, way) for way in TargetKind if _tried(found, way)), *_say_times(ratios)),
        facts={"pages": str(len(found.pages) - len(found.failed))},
        tables=(_ways(found), *kept, _spreads(ratios), _times(found.times)),
        skipped=(*(f"{page}: {why}" for page, why in found.failed.items()), *found.notes),
    )


def _of(found: ClicksRun, way: TargetKind) -> list[ClickTrial]:
    return [each for each in found.trials if each.way is way]


def _tried(found: ClicksRun, way: TargetKind) -> list[ClickTrial]:
    return [each for each in _of(found, way) if each.ending is not ClickEnding.GONE]


def landed_share(trials: Sequence[ClickTrial]) -> Estimate | float:
    """A share of at least one trial, with the interval over pages if there are enough of them."""
    landed = Counter(each.page for each in trials if each.ending in LANDED)
    of = Counter(each.page for each in trials)
    sums = np.array([(landed[page], count) for page, count in of.items()], dtype=np.float64)
    share = float(sums[:, 0].sum() / sums[:, 1].sum())
    interval = cluster_interval(sums, lambda drawn: drawn[..., 0] / drawn[..., 1])
    return Estimate(share, interval.low, interval.high) if interval else share


def _say_way(found: ClicksRun, way: TargetKind) -> str:
    tried = _tried(found, way)
    landed = sum(each.ending in LANDED for each in tried)
    share = landed_share(tried)
    value = share.value if isinstance(share, Estimate) else share
    interval = f" (95 %: {share.low:.2%} … {share.high:.2%})" if isinstance(share, Estimate) else ""
    verdict = "met" if value >= LANDED_GOAL else "missed"
    return (
        f"by {way}: {landed} of {len(tried)} clicks landed, {value:.2%}{interval}; "
        f"the goal of {LANDED_GOAL:.1%} is {verdict}."
    )


def _ways(found: ClicksRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for way in TargetKind:
        if tried := _tried(found, way):
            endings = Counter(each.ending for each in _of(found, way))
            again = sum(each.again for each in tried)
            counts = (endings[each] for each in ClickEnding)
            rows.append((f"by {way}", len(tried), landed_share(tried), *counts, again))
    columns = (
        Column("way"),
        Column("tried", ColumnUnit.COUNT),
        Column(
            "landed",
            ColumnUnit.SHARE,
            "on it, on its label, on a control or in a frame inside it, or on what changed its checked state",
        ),
        *(Column(str(each), ColumnUnit.COUNT) for each in ClickEnding),
        Column(
            "clicked again",
            ColumnUnit.COUNT,
            "from a new snapshot, as the page had changed by itself, or as a coordinate cannot know",
        ),
    )
    note = (
        "What a snapshot of the viewport lists as reachable. What is no longer reachable by a second snapshot is not "
        "counted as tried."
    )
    return Table("ways", "Clicks, each way", columns, tuple(rows), note)


def _not_landed(found: ClicksRun, ending: ClickEnding) -> Table:
    own = [each for each in found.trials if each.ending is ending]
    rows: tuple[tuple[Cell, ...], ...] = tuple((each.page, str(each.way), each.element, each.why) for each in own)
    columns = (Column("page"), Column("way"), Column("element"), Column("why"))
    title = "Misses" if ending is ClickEnding.MISS else "Reachable when listed, and no longer when clicked"
    return Table(ending.name.lower(), title, columns, rows)


def _skipped(found: ClicksRun) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple((f"by {each.way}", each.why, each.count) for each in found.skipped)
    return Table(
        "skipped", "Listed, and not clicked", (Column("way"), Column("why"), Column("elements", ColumnUnit.COUNT)), rows
    )


def _ratios(times: Sequence[ClickTime]) -> dict[str, Spread]:
    """Ours to Playwright's, by each page's medians: the spread over pages."""
    found = {}
    for what in (ANSWERED, HEARD):
        ours, theirs = (_medians(times, what, side) for side in (ClickSide.OURS, ClickSide.PLAYWRIGHT))
        if ratios := paired_ratios(ours, theirs):
            found[what] = spread_of(ratios.values())
    return found


def _medians(times: Sequence[ClickTime], what: str, side: ClickSide) -> dict[str, float]:
    own = [each for each in times if each.side is side]
    return median_by((each.page, each.heard if what == HEARD else each.answered) for each in own)


def _say_times(ratios: Mapping[str, Spread]) -> list[str]:
    said = []
    for what, spread in ratios.items():
        verdict = ""
        if what == ANSWERED:
            verdict = (
                f"; the goal of {CLICK_TIME_GOAL:g} × is {'met' if spread.median <= CLICK_TIME_GOAL else 'missed'}"
            )
        said.append(
            f"a click by ref takes {spread.median:.2f} × Playwright's time {what} ({spread.minimum:.2f} … "
            f"{spread.maximum:.2f} over {spread.count} pages{verdict})."
        )
    return said


def _spreads(ratios: Mapping[str, Spread]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (what, each.minimum, each.lower, each.median, each.upper, each.maximum, each.count)
        for what, each in ratios.items()
    )
    names = ("least", "lower", "median", "upper", "most")
    columns = (
        Column("from the call"),
        *(Column(name, ColumnUnit.RATIO) for name in names),
        Column("pages", ColumnUnit.COUNT),
    )
    note = "Medians of a page's clicks, ours by ref to Playwright's `locator.click()` of the same elements, over pages."
    return Table("ratios", "Ours to Playwright's", columns, rows, note)


def _times(times: Sequence[ClickTime]) -> Table:
    pairs = [(what, side) for what in (HEARD, ANSWERED) for side in ClickSide]
    medians = [_medians(times, what, side) for what, side in pairs]
    ratios = [paired_ratios(ours, theirs) for ours, theirs in (medians[:2], medians[2:])]
    rows: list[tuple[Cell, ...]] = []
    for page in dict.fromkeys(each.page for each in times):
        own = [each for each in times if each.page == page]
        rows.append((page, own[0].size, len(own), *(each.get(page) for each in (*medians, *ratios))))
    columns = (
        Column("page"),
        Column("elements", ColumnUnit.COUNT, "of the whole page"),
        Column("clicks", ColumnUnit.COUNT),
        *(Column(f"{side}: {what}", ColumnUnit.MILLISECONDS) for what, side in pairs),
        Column(f"ratio {HEARD}", ColumnUnit.RATIO),
        Column(f"ratio {ANSWERED}", ColumnUnit.RATIO),
    )
    return Table("times", "Milliseconds from the call, medians", columns, tuple(rows))


def clicks_comparable(found: ClicksRun) -> Comparable:
    """By page: clicks that hit, each way; milliseconds of the timed clicks, each side."""
    scores = []
    for page in found.pages:
        tallies = {}
        for way in TargetKind:
            tried = [each for each in _tried(found, way) if each.page == page]
            if tried:
                tallies[f"landed, by {way}"] = Tally(sum(each.ending in LANDED for each in tried), len(tried))
        for side in ClickSide:
            if times := [each.answered for each in found.times if (each.page, each.side) == (page, side)]:
                tallies[f"{side}, ms"] = Tally(median(times), 1)
        scores.append(Score(page, "clicks", page, "", "", tallies))
    landed = {f"landed, by {way}": ComparisonRule(True) for way in TargetKind}
    return Comparable(scores, landed | {f"{side}, ms": LATENCY for side in ClickSide})
