"""Recovers a tab from a page that hangs: end its script, or escalate step by step until the page is gone.

Rule 1: a page that answers is left alone: ending a script that has time left would break it. A script of the page's own
has more time than the call that it was too slow for: it may be in the middle of an order.
Rule 2: every step is bounded and proved by a probe sent beforehand: it is answered when the page is free again, and
fails when the page is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import structlog

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.instrumentation.metrics import PAGE_HUNG

log = structlog.get_logger(__name__)

HUNG_SECONDS = 0.5
"""A page that is to be left, and does not evaluate `0` for so long, counts as hung. Chosen by hand."""

PATIENT_SECONDS = 10.0
"""How long a script of a page's own goes on after the deadline of a call, where no other call needs its tab. Chosen by
hand."""

URGENT_SECONDS = 1.5
"""As PATIENT_SECONDS, where another call has waited for the tab for a third of its time. Also how long the next script
has that begins as soon as one was ended. Chosen by hand."""

CALM_SECONDS = 0.1
"""A page that answers so long after its script was ended does not hang again and again: those that do, by a timer or in
each animation frame, begin again within 20 ms. Chosen by hand."""

TERMINATED_SECONDS = 2.0
"""Ending a script takes 2 to 10 ms (Chromium 156). What is not a script cannot be ended: writing an answer of 100 MB or
the layout of 50,000 boxes ends within a second or two on two busy cores; a synchronous wait for the network never
does."""

SLOWED_SECONDS = 5.0
"""How much longer the script of a page has that may be slowed: the slowest runs for a fiftieth of the time, and answers
within seconds. A script that does not end may be what its page is slowed for. Chosen by hand."""

GUARD_SECONDS = 0.15
"""As HUNG_SECONDS, for a document that hangs again and again: shorter, so that repetitions cost little. Chosen by
hand."""

STEP_SECONDS = 2.0
"""Chromium gives the unload handlers of a page that it closes half a second, then kills its process."""

Probe: TypeAlias = asyncio.Future[dict[str, Any]]
"""A question to a process: done when the process answers or is gone."""

WITNESS_SECONDS = 10.0
"""How long the browser itself may take to answer before its silence counts as that of its page. It answers within
milliseconds; with many busy programs on each core, or thousands of events ahead, within seconds. Chosen by hand: a
browser that hangs is rare, and to give up the page of another session for it is wrong."""

MOST_SLOWDOWN = 10.0
"""On a crowded machine a page has so many times as long at most. Chosen by hand."""

Step: TypeAlias = tuple[str, Callable[[], Awaitable[None]]]
"""The name that a recovery is counted under, and the action; it need not wait for its effect."""


def ask_whether_free(session: CdpSession) -> Probe:
    """The probe that proves a step."""
    probe = session.start("Runtime.evaluate", expression="0")
    probe.add_done_callback(consume)
    return probe


async def is_silent(
    session: CdpSession, probe: Probe, seconds: float, witness_seconds: float = WITNESS_SECONDS
) -> bool:
    """Whether a page does not answer within so many seconds of its own: answers come in order on a link, so what the
    page has answered has come before the browser's answer to a later question. A link that is full of other pages'
    events, or an event loop that is late, is not the fault of this page."""
    if await is_done(probe, seconds):
        return False
    witness = session.link.session().start("Browser.getVersion")
    witness.add_done_callback(consume)
    await asyncio.wait([probe, witness], timeout=witness_seconds, return_when=asyncio.FIRST_COMPLETED)
    return not probe.done()


def end_script(session: CdpSession) -> None:
    """Ends what runs in a page; does nothing where nothing runs."""
    session.start("Runtime.terminateExecution").add_done_callback(consume)


async def escalate(probe: Probe, steps: tuple[Step, ...]) -> None:
    """Takes one step after the other until the page is free or gone."""
    for name, act in steps:
        try:
            async with asyncio.timeout(STEP_SECONDS):
                await act()
        except TimeoutError:
            log.warning("recovery step timed out", step=name)
        if await is_done(probe, STEP_SECONDS):
            count(name)
            return
    log.error("page could not be recovered")


async def is_done(future: Probe, seconds: float) -> bool:
    """Whether it is done within so many seconds."""
    done, _ = await asyncio.wait([future], timeout=seconds)
    return bool(done)


def count(step: str) -> None:
    """Counts a page that hung, by the step that recovered its tab."""
    PAGE_HUNG.labels(recovered_by=step).inc()
    log.warning("page hung", recovered_by=step)
