"""Cells as people read them. The same in HTML and in Markdown."""

from __future__ import annotations

import math

from perception.bench.report.model import Cell, Estimate, Unit

DASH = "–"


def format_cell(cell: Cell, unit: Unit) -> str:
    """One cell as text; a dash for what there is nothing to say of."""
    if cell is None:
        return DASH
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Estimate):
        return format_estimate(cell, unit)
    return format_number(cell, unit)


def format_estimate(estimate: Estimate, unit: Unit) -> str:
    """Its value with its interval, and its verdict in words."""
    if not math.isfinite(estimate.value):
        return DASH
    text = format_number(estimate.value, unit)
    if (
        math.isfinite(estimate.low)
        and math.isfinite(estimate.high)
        and (estimate.low, estimate.high)
        != (
            estimate.value,
            estimate.value,
        )
    ):
        text += f" [{_bare(estimate.low, unit)}, {_bare(estimate.high, unit)}]"
    return f"{text} {estimate.verdict}" if estimate.verdict else text


def format_number(value: float, unit: Unit) -> str:
    """A number with its unit."""
    if not math.isfinite(value):
        return DASH
    suffix = {
        Unit.SHARE: " %",
        Unit.DIFFERENCE: " pp",
        Unit.MILLISECONDS: " ms",
        Unit.MEBIBYTES: " MiB",
        Unit.RATIO: "×",
    }
    return _bare(value, unit) + suffix.get(unit, "")


def _bare(value: float, unit: Unit) -> str:
    match unit:
        case Unit.SHARE:
            return f"{value * 100:.1f}"
        case Unit.DIFFERENCE:
            return f"{value * 100:+.1f}"
        case Unit.RATIO:
            return f"{value:.2f}"
        case Unit.COUNT:
            return f"{value:,.0f}"
        case Unit.MILLISECONDS | Unit.MEBIBYTES:
            return f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"
        case _:
            return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
