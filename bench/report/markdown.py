"""A report as Markdown: for notes, logs and pull requests."""

from __future__ import annotations

from collections.abc import Iterator

from perception.bench.report.formats import format_cell
from perception.bench.report.model import Report, Table, Unit

MAX_ROWS = 60
"""Of one table: a note is read, not searched. The HTML and the JSON have all."""


def render_markdown(report: Report) -> str:
    """The report without its charts and images."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {_escape(report.title)}\n"
    yield from (f"- {_escape(line)}" for line in report.summary)
    for table in report.tables:
        yield ""
        yield from _table(table)
    if report.cases:
        yield "\n## Worst cases\n"
        yield from (f"- {_escape(case.title)}: {_escape(case.note)}" for case in report.cases)
    if report.skipped:
        yield "\n## Left out\n"
        yield from (f"- {_escape(line)}" for line in report.skipped)
    yield "\n## Made with\n"
    yield from (f"- {_escape(name)}: {_escape(value)}" for name, value in report.facts.items())
    if report.command:
        yield f"\n```\n{report.command}\n```"


def _table(table: Table) -> Iterator[str]:
    yield f"## {_escape(table.title)}\n"
    yield "| " + " | ".join(_escape(column.title) for column in table.columns) + " |"
    yield "|" + "|".join("---" if column.unit is Unit.TEXT else "--:" for column in table.columns) + "|"
    for row in table.rows[:MAX_ROWS]:
        cells = (format_cell(cell, column.unit) for cell, column in zip(row, table.columns, strict=True))
        yield "| " + " | ".join(_escape(cell) for cell in cells) + " |"
    if len(table.rows) > MAX_ROWS:
        yield f"\n{len(table.rows) - MAX_ROWS} more rows are in the HTML and the JSON."
    if table.note:
        yield f"\n{_escape(table.note)}"


def _escape(text: str) -> str:
    """One line that Markdown shows as it is."""
    flat = " ".join(text.split())
    return flat.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`").replace("*", "\\*")
