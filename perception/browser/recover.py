"""Getting a tab back from a page that hangs: its script is ended, or else a ladder is climbed until the page is gone.

Rule 1: a page that answers is left alone: ending a script of one that has time would break it.
Rule 2: every rung is bounded and proved: by a question asked of the page before, which comes back answered when the
page is free again, and failed when the page is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from perception.browser.cdp import CdpSession, consume
from perception.metrics import PAGE_HUNG

log = structlog.get_logger(__name__)

HUNG_SECONDS = 0.5
"""A page that does not evaluate `0` for so long after a deadline has passed is taken to hang."""

TERMINATED_SECONDS = 2.0
"""Ending a script takes 2 to 10 ms (Chromium 156). What is no script cannot be ended: an answer of 100 MB that is being
written, or a layout of 50,000 boxes, are done within a second or two on two busy cores; a wait for the network,
synchronously, never is."""

GUARD_SECONDS = 0.15
"""The same for a document that has hung before: one that hangs again and again is not waited for each time."""

RUNG_SECONDS = 2.0
"""Chromium gives the unload handlers of a page that it closes half a second, then kills its process."""

Rung = tuple[str, Callable[[], Awaitable[None]]]
"""What it is counted as, and what it does; it need not wait for what comes of it."""


def ask_whether_free(session: CdpSession) -> asyncio.Future[dict[str, Any]]:
    """The question that proves a rung."""
    probe = session.start("Runtime.evaluate", expression="0")
    probe.add_done_callback(consume)
    return probe


def end_script(session: CdpSession) -> None:
    """Ends what runs in a page; nothing where nothing does."""
    session.start("Runtime.terminateExecution").add_done_callback(consume)


async def climb(probe: asyncio.Future[dict[str, Any]], rungs: tuple[Rung, ...]) -> None:
    """One rung after the other, until the page is free or gone."""
    for name, act in rungs:
        try:
            async with asyncio.timeout(RUNG_SECONDS):
                await act()
        except TimeoutError:
            log.warning("rung took too long", rung=name)
        if await is_done(probe, RUNG_SECONDS):
            count(name)
            return
    log.error("a page is beyond recovery")


async def is_done(future: asyncio.Future[dict[str, Any]], seconds: float) -> bool:
    """Whether it is within so many seconds."""
    done, _ = await asyncio.wait([future], timeout=seconds)
    return bool(done)


def count(rung: str) -> None:
    """A page that hung, by what brought its tab back."""
    PAGE_HUNG.labels(recovered_by=rung).inc()
    log.warning("page hung", recovered_by=rung)
