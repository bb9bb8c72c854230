"""Capture: what a tab says of itself and what it looks like, as one `Capture`.

Every frame is walked by one call in its own world, all of them at once; what lies on top of a frame is asked of
the frame that holds it. Frames that cannot be entered stay opaque: vision may read them.
"""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from perception.browser import axtree
from perception.browser.cdp import CdpCallError
from perception.browser.facts import (
    IN_VIEWPORT,
    REACHABLE,
    FrameFacts,
    FrameRow,
    Row,
    decode_walk,
    place,
    reachable_points,
)
from perception.browser.page import PageLink
from perception.budget import Budget
from perception.errors import DeadlineError, PageCrashedError, PerceptionError, SessionLostError
from perception.types import Capture, Engine, Pixels, Scope, Screenshot, Scroll, Skipped, Viewport

FRAME_SECONDS = 2.0
"""How long a snapshot waits for one frame: a large one is walked in 0.1 s, a hung one never answers."""

MAX_FRAME_DEPTH = 10
"""Pages that nest frames deeper are broken or hostile."""


class Looker:
    """Looks at one tab. Keeps the backend ids it has learnt, so that each node is asked for once."""

    def __init__(self, page: PageLink) -> None:
        self.page = page
        self._backend_ids: dict[str, dict[int, int]] = {}

    async def capture(self, *, engine: Engine, scope: Scope, with_pixels: bool, budget: Budget) -> Capture:
        """One look at the tab.

        Raises:
            PageCrashedError, SessionLostError: there is nothing to look at.
            DeadlineError: the top document did not answer in time.
        """
        self._forget_old_documents()
        skipped: list[Skipped] = []
        shot = asyncio.create_task(take_screenshot(self.page, budget)) if with_pixels else None
        try:
            facts = await self._walk(self.page.main_frame, None, engine, scope, budget, skipped, depth=0)
            screenshot = await shot if shot else None
        except BaseException:
            if shot:
                shot.cancel()
                await asyncio.gather(shot, return_exceptions=True)
            raise
        reply = facts.reply
        width, height, scale = reply.viewport
        return Capture(
            url=reply.url,
            title=reply.title,
            loader=facts.loader,
            viewport=Viewport(round(width), round(height), scale),
            scroll=Scroll(*reply.scroll),
            elements=tuple(place(facts)),
            screenshot=_scaled(screenshot, width) if screenshot is not None else None,
            skipped=tuple(skipped),
        )

    async def capture_pixels(self, budget: Budget) -> Capture:
        """The screenshot with nothing but where it was taken: no elements."""
        pixels, place_now = await asyncio.gather(take_screenshot(self.page, budget), self.place(budget))
        return replace(place_now, screenshot=_scaled(pixels, place_now.viewport.width))

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
        )

    async def _walk(
        self,
        frame: str,
        clip: tuple[float, float, float, float] | None,
        engine: Engine,
        scope: Scope,
        budget: Budget,
        skipped: list[Skipped],
        depth: int,
    ) -> FrameFacts:
        text = await self.page.ask_text(frame, "walk", budget, "reading the page", clip)
        world = await self.page.world(frame, budget)
        facts = FrameFacts(frame, world.loader, decode_walk(text))
        if engine is Engine.AX:
            await axtree.replace_rows(self.page, facts, budget)
        await self._learn_backend_ids(facts, scope, budget)
        await self._enter_frames(facts, engine, scope, budget, skipped, depth)
        return facts

    async def _enter_frames(
        self, facts: FrameFacts, engine: Engine, scope: Scope, budget: Budget, skipped: list[Skipped], depth: int
    ) -> None:
        """Walks the frames inside, and strikes out what something in this frame covers."""
        rows = [row for row in facts.reply.frames if facts.backend_ids.get(row.node) and row.clip[2] > row.clip[0]]
        if not rows or depth >= MAX_FRAME_DEPTH:
            return
        ids = await self.page.frame_ids([facts.backend_ids[row.node] for row in rows], facts.frame, budget)
        found = [(row, frame) for row, frame in zip(rows, ids, strict=True) if frame]

        async def enter(row: FrameRow, frame: str) -> None:
            # A frame that hangs must not cost the whole snapshot.
            share = budget.share(FRAME_SECONDS)
            try:
                child = await self._walk(frame, _inner_clip(row), engine, scope, share, skipped, depth + 1)
                await self._strike_covered(facts, row, child, share)
            except (PageCrashedError, SessionLostError, CdpCallError, DeadlineError) as exc:
                name = facts.reply.rows[row.row].name or "without a name"
                skipped.append(Skipped(f"frame {name}", _why_not_entered(exc)))
                return
            facts.children[row.row] = (row, child)

        async with asyncio.TaskGroup() as group:
            for row, frame in found:
                group.create_task(enter(row, frame))

    async def _strike_covered(self, facts: FrameFacts, at: FrameRow, child: FrameFacts, budget: Budget) -> None:
        points = reachable_points(child, at)
        if not points:
            return
        covers = await self.page.ask(
            facts.frame, "covers", budget, "reading the page", at.node, [xy for _, xy in points]
        )
        for (row, _), cover in zip(points, covers, strict=True):
            if cover:
                row.flags &= ~REACHABLE
                row.point = None
                row.blocker = cover

    async def _learn_backend_ids(self, facts: FrameFacts, scope: Scope, budget: Budget) -> None:
        """Backend ids of the nodes that will be served, asked for new nodes only."""
        known = self._backend_ids.setdefault(facts.loader, {})
        new = [row.node for row in facts.reply.rows if row.node not in known and _is_served(row, scope)]
        if new:
            known.update(await backend_ids(self.page, facts.frame, new, budget))
        facts.backend_ids = known

    def _forget_old_documents(self) -> None:
        for loader in [loader for loader in self._backend_ids if loader not in self.page.loaders]:
            del self._backend_ids[loader]


