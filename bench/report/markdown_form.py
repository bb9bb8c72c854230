"""A report as Markdown: for notes, logs and pull requests.

Rule 1: it is read in terminals as well as on pages, so only characters that would change the rendering are escaped.
Rule 2: text from pages makes no link, image, heading or tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perception.bench.report.formats import format_cell
from perception.bench.report.report_model import ColumnUnit, Report, Table

MAX_TABLE_ROWS = 60
"""Rows of one table: a note is read, not searched. The HTML and the JSON have all."""

# GFM 0.29: emphasis by `_` needs an edge of a word (6.2), links and images have `](` or `][` (6.6), and an `&` starts
# an entity only before a name or number and a semicolon (6.2).
_INLINE = re.compile(r"[\\`*<|~]|(?<!\w)_+|_+(?!\w)|(?<=\])(?=[(\[])|&(?=#?\w+;)")

# Starts a heading, a quote, a list, a rule, a link's definition or a task at the start of a line.
_FIRST = re.compile(r"^(?:[#>+=\[-]|(?P<number>\d{1,9})(?=[.)](?:\s|$)))")

# Closes a heading (4.2): it would not be shown.
_CLOSING = re.compile(r"(?<= )(?=#+$)")


def render_markdown(report: Report) -> str:
    """The report without its charts and images."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# {_heading(report.title)}"
    if report.made:
        yield f"\nMade {_line(report.made)}."
    if report.summary:
        yield ""
        yield from (f"- {_line(line)}" for line in report.summary)
    for table in report.tables:
        yield f"\n## {_heading(table.title)}\n"
        yield from table_lines(table)
    if report.cases:
        yield "\n## Worst cases\n"
        for case in report.cases:
            counts = ", ".join(f"{inline(pane.title)} {len(pane.marks)}" for pane in case.panes)
            boxes = f" (boxes: {counts})" if counts else ""
            note = f": {inline(case.note)}" if case.note else ""
            yield f"- {_line(case.title)}{note}{boxes}"
    if report.skipped:
        yield "\n## Left out\n"
        yield from (f"- {_line(line)}" for line in report.skipped)
    if report.facts:
        yield "\n## Made with\n"
        yield from (f"- {_line(name)}: {inline(value)}" for name, value in report.facts.items())
    if report.command:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", report.command)), default=0))
        yield f"\n{fence}sh\n{report.command}\n{fence}"


def table_lines(table: Table) -> Iterator[str]:
    """The lines of a table and of its notes, without its title."""
    yield "| " + " | ".join(inline(column.title) for column in table.columns) + " |"
    yield "|" + "|".join("---" if column.unit is ColumnUnit.TEXT else "--:" for column in table.columns) + "|"
    for row in table.rows[:MAX_TABLE_ROWS]:
        cells = (format_cell(cell, column.unit) for cell, column in zip(row, table.columns, strict=True))
        yield "| " + " | ".join(inline(cell) for cell in cells) + " |"
    if len(table.rows) > MAX_TABLE_ROWS:
        yield f"\n{len(table.rows) - MAX_TABLE_ROWS} more rows are in the HTML and the JSON."
    notes = [f"{_line(column.title)}: {inline(column.note)}" for column in table.columns if column.note]
    for said in filter(None, (_line(table.note), "; ".join(notes))):
        yield "\n" + said


def inline(text: str) -> str:
    """Text on one line that renders literally in the middle of another one."""
    return _INLINE.sub(lambda found: "&amp;" if found[0] == "&" else "\\" + "\\".join(found[0]), " ".join(text.split()))


def _line(text: str) -> str:
    """The same, at the start of a line."""
    return _FIRST.sub(lambda found: f"{found['number']}\\" if found["number"] else f"\\{found[0]}", inline(text))


def _heading(text: str) -> str:
    """The same, as a whole heading."""
    return _CLOSING.sub(r"\\", _line(text))
