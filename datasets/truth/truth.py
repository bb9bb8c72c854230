"""Reads the ground truth of a page from Chromium: interactive elements, whether a click reaches them, lines of text.

Rule 1: nothing of our walker, fusion or detectors is used, since this is what they are measured against.
Rule 2: "reachable" is decided by Chromium's hit test (`DOM.getNodeForLocation`): a click at some visible point hits the
element or one of its labels.
Rule 3: every interactive element has its evidence, so that a metric can be stricter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from perception.browser.capture.axtree import INTERACTIVE_ROLES
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.datasets.sample import AxNode, ElementKind, Evidence, TextLine, TruthElement
from perception.datasets.truth.dom_snapshot import PHASE, Document, read_documents
from perception.datasets.truth.painted_controls import box_at, labels_of, painted_box
from perception.datasets.truth.visible_lines import visible_lines
from perception.deadline import Deadline
from perception.geometry import Box, Point
from perception.types import Viewport

HitPoint = tuple[Document, float, float]
"""A document and a point, CSS px of the tab's viewport."""

GRID = (0.5, 0.1, 0.3, 0.7, 0.9)
"""Positions of the tested points of a box, as shares of its sides. If no point of this 5 × 5 grid reaches a control,
less than a fifth of each side can be clicked."""

MAX_WRAPPER_SHARE = 0.25
"""Share of the viewport. A listener on a larger element delegates events and is not a control."""

_NOT_CONTROLS = {"scrollbar"}

_PLAIN_TEXT_ROLES = {"text", "InlineTextBox", "RootWebArea", "LineBreak", "ListMarker"}

_PAGE_PARTS = {"html", "body", "#document", "iframe", "frame", "object", "embed"}


@dataclass(frozen=True, slots=True)
class Truth:
    """Ground truth of a page.

    Attributes:
        elements: interactive elements, in document order.
        lines: visible lines of text.
        ax: meaningful nodes of the accessibility tree.
        unknown: pictures whose content is not listed; see `find_pictures`.
        opaque_share: share of the viewport that pictures cover; see `opaque_share`.
    """

    elements: tuple[TruthElement, ...]
    lines: tuple[TextLine, ...]
    ax: tuple[AxNode, ...]
    unknown: tuple[Box, ...]
    opaque_share: float


async def read_truth(page: PageLink, viewport: Viewport, deadline: Deadline) -> Truth:
    """Reads the ground truth of a tab without changing the page.

    Raises:
        PageCrashedError: the page crashed.
        SessionLostError: the browser is gone.
        DeadlineError: the deadline passed.
    """
    documents = await read_documents(page, viewport, deadline)
    elements: list[TruthElement] = []
    lines: list[TextLine] = []
    hits = HitTester(documents, viewport, deadline)
    await hits.find_holders(page)
    for document in documents:
        elements += await _read_elements(document, hits, viewport)
        lines += await visible_lines(document, viewport, hits.top_nodes)
    ax = tuple(node for document in documents for node in _meaningful(document))
    unknown = find_pictures(documents, viewport)
    return Truth(tuple(elements), tuple(lines), ax, unknown, opaque_share(documents, viewport))


def _meaningful(document: Document) -> Iterator[AxNode]:
    """Nodes that a list of elements may contain: controls and named nodes, but not plain text."""
    for node, facts in document.facts.items():
        box = document.boxes.get(node)
        interactive = facts.role in INTERACTIVE_ROLES - _NOT_CONTROLS
        if box is not None and (interactive or (facts.name and facts.role not in _PLAIN_TEXT_ROLES)):
            yield AxNode(document.backend_ids[node], facts.role, facts.name, box, interactive)


