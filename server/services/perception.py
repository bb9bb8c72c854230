"""PerceptionService: snapshots and screenshots."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Any

import cv2
import numpy as np

from perception.browser.session import Tab
from perception.browser.veiled import masked_file
from perception.budget import Budget
from perception.errors import BadInputError, NotImplementedYetError
from perception.geometry import Box
from perception.images import encode_png
from perception.pipeline import Stages, Wish
from perception.render.annotate import annotate
from perception.render.budget import check_budget
from perception.render.present import present
from perception.render.text import PagedText
from perception.server.convert import (
    ENGINES,
    MODES,
    SCOPES,
    STYLES,
    VIEWS,
    element_messages,
    known,
    scroll_message,
    snapshot_message,
    viewport_message,
)
from perception.server.perceive import look
from perception.server.services.base import Rooms
from perception.server.sessions import KeptSnapshot, Session
from perception.types import Element, Mode, Screenshot, Snapshot
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import types_pb2
from perception.v1.perception_service_pb2_grpc import PerceptionServiceServicer

MAX_PAGE_AREA = 50_000_000
"""Device pixels of a full-page screenshot; the same limit as for images that are sent to us."""


class PerceptionRpcs(PerceptionServiceServicer):
    """See perception_service.proto."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def CaptureSnapshot(self, request: pb.CaptureSnapshotRequest, context: Any) -> pb.CaptureSnapshotResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        if request.since_snapshot_id:
            raise NotImplementedYetError(
                "diffs between snapshots are not served by this version: leave since_snapshot_id out"
            )
        if request.cursor:
            return pb.CaptureSnapshotResponse(snapshot=_continue(session, request.cursor))
        with_pixels = request.include_screenshot or request.include_annotated
        wish = self._wish(request.options, with_pixels)
        async with session.use_tab(request.tab_id, budget) as tab:
            kept = await self._look(session, tab, wish, budget)
        response = pb.CaptureSnapshotResponse(snapshot=_serve(kept, 0))
        shot = kept.snapshot.screenshot
        if shot is not None and request.include_screenshot:
            response.screenshot.CopyFrom(await _image(shot))
        if shot is not None and request.include_annotated:
            response.annotated.CopyFrom(await annotated_image(shot, kept.listed, budget))
        return response

    async def CaptureScreenshot(  # noqa: N802
        self, request: pb.CaptureScreenshotRequest, context: Any
    ) -> pb.CaptureScreenshotResponse:
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        if request.annotated:
            return await self._annotated(session, request, budget)
        if request.HasField("options"):
            raise BadInputError("options are for annotated screenshots: set `annotated` too", field="options")
        async with session.use_tab(request.tab_id, budget) as tab:
            place = await tab.looker.place(budget)
            quality, full_page = _jpeg_quality(request), None
            if request.full_page:
                full_page = _full_page(place.scroll.page_width, place.scroll.page_height, place.viewport.scale)
            data = await masked_file(
                tab.link, budget, reveal=request.reveal_sensitive, quality=quality, full_page=full_page
            )
        return pb.CaptureScreenshotResponse(
            image=_file(data, "jpeg" if quality else "png", place.viewport.scale),
            viewport=viewport_message(place.viewport),
            scroll=scroll_message(place.scroll),
        )

    async def _annotated(
        self, session: Session, request: pb.CaptureScreenshotRequest, budget: Budget
    ) -> pb.CaptureScreenshotResponse:
        if request.full_page or request.format == pb.IMAGE_FORMAT_JPEG:
            raise BadInputError(
                "annotated screenshots are PNGs of the viewport: leave full_page and format out", field="annotated"
            )
        options = request.options
        if not request.HasField("options"):
            options = pb.SnapshotOptions(view=pb.VIEW_INTERACTIVE)
        if request.reveal_sensitive and not options.reveal_sensitive:
            options = pb.SnapshotOptions.FromString(options.SerializeToString())
            options.reveal_sensitive = True
        async with session.use_tab(request.tab_id, budget) as tab:
            kept = await self._look(session, tab, self._wish(options, with_pixels=True), budget)
        snapshot = kept.snapshot
        assert snapshot.screenshot is not None
        return pb.CaptureScreenshotResponse(
            image=await annotated_image(snapshot.screenshot, kept.listed, budget),
            viewport=viewport_message(snapshot.viewport),
            scroll=scroll_message(snapshot.scroll),
            snapshot_id=snapshot.snapshot_id,
        )

    def _wish(self, options: pb.SnapshotOptions, with_pixels: bool) -> Wish:
        """Raises for what this version does not serve, and for detectors there are not."""
        if options.HasField("root") or options.include_selectors:
            raise NotImplementedYetError("root and include_selectors are not served by this version: leave them out")
        check_budget(options.max_tokens)
        mode = known(MODES, options.mode, "options.mode")
        names: tuple[str, ...] = ()
        if mode is not Mode.TEXT:
            names = detector_names(self._rooms, options.detectors)
        return Wish(
            mode=mode,
            engine=known(ENGINES, options.engine, "options.engine"),
            scope=known(SCOPES, options.scope, "options.scope"),
            view=known(VIEWS, options.view, "options.view"),
            style=known(STYLES, options.style, "options.style"),
            max_tokens=options.max_tokens,
            detectors=names,
            with_pixels=with_pixels,
            reveal=options.reveal_sensitive,
            settle_s=_settle_seconds(options),
        )

    async def _look(self, session: Session, tab: Tab, wish: Wish, budget: Budget) -> KeptSnapshot:
        snapshot = await look(
            tab, session.refs, wish, self._rooms.pool, session.cache, session.next_snapshot_id(), budget
        )
        presented = present(
            snapshot.elements,
            view=wish.view,
            style=wish.style,
            max_tokens=wish.max_tokens,
            name_regions=partial(session.refs.assign_regions, tab.tab_id),
        )
        kept = KeptSnapshot(snapshot, tab.tab_id, presented.listed, presented.text)
        session.keep(kept)
        return kept


