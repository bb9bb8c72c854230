"""Sessions in a service that others use as well end soon after their server, however that ends.

A server that is killed closes nothing, and the service would keep its sessions for as long as any idle one, half an
hour. So its sessions are opened with a short idle time, and the server calls them while it lives.

Rule 1: a session that no tool has used for IDLE_SECONDS is left to its own end: a client that thinks is not one that
has forgotten it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from perception.deadline import loop_time
from perception.tools.sessions import Caller

LEASE_SECONDS = 120.0
"""Idle time of a session that is kept alive: three calls may be lost, on a slow network or a busy machine."""

BEAT_SECONDS = 30.0
"""Between two calls to a session."""

IDLE_SECONDS = 1800.0
"""As the service's own limit."""


async def keep_alive(callers: Callable[[], Iterable[Caller]]) -> None:
    """Calls the sessions that callers have opened, until it is cancelled.

    Args:
        callers: those that there are.
    """
    while True:
        await asyncio.sleep(BEAT_SECONDS)
        since_s = loop_time() - IDLE_SECONDS
        await asyncio.gather(*(each.renew(since_s, BEAT_SECONDS) for each in callers()))