class HitTester:
    """Finds the topmost nodes at points of the viewport with Chromium's hit test."""

    def __init__(self, documents: Sequence[Document], viewport: Viewport, deadline: Deadline) -> None:
        self._viewport = viewport.box
        self._deadline = deadline
        self._holders: dict[str, tuple[Document, int]] = {}
        self._documents = {document.frame: document for document in documents}

    async def find_holders(self, page: PageLink) -> None:
        """Finds the iframe elements of out-of-process frames, which must be topmost in their own document."""
        for document in self._documents.values():
            parent = self._documents.get(page.tree.parent_of(document.frame) or "")
            if parent is not None and parent.session is not document.session:
                owner = await parent.session.call("DOM.getFrameOwner", self._deadline, PHASE, frameId=document.frame)
                self._holders[document.frame] = (parent, owner["backendNodeId"])

    async def top_nodes(
        self, document: Document, points: Sequence[tuple[float, float]], *, through: bool = False
    ) -> list[int | None]:
        """For each point of the viewport the index in `document` of the topmost node; None if it belongs to another
        document, or there is none.

        Args:
            through: also hit elements that let clicks pass (`pointer-events: none`).
        """
        asked = [(document, x, y) for x, y in points]
        found = await self._ask(asked, through=through)
        hits = [document.by_backend_id.get(each) if each is not None else None for each in found]
        holder = self._holders.get(document.frame)
        if holder is not None:
            above = await self._ask([(holder[0], x, y) for x, y in points], through=through)
            hits = [hit if over == holder[1] else None for hit, over in zip(hits, above, strict=True)]
        return hits

    async def _ask(self, asked: Sequence[HitPoint], *, through: bool) -> list[int | None]:
        calls = []
        for document, x, y in asked:
            root = document.root
            calls.append(
                document.session.start(
                    "DOM.getNodeForLocation",
                    # In coordinates of the session's outermost document (tested with Chromium 156).
                    x=round((x - root.left) / root.scale + document.root_scroll[0]),
                    y=round((y - root.top) / root.scale + document.root_scroll[1]),
                    includeUserAgentShadowDOM=False,
                    ignorePointerEventsNone=through,
                )
            )
        async with self._deadline.phase(PHASE):
            replies = await asyncio.gather(*calls, return_exceptions=True)
        for reply in replies:
            if isinstance(reply, BaseException) and not isinstance(reply, CdpCallError):
                raise reply
        return [reply["backendNodeId"] if isinstance(reply, dict) else None for reply in replies]


async def _read_elements(document: Document, hits: HitTester, viewport: Viewport) -> list[TruthElement]:
    texts = _texts_by_ancestor(document)
    labels = labels_of(document)
    found = find_interactive(document, viewport)
    painted = {node: box for node, _ in found if (box := painted_box(document, node, labels)) is not None}
    in_view = {node: box for node, box in painted.items() if box.intersect(viewport.box) is not None}
    points = await _reach(document, in_view, labels, texts, hits, viewport)
    elements = []
    for node, evidence in found:
        if node not in painted:
            continue
        facts = document.facts.get(node)
        words = " ".join(run for run, _ in texts.get(node, ()))
        point, box = points.get(node), painted[node]
        clickable = (node, *labels.get(node, ()))
        if point is not None and box in (document.boxes[each] for each in clickable):
            box = box_at(document, clickable, point) or box
        role = facts.role if facts else ""
        elements.append(
            TruthElement(
                role=role if role not in ("none", "GenericContainer", "Ignored") else "generic",
                name=facts.name if facts and facts.name else words[:200],
                box=box,
                interactive=True,
                reachable=(point is not None) if node in in_view else None,
                kind=ElementKind.TEXT if _has_words(words) or _value(document, node) else ElementKind.ICON,
                evidence=evidence,
                click_point=point,
                backend_node_id=document.backend_ids[node],
                frame=document.frame,
                states=facts.states if facts else (),
            )
        )
    return elements


def find_interactive(document: Document, viewport: Viewport) -> list[tuple[int, tuple[Evidence, ...]]]:
    """Finds interactive nodes, in document order, each with its evidence.

    An interactive role or a place in the tab order is enough. A listener or a hand cursor counts only if no descendant
    and no ancestor has one of these, and never on an element as large as a page.
    """
    sure: dict[int, list[Evidence]] = {}
    for node, name in enumerate(document.names):
        facts = document.facts.get(node)
        if name in _PAGE_PARTS or node not in document.boxes or document.style(node, "visibility") != "visible":
            continue
        evidence = []
        if facts and facts.role in INTERACTIVE_ROLES - _NOT_CONTROLS:
            evidence.append(Evidence.ROLE)
        attributes = document.attributes[node]
        if attributes.get("contenteditable", "false") not in ("false", "inherit"):
            evidence.append(Evidence.ROLE)
        if facts and facts.focusable and _tab_index(attributes) >= 0:
            evidence.append(Evidence.FOCUSABLE)
        if evidence:
            sure[node] = evidence
    holders = {above for node in sure for above in document.ancestors(node)[1:]}
    found = {node: tuple(dict.fromkeys(evidence)) for node, evidence in sure.items()}
    for node, weak in _weak_candidates(document).items():
        box = document.boxes[node]
        if node in sure:
            found[node] = (*found[node], *weak)
        elif (
            node not in holders
            and not any(above in sure for above in document.ancestors(node))
            and box.area <= MAX_WRAPPER_SHARE * viewport.box.area
        ):
            found[node] = weak
    weak_holders = {above for node in found if node not in sure for above in document.ancestors(node)[1:]}
    return sorted((node, evidence) for node, evidence in found.items() if node in sure or node not in weak_holders)


def _weak_candidates(document: Document) -> dict[int, tuple[Evidence, ...]]:
    found: dict[int, tuple[Evidence, ...]] = {}
    for node, name in enumerate(document.names):
        if name in _PAGE_PARTS or name.startswith(("#", "::")) or document.style(node, "visibility") != "visible":
            continue
        parent = document.parents[node]
        evidence = []
        if node in document.clickable and name != "label":
            evidence.append(Evidence.LISTENER)
        hand = document.style(node, "cursor") == "pointer"
        if hand and parent >= 0 and document.style(parent, "cursor") != "pointer" and name != "label":
            evidence.append(Evidence.CURSOR)
        if evidence:
            found[node] = tuple(evidence)
    return found


