"""Snapshots as JSON: text as it was served, and the boxes of its elements."""

from __future__ import annotations

from typing import Any

from perception.v1 import types_pb2 as types

_PAGE = frozenset((types.SOURCE_AX, types.SOURCE_DOM))
_VISION = frozenset((types.SOURCE_OCR, types.SOURCE_DETECTOR))

MAX_BOXES = 2000
"""More than anybody can tell apart, and than a browser draws in a frame."""


def plain_snapshot(snapshot: Any) -> dict[str, Any]:
    """A Snapshot. `boxes` are those of elements with a ref in the viewport, in the order of the list."""
    boxes = [plain_box(each) for each in snapshot.elements if each.ref and each.in_viewport]
    return {
        "id": snapshot.snapshot_id,
        "tabId": snapshot.tab_id,
        "url": snapshot.url,
        "title": snapshot.title,
        "viewport": {"width": snapshot.viewport.width, "height": snapshot.viewport.height},
        "scroll": {"x": snapshot.scroll.x, "y": snapshot.scroll.y},
        "text": snapshot.text,
        "tokens": snapshot.token_count,
        "elements": len(snapshot.elements),
        "omitted": snapshot.omitted_count,
        "boxes": boxes[:MAX_BOXES],
        "timings": [{"stage": each.stage, "ms": each.milliseconds} for each in snapshot.timings],
        "skipped": [{"name": each.name, "reason": each.reason} for each in snapshot.skipped],
        "notes": list(snapshot.notes),
        "diff": plain_diff(snapshot.diff) if snapshot.HasField("diff") else None,
    }


def plain_box(element: Any) -> dict[str, Any]:
    """An Element with its box: `kind` is the color of the annotated image, `page`, `vision` or `both`."""
    box = element.box
    return {
        "ref": element.ref,
        "role": element.role,
        "name": element.name or element.text,
        "kind": kind_of(element.sources),
        "covered": bool(element.covered_by) and not element.reachable,
        "coveredBy": element.covered_by,
        "box": [round(each, 1) for each in (box.x, box.y, box.width, box.height)],
    }


def kind_of(sources: Any) -> str:
    """The same distinction as `perception.render.annotate` makes by color."""
    page, vision = not _PAGE.isdisjoint(sources), not _VISION.isdisjoint(sources)
    if page and vision:
        return "both"
    return "page" if page else "vision"


def plain_diff(diff: Any) -> dict[str, Any]:
    return {
        "since": diff.since_snapshot_id,
        "text": diff.text,
        "tokens": diff.token_count,
        "textIsSnapshot": diff.text_is_snapshot,
        "added": len(diff.added),
        "changed": len(diff.changed),
        "removed": len(diff.removed_refs),
    }


def plain_explanation(reply: Any) -> dict[str, Any]:
    """An ExplainElementResponse."""
    return {
        "summary": reply.summary,
        "listed": reply.listed,
        "box": plain_box(reply.element) if reply.HasField("element") else None,
        "stages": [
            {
                "stage": _word(reply.DESCRIPTOR.file.enum_types_by_name["Stage"], each.stage),
                "outcome": _word(reply.DESCRIPTOR.file.enum_types_by_name["StageOutcome"], each.outcome),
                "reason": each.reason,
                "facts": [{"name": fact.name, "value": fact.value} for fact in each.facts],
            }
            for each in reply.stages
        ],
    }


def _word(enum: Any, number: int) -> str:
    """`hit test` of STAGE_HIT_TEST."""
    value = enum.values_by_number.get(number)
    prefix = "STAGE_OUTCOME_" if enum.name == "StageOutcome" else "STAGE_"
    return value.name.removeprefix(prefix).lower().replace("_", " ") if value else str(number)
