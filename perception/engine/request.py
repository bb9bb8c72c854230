"""What a look is asked for: plain values that the edge makes of a request, before anything is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field

from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.geometry import Point
from perception.snapshot import Snapshot
from perception.types import Engine, Mode, Scope, TextStyle, View


@dataclass(frozen=True, slots=True)
class RefTarget:
    """An element by the ref that a snapshot gave it."""

    ref: str

    def __str__(self) -> str:
        return f"ref {self.ref!r}"


@dataclass(frozen=True, slots=True)
class SelectorTarget:
    """An element by a CSS selector; ` >>> ` steps into shadow roots and frames."""

    selector: str

    def __str__(self) -> str:
        return f"selector {self.selector!r}"


@dataclass(frozen=True, slots=True)
class BackendNodeTarget:
    """An element by its backend node id (CDP)."""

    backend_node_id: int

    def __str__(self) -> str:
        return f"backend_node_id {self.backend_node_id}"


@dataclass(frozen=True, slots=True)
class PointTarget:
    """A point of the tab's viewport, CSS px.

    Attributes:
        snapshot_id: the snapshot that the point was read from; empty for none.
        seen: that snapshot, None without an id. The point holds only while the page still shows what it showed there.
    """

    point: Point
    snapshot_id: str = ""
    seen: Snapshot | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        read_from = f" of {self.snapshot_id}" if self.snapshot_id else ""
        return f"coordinate ({self.point.x:g}, {self.point.y:g}){read_from}"


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """A visible element by role and name, also one that no snapshot has shown.

    Attributes:
        role: empty for any.
        name: all of the accessible name, whatever its case and spaces; empty for an element without one.
        nth: which of several, from 0; None where it has to be the only one.
    """

    role: str
    name: str
    nth: int | None = None

    def __str__(self) -> str:
        which = "" if self.nth is None else f" [{self.nth}]"
        return f"{self.role or 'element'} {self.name!r}{which}"


Target = RefTarget | SelectorTarget | BackendNodeTarget | PointTarget | NamedTarget
"""What a request names on a page. Its text (`str`) is for messages."""


@dataclass(frozen=True, slots=True)
class SnapshotOptions:
    """What a snapshot shows, and how.

    Attributes:
        mode: page facts alone, fused with vision, or vision alone.
        engine: where page facts come from; not used in mode VISION.
        scope: the viewport's elements, or all of the page's.
        view: which of them are listed.
        style: how their text is written.
        max_tokens: of each page of the text; 0 for no limit.
        detectors: names of those that run, in order; not used in mode TEXT.
        with_pixels: take a screenshot in mode TEXT, too.
        reveal: show what is private, all but passwords.
        settle_s: how long to wait at most for the page to come to rest first; 0 for not at all.
        root: the element that the list is limited to; None for the whole page.
        selectors: give the listed elements selectors.
        boxes: give the lines of the text the elements' boxes.
        verify: check the texts in view against the pixels.
        node_ids: give the elements their backend ids; without them a capture takes less time.
        fusion: thresholds of the fusion.
    """

    mode: Mode = Mode.FUSED
    engine: Engine = Engine.WALKER
    scope: Scope = Scope.VIEWPORT
    view: View = View.FULL
    style: TextStyle = TextStyle.ROLE_REF
    max_tokens: int = 0
    detectors: tuple[str, ...] = ()
    with_pixels: bool = False
    reveal: bool = False
    settle_s: float = 0.0
    root: Target | None = None
    selectors: bool = False
    boxes: bool = False
    verify: bool = False
    node_ids: bool = True
    fusion: FusionParameters = DEFAULTS

    def list_settings(self) -> dict[str, str]:
        """What decides which elements are listed, and whether their values are masked, by name; empty for none.

        Two lists with other settings cannot be compared: a diff would reveal what one of them hides. Style, boxes
        and max_tokens are not part of it: they decide only how the list is written.
        """
        named = {"mode": self.mode, "engine": self.engine, "scope": self.scope, "view": self.view}
        return {
            "root": "" if self.root is None else str(self.root),
            "masking": "reveal_sensitive" if self.reveal else "",
            **{name: value.value for name, value in named.items()},
        }


@dataclass(frozen=True, slots=True)
class SnapshotRequest:
    """One snapshot to take. `snapshot_id` is its id, empty where no later request refers to it."""

    options: SnapshotOptions
    snapshot_id: str = ""
