"""Capture: what a tab says of itself and what it looks like, as one `Capture`.

Every frame is walked by one call in its own world, all of them at once; what lies on top of a frame is asked of
the frame that holds it. Frames that cannot be entered stay opaque: vision may read them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from perception.browser import axtree
from perception.browser.cdp import CdpCallError
from perception.browser.facts import (
    IN_VIEWPORT,
    INTERACTIVE,
    REACHABLE,
    REACHES,
    FrameFacts,
    FrameRow,
    Row,
    decode_walk,
    place,
    reachable_points,
    strike,
)
from perception.browser.node_ids import backend_ids
from perception.browser.page import PageLink
from perception.browser.probe import Counters, Probe, count_all, pending_of, probe
from perception.browser.told import Listeners, adopt_closed_roots
from perception.browser.veiled import Shot, take_shot
from perception.budget import Budget
from perception.errors import DeadlineError, PageCrashedError, PerceptionError, SessionLostError
from perception.geometry import Box
from perception.metrics import CACHE_HITS
from perception.refs import count_nth
from perception.types import Capture, Engine, Reach, Scope, Screenshot, Scroll, Skipped, Viewport

FRAME_SECONDS = 2.0
"""How long a snapshot waits for one frame: a large one is walked in 0.1 s, a hung one never answers."""

MAX_FRAME_DEPTH = 10
"""Pages that nest frames deeper are broken or hostile."""

COVERED = 1
"""What the walker says of a point of a frame that something lies on (frames.js, coversOf)."""

MAX_ROUNDS = 6
"""Closed shadow roots in closed shadow roots: each round opens one level."""

MAX_TORN_RETRIES = 2
"""A page that changes during three looks in a row does so all the time."""

TORN_RETRY_SECONDS = 1.0
"""What another look may take: about 0.1 s with a screenshot, several times that on a busy machine."""


@dataclass(frozen=True, slots=True)
class _Remembered:
    """The last look at a tab: it is still true while nothing has changed. No capture where it cannot stand for another
    look: a frame was missing in it, or it came from Chromium's tree."""

    scope: Scope
    reveal: bool
    capture: Capture | None
    frames: tuple[str, ...]
    loaders: frozenset[str]
    counters: dict[str, Counters]


@dataclass(frozen=True, slots=True)
class _Pictured:
    """The last picture of a tab, and the capture that it went with."""

    key: tuple[bytes, tuple[Box, ...], float]
    bare: Capture
    whole: Capture


