"""Elements, and what changed of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perception.engine.changes import SnapshotChanges
from perception.render.select import depths
from perception.render.untrusted import Fence
from perception.server.convert.enums import enum_numbers
from perception.server.convert.message_fields import cut_text
from perception.types import Element, NameSource, Reach, Source
from perception.v1 import types_pb2 as pb

_SOURCES = enum_numbers(pb.Source, Source)
_REACHES = {Reach.UNSAID: pb.REACH_UNSPECIFIED} | enum_numbers(pb.Reach, Reach)


def element_messages(elements: Sequence[Element], indices: Iterable[int] | None = None) -> list[pb.Element]:
    """The elements at the indices; all of them without any."""
    depth = depths(elements)
    return [_element(elements[index], depth[index]) for index in (range(len(depth)) if indices is None else indices)]


def encode_elements(
    elements: Sequence[Element], indices: Iterable[int], encoded: dict[int, tuple[Element, int, bytes]]
) -> bytes:
    """The elements at the indices as a Snapshot's field.

    Args:
        encoded: what was last encoded, by the element's id, with its depth; this brings it up to date.
    """
    depth = depths(elements)
    last = dict(encoded)
    encoded.clear()
    parts = []
    for index in indices:
        element = elements[index]
        known = last.get(id(element))
        if known is None or known[1] != depth[index]:
            message = pb.Snapshot(elements=[_element(element, depth[index])])
            known = element, depth[index], message.SerializeToString()
        encoded[id(element)] = known
        parts.append(known[2])
    return b"".join(parts)


def diff_message(changes: SnapshotChanges, fence: Fence) -> pb.SnapshotDiff:
    """The changes, with their text marked as the page's words."""
    messages = {index: _element(element, depth) for index, (element, depth) in changes.elements.items()}
    text, token_count = fence.around_counted(changes.text.text, changes.text.token_count)
    return pb.SnapshotDiff(
        since_snapshot_id=changes.since_snapshot_id,
        added=[messages[index] for index in changes.diff.added],
        added_at=changes.diff.added,
        changed=[
            pb.ElementChange(
                element=messages[change.index], fields=change.fields, index=change.index, from_index=change.from_index
            )
            for change in changes.diff.changed
        ],
        removed_at=changes.diff.removed,
        removed_refs=changes.diff.removed_refs,
        text=text,
        token_count=token_count,
        text_is_snapshot=changes.text_is_snapshot,
    )


def _element(element: Element, depth: int) -> pb.Element:
    box, point, left = element.box, element.click_point, element.scrollable
    return pb.Element(
        ref=element.ref,
        role=element.role,
        name=cut_text(element.name),
        nth=element.nth,
        value=cut_text(element.value),
        states=element.states,
        box=pb.Box(x=box.left, y=box.top, width=box.width, height=box.height),
        sources=[_SOURCES[source] for source in element.sources],
        confidence=element.confidence,
        text=cut_text(element.text),
        backend_node_id=element.backend_node_id,
        frame=element.frame,
        in_viewport=element.in_viewport,
        reachable=element.reachable,
        covered_by=element.blocker,
        visible=element.visible,
        selector=element.selector,
        click_point=pb.Point(x=point.x, y=point.y) if point else None,
        depth=depth,
        hint=element.hint,
        unseen_text=bool(element.name) and not element.visible,
        reach=_REACHES[element.reach],
        scrollable=pb.Scrollable(up=left.up, down=left.down, left=left.left, right=left.right) if left else None,
        options=[cut_text(option) for option in element.options],
        name_source=pb.NAME_SOURCE_ICON if element.name_source is NameSource.ICON else pb.NAME_SOURCE_UNSPECIFIED,
        interactive=element.interactive,
    )