def _settle_seconds(options: pb.SnapshotOptions) -> float:
    seconds = options.settle_timeout.ToTimedelta().total_seconds()
    if seconds < 0:
        raise BadInputError("settle_timeout is negative: leave it out to look at once", field="options.settle_timeout")
    return float(seconds)


def detector_names(rooms: Rooms, asked: Iterable[str]) -> tuple[str, ...]:
    """The detectors to use. Raises UnknownDetectorError or DetectorMissingError for one that was asked for."""
    names = tuple(dict.fromkeys(asked))
    for name in names:
        rooms.registry.get(name)
    return names or rooms.settings.detectors or rooms.registry.defaults()


async def annotated_image(shot: Screenshot, elements: Iterable[Element], budget: Budget) -> types_pb2.Image:
    async with budget.phase("drawing the annotated image"):
        drawn = await asyncio.to_thread(annotate, shot, tuple(elements))
        return await _image(Screenshot(drawn, shot.scale))


async def _image(shot: Screenshot) -> types_pb2.Image:
    data = await asyncio.to_thread(encode_png, shot.pixels)
    height, width = shot.pixels.shape[:2]
    return types_pb2.Image(data=data, mime_type="image/png", width=width, height=height, scale=shot.scale)


def serve_page(
    snapshot: Snapshot, listed: tuple[Element, ...], pages: PagedText, tab_id: str, page: int
) -> types_pb2.Snapshot:
    """One page of a snapshot: its text within the budget, and the elements that are on it."""
    stages = Stages()
    with stages.stage("render"):
        text = pages.page(page)
    message = snapshot_message(snapshot, tab_id)
    message.text = text.text
    message.token_count = text.token_count
    message.omitted_count = text.rest
    message.elements.extend(element_messages(listed, text.shown))
    message.timings.add(stage="render", milliseconds=round(stages.timings_ms["render"], 3))
    if text.rest:
        message.next_cursor = f"{snapshot.snapshot_id}.{page + 1}"
    return message


def _serve(kept: KeptSnapshot, page: int) -> types_pb2.Snapshot:
    return serve_page(kept.snapshot, kept.listed, kept.text, kept.tab_id, page)


def _continue(session: Session, cursor: str) -> types_pb2.Snapshot:
    snapshot_id, _, page = cursor.partition(".")
    if not page.isdecimal() or len(page) > 6:
        raise BadInputError(f"{cursor[:40]!r} is no cursor: use the next_cursor of a snapshot", field="cursor")
    return _serve(session.snapshot(snapshot_id), int(page))


def _jpeg_quality(request: pb.CaptureScreenshotRequest) -> int:
    """0 for a PNG."""
    if request.format != pb.IMAGE_FORMAT_JPEG:
        return 0
    if not 0 <= request.quality <= 100:
        raise BadInputError(f"quality {request.quality} is not in 1 to 100", field="quality")
    return request.quality or 80


def _full_page(width: float, height: float, scale: float) -> Box:
    if width * height * scale * scale > MAX_PAGE_AREA:
        raise BadInputError(
            f"the page is {width:.0f} x {height:.0f} CSS px, too large for one picture: scroll and take several",
            field="full_page",
        )
    return Box(0, 0, width, height)


def _file(data: bytes, kind: str, scale: float) -> types_pb2.Image:
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    height, width = (0, 0) if pixels is None else pixels.shape[:2]
    return types_pb2.Image(data=data, mime_type=f"image/{kind}", width=width, height=height, scale=scale)
