"""Merges the elements of the page and the detections of its pixels into one list.

Rule 1: all elements of the page stay, in their order and with their boxes; vision adds to them and between them.
Rule 2: nothing is listed twice: a detection that an element explains only adds to the element's sources.
Rule 3: a detection within a control belongs to the control.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from perception.fusion.classify import classify_detections
from perception.fusion.label_hints import hint_by_labels
from perception.fusion.match import MIN_INSIDE, Candidates, find_controls, holds_center, match_boxes, match_texts
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.fusion.regions import PlacedDetection, SeenRegion, place_detections
from perception.fusion.text_match import (
    MIN_LETTER_SCORE,
    fold,
    has_ideographic_words,
    has_script,
    is_icon_misread,
    is_same,
    is_short_reading,
)
from perception.fusion.vision_elements import SYMBOLS
from perception.geometry import Grid, coverage, iou, stack
from perception.types import UNREAD, Element, Region, Source, replace_fields

__all__ = ["SeenRegion", "fuse"]

_DUPLICATE_TEXT, _DUPLICATE_BOX = 0.5, 0.7
"""Intersection over union from which two texts, or two boxes, are one thing that two detectors found. Chosen by hand;
guarded by `tests/unit/fusion/test_fuse.py`."""

_VISION = {Source.OCR, Source.DETECTOR}


def fuse(
    elements: tuple[Element, ...], detections: Sequence[SeenRegion], parameters: FusionParameters = DEFAULTS
) -> tuple[Element, ...]:
    """Merges detections into the elements of a page.

    Vision elements in `elements` come from an earlier capture; the detections replace them.

    Args:
        elements: elements of the page, parents before children; () when there are only pixels.
        detections: detections by region; a region's `owner` counts only the page's own elements.
        parameters: thresholds and the matching rule.

    Returns:
        The page's elements with names and sources added. Elements that only vision sees follow the last descendant of
        the element that contains them; they have no refs, are interactive and reachable, and are within their region.
    """
    page = _drop_vision(elements)
    placed = [
        detection
        for seen in detections
        for detection in place_detections(seen)
        if _is_kept(detection, page, parameters)
    ]
    if not placed:
        return hint_by_labels(page, ()) if parameters.rule is None else page
    texts = _clean_texts(_unique([detection for detection in placed if detection.text], _DUPLICATE_TEXT), page)
    texts = _drop_explained_scripts(texts, page)
    boxes = _unique([detection for detection in placed if not detection.text], _DUPLICATE_BOX)
    if parameters.rule is not None:
        page, texts, boxes = parameters.rule(page, texts, boxes)
    else:
        candidates = Candidates.of(page, parameters)
        page, texts = _match_texts(page, texts, candidates)
        page, boxes = _match_boxes(page, boxes, candidates, parameters)
        page = hint_by_labels(page, texts)
    return _insert(page, _classify_all(page, texts, boxes, {seen.region: seen.grids for seen in detections}))


def _drop_vision(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The page's own elements; parents are indices in the new list."""
    own = [index for index, element in enumerate(elements) if not _is_vision(element)]
    if len(own) == len(elements):
        return elements
    place = {index: new for new, index in enumerate(own)}
    place[-1] = -1
    return tuple(replace(elements[index], parent=place[elements[index].parent]) for index in own)


def _is_vision(element: Element) -> bool:
    return element.node is None and set(element.sources) <= _VISION


def _is_kept(detection: PlacedDetection, page: Sequence[Element], parameters: FusionParameters) -> bool:
    return detection.score >= parameters.min_score and _lies_in_owner(detection, page)


def _lies_in_owner(detection: PlacedDetection, page: Sequence[Element]) -> bool:
    """Whether a detection is in its region's owner. The padding around a small control shows parts of neighbors."""
    owner = detection.region.owner
    return owner < 0 or page[owner].box.contains(detection.box.center)


