"""Presents a snapshot: selects the elements of a view and renders their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.digest import NameRegions, digest, region_places
from perception.render.page_regions import REGION_PAGE, PageRegion, find_regions
from perception.render.select import Moved, indices_in_view, take
from perception.render.text import PagedText
from perception.render.written_text import WrittenText
from perception.types import Element, TextStyle, View


@dataclass(frozen=True, slots=True)
class Presented:
    """A view of a snapshot.

    Attributes:
        listed: elements of the view.
        text: text of the view; its pages refer to indices in `listed`.
    """

    listed: tuple[Element, ...]
    text: PagedText


def tells_regions(view: View, style: TextStyle, max_tokens: int) -> bool:
    """Whether a text may name regions, and therefore needs the structures that no view lists."""
    return view is View.DIGEST or style is TextStyle.COMPACT or max_tokens > 0


def nameless_regions(elements: Sequence[Element], indices: Sequence[int]) -> list[str]:
    """The refs that elements already have, for a list whose regions cannot be opened."""
    return [elements[index].ref for index in indices]


def present(
    elements: Sequence[Element],
    *,
    view: View = View.FULL,
    style: TextStyle = TextStyle.ROLE_REF,
    max_tokens: int = 0,
    unfolded: bool = False,
    boxed: bool = False,
    name_regions: NameRegions = nameless_regions,
    moved: Moved | None = None,
    written: WrittenText | None = None,
) -> Presented:
    """Selects a view of a list of elements and renders its text.

    Args:
        elements: all elements of a snapshot, parents before children.
        view: how much is listed.
        style: text style.
        max_tokens: tokens of each page of the text by o200k_base; 0 for no limit.
        unfolded: whether folding is off, because the client requested this part.
        boxed: whether the lines have the elements' boxes.
        name_regions: returns refs of regions; called only if the text names regions.
        moved, written: what was made of the same tab's elements last; None where it is not known.

    Raises:
        BadInputError: the budget is too small for any page.
    """
    regions = find_regions(elements) if tells_regions(view, style, max_tokens) else ()
    refs = _refs(elements, regions, name_regions)
    if view is View.DIGEST:
        listed = digest(elements, regions, refs)
        return Presented(listed, PagedText(listed, max_tokens=max_tokens, style=style, view=view, boxed=boxed))
    indices = indices_in_view(elements, view)
    listed = take(elements, indices, moved)
    places = region_places(elements, regions, refs) if regions else []
    text = PagedText(
        listed,
        max_tokens=max_tokens,
        style=style,
        view=view,
        places=[places[index] for index in indices] if places else (),
        unfolded=unfolded,
        boxed=boxed,
        written=written,
    )
    return Presented(listed, text)


def _refs(elements: Sequence[Element], regions: Sequence[PageRegion], name_regions: NameRegions) -> list[str]:
    """A ref for each region; "" for REGION_PAGE."""
    held = [region.at for region in regions if region.at != REGION_PAGE]
    found = dict(zip(held, name_regions(elements, held), strict=True)) if held else {}
    return [found.get(region.at, "") for region in regions]
