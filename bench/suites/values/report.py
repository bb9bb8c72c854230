"""The report of `values`."""

from __future__ import annotations

from collections.abc import Sequence

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suites.reach.judgment import by_package
from perception.bench.suites.values.judgment import PageValues, ValuesRun
from perception.bench.suites.words.report import MAX_ROWS, wrong_numbers_table

GOAL = 0.999
"""Share of the painted values and words that the lines of controls say; and no number is wrong."""


def values_report(run: ValuesRun) -> Report:
    """The report of a run."""
    return Report(
        title="What is painted in controls, and what their lines say",
        summary=tuple(_say(run.pages)),
        facts={"pages": str(len(run.pages))},
        tables=(_packages(run), _misses(run), wrong_numbers_table(run.pages)),
        skipped=tuple(f"{page}: {why}" for page, why in run.failed.items()),
    )


def _say(pages: Sequence[PageValues]) -> list[str]:
    values, missed = sum(each.values for each in pages), sum(len(each.missed) for each in pages)
    numbers, wrong = sum(each.numbers for each in pages), sum(len(each.wrong) for each in pages)
    if not values:
        return ["Nothing is painted in controls."]
    share = (values - missed) / values
    verdict = "met" if share >= GOAL and not wrong else "missed"
    return [
        f"{share:.2%} of {values} values and words in {sum(each.controls for each in pages)} controls on {len(pages)} "
        f"pages are in the controls' lines ({missed} missed); {wrong} of their {numbers} numbers are nowhere on the "
        f"page (goal {GOAL:.1%} and 0: {verdict}).",
    ]


def _packages(run: ValuesRun) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, pages in by_package(run.pages, "all").items():
        values, missed = sum(each.values for each in pages), sum(len(each.missed) for each in pages)
        rows.append(
            (
                name,
                len(pages),
                sum(each.controls for each in pages),
                values,
                missed,
                (values - missed) / values if values else 1.0,
                sum(each.beside for each in pages),
                sum(each.unconfirmed for each in pages),
                sum(each.numbers for each in pages),
                sum(len(each.wrong) for each in pages),
            )
        )
    columns = (
        Column("package"),
        Column("pages", ColumnUnit.COUNT),
        Column("controls", ColumnUnit.COUNT),
        Column("values", ColumnUnit.COUNT),
        Column("missed", ColumnUnit.COUNT),
        Column("said", ColumnUnit.SHARE),
        Column("beside", ColumnUnit.COUNT, "said in a line beside the control's"),
        Column("unconfirmed", ColumnUnit.COUNT, "not counted: OCR does not read them either"),
        Column("numbers", ColumnUnit.COUNT),
        Column("wrong numbers", ColumnUnit.COUNT, "nowhere on the page"),
    )
    note = (
        "Native controls by their value, all by the words in their box; sliders, progress and meters by what they "
        "report. OCR of the control's box is the second witness of a miss."
    )
    return Table("packages", "By package", columns, tuple(rows), note)


def _misses(run: ValuesRun) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (page.page, each.part, each.place.value, each.line, each.markup) for page in run.pages for each in page.missed
    ]
    columns = tuple(Column(title) for title in ("page", "painted", "in the list", "line", "markup"))
    return Table("misses", "Missed", columns, tuple(rows[:MAX_ROWS]))
