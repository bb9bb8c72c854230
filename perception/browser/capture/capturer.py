"""Captures of one tab: its facts and its pixels as one `Capture`, the last one reused while nothing has changed.

Frames that cannot be entered stay opaque: vision may read them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from perception.browser.capture.early_listeners import EarlyListeners, listeners_elsewhere
from perception.browser.capture.frame_capture import (
    CAPTURE_FRAME_SECONDS,
    CaptureOptions,
    FrameCapture,
    NodeIds,
    served_nodes,
)
from perception.browser.capture.frame_facts import FrameFacts, WalkReply, decode_walk, place
from perception.browser.capture.known_rows import KnownRows
from perception.browser.capture.late_listeners import LateListeners
from perception.browser.capture.listeners import ListenerTracker, adopt_closed_roots
from perception.browser.capture.numbering import count_nth
from perception.browser.capture.pictures import Pictures
from perception.browser.capture.probe import Counters, Probe, count_all, pending_of, probe, probe_and_walk, read_counts
from perception.browser.capture.redaction import Shot, find_secrets, take_shot
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.browser.walker.row_layout import INTERACTIVE
from perception.deadline import Deadline
from perception.errors import DeadlineError
from perception.instrumentation.metrics import CACHE_HITS
from perception.types import Capture, Engine, Scope, Scroll, Skipped

MAX_ROUNDS = 6
"""Rounds that open closed shadow roots, one nested level each. Chosen by hand."""

MAX_TORN_RETRIES = 2
"""A page that changes during three captures in a row changes all the time. Chosen by hand."""

TORN_RETRY_SECONDS = 1.0
"""Time that another capture needs: about 0.1 s with a screenshot, several times that on a busy machine."""


@dataclass(frozen=True, slots=True)
class _Remembered:
    """The last facts of a tab, valid while nothing has changed.

    Attributes:
        options: of the capture.
        capture: the facts; None where they cannot be reused: a frame was missing, or they came from Chromium's
            accessibility tree.
        frames: ids of the frames that answered.
        loaders: the documents that were shown then.
        counters: Chromium's counters then, by CDP session id.
    """

    options: CaptureOptions
    capture: Capture | None
    frames: tuple[str, ...]
    loaders: frozenset[str]
    counters: dict[str, Counters]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A capture as it was taken.

    Attributes:
        changes: each frame's count of changes when its facts were read.
        shot: its picture; None for none, and where the last one is known to be true: then its facts are, too.
    """

    capture: Capture
    changes: dict[str, int]
    shot: Shot | None = None


async def _at_once() -> None:
    """For captures without a screenshot."""