def _unique(placed: list[PlacedDetection], same: float) -> list[PlacedDetection]:
    """The best detection of each thing, in an order that does not depend on the order of the detectors."""
    order = sorted(placed, key=lambda detection: (-detection.score, *_sides(detection), detection.text))
    columns = stack(detection.box for detection in order)
    overlap = np.tril(iou(columns, columns) >= same, k=-1)
    kept: list[int] = []
    for row, detection in enumerate(order):
        rivals = [place for place in kept if overlap[row, place]]
        if not any(not detection.text or is_same(fold(detection.text), fold(order[place].text)) for place in rivals):
            kept.append(row)
    return sorted((order[row] for row in kept), key=lambda detection: (*_sides(detection), detection.text))


def _sides(detection: PlacedDetection) -> tuple[float, float, float, float]:
    return detection.box.top, detection.box.left, detection.box.bottom, detection.box.right


def _clean_texts(texts: list[PlacedDetection], page: Sequence[Element]) -> list[PlacedDetection]:
    ideographic = has_ideographic_words((element.name for element in page), ((text.text, text.score) for text in texts))
    return [text for text in texts if not is_icon_misread(text.text, text.score, ideographic=ideographic)]


def _drop_explained_scripts(texts: list[PlacedDetection], page: Sequence[Element]) -> list[PlacedDetection]:
    """Drops lines that were not read where the page says what they are, in that script."""
    if not any(text.label == UNREAD for text in texts):
        return texts
    shown = [element for element in page if element.visible and element.in_viewport]
    boxes, columns = stack(element.box for element in shown), stack(text.box for text in texts)
    near = (coverage(columns, boxes) >= MIN_INSIDE) | (coverage(boxes, columns).T >= MIN_INSIDE)
    return [
        text
        for row, text in enumerate(texts)
        if text.label != UNREAD
        or not any(
            has_script(f"{shown[at].name} {shown[at].value} {shown[at].text}", text.text)
            for at in np.flatnonzero(near[row]).tolist()
        )
    ]


def _match_texts(
    page: tuple[Element, ...], texts: list[PlacedDetection], candidates: Candidates
) -> tuple[tuple[Element, ...], list[PlacedDetection]]:
    """Adds OCR to the sources of elements that explain texts, and names controls by the text in them.

    Returns:
        The page's elements, and the texts that belong to none of them.
    """
    explained = match_texts(texts, candidates)
    matched: set[int] = {index for indices in explained.values() for index in indices}
    rest = [text for row, text in enumerate(texts) if row not in explained]
    words: dict[int, list[PlacedDetection]] = defaultdict(list)
    left = []
    for text, control in zip(rest, find_controls(rest, candidates), strict=True):
        if control < 0:
            left.append(text)
        elif fold(text.text) or (not page[control].name and set(text.text) & SYMBOLS):
            words[control].append(text)
    named = {index: _add_words(page[index], lines) for index, lines in words.items()}
    page = tuple(named.get(index, element) for index, element in enumerate(page))
    return _add_sources(page, matched, Source.OCR), left


def _add_words(element: Element, lines: Sequence[PlacedDetection]) -> Element:
    """Text on a control is its name; if it has a name, its text; if it has both, the text is dropped.

    A control whose hint says what it is (the icon's class, a tooltip, a file name) is not named by a few characters,
    which may be its icon misread: they are its text if they are read with certainty, else they are dropped. A line
    that was not read is not a name.
    """
    words = " ".join(line.text for line in lines)
    doubtful = bool(element.hint) and is_short_reading(words)
    if doubtful and min(line.score for line in lines) < MIN_LETTER_SCORE:
        return element
    if not element.name and not doubtful and all(line.label != UNREAD for line in lines):
        return _add_source(replace(element, name=words), Source.OCR)
    if not element.text:
        return _add_source(replace(element, text=words), Source.OCR)
    return element


