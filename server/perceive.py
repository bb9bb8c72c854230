"""A look at a live tab: capture, then the line that every capture goes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from perception.browser.navigate import Settled
from perception.browser.places import Root, are_inside, nodes_under
from perception.browser.session import Tab
from perception.browser.settle import settle
from perception.budget import Budget
from perception.detectors.memory import Memory
from perception.detectors.pool import DetectorPool
from perception.pipeline import Wish, interpret, make_snapshot
from perception.refs import RefTable
from perception.render.select import keep_indexed
from perception.server.sessions import Known
from perception.stages import Stages
from perception.types import Capture, Element, Mode, Snapshot, altered


async def look(
    tab: Tab,
    refs: RefTable,
    wish: Wish,
    pool: DetectorPool,
    memory: Memory,
    snapshot_id: str,
    budget: Budget,
    find_root: Callable[[], Awaitable[Root]] | None = None,
    known: Known | None = None,
) -> tuple[Snapshot, Capture]:
    """Looks at a tab. The snapshot's elements are those of the wished scope, within the root if there is one; the view
    is left to rendering.

    The whole tab is looked at all the same: refs and nth count over the whole document, and what vision sees outside
    of the root keeps its refs.

    Args:
        known: what came of the last capture; it is taken again if the page gives the same one.

    Returns:
        The snapshot, and the capture it is of.
    """
    stages = Stages()
    settled = None
    if wish.settle_s > 0:
        with stages.stage("settle"):
            settled = await settle(tab.link, wish.settle_s, budget)
    with stages.stage("capture") as span:
        root = await find_root() if find_root else None
        if wish.mode is Mode.VISION:
            capture = await tab.looker.capture_pixels(budget, reveal=wish.reveal)
        else:
            with_pixels = wish.with_pixels or wish.mode is Mode.FUSED
            capture = await tab.looker.capture(
                engine=wish.engine,
                scope=wish.scope,
                with_pixels=with_pixels,
                reveal=wish.reveal,
                budget=budget,
            )
        span.set_attribute("perception.elements", len(capture.elements))
    refs.drop_documents(tab.tab_id, tab.link.loaders)
    if known is not None and known.holds(wish, capture, refs):
        again = replace(
            known.kept.snapshot,
            snapshot_id=snapshot_id,
            timings_ms=stages.timings_ms,
            pending=capture.pending,
            waited_s=0.0,
        )
        return _settled(again, settled), capture
    elements, skipped = await interpret(capture, refs, tab.tab_id, wish, pool, memory, stages, budget)
    if wish.mode is not Mode.TEXT:
        with stages.stage("fuse"):
            elements = await _with_nodes(tab, elements, budget)
    if root is not None:
        with stages.stage("capture"):
            inside = await are_inside(tab.link, root, elements, budget)
        elements = keep_indexed(elements, lambda index, _: inside[index])
    return _settled(make_snapshot(snapshot_id, capture, elements, skipped, stages), settled), capture


def _settled(snapshot: Snapshot, settled: Settled | None) -> Snapshot:
    """With how the wait for it ended, if it was waited for."""
    if settled is None:
        return snapshot
    return replace(snapshot, pending=settled.pending, waited_s=settled.waited_s)


async def _with_nodes(tab: Tab, elements: tuple[Element, ...], budget: Budget) -> tuple[Element, ...]:
    """What only vision sees, with the node that a click on it lands on, such as the canvas that it is painted on."""
    seen = [index for index, element in enumerate(elements) if element.node is None and element.click_point is not None]
    if not seen:
        return elements
    points = [point for index in seen if (point := elements[index].click_point) is not None]
    with_nodes = list(elements)
    for index, under in zip(seen, await nodes_under(tab.link, points, budget), strict=True):
        if under is not None:
            frame, number = under
            inner = frame if frame != tab.link.main_frame else ""
            with_nodes[index] = altered(elements[index], backend_node_id=number, frame=inner)
    return tuple(with_nodes)
