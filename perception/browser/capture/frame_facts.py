"""What the walker says of one frame, and how frames become one list of elements.

Rows come in their own frame's coordinates; `place` puts them into the tab's viewport.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from perception.browser.walker.row_layout import (
    IN_VIEWPORT,
    INTERACTIVE,
    LOCKED,
    REACHABLE,
    REACHES,
    SENSITIVE,
    STRUCTURE,
    TERM,
    VISIBLE,
    FrameRow,
    Row,
)
from perception.geometry import Box, Point
from perception.types import Element, NodeKey, Opaque, Reach, Scrollable, Source


class WalkReply(msgspec.Struct):
    """One frame's walk. The walker itself has `listeners` event listeners now, and has seen `collections` of garbage.
    The document has been loading for `making` ms without a body yet; -1 where it has one, or none is to come.

    Where the walker left out rows that are the same as in the walk that was named to it, `same` has runs of them: where
    a run begins, where it began then, its length. `walk` is the walker's number of this walk.
    """

    rows: list[Row]
    frames: list[FrameRow]
    same: list[int] | None = None
    walk: int = 0
    url: str = ""
    title: str = ""
    language: str = ""
    viewport: tuple[float, float, float] = (0, 0, 1)
    scroll: tuple[float, float, float, float] = (0, 0, 0, 0)
    visible: bool = True
    changes: int = 0
    moving: int = 0
    ready: str = "complete"
    making: float = -1
    suspects: int = 0
    listeners: int = 0
    collections: int = 0


@dataclass(slots=True)
class FrameFacts:
    """One frame with the frames inside it; `children` by the row of their iframe element.

    `placed` has the element that was last made of each row, None for a row that is new; `place` brings it up to date.
    It is empty where nothing is known of the last look.
    """

    frame: str
    loader: str
    reply: WalkReply
    backend_ids: dict[int, int] = field(default_factory=dict)
    children: dict[int, tuple[FrameRow, FrameFacts]] = field(default_factory=dict)
    source: Source = Source.DOM
    placed: list[Element | None] = field(default_factory=list)


decode_walk = msgspec.json.Decoder(WalkReply).decode


def reachable_points(facts: FrameFacts, at: FrameRow) -> list[tuple[Row, tuple[float, float]]]:
    """Click points of a frame and the frames inside it, in the coordinates of the frame that holds it at `at`."""
    own = [(row, row.point) for row in facts.reply.rows if row.flags & REACHABLE and row.point]
    for child_at, child in facts.children.values():
        own += reachable_points(child, child_at)
    return [(row, (at.x + x * at.scale_x, at.y + y * at.scale_y)) for row, (x, y) in own]


def mark_unreachable(row: Row, reach: Reach, cover: tuple[str, int, str] = ("", 0, "")) -> None:
    """Removes a row's click point. `cover` is the loader, the number and a description of what covers it."""
    if row.reach == REACHES.index(Reach.UNSAID):
        return
    row.flags &= ~REACHABLE
    row.point = None
    row.reach = REACHES.index(reach)
    row.covered_in, row.covered_by, row.blocker = cover


def place(facts: FrameFacts, *, top: bool = True) -> list[Element]:
    """All elements of a frame tree, in document order, in the tab's viewport."""
    elements: list[Element] = []
    _place(facts, elements, parent=-1, origin=(0.0, 0.0), scale=(1.0, 1.0), frame_id="" if top else facts.frame)
    return elements


def _place(
    facts: FrameFacts,
    elements: list[Element],
    *,
    parent: int,
    origin: tuple[float, float],
    scale: tuple[float, float],
    frame_id: str,
    unreachable: bool = False,
    unseen: bool = False,
) -> None:
    if unreachable:  # regardless of the frame's own facts: no click reaches it
        for row in facts.reply.rows:
            mark_unreachable(row, Reach.NEVER)
    if unseen:  # nor does anybody see it
        for row in facts.reply.rows:
            row.flags &= ~VISIBLE
    rows, children = facts.reply.rows, facts.children
    placed = facts.placed or [None] * len(rows)
    index_of: list[int] = []
    for number, row in enumerate(rows):
        above = index_of[row.parent] if row.parent >= 0 else parent
        element = placed[number]
        if element is None or not _is_still(element, facts, number, row, above):
            element = _element(facts, number, row, above, origin=origin, scale=scale, frame_id=frame_id)
            placed[number] = element
        index_of.append(len(elements))
        elements.append(element)
        if number in children:
            at, child = children[number]
            _place(
                child,
                elements,
                parent=index_of[number],
                origin=(origin[0] + at.x * scale[0], origin[1] + at.y * scale[1]),
                scale=(scale[0] * at.scale_x, scale[1] * at.scale_y),
                frame_id=child.frame,
                unreachable=unreachable or row.reach == REACHES.index(Reach.NEVER),
                unseen=unseen or not row.flags & VISIBLE,
            )


def _is_still(element: Element, facts: FrameFacts, number: int, row: Row, parent: int) -> bool:
    """Whether an element that was made of a row is what would be made of it now: in a top document, the rest of it
    depends on the row alone."""
    return (
        element.parent == parent
        and element.backend_node_id == facts.backend_ids.get(row.node)
        and (not row.opaque or (element.opaque is None) == (number in facts.children))
        and element.node is not None
        and element.node.loader == facts.loader
    )


def _element(
    facts: FrameFacts,
    number: int,
    row: Row,
    parent: int,
    *,
    origin: tuple[float, float],
    scale: tuple[float, float],
    frame_id: str,
) -> Element:
    left, top, right, bottom = row.box
    entered = number in facts.children
    return Element(
        role=row.role,
        name=row.name,
        box=Box(
            origin[0] + left * scale[0],
            origin[1] + top * scale[1],
            origin[0] + max(left, right) * scale[0],
            origin[1] + max(top, bottom) * scale[1],
        ),
        nth=row.nth,
        value=row.value,
        states=tuple(row.states),
        sources=(facts.source,),
        text=row.text,
        hint=row.hint,
        backend_node_id=facts.backend_ids.get(row.node),
        frame=frame_id,
        in_viewport=bool(row.flags & IN_VIEWPORT),
        reachable=bool(row.flags & REACHABLE),
        covered_by=NodeKey(row.covered_in or facts.loader, row.covered_by) if row.covered_by else None,
        blocker=row.blocker,
        visible=bool(row.flags & VISIBLE),
        click_point=Point(origin[0] + row.point[0] * scale[0], origin[1] + row.point[1] * scale[1])
        if row.point
        else None,
        parent=parent,
        interactive=bool(row.flags & INTERACTIVE),
        opaque=Opaque(row.opaque) if row.opaque and not entered else None,
        node=NodeKey(facts.loader, row.node),
        reach=REACHES[row.reach],
        scrollable=Scrollable(*row.scrollable) if row.scrollable else None,
        options=tuple(row.options),
        option_count=row.option_count,
        sensitive=bool(row.flags & SENSITIVE),
        locked=bool(row.flags & LOCKED),
        structure=bool(row.flags & STRUCTURE),
        is_term=bool(row.flags & TERM),
        row=row.in_row,
    )
