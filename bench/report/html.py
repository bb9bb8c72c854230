"""A report as one HTML file: nothing is loaded from anywhere, so that it can be kept, mailed and opened offline.

Rule 1: everything from pages is data: escaped in HTML, and in JSON whose `<` are written as escapes.
"""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from typing import Any

from perception.bench.report.formats import format_cell
from perception.bench.report.model import Case, Cell, Chart, Estimate, Report, Series, Table, Unit
from perception.errors import BadInputError
from perception.render.overlay import OverlayBox, draw_overlay

MISSING = "a report as HTML needs jinja2 and plotly: pip install 'perception-service[bench]'"

FILTER_FROM = 15
"""Rows from which a table has a field to filter it by."""


def render_html(report: Report) -> str:
    """The report as one file.

    Raises:
        BadInputError: the libraries that draw it are not installed.
    """
    try:
        from jinja2 import Environment, FileSystemLoader
        from plotly.offline import get_plotlyjs
    except ImportError as exc:
        raise BadInputError(MISSING) from exc
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html.j2").render(
        report=report,
        tables=[_table(table) for table in report.tables],
        cases=[_case(index, case) for index, case in enumerate(report.cases)],
        charts_json=_json([_chart(chart) for chart in report.charts]),
        plotly=get_plotlyjs() if report.charts else "",
    )


def _table(table: Table) -> dict[str, Any]:
    return {
        "id": table.id,
        "title": table.title,
        "note": table.note,
        "filter": len(table.rows) >= FILTER_FROM,
        "columns": [
            {"title": column.title, "note": column.note, "number": column.unit is not Unit.TEXT}
            for column in table.columns
        ],
        "rows": [
            [_cell(cell, column.unit) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows
        ],
    }


def _cell(cell: Cell, unit: Unit) -> dict[str, str]:
    """A cell's words, what it is sorted by, and its class."""
    value = cell.value if isinstance(cell, Estimate) else cell
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        key = ""
    else:
        key = value if isinstance(value, str) else repr(float(value))
    verdict = cell.verdict if isinstance(cell, Estimate) else cell if isinstance(cell, str) else ""
    kind = verdict if verdict in ("better", "worse") else ""
    return {"text": format_cell(cell, unit), "key": key, "kind": kind}


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "id": chart.id,
        "title": chart.title,
        "kind": str(chart.kind),
        "x": chart.x_title,
        "y": chart.y_title,
        "share": chart.y_unit in (Unit.SHARE, Unit.DIFFERENCE),
        "diagonal": chart.diagonal,
        "note": chart.note,
        "series": [_series(series) for series in chart.series],
    }


def _series(series: Series) -> dict[str, Any]:
    values = [each.value if isinstance(each, Estimate) else each for each in series.y]
    ends = [(each.low, each.high) if isinstance(each, Estimate) else None for each in series.y]
    found: dict[str, Any] = {
        "name": series.name,
        "x": list(series.x),
        "y": [_finite(value) for value in values],
        "labels": list(series.labels),
    }
    if any(ends):
        pairs = [(value or 0.0, each or (value or 0.0, value or 0.0)) for value, each in zip(values, ends, strict=True)]
        found["above"] = [_finite(high - value) for value, (_, high) in pairs]
        found["below"] = [_finite(value - low) for value, (low, _) in pairs]
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _case(index: int, case: Case) -> dict[str, Any]:
    kind = "png" if case.image.startswith(b"\x89PNG") else "jpeg"
    return {
        "id": f"case-{index}",
        "title": case.title,
        "note": case.note,
        "image": f"data:image/{kind};base64,{base64.b64encode(case.image).decode()}",
        "width": case.width,
        "height": case.height,
        "panes": [
            {
                "title": pane.title,
                "count": len(pane.marks),
                "text": pane.text,
                "overlay": draw_overlay(
                    (OverlayBox(mark.box, str(mark.tone), mark.label) for mark in pane.marks), case.width, case.height
                ),
            }
            for pane in case.panes
        ],
    }


def _json(value: Any) -> str:
    """JSON that may stand in a script element whatever pages say."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
