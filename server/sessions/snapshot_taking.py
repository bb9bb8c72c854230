"""Taking snapshots of a session's tab, and keeping them for requests that refer to them."""

from __future__ import annotations

from perception.browser.browser_session import Tab
from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, take_snapshot
from perception.server.sessions.kept_snapshots import Purpose
from perception.server.sessions.session import Session


def engine_context(session: Session, tab: Tab, pool: DetectorPool) -> EngineContext:
    """What a look at a session's tab works with."""
    return EngineContext(
        tab, session.shown.refs, session.shown.memory, session.shown.cache, pool, session.ahead.look_of(tab.tab_id)
    )


async def take_kept_snapshot(
    session: Session,
    tab: Tab,
    pool: DetectorPool,
    options: SnapshotOptions,
    deadline: Deadline,
    purpose: Purpose = Purpose.LOOK,
) -> PresentedSnapshot:
    """Takes a snapshot that the session keeps.

    Raises:
        As `take_snapshot`.
    """
    request = SnapshotRequest(options, session.shown.snapshots.next_id())
    presented = await take_snapshot(engine_context(session, tab, pool), request, deadline)
    session.shown.snapshots.keep(presented, purpose)
    if purpose is Purpose.LOOK:
        session.ahead.note_look(tab.tab_id, options, len(presented.snapshot.elements))
    return presented
