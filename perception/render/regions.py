"""A page as functional regions: landmarks, forms, tables, toolbars, dialogs, frames, canvases; what is left of large
ones by their headings.

Rule 1: every element is in exactly one region: the innermost that holds it. Rule 2: a region is known by the element
that holds it or the heading that begins it, so that it stays the same while that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from perception.geometry import Box
from perception.render.lines import level_of
from perception.types import Element, Reach

PAGE = -1
"""In place of an index: what no other region holds."""

ALWAYS = frozenset({"dialog", "alertdialog", "alert"})
"""Regions however little they hold: they ask for an answer, or are one."""

PICTURES = frozenset({"canvas", "iframe", "video", "embed"})
"""Regions if they are large: what is in them is not on the list, or is another document."""

HOLDERS = {
    **dict.fromkeys("form search".split(), 1),
    **dict.fromkeys("navigation banner contentinfo complementary toolbar tablist radiogroup menu menubar".split(), 3),
    **dict.fromkeys("table grid treegrid tree listbox feed".split(), 3),
    **dict.fromkeys("region main application tabpanel article".split(), 4),
    **dict.fromkeys("list group figure".split(), 6),
}
"""How many controls or rows make each of these a region of its own: fewer are told as quickly by the one around it."""

MIN_PICTURE = 10_000.0
"""CSS px²: 100 x 100. A smaller canvas is an icon or a sparkline."""

MIN_SECTION = 3
"""Controls that make what follows a heading a region."""

MIN_SPLIT = 8
"""Controls from which on a region is told apart by its headings."""

SPLIT = frozenset({"main", "region", "article", "tabpanel", "dialog", "form", "complementary", "application", "iframe"})
"""Regions that may hold several things under headings of their own. The rest of the page is one, too."""

LANDMARKS = SPLIT | frozenset({"banner", "navigation", "contentinfo", "search", "alertdialog", "toolbar"})
"""What a heading's section does not go beyond."""

ALIKE = 4
"""Regions of the same kind side by side, from which on the one around them tells them together: cards, articles."""

MAX_REGIONS = 12
"""What 150 tokens have room for, at 12 a line."""

LEAST_SPECIFIC = ("list", "group", "figure", "main", "region", "application", "banner", "contentinfo")
"""Where two regions hold the same controls, the one that comes first here goes."""


@dataclass(frozen=True, slots=True)
class Region:
    """`at` is the index of the element that holds it or of the heading that begins it, PAGE for what is left.

    `parent` is the number of the region around it, -1 for none. `members` are indices of what is in it and in no region
    inside it, `at` included unless its own region holds it.
    """

    at: int
    parent: int
    members: tuple[int, ...]


def find_regions(elements: Sequence[Element]) -> tuple[Region, ...]:
    """The regions of a list of elements, in document order; none for no elements.

    Their members are the whole list, each index once.
    """
    if not elements:
        return ()
    weights = [int(is_listed_control(element) or element.role == "row") for element in elements]
    holders = _merge_alike(elements, _drop_same(elements, weights, _holders(elements, weights)))
    owners = _owners(elements, holders)
    owners = _split_by_headings(elements, owners)
    owners = _cap(elements, weights, owners)
    return _made(elements, owners)


def is_listed_control(element: Element) -> bool:
    """What can be acted on, now or after scrolling or uncovering it."""
    return element.interactive and element.reach is not Reach.NEVER


def section_of(elements: Sequence[Element], at: int) -> set[int]:
    """What stands under a heading: from it to the next one of its level or above, or the end of what it stands in."""
    level = level_of(elements[at])
    around = _nearest(elements, elements[at].parent, {i for i, each in enumerate(elements) if each.role in LANDMARKS})
    section = {at}
    for index in range(at + 1, len(elements)):
        element = elements[index]
        if (element.role == "heading" and level_of(element) <= level) or not _is_inside(elements, index, around):
            break
        section.add(index)
    return section


def _is_inside(elements: Sequence[Element], index: int, around: int) -> bool:
    while index > around:
        index = elements[index].parent
    return index == around


