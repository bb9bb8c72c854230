"""The report of `painted`: what is found in each medium, what it costs, and which clicks land."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from perception.bench.comparison.paired import TOTAL_COST, ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Estimate, Report, Table
from perception.bench.report.run_notes import left_out
from perception.bench.scores import Score, Tally
from perception.bench.stats import cluster_interval, spread_of
from perception.bench.suite import Comparable
from perception.bench.suites.painted.run import Ending, PaintedClick, PaintedPage, PaintedRun

LANDED_GOAL = 0.97
"""Share of clicks by ref that must hit the control that is meant."""

SHOWN_MISSES = 30

Share = Callable[[PaintedPage], tuple[float, float]]
"""Hits and count of one page."""


def painted_report(found: PaintedRun) -> Report:
    """The report of a run."""
    by_medium: dict[str, list[PaintedPage]] = {}
    for each in found.pages:
        by_medium.setdefault(each.medium, []).append(each)
    return Report(
        title="Painted controls",
        summary=tuple(_say(medium, pages) for medium, pages in by_medium.items()),
        facts={"pages": str(len(found.pages))},
        tables=(_found(by_medium), _clicks(by_medium), _misses(found.pages)),
        skipped=(
            *(f"{page}: {why}" for page, why in found.failed.items()),
            *left_out((f"{each.sample} as {each.medium}", why) for each in found.pages for why in each.skipped),
        ),
    )


def _say(medium: str, pages: Sequence[PaintedPage]) -> str:
    controls, found = sum(each.controls for each in pages), sum(each.found for each in pages)
    share = f"{medium}: {found} of {controls} painted controls are listed"
    clicks = [click for page in pages for click in page.clicks]
    if not clicks:
        return f"{share}."
    landed = sum(each.ending is Ending.LANDED for each in clicks)
    each_page = spread_of(_landed(page)[0] / _landed(page)[1] for page in pages if page.clicks)
    verdict = "met" if landed / len(clicks) >= LANDED_GOAL else "missed"
    return (
        f"{share}; {landed} of {len(clicks)} clicks by ref landed, {landed / len(clicks):.1%} (pages "
        f"{each_page.minimum:.0%} … {each_page.maximum:.0%}); the goal of {LANDED_GOAL:.0%} is {verdict}."
    )


def _recall(page: PaintedPage) -> tuple[float, float]:
    return page.found, page.controls


def _precision(page: PaintedPage) -> tuple[float, float]:
    return page.right, page.served


def _cost(page: PaintedPage) -> tuple[float, float]:
    return page.fused_tokens - page.text_tokens, page.found


def _landed(page: PaintedPage) -> tuple[float, float]:
    return sum(each.ending is Ending.LANDED for each in page.clicks), len(page.clicks)


def _estimate(pages: Sequence[PaintedPage], share: Share) -> Estimate | float | None:
    """All hits divided by all counts, with the interval over pages if there are enough of them; None for no count."""
    sums: dict[str, np.ndarray] = {}
    for each in pages:
        sums[each.page] = sums.get(each.page, np.zeros(2)) + np.asarray(share(each), np.float64)
    counted = np.asarray([each for each in sums.values() if each[1]]).reshape(-1, 2)
    if not len(counted):
        return None
    value = float(counted[:, 0].sum() / counted[:, 1].sum())
    interval = cluster_interval(counted, lambda drawn: drawn[..., 0] / drawn[..., 1])
    return Estimate(value, interval.low, interval.high) if interval else value


def _found(by_medium: Mapping[str, Sequence[PaintedPage]]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            medium,
            len(pages),
            sum(each.controls for each in pages),
            _estimate(pages, _recall),
            _estimate(pages, _precision),
            float(np.mean([each.text_tokens for each in pages])),
            float(np.mean([each.fused_tokens for each in pages])),
            _estimate(pages, _cost),
        )
        for medium, pages in by_medium.items()
    )
    columns = (
        Column("painted as"),
        Column("screenshots", ColumnUnit.COUNT),
        Column("controls", ColumnUnit.COUNT),
        Column("recall", ColumnUnit.SHARE, "of the controls, the share in which the center of a listed one is"),
        Column("precision", ColumnUnit.SHARE, "of what vision lists to act on, the share that is in a control"),
        Column("tokens, TEXT", ColumnUnit.NUMBER, "mean"),
        Column("tokens, FUSED", ColumnUnit.NUMBER, "mean"),
        Column("tokens for each recovered control", ColumnUnit.NUMBER, "FUSED less TEXT, over the found controls"),
    )
    note = "Elements that only vision sees, in FUSED snapshots of pages that are one picture. Intervals are over pages."
    return Table("found", "What is found", columns, rows, note)


def _clicks(by_medium: Mapping[str, Sequence[PaintedPage]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for medium, pages in by_medium.items():
        clicks = [click for page in pages for click in page.clicks]
        endings = Counter(each.ending for each in clicks)
        if clicks:
            by_name = sum(each.by_name for each in clicks)
            rows.append((medium, len(clicks), by_name, _estimate(pages, _landed), *(endings[each] for each in Ending)))
    columns = (
        Column("painted as"),
        Column("clicked", ColumnUnit.COUNT),
        Column("meant by name", ColumnUnit.COUNT, "the others by where they are"),
        Column("landed", ColumnUnit.SHARE),
        *(Column(str(each), ColumnUnit.COUNT) for each in Ending),
    )
    note = "The page says which control a click hit. Refs that mean no control are not clicked: precision counts them."
    return Table("clicks", "Clicks by ref", columns, tuple(rows), note)


def _misses(pages: Sequence[PaintedPage]) -> Table:
    missed = [(page, click) for page in pages for click in page.clicks if click.ending is not Ending.LANDED]
    rows = tuple(_miss_row(page, click) for page, click in missed[:SHOWN_MISSES])
    columns = tuple(map(Column, ("page", "meant", "ref", "ending", "why")))
    note = f"The first {SHOWN_MISSES} of {len(missed)}." if len(missed) > SHOWN_MISSES else ""
    return Table("misses", "Clicks that did not land", columns, rows, note)


def _miss_row(page: PaintedPage, click: PaintedClick) -> tuple[Cell, ...]:
    return f"{page.sample} as {page.medium}", click.meant, click.ref, str(click.ending), click.why


def painted_comparable(found: PaintedRun) -> Comparable:
    """By screenshot and medium."""
    scores = []
    for each in found.pages:
        tallies = {
            "recall": Tally(*_recall(each)),
            "precision": Tally(*_precision(each)),
            "landed": Tally(*_landed(each)),
            "tokens": Tally(each.fused_tokens, 1),
        }
        kept = {name: tally for name, tally in tallies.items() if tally.of}
        scores.append(Score(f"{each.sample} as {each.medium}", "painted", each.page, str(each.medium), "", kept))
    shares = {name: ComparisonRule(True) for name in ("recall", "precision", "landed")}
    return Comparable(scores, {**shares, "tokens": TOTAL_COST})
