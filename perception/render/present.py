"""What is served of a snapshot: the elements that its view lists, and their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.digest import NameRegions, digest, region_places
from perception.render.regions import PAGE, Region, find_regions
from perception.render.select import indices_in_view, take
from perception.render.text import PagedText
from perception.types import Element, TextStyle, View


@dataclass(frozen=True, slots=True)
class Presented:
    """`listed` is in the order of `text`; its pages show indices into it."""

    listed: tuple[Element, ...]
    text: PagedText


def tells_regions(view: View, style: TextStyle, max_tokens: int) -> bool:
    """Whether a text may speak of regions, and so needs the structures that no view lists."""
    return view is View.DIGEST or style is TextStyle.COMPACT or max_tokens > 0


def nameless_regions(elements: Sequence[Element], indices: Sequence[int]) -> list[str]:
    """For a list that nobody can open: the refs that its elements have already."""
    return [elements[index].ref for index in indices]


def present(
    elements: Sequence[Element],
    *,
    view: View = View.FULL,
    style: TextStyle = TextStyle.ROLE_REF,
    max_tokens: int = 0,
    unfolded: bool = False,
    name_regions: NameRegions = nameless_regions,
) -> Presented:
    """A view of a list of elements, and its text. Nothing for no elements.

    Args:
        max_tokens: of each page of the text, by o200k_base; 0: no limit.
        unfolded: somebody opened just this: nothing is folded.
        name_regions: called only where regions are told of.

    Raises:
        BadInputError: the budget is too small for any page.
    """
    regions = find_regions(elements) if tells_regions(view, style, max_tokens) else ()
    refs = _refs(elements, regions, name_regions)
    if view is View.DIGEST:
        listed = digest(elements, regions, refs)
        return Presented(listed, PagedText(listed, max_tokens=max_tokens, style=style, view=view))
    indices = indices_in_view(elements, view)
    listed = take(elements, indices)
    places = region_places(elements, regions, refs) if regions else []
    text = PagedText(
        listed,
        max_tokens=max_tokens,
        style=style,
        view=view,
        places=[places[index] for index in indices] if places else (),
        unfolded=unfolded,
    )
    return Presented(listed, text)


def _refs(elements: Sequence[Element], regions: Sequence[Region], name_regions: NameRegions) -> list[str]:
    """A ref for each region; none for what is left of the page."""
    held = [region.at for region in regions if region.at != PAGE]
    found = dict(zip(held, name_regions(elements, held), strict=True)) if held else {}
    return [found.get(region.at, "") for region in regions]
