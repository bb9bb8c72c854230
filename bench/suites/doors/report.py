"""The report of `doors`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from perception.bench.comparison.paired import LATENCY, TOTAL_COST
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import scores_of_values
from perception.bench.suite import Comparable
from perception.bench.suites.doors.outcomes import DoorsRun, PageOutcome

READ, WRITTEN, SECONDS = "tokens read", "tokens written", "ms of the calls"


def doors_report(run: DoorsRun) -> Report:
    """The servers beside each other, their pages, and the tool lists."""
    tables = [_lists(run)]
    if run.outcomes:
        tables = [_servers(run), _starts(run), _pages(run), *tables, _stumbles(run)]
    return Report(
        title="MCP servers side by side",
        summary=tuple(_summary(run)),
        facts={},
        tables=tuple(each for each in tables if each.rows),
        skipped=(
            *run.left_out,
            *(f"{each.server}: {each.problem}" for each in run.lists if each.problem),
            *dict.fromkeys(f"{each.page} ({each.server}): {each.problem}" for each in run.outcomes if not each.done),
        ),
    )


def _summary(run: DoorsRun) -> list[str]:
    told = []
    for name, own in _by_server(run).items():
        done = sum(each.done for each in own)
        read, seconds = _total(own, "tokens_read"), _total(own, "seconds")
        told.append(f"{name}: {done} of {len(own)} pages have the effect; {read:.0f} tokens read, {seconds:.1f} s.")
    return told


def _by_server(run: DoorsRun) -> dict[str, list[PageOutcome]]:
    names = dict.fromkeys(each.server for each in run.outcomes)
    return {name: [each for each in run.outcomes if each.server == name] for name in names}


def _total(outcomes: Sequence[PageOutcome], measure: str) -> float:
    """Of the whole task: for each page the median of its rounds, summed."""
    pages = dict.fromkeys(each.page for each in outcomes)
    return float(sum(median(getattr(each, measure) for each in outcomes if each.page == page) for page in pages))


def _servers(run: DoorsRun) -> Table:
    lists = {each.server: each.tokens for each in run.lists if not each.problem}
    rows: list[tuple[Cell, ...]] = []
    for name, own in _by_server(run).items():
        listed = lists.get(name) or next((tokens for server, tokens in lists.items() if "playwright/mcp" in server), 0)
        sums = [_total(own, each) for each in ("calls", "tokens_read", "tokens_written", "wire_bytes", "seconds")]
        calls, read, written, size, seconds = sums
        done = f"{sum(each.done for each in own)} of {len(own)}"
        rows.append((name, done, calls, listed, read, written, size / 1024, seconds * 1000))
    columns = (
        Column("server"),
        Column("pages done", note="over all rounds; the effect is read in the page, past the server"),
        Column("calls", ColumnUnit.COUNT),
        Column("tool list", ColumnUnit.COUNT, "tokens, in each request of a model"),
        Column(READ, ColumnUnit.COUNT, "of the answers, o200k"),
        Column(WRITTEN, ColumnUnit.COUNT, "of the calls"),
        Column("KiB", ColumnUnit.NUMBER, "of the answers on the wire"),
        Column("time", ColumnUnit.MILLISECONDS, "of the calls"),
    )
    return Table("servers", "The whole task: medians of the rounds, summed over the pages", columns, tuple(rows))


def _starts(run: DoorsRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(each.server for each in run.starts):
        times = [each.seconds * 1000 for each in run.starts if each.server == name]
        rows.append((name, len(times), median(times), min(times), max(times)))
    columns = (
        Column("server"),
        Column("starts", ColumnUnit.COUNT),
        *(Column(each, ColumnUnit.MILLISECONDS) for each in ("median", "least", "most")),
    )
    return Table("starts", "From the start of a server to its first answer with a page", columns, tuple(rows))


def _pages(run: DoorsRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for page in dict.fromkeys(each.page for each in run.outcomes):
        for name, own in _by_server(run).items():
            there = [each for each in own if each.page == page]
            done = f"{sum(each.done for each in there)} of {len(there)}"
            measures = [_total(there, each) for each in ("calls", "tokens_read", "tokens_written", "seconds")]
            rows.append((page, name, done, *measures[:3], measures[3] * 1000))
    columns = (
        Column("page"),
        Column("server"),
        Column("done"),
        Column("calls", ColumnUnit.COUNT),
        Column(READ, ColumnUnit.COUNT),
        Column(WRITTEN, ColumnUnit.COUNT),
        Column("time", ColumnUnit.MILLISECONDS),
    )
    return Table("pages", "Each page: medians of the rounds", columns, tuple(rows))


def _lists(run: DoorsRun) -> Table:
    rows: list[tuple[Cell, ...]] = [(each.server, each.tools, each.tokens) for each in run.lists if not each.problem]
    columns = (
        Column("server"),
        Column("tools", ColumnUnit.COUNT),
        Column("tokens", ColumnUnit.COUNT, "o200k, of name, description and schema as compact JSON"),
    )
    return Table("lists", "Tool lists, as each server offers them by default", columns, tuple(rows))


def _stumbles(run: DoorsRun) -> Table:
    found = dict.fromkeys((each.page, each.server, stumble) for each in run.outcomes for stumble in each.stumbles)
    columns = (Column("page"), Column("server"), Column("what"))
    return Table("stumbles", "Looks and errors beyond the steps", columns, tuple(found))


def doors_comparable(run: DoorsRun) -> Comparable:
    """By page and server: tokens and time of what is done. A page of ours that is not done is wrong."""
    values = [
        (each.page, f"{each.page}, {each.server}", measure, float(value))
        for each in run.outcomes
        if each.done and each.server.startswith("perception")
        for measure, value in (
            (READ, each.tokens_read),
            (WRITTEN, each.tokens_written),
            (SECONDS, each.seconds * 1000),
        )
    ]
    wrong = sum(not each.done for each in run.outcomes if each.server.startswith("perception"))
    rules = {READ: TOTAL_COST, WRITTEN: TOTAL_COST, SECONDS: LATENCY}
    return Comparable(scores_of_values("doors", values), rules, {"pages that are not done": wrong})
