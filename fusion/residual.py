"""Where to look: the parts of the viewport whose pixels the page's own facts do not explain.

Rule 1: no pixel is in two regions.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.geometry import Box, coverage, stack
from perception.types import Capture, Element, Opaque, Region, Viewport

MIN_SIDE = 8
"""CSS px. No legible letter and no icon is smaller: the smallest readable Latin fonts are about 8 px high."""

SMALL = 64
"""CSS px. Only a control smaller than this both ways is padded; a larger one has margin enough."""


def find_residual(capture: Capture, parameters: FusionParameters = DEFAULTS) -> tuple[Region, ...]:
    """Regions for the detectors, the larger first; empty for a page that explains itself.

    A region inside another one is dropped (the larger one shows its pixels too); what two others share stays
    with the larger one.

    Returns:
        Regions within the viewport, at least MIN_SIDE wide and high, that do not overlap.
    """
    wanted = [
        Region(box, index, element.opaque)
        for index, element in enumerate(capture.elements)
        if element.opaque is not None
        and element.opaque in parameters.look_at
        and (box := _shown(element, capture.viewport, parameters.nameless_padding)) is not None
    ]
    return _without_overlap(_outermost(wanted))


def whole_viewport(viewport: Viewport) -> Region:
    """The region for looking with pixels alone. It belongs to no element."""
    return Region(viewport.box, -1, Opaque.FRAME)


def _shown(element: Element, viewport: Viewport, pad: float) -> Box | None:
    """The part of an element that can be looked at."""
    if not element.visible:
        return None
    box = element.box
    if element.opaque is Opaque.NAMELESS and max(box.width, box.height) < SMALL:
        box = Box(box.left - pad, box.top - pad, box.right + pad, box.bottom + pad)
    box = _whole_pixels(box)
    shown = box.intersect(viewport.box)
    return shown if shown is not None and _is_large(shown) else None


def _whole_pixels(box: Box) -> Box:
    """Rounded outward, so that regions of neighbours share edges instead of slivers."""
    left, top = float(np.floor(box.left)), float(np.floor(box.top))
    return Box(left, top, float(np.ceil(box.right)), float(np.ceil(box.bottom)))


def _is_large(box: Box) -> bool:
    return min(box.width, box.height) >= MIN_SIDE


def _outermost(regions: list[Region]) -> list[Region]:
    """Without those that lie in another; of two alike the later element stays, which is the inner one."""
    order = sorted(regions, key=lambda region: (-region.box.area, -region.owner))
    boxes = stack(region.box for region in order)
    inside = np.tril(coverage(boxes, boxes) >= 1, k=-1).max(axis=1, initial=False)
    return [order[row] for row in np.flatnonzero(~inside)]


def _without_overlap(regions: Iterable[Region]) -> tuple[Region, ...]:
    kept: list[Region] = []
    for region in regions:
        pieces = [region.box]
        for other in kept:
            pieces = [part for piece in pieces for part in _subtract(piece, other.box)]
        kept += [Region(piece, region.owner, region.why) for piece in pieces if _is_large(piece)]
    return tuple(kept)


def _subtract(box: Box, hole: Box) -> list[Box]:
    """What is left of a box without another: up to four pieces, full-width ones above and below."""
    shared = box.intersect(hole)
    if shared is None:
        return [box]
    pieces = [
        (box.left, box.top, box.right, shared.top),
        (box.left, shared.bottom, box.right, box.bottom),
        (box.left, shared.top, shared.left, shared.bottom),
        (shared.right, shared.top, box.right, shared.bottom),
    ]
    return [Box(*sides) for sides in pieces if sides[0] < sides[2] and sides[1] < sides[3]]