class PageCapturer:
    """Captures one tab. Keeps what it has learned, so that nothing unchanged is captured twice."""

    def __init__(self, page: PageLink) -> None:
        self.page = page
        self._ids = NodeIds(page)
        self._listeners = ListenerTracker(page)
        self._early_listeners = EarlyListeners(page, self._listeners)
        self._late_listeners = LateListeners()
        self._last: _Remembered | None = None
        self._rows = KnownRows()
        self._pictures = Pictures(page)
        self._restless = ""

    @property
    def is_watching(self) -> bool:
        """Whether the last picture counts as true until a frame is reported."""
        return self._pictures.watch.is_on

    async def capture(
        self,
        *,
        engine: Engine,
        scope: Scope,
        with_pixels: bool,
        deadline: Deadline,
        reveal: bool = False,
        node_ids: bool = True,
    ) -> Capture:
        """Captures the tab. Returns the same object as last time if nothing has changed, pixels included.

        Args:
            reveal: shows what is private, all but passwords.
            node_ids: gives the elements their backend ids, at 0.08 ms each.

        Raises:
            PageCrashedError, SessionLostError: there is no page.
            DeadlineError: the top document did not answer in time.
        """
        options = CaptureOptions(engine, scope, reveal, node_ids)
        taken = await self._capture(options, with_pixels, deadline)
        if taken.shot is None:
            return taken.capture
        # A document that changed during all captures of a look changes all the time: its next looks take one.
        retries = 0 if self._restless == self.page.loader else MAX_TORN_RETRIES
        while not taken.shot.shows(taken.changes):
            if not retries or deadline.remaining() < TORN_RETRY_SECONDS:
                self._restless = "" if retries else self.page.loader
                self._pictures.watch.end()
                return replace(taken.capture, torn=True)
            retries -= 1
            taken = await self._capture(options, with_pixels, deadline)
            if taken.shot is None:
                return taken.capture
        self._restless = ""
        if self._last is not None and self._last.capture is not None and taken.shot is not None:
            self._pictures.begin_watch(taken.capture, taken.shot, frozenset(self._last.frames))
        return taken.capture

    async def is_unchanged(self, deadline: Deadline) -> bool:
        """Whether the last facts are still true, without a new capture. Of pixels it says nothing."""
        last = self._last
        if last is None or last.capture is None or last.loaders != self.page.loaders:
            return False
        now = await self._probe(last, deadline)
        if now is None or self._late_listeners.may_be(self.page.loader, last.counters, now.counters):
            return False
        return _is_same(now, _explained(last, now, self.page))

    async def _capture(self, options: CaptureOptions, with_pixels: bool, deadline: Deadline) -> _Taken:
        self._ids.forget_old_documents()
        if not with_pixels:
            return _Taken(*await self._facts(options, deadline))
        if self._pictures.watch.is_on:
            return await self._capture_watched(options, deadline)
        taking = self._shoot(options, deadline)
        try:
            capture, changes = await self._facts(options, deadline, partial(self._pictures.watch.wait_painted, taking))
            shot = await taking
            return _Taken(await self._pictures.join(capture, shot), changes, shot)
        except BaseException:
            self._pictures.watch.end()
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)
            raise

    async def _capture_watched(self, options: CaptureOptions, deadline: Deadline) -> _Taken:
        """A capture of a tab whose last picture may still be true: another one is taken only if it is not."""
        (capture, changes), holds, secrets = await asyncio.gather(
            self._facts(options, deadline),
            self._pictures.watch.holds(deadline),
            find_secrets(self.page, deadline, reveal=options.reveal),
        )
        if holds and (same := self._pictures.join_last(capture, secrets)) is not None:
            return _Taken(same, changes)
        shot = await self._shoot(options, deadline)
        return _Taken(await self._pictures.join(capture, shot), changes, shot)

    def _shoot(self, options: CaptureOptions, deadline: Deadline) -> asyncio.Task[Shot]:
        frames = self._last.frames if self._last is not None else (self.page.main_frame,)
        return self._pictures.shoot(frozenset(frames), deadline, reveal=options.reveal)

    async def _facts(
        self, options: CaptureOptions, deadline: Deadline, may_walk: Callable[[], Awaitable[None]] = _at_once
    ) -> tuple[Capture, dict[str, int]]:
        """The facts, and each frame's count of changes. `may_walk` returns when documents may be asked for them."""
        last = self._last if self._last is not None and self._last.loaders == self.page.loaders else None
        # A walker reports each change once: after a capture that fails nothing is known about changes.
        self._last = None
        if last is not None:
            await may_walk()
        now, walked = await self._probe_and_walk(last, options, deadline) if last is not None else (None, None)
        trusted: frozenset[str] = frozenset()
        is_late = False
        if last is not None and now is not None:
            trusted = _explained(last, now, self.page)
            is_late = self._late_listeners.may_be(self.page.loader, last.counters, now.counters)
            if _is_same(now, trusted) and not is_late:
                self._last = last
                if (same := await self._kept(last, options, deadline)) is not None:
                    CACHE_HITS.labels(cache="capture").inc()
                    return self._same(same, now), {frame: each.changes for frame, each in now.frames.items()}
                self._last = None
        if last is None:
            counters = await self._early_listeners.learn(deadline)
            await may_walk()
        else:
            counters = last.counters
        rows = self._rows if options.engine is Engine.WALKER else None
        run = FrameCapture(self.page, self._ids, options, deadline, trusted, walked, rows)
        facts = await run.run()
        counts: dict[str, Counters] | None
        if now is not None and walked is not None:
            top = self.page.session.session_id
            counts = {top: now.counters[top]}
        else:
            counts = await read_counts(run.counting, deadline)
        for _ in range(MAX_ROUNDS):
            known = counts if len(run.seen) == 1 else None
            news, counters = await self._learn(run.seen, counters, known, options.scope, deadline)
            if not news:
                break
            counts = None
            run = FrameCapture(self.page, self._ids, options, deadline, frozenset(run.seen), known=rows)
            facts = await run.run()
        capture = self._capture_of(facts, options, run.skipped)
        changes = {frame: each.reply.changes for frame, each in run.seen.items()}
        kept = capture if options.engine is Engine.WALKER and not run.skipped else None
        if is_late and last is not None and last.capture is not None:
            self._late_listeners.note(found=capture.elements != last.capture.elements)
        self._last = _Remembered(options, kept, tuple(run.seen), self.page.loaders, counters)
        return capture, changes

    def _capture_of(self, facts: FrameFacts, options: CaptureOptions, skipped: Sequence[Skipped]) -> Capture:
        """The capture that facts make, without pixels."""
        reply = facts.reply
        elements = tuple(place(facts))
        return Capture(
            url=reply.url,
            title=reply.title,
            loader=facts.loader,
            viewport=self.page.emulation.viewport_of(*reply.viewport),
            scroll=Scroll(*reply.scroll),
            elements=count_nth(elements) if options.engine is Engine.AX else elements,
            skipped=tuple(skipped),
            page_visible=reply.visible,
            language=reply.language,
            pending=tuple(pending_of(self.page, ready=reply.ready, moving=reply.moving)),
        )

    async def _kept(self, last: _Remembered, options: CaptureOptions, deadline: Deadline) -> _Remembered | None:
        """The last facts with what is asked for now, if nothing has changed; None where they do not have it."""
        known = last.options
        if last.capture is None or replace(known, node_ids=True) != replace(options, node_ids=True):
            return None
        if known.node_ids or not options.node_ids:
            return last
        try:
            capture = await self._ids.identify(last.capture, options.scope, deadline)
        except CdpCallError:
            return None
        self._last = replace(last, options=options, capture=capture)
        return self._last

    def _same(self, last: _Remembered, now: Probe) -> Capture:
        """The last capture, with what changes without the document: pending work, the address, the foreground."""
        capture = last.capture
        assert capture is not None
        top = now.frames[self.page.main_frame]
        pending = tuple(pending_of(self.page, ready=top.ready, moving=top.moving))
        if (pending, top.url, top.visible) == (capture.pending, capture.url, capture.page_visible):
            return capture
        rested = replace(capture, pending=pending, url=top.url, page_visible=top.visible)
        self._last = replace(last, capture=rested)
        return rested

    async def _probe(self, last: _Remembered, deadline: Deadline) -> Probe | None:
        """What has changed since; None when a frame is gone or hangs: the capture itself then reports it."""
        try:
            return await probe(self.page, list(last.frames), deadline.share(CAPTURE_FRAME_SECONDS))
        except (CdpCallError, DeadlineError):
            return None

    async def _probe_and_walk(
        self, last: _Remembered, options: CaptureOptions, deadline: Deadline
    ) -> tuple[Probe | None, WalkReply | None]:
        """What has changed since, and the top document's walk if that has; None as for `_probe`."""
        try:
            now, walked = await probe_and_walk(
                self.page,
                list(last.frames),
                deadline,
                inner=deadline.share(CAPTURE_FRAME_SECONDS),
                wide=options.wide,
                reveal=options.reveal,
                known=self._rows if options.engine is Engine.WALKER else None,
            )
        except (CdpCallError, DeadlineError):
            return None, None
        return now, walked if last.loaders == self.page.loaders else None

    async def _learn(
        self,
        seen: dict[str, FrameFacts],
        before: dict[str, Counters],
        counts: dict[str, Counters] | None,
        scope: Scope,
        deadline: Deadline,
    ) -> tuple[int, dict[str, Counters]]:
        """Asks DevTools for what it alone knows, where that may have changed.

        Args:
            before: counters when DevTools was last asked for listeners, by session id.
            counts: counters after the walks; None where they are not known yet.

        Returns:
            How many elements have to be captured again because of it, and the counters now.
        """
        suspected = [frame for frame, facts in seen.items() if facts.reply.suspects]
        news = sum(await asyncio.gather(*(adopt_closed_roots(self.page, frame, deadline) for frame in suspected)))
        now = dict(counts if counts is not None else await count_all(self.page, seen, deadline))
        for session_id, counters in now.items():
            frames = [frame for frame in seen if self.page.session_of(frame).session_id == session_id]
            own = sum(seen[frame].reply.listeners for frame in frames)
            own += listeners_elsewhere(self.page, session_id, frames)
            collections = sum(seen[frame].reply.collections for frame in frames)
            now[session_id] = counters = replace(counters, own=own, collections=collections)
            last = before.get(session_id)
            is_known = last is not None and last.theirs == counters.theirs and last.collections == collections
            if is_known and all(self._listeners.has_learned(seen[frame].loader) for frame in frames):
                continue
            known = partial(self._known_controls, seen, scope, deadline)
            news += await self._listeners.learn(self.page.session_of(frames[0]), frames, known, deadline)
        return news, now

    async def _known_controls(
        self, seen: dict[str, FrameFacts], scope: Scope, deadline: Deadline, frame: str
    ) -> set[int]:
        """Backend ids of the controls of a frame that are such without listeners."""
        facts = seen[frame]
        await self._ids.add_backend_ids(facts, served_nodes(facts, scope), deadline)
        return {
            node
            for row in facts.reply.rows
            # An <a> without an address is a link once it listens; until then only its cursor shows that it reacts.
            if row.flags & INTERACTIVE and "clickable" not in row.states
            if (node := facts.backend_ids.get(row.node)) is not None
        }

    async def capture_pixels(self, deadline: Deadline, *, reveal: bool = False) -> Capture:
        """The screenshot and where it was taken, without elements."""
        self._pictures.watch.end()
        shot, now = await asyncio.gather(take_shot(self.page, deadline, reveal=reveal), self.place(deadline))
        return await self._pictures.join(self._pictures.bare_of(now), shot)

    def let_go(self) -> None:
        """Drops the elements and the picture of a page that is gone: some 4 MB, which would wait for a full garbage
        collection."""
        self._last = None
        self._pictures.let_go()

    async def place(self, deadline: Deadline) -> Capture:
        """Where the tab is: its URL, title, viewport and scroll position, without elements and pixels."""
        text = await self.page.ask_text(self.page.main_frame, "documentState", deadline, "reading the page")
        reply = decode_walk(text)
        return Capture(
            url=reply.url,
            title=reply.title,
            loader=self.page.loader,
            viewport=self.page.emulation.viewport_of(*reply.viewport),
            scroll=Scroll(*reply.scroll),
            elements=(),
            page_visible=reply.visible,
        )


def _is_same(now: Probe, trusted: frozenset[str]) -> bool:
    """Whether a probe shows that nothing has changed; `trusted` are the frames whose walkers would know."""
    return len(trusted) == len(now.frames) and not any(frame.dirty for frame in now.frames.values())


def _explained(last: _Remembered, now: Probe, page: PageLink) -> frozenset[str]:
    """Frames whose walkers know all that has changed in them since. Where Chromium counts changes that no walker of a
    process explains, none of its frames does. Animations explain themselves."""
    unexplained = {
        session_id
        for session_id, counters in now.counters.items()
        if session_id in last.counters and not counters.same_pixels(last.counters[session_id])
    }
    explained = {page.session_of(frame).session_id for frame, each in now.frames.items() if each.dirty or each.running}
    return frozenset(frame for frame in now.frames if page.session_of(frame).session_id not in unexplained - explained)
