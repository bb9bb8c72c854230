"""A report as JSON: every number as it is, for programs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from perception.bench.report.model import Report


def render_json(report: Report) -> str:
    """The report without its images. What is not a finite number is null."""
    cases = [
        {
            "title": case.title,
            "note": case.note,
            "panes": [{"title": pane.title, "text": pane.text} for pane in case.panes],
        }
        for case in report.cases
    ]
    whole = {
        "title": report.title,
        "made": report.made,
        "command": report.command,
        "summary": list(report.summary),
        "facts": report.facts,
        "tables": [asdict(table) for table in report.tables],
        "charts": [asdict(chart) for chart in report.charts],
        "cases": cases,
        "skipped": list(report.skipped),
    }
    return json.dumps(_finite(whole), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
