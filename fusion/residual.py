"""The residual: regions of the viewport whose pixels the page's own facts do not explain.

Facts come first: canvases, pictures, drawings, frames that cannot be entered, controls without a name. Then pixels:
text of the page in such a region (a label over a canvas) is painted over, and a region without ink after that is a
plain background and is dropped.

Rule 1: no pixel is in two regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.fusion.regions import box_rect, crop_region
from perception.geometry import Box, coverage, stack
from perception.types import Capture, Element, Opaque, Pixels, Region, Screenshot, Viewport

MIN_RESIDUAL_SIDE = 8
"""CSS px. No legible letter and no icon is smaller: the smallest readable Latin fonts are about 8 px high."""

INK_STEP = 12
"""Least difference of adjacent pixels, of 255 in any channel: less is a gradient or the noise of a compressed image.
Chosen by hand; guarded by `tests/unit/fusion/test_residual.py`."""

MIN_EDGE_PIXELS = 12
"""Device px with an edge. The dot of an `i` at 12 px has fewer, every letter has more."""

MAX_PADDED_SIDE = 64
"""CSS px. Only a control that is narrower and lower than this is padded; a larger one has enough margin."""


def find_residual(capture: Capture, parameters: FusionParameters = DEFAULTS) -> tuple[Region, ...]:
    """Finds the regions for the detectors.

    A region inside another one is dropped, since the larger one shows its pixels. Pixels that two regions share stay
    with the larger one.

    Returns:
        Regions within the viewport, largest first, at least MIN_RESIDUAL_SIDE wide and high, without overlap; empty
        for a page whose facts explain all its pixels.
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
    """Paints over the page's own text in the given regions.

    Args:
        capture: a capture with a screenshot; its pixels are not changed.
        regions: regions of `find_residual`.
        parameters: the largest size of a control.

    Returns:
        The painted screenshot (the capture's own if nothing was painted over), and the regions with ink left.
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
    """Whether an image, (H, W, 3), is more than a plain background: enough pixels differ from their neighbors."""
    beside = np.maximum(pixels[:, 1:], pixels[:, :-1]) - np.minimum(pixels[:, 1:], pixels[:, :-1])
    if int((beside > INK_STEP).any(axis=2).sum()) >= MIN_EDGE_PIXELS:
        return True
    above = np.maximum(pixels[1:], pixels[:-1]) - np.minimum(pixels[1:], pixels[:-1])
    return int((above > INK_STEP).any(axis=2).sum()) >= MIN_EDGE_PIXELS


def _explainers(elements: Sequence[Element], parameters: FusionParameters) -> NDArray[np.intp]:
    """Indices of the elements that explain the pixels in their box: text, and controls without children."""
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
    """The explainers that are in a region and do not contain it."""
    boxes = stack(capture.elements[index].box for index in explainers.tolist())
    area = stack([region.box])
    inside = (coverage(boxes, area)[:, 0] >= 0.5) & (coverage(area, boxes)[0] < 0.9)
    return [index for index in explainers[inside].tolist() if index != region.owner]


def _paint_over(pixels: Pixels, rect: tuple[int, int, int, int]) -> None:
    """Fills a rectangle with the median color around it, so that no edge is left on a plain background."""
    left, top, right, bottom = rect
    part = pixels[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1]
    ring = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    pixels[top:bottom, left:right] = np.median(ring, axis=0).astype(np.uint8)


def whole_viewport(viewport: Viewport) -> Region:
    """The region of the whole viewport, for captures with pixels only. It belongs to no element."""
    return Region(viewport.box, -1, Opaque.FRAME)


def _shown(element: Element, viewport: Viewport, pad: float) -> Box | None:
    """The part of an element in the viewport, padded if it is a small nameless control; None if it is too small."""
    if not element.visible:
        return None
    box = element.box
    if element.opaque is Opaque.NAMELESS and max(box.width, box.height) < MAX_PADDED_SIDE:
        box = Box(box.left - pad, box.top - pad, box.right + pad, box.bottom + pad)
    box = _whole_pixels(box)
    shown = box.intersect(viewport.box)
    return shown if shown is not None and _is_large(shown) else None


def _whole_pixels(box: Box) -> Box:
    """Rounds outward, so that adjacent regions share edges and leave no slivers."""
    left, top = float(np.floor(box.left)), float(np.floor(box.top))
    return Box(left, top, float(np.ceil(box.right)), float(np.ceil(box.bottom)))


def _is_large(box: Box) -> bool:
    return min(box.width, box.height) >= MIN_RESIDUAL_SIDE


def _outermost(regions: list[Region]) -> list[Region]:
    """Drops the regions inside another one; of two equal ones the later stays, which is the inner element's."""
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
    """The parts of a box outside another: up to four, full-width ones above and below."""
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
