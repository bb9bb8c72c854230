"""Shared value types: elements, captures and detections.

Rule 1: plain frozen values, no I/O, and no behavior beyond access to them. Those that come by the ten thousand are
structs of msgspec, which are made in a tenth of a dataclass's time, and which the garbage collector passes over.
Rule 2: geometry is in CSS pixels of the tab's viewport, except `Detections`, which are in pixels of the
image that the detector was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box, Boxes, Point
from perception.values import dataclass_like

Pixels = NDArray[np.uint8]
"""(H, W, 3) uint8, BGR as in OpenCV."""


CELL_SEPARATOR = " | "
"""Between the cells in the name of a row."""

UNREAD = "unread"
"""Label of a detected line in a script that the detector does not read; its text is `unread (Arabic)`."""

DOUBTFUL = "doubtful"
"""Kind of a detection that may be a short line in such a script: its text is `unread (Arabic)`, and what the detector
read there stands beside it. The engine decides by the rest of the page; nothing after it sees this kind."""


class Source(Enum):
    """Where an element, or a part of its facts, comes from: accessibility tree, DOM, OCR or a box detector."""

    AX = "ax"
    DOM = "dom"
    OCR = "ocr"
    DETECTOR = "detector"


class NameSource(Enum):
    """Where an element's name comes from: what `sources` say, or the icon on it, which says what it shows."""

    UNSAID = "unsaid"
    ICON = "icon"


class Mode(Enum):
    """Which sources are used: the page's facts only, facts and pixels, or pixels only."""

    TEXT = "text"
    FUSED = "fused"
    VISION = "vision"


class Engine(Enum):
    """Source of roles and names: the page walker or Chromium's accessibility tree."""

    WALKER = "walker"
    AX = "ax"


class Scope(Enum):
    """Which part of the page is listed."""

    VIEWPORT = "viewport"
    PAGE = "page"


class View(Enum):
    """How much of the page is listed: all elements, interactive ones only, or a digest of regions."""

    FULL = "full"
    INTERACTIVE = "interactive"
    DIGEST = "digest"


class TextStyle(Enum):
    """Text form of a list of elements."""

    ROLE_REF = "role-ref"
    COMPACT = "compact"


class Opaque(Enum):
    """Kind of an element whose facts do not explain its pixels.

    GLYPH: a control without a name that shows one glyph of an icon font, and nothing else: no words.
    """

    CANVAS = "canvas"
    IMAGE = "image"
    SVG = "svg"
    VIDEO = "video"
    BACKGROUND = "background"
    FRAME = "frame"
    NAMELESS = "nameless"
    GLYPH = "glyph"


class Reach(Enum):
    """Whether a click can reach an element: now, when it is uncovered, after scrolling, or never.

    UNSAID: the element is not a click target.
    """

    UNSAID = "unsaid"
    NOW = "now"
    COVERED = "covered"
    SCROLL = "scroll"
    NEVER = "never"


