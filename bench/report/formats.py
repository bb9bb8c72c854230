"""Cells as text, equal in HTML and in Markdown."""

from __future__ import annotations

import math
from dataclasses import dataclass

from perception.bench.report.report_model import Cell, ColumnUnit, Estimate

DASH = "–"

SUFFIX = {
    ColumnUnit.SHARE: "%",
    ColumnUnit.DIFFERENCE: " pp",
    ColumnUnit.MILLISECONDS: " ms",
    ColumnUnit.MEBIBYTES: " MiB",
    ColumnUnit.RATIO: "×",
}


@dataclass(frozen=True, slots=True)
class Words:
    """A cell as text. `interval` is `[low, high]` in the unit of the value; empty if there is none."""

    value: str
    interval: str = ""
    verdict: str = ""


def format_cell(cell: Cell, unit: ColumnUnit) -> str:
    """One cell as text; a dash for an empty cell."""
    words = cell_words(cell, unit)
    return " ".join(filter(None, (words.value, words.interval, words.verdict)))


def cell_words(cell: Cell, unit: ColumnUnit) -> Words:
    """One cell's value, interval and verdict. An interval that contains only the value is omitted."""
    if cell is None or cell == "":
        return Words(DASH)
    if isinstance(cell, str):
        return Words(cell)
    if not isinstance(cell, Estimate):
        return Words(format_number(cell, unit))
    if math.isnan(cell.value):
        return Words(DASH, "", cell.verdict)
    return Words(format_number(cell.value, unit), _interval(cell, unit), cell.verdict)


def format_number(value: float, unit: ColumnUnit) -> str:
    """A number with its unit; a dash for anything but a finite number."""
    return DASH if math.isnan(value) else _bare(value, unit) + SUFFIX.get(unit, "")


def has_interval(estimate: Estimate) -> bool:
    """Whether its ends add information to its value."""
    ends = (estimate.low, estimate.high)
    return not any(map(math.isnan, ends)) and ends != (estimate.value, estimate.value)


def _interval(estimate: Estimate, unit: ColumnUnit) -> str:
    return f"[{_bare(estimate.low, unit)}, {_bare(estimate.high, unit)}]" if has_interval(estimate) else ""


def _bare(value: float, unit: ColumnUnit) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    match unit:
        case ColumnUnit.SHARE:
            return _fixed(value * 100, 1)
        case ColumnUnit.DIFFERENCE:
            text = _fixed(value * 100, 1)
            return text if text.startswith("-") or text == "0.0" else f"+{text}"
        case ColumnUnit.RATIO:
            return _fixed(value, 2)
        case ColumnUnit.COUNT:
            return _fixed(value, 0 if float(value).is_integer() else 1)
        case ColumnUnit.MILLISECONDS | ColumnUnit.MEBIBYTES:
            return _fixed(value, 1 if abs(value) < 100 else 0)
        case _:
            # From 9,999.5, four digits would be written as 1e+04.
            return f"{value + 0:.4g}" if abs(value) < 9_999.5 else f"{value:,.0f}"


def _fixed(value: float, digits: int) -> str:
    """Fixed number of digits after the point, and no minus before a zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"
