"""Settling: waiting until a page has loaded and no longer changes, within a time that the caller gives.

Rule 1: events that may never come (`load`, a quiet network) are waited for only while something else still changes.
Rule 2: the result lists what was still pending; that is no error.
"""

from __future__ import annotations

import asyncio
import math

from perception.browser.capture.probe import pending_of, probe
from perception.browser.capture.redaction import screenshot_bytes
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.navigation import Settled
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import DeadlineError

SETTLE_QUIET_SECONDS = 0.1
"""A page without a change for so long counts as still: six frames at 60 Hz, and longer than a script task should take
(50 ms, W3C Long Tasks)."""

SETTLE_PATIENCE_SECONDS = {"load": 1.0, "network": 0.3}
"""How long a page has to be still before it counts as settled although only these are pending: an image may never load
and a connection may stay open; most replies that a script waits for come within 0.3 s."""

SETTLE_POLL_SECONDS = 0.025
"""Interval between probes of a page. Chosen by hand."""


async def settle(page: PageLink, timeout_s: float, deadline: Deadline) -> Settled:
    """Waits until the page has loaded and neither its document, its animations nor its pixels change.

    Args:
        timeout_s: the longest wait; the rest of the deadline stays unused.

    Raises:
        PageCrashedError, SessionLostError
        DeadlineError: the page hangs.
    """
    start = deadline.clock()
    share = deadline.share(timeout_s)
    changes, quiet_since = -1, start
    pixels = b""
    while True:
        try:
            now = (await probe(page, [page.main_frame], deadline)).frames[page.main_frame]
        except CdpCallError:  # it navigated meanwhile
            if share.remaining() < SETTLE_POLL_SECONDS:
                return Settled(("load",), deadline.clock() - start)
            changes = -1
            await asyncio.sleep(SETTLE_POLL_SECONDS)
            continue
        if now.changes != changes:
            changes, quiet_since = now.changes, deadline.clock()
        pending = pending_of(page, ready=now.ready, moving=now.moving)
        quiet = deadline.clock() - quiet_since
        if quiet < SETTLE_QUIET_SECONDS:
            pending.append("changes")
        if all(quiet >= SETTLE_PATIENCE_SECONDS.get(each, math.inf) for each in pending):
            before, pixels = pixels, await _thumbnail(page, deadline)
            if pixels == before:
                return Settled(tuple(pending), deadline.clock() - start)
            pending.append("pixels")
        if share.remaining() < SETTLE_POLL_SECONDS:
            return Settled(tuple(pending), deadline.clock() - start)
        await asyncio.sleep(SETTLE_POLL_SECONDS)


async def _thumbnail(page: PageLink, deadline: Deadline) -> bytes:
    """A small picture of the viewport: equal bytes are equal pixels."""
    size = await page.ask(page.main_frame, "documentState", deadline, "reading the page")
    width, height, scale = size["viewport"]
    try:
        return await screenshot_bytes(
            page,
            deadline,
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
