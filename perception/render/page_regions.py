"""Divides a page into functional regions: landmarks, forms, tables, toolbars, dialogs, frames, canvases. Large regions
are split at their headings.

Rule 1: every element is in exactly one region: the innermost that contains it. Rule 2: a region is identified by its
container element or by its heading, so it keeps its identity while that element exists.

Thresholds that name no source are chosen by hand; guarded by `tests/unit/render/test_regions.py` and the
`tokens` suite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from perception.geometry import Box
from perception.render.element_lines import level_of
from perception.types import Element, Reach

REGION_PAGE = -1
"""In place of an index: the region of all elements that are in no other region."""

ALWAYS = frozenset({"dialog", "alertdialog", "alert"})
"""Roles that are always regions, however small: they need a response, or are one."""

PICTURES = frozenset({"canvas", "iframe", "video", "embed"})
"""Roles that are regions if they are large: their content is not listed, or is another document."""

HOLDERS = {
    **dict.fromkeys("form search".split(), 1),
    **dict.fromkeys("navigation banner contentinfo complementary toolbar tablist radiogroup menu menubar".split(), 3),
    **dict.fromkeys("table grid treegrid tree listbox feed".split(), 3),
    **dict.fromkeys("region main application tabpanel article".split(), 4),
    **dict.fromkeys("list group figure".split(), 6),
}
"""Least number of controls or rows for each role to be a region; with fewer, the region around it lists them."""

MIN_PICTURE = 10_000.0
"""CSS px²: 100 x 100. A smaller canvas is an icon or a sparkline."""

MIN_SECTION = 3
"""Least number of controls for the section after a heading to be a region."""

MIN_SPLIT = 8
"""Least number of controls for a region to be split at its headings."""

SPLIT = frozenset({"main", "region", "article", "tabpanel", "dialog", "form", "complementary", "application", "iframe"})
"""Roles of regions that may be split at their headings. REGION_PAGE may be split, too."""

LANDMARKS = SPLIT | frozenset({"banner", "navigation", "contentinfo", "search", "alertdialog", "toolbar"})
"""Roles at whose end a heading's section ends."""

REGION_ALIKE = 6
"""Least number of regions of the same role in one region that are merged into it (cards, articles, charts): they would
take up half of MAX_REGIONS."""

MAX_REGIONS = 12
"""Maximum number of regions: 150 tokens, at 12 tokens a line."""

