"""Selecting: selectors of elements, in all frames of a tab."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from perception.browser.cdp import CdpCallError
from perception.browser.page import PageLink
from perception.budget import Budget
from perception.selectors import Durable, join_for_playwright, join_frames
from perception.types import NodeKey

PHASE = "making selectors"


class _Route(msgspec.Struct, array_like=True):
    """What the walker says of an element (selectors.js)."""

    css: list[str]
    playwright: list[str]
    stability: float
    reason: str
    kind: str
    input_type: str
    placeholder: str


_decode_routes = msgspec.json.Decoder(list[_Route | None]).decode


async def make_selectors(page: PageLink, nodes: Iterable[NodeKey], budget: Budget) -> dict[NodeKey, Durable]:
    """Selectors of elements, each asked for and found unique just now. What is gone, and what no selector reaches, is
    left out."""
    by_loader: dict[str, list[int]] = defaultdict(list)
    for node in nodes:
        by_loader[node.loader].append(node.node)
    made: dict[NodeKey, Durable] = {}
    for loader, numbers in by_loader.items():
        frame = page.frame_of(loader)
        above = await _route_to_frame(page, frame, budget) if frame is not None else None
        if frame is None or above is None:
            continue
        routes = await _routes(page, frame, numbers, budget)
        made |= {
            NodeKey(loader, number): _durable(above, route)
            for number, route in zip(numbers, routes, strict=True)
            if route is not None
        }
    return made


async def _routes(page: PageLink, frame: str, numbers: list[int], budget: Budget) -> list[_Route | None]:
    """All None of a frame that has gone."""
    try:
        return _decode_routes(await page.ask_text(frame, "describe", budget, PHASE, numbers))
    except CdpCallError:
        return [None] * len(numbers)


async def _route_to_frame(page: PageLink, frame: str, budget: Budget) -> list[_Route] | None:
    """Selectors of the frame elements on the way to a frame, the outermost first; None where one has none."""
    try:
        owners = await page.owners(frame, budget)
    except CdpCallError:
        return None
    steps = [(await _routes(page, parent, [number], budget))[0] for parent, number in reversed(owners)]
    known = [step for step in steps if step is not None]
    return known if len(known) == len(steps) else None


def _durable(above: list[_Route], own: _Route) -> Durable:
    weakest = min((*above, own), key=lambda each: each.stability)
    return Durable(
        selector=join_frames([each.css for each in (*above, own)]),
        playwright=join_for_playwright([each.playwright for each in (*above, own)]),
        stability=weakest.stability,
        reason=own.reason if weakest is own else f"{own.reason}, in a frame by {weakest.reason}",
        kind=own.kind,
        input_type=own.input_type,
        placeholder=own.placeholder,
    )
