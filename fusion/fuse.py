"""What the page says and what was seen of it, in one list.

Rule 1: the page's elements all stay, in their order, with their boxes; vision adds to them and between them.
Rule 2: nothing is said twice: what an element already says is only noted in its sources.
Rule 3: what is seen within a control belongs to the control.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from perception.fusion.baselines import settle_as_omniparser, settle_as_ufo2
from perception.fusion.beside import hint_by_labels
from perception.fusion.frames import SeenRegion, Sight, place_detections
from perception.fusion.guess import SYMBOLS, guess_elements
from perception.fusion.match import Candidates, explain_boxes, explain_texts, find_controls, holds
from perception.fusion.parameters import DEFAULTS, FusionParameters, Rule
from perception.fusion.words import fold, has_ideographic_words, is_icon_misread, is_same
from perception.geometry import coverage, iou, stack
from perception.types import Element, Region, Source

__all__ = ["SeenRegion", "fuse"]

_DUPLICATE_TEXT, _DUPLICATE_BOX = 0.5, 0.7
"""Intersection over union from which two sightings of a kind are one thing seen by two detectors."""

_VISION = {Source.OCR, Source.DETECTOR}


def fuse(
    elements: tuple[Element, ...], detections: Sequence[SeenRegion], parameters: FusionParameters = DEFAULTS
) -> tuple[Element, ...]:
    """Merges what was seen into a page's elements.

    Vision elements already in `elements` are what an earlier look found; this look replaces them.

    Args:
        elements: of the page, parents before children; () when there are pixels alone.
        detections: by region; a region's `owner` counts the page's own elements only.

    Returns:
        The page's elements, named and noted, and between them, after the last descendant of the element they lie
        in, what only vision sees: without refs, interactive, reachable, within its region.
    """
    page = _drop_vision(elements)
    sights = [sight for seen in detections for sight in place_detections(seen) if _is_taken(sight, page, parameters)]
    texts = _clean_texts(_unique([sight for sight in sights if sight.text], _DUPLICATE_TEXT), page)
    boxes = _unique([sight for sight in sights if not sight.text], _DUPLICATE_BOX)
    if parameters.rule is Rule.UFO2:
        page, texts, boxes = settle_as_ufo2(page, texts, boxes)
    elif parameters.rule is Rule.OMNIPARSER:
        page, texts, boxes = settle_as_omniparser(page, texts, boxes)
    else:
        candidates = Candidates.of(page, parameters)
        page, texts = _settle_texts(page, texts, candidates)
        page, boxes = _settle_boxes(page, boxes, candidates, parameters)
        page = hint_by_labels(page, texts)
    return _insert(page, _guess_all(page, texts, boxes))


def _drop_vision(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The page's own elements, with parents counted among themselves."""
    own = [index for index, element in enumerate(elements) if not _is_vision(element)]
    place = {index: new for new, index in enumerate(own)}
    place[-1] = -1
    return tuple(replace(elements[index], parent=place[elements[index].parent]) for index in own)


def _is_vision(element: Element) -> bool:
    return element.node is None and set(element.sources) <= _VISION


def _is_taken(sight: Sight, page: Sequence[Element], parameters: FusionParameters) -> bool:
    return sight.score >= parameters.min_score and _is_owners(sight, page)


def _is_owners(sight: Sight, page: Sequence[Element]) -> bool:
    """Not so for what the padding around a small control shows of its neighbours."""
    owner = sight.region.owner
    return owner < 0 or page[owner].box.contains(sight.box.center)


def _unique(sights: list[Sight], same: float) -> list[Sight]:
    """Each thing once, by its best sighting, in an order that does not depend on who saw what."""
    order = sorted(sights, key=lambda sight: (-sight.score, *_sides(sight), sight.text))
    columns = stack(sight.box for sight in order)
    overlap = np.tril(iou(columns, columns) >= same, k=-1)
    kept: list[int] = []
    for row, sight in enumerate(order):
        rivals = [place for place in kept if overlap[row, place]]
        if not any(not sight.text or is_same(fold(sight.text), fold(order[place].text)) for place in rivals):
            kept.append(row)
    return sorted((order[row] for row in kept), key=lambda sight: (*_sides(sight), sight.text))


def _sides(sight: Sight) -> tuple[float, float, float, float]:
    return sight.box.top, sight.box.left, sight.box.bottom, sight.box.right


def _clean_texts(texts: list[Sight], page: Sequence[Element]) -> list[Sight]:
    ideographic = has_ideographic_words([*(text.text for text in texts), *(element.name for element in page)])
    return [text for text in texts if not is_icon_misread(text.text, text.score, ideographic=ideographic)]


