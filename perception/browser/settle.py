"""Coming to rest: waiting until a page has loaded and stands still, within a time that the caller gives.

Rule 1: what may never come (`load`, a quiet network) is waited for only while something else still moves.
Rule 2: the answer says what was still pending; that is a verdict, not an error.
"""

from __future__ import annotations

import asyncio
import math

from perception.browser.cdp import CdpCallError
from perception.browser.navigate import Settled
from perception.browser.page import PageLink
from perception.browser.probe import pending_of, probe
from perception.browser.veiled import screenshot_bytes
from perception.budget import Budget
from perception.errors import DeadlineError

QUIET_SECONDS = 0.1
"""Without a change for so long a page stands still: six frames, and longer than a task of script may take
(50 ms, W3C Long Tasks)."""

PATIENCE_SECONDS = {"load": 1.0, "network": 0.3}
"""A page that stands still for so long while only these are pending is looked at without them: a picture may never
come and a connection stay open for good; an answer that a script waits for mostly comes within 0.3 s."""

POLL_SECONDS = 0.025


async def settle(page: PageLink, timeout_s: float, budget: Budget) -> Settled:
    """Waits until the page has loaded, its document and animations stand still and its pixels no longer move.

    Args:
        timeout_s: waited at most; the rest of the budget is left alone.

    Raises:
        PageCrashedError, SessionLostError
        DeadlineError: the page hangs.
    """
    start = budget.clock()
    share = budget.share(timeout_s)
    changes, quiet_since = -1, start
    pixels = b""
    while True:
        try:
            now = (await probe(page, [page.main_frame], budget)).frames[page.main_frame]
        except CdpCallError:  # it went to another document meanwhile
            if share.remaining() < POLL_SECONDS:
                return Settled(("load",), budget.clock() - start)
            changes = -1
            await asyncio.sleep(POLL_SECONDS)
            continue
        if now.changes != changes:
            changes, quiet_since = now.changes, budget.clock()
        pending = pending_of(page, ready=now.ready, moving=now.moving)
        quiet = budget.clock() - quiet_since
        if quiet < QUIET_SECONDS:
            pending.append("changes")
        if all(quiet >= PATIENCE_SECONDS.get(each, math.inf) for each in pending):
            before, pixels = pixels, await _thumbnail(page, budget)
            if pixels == before:
                return Settled(tuple(pending), budget.clock() - start)
            pending.append("pixels")
        if share.remaining() < POLL_SECONDS:
            return Settled(tuple(pending), budget.clock() - start)
        await asyncio.sleep(POLL_SECONDS)


async def _thumbnail(page: PageLink, budget: Budget) -> bytes:
    """A small picture of the viewport: equal bytes are equal pixels."""
    size = await page.ask(page.main_frame, "place", budget, "reading the page")
    width, height, scale = size["viewport"]
    try:
        return await screenshot_bytes(
            page,
            budget,
            format="jpeg",
            quality=50,
            optimizeForSpeed=True,
            clip={
                "x": size["scroll"][0],
                "y": size["scroll"][1],
                "width": width,
                "height": height,
                "scale": 0.25 / scale,
            },
        )
    except DeadlineError:
        return b""
