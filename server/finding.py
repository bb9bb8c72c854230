"""FindElements at its edge: what was asked, and which elements lie at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perception.browser.places import Spot, spots_at
from perception.browser.session import Tab
from perception.browser.targets import Targets
from perception.budget import Budget
from perception.errors import BadInputError
from perception.find import Question
from perception.geometry import Point
from perception.types import Element
from perception.v1 import perception_service_pb2 as pb

DEFAULT_LIMIT = 10

MAX_ASKED = 1000
"""Characters of a query or name: longer ones are no description of one element."""


def question(request: pb.FindElementsRequest) -> Question:
    """What is looked for.

    Raises:
        BadInputError: nothing is, or it cannot be.
    """
    if request.limit < 0:
        raise BadInputError(f"limit is {request.limit}: give how many elements at most, or 0 for ten", field="limit")
    for field in ("query", "role", "name", "text"):
        if len(getattr(request, field)) > MAX_ASKED:
            raise BadInputError(f"{field} is longer than {MAX_ASKED} characters: describe one element", field=field)
    parts = {field: getattr(request, field).strip() for field in ("query", "role", "name", "text")}
    if not any(parts.values()) and not request.HasField("at"):
        raise BadInputError("nothing to look for: give a query, role, name, text or point", field="query")
    return Question(**parts, limit=request.limit or DEFAULT_LIMIT)


async def check_point(tab: Tab, request: pb.FindElementsRequest, budget: Budget) -> Point | None:
    """The point that is asked about, None for none. Raises CoordinateOutOfViewportError."""
    if not request.HasField("at"):
        return None
    point = Point(request.at.x, request.at.y)
    await Targets(tab.link).aim_at_point(point, budget)
    return point


async def places_of(tab: Tab, elements: Sequence[Element], point: Point, budget: Budget) -> Mapping[int, int]:
    """Indices of the elements at a point, each with its place from what is on top (0) outwards.

    A hit test knows of no text and of nothing that only vision sees: they are on top of the innermost element that
    they lie in.
    """
    spots = await spots_at(tab.link, point, budget)
    place_of = {spot.key: place for place, spot in enumerate(spots)}
    hit = {index: place_of[element.node] for index, element in enumerate(elements) if element.node in place_of}
    at_point = [index for index, element in enumerate(elements) if element.visible and element.box.contains(point)]
    innermost = min(hit, key=hit.__getitem__, default=-1)
    seen = [index for index in at_point if elements[index].node is None and elements[index].parent in (innermost, -1)]
    texts = await _texts_at(tab, elements, at_point, spots, budget)
    painted = sorted(seen + texts, key=lambda index: elements[index].box.area)
    return {index: place for place, index in enumerate([*painted, *sorted(hit, key=hit.__getitem__)])}


async def _texts_at(
    tab: Tab, elements: Sequence[Element], at_point: Sequence[int], spots: Sequence[Spot], budget: Budget
) -> list[int]:
    """Which of the elements at a point are texts of what was hit there, and not of what lies below it."""
    if not spots:
        return []
    texts = [
        (index, node.node)
        for index in at_point
        if elements[index].role == "text" and (node := elements[index].node) and node.loader == spots[0].key.loader
    ]
    numbers = [number for _, number in texts]
    answer = await tab.link.ask(spots[0].frame, "around", budget, "looking at the point", spots[0].key.node, numbers)
    return [index for (index, _), is_text in zip(texts, answer, strict=True) if is_text]