def _settle_texts(
    page: tuple[Element, ...], texts: list[Sight], candidates: Candidates
) -> tuple[tuple[Element, ...], list[Sight]]:
    """Notes what is explained, names controls by what is in them; returns the texts that are left."""
    explained = explain_texts(texts, candidates)
    noted: set[int] = {index for indices in explained.values() for index in indices}
    rest = [text for row, text in enumerate(texts) if row not in explained]
    said: dict[int, list[str]] = defaultdict(list)
    left = []
    for text, control in zip(rest, find_controls(rest, candidates), strict=True):
        if control < 0:
            left.append(text)
        elif fold(text.text) or (not page[control].name and set(text.text) & SYMBOLS):
            said[control].append(text.text)
    named = {index: _say(page[index], " ".join(words)) for index, words in said.items()}
    page = tuple(named.get(index, element) for index, element in enumerate(page))
    return _note(page, noted, Source.OCR), left


def _say(element: Element, words: str) -> Element:
    """A nameless control is called what is written on it; another one shows it as text, unless it has some."""
    if not element.name:
        return _add_source(replace(element, name=words), Source.OCR)
    if not element.text:
        return _add_source(replace(element, text=words), Source.OCR)
    return element


def _settle_boxes(
    page: tuple[Element, ...], boxes: list[Sight], candidates: Candidates, parameters: FusionParameters
) -> tuple[tuple[Element, ...], list[Sight]]:
    """Notes which elements were seen as boxes; returns the boxes that neither are one, lie in a control, nor
    frame what the page lists itself."""
    explained = explain_boxes(boxes, candidates, parameters.same_box)
    rest = [box for row, box in enumerate(boxes) if row not in explained]
    free = [box for box, control in zip(rest, find_controls(rest, candidates), strict=True) if control < 0]
    leaves = stack(element.box for element in page if _is_listed_content(element))
    columns = stack(box.box for box in free)
    framed = holds(columns, leaves).T & (coverage(leaves, columns).T >= 0.5)
    left = [box for box, frames in zip(free, framed.max(axis=1, initial=False).tolist(), strict=True) if not frames]
    return _note(page, set(explained.values()), Source.DETECTOR), left


def _is_listed_content(element: Element) -> bool:
    return element.visible and element.in_viewport and element.opaque is None and bool(element.name or element.value)


def _note(page: tuple[Element, ...], indices: set[int], source: Source) -> tuple[Element, ...]:
    return tuple(_add_source(element, source) if index in indices else element for index, element in enumerate(page))


def _add_source(element: Element, source: Source) -> Element:
    """In the order of the enumeration, so that it does not tell who came first."""
    sources = tuple(each for each in Source if each in element.sources or each is source)
    return replace(element, sources=sources)


def _guess_all(page: Sequence[Element], texts: list[Sight], boxes: list[Sight]) -> dict[int, list[Element]]:
    """New elements by the page's element that they lie in, -1 for none."""
    regions: dict[Region, tuple[list[Sight], list[Sight]]] = defaultdict(lambda: ([], []))
    for which, sights in enumerate((texts, boxes)):
        for sight in sights:
            regions[sight.region][which].append(sight)
    found: dict[int, list[Element]] = defaultdict(list)
    for region, (region_texts, region_boxes) in sorted(regions.items(), key=lambda item: _region_order(item[0])):
        for element in guess_elements(region_texts, region_boxes):
            owner = _innermost(page, element, region.owner)
            found[owner].append(replace(element, parent=owner))
    return found


def _region_order(region: Region) -> tuple[float, ...]:
    return region.box.top, region.box.left, region.box.bottom, region.box.right, region.owner


def _innermost(page: Sequence[Element], element: Element, owner: int) -> int:
    """The smallest picture that the element's middle lies in: a region may show a smaller one inside another."""
    if owner < 0:
        return owner
    pictures = [
        (other.box.area, -index)
        for index, other in enumerate(page)
        if other.opaque is not None and other.visible and other.box.contains(element.box.center)
    ]
    return -min(pictures)[1] if pictures else owner


def _insert(page: tuple[Element, ...], found: Mapping[int, Sequence[Element]]) -> tuple[Element, ...]:
    """Puts new elements after the last descendant of their owner, and counts all parents anew."""
    after = _last_descendants(page)
    added: dict[int, list[Element]] = defaultdict(list)
    # Of owners whose descendants end together the inner one comes first, so that nesting is kept.
    for owner in sorted(found, reverse=True):
        added[after[owner] if owner >= 0 else len(page) - 1] += found[owner]
    merged = list(added[-1]) if not page else []
    place = {-1: -1}
    for index, element in enumerate(page):
        place[index] = len(merged)
        merged.append(element)
        merged += added[index]
    return tuple(_with_parent(element, place) for element in merged)


def _with_parent(element: Element, place: Mapping[int, int]) -> Element:
    return replace(element, parent=place[element.parent])


def _last_descendants(page: Sequence[Element]) -> list[int]:
    last = list(range(len(page)))
    for index in reversed(range(len(page))):
        parent = page[index].parent
        if parent >= 0:
            last[parent] = max(last[parent], last[index])
    return last
