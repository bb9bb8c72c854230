"""Converts a snapshot from the wire to the form in which lists are judged."""

from __future__ import annotations

from collections.abc import Sequence

from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.geometry import Box
from perception.types import Source
from perception.v1 import types_pb2 as pb

_WIRE_SOURCES = {
    pb.SOURCE_AX: Source.AX,
    pb.SOURCE_DOM: Source.DOM,
    pb.SOURCE_OCR: Source.OCR,
    pb.SOURCE_DETECTOR: Source.DETECTOR,
}


def seen_of_snapshot(snapshot: pb.Snapshot, who: str, around: Sequence[Box]) -> LookOutput:
    """A snapshot from the wire, without the elements `around` the task. Elements with a ref that are not text are
    interactive."""
    elements = (_element(each) for each in snapshot.elements)
    return LookOutput(
        sample=snapshot.url,
        id=snapshot.snapshot_id,
        who=who,
        elements=tuple(
            each for each in elements if each.box is None or not any(box.contains(each.box.center) for box in around)
        ),
        text=snapshot.text,
        tokens=snapshot.token_count,
        skipped=tuple(f"{each.name}: {each.reason}" for each in snapshot.skipped),
    )


def _element(each: pb.Element) -> ListedElement:
    has_point = each.HasField("click_point")
    return ListedElement(
        ref=each.ref,
        role=each.role,
        name=each.name,
        box=Box(each.box.x, each.box.y, each.box.x + each.box.width, each.box.y + each.box.height),
        interactive=bool(each.ref) and each.role != "text",
        reachable=each.reachable,
        point=(each.click_point.x, each.click_point.y) if has_point else None,
        text=each.text,
        value=each.value,
        sources=tuple(_WIRE_SOURCES[source] for source in each.sources),
        confidence=each.confidence,
        in_viewport=each.in_viewport,
        backend_node_id=each.backend_node_id if each.HasField("backend_node_id") else None,
    )
