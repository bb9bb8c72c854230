"""The report of `content`."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from perception.bench.content import ContentRun, Read, Reader
from perception.bench.report.model import Cell, Column, Report, Table, Unit

GOAL_RECALL = 0.98
"""Of the words that a page shows, in whole-page mode."""

EXAMPLES = 8
"""Words that are named of what one reading missed or leaked."""


def content_report(run: ContentRun, machine: Mapping[str, str], command: str) -> Report:
    """What was read, of all pages together and of each."""
    tables = (_readers(run.reads), _main(run.reads), _pages(run.reads), _faults(run.reads))
    return Report(
        title="Content as markdown",
        summary=tuple(_say(run.reads)),
        facts={"pages": str(len({read.page for read in run.reads})), **machine},
        tables=tuple(table for table in tables if table.rows),
        skipped=tuple(f"{page}: {why}" for page, why in run.failed.items()),
        command=command,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _say(reads: Sequence[Read]) -> list[str]:
    ours = [read for read in reads if read.reader is Reader.WHOLE]
    if not ours:
        return ["No page was read."]
    recall = _recall(ours)
    below = [read.page for read in ours if read.recall < GOAL_RECALL]
    leaks = sum(_leaked(read) for read in ours)
    said = [
        f"Ours finds {recall:.2%} of the words that {len(ours)} pages show (goal {GOAL_RECALL:.0%}: "
        f"{'met' if recall >= GOAL_RECALL else 'missed'}); {len(below)} pages are below the goal.",
        f"{leaks} words that nobody sees are in it (goal none: {'missed' if leaks else 'met'}).",
    ]
    for reader in (Reader.TRAFILATURA, Reader.PLAIN):
        theirs = [read for read in reads if read.reader is reader]
        tokens, own = sum(read.tokens for read in theirs), sum(read.tokens for read in ours)
        said.append(
            f"{reader}: {_recall(theirs):.2%} of the words, {sum(map(_leaked, theirs))} that nobody sees, "
            f"{tokens} tokens to our {own}."
        )
    return said


def _recall(reads: Sequence[Read]) -> float:
    """Of all pages' words."""
    words = sum(read.words for read in reads)
    return sum(read.recall * read.words for read in reads) / words if words else 1.0


def _leaked(read: Read) -> int:
    return sum(count for _, count in read.leaked)


def _of_each(reads: Sequence[Read]) -> dict[Reader, list[Read]]:
    return {reader: [read for read in reads if read.reader is reader] for reader in Reader}


def _readers(reads: Sequence[Read]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            reader.value,
            _recall(own),
            statistics.median(read.recall for read in own),
            min(read.recall for read in own),
            sum(map(_leaked, own)),
            sum(read.tokens for read in own),
            statistics.median(read.tokens for read in own),
            statistics.median(read.milliseconds for read in own),
        )
        for reader, own in _of_each(reads).items()
        if own
    ]
    columns = (
        Column("reader"),
        Column("recall", Unit.SHARE, "of all pages' words"),
        Column("median page", Unit.SHARE),
        Column("worst page", Unit.SHARE),
        Column("hidden words", Unit.COUNT, "that nobody sees and that are in it"),
        Column("tokens", Unit.COUNT, "of all pages, o200k"),
        Column("median page's", Unit.COUNT),
        Column("time", Unit.MILLISECONDS, "median page: ours over gRPC, theirs with fetching the HTML"),
    )
    note = (
        "Words that the page shows, told by its own DOM. Two of the readers want main content alone, of which recall "
        "of the whole page says little."
    )
    return Table("readers", "All pages", columns, tuple(rows), note)


def _main(reads: Sequence[Read]) -> Table:
    judged = {
        reader: {read.page: read.f1 for read in own if read.f1 is not None} for reader, own in _of_each(reads).items()
    }
    pages = sorted(judged[Reader.MAIN].keys() & judged[Reader.TRAFILATURA].keys())
    rows: list[tuple[Cell, ...]] = [
        (page, judged[Reader.MAIN][page], judged[Reader.TRAFILATURA][page]) for page in pages
    ]
    if rows:
        means = [
            statistics.mean(judged[reader][page] for page in pages) for reader in (Reader.MAIN, Reader.TRAFILATURA)
        ]
        rows.append(("mean", *means))
    columns = (Column("page"), Column(Reader.MAIN.value, Unit.SHARE), Column(Reader.TRAFILATURA.value, Unit.SHARE))
    note = "F1 of words against the page's main landmark, which is taken away before it is read."
    return Table("main", "Main content", columns, tuple(rows), note)


def _pages(reads: Sequence[Read]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (read.page, read.reader.value, read.words, read.recall, _leaked(read), read.tokens, read.milliseconds)
        for read in reads
    ]
    columns = (
        Column("page"),
        Column("reader"),
        Column("words shown", Unit.COUNT),
        Column("recall", Unit.SHARE),
        Column("hidden words", Unit.COUNT),
        Column("tokens", Unit.COUNT),
        Column("time", Unit.MILLISECONDS),
    )
    return Table("pages", "Each page", columns, tuple(rows))


def _faults(reads: Sequence[Read]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (read.page, sum(count for _, count in read.missed), _name(read.missed), _leaked(read), _name(read.leaked))
        for read in reads
        if read.reader is Reader.WHOLE and (read.missed or read.leaked)
    ]
    columns = (
        Column("page"),
        Column("missed", Unit.COUNT),
        Column("words"),
        Column("hidden", Unit.COUNT),
        Column("words"),
    )
    return Table("faults", "What ours missed, and what it should not have said", columns, tuple(rows))


def _name(words: Sequence[tuple[str, int]]) -> str:
    return ", ".join(word for word, _ in words[:EXAMPLES]) + (", …" if len(words) > EXAMPLES else "")