class Looker:
    """Looks at one tab. Keeps what it has learnt, so that nothing is looked at twice that has not changed."""

    def __init__(self, page: PageLink) -> None:
        self.page = page
        self._backend_ids: dict[str, dict[int, int]] = {}
        self._frame_ids: dict[tuple[str, int], str] = {}
        self._listeners = Listeners(page)
        self._last: _Remembered | None = None
        self._pictured: _Pictured | None = None

    async def capture(
        self, *, engine: Engine, scope: Scope, with_pixels: bool, budget: Budget, reveal: bool = False
    ) -> Capture:
        """One look at the tab. The same object as last time, if nothing has changed, pixels included.

        Args:
            reveal: shows what is private, all but passwords.

        Raises:
            PageCrashedError, SessionLostError: there is nothing to look at.
            DeadlineError: the top document did not answer in time.
        """
        for attempt in range(MAX_TORN_RETRIES + 1):
            capture, changes = await self._capture(engine, scope, with_pixels, reveal, budget)
            if not with_pixels or not await self._has_moved_on(changes, budget):
                return capture
            if attempt == MAX_TORN_RETRIES or budget.remaining() < TORN_RETRY_SECONDS:
                break
        return replace(capture, torn=True)

    async def _capture(
        self, engine: Engine, scope: Scope, with_pixels: bool, reveal: bool, budget: Budget
    ) -> tuple[Capture, dict[str, int]]:
        """A look, and each frame's count of changes at that moment."""
        self._forget_old_documents()
        taking = asyncio.create_task(take_shot(self.page, budget, reveal=reveal)) if with_pixels else None
        try:
            capture, changes = await self._facts(engine, scope, reveal, budget)
            return (capture if taking is None else await self._with_pixels(capture, await taking)), changes
        except BaseException:
            if taking:
                taking.cancel()
                await asyncio.gather(taking, return_exceptions=True)
            raise

    async def _with_pixels(self, capture: Capture, shot: Shot) -> Capture:
        """The capture with its picture: the very same one as last time, if both are the same."""
        last, key = self._pictured, shot.key
        if last is not None and last.key == key:
            if last.bare is capture:
                return last.whole
            screenshot = last.whole.screenshot
        else:
            pixels = await asyncio.to_thread(shot.pixels)
            screenshot = Screenshot(pixels, pixels.shape[1] / capture.viewport.width)
        self._pictured = _Pictured(key, capture, replace(capture, screenshot=screenshot))
        return self._pictured.whole

    async def _facts(
        self, engine: Engine, scope: Scope, reveal: bool, budget: Budget
    ) -> tuple[Capture, dict[str, int]]:
        last = self._last if self._last is not None and self._last.loaders == self.page.loaders else None
        now = await self._probe(last, budget) if last is not None else None
        trusted: frozenset[str] = frozenset()
        if last is not None and now is not None:
            trusted = _explained(last, now, self.page)
            is_same = len(trusted) == len(now.frames) and not any(frame.dirty for frame in now.frames.values())
            if is_same and last.capture and engine is Engine.WALKER and (last.scope, last.reveal) == (scope, reveal):
                CACHE_HITS.labels(cache="capture").inc()
                return self._same(last, last.capture, now), {frame: each.changes for frame, each in now.frames.items()}
        # What a look learns of changes no later one hears of again: one that fails leaves nothing to rely on.
        self._last = None
        heard = last.counters if last is not None else await self._hear_top(budget)
        look = _LookAt(self, engine, scope, reveal, budget, trusted)
        facts = await look.top()
        for _ in range(MAX_ROUNDS):
            news, heard = await self._learn(look.seen, heard, budget)
            if not news:
                break
            look = _LookAt(self, engine, scope, reveal, budget, frozenset(look.seen))
            facts = await look.top()
        reply = facts.reply
        width, height, scale = reply.viewport
        elements = tuple(place(facts))
        capture = Capture(
            url=reply.url,
            title=reply.title,
            loader=facts.loader,
            viewport=Viewport(round(width), round(height), scale),
            scroll=Scroll(*reply.scroll),
            elements=count_nth(elements) if engine is Engine.AX else elements,
            skipped=tuple(look.skipped),
            page_visible=reply.visible,
            pending=tuple(pending_of(self.page, ready=reply.ready, moving=reply.moving)),
        )
        changes = {frame: each.reply.changes for frame, each in look.seen.items()}
        kept = capture if engine is Engine.WALKER and not look.skipped else None
        self._last = _Remembered(scope, reveal, kept, tuple(look.seen), self.page.loaders, heard)
        return capture, changes

    def _same(self, last: _Remembered, capture: Capture, now: Probe) -> Capture:
        """The last capture; it may have come to rest meanwhile."""
        top = now.frames[self.page.main_frame]
        pending = tuple(pending_of(self.page, ready=top.ready, moving=top.moving))
        if pending == capture.pending:
            return capture
        rested = replace(capture, pending=pending)
        self._last = replace(last, capture=rested)
        return rested

    async def _probe(self, last: _Remembered, budget: Budget) -> Probe | None:
        """What has changed since; None when a frame has gone or hangs: then the look itself will say so."""
        try:
            return await probe(self.page, list(last.frames), budget.share(FRAME_SECONDS))
        except (CdpCallError, DeadlineError):
            return None

    async def _hear_top(self, budget: Budget) -> dict[str, Counters]:
        """Learns who listens in the top document before it is looked at for the first time."""
        await self._listeners.learn(self.page.session, [self.page.main_frame], set(), budget)
        return await count_all(self.page, [self.page.main_frame], budget)

    async def _learn(
        self, seen: dict[str, FrameFacts], heard: dict[str, Counters], budget: Budget
    ) -> tuple[int, dict[str, Counters]]:
        """Asks DevTools for what it alone knows, where there may be news.

        Args:
            heard: counters as of when it was last asked who listens, by session id.

        Returns:
            How many elements are to be seen otherwise because of it, and counters as they are now.
        """
        news = 0
        for frame, facts in seen.items():
            if facts.reply.suspects:
                news += await adopt_closed_roots(self.page, frame, budget)
        now = await count_all(self.page, seen, budget)
        for session_id, counters in now.items():
            frames = [frame for frame in seen if self.page.session_of(frame).session_id == session_id]
            theirs = counters.listeners - sum(seen[frame].reply.listeners for frame in frames)
            now[session_id] = counters = replace(counters, listeners=theirs)
            before = heard.get(session_id)
            if before is not None and before.listeners == counters.listeners:
                continue
            known = {
                node
                for frame in frames
                for row in seen[frame].reply.rows
                # An <a> without an address is a link once it listens, and until then what only a pointer knows of.
                if row.flags & INTERACTIVE and "clickable" not in row.states
                if (node := seen[frame].backend_ids.get(row.node)) is not None
            }
            news += await self._listeners.learn(self.page.session_of(frames[0]), frames, known, budget)
        return news, now

    async def _has_moved_on(self, changes: dict[str, int], budget: Budget) -> bool:
        """Whether a page has changed since its facts were taken."""
        try:
            now = await probe(self.page, list(changes), budget.share(FRAME_SECONDS))
        except (CdpCallError, DeadlineError):
            return True
        return any(now.frames[frame].changes != count for frame, count in changes.items())

    async def capture_pixels(self, budget: Budget, *, reveal: bool = False) -> Capture:
        """The screenshot with nothing but where it was taken: no elements."""
        shot, now = await asyncio.gather(take_shot(self.page, budget, reveal=reveal), self.place(budget))
        last = self._pictured
        return await self._with_pixels(last.bare if last is not None and last.bare == now else now, shot)

    async def place(self, budget: Budget) -> Capture:
        """Where the tab is: neither elements nor pixels."""
        text = await self.page.ask_text(self.page.main_frame, "place", budget, "reading the page")
        reply = decode_walk(text)
        width, height, scale = reply.viewport
        return Capture(
            url=reply.url,
            title=reply.title,
            loader=self.page.loader,
            viewport=Viewport(round(width), round(height), scale),
            scroll=Scroll(*reply.scroll),
            elements=(),
            page_visible=reply.visible,
        )

    async def learn_backend_ids(self, facts: FrameFacts, scope: Scope, budget: Budget) -> None:
        """Backend ids of the nodes that will be served, asked for new nodes only."""
        known = self._backend_ids.setdefault(facts.loader, {})
        new = [row.node for row in facts.reply.rows if row.node not in known and _is_served(row, scope)]
        if new:
            known.update(await backend_ids(self.page, facts.frame, new, budget))
        facts.backend_ids = known

    async def frame_ids(self, facts: FrameFacts, rows: list[FrameRow], budget: Budget) -> list[str]:
        """Ids of the frames in iframe elements, each asked for once; empty where there is none."""
        new = [row.node for row in rows if (facts.loader, row.node) not in self._frame_ids]
        if new:
            found = await self.page.frame_ids([facts.backend_ids[node] for node in new], facts.frame, budget)
            self._frame_ids |= {(facts.loader, node): frame for node, frame in zip(new, found, strict=True) if frame}
        return [self._frame_ids.get((facts.loader, row.node), "") for row in rows]

    def _forget_old_documents(self) -> None:
        for loader in [loader for loader in self._backend_ids if loader not in self.page.loaders]:
            del self._backend_ids[loader]
        self._frame_ids = {key: frame for key, frame in self._frame_ids.items() if key[0] in self.page.loaders}


