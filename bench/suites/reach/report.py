"""The report of `reach`."""

from __future__ import annotations

from collections import Counter

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suites.reach.judgment import JUDGED, Finding, ReachRun, RouteKind, by_package, count_reach

GOAL = 0.99
"""Share of the things that have a ref or lie in, or hold, one."""

MAX_ROWS = 200
"""Things that one table shows; the counts are of all."""


def reach_report(run: ReachRun) -> Report:
    """The report of a run."""
    return Report(
        title="What can be acted upon, and the refs that lead to it",
        summary=tuple(_say(run)),
        facts={"pages": str(len(run.pages))},
        tables=(_packages(run), _routes(run), _kinds(run), _reasons(run), _misses(run), _others(run)),
        skipped=(
            *(f"{page}: {why}" for page, why in run.failed.items()),
            *(f"{page.page}: {note}" for page in run.pages for note in page.notes),
        ),
    )


def _say(run: ReachRun) -> list[str]:
    count = count_reach(run.pages)
    if not count.of:
        return ["There is nothing to reach."]
    verdict = "met" if count.share >= GOAL else "missed"
    said = [
        f"{count.share:.2%} of {count.of} things on {count.pages} pages have a ref ({count.own}), or lie in or hold "
        f"one ({count.through}); {count.missed} are missed (goal {GOAL:.0%}: {verdict}).",
        f"{count.explained} more have none because nobody can act on them or nothing changes when one does.",
    ]
    if count.tried:
        said.append(f"Of {count.tried} that were tried, {count.same} had the same effect by ref as by a real mouse.")
    return said


def _packages(run: ReachRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, pages in by_package(run.pages, "all").items():
        each = count_reach(pages)
        counts = (each.of, each.own, each.through, each.missed, each.share, each.explained, each.tried, each.same)
        rows.append((name, each.pages, *counts))
    columns = (
        Column("package"),
        Column("pages", ColumnUnit.COUNT),
        Column("things", ColumnUnit.COUNT),
        Column("own ref", ColumnUnit.COUNT),
        Column("through another", ColumnUnit.COUNT),
        Column("missed", ColumnUnit.COUNT),
        Column("reached", ColumnUnit.SHARE),
        Column("explained", ColumnUnit.COUNT, "not counted: hidden, covered, or nothing changes"),
        Column("tried", ColumnUnit.COUNT),
        Column("same effect", ColumnUnit.COUNT),
    )
    note = (
        "Listeners for click, double click, context menu, press, drag, drop, hover and keys, `:hover` rules that "
        "reveal something, everything focusable, what shows a pointer below a listener, and the controls of "
        "Playwright's AI snapshot."
    )
    return Table("packages", "By package", columns, tuple(rows), note)


def _routes(run: ReachRun) -> Table:
    of = Counter(each.route for page in run.pages for each in page.things if each.is_reached)
    tried = Counter((each.route, each.finding) for page in run.pages for each in page.things if each.is_reached)
    rows: list[tuple[Cell, ...]] = [
        (route.value, of[route], *(tried[route, finding] for finding in (*JUDGED, Finding.CHANGED)))
        for route in RouteKind
        if of[route]
    ]
    columns = (
        Column("route"),
        Column("things", ColumnUnit.COUNT),
        *(Column(finding.value, ColumnUnit.COUNT) for finding in (*JUDGED, Finding.CHANGED)),
    )
    return Table("routes", "How refs lead to things", columns, tuple(rows))


def _kinds(run: ReachRun) -> Table:
    reached: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for page in run.pages:
        for each in page.things:
            (reached if each.is_reached else missed).update(each.kinds if not each.is_explained else ())
    rows = tuple((kind, reached[kind], missed[kind]) for kind, _ in (reached + missed).most_common())
    columns = (Column("kind"), Column("reached", ColumnUnit.COUNT), Column("missed", ColumnUnit.COUNT))
    return Table("kinds", "What makes them things", columns, rows)


def _reasons(run: ReachRun) -> Table:
    counts = Counter(each.why for page in run.pages for each in page.things if each.is_explained)
    columns = (Column("why"), Column("things", ColumnUnit.COUNT))
    return Table("reasons", "Without a ref, and explained", columns, tuple(counts.most_common()))


def _misses(run: ReachRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (page.page, each.shown_as, each.why, each.detail, each.path)
        for page in run.pages
        for each in page.things
        if each.is_missed
    ]
    columns = (Column("page"), Column("element"), Column("reason"), Column("effect"), Column("path"))
    return Table("misses", "Missed", columns, tuple(rows[:MAX_ROWS]))


def _others(run: ReachRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (page.page, each.shown_as, each.ref, each.route.value, each.finding.value, each.detail)
        for page in run.pages
        for each in page.things
        if each.is_reached and each.finding in (Finding.OTHER, Finding.REFUSED)
    ]
    columns = tuple(Column(title) for title in ("page", "element", "ref", "route", "result", "what differs"))
    return Table("others", "Another effect", columns, tuple(rows[:MAX_ROWS]))
