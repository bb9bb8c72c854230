"""Reads Chromium's own facts of a tab: nodes, boxes, styles, text runs and accessibility facts of every document.

They come from `DOMSnapshot.captureSnapshot` and `Accessibility.getFullAXTree`, without our page walker, which they are
the ground truth for. All boxes are in CSS px of the tab's viewport.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from perception.browser.capture.axtree import role_of, states_of, text_of
from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.geometry import Box, union
from perception.types import Viewport

COMPUTED_STYLES = (
    "cursor",
    "visibility",
    "opacity",
    "background-color",
    "background-image",
    "overflow-x",
    "overflow-y",
    "position",
)

PHASE = "reading what is true"


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """A node of the accessibility tree that is not ignored; `focusable` by its properties."""

    role: str
    name: str
    states: tuple[str, ...]
    focusable: bool


@dataclass(frozen=True, slots=True)
class TextRun:
    """A painted piece of text on one line.

    Attributes:
        node: index of the text node.
        text: the text.
        box: CSS px of the tab's viewport.
    """

    node: int
    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Place:
    """Position of a frame's viewport in the tab's: `left + x * scale`.

    Attributes:
        left: CSS px of the tab's viewport.
        top: CSS px of the tab's viewport.
        scale: tab px for each px of the frame.
        clip: the part of the tab's viewport that shows the frame.
    """

    left: float
    top: float
    scale: float
    clip: Box


@dataclass(slots=True)
class Document:
    """One document, as columns by node index.

    Attributes:
        session: CDP session for hit tests in it; `root` is the place of that session's outermost document.
        scroll: scroll position, CSS px of the document.
        boxes: boxes of nodes that have a layout; styles: values of COMPUTED_STYLES, in that order.
        clickable: nodes with a mouse listener of their own, and links.
        facts: by node, from the accessibility tree.
        frames: which frame an iframe node holds.
    """

    frame: str
    session: CdpSession
    place: Place
    root: Place
    root_scroll: tuple[float, float]
    names: list[str]
    parents: list[int]
    backend_ids: list[int]
    attributes: list[dict[str, str]]
    boxes: dict[int, Box]
    styles: dict[int, tuple[str, ...]]
    runs: list[TextRun]
    clickable: frozenset[int]
    facts: dict[int, DocumentFacts] = field(default_factory=dict)
    by_backend_id: dict[int, int] = field(default_factory=dict)

    def style(self, node: int, name: str) -> str:
        """A computed style; "" for a node without a layout."""
        styles = self.styles.get(node)
        return styles[COMPUTED_STYLES.index(name)] if styles else ""

    def shown(self, node: int) -> Box | None:
        """The part of a node's box that is not clipped by its frame or an ancestor; None if nothing is left."""
        box: Box | None = self.boxes[node].intersect(self.place.clip)
        position = self.style(node, "position")
        for above in self.ancestors(node)[1:]:
            if box is None or position == "fixed":
                break
            if position == "absolute" and self.style(above, "position") in ("static", ""):
                continue  # its containing block is further up
            position = self.style(above, "position")
            # The overflow of the root and the body applies to the viewport.
            clips = self.style(above, "overflow-x") != "visible" or self.style(above, "overflow-y") != "visible"
            if clips and above in self.boxes and self.names[above] not in ("html", "body", "#document"):
                box = box.intersect(self.boxes[above])
        return box

    def opacity(self, node: int) -> float:
        """Of a node as it is painted: 0 … 1, with that of its ancestors."""
        return math.prod(float(self.style(each, "opacity") or 1) for each in self.ancestors(node))

    def ancestors(self, node: int) -> list[int]:
        """The node and all its ancestors, from the node up."""
        chain = []
        while node >= 0:
            chain.append(node)
            node = self.parents[node]
        return chain


async def read_documents(page: PageLink, viewport: Viewport, deadline: Deadline) -> list[Document]:
    """Reads every document of a tab, the top one first. Frames that disappear meanwhile are skipped."""
    places = {page.main_frame: Place(0, 0, 1, viewport.box)}
    documents: list[Document] = []
    # A frame is placed after its parent.
    sessions = {page.session_of(frame): None for frame in sorted(page.frames, key=lambda each: _depth(page, each))}
    for session in sessions:
        try:
            documents += await _read_session(page, session, places, deadline)
        except CdpCallError:
            if session is page.session:
                raise
    await asyncio.gather(*(_read_facts(document, deadline) for document in documents))
    return documents


def _depth(page: PageLink, frame: str) -> int:
    depth = 0
    while (parent := page.tree.parent_of(frame)) is not None and depth < len(page.frames):
        frame, depth = parent, depth + 1
    return depth


async def _read_session(
    page: PageLink, session: CdpSession, places: dict[str, Place], deadline: Deadline
) -> list[Document]:
    reply = await session.call(
        "DOMSnapshot.captureSnapshot", deadline, PHASE, computedStyles=list(COMPUTED_STYLES), includeDOMRects=False
    )
    strings: list[str] = reply["strings"]
    found: list[Document] = []
    root: Place | None = None
    root_scroll = (0.0, 0.0)
    for raw in reply["documents"]:
        frame = strings[raw["frameId"]]
        place = places.get(frame)
        if place is None:
            place = await _place(page, frame, places, deadline)
        if place is None:
            continue
        places[frame] = place
        scroll = (float(raw.get("scrollOffsetX", 0)), float(raw.get("scrollOffsetY", 0)))
        if root is None:
            root, root_scroll = place, scroll
        found.append(_decode(raw, strings, frame, session, place, root, root_scroll, scroll))
    return found


