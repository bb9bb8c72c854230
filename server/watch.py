"""Watching a tab: a snapshot, then another one for each change.

Rule 1: the tab is held only while it is looked at. Between looks, and while the client reads, others have it.
Rule 2: nothing piles up: what a slow client missed is in the next diff, for only the last snapshot that it was sent
is remembered.
Rule 3: nothing outlives the stream: no task, no lock, no kept snapshot but the last.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace

from perception.budget import Budget
from perception.diff import Diff, diff_elements
from perception.errors import DeadlineError, PageChangingError, PerceptionError, ShuttingDownError, UnknownTabError
from perception.server.sessions import KeptSnapshot, Session

DEFAULT_INTERVAL_S = 0.5

MIN_INTERVAL_S = 0.05
"""A look at a page takes 5 to 50 ms: shorter intervals would do nothing but look."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A snapshot for the client; `diff` is None in the first one, and else leads from the one before."""

    kept: KeptSnapshot
    before: KeptSnapshot | None = None
    diff: Diff | None = None


@dataclass(frozen=True, slots=True)
class Watch:
    """What a watch is about. `look` takes a snapshot without an id under the tab's lock, within its own bounds of time;
    `whole` is the time for the watch as a whole, None where it has no end."""

    session: Session
    tab_id: str
    look: Callable[[bool], Awaitable[KeptSnapshot]]
    interval_s: float
    closing: asyncio.Event
    whole: Budget | None = None


async def watch(asked: Watch) -> AsyncGenerator[Seen, None]:
    """Snapshots of a tab until it is closed: the first at once, then one for each look that finds something changed,
    and no two within the interval.

    Raises:
        DeadlineError: the time for the whole is up.
        ShuttingDownError: the service ends.
        PerceptionError: what no later look can mend, for example that the page crashed or the root is gone.
    """
    last: KeptSnapshot | None = None
    while True:
        kept = await _try_to_look(asked, last is None)
        if kept is not None and (seen := _compare(last, kept)):
            if last is not None:
                asked.session.drop(last.snapshot.snapshot_id)
            last = _numbered(seen.kept, asked.session)
            asked.session.keep(last)
            yield replace(seen, kept=last)
        await _pause(asked)
        if not _is_open(asked):
            return


async def _try_to_look(asked: Watch, is_first: bool) -> KeptSnapshot | None:
    """None where the page had no time or went away meanwhile: the next look may tell."""
    try:
        return await asked.look(is_first)
    except (PageChangingError, DeadlineError):
        return None
    except PerceptionError:
        if not _is_open(asked):
            return None
        raise


def _compare(last: KeptSnapshot | None, kept: KeptSnapshot) -> Seen | None:
    """What there is to tell, None for nothing."""
    if last is None:
        return Seen(kept)
    diff = diff_elements(last.listed, kept.listed)
    return Seen(kept, last, diff) if diff.is_news or _place(last) != _place(kept) else None


def _numbered(kept: KeptSnapshot, session: Session) -> KeptSnapshot:
    """With an id: looks that found nothing new take none."""
    return replace(kept, snapshot=replace(kept.snapshot, snapshot_id=session.next_snapshot_id()))


def _place(kept: KeptSnapshot) -> tuple[object, ...]:
    """What a snapshot says beside its elements."""
    shown = kept.snapshot
    return shown.loader, shown.url, shown.title, shown.viewport, shown.scroll, shown.page_visible


async def _pause(asked: Watch) -> None:
    """Until the interval is over, the tab is closed, or the service ends."""
    if not _is_open(asked):
        return
    link = asked.session.browser.tab(asked.tab_id).link

    async def gone() -> None:
        async with link.changed:
            await link.changed.wait_for(lambda: link.gone)

    seconds = asked.interval_s if asked.whole is None else min(asked.interval_s, asked.whole.remaining())
    waiting = [asyncio.create_task(gone()), asyncio.create_task(asked.closing.wait())]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    if asked.closing.is_set():
        raise ShuttingDownError("the service is shutting down: watch again at another one, or after its restart")
    if asked.whole is not None:
        asked.whole.check("watching the page")


def _is_open(asked: Watch) -> bool:
    """Whether the tab still is there. Raises SessionLostError when its browser is not."""
    try:
        asked.session.browser.tab(asked.tab_id)
    except UnknownTabError:
        return False
    return True
