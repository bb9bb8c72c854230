"""A page as it is served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from perception.types import Element, Screenshot, Scroll, Skipped, Viewport


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page as it is served.

    Attributes:
        snapshot_id: id within the session.
        url: URL of the top document.
        title: title of the top document.
        loader: CDP LoaderId of the top document.
        viewport: size of the visible part.
        scroll: scroll position of the top document.
        elements: elements of the requested view and scope, with refs.
        screenshot: pixels of the viewport; None if none was taken.
        skipped: steps that were left out.
        timings_ms: milliseconds by stage.
        page_visible: whether the tab is in the foreground.
        torn: whether the page changed between facts and pixels.
        pending: what the page had not finished.
        waited_s: seconds that the capture waited for the page to settle.
        background: what goes on in the page and was not waited for any longer.
        notes: remarks on the look, such as how much of it was verified.
    """

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
    background: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether another look at the same page would show no more."""
        return all(each.is_lasting for each in self.skipped)
