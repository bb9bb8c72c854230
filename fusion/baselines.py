"""How others decide what a detection belongs to, as named rules to compare ours with. See `FusionParameters.rule`.

- `ufo2`, from UFO² (arXiv 2504.14603): a detection that overlaps a control of the page, IoU over 0.1, is dropped; the
  others are added.
- `omniparser`, from OmniParser v2 (`remove_overlap_new`): of two boxes over each other the smaller stays; text in a box
  is the box's text, a box in a text is dropped; a control of the page counts as a box.

Both know neither what an element says nor what lies on top.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from perception.fusion.frames import Sight
from perception.geometry import Boxes, areas, coverage, iou, stack
from perception.types import Element, Source, altered

UFO2_OVERLAP = 0.1
OMNIPARSER_OVERLAP = 0.7
"""`iou_threshold` of its demo; overlap is there the most of IoU and of either box's share in the other."""
OMNIPARSER_INSIDE = 0.8


def settle_as_ufo2(
    page: tuple[Element, ...], texts: list[Sight], boxes: list[Sight]
) -> tuple[tuple[Element, ...], list[Sight], list[Sight]]:
    """The page as it is, and what overlaps none of its controls."""
    controls = stack(element.box for element in page if element.interactive and element.visible)

    def free(sights: list[Sight]) -> list[Sight]:
        overlap = iou(stack(sight.box for sight in sights), controls).max(axis=1, initial=0)
        return [sight for sight, share in zip(sights, overlap.tolist(), strict=True) if share <= UFO2_OVERLAP]

    return page, free(texts), free(boxes)


def settle_as_omniparser(
    page: tuple[Element, ...], texts: list[Sight], boxes: list[Sight]
) -> tuple[tuple[Element, ...], list[Sight], list[Sight]]:
    """The page's controls with the text in them as their name, and what is neither in one nor around another."""
    controls = [index for index, element in enumerate(page) if element.interactive and element.visible]
    outer = stack(page[index].box for index in controls)
    boxes = _smallest(boxes, outer)
    lines = stack(text.box for text in texts)
    inside = coverage(lines, outer) > OMNIPARSER_INSIDE
    said: dict[int, list[str]] = defaultdict(list)
    left = []
    for row, text in enumerate(texts):
        holders = np.flatnonzero(inside[row])
        if len(holders):
            said[controls[int(holders[0])]].append(text.text)
        else:
            left.append(text)
    named = [_named(element, " ".join(said[index])) if index in said else element for index, element in enumerate(page)]
    in_text = coverage(stack(box.box for box in boxes), lines).max(axis=1, initial=0) > OMNIPARSER_INSIDE
    return tuple(named), left, [box for box, drop in zip(boxes, in_text.tolist(), strict=True) if not drop]


def _named(element: Element, words: str) -> Element:
    if element.name:
        return element
    return altered(element, name=words, sources=(*element.sources, Source.OCR))


def _smallest(boxes: Sequence[Sight], controls: Boxes) -> list[Sight]:
    """Boxes over which no smaller box or control lies."""
    own = stack(box.box for box in boxes)
    every = np.concatenate([own, controls])
    size = areas(every)
    shared = np.maximum(iou(own, every), np.maximum(coverage(own, every), coverage(every, own).T))
    smaller = size[None, :] < areas(own)[:, None]
    drop = (smaller & (shared > OMNIPARSER_OVERLAP)).max(axis=1, initial=False)
    return [box for box, out in zip(boxes, drop.tolist(), strict=True) if not out]
