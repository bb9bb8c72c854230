"""A report as one HTML file: nothing is loaded from elsewhere, so that it can be stored, mailed and opened offline.

Rule 1: everything from pages is data: escaped in HTML, and in JSON with `<` as an escape.
Rule 2: everything readable without a script is there without one: words, tables, pictures. Scripts sort, draw and
expand.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from perception.bench.extras import HTML_LIBRARIES, require
from perception.bench.report.formats import cell_words, format_cell, has_interval
from perception.bench.report.report_model import (
    Cell,
    Chart,
    ChartKind,
    Column,
    ColumnUnit,
    Estimate,
    Pane,
    Report,
    Series,
    ShownCase,
    Table,
    Tone,
)
from perception.render.overlay import OVERLAY_STYLE, OverlayBox, draw_overlay, draw_swatch

FILTER_FROM = 12
"""A longer table has a filter field: as many rows as fit on a screen."""

LONG_FACT = 90
"""A longer fact is collapsed (characters): a variant's whole file, for example."""

PAGE_SCRIPTS = ("tables.js", "charts.js", "cases.js")

TONES = {
    Tone.TRUE: "true, found",
    Tone.MISSED: "true, missed",
    Tone.FOUND: "listed, right",
    Tone.WRONG: "listed, wrong",
    Tone.NEUTRAL: "neither",
}

JUDGED = ("better", "worse")
"""Verdicts that have a color."""

MINUS = "\N{MINUS SIGN}"
"""As wide as a plus, so that signed numbers align. In Markdown it would break programs that read the numbers."""


def render_html(report: Report) -> str:
    """The report as one file.

    Raises:
        BadInputError: the libraries that draw it are not installed.
    """
    require("a report as HTML", HTML_LIBRARIES)
    from jinja2 import Environment, FileSystemLoader
    from plotly.offline import get_plotlyjs

    here = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader(here), autoescape=True, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )
    facts = [{"name": name, "value": value, "long": _is_long(value)} for name, value in report.facts.items()]
    return environment.get_template("report.html.j2").render(
        report=report,
        facts=sorted(facts, key=lambda fact: bool(fact["long"])),
        style=(here / "report.css").read_text("utf-8") + OVERLAY_STYLE,
        script="".join(f"{{\n{(here / name).read_text('utf-8')}}}\n" for name in PAGE_SCRIPTS),
        tables=[_table(table) for table in report.tables],
        charts=[_chart(chart) for chart in report.charts],
        charts_json=_json([_plot(chart) for chart in report.charts]),
        cases=[_case(index, case) for index, case in enumerate(report.cases)],
        tones=[{"kind": str(tone), "name": name, "swatch": draw_swatch(str(tone))} for tone, name in TONES.items()],
        plotly=get_plotlyjs() if report.charts else "",
    )


def _is_long(value: str) -> bool:
    return len(value) > LONG_FACT or "\n" in value


def _table(table: Table) -> dict[str, Any]:
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    drawn = [_column(column, cells) for column, cells in zip(table.columns, columns, strict=True)]
    return {
        "id": table.id,
        "title": table.title,
        "note": table.note,
        "filter": len(table.rows) >= FILTER_FROM,
        "columns": [
            {"title": column.title, "note": column.note, "number": column.unit is not ColumnUnit.TEXT}
            for column in table.columns
        ],
        "rows": list(zip(*drawn, strict=True)),
    }


