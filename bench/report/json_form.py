"""A report as JSON: every number unrounded, for programs. Keys and their order do not depend on what was measured."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict
from typing import Any

from perception.bench.report.report_model import Report, ShownCase, Tone


def render_json(report: Report) -> str:
    """The report without its images; for a case's boxes, the counts. Numbers that are not finite are null."""
    whole = {
        "title": report.title,
        "made": report.made,
        "command": report.command,
        "summary": list(report.summary),
        "facts": report.facts,
        "tables": [asdict(table) for table in report.tables],
        "charts": [asdict(chart) for chart in report.charts],
        "cases": [_case(case) for case in report.cases],
        "skipped": list(report.skipped),
    }
    return json.dumps(_finite(whole), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _case(case: ShownCase) -> dict[str, Any]:
    panes = []
    for pane in case.panes:
        tones = Counter(mark.tone for mark in pane.marks)
        panes.append(
            {
                "title": pane.title,
                "boxes": len(pane.marks),
                "boxes_by_tone": {tone.value: tones[tone] for tone in Tone},
                "text": pane.text,
            }
        )
    return {
        "title": case.title,
        "note": case.note,
        "width": case.width,
        "height": case.height,
        "image_bytes": len(case.image),
        "panes": panes,
    }


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
