"""Which listed elements are at a point of the viewport."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perception.browser.browser_session import Tab
from perception.browser.input.hit_test import Spot, spots_at
from perception.deadline import Deadline
from perception.geometry import Point
from perception.types import Element


async def hit_order(tab: Tab, elements: Sequence[Element], point: Point, deadline: Deadline) -> Mapping[int, int]:
    """Indices of the elements at a point, each with its place from the topmost (0) outwards.

    A hit test finds neither texts nor what only vision sees: these are on top of the innermost element that contains
    them.
    """
    spots = await spots_at(tab.link, point, deadline)
    place_of = {spot.key: place for place, spot in enumerate(spots)}
    hit = {index: place_of[element.node] for index, element in enumerate(elements) if element.node in place_of}
    at_point = [index for index, element in enumerate(elements) if element.visible and element.box.contains(point)]
    innermost = min(hit, key=hit.__getitem__, default=-1)
    seen = [index for index in at_point if elements[index].node is None and elements[index].parent in (innermost, -1)]
    texts = await _texts_at(tab, elements, at_point, spots, deadline)
    painted = sorted(seen + texts, key=lambda index: elements[index].box.area)
    return {index: place for place, index in enumerate([*painted, *sorted(hit, key=hit.__getitem__)])}


async def _texts_at(
    tab: Tab, elements: Sequence[Element], at_point: Sequence[int], spots: Sequence[Spot], deadline: Deadline
) -> list[int]:
    """Which of the elements at a point are texts of what was hit there, and not of what is below it."""
    if not spots:
        return []
    texts = [
        (index, node.node)
        for index in at_point
        if elements[index].role == "text" and (node := elements[index].node) and node.loader == spots[0].key.loader
    ]
    numbers = [number for _, number in texts]
    answer = await tab.link.ask(
        spots[0].frame, "textsAround", deadline, "looking at the point", spots[0].key.node, numbers
    )
    return [index for (index, _), is_text in zip(texts, answer, strict=True) if is_text]
