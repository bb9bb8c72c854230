"""Nodes handed to a walker's functions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count

from perception.browser.cdp.cdp_link import consume
from perception.browser.page.worlds import World
from perception.deadline import Deadline

_groups = map("perception-nodes-{}".format, count())
"""An object group for each call's nodes: what one call releases, another may still need."""


@asynccontextmanager
async def resolved_nodes(
    world: World, nodes: Sequence[int], deadline: Deadline, phase: str
) -> AsyncIterator[list[str | None]]:
    """ObjectIds in a world of nodes that are given by backend id; None for what is gone or of another document.

    Raises:
        DeadlineError, PageCrashedError, SessionLostError
    """
    session, group = world.session, next(_groups)
    try:
        calls = [
            session.start("DOM.resolveNode", backendNodeId=node, executionContextId=world.context_id, objectGroup=group)
            for node in nodes
        ]
        async with deadline.phase(phase):
            replies = await asyncio.gather(*calls, return_exceptions=True)
        yield [reply["object"].get("objectId") if isinstance(reply, dict) else None for reply in replies]
    finally:
        session.start("Runtime.releaseObjectGroup", objectGroup=group).add_done_callback(consume)
