"""What refs stand for: a node of the page, or a place in its pixels."""

from __future__ import annotations

from dataclasses import dataclass

from perception.geometry import Box, Point
from perception.imaging.patch_similarity import Likeness
from perception.types import Engine, NodeKey, Scroll


@dataclass(frozen=True, slots=True)
class PageRef:
    """What a ref of a node stands for.

    Attributes:
        ref: the ref, `e1`.
        tab_id: tab of the node.
        node: identity of the node.
        role: role at the time of the assignment.
        name: name at the time of the assignment.
        engine: source of role and name.
        backend_node_id: CDP id of the node; None if it was not known.
        row: text that identifies its row; empty where there is none, or none was needed.
    """

    ref: str
    tab_id: str
    node: NodeKey
    role: str
    name: str
    engine: Engine
    backend_node_id: int | None
    row: str = ""


@dataclass(frozen=True, slots=True)
class VisionRef:
    """What a ref of a vision element stands for: a place in the pixels of its owner, or of the viewport.

    Attributes:
        ref: the ref, `v1`.
        tab_id: tab of the element.
        loader: CDP LoaderId of the top document.
        role: role of the element.
        name: text of the element.
        box: box at the time of the capture, CSS px of the viewport.
        point: click point at the time of the capture, CSS px of the viewport.
        scroll: scroll position at the time of the capture.
        owner: node of the opaque element around it; None for the viewport.
        offset: `point` from the top left corner of the owner's box, CSS px.
        likeness: its pixels at the time of the capture; None without a screenshot.
    """

    ref: str
    tab_id: str
    loader: str
    role: str
    name: str
    box: Box
    point: Point
    scroll: Scroll
    owner: NodeKey | None
    offset: Point
    likeness: Likeness | None
