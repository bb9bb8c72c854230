"""A look at a tab that nobody has asked for yet, so that the one who does finds it done.

Rule 1: it leaves no trace until it is claimed: it assigns refs in a fork of the session's table.
Rule 2: a claim is granted for the capture that the claimant has just taken, which proves that the page is the same.
Rule 3: whoever uses the tab comes first. A look of the same kind lets a capture that is under way end, as its own
would take longer; everything else cancels it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace

from perception.deadline import Deadline
from perception.engine.cache import lists_same, shows_same
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, capture_page, present_capture
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.types import Capture


def options_ahead(options: SnapshotOptions) -> SnapshotOptions:
    """What a look ahead of one with these options shows: the whole tab, without waiting for the page."""
    return replace(options, root=None, settle_s=0.0)


class LookAhead:
    """One look, which begins as soon as it is made.

    Attributes:
        options: what it shows.
        was_claimed: it was served.
        spent_ms: what it took; 0 until it is done.
    """

    def __init__(self, context: EngineContext, options: SnapshotOptions, deadline: Deadline) -> None:
        self.options = options_ahead(options)
        self.was_claimed = False
        self.spent_ms = 0.0
        # Refs of documents that are gone are stale in any case; the claimant's capture would drop them as well.
        context.refs.drop_documents(context.tab.tab_id, context.tab.link.loaders)
        self._context = replace(context, refs=context.refs.fork(context.tab.tab_id), ahead=None)
        self._capture: Capture | None = None
        self._made: PresentedSnapshot | None = None
        self._left_tab = asyncio.Event()
        self._task = asyncio.create_task(self._look(deadline), name="look-ahead")
        self._task.add_done_callback(_consume)

    @property
    def is_done(self) -> bool:
        return self._task.done()

    @property
    def is_whole(self) -> bool:
        """Whether it was taken to its end, and all detectors that it asked for have looked."""
        return self._made is not None and self._made.snapshot.is_whole

    def is_servable(self, refs: RefTable) -> bool:
        """Whether it can be served with these refs as long as the page does not change."""
        return self.is_whole and refs.is_base_of(self._context.refs)

    async def wait(self) -> PresentedSnapshot | None:
        """Waits for its end. Cancelling the caller does not cancel it.

        Raises:
            What the look raises.
        """
        await asyncio.wait([self._task])
        return None if self._task.cancelled() else self._task.result()

    async def cancel(self) -> None:
        """Ends it, if it is not done."""
        self.end()
        await asyncio.gather(self._task, return_exceptions=True)
        self._left_tab.set()

    def end(self) -> None:
        """As `cancel`, without waiting."""
        self._task.cancel()

    async def leave_tab(self, options: SnapshotOptions, deadline: Deadline) -> None:
        """Returns when it does not use the tab any more. A capture that would serve these options, too, may end, for at
        most half of the time that is left; another one is cancelled."""
        if self._left_tab.is_set():
            return
        if _captures_same(options, self.options):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(deadline.part(0.5).remaining()):
                    await self._left_tab.wait()
        if not self._left_tab.is_set():
            await self.cancel()

    async def claim(
        self, options: SnapshotOptions, capture: Capture, refs: RefTable, deadline: Deadline
    ) -> PresentedSnapshot | None:
        """Its snapshot, if that is what a look with these options would show now; else None, and it has ended.

        One of this capture that is under way is waited for, for at most half of the time that is left: to begin again
        would take longer.

        Args:
            capture: the tab's, taken just now.
            refs: the session's; they go on with what it has assigned.
        """
        is_wanted = lists_same(options, self.options)
        if is_wanted and self._capture is not None and shows_same(self._capture, capture):
            await asyncio.wait([self._task], timeout=deadline.part(0.5).remaining())
        else:
            is_wanted = False
        await self.cancel()
        if self._made is None or not is_wanted or not self.is_servable(refs):
            return None
        refs.adopt(self._context.refs)
        self.was_claimed = True
        return self._made

    async def _look(self, deadline: Deadline) -> PresentedSnapshot:
        started = time.perf_counter()
        context, stages = self._context, Stages()
        try:
            captured = await capture_page(context.tab, context.refs, self.options, stages, deadline)
            self._capture = captured.capture
        finally:
            self._left_tab.set()
        made = await present_capture(context, SnapshotRequest(self.options), captured, stages, deadline)
        self.spent_ms = (time.perf_counter() - started) * 1000
        self._made = made
        return made


def _captures_same(one: SnapshotOptions, other: SnapshotOptions) -> bool:
    """Whether looks with these options take the same capture."""

    def asked(options: SnapshotOptions) -> tuple[object, ...]:
        return options.mode, options.engine, options.scope, options.reveal, options.node_ids, options.with_pixels

    return asked(one) == asked(other)


def _consume(task: asyncio.Task[PresentedSnapshot]) -> None:
    """A look that failed is not the failure of a call: the call's own look shows what is wrong."""
    if not task.cancelled():
        task.exception()
