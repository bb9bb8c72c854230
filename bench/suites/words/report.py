"""The report of `words`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suites.reach.judgment import by_package
from perception.bench.suites.words.judgment import PageWords, WordsRun, WrongNumber

GOAL = 0.999
"""Share of the painted words that the list says; and no number is wrong."""

MAX_ROWS = 200
"""Rows of one table of misses; the counts are of all."""


def words_report(run: WordsRun) -> Report:
    """The report of a run."""
    return Report(
        title="Painted words, and what the list says",
        summary=tuple(_say(run.pages)),
        facts={"pages": str(len(run.pages))},
        tables=(_packages(run), _misses(run), wrong_numbers_table(run.pages)),
        skipped=tuple(f"{page}: {why}" for page, why in run.failed.items()),
    )


def _say(pages: Sequence[PageWords]) -> list[str]:
    words, missed = sum(each.words for each in pages), sum(len(each.missed) for each in pages)
    numbers, wrong = sum(each.numbers for each in pages), sum(len(each.wrong) for each in pages)
    if not words:
        return ["Nothing is painted."]
    share = (words - missed) / words
    verdict = "met" if share >= GOAL and not wrong else "missed"
    return [
        f"{share:.3%} of {words} painted words on {len(pages)} pages are in the list ({missed} missed); {wrong} of its "
        f"{numbers} numbers are nowhere on the page (goal {GOAL:.1%} and 0: {verdict}).",
        f"{sum(each.repeats for each in pages)} repeat what the list says fewer times; "
        f"{sum(each.elsewhere for each in pages)} are out of order.",
    ]


def _packages(run: WordsRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, pages in by_package(run.pages, "all").items():
        words, missed = sum(each.words for each in pages), sum(len(each.missed) for each in pages)
        rows.append(
            (
                name,
                len(pages),
                words,
                missed,
                (words - missed) / words if words else 1.0,
                sum(each.elsewhere for each in pages),
                sum(each.repeats for each in pages),
                sum(each.unconfirmed for each in pages),
                sum(each.numbers for each in pages),
                sum(len(each.wrong) for each in pages),
            )
        )
    columns = (
        Column("package"),
        Column("pages", ColumnUnit.COUNT),
        Column("words", ColumnUnit.COUNT),
        Column("missed", ColumnUnit.COUNT),
        Column("said", ColumnUnit.SHARE),
        Column("out of order", ColumnUnit.COUNT),
        Column("repeats", ColumnUnit.COUNT, "the list says them fewer times than they are painted"),
        Column("unconfirmed", ColumnUnit.COUNT, "not counted: OCR does not read them either"),
        Column("numbers", ColumnUnit.COUNT),
        Column("wrong numbers", ColumnUnit.COUNT, "nowhere on the page"),
    )
    note = (
        "Words by client rectangles of text ranges and hit tests, in all frames of the page's origin and all shadow "
        "roots; OCR of the screenshot is the second witness of each miss."
    )
    return Table("packages", "By package", columns, tuple(rows), note)


def _misses(run: WordsRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (page.page, each.word, each.beside, each.listed, each.markup) for page in run.pages for each in page.missed
    ]
    columns = tuple(Column(title) for title in ("page", "word", "painted", "akin in the list", "markup"))
    return Table("misses", "Missed", columns, tuple(rows[:MAX_ROWS]))


class _Numbered(Protocol):
    @property
    def page(self) -> str: ...
    @property
    def wrong(self) -> Sequence[WrongNumber]: ...


def wrong_numbers_table(pages: Sequence[_Numbered]) -> Table:
    """A row for each number that the list says and the page does not."""
    rows: list[tuple[Cell, ...]] = [(page.page, each.number, each.line) for page in pages for each in page.wrong]
    return Table("wrong", "Wrong numbers", (Column("page"), Column("number"), Column("line")), tuple(rows[:MAX_ROWS]))
