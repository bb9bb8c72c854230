"""Where to look: the parts of the viewport whose pixels the page's own facts do not explain.

First by facts: canvases, pictures, drawings, frames that cannot be entered, controls without a name. Then by pixels:
what the page says itself in such a part (a label over a canvas) is painted over, and a part without ink after that, a
plain background, is not looked at.

Rule 1: no pixel is in two regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from perception.fusion.frames import box_rect, crop_region
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.geometry import Box, coverage, stack
from perception.types import Capture, Element, Opaque, Pixels, Region, Screenshot, Viewport

MIN_SIDE = 8
"""CSS px. No legible letter and no icon is smaller: the smallest readable Latin fonts are about 8 px high."""

INK_STEP = 12
"""Of 255, in any channel, between neighbours: less is a gradient or the noise of a compressed picture."""

LEAST_INK = 12
"""Device px: the dot of an `i` at 12 px has fewer, every letter more."""

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


def hide_explained(
    capture: Capture, regions: Sequence[Region], parameters: FusionParameters = DEFAULTS
) -> tuple[Screenshot, tuple[Region, ...]]:
    """The picture without what the page says itself in these regions, and those that have ink left.

    Args:
        capture: with a screenshot.

    Returns:
        The capture's own screenshot where nothing had to be hidden; never a changed one.
    """
    shot = capture.screenshot
    assert shot is not None
    explainers = _explainers(capture.elements, parameters)
    pixels = shot.pixels
    for index in sorted({row for region in regions for row in _explained_in(region, capture, explainers)}):
        if pixels is shot.pixels:
            pixels = pixels.copy()
        _paint_over(pixels, box_rect(shot, capture.elements[index].box))
    hidden = shot if pixels is shot.pixels else Screenshot(pixels, shot.scale)
    return hidden, tuple(region for region in regions if has_ink(crop_region(hidden, region)))


def has_ink(pixels: Pixels) -> bool:
    """Whether a picture is more than a plain background: enough of its pixels differ from their neighbours."""
    beside = np.maximum(pixels[:, 1:], pixels[:, :-1]) - np.minimum(pixels[:, 1:], pixels[:, :-1])
    if int((beside > INK_STEP).any(axis=2).sum()) >= LEAST_INK:
        return True
    above = np.maximum(pixels[1:], pixels[:-1]) - np.minimum(pixels[1:], pixels[:-1])
    return int((above > INK_STEP).any(axis=2).sum()) >= LEAST_INK


def _explainers(elements: Sequence[Element], parameters: FusionParameters) -> NDArray[np.intp]:
    """Places of elements that say what is painted in their box: text, and controls without others in them."""
    parents = {element.parent for element in elements}
    wide, high = parameters.largest_control
    return np.array(
        [
            index
            for index, element in enumerate(elements)
            if element.visible
            and element.in_viewport
            and element.opaque is None
            and bool(element.name or element.value)
            and index not in parents
            and (element.role == "text" or (element.box.width <= wide and element.box.height <= high))
        ],
        np.intp,
    )


def _explained_in(region: Region, capture: Capture, explainers: NDArray[np.intp]) -> list[int]:
    """Those of the explainers that lie in a region, and do not hold it."""
    boxes = stack(capture.elements[index].box for index in explainers.tolist())
    area = stack([region.box])
    inside = (coverage(boxes, area)[:, 0] >= 0.5) & (coverage(area, boxes)[0] < 0.9)
    return [index for index in explainers[inside].tolist() if index != region.owner]


def _paint_over(pixels: Pixels, rect: tuple[int, int, int, int]) -> None:
    """With the colour that is around it, so that no edge is left where the background is plain."""
    left, top, right, bottom = rect
    part = pixels[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1]
    ring = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    pixels[top:bottom, left:right] = np.median(ring, axis=0).astype(np.uint8)


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