async def _place(page: PageLink, frame: str, places: dict[str, Place], deadline: Deadline) -> Place | None:
    """The place of a frame, by the content box of its iframe element; None if it is not painted."""
    parent = page.tree.parent_of(frame)
    if parent is None or parent not in places:
        return None
    session = page.session_of(parent)
    try:
        owner = await session.call("DOM.getFrameOwner", deadline, PHASE, frameId=frame)
        model = (await session.call("DOM.getBoxModel", deadline, PHASE, backendNodeId=owner["backendNodeId"]))["model"]
    except CdpCallError:
        return None
    # Quads are in coordinates of the session's outermost document.
    root_frame = parent
    while (above := page.tree.parent_of(root_frame)) is not None and page.session_of(above) is session:
        root_frame = above
    root = places[root_frame]
    left, top, right, *_ = model["border"]
    scale = (right - left) / model["width"] if model["width"] else 1
    left, top, _, _, right, bottom, *_ = model["content"]
    shown = Box(
        root.left + left * root.scale,
        root.top + top * root.scale,
        root.left + max(left, right) * root.scale,
        root.top + max(top, bottom) * root.scale,
    )
    clip = shown.intersect(places[parent].clip) or Box(shown.left, shown.top, shown.left, shown.top)
    return Place(shown.left, shown.top, root.scale * (scale or 1), clip)


def _decode(
    raw: dict[str, Any],
    strings: Sequence[str],
    frame: str,
    session: CdpSession,
    place: Place,
    root: Place,
    root_scroll: tuple[float, float],
    scroll: tuple[float, float],
) -> Document:
    nodes, layout = raw["nodes"], raw["layout"]

    def box(bounds: Sequence[float]) -> Box:
        left = place.left + (bounds[0] - scroll[0]) * place.scale
        top = place.top + (bounds[1] - scroll[1]) * place.scale
        return Box(left, top, left + max(bounds[2], 0) * place.scale, top + max(bounds[3], 0) * place.scale)

    boxes: dict[int, Box] = {}
    styles: dict[int, tuple[str, ...]] = {}
    for node, bounds, style in zip(layout["nodeIndex"], layout["bounds"], layout["styles"], strict=True):
        if node not in boxes:  # a node may have several boxes in the layout tree: the outer one comes first
            boxes[node] = box(bounds)
            styles[node] = tuple(strings[each] if each >= 0 else "" for each in style)
    texts = raw["textBoxes"]
    runs = [
        TextRun(layout["nodeIndex"][index], _utf16_slice(strings[layout["text"][index]], start, length), box(bounds))
        for index, bounds, start, length in zip(
            texts["layoutIndex"], texts["bounds"], texts["start"], texts["length"], strict=True
        )
        if layout["text"][index] >= 0
    ]
    _grow_empty(boxes, nodes["parentIndex"])
    attributes = [
        {strings[each[at]]: strings[each[at + 1]] for at in range(0, len(each), 2)} for each in nodes["attributes"]
    ]
    backend_ids = nodes["backendNodeId"]
    return Document(
        frame=frame,
        session=session,
        place=place,
        root=root,
        root_scroll=root_scroll,
        names=[strings[each].lower() if each >= 0 else "" for each in nodes["nodeName"]],
        parents=nodes["parentIndex"],
        backend_ids=backend_ids,
        attributes=attributes,
        boxes=boxes,
        styles=styles,
        runs=runs,
        clickable=frozenset(nodes["isClickable"]["index"]),
        by_backend_id={backend_id: node for node, backend_id in enumerate(backend_ids)},
    )


def _grow_empty(boxes: dict[int, Box], parents: Sequence[int]) -> None:
    """Sets the box of elements without area (a link around a floating picture) to that of their content."""
    empty = {node for node, box in boxes.items() if box.area == 0}
    for node in sorted(boxes, reverse=True):  # children stand after their parents
        parent, box = parents[node], boxes[node]
        if parent in empty and box.area > 0:
            above = boxes[parent]
            boxes[parent] = box if above.area == 0 else union([above, box])


def _utf16_slice(text: str, start: int, length: int) -> str:
    """A part of a text by UTF-16 code units, as Chromium counts."""
    if text.isascii():
        return text[start : start + length]
    units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * (start + length)]
    return units.decode("utf-16-le", "replace")


async def _read_facts(document: Document, deadline: Deadline) -> None:
    try:
        reply = await document.session.call("Accessibility.getFullAXTree", deadline, PHASE, frameId=document.frame)
    except CdpCallError:
        return  # the frame went away
    for node in reply["nodes"]:
        index = document.by_backend_id.get(node.get("backendDOMNodeId", -1))
        if index is None or node.get("ignored"):
            continue
        focusable = any(
            each["name"] == "focusable" and each["value"].get("value") in (True, "true")
            for each in node.get("properties", ())
        )
        facts = DocumentFacts(role_of(node), text_of(node, "name"), tuple(states_of(node)), focusable)
        document.facts.setdefault(index, facts)
