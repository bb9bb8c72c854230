"""What an agent that asked for a person gets to know of their turn."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from perception.browser.cdp.cdp_link import CdpCallError
from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.engine.changes import SnapshotChanges, describe_changes
from perception.errors import PerceptionError
from perception.render.diff import diff_elements
from perception.server.actions.action_context import DIFF_SETTLE_SECONDS, DIFF_TOKENS
from perception.server.sessions.kept_snapshots import Purpose
from perception.server.sessions.session import Session, TabUse
from perception.server.sessions.snapshot_taking import take_kept_snapshot

LOOK_SECONDS = 10.0
"""Limit of the look after a turn. Chosen by hand: a full one with vision takes 2 s on a slow machine."""


async def changes_by_person(
    session: Session, tab_id: str, pool: DetectorPool, deadline: Deadline
) -> SnapshotChanges | None:
    """How a tab differs from the agent's last look at it. None without such a look, or where the tab cannot be looked
    at in time: the agent's own next look says why."""
    before = session.shown.snapshots.base_of(tab_id)
    if before is None or not any(each.tab_id == tab_id for each in session.browser.tabs):
        return None
    options, share = replace(before.options, settle_s=DIFF_SETTLE_SECONDS), deadline.at_most(LOOK_SECONDS)
    with suppress(PerceptionError, CdpCallError):
        async with session.control.agents_call("RequestHuman", share):
            async with session.use_tab(tab_id, share, TabUse.LOOK) as tab:
                after = await take_kept_snapshot(session, tab, pool, options, share, Purpose.ACTION)
            diff = diff_elements(before.listed, after.listed)
            return describe_changes(before, after, diff, max_tokens=DIFF_TOKENS)
    return None