def _holders(elements: Sequence[Element], weights: Sequence[int]) -> set[int]:
    """Elements that hold enough to be regions."""
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
            # Charts are painted in layers, each a canvas of the same place.
            if element.box not in pictures or held:
                found.add(index)
            pictures.add(element.box)
        elif (element.role in ALWAYS and element.visible) or held >= HOLDERS.get(element.role, len(elements) + 1):
            found.add(index)
        elif held and element.role in LANDMARKS and _nearest(elements, element.parent, found) == PAGE:
            # What no region holds has no ref to open it with: better a small region than that.
            found.add(index)
    return found


def _drop_same(elements: Sequence[Element], weights: Sequence[int], holders: set[int]) -> set[int]:
    """Of regions that hold the same controls, keeps the one that says more of what they are for."""
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
        if outer == PAGE or len(children) != 1 or own[outer]:
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
    """Leaves out many of a kind side by side: what is around them tells how many there are."""
    groups: dict[tuple[int, str], list[int]] = {}
    for index in sorted(holders):
        if elements[index].role not in ALWAYS:
            groups.setdefault((elements[index].parent, elements[index].role), []).append(index)
    return holders - {index for group in groups.values() if len(group) >= ALIKE for index in group}


def _nearest(elements: Sequence[Element], index: int, wanted: set[int]) -> int:
    while index >= 0 and index not in wanted:
        index = elements[index].parent
    return index


def _owners(elements: Sequence[Element], holders: set[int]) -> list[int]:
    """For each element the innermost of the holders that holds it, itself included."""
    owners: list[int] = []
    for index, element in enumerate(elements):
        if index in holders:
            owners.append(index)
        else:
            owners.append(owners[element.parent] if element.parent >= 0 else PAGE)
    return owners


def _split_by_headings(elements: Sequence[Element], owners: Sequence[int]) -> list[int]:
    """Gives what follows a heading to that heading, where a region has much and several of a level."""
    members: dict[int, list[int]] = {}
    for index, owner in enumerate(owners):
        members.setdefault(owner, []).append(index)
    result = list(owners)
    for owner, indices in members.items():
        if owner != PAGE and elements[owner].role not in SPLIT:
            continue
        if sum(is_listed_control(elements[index]) for index in indices) < MIN_SPLIT:
            continue
        for section in _sections(elements, indices):
            if sum(is_listed_control(elements[index]) for index in section) >= MIN_SECTION:
                for index in section:
                    result[index] = section[0]
    return result


def _sections(elements: Sequence[Element], indices: Sequence[int]) -> list[list[int]]:
    """From each heading of the highest level that there are several of to the next such one."""
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
    """Gives the smallest regions to those around them until few enough are left."""
    result = list(owners)
    sizes: Counter[int] = Counter(dict.fromkeys(result, 0))
    for index, owner in enumerate(result):
        sizes[owner] += weights[index]
    spare = sorted(
        (owner for owner in sizes if owner != PAGE and elements[owner].role not in ALWAYS),
        key=lambda owner: (elements[owner].in_viewport, sizes[owner], -owner),
    )
    for owner in spare[: max(len(sizes) - MAX_REGIONS, 0)]:
        around = result[elements[owner].parent] if elements[owner].parent >= 0 else PAGE
        while around == owner:
            around = result[elements[around].parent] if elements[around].parent >= 0 else PAGE
        result = [around if each == owner else each for each in result]
    return result


def _made(elements: Sequence[Element], owners: Sequence[int]) -> tuple[Region, ...]:
    members: dict[int, list[int]] = {}
    for index, owner in enumerate(owners):
        members.setdefault(owner, []).append(index)
    order = sorted(members)
    number = {at: place for place, at in enumerate(order)}
    regions = []
    for at in order:
        regions.append(Region(at, _around(elements, owners, number, at), tuple(members[at])))
    return tuple(regions)


def _around(elements: Sequence[Element], owners: Sequence[int], number: dict[int, int], at: int) -> int:
    """The number of the region around the one at that index; what is left of the page is around none."""
    if at == PAGE:
        return -1
    parent = elements[at].parent
    while parent >= 0 and owners[parent] == at:
        parent = elements[parent].parent
    around = owners[parent] if parent >= 0 else PAGE
    return number[around] if around != PAGE else -1