class _LookAt:
    """One look at all frames. `seen` are those that answered, the top one first; what the walkers of `trusted` ones
    know of their documents is relied on."""

    def __init__(
        self, looker: Looker, engine: Engine, scope: Scope, reveal: bool, budget: Budget, trusted: frozenset[str]
    ) -> None:
        self._looker = looker
        self._page = looker.page
        self._engine = engine
        self._scope = scope
        self._reveal = reveal
        self._budget = budget
        self._trusted = trusted
        self.seen: dict[str, FrameFacts] = {}
        self.skipped: list[Skipped] = []

    async def top(self) -> FrameFacts:
        return await self._frame(self._page.main_frame, None, self._budget, 0)

    async def _frame(
        self, frame: str, clip: tuple[float, float, float, float] | None, budget: Budget, depth: int
    ) -> FrameFacts:
        wide = self._scope is Scope.PAGE or self._engine is Engine.AX
        text = await self._page.ask_text(
            frame, "look", budget, "reading the page", clip, wide, frame not in self._trusted, self._reveal
        )
        world = await self._page.world(frame, budget)
        facts = FrameFacts(frame, world.loader, decode_walk(text))
        self.seen[frame] = facts
        if self._engine is Engine.AX:
            await axtree.replace_rows(self._page, facts, budget)
        await self._looker.learn_backend_ids(facts, self._scope, budget)
        await self._enter_frames(facts, budget, depth)
        return facts

    async def _enter_frames(self, facts: FrameFacts, budget: Budget, depth: int) -> None:
        """Looks at the frames inside, and strikes out what something in this frame covers."""
        is_wide = self._scope is Scope.PAGE
        rows = [
            row
            for row in facts.reply.frames
            if facts.backend_ids.get(row.node) and (is_wide or row.clip[2] > row.clip[0])
        ]
        if not rows or depth >= MAX_FRAME_DEPTH:
            return
        ids = await self._looker.frame_ids(facts, rows, budget)

        async def enter(row: FrameRow, frame: str) -> None:
            # A frame that hangs must not cost the whole snapshot.
            share = budget.share(FRAME_SECONDS)
            try:
                child = await self._frame(frame, _inner_clip(row), share, depth + 1)
                await self._strike_covered(facts, row, child, share)
            except (PageCrashedError, SessionLostError, CdpCallError, DeadlineError) as exc:
                name = facts.reply.rows[row.row].name or "without a name"
                self.skipped.append(Skipped(f"frame {name}", why_not_entered(exc)))
                return
            facts.children[row.row] = (row, child)

        async with asyncio.TaskGroup() as group:
            for row, frame in zip(rows, ids, strict=True):
                if frame:
                    group.create_task(enter(row, frame))

    async def _strike_covered(self, facts: FrameFacts, at: FrameRow, child: FrameFacts, budget: Budget) -> None:
        await self._strike_unreachable(facts, at, child, budget)
        points = reachable_points(child, at)
        if not points:
            return
        phase = "reading the page"
        covers = await self._page.ask(facts.frame, "covers", budget, phase, at.node, [xy for _, xy in points])
        struck = [(row, cover) for (row, _), cover in zip(points, covers, strict=True) if cover[0]]
        own = {row.node for row in child.reply.rows}
        for row, cover in struck:
            how, number, words = (*cover, 0, "")[:3]
            strike(row, Reach.COVERED if how == COVERED else Reach.NEVER, (facts.loader, number, words))
        await self._try_elsewhere(facts, at, child, [row for row, _ in struck if row.node in own], budget)

    async def _try_elsewhere(
        self, facts: FrameFacts, at: FrameRow, child: FrameFacts, rows: list[Row], budget: Budget
    ) -> None:
        """What is covered at its click point by something over the frame may be free at another."""
        if not rows:
            return
        phase = "reading the page"
        found = await self._page.ask(child.frame, "points", budget, phase, [row.node for row in rows])
        tried = [(row, x, y) for row, points in zip(rows, found, strict=True) for x, y in points]
        outside = [(at.x + x * at.scale_x, at.y + y * at.scale_y) for _, x, y in tried]
        covers = await self._page.ask(facts.frame, "covers", budget, phase, at.node, outside) if tried else []
        for (row, x, y), cover in zip(tried, covers, strict=True):
            if not cover[0] and row.point is None:
                row.flags |= REACHABLE
                row.point = (x, y)
                row.reach = REACHES.index(Reach.NOW)
                row.covered_in, row.covered_by, row.blocker = "", 0, ""

    async def _strike_unreachable(self, facts: FrameFacts, at: FrameRow, child: FrameFacts, budget: Budget) -> None:
        """What is out of view only because of where its frame lies is out of reach if that frame cannot be moved."""
        scrolled = REACHES.index(Reach.SCROLL)
        rows = [row for row in child.reply.rows if row.reach == scrolled]
        if not rows:
            return
        width, height, _ = child.reply.viewport
        boxes = [
            (max(0.0, left), max(0.0, top), min(width, right), min(height, bottom))
            if left < width and top < height and right > 0 and bottom > 0
            else (0.0, 0.0, width, height)
            for left, top, right, bottom in (row.box for row in rows)
        ]
        answers = await self._page.ask(facts.frame, "canReveal", budget, "reading the page", at.node, boxes)
        for row, can in zip(rows, answers, strict=True):
            row.reach = scrolled if can else REACHES.index(Reach.NEVER)


