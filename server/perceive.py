"""A look at a live tab: capture, then the line that every capture goes."""

from __future__ import annotations

from dataclasses import replace

from perception.browser.session import Tab
from perception.browser.settle import settle
from perception.budget import Budget
from perception.detectors.pool import CropCache, DetectorPool
from perception.pipeline import Stages, Wish, interpret, make_snapshot
from perception.refs import RefTable
from perception.types import Mode, Snapshot


async def look(
    tab: Tab, refs: RefTable, wish: Wish, pool: DetectorPool, cache: CropCache, snapshot_id: str, budget: Budget
) -> Snapshot:
    """Looks at a tab. The snapshot's elements are those of the wished scope; the view is left to rendering."""
    stages = Stages()
    settled = None
    if wish.settle_s > 0:
        with stages.stage("settle"):
            settled = await settle(tab.link, wish.settle_s, budget)
    with stages.stage("capture"):
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
    refs.drop_documents(tab.tab_id, tab.link.loaders)
    elements, skipped = await interpret(capture, refs, tab.tab_id, wish, pool, cache, stages, budget)
    snapshot = make_snapshot(snapshot_id, capture, elements, skipped, stages)
    return replace(snapshot, pending=settled.pending, waited_s=settled.waited_s) if settled else snapshot
