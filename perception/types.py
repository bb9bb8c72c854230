"""The vocabulary: what is captured, what is seen, what is served.

Rule 1: plain frozen values, no I/O and no behaviour beyond reading them.
Rule 2: geometry is in CSS pixels of the tab's viewport, except `Detections`, which are in pixels of the
image that the detector was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.geometry import Box, Boxes, Point

Pixels = NDArray[np.uint8]
"""(H, W, 3) uint8, BGR as OpenCV has it."""


class Source(Enum):
    """Which sense found an element, or a part of what is said of it."""

    AX = "ax"
    DOM = "dom"
    OCR = "ocr"
    DETECTOR = "detector"


class Mode(Enum):
    """Which senses are used."""

    TEXT = "text"
    FUSED = "fused"
    VISION = "vision"


class Engine(Enum):
    """Whose word on roles and names is taken."""

    WALKER = "walker"
    AX = "ax"


class Scope(Enum):
    """Which part of the page is listed."""

    VIEWPORT = "viewport"
    PAGE = "page"


class View(Enum):
    """How much is said of it."""

    FULL = "full"
    INTERACTIVE = "interactive"
    DIGEST = "digest"


class TextStyle(Enum):
    """How elements are written as text."""

    ROLE_REF = "role-ref"
    COMPACT = "compact"


class Opaque(Enum):
    """Why an element's own facts do not explain its pixels."""

    CANVAS = "canvas"
    IMAGE = "image"
    SVG = "svg"
    VIDEO = "video"
    BACKGROUND = "background"
    FRAME = "frame"
    NAMELESS = "nameless"


class Reach(Enum):
    """Whether a click can get to an element; UNSAID for what is no target."""

    UNSAID = "unsaid"
    NOW = "now"
    COVERED = "covered"
    SCROLL = "scroll"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Scrollable:
    """How far a container can still be scrolled each way. CSS px."""

    up: float = 0
    down: float = 0
    left: float = 0
    right: float = 0


@dataclass(frozen=True, slots=True)
class Viewport:
    """What the tab shows at once. CSS px; `scale` is device px for each CSS px."""

    width: int
    height: int
    scale: float = 1.0

    @property
    def box(self) -> Box:
        return Box(0, 0, self.width, self.height)


@dataclass(frozen=True, slots=True)
class Scroll:
    """Where the top document is scrolled to, and its whole size. CSS px."""

    x: float = 0
    y: float = 0
    page_width: float = 0
    page_height: float = 0


@dataclass(frozen=True, slots=True)
class NodeKey:
    """A DOM node for as long as its document lives. `loader` is the document's CDP LoaderId,
    `node` the walker's own number, never reused within that document."""

    loader: str
    node: int


@dataclass(frozen=True, slots=True)
class Element:
    """One thing on the page that a person could see, read or act on.

    `parent` is an index into the same sequence, -1 at the top; a parent stands before its children.
    `click_point` is where a click lands on it, when `reachable`.
    `covered_by` is the node on top until refs are assigned, then (`blocker`) its ref or role and name.
    `options` are the choices of a list box or drop-down list.
    What is `sensitive` never shows its value, nor its pixels.
    A `structure` is a container that only a digest lists.
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
    sensitive: bool = False
    structure: bool = False


_FIELDS = {each.name: index for index, each in enumerate(fields(Element))}
_VALUES = attrgetter(*_FIELDS)


def altered(element: Element, **changes: Any) -> Element:
    """`dataclasses.replace` in a third of its time: a list may be of 10,000."""
    values = list(_VALUES(element))
    for name, value in changes.items():
        values[_FIELDS[name]] = value
    return Element(*values)


@dataclass(frozen=True, slots=True)
class Screenshot:
    """Pixels of the viewport. `scale` is image px for each CSS px."""

    pixels: Pixels
    scale: float


@dataclass(frozen=True, slots=True)
class Capture:
    """What the page says of itself, and what it looked like, at one moment; `torn` if it moved on meanwhile.

    `pending` is what it had still to do: `DOMContentLoaded`, `load`, `network`, `animations`.
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


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the viewport whose pixels nothing explains. CSS px, within the viewport.

    `owner` is the index of the element it belongs to, -1 for the viewport as a whole.
    """

    box: Box
    owner: int
    why: Opaque


@dataclass(frozen=True, slots=True)
class Detections:
    """What one detector saw in one image, as columns.

    Args:
        xyxy: (N, 4) float32, pixels of that image.
        score: (N,) float32 in [0, 1].
        kind: N strings: `text` for a line of text, `box` for a user-interface element.
        text: N strings; what a `text` says, empty for a `box`.
        label: N strings; the class of a `box` in the detector's own words, empty where it names none, and all of them
            where the column is left out.

    Raises:
        ValueError: the columns differ in length.
    """

    detector: str
    xyxy: Boxes
    score: NDArray[np.float32]
    kind: tuple[str, ...]
    text: tuple[str, ...]
    label: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.xyxy)
        if not self.label:
            object.__setattr__(self, "label", ("",) * count)
        columns = (self.score, self.kind, self.text, self.label)
        if self.xyxy.shape != (count, 4) or {len(each) for each in columns} != {count}:
            raise ValueError(f"{self.detector}: columns of unequal length")

    def __len__(self) -> int:
        return len(self.xyxy)

    @classmethod
    def empty(cls, detector: str) -> Detections:
        return cls(detector, np.zeros((0, 4), np.float32), np.zeros(0, np.float32), (), ())


@dataclass(frozen=True, slots=True)
class Skipped:
    """A step of the work that did not happen, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page as it is served. `elements` is what the asked view and scope hold, with refs."""

    snapshot_id: str
    url: str
    title: str
    loader: str
    viewport: Viewport
    scroll: Scroll
    elements: tuple[Element, ...]
    screenshot: Screenshot | None = None
    skipped: tuple[Skipped, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    page_visible: bool = True
    torn: bool = False
    pending: tuple[str, ...] = ()
    waited_s: float = 0.0
