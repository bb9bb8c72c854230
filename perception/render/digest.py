"""The digest: one line for each functional region of a page, with its label, its content in numbers, and its ref.

    - navigation "Main" [ref=e4]: 12 links
    - form "Sign in" [ref=e9]: 3 fields, 2 buttons [focused]
    - table "Users" [ref=e7]: 40 rows, 120 links

Rule 1: every control that an INTERACTIVE view lists is counted in exactly one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from perception.geometry import union
from perception.render.page_regions import ALWAYS, PICTURES, REGION_PAGE, PageRegion, is_listed_control
from perception.render.quoting import cut, plural, quote
from perception.types import Element, Reach

MAX_DIGEST_LABEL = 40
"""Characters: the length of a usual heading. Chosen by hand; guarded by `tests/unit/render/test_regions.py`, as the two
below."""

FIRST_WORDS = 16
"""Characters after which a label of first words gets no further name: two or three words tell a region from others."""

MIN_WORDS = 20
"""Least number of words of running text that are counted; fewer are captions."""

DIGEST_KINDS = 4
"""Kinds of controls that a line counts separately; the rest are `others`."""

NOUNS = {
    **dict.fromkeys("textbox searchbox spinbutton combobox listbox slider".split(), "field"),
    **dict.fromkeys("menuitem menuitemcheckbox menuitemradio".split(), "menu item"),
    **dict.fromkeys("checkbox switch tab option link button".split()),
    "radio": "radio button",
    "treeitem": "tree item",
    "gridcell": "cell",
    "columnheader": "column header",
    "row": "row",
}
"""Nouns for roles; None stands for the role itself."""

UNDER_HEADINGS = frozenset("table grid treegrid tree list listbox feed form canvas iframe video figure toolbar".split())
"""Roles that are usually labeled by a heading before them; landmarks contain their headings."""

NameRegions = Callable[[Sequence[Element], Sequence[int]], Sequence[str]]
"""Returns stable refs for the elements at these indices; "" for an element that cannot have one."""


def digest(elements: Sequence[Element], regions: Sequence[PageRegion], refs: Sequence[str]) -> tuple[Element, ...]:
    """An element for each region with content: role and ref, label as `name`, counts as `text`.

    Args:
        elements: all elements of the page.
        regions: the regions of these elements.
        refs: one ref for each region.
    """
    made: list[Element] = []
    place: dict[int, int] = {-1: -1}
    for number, region in enumerate(regions):
        parent = place[region.parent]
        place[number] = parent
        amounts = _amounts(elements, region)
        if not amounts and not _is_kept_empty(elements, region) and len(regions) > 1:
            continue
        place[number] = len(made)
        made.append(_element(elements, region, refs[number], amounts, parent))
    return tuple(made)


def region_places(elements: Sequence[Element], regions: Sequence[PageRegion], refs: Sequence[str]) -> list[str]:
    """For each element its region, as it is named in counts of omitted elements: `table "Users" [ref=e7]`.

    Empty for elements in no region but REGION_PAGE.
    """
    places = [""] * len(elements)
    for region, ref in zip(regions, refs, strict=True):
        if region.at == REGION_PAGE:
            continue
        label = region_label(elements, region)
        words = [elements[region.at].role, *([quote(label)] if label else []), *([f"[ref={ref}]"] if ref else [])]
        for index in region.members:
            places[index] = " ".join(words)
    return places


def region_label(elements: Sequence[Element], region: PageRegion) -> str:
    """The label of a region: its name, the heading in it or right above it, or its first words."""
    if region.at != REGION_PAGE and elements[region.at].name:
        return cut(elements[region.at].name, MAX_DIGEST_LABEL)
    inside = [elements[index] for index in region.members if index != region.at and elements[index].visible]
    heading = next((each.name for each in inside if each.role == "heading" and each.name), "")
    return cut(heading or _heading_above(elements, region.at) or _first_words(inside), MAX_DIGEST_LABEL)


def _heading_above(elements: Sequence[Element], at: int) -> str:
    """The heading before a region without a heading, among its siblings."""
    parent = elements[at].parent if at != REGION_PAGE else REGION_PAGE
    if at == REGION_PAGE or elements[at].role not in UNDER_HEADINGS:
        return ""
    for index in range(at - 1, max(parent, -1), -1):
        if elements[index].role == "heading" and elements[index].parent == parent and elements[index].visible:
            return elements[index].name
    return ""


def _first_words(inside: Sequence[Element]) -> str:
    words: list[str] = []
    for each in inside:
        if each.name and each.name not in words:
            words.append(each.name)
        if len(words) == 2 or len(", ".join(words)) >= FIRST_WORDS:
            break
    return ", ".join(words)


def _element(elements: Sequence[Element], region: PageRegion, ref: str, amounts: str, parent: int) -> Element:
    label = region_label(elements, region)
    states = _states(elements, region)
    if region.at == REGION_PAGE:
        box = union([elements[index].box for index in region.members])
        return Element("page", label, box, text=amounts, parent=parent, states=states)
    element = elements[region.at]
    return replace(element, ref=ref, name=label, text=amounts, parent=parent, states=states, options=(), hint="")


def _amounts(elements: Sequence[Element], region: PageRegion) -> str:
    """The content of a region in numbers, most frequent first; rows before all others."""
    counts: Counter[str] = Counter()
    words = 0
    for index in region.members:
        element = elements[index]
        if is_listed_control(element):
            counts[NOUNS.get(element.role, "target") or element.role] += 1
        elif element.role == "row":
            counts["row"] += 1
        elif element.role == "text" and element.visible:
            words += len(element.name.split())
    ordered = sorted(counts.items(), key=lambda item: (item[0] != "row", -item[1]))
    parts = [plural(count, noun) for noun, count in ordered[:DIGEST_KINDS]]
    others = sum(count for _, count in ordered[DIGEST_KINDS:])
    if others:
        parts.append(plural(others, "other"))
    if words >= MIN_WORDS:
        parts.append(f"{words} words")
    return ", ".join(parts)


def _states(elements: Sequence[Element], region: PageRegion) -> tuple[str, ...]:
    inside = [elements[index] for index in region.members]
    controls = [each for each in inside if is_listed_control(each)]
    own = elements[region.at].states if region.at != REGION_PAGE else ()
    states = [state for state in own if state in ("modal", "expanded", "collapsed", "selected")]
    if any("focused" in each.states for each in inside):
        states.append("focused")
    blockers = {each.blocker if _is_covered(each) else "" for each in controls}
    if len(blockers) == 1 and "" not in blockers:
        states.append(f"covered by {blockers.pop()}")
    if not any(each.in_viewport for each in inside):
        states.append("off-screen")
    return tuple(states)


def _is_covered(element: Element) -> bool:
    return element.reach is Reach.COVERED or (element.in_viewport and not element.reachable)


def _is_kept_empty(elements: Sequence[Element], region: PageRegion) -> bool:
    return region.at != REGION_PAGE and elements[region.at].role in ALWAYS | PICTURES