def _tab_index(attributes: dict[str, str]) -> int:
    """Tab index of a focusable element; -1 if only scripts focus it, and for scroll containers without the
    attribute."""
    try:
        return int(attributes.get("tabindex", "-1"))
    except ValueError:
        return -1


async def _reach(
    document: Document,
    painted: dict[int, Box],
    labels: dict[int, list[int]],
    texts: dict[int, list[tuple[str, Box]]],
    hits: HitTester,
    viewport: Viewport,
) -> dict[int, tuple[float, float]]:
    """The first point that reaches each painted node; nodes that no click reaches are omitted."""
    reached: dict[int, tuple[float, float]] = {}

    async def attempt(points: Iterable[tuple[int, tuple[float, float]]]) -> None:
        asked = [
            (node, point) for node, point in points if node not in reached and viewport.box.contains(Point(*point))
        ]
        found = await hits.top_nodes(document, [point for _, point in asked])
        for (node, point), hit in zip(asked, found, strict=True):
            if hit is not None and _is_hit(document, node, hit, labels):
                reached.setdefault(node, point)

    # Likely points come first: most controls need one hit test.
    await attempt((node, point) for node, box in painted.items() for point in _grid(box, viewport, GRID[:1]))
    await attempt((node, (box.center.x, box.center.y)) for node in painted for _, box in texts.get(node, ())[:4])
    await attempt((node, point) for node in painted for point in _grid(document.boxes[node], viewport, GRID))
    await attempt(
        (node, point)
        for node in painted
        for label in labels.get(node, ())
        for point in _grid(document.boxes[label], viewport, GRID)
    )
    return reached


def _grid(box: Box, viewport: Viewport, shares: Sequence[float]) -> list[tuple[float, float]]:
    shown = box.intersect(viewport.box)
    if shown is None:
        return []
    return [(shown.left + shown.width * x, shown.top + shown.height * y) for y in shares for x in shares]


def _is_hit(document: Document, node: int, hit: int, labels: dict[int, list[int]]) -> bool:
    above = document.ancestors(hit)
    return node in above or any(label in above for label in labels.get(node, ()))


def _texts_by_ancestor(document: Document) -> dict[int, list[tuple[str, Box]]]:
    """The text runs in each node, in document order."""
    found: dict[int, list[tuple[str, Box]]] = {}
    for run in document.runs:
        if run.text.strip():
            for node in document.ancestors(run.node):
                found.setdefault(node, []).append((run.text.strip(), run.box))
    return found


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _value(document: Document, node: int) -> str:
    attributes = document.attributes[node]
    return attributes.get("value", "") or attributes.get("placeholder", "")


_OPAQUE = {"canvas", "video", "svg", "img", "embed", "object"}


def find_pictures(documents: Sequence[Document], viewport: Viewport) -> tuple[Box, ...]:
    """The parts of the viewport that pictures cover, one box for each, in document order. Their content is not in the
    page's own facts."""
    found = []
    for document in documents:
        for node, name in enumerate(document.names):
            box = document.boxes.get(node)
            if box is None or document.style(node, "visibility") != "visible":
                continue
            shown = box.intersect(viewport.box)
            if shown is not None and (name in _OPAQUE or "url(" in document.style(node, "background-image")):
                found.append(shown)
    return tuple(found)


OPAQUE_SIDE = 64.0
"""CSS px. A smaller picture is the icon of a control, described by the control's name."""

OPAQUE_CELL = 8.0
"""CSS px. The share is counted on a grid of this width."""


def opaque_share(documents: Sequence[Document], viewport: Viewport) -> float:
    """Share of the viewport that is covered by pictures large enough to hold content: canvases, drawings, images
    without words. In [0, 1]."""
    cells: set[tuple[int, int]] = set()
    for document in documents:
        for node, name in enumerate(document.names):
            box = document.boxes.get(node)
            if name not in _OPAQUE or box is None or document.style(node, "visibility") != "visible":
                continue
            if name == "img" and document.attributes[node].get("alt"):
                continue
            shown = box.intersect(viewport.box)
            if shown is not None and min(box.width, box.height) >= OPAQUE_SIDE:
                cells |= {
                    (x, y)
                    for x in range(int(shown.left // OPAQUE_CELL), int(shown.right // OPAQUE_CELL))
                    for y in range(int(shown.top // OPAQUE_CELL), int(shown.bottom // OPAQUE_CELL))
                }
    return min(1.0, len(cells) * OPAQUE_CELL**2 / viewport.box.area)
