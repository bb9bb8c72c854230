"""One capture of all frames of a tab: the facts of each, and what of it the frames around it cover.

Every frame is walked by one call in its own world, all frames at once. What covers a frame is determined by the
frame that contains it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from perception.browser.capture import axtree
from perception.browser.capture.document_order import backend_ids_by_place
from perception.browser.capture.frame_facts import (
    FrameFacts,
    WalkReply,
    decode_walk,
    mark_unreachable,
    reachable_points,
)
from perception.browser.capture.known_rows import NO_WALK, KnownRows
from perception.browser.capture.probe import Counting, begin_count
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.node_ids import backend_ids
from perception.browser.page.page_link import PageLink
from perception.browser.walker.row_layout import IN_VIEWPORT, REACHABLE, REACHES, Cover, FrameRow, Row
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageCrashedError, PerceptionError, SessionLostError
from perception.types import Capture, Engine, Reach, Scope, Skipped, replace_fields

CAPTURE_FRAME_SECONDS = 2.0
"""How long a snapshot waits for one frame: a large one is walked in 0.1 s, a hung one never answers. Chosen by hand."""

MAKING_SECONDS = 1.0
"""How long a document that has no body yet is waited for. One that is coming, or that a script opens and writes
(`document.open()`), has one in milliseconds; one that is opened and never written is empty. Chosen by hand."""

MAKING_POLL_SECONDS = 0.02

MAX_FRAME_DEPTH = 10
"""Pages that nest frames deeper are broken or hostile. Chosen by hand."""

_PHASE = "reading the page"


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What of a tab is captured.

    Attributes:
        engine: where page facts come from.
        scope: the viewport's elements, or all of the page's.
        reveal: shows what is private, all but passwords.
        node_ids: gives the elements their backend ids, at 0.08 ms each.
    """

    engine: Engine
    scope: Scope
    reveal: bool
    node_ids: bool

    @property
    def wide(self) -> bool:
        """Whether walks include what is out of view."""
        return self.scope is Scope.PAGE or self.engine is Engine.AX


class NodeIds:
    """CDP's ids of a tab's nodes and frames, each asked for once."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._backend_ids: dict[str, dict[int, int]] = {}
        self._frame_ids: dict[tuple[str, int], str] = {}

    async def add_backend_ids(self, facts: FrameFacts, nodes: Iterable[int], deadline: Deadline) -> None:
        """Adds backend ids of nodes to a frame's facts."""
        facts.backend_ids = await self._backend_ids_of(facts.frame, facts.loader, nodes, deadline)

    async def identify(self, capture: Capture, scope: Scope, deadline: Deadline) -> Capture:
        """A capture that was taken without backend ids, with those of the elements that will be served.

        Raises:
            CdpCallError: a frame is gone.
        """
        nodes: dict[str, list[int]] = defaultdict(list)
        for each in capture.elements:
            if each.node is not None and _is_served(each.role, each.in_viewport, scope):
                nodes[each.node.loader].append(each.node.node)
        known: dict[str, dict[int, int]] = {}
        for loader, numbers in nodes.items():
            frame = self._page.tree.frame_of(loader)
            if frame is None:
                raise CdpCallError("Runtime.evaluate", 0, "the frame is gone")
            known[loader] = await self._backend_ids_of(frame, loader, numbers, deadline)
        elements = (
            replace_fields(each, backend_node_id=known[each.node.loader].get(each.node.node))
            if each.node is not None and each.node.loader in known
            else each
            for each in capture.elements
        )
        return replace(capture, elements=tuple(elements))

    async def _backend_ids_of(
        self, frame: str, loader: str, nodes: Iterable[int], deadline: Deadline
    ) -> dict[int, int]:
        known = self._backend_ids.setdefault(loader, {})
        new = [node for node in nodes if node not in known]
        if new:
            known.update(await backend_ids_by_place(self._page, frame, new, deadline))
            rest = [node for node in new if node not in known]
            known.update(await backend_ids(self._page, frame, rest, deadline) if rest else {})
        return known

    async def frame_ids(self, facts: FrameFacts, rows: list[FrameRow], deadline: Deadline) -> list[str]:
        """Ids of the frames in iframe elements; empty for an element that shows none."""
        new = [row.node for row in rows if (facts.loader, row.node) not in self._frame_ids]
        if new:
            found = await self._page.worlds.frame_ids([facts.backend_ids[node] for node in new], facts.frame, deadline)
            self._frame_ids |= {(facts.loader, node): frame for node, frame in zip(new, found, strict=True) if frame}
        return [self._frame_ids.get((facts.loader, row.node), "") for row in rows]

    def forget_old_documents(self) -> None:
        """Drops the ids of documents that are no longer shown."""
        for loader in [loader for loader in self._backend_ids if loader not in self._page.loaders]:
            del self._backend_ids[loader]
        self._frame_ids = {key: frame for key, frame in self._frame_ids.items() if key[0] in self._page.loaders}