LEAST_SPECIFIC = ("list", "group", "figure", "main", "region", "application", "banner", "contentinfo")
"""Roles, the least specific first: of two regions with the same controls, the one whose role comes first is dropped."""


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A functional region.

    Attributes:
        at: index of its container element or of its heading; REGION_PAGE for the rest of the page.
        parent: number of the region around it; -1 for none.
        members: indices of the elements in it and in no region inside it; `at` is one of them unless it is in another
            region.
    """

    at: int
    parent: int
    members: tuple[int, ...]


def find_regions(elements: Sequence[Element]) -> tuple[PageRegion, ...]:
    """The regions of a list of elements, in document order; every index is a member of exactly one region."""
    if not elements:
        return ()
    weights = [int(is_listed_control(element) or element.role == "row") for element in elements]
    holders = _merge_alike(elements, _drop_same(elements, weights, _holders(elements, weights)))
    owners = _owners(elements, holders)
    owners = _split_by_headings(elements, owners)
    owners = _cap(elements, weights, owners)
    return _build_regions(elements, owners)


def is_listed_control(element: Element) -> bool:
    """Whether an element can be acted on, now or after scrolling or uncovering it."""
    return element.interactive and element.reach is not Reach.NEVER


def _holders(elements: Sequence[Element], weights: Sequence[int]) -> set[int]:
    """Indices of the elements with enough content to be regions."""
    inside = list(weights)
    for index in range(len(elements) - 1, -1, -1):
        parent = elements[index].parent
        if parent >= 0:
            inside[parent] += inside[index]
    found = set()
    pictures: set[Box] = set()
    for index, element in enumerate(elements):
        held = inside[index] - weights[index]
        if element.role in PICTURES and element.visible and element.box.area >= MIN_PICTURE:
            # Charts are painted in layers, each of them a canvas at the same place.
            if element.box not in pictures or held:
                found.add(index)
            pictures.add(element.box)
        elif (element.role in ALWAYS and element.visible) or held >= HOLDERS.get(element.role, len(elements) + 1):
            found.add(index)
        elif held and element.role in LANDMARKS and _nearest(elements, element.parent, found) == REGION_PAGE:
            # Without a region the content would have no ref to open, so a small region is better.
            found.add(index)
    return found


def _drop_same(elements: Sequence[Element], weights: Sequence[int], holders: set[int]) -> set[int]:
    """Keeps the region whose role is more specific, of two with the same controls."""
    inner: dict[int, list[int]] = {}
    own: Counter[int] = Counter()
    for index, element in enumerate(elements):
        around = _nearest(elements, element.parent, holders)
        if index in holders:
            inner.setdefault(around, []).append(index)
        if weights[index]:
            own[around] += 1
    kept = set(holders)
    for outer, children in inner.items():
        if outer == REGION_PAGE or len(children) != 1 or own[outer]:
            continue
        loser = min(outer, children[0], key=lambda index: (_specificity(elements[index]), -index))
        if elements[loser].role not in ALWAYS | PICTURES:
            kept.discard(loser)
    return kept


def _specificity(element: Element) -> int:
    if element.role in LEAST_SPECIFIC:
        return LEAST_SPECIFIC.index(element.role)
    return len(LEAST_SPECIFIC)


def _merge_alike(elements: Sequence[Element], holders: set[int]) -> set[int]:
    """Drops many regions of one role in the same region; their content belongs to the region around them."""
    kept = holders
    while True:
        groups: dict[tuple[int, str], list[int]] = {}
        for index in sorted(kept):
            if elements[index].role not in ALWAYS:
                around = _nearest(elements, elements[index].parent, kept)
                groups.setdefault((around, elements[index].role), []).append(index)
        many = {index for group in groups.values() if len(group) >= REGION_ALIKE for index in group}
        if not many:
            return kept
        kept = kept - many


def _nearest(elements: Sequence[Element], index: int, wanted: set[int]) -> int:
    while index >= 0 and index not in wanted:
        index = elements[index].parent
    return index


def _owners(elements: Sequence[Element], holders: set[int]) -> list[int]:
    """For each element the innermost holder around it, or itself; REGION_PAGE for none."""
    owners: list[int] = []
    for index, element in enumerate(elements):
        if index in holders:
            owners.append(index)
        else:
            owners.append(owners[element.parent] if element.parent >= 0 else REGION_PAGE)
    return owners


def _split_by_headings(elements: Sequence[Element], owners: Sequence[int]) -> list[int]:
    """Makes sections with enough controls regions of their own, in regions with several headings of one level."""
    members: dict[int, list[int]] = {}
    for index, owner in enumerate(owners):
        members.setdefault(owner, []).append(index)
    result = list(owners)
    for owner, indices in members.items():
        if owner != REGION_PAGE and elements[owner].role not in SPLIT:
            continue
        if sum(is_listed_control(elements[index]) for index in indices) < MIN_SPLIT:
            continue
        for section in _sections(elements, indices):
            if sum(is_listed_control(elements[index]) for index in section) >= MIN_SECTION:
                for index in section:
                    result[index] = section[0]
    return result


def _sections(elements: Sequence[Element], indices: Sequence[int]) -> list[list[int]]:
    """Sections of a region at the highest level with more than one heading."""
    levels = Counter(level_of(elements[index]) for index in indices if elements[index].role == "heading")
    level = min((level for level, count in levels.items() if count > 1), default=0)
    sections: list[list[int]] = []
    for index in indices:
        element = elements[index]
        if element.role == "heading" and level_of(element) <= level:
            sections.append([])
        if sections:
            sections[-1].append(index)
    return sections


def _cap(elements: Sequence[Element], weights: Sequence[int], owners: Sequence[int]) -> list[int]:
    """Merges the smallest regions into those around them until at most MAX_REGIONS are left."""
    sizes: Counter[int] = Counter(dict.fromkeys(owners, 0))
    for index, owner in enumerate(owners):
        sizes[owner] += weights[index]
    spare = sorted(
        (owner for owner in sizes if owner != REGION_PAGE and elements[owner].role not in ALWAYS),
        key=lambda owner: (elements[owner].in_viewport, sizes[owner], -owner),
    )
    heirs = {owner: _owner_around(elements, owners, owner) for owner in spare[: max(len(sizes) - MAX_REGIONS, 0)]}

    def heir(owner: int) -> int:
        while owner in heirs:
            owner = heirs[owner]
        return owner

    return [heir(owner) for owner in owners]


def _owner_around(elements: Sequence[Element], owners: Sequence[int], at: int) -> int:
    """The owner around the region at an index: that of its nearest ancestor outside the region."""
    parent = elements[at].parent
    while parent >= 0 and owners[parent] == at:
        parent = elements[parent].parent
    return owners[parent] if parent >= 0 else REGION_PAGE


def _build_regions(elements: Sequence[Element], owners: Sequence[int]) -> tuple[PageRegion, ...]:
    members: dict[int, list[int]] = {}
    for index, owner in enumerate(owners):
        members.setdefault(owner, []).append(index)
    order = sorted(members)
    number = {at: place for place, at in enumerate(order)}
    regions = []
    for at in order:
        regions.append(PageRegion(at, _around(elements, owners, number, at), tuple(members[at])))
    return tuple(regions)


def _around(elements: Sequence[Element], owners: Sequence[int], number: dict[int, int], at: int) -> int:
    """The number of the region around the one at an index; -1 if there is none but REGION_PAGE."""
    if at == REGION_PAGE:
        return -1
    around = _owner_around(elements, owners, at)
    return number[around] if around != REGION_PAGE else -1