@dataclass_like
class Scrollable(msgspec.Struct, frozen=True, gc=False):
    """How far a container can be scrolled in each direction from its current position, CSS px."""

    up: float = 0
    down: float = 0
    left: float = 0
    right: float = 0


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible part of a tab.

    Attributes:
        width: CSS px.
        height: CSS px.
        scale: device px for each CSS px.
    """

    width: int
    height: int
    scale: float = 1.0

    @property
    def box(self) -> Box:
        return Box(0, 0, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Scroll:
    """Scroll position and size of the top document.

    Attributes:
        x: CSS px of the document's left edge that are scrolled out of view.
        y: the same for the top edge.
        page_width: width of the whole document, CSS px.
        page_height: height of the whole document, CSS px.
    """

    x: float = 0
    y: float = 0
    page_width: float = 0
    page_height: float = 0


@dataclass_like
class NodeKey(msgspec.Struct, frozen=True, gc=False):
    """Identity of a DOM node for the lifetime of its document.

    Attributes:
        loader: the document's CDP LoaderId.
        node: the walker's number of the node, never reused within the document.
    """

    loader: str
    node: int


@dataclass_like
class Element(msgspec.Struct, frozen=True, gc=False):
    """One thing on the page that a person can see, read or act on.

    Attributes:
        role: ARIA role.
        name: accessible name; "" for none.
        box: CSS px of the viewport.
        ref: role ref, `e1` or `v1`; "" before refs are assigned and for elements without one.
        nth: index among elements of the same role and name, in document order.
        value: value of a form control; "" for none, and for a sensitive one.
        states: states such as `checked`, `disabled`, `level=1`.
        sources: where its facts come from.
        confidence: 1 for the page's own facts; 0 to 1 for what only vision sees.
        text: text in its pixels that its name does not contain.
        hint: placeholder, title or nearby label; never the name.
        backend_node_id: CDP id of the node; None if it is not known.
        frame: path of its frame; "" in the top document.
        in_viewport: whether a part of its box is in the viewport.
        reachable: whether a click at `click_point` lands on it now.
        covered_by: the node on top of it; None if nothing covers it.
        blocker: ref, or role and name, of the element on top; set after refs are assigned.
        visible: whether a person can see it.
        selector: CSS selector that finds it alone; "" if none was requested.
        click_point: CSS px of the viewport; None if no click lands on it.
        parent: index in the same sequence, -1 at the top; a parent stands before its children.
        interactive: whether a person can act on it.
        opaque: why its facts do not explain its pixels; None if they do.
        node: identity of the node; None for what only vision sees.
        reach: whether a click can reach it.
        scrollable: how far it can be scrolled; None if it is not a scroll container.
        options: choices of a list box or drop-down list; of a long one the first.
        option_count: how many choices it has.
        sensitive: its value and its pixels are never shown.
        locked: it takes no clicks while the popup `covered_by` is open, which need not be over it.
        structure: a container that only a digest lists.
        is_term: whether it is a text that the texts after it are about.
        row: text that identifies its row of a list; empty where its role and name tell it from others.
        name_source: where its name comes from.
    """

    role: str
    name: str
    box: Box
    ref: str = ""
    nth: int = 0
    value: str = ""
    states: tuple[str, ...] = ()
    sources: tuple[Source, ...] = (Source.DOM,)
    confidence: float = 1.0
    text: str = ""
    hint: str = ""
    backend_node_id: int | None = None
    frame: str = ""
    in_viewport: bool = True
    reachable: bool = False
    covered_by: NodeKey | None = None
    blocker: str = ""
    visible: bool = True
    selector: str = ""
    click_point: Point | None = None
    parent: int = -1
    interactive: bool = False
    opaque: Opaque | None = None
    node: NodeKey | None = None
    reach: Reach = Reach.UNSAID
    scrollable: Scrollable | None = None
    options: tuple[str, ...] = ()
    option_count: int = 0
    sensitive: bool = False
    locked: bool = False
    structure: bool = False
    is_term: bool = False
    row: str = ""
    name_source: NameSource = NameSource.UNSAID


def replace_fields(element: Element, **changes: Any) -> Element:
    """The element with other values in some fields."""
    return msgspec.structs.replace(element, **changes)


@dataclass(frozen=True, slots=True)
class Screenshot:
    """Pixels of the viewport.

    Attributes:
        pixels: (H, W, 3) uint8 BGR.
        scale: image px for each CSS px.
    """

    pixels: Pixels
    scale: float


@dataclass(frozen=True, slots=True)
class Capture:
    """The page's facts and pixels at one moment.

    Attributes:
        url: URL of the top document.
        title: title of the top document.
        loader: CDP LoaderId of the top document.
        viewport: size of the visible part.
        scroll: scroll position of the top document.
        elements: parents before children.
        screenshot: pixels of the viewport; None if none was taken.
        skipped: steps that were left out, such as hung frames.
        page_visible: whether the tab is in the foreground.
        torn: whether the page changed between facts and pixels.
        pending: what the page had not finished: `DOMContentLoaded`, `load`, `animations`, `fetch /api`.
        language: of the top document as it says itself, such as `ar-EG`; empty if it says nothing.
    """

    url: str
    title: str
    loader: str
    viewport: Viewport
    scroll: Scroll
    elements: tuple[Element, ...]
    screenshot: Screenshot | None = None
    skipped: tuple[Skipped, ...] = ()
    page_visible: bool = True
    torn: bool = False
    pending: tuple[str, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the viewport whose pixels no facts explain.

    Attributes:
        box: CSS px, within the viewport.
        owner: index of the element it belongs to; -1 for the whole viewport.
        why: kind of the element.
    """

    box: Box
    owner: int
    why: Opaque


@dataclass(frozen=True, slots=True)
class Detections:
    """Detections of one detector in one image, as columns.

    Attributes:
        detector: name of the detector.
        xyxy: (N, 4) float32, pixels of the image.
        score: (N,) float32 in [0, 1].
        kind: N strings: `text` for a line of text, `box` for a user-interface element, `icon` for an icon, DOUBTFUL.
        text: N strings; the text of a `text`, empty for others.
        label: N strings; the detector's class of a `box`, empty if it has none; the name of an `icon`; UNREAD of a
            `text` that says only which script was not read. An omitted column is all empty.
        missing: what of the image the detector did not get to before its deadline; empty if it saw all of it.

    Raises:
        ValueError: the columns differ in length.
    """

    detector: str
    xyxy: Boxes
    score: NDArray[np.float32]
    kind: tuple[str, ...]
    text: tuple[str, ...]
    label: tuple[str, ...] = ()
    missing: str = ""

    def __post_init__(self) -> None:
        count = len(self.xyxy)
        if not self.label:
            object.__setattr__(self, "label", ("",) * count)
        columns = (self.score, self.kind, self.text, self.label)
        if self.xyxy.shape != (count, 4) or {len(each) for each in columns} != {count}:
            raise ValueError(f"{self.detector}: columns of unequal length")

    def __len__(self) -> int:
        return len(self.xyxy)

    def take(self, rows: Sequence[int]) -> Detections:
        """These detections alone, in this order."""
        kind, text, label = (tuple(column[row] for row in rows) for column in (self.kind, self.text, self.label))
        return Detections(self.detector, self.xyxy[rows], self.score[rows], kind, text, label, self.missing)

    @classmethod
    def empty(cls, detector: str) -> Detections:
        """No detections: the image was processed and nothing was found."""
        return cls(detector, np.zeros((0, 4), np.float32), np.zeros(0, np.float32), (), ())


@dataclass(frozen=True, slots=True)
class Skipped:
    """A step that was left out.

    Attributes:
        name: name of the step or detector.
        reason: why it was left out.
        is_lasting: another look at the same page would leave it out, too.
    """

    name: str
    reason: str
    is_lasting: bool = False