async def backend_ids(page: PageLink, frame: str, nodes: list[int], budget: Budget) -> dict[int, int]:
    """CDP backend ids of walker nodes. Deep serialisation hands out all of them in one call, at 0.08 ms a node
    (Chromium 156; a pipelined DOM.describeNode takes 0.13 ms)."""
    result = await page.evaluate(
        frame,
        f"perceptionWalker.nodes({nodes})",
        budget,
        "reading node ids",
        serializationOptions={
            "serialization": "deep",
            "maxDepth": 2,
            "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "none"},
        },
    )
    found: dict[int, int] = {}
    for node, item in zip(nodes, result["deepSerializedValue"]["value"], strict=True):
        if item.get("type") == "node":
            found[node] = item["value"]["backendNodeId"]
    return found


async def take_screenshot(page: PageLink, budget: Budget) -> Pixels:
    """The viewport's pixels as the compositor has them, (H, W, 3) uint8 BGR in device px."""
    data = await screenshot_bytes(page, budget, format="png", optimizeForSpeed=True)
    return await asyncio.to_thread(_decode_png, data)


async def screenshot_bytes(page: PageLink, budget: Budget, **options: Any) -> bytes:
    """An image file of the viewport, or with `captureBeyondViewport` and `clip` of the page."""
    reply = await page.session.call("Page.captureScreenshot", budget, "taking a screenshot", **options)
    return base64.b64decode(reply["data"])


def _decode_png(data: bytes) -> Pixels:
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise PerceptionError("Chromium returned a screenshot that cannot be decoded")
    return np.asarray(pixels, dtype=np.uint8)


def _scaled(pixels: Pixels, width_css: float) -> Screenshot:
    return Screenshot(pixels, pixels.shape[1] / width_css)


def _is_served(row: Row, scope: Scope) -> bool:
    return row.role != "text" and (scope is Scope.PAGE or bool(row.flags & IN_VIEWPORT))


def _inner_clip(row: FrameRow) -> tuple[float, float, float, float]:
    """The visible part of a frame in the frame's own coordinates."""
    left, top, right, bottom = row.clip
    sx, sy = row.scale_x or 1, row.scale_y or 1
    return (left - row.x) / sx, (top - row.y) / sy, (right - row.x) / sx, (bottom - row.y) / sy


def _why_not_entered(error: PerceptionError) -> str:
    if isinstance(error, PageCrashedError):
        return "it crashed"
    return "it did not answer in time" if isinstance(error, DeadlineError) else "it went away meanwhile"