def _explained(last: _Remembered, now: Probe, page: PageLink) -> frozenset[str]:
    """Frames that can tell themselves what has changed in them since. Where pixels may have changed although nothing
    in a process tells why, none of its frames can. What an animation moves tells itself."""
    quiet = {
        session_id
        for session_id, counters in now.counters.items()
        if session_id in last.counters and not counters.same_pixels(last.counters[session_id])
    }
    told = {page.session_of(frame).session_id for frame, each in now.frames.items() if each.dirty or each.running}
    return frozenset(frame for frame in now.frames if page.session_of(frame).session_id not in quiet - told)


def _is_served(row: Row, scope: Scope) -> bool:
    return row.role != "text" and (scope is Scope.PAGE or bool(row.flags & IN_VIEWPORT))


def _inner_clip(row: FrameRow) -> tuple[float, float, float, float]:
    """The visible part of a frame in the frame's own coordinates."""
    left, top, right, bottom = row.clip
    sx, sy = row.scale_x or 1, row.scale_y or 1
    return (left - row.x) / sx, (top - row.y) / sy, (right - row.x) / sx, (bottom - row.y) / sy


def why_not_entered(error: PerceptionError) -> str:
    """What a snapshot or a reading says of a frame that it could not look into."""
    if isinstance(error, PageCrashedError):
        return "it crashed"
    return "it did not answer in time" if isinstance(error, DeadlineError) else "it went away meanwhile"
