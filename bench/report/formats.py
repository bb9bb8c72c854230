"""Cells as people read them. The same in HTML and in Markdown."""

from __future__ import annotations

import math
from dataclasses import dataclass

from perception.bench.report.model import Cell, Estimate, Unit

DASH = "–"

SUFFIX = {
    Unit.SHARE: "%",
    Unit.DIFFERENCE: " pp",
    Unit.MILLISECONDS: " ms",
    Unit.MEBIBYTES: " MiB",
    Unit.RATIO: "×",
}


@dataclass(frozen=True, slots=True)
class Words:
    """A cell in words. `interval` is `[low, high]` in the unit of the value; empty where there is none."""

    value: str
    interval: str = ""
    verdict: str = ""


def format_cell(cell: Cell, unit: Unit) -> str:
    """One cell as text; a dash for what there is nothing to say of."""
    words = cell_words(cell, unit)
    return " ".join(filter(None, (words.value, words.interval, words.verdict)))


def cell_words(cell: Cell, unit: Unit) -> Words:
    """One cell's value, interval and verdict. An interval of the value alone is none."""
    if cell is None or cell == "":
        return Words(DASH)
    if isinstance(cell, str):
        return Words(cell)
    if not isinstance(cell, Estimate):
        return Words(format_number(cell, unit))
    if math.isnan(cell.value):
        return Words(DASH, "", cell.verdict)
    return Words(format_number(cell.value, unit), _interval(cell, unit), cell.verdict)


def format_number(value: float, unit: Unit) -> str:
    """A number with its unit; a dash for what is no number."""
    return DASH if math.isnan(value) else _bare(value, unit) + SUFFIX.get(unit, "")


def has_interval(estimate: Estimate) -> bool:
    """Whether it has ends that say more than its value."""
    ends = (estimate.low, estimate.high)
    return not any(map(math.isnan, ends)) and ends != (estimate.value, estimate.value)


def _interval(estimate: Estimate, unit: Unit) -> str:
    return f"[{_bare(estimate.low, unit)}, {_bare(estimate.high, unit)}]" if has_interval(estimate) else ""


def _bare(value: float, unit: Unit) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    match unit:
        case Unit.SHARE:
            return _fixed(value * 100, 1)
        case Unit.DIFFERENCE:
            text = _fixed(value * 100, 1)
            return text if text.startswith("-") or text == "0.0" else f"+{text}"
        case Unit.RATIO:
            return _fixed(value, 2)
        case Unit.COUNT:
            return _fixed(value, 0 if float(value).is_integer() else 1)
        case Unit.MILLISECONDS | Unit.MEBIBYTES:
            return _fixed(value, 1 if abs(value) < 100 else 0)
        case _:
            # From 9,999.5 on, four digits would be written as 1e+04.
            return f"{value + 0:.4g}" if abs(value) < 9_999.5 else f"{value:,.0f}"


def _fixed(value: float, digits: int) -> str:
    """So many digits after the point, and no minus before a zero."""
    return f"{round(value, digits) + 0.0:,.{digits}f}"
