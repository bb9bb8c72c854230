"""Makes selectors of elements, in all frames of a tab."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.browser.page.selector_syntax import Durable, join_for_playwright, join_frames
from perception.browser.walker.row_layout import SelectorRow
from perception.deadline import Deadline
from perception.types import NodeKey

PHASE = "making selectors"


_decode_routes = msgspec.json.Decoder(list[SelectorRow | None]).decode


async def make_selectors(page: PageLink, nodes: Iterable[NodeKey], deadline: Deadline) -> dict[NodeKey, Durable]:
    """Selectors of elements, each checked to be unique now. Elements that are gone, and those that no selector reaches,
    are left out."""
    by_loader: dict[str, list[int]] = defaultdict(list)
    for node in nodes:
        by_loader[node.loader].append(node.node)
    frames = await asyncio.gather(
        *(_selectors_in(page, loader, numbers, deadline) for loader, numbers in by_loader.items())
    )
    return {node: selector for made in frames for node, selector in made.items()}


async def _selectors_in(page: PageLink, loader: str, numbers: list[int], deadline: Deadline) -> dict[NodeKey, Durable]:
    """Selectors of the elements of one document."""
    frame = page.tree.frame_of(loader)
    if frame is None:
        return {}
    above, routes = await asyncio.gather(
        _route_to_frame(page, frame, deadline), _routes(page, frame, numbers, deadline)
    )
    if above is None:
        return {}
    return {
        NodeKey(loader, number): _durable(above, route)
        for number, route in zip(numbers, routes, strict=True)
        if route is not None
    }


async def _routes(page: PageLink, frame: str, numbers: list[int], deadline: Deadline) -> list[SelectorRow | None]:
    """One for each number; None for all of them if the frame is gone."""
    try:
        return _decode_routes(await page.ask_text(frame, "selectorsOf", deadline, PHASE, numbers))
    except CdpCallError:
        return [None] * len(numbers)


async def _route_to_frame(page: PageLink, frame: str, deadline: Deadline) -> list[SelectorRow] | None:
    """Selectors of the iframe elements on the way to a frame, the outermost first; None where one has no selector."""
    try:
        owners = await page.worlds.owners(frame, deadline)
    except CdpCallError:
        return None
    steps = [(await _routes(page, parent, [number], deadline))[0] for parent, number in reversed(owners)]
    known = [step for step in steps if step is not None]
    return known if len(known) == len(steps) else None


def _durable(above: list[SelectorRow], own: SelectorRow) -> Durable:
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
