"""The report of `content`."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from perception.bench.comparison.paired import LATENCY, TOTAL_COST, ComparisonRule
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.bench.suites.content.run import ContentReader, ContentRun, PageReading

GOAL_RECALL = 0.98
"""Share of the words that a page shows, in whole-page mode."""

WORD_EXAMPLES = 8
"""Listed words that one reading missed or leaked."""


def content_report(run: ContentRun) -> Report:
    """The results, for all pages together and for each."""
    return Report(
        title="Content as markdown",
        summary=tuple(_say(run.reads)),
        facts={"pages": str(len({read.page for read in run.reads}))},
        tables=(_readers(run.reads), _main(run.reads), _pages(run.reads), _faults(run.reads)),
        skipped=tuple(f"{page}: {why}" for page, why in run.failed.items()),
    )


def _say(reads: Sequence[PageReading]) -> list[str]:
    ours = [read for read in reads if read.reader is ContentReader.WHOLE]
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
    for reader in (ContentReader.TRAFILATURA, ContentReader.PLAIN):
        theirs = [read for read in reads if read.reader is reader]
        tokens, own = sum(read.tokens for read in theirs), sum(read.tokens for read in ours)
        said.append(
            f"{reader}: {_recall(theirs):.2%} of the words, {sum(map(_leaked, theirs))} that nobody sees, "
            f"{tokens} tokens to our {own}."
        )
    return said


def _recall(reads: Sequence[PageReading]) -> float:
    """Over all pages' words."""
    words = sum(read.words for read in reads)
    return sum(read.recall * read.words for read in reads) / words if words else 1.0


def _leaked(read: PageReading) -> int:
    return sum(count for _, count in read.leaked)


def _of_each(reads: Sequence[PageReading]) -> dict[ContentReader, list[PageReading]]:
    return {reader: [read for read in reads if read.reader is reader] for reader in ContentReader}


def _readers(reads: Sequence[PageReading]) -> Table:
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
        Column("recall", ColumnUnit.SHARE, "of all pages' words"),
        Column("median page", ColumnUnit.SHARE),
        Column("worst page", ColumnUnit.SHARE),
        Column("hidden words", ColumnUnit.COUNT, "that nobody sees and that are in it"),
        Column("tokens", ColumnUnit.COUNT, "of all pages, o200k"),
        Column("median page's", ColumnUnit.COUNT),
        Column("time", ColumnUnit.MILLISECONDS, "median page: ours over gRPC, theirs with fetching the HTML"),
    )
    note = (
        "Words that the page shows, by its own DOM. Two of the readers want main content alone, of which recall "
        "of the whole page says little."
    )
    return Table("readers", "All pages", columns, tuple(rows), note)


def _main(reads: Sequence[PageReading]) -> Table:
    judged = {
        reader: {read.page: read.f1 for read in own if read.f1 is not None} for reader, own in _of_each(reads).items()
    }
    pages = sorted(judged[ContentReader.MAIN].keys() & judged[ContentReader.TRAFILATURA].keys())
    rows: list[tuple[Cell, ...]] = [
        (page, judged[ContentReader.MAIN][page], judged[ContentReader.TRAFILATURA][page]) for page in pages
    ]
    if rows:
        means = [
            statistics.mean(judged[reader][page] for page in pages)
            for reader in (ContentReader.MAIN, ContentReader.TRAFILATURA)
        ]
        rows.append(("mean", *means))
    columns = (
        Column("page"),
        Column(ContentReader.MAIN.value, ColumnUnit.SHARE),
        Column(ContentReader.TRAFILATURA.value, ColumnUnit.SHARE),
    )
    note = "F1 of words against the page's main landmark, which is taken away before it is read."
    return Table("main", "Main content", columns, tuple(rows), note)


def _pages(reads: Sequence[PageReading]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (read.page, read.reader.value, read.words, read.recall, _leaked(read), read.tokens, read.milliseconds)
        for read in reads
    ]
    columns = (
        Column("page"),
        Column("reader"),
        Column("words shown", ColumnUnit.COUNT),
        Column("recall", ColumnUnit.SHARE),
        Column("hidden words", ColumnUnit.COUNT),
        Column("tokens", ColumnUnit.COUNT),
        Column("time", ColumnUnit.MILLISECONDS),
    )
    return Table("pages", "Each page", columns, tuple(rows))


def _faults(reads: Sequence[PageReading]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (read.page, sum(count for _, count in read.missed), _name(read.missed), _leaked(read), _name(read.leaked))
        for read in reads
        if read.reader is ContentReader.WHOLE and (read.missed or read.leaked)
    ]
    columns = (
        Column("page"),
        Column("missed", ColumnUnit.COUNT),
        Column("words"),
        Column("hidden", ColumnUnit.COUNT),
        Column("words"),
    )
    return Table("faults", "What ours missed, and what it should not have said", columns, tuple(rows))


def _name(words: Sequence[tuple[str, int]]) -> str:
    return ", ".join(word for word, _ in words[:WORD_EXAMPLES]) + (", …" if len(words) > WORD_EXAMPLES else "")


def content_comparable(run: ContentRun) -> Comparable:
    """By reader and page: words found, words leaked, tokens, milliseconds, F1 of the main content."""
    scores = []
    for read in run.reads:
        tallies = {
            "words found": Tally(read.recall * read.words, read.words),
            "words leaked": Tally(_leaked(read), 1),
            "tokens": Tally(read.tokens, 1),
            "ms": Tally(read.milliseconds, 1),
        }
        if read.f1 is not None:
            tallies["F1 of the main content"] = Tally(read.f1, 1)
        counted = {name: tally for name, tally in tallies.items() if tally.of}
        scores.append(Score(read.page, str(read.reader), read.page, "", "", counted))
    rules = {
        "words found": ComparisonRule(True),
        "words leaked": ComparisonRule(False),
        "F1 of the main content": ComparisonRule(True),
    }
    return Comparable(scores, rules | {"tokens": TOTAL_COST, "ms": LATENCY})
