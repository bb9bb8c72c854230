"""Watching a tab: a snapshot, then another one for each change.

Rule 1: the tab is held only while it is looked at. Between looks, and while the client reads, other calls may use it.
Rule 2: nothing piles up: what a slow client missed is in the next diff, because only the last snapshot that it was sent
is kept.
Rule 3: nothing outlives the stream: no task, no lock, no kept snapshot but the last.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace

from perception.deadline import Deadline
from perception.engine.presented import PresentedSnapshot
from perception.errors import DeadlineError, PageChangingError, PerceptionError, ShuttingDownError, UnknownTabError
from perception.render.diff import Diff, diff_elements
from perception.server.sessions.session import Session

DEFAULT_INTERVAL_S = 0.5

MIN_INTERVAL_S = 0.05
"""A look at a page takes 5 to 50 ms: shorter intervals would do nothing but look."""


@dataclass(frozen=True, slots=True)
class WatchedSnapshot:
    """A snapshot for the client.

    Attributes:
        presented: the snapshot.
        before: the one that the client was sent before; None for the first.
        diff: leads from that one; None for the first.
    """

    presented: PresentedSnapshot
    before: PresentedSnapshot | None = None
    diff: Diff | None = None


@dataclass(frozen=True, slots=True)
class Watch:
    """What a watch is about.

    Attributes:
        session, tab_id: the tab that is watched.
        look: takes a snapshot without an id, under the tab's lock and its own deadline; its argument says whether it
            is the first one.
        interval_s: at least between two looks.
        closing: set when the service shuts down.
        whole: the deadline of the watch as a whole; None where it has no end.
    """

    session: Session
    tab_id: str
    look: Callable[[bool], Awaitable[PresentedSnapshot]]
    interval_s: float
    closing: asyncio.Event
    whole: Deadline | None = None


async def watch(watched: Watch) -> AsyncGenerator[WatchedSnapshot, None]:
    """Snapshots of a tab until it is closed: the first at once, then one for each look that finds something changed,
    and no two within the interval.

    Raises:
        DeadlineError: the deadline of the whole watch passed.
        ShuttingDownError: the service shuts down.
        PerceptionError: no later look can succeed, for example because the page crashed or the root is gone.
    """
    last: PresentedSnapshot | None = None
    while True:
        kept = await _try_to_look(watched, last is None)
        if kept is not None and (seen := _compare(last, kept)):
            if last is not None:
                watched.session.shown.snapshots.drop(last.snapshot.snapshot_id)
            last = _numbered(seen.presented, watched.session)
            watched.session.shown.snapshots.keep(last)
            yield replace(seen, presented=last)
        await _pause(watched)
        if not _is_open(watched):
            return


async def _try_to_look(watched: Watch, is_first: bool) -> PresentedSnapshot | None:
    """None where the page was busy or went away meanwhile: the next look may succeed."""
    try:
        return await watched.look(is_first)
    except (PageChangingError, DeadlineError):
        return None
    except PerceptionError:
        if not _is_open(watched):
            return None
        raise


def _compare(last: PresentedSnapshot | None, kept: PresentedSnapshot) -> WatchedSnapshot | None:
    """What there is to send; None for nothing."""
    if last is None:
        return WatchedSnapshot(kept)
    diff = diff_elements(last.listed, kept.listed)
    return WatchedSnapshot(kept, last, diff) if diff.is_news or _place(last) != _place(kept) else None


def _numbered(kept: PresentedSnapshot, session: Session) -> PresentedSnapshot:
    """With an id: looks that found nothing new take none."""
    return replace(kept, snapshot=replace(kept.snapshot, snapshot_id=session.shown.snapshots.next_id()))


def _place(kept: PresentedSnapshot) -> tuple[object, ...]:
    """What a snapshot says beside its elements."""
    shown = kept.snapshot
    return shown.loader, shown.url, shown.title, shown.viewport, shown.scroll, shown.page_visible


async def _pause(watched: Watch) -> None:
    """Until the interval is over, the tab is closed, or the service shuts down."""
    if not _is_open(watched):
        return
    link = watched.session.browser.tab(watched.tab_id).link

    async def gone() -> None:
        async with link.changed:
            await link.changed.wait_for(lambda: link.gone)

    seconds = watched.interval_s if watched.whole is None else min(watched.interval_s, watched.whole.remaining())
    waiting = [asyncio.create_task(gone()), asyncio.create_task(watched.closing.wait())]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    if watched.closing.is_set():
        raise ShuttingDownError("the service is shutting down: watch again at another one, or after its restart")
    if watched.whole is not None:
        watched.whole.check("watching the page")


def _is_open(watched: Watch) -> bool:
    """Whether the tab still is there. Raises SessionLostError when its browser is not."""
    try:
        watched.session.browser.tab(watched.tab_id)
    except UnknownTabError:
        return False
    return True