class FrameCapture:
    """One capture.

    Attributes:
        seen: facts of the frames that answered, by frame id, the top one first.
        skipped: the frames that did not, with the reason.
        counting: counters of the top document's process that were asked for right after its walk; empty where the walk
            was given.
    """

    def __init__(
        self,
        page: PageLink,
        ids: NodeIds,
        options: CaptureOptions,
        deadline: Deadline,
        trusted: frozenset[str],
        walked: WalkReply | None = None,
        known: KnownRows | None = None,
    ) -> None:
        """
        Args:
            known: the top document's rows; None where all of them are to be sent.
            trusted: frames whose walkers know all changes of their documents: they need not walk them again.
            walked: a walk of the top document that was made just now, with these options.
        """
        self._page = page
        self._ids = ids
        self._options = options
        self._deadline = deadline
        self._trusted = trusted
        self._walked = walked
        self._known = known
        self.seen: dict[str, FrameFacts] = {}
        self.skipped: list[Skipped] = []
        self.counting: Counting = {}

    async def run(self) -> FrameFacts:
        """Captures all frames; returns the facts of the top one, with the others inside.

        Raises:
            DeadlineError, PageCrashedError, SessionLostError, CdpCallError: of the top document.
        """
        return await self._frame(self._page.main_frame, None, self._deadline, 0)

    async def _frame(
        self, frame: str, clip: tuple[float, float, float, float] | None, deadline: Deadline, depth: int
    ) -> FrameFacts:
        options = self._options
        known = self._known if frame == self._page.main_frame else None
        reply = self._walked if frame == self._page.main_frame else None
        if reply is None:
            reply = await self._walk(frame, clip, known, deadline)
        share = deadline.share(MAKING_SECONDS)
        while 0 <= reply.making < 1000 * MAKING_SECONDS and share.remaining() > MAKING_POLL_SECONDS:
            await asyncio.sleep(MAKING_POLL_SECONDS)
            reply = await self._walk(frame, clip, known, deadline)
        world = await self._page.world(frame, deadline)
        facts = FrameFacts(frame, world.loader, reply)
        if known is not None:
            known.recall(facts)
        self.seen[frame] = facts
        if options.engine is Engine.AX:
            await axtree.replace_rows(self._page, facts, deadline)
        frames = [row.node for row in facts.reply.frames]
        await self._ids.add_backend_ids(
            facts, served_nodes(facts, options.scope) if options.node_ids else frames, deadline
        )
        await self._enter_frames(facts, deadline, depth)
        return facts

    async def _walk(
        self, frame: str, clip: tuple[float, float, float, float] | None, known: KnownRows | None, deadline: Deadline
    ) -> WalkReply:
        options, base = self._options, known.walk if known is not None else NO_WALK
        fresh = frame not in self._trusted
        asked = (clip, options.wide, fresh, options.reveal, base)
        reply = decode_walk(await self._page.ask_text(frame, "walk", deadline, _PHASE, *asked))
        if known is not None:
            known.complete(reply)
        if frame == self._page.main_frame:
            self.counting = begin_count(self._page, [frame])
        return reply

    async def _enter_frames(self, facts: FrameFacts, deadline: Deadline, depth: int) -> None:
        """Captures the frames inside, and marks what something in this frame covers as unreachable."""
        is_wide = self._options.scope is Scope.PAGE
        rows = [
            row
            for row in facts.reply.frames
            if facts.backend_ids.get(row.node) and (is_wide or row.clip[2] > row.clip[0])
        ]
        if not rows or depth >= MAX_FRAME_DEPTH:
            return
        ids = await self._ids.frame_ids(facts, rows, deadline)

        async def enter(row: FrameRow, frame: str) -> None:
            # A hung frame must not take the time of the whole snapshot.
            share = deadline.share(CAPTURE_FRAME_SECONDS)
            try:
                child = await self._frame(frame, _inner_clip(row), share, depth + 1)
                await self._mark_covered(facts, row, child, share)
            except (PageCrashedError, SessionLostError, CdpCallError, DeadlineError) as exc:
                name = facts.reply.rows[row.row].name or "without a name"
                self.skipped.append(Skipped(f"frame {name}", why_not_entered(exc)))
                return
            facts.children[row.row] = (row, child)

        async with asyncio.TaskGroup() as group:
            for row, frame in zip(rows, ids, strict=True):
                if frame:
                    group.create_task(enter(row, frame))

    async def _mark_covered(self, facts: FrameFacts, at: FrameRow, child: FrameFacts, deadline: Deadline) -> None:
        await self._mark_out_of_reach(facts, at, child, deadline)
        points = reachable_points(child, at)
        if not points:
            return
        covers = await self._page.ask(facts.frame, "frameCovers", deadline, _PHASE, at.node, [xy for _, xy in points])
        covered = [(row, cover) for (row, _), cover in zip(points, covers, strict=True) if cover[0] != Cover.CLEAR]
        own = {row.node for row in child.reply.rows}
        for row, cover in covered:
            how, number, words = (*cover, 0, "")[:3]
            mark_unreachable(row, Reach.COVERED if how == Cover.COVERED else Reach.NEVER, (facts.loader, number, words))
        await self._try_elsewhere(facts, at, child, [row for row, _ in covered if row.node in own], deadline)

    async def _try_elsewhere(
        self, facts: FrameFacts, at: FrameRow, child: FrameFacts, rows: list[Row], deadline: Deadline
    ) -> None:
        """Looks for another click point for elements that something over the frame covers at theirs."""
        if not rows:
            return
        found = await self._page.ask(child.frame, "clickPoints", deadline, _PHASE, [row.node for row in rows])
        tried = [(row, x, y) for row, points in zip(rows, found, strict=True) for x, y in points]
        outside = [(at.x + x * at.scale_x, at.y + y * at.scale_y) for _, x, y in tried]
        covers = await self._page.ask(facts.frame, "frameCovers", deadline, _PHASE, at.node, outside) if tried else []
        for (row, x, y), cover in zip(tried, covers, strict=True):
            if cover[0] == Cover.CLEAR and row.point is None:
                row.flags |= REACHABLE
                row.point = (x, y)
                row.reach = REACHES.index(Reach.NOW)
                row.covered_in, row.covered_by, row.blocker = "", 0, ""

    async def _mark_out_of_reach(self, facts: FrameFacts, at: FrameRow, child: FrameFacts, deadline: Deadline) -> None:
        """An element that is out of view only because of its frame's place is unreachable if the frame cannot be
        scrolled into view."""
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
        answers = await self._page.ask(facts.frame, "canScrollIntoView", deadline, _PHASE, at.node, boxes)
        for row, can in zip(rows, answers, strict=True):
            row.reach = scrolled if can else REACHES.index(Reach.NEVER)


def served_nodes(facts: FrameFacts, scope: Scope) -> list[int]:
    """The walker's numbers of a frame's elements that will be served."""
    return [row.node for row in facts.reply.rows if _is_served(row.role, bool(row.flags & IN_VIEWPORT), scope)]


def _is_served(role: str, in_viewport: bool, scope: Scope) -> bool:
    return role != "text" and (scope is Scope.PAGE or in_viewport)


def _inner_clip(row: FrameRow) -> tuple[float, float, float, float]:
    """The visible part of a frame in the frame's own coordinates."""
    left, top, right, bottom = row.clip
    sx, sy = row.scale_x or 1, row.scale_y or 1
    return (left - row.x) / sx, (top - row.y) / sy, (right - row.x) / sx, (bottom - row.y) / sy


def why_not_entered(error: PerceptionError) -> str:
    """The reason for a frame that was skipped."""
    if isinstance(error, PageCrashedError):
        return "it crashed"
    return "it did not answer in time" if isinstance(error, DeadlineError) else "it went away meanwhile"
