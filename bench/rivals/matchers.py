"""How other projects match detections with elements: rules to compare ours with (`FusionParameters.rule`).

- `match_as_ufo2`, from UFO² (arXiv 2504.14603): a detection that overlaps a control of the page, IoU over 0.1, is
  dropped; the others are added.
- `match_as_omniparser`, from OmniParser v2 (`remove_overlap_new`): of two boxes over each other the smaller stays; text
  in a box is the box's text, a box in a text is dropped; a control of the page counts as a box.

Neither uses an element's text or the paint order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from perception.fusion.regions import PlacedDetection
from perception.geometry import Boxes, areas, coverage, iou, stack
from perception.types import Element, Source, replace_fields

UFO2_OVERLAP = 0.1
OMNIPARSER_OVERLAP = 0.7
"""`iou_threshold` of its demo. Its overlap is the maximum of IoU and each box's share in the other."""
OMNIPARSER_INSIDE = 0.8


def match_as_ufo2(
    page: tuple[Element, ...], texts: list[PlacedDetection], boxes: list[PlacedDetection]
) -> tuple[tuple[Element, ...], list[PlacedDetection], list[PlacedDetection]]:
    """The page's elements unchanged, and the texts and boxes that overlap none of its controls."""
    controls = stack(element.box for element in page if element.interactive and element.visible)

    def free(detections: list[PlacedDetection]) -> list[PlacedDetection]:
        overlap = iou(stack(detection.box for detection in detections), controls).max(axis=1, initial=0)
        return [
            detection for detection, share in zip(detections, overlap.tolist(), strict=True) if share <= UFO2_OVERLAP
        ]

    return page, free(texts), free(boxes)


def match_as_omniparser(
    page: tuple[Element, ...], texts: list[PlacedDetection], boxes: list[PlacedDetection]
) -> tuple[tuple[Element, ...], list[PlacedDetection], list[PlacedDetection]]:
    """The page's controls with the text in them as their name, and the texts and boxes that are left."""
    controls = [index for index, element in enumerate(page) if element.interactive and element.visible]
    outer = stack(page[index].box for index in controls)
    boxes = _smallest(boxes, outer)
    lines = stack(text.box for text in texts)
    inside = coverage(lines, outer) > OMNIPARSER_INSIDE
    words: dict[int, list[str]] = defaultdict(list)
    left = []
    for row, text in enumerate(texts):
        holders = np.flatnonzero(inside[row])
        if len(holders):
            words[controls[int(holders[0])]].append(text.text)
        else:
            left.append(text)
    named = [
        _named(element, " ".join(words[index])) if index in words else element for index, element in enumerate(page)
    ]
    in_text = coverage(stack(box.box for box in boxes), lines).max(axis=1, initial=0) > OMNIPARSER_INSIDE
    return tuple(named), left, [box for box, drop in zip(boxes, in_text.tolist(), strict=True) if not drop]


def _named(element: Element, words: str) -> Element:
    if element.name:
        return element
    return replace_fields(element, name=words, sources=(*element.sources, Source.OCR))


def _smallest(boxes: Sequence[PlacedDetection], controls: Boxes) -> list[PlacedDetection]:
    """The boxes that no smaller box or control overlaps."""
    own = stack(box.box for box in boxes)
    every = np.concatenate([own, controls])
    size = areas(every)
    shared = np.maximum(iou(own, every), np.maximum(coverage(own, every), coverage(every, own).T))
    smaller = size[None, :] < areas(own)[:, None]
    drop = (smaller & (shared > OMNIPARSER_OVERLAP)).max(axis=1, initial=False)
    return [box for box, out in zip(boxes, drop.tolist(), strict=True) if not out]