def _column(column: Column, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Its cells as text, with their sort keys; padded to equal width, so that decimal points align."""
    words = [cell_words(cell, column.unit) for cell in cells]
    value_width = max((len(each.value) for each in words), default=0)
    interval_width = max((len(each.interval) for each in words), default=0)
    verdict_width = max((len(each.verdict) for each in words), default=0)
    ranges = _ranges(cells, column.unit)
    drawn: list[dict[str, Any]] = []
    for cell, said, line in zip(cells, words, ranges, strict=True):
        value = cell.value if isinstance(cell, Estimate) else cell
        verdict = cell if isinstance(cell, str) and cell in JUDGED else said.verdict
        found: dict[str, Any] = {"value": said.value, "verdict": verdict, "kind": verdict if verdict in JUDGED else ""}
        if isinstance(value, int | float) and not math.isnan(value):
            found |= {"number": repr(float(value)).replace("inf", "Infinity"), "value": said.value.replace("-", MINUS)}
        elif not isinstance(value, str) or value == "":
            found["none"] = True
        if isinstance(cell, Estimate):
            found |= {
                "estimate": True,
                "interval": said.interval.replace("-", MINUS),
                "range": line,
                "widths": (value_width, interval_width, verdict_width),
            }
        drawn.append(found)
    return drawn


def _ranges(cells: Sequence[Cell], unit: ColumnUnit) -> list[dict[str, float] | None]:
    """Positions of each interval, and of "no difference", on a line of 0 … 100 that the column shares.

    Only for units with such a line: shares are between none and all, differences around 0, ratios around 1.
    """
    found = [cell if isinstance(cell, Estimate) and has_interval(cell) else None for cell in cells]
    if unit not in (ColumnUnit.SHARE, ColumnUnit.DIFFERENCE, ColumnUnit.RATIO) or not any(found):
        return [None] * len(cells)

    def scaled(value: float) -> float:
        return math.log(max(value, 1e-3)) if unit is ColumnUnit.RATIO else value

    ends = [abs(scaled(end)) for each in found if each for end in (each.low, each.high, each.value)]
    most = max((end for end in ends if math.isfinite(end)), default=0.0) or 1.0
    low, high = (0.0, 1.0) if unit is ColumnUnit.SHARE else (-most, most)

    def place(value: float) -> float:
        return round(min(max((scaled(value) - low) / (high - low), 0.0), 1.0) * 100, 1)

    same = place(1.0 if unit is ColumnUnit.RATIO else 0.0)
    return [
        {"low": place(each.low), "high": place(each.high), "value": place(each.value), "same": same} if each else None
        for each in found
    ]


def _chart(chart: Chart) -> dict[str, Any]:
    """The surroundings of a plot, with its numbers as a table if each category has one for each series."""
    return {
        "id": chart.id,
        "title": chart.title,
        "note": chart.note,
        "kind": str(chart.kind),
        "names": [series.name for series in chart.series],
        "rows": _numbers(chart) if chart.kind in (ChartKind.BARS, ChartKind.LINES) else [],
    }


def _numbers(chart: Chart) -> list[list[str]]:
    values = [dict(zip(series.x, series.y, strict=True)) for series in chart.series]
    places = dict.fromkeys(place for series in chart.series for place in series.x)
    return [
        [
            format_cell(place, ColumnUnit.NUMBER),
            *(format_cell(series.get(place), chart.y_unit).replace("-", MINUS) for series in values),
        ]
        for place in places
    ]


def _plot(chart: Chart) -> dict[str, Any]:
    """The script's input for a chart."""
    return {
        "id": chart.id,
        "kind": str(chart.kind),
        "x": chart.x_title,
        "y": chart.y_title,
        "unit": chart.y_unit.name.lower(),
        "diagonal": chart.diagonal,
        "logarithmic": chart.logarithmic,
        "series": [_series(series, chart) for series in chart.series],
    }


def _series(series: Series, chart: Chart) -> dict[str, Any]:
    values = [each.value if isinstance(each, Estimate) else each for each in series.y]
    found: dict[str, Any] = {
        "name": series.name,
        "x": [each if isinstance(each, str) else _finite(each) for each in series.x],
        "y": [_finite(value) for value in values],
        "labels": list(series.labels),
        "texts": [format_cell(each, chart.y_unit) for each in series.y],
    }
    if any(isinstance(each, Estimate) and has_interval(each) for each in series.y):
        found["above"] = [each.high - each.value if _is_drawn(each) else 0 for each in series.y]
        found["below"] = [each.value - each.low if _is_drawn(each) else 0 for each in series.y]
    return found


def _is_drawn(value: float | Estimate | None) -> TypeGuard[Estimate]:
    return isinstance(value, Estimate) and all(map(math.isfinite, (value.value, value.low, value.high)))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _case(index: int, case: ShownCase) -> dict[str, Any]:
    kind = "png" if case.image.startswith(b"\x89PNG") else "jpeg"
    middle = case.panes[len(case.panes) // 2] if case.panes else None
    return {
        "id": f"report-case-{index}",
        "title": case.title,
        "note": case.note,
        "image": f"data:image/{kind};base64,{base64.b64encode(case.image).decode()}",
        "width": f"{case.width:g}",
        "height": f"{case.height:g}",
        "overlay": _overlay(case, middle, labels=False) if middle else "",
        "panes": [
            {
                "title": pane.title,
                "count": len(pane.marks),
                "text": pane.text,
                "overlay": _overlay(case, pane, labels=True),
            }
            for pane in case.panes
        ],
    }


def _overlay(case: ShownCase, pane: Pane, *, labels: bool) -> str:
    boxes = (OverlayBox(mark.box, str(mark.tone), mark.label if labels else "") for mark in pane.marks)
    return draw_overlay(boxes, case.width, case.height)


def _json(value: Any) -> str:
    """JSON that is safe in a script element, regardless of text from pages."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