def _match_boxes(
    page: tuple[Element, ...], boxes: list[PlacedDetection], candidates: Candidates, parameters: FusionParameters
) -> tuple[tuple[Element, ...], list[PlacedDetection]]:
    """Adds DETECTOR to the sources of elements that match a box.

    Returns:
        The page's elements, and the boxes that match none of them, are in no control and frame no listed content.
    """
    explained = match_boxes(boxes, candidates, parameters.same_box)
    rest = [box for row, box in enumerate(boxes) if row not in explained]
    free = [box for box, control in zip(rest, find_controls(rest, candidates), strict=True) if control < 0]
    leaves = stack(element.box for element in page if _is_listed_content(element))
    columns = stack(box.box for box in free)
    framed = holds_center(columns, leaves).T & (coverage(leaves, columns).T >= 0.5)
    left = [box for box, frames in zip(free, framed.max(axis=1, initial=False).tolist(), strict=True) if not frames]
    return _add_sources(page, set(explained.values()), Source.DETECTOR), left


def _is_listed_content(element: Element) -> bool:
    return element.visible and element.in_viewport and element.opaque is None and bool(element.name or element.value)


def _add_sources(page: tuple[Element, ...], indices: set[int], source: Source) -> tuple[Element, ...]:
    return tuple(_add_source(element, source) if index in indices else element for index, element in enumerate(page))


def _add_source(element: Element, source: Source) -> Element:
    """Adds a source. Sources stand in the order of the enumeration, whichever was added first."""
    sources = tuple(each for each in Source if each in element.sources or each is source)
    return replace_fields(element, sources=sources)


def _classify_all(
    page: Sequence[Element],
    texts: list[PlacedDetection],
    boxes: list[PlacedDetection],
    grids: Mapping[Region, tuple[Grid, ...]],
) -> dict[int, list[Element]]:
    """New elements by the index of the page's element that contains them; -1 for none. A parent is an index in the same
    list, -1 for none."""
    regions: dict[Region, tuple[list[PlacedDetection], list[PlacedDetection]]] = defaultdict(lambda: ([], []))
    for which, placed in enumerate((texts, boxes)):
        for detection in placed:
            regions[detection.region][which].append(detection)
    found: dict[int, list[Element]] = defaultdict(list)
    for region, (region_texts, region_boxes) in sorted(regions.items(), key=lambda item: _region_order(item[0])):
        owner, place = region.owner, {-1: -1}
        for number, element in enumerate(classify_detections(region_texts, region_boxes, grids[region])):
            if element.parent < 0:
                owner = _innermost(page, element, region.owner)
            place[number] = len(found[owner])
            found[owner].append(replace(element, parent=place[element.parent]))
    return found


def _region_order(region: Region) -> tuple[float, ...]:
    return region.box.top, region.box.left, region.box.bottom, region.box.right, region.owner


def _innermost(page: Sequence[Element], element: Element, owner: int) -> int:
    """The smallest opaque element that contains an element's center: a region may show one inside another."""
    if owner < 0:
        return owner
    pictures = [
        (other.box.area, -index)
        for index, other in enumerate(page)
        if other.opaque is not None and other.visible and other.box.contains(element.box.center)
    ]
    return -min(pictures)[1] if pictures else owner


def _insert(page: tuple[Element, ...], found: Mapping[int, Sequence[Element]]) -> tuple[Element, ...]:
    """Inserts new elements after the last descendant of their owner, and updates all parent indices."""
    if not found:
        return page
    after = _last_descendants(page)
    owners: dict[int, list[int]] = defaultdict(list)
    # If the descendants of two owners end at the same element, the inner owner comes first, so that nesting is kept.
    for owner in sorted(found, reverse=True):
        owners[after[owner] if owner >= 0 else len(page) - 1].append(owner)
    merged: list[Element] = []
    place = {-1: -1}
    for index in range(-1, len(page)):
        if index >= 0:
            place[index] = len(merged)
            merged.append(replace_fields(page[index], parent=place[page[index].parent]))
        for owner in owners[index]:
            first = len(merged)
            merged += [
                replace_fields(new, parent=first + new.parent if new.parent >= 0 else place[owner])
                for new in found[owner]
            ]
    return tuple(merged)


def _last_descendants(page: Sequence[Element]) -> list[int]:
    last = list(range(len(page)))
    for index in reversed(range(len(page))):
        parent = page[index].parent
        if parent >= 0:
            last[parent] = max(last[parent], last[index])
    return last
