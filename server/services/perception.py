"""PerceptionService: snapshots and screenshots."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from perception.browser.capture.redaction import masked_file
from perception.browser.input.aiming import Targets
from perception.deadline import Deadline
from perception.engine.changes import describe_changes
from perception.engine.explain import explain, find_subject, trace_look
from perception.engine.hits import hit_order
from perception.engine.ocr_redaction import redact_file, redact_screenshot
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotRequest
from perception.engine.snapshot import take_snapshot
from perception.errors import BadInputError, UnknownCursorError
from perception.geometry import Box
from perception.imaging.codec import image_size
from perception.search.find import find_elements
from perception.server.convert.elements import diff_message, element_messages
from perception.server.convert.explanations import explained_target, explanation_message
from perception.server.convert.message_fields import seconds_of
from perception.server.convert.snapshots import (
    annotated_options,
    decode_cursor,
    find_point,
    find_question,
    jpeg_quality,
    scroll_message,
    viewport_message,
)
from perception.server.services.service_context import ServiceContext
from perception.server.services.snapshot_captures import SnapshotCaptures
from perception.server.services.snapshot_pages import annotated_image
from perception.server.sessions.kept_snapshots import Purpose
from perception.server.sessions.session import Session, TabUse
from perception.server.sessions.snapshot_taking import engine_context, take_kept_snapshot
from perception.server.sessions.watch import DEFAULT_INTERVAL_S, MIN_INTERVAL_S, Watch, watch
from perception.types import Scope, View
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import types_pb2
from perception.v1.perception_service_pb2_grpc import PerceptionServiceServicer

MAX_PAGE_AREA = 50_000_000
"""Device pixels of a full-page screenshot; the same limit as for images that are sent to us."""


class PerceptionRpcs(PerceptionServiceServicer):
    """See perception_service.proto."""

    def __init__(self, service: ServiceContext) -> None:
        self._service = service
        self._captures = SnapshotCaptures(service)

    async def CaptureSnapshot(self, request: pb.CaptureSnapshotRequest, context: Any) -> pb.CaptureSnapshotResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        if request.cursor:
            return pb.CaptureSnapshotResponse(snapshot=self._continue(session, request))
        plan = self._captures.plan(session, request)
        async with session.use_tab(request.tab_id, deadline, TabUse.LOOK) as tab:
            taken = await self._captures.take(session, tab, plan, deadline)
        return await self._captures.write(session, plan, taken, deadline)

    async def WatchSnapshots(  # noqa: N802
        self, request: pb.WatchSnapshotsRequest, context: Any
    ) -> AsyncIterator[pb.WatchSnapshotsResponse]:
        session = self._service.sessions.get(request.session_id)
        tab_id = session.browser.tab(request.tab_id).tab_id
        interval_s = max(MIN_INTERVAL_S, seconds_of(request, "min_interval", DEFAULT_INTERVAL_S))
        options = self._captures.options(session, request.options)
        remaining_s = context.time_remaining()
        whole = None if remaining_s is None else Deadline.of(remaining_s)

        async def look(is_first: bool) -> PresentedSnapshot:
            if not is_first:
                await session.control.wait_for_agents_turn()
            # Later looks come as the page changes: none of them holds the tab until it settles.
            now = options if is_first else replace(options, settle_s=0.0)
            deadline = self._service.deadline(context)
            async with (
                session.control.agents_call("WatchSnapshots", deadline),
                session.use_tab(tab_id, deadline, TabUse.WATCH) as tab,
            ):
                engine = engine_context(session, tab, self._service.pool)
                return await take_snapshot(engine, SnapshotRequest(now), deadline)

        watched = Watch(session, tab_id, look, interval_s, self._service.sessions.closing, whole)
        async with aclosing(watch(watched)) as snapshots:
            async for each in snapshots:
                message = self._service.pages.write(each.presented, 0, session.fence)
                if each.before is not None and each.diff is not None:
                    changes = describe_changes(each.before, each.presented, each.diff)
                    message.diff.CopyFrom(diff_message(changes, session.fence))
                yield pb.WatchSnapshotsResponse(snapshot=message)

    async def FindElements(self, request: pb.FindElementsRequest, context: Any) -> pb.FindElementsResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        question, point = find_question(request), find_point(request)
        options = self._captures.options(session, request.options, scope=Scope.PAGE, view=View.FULL)
        async with session.use_tab(request.tab_id, deadline, TabUse.LOOK) as tab:
            if point is not None:
                await Targets(tab.link).aim_at_point(point, deadline)
            taken = await take_kept_snapshot(session, tab, self._service.pool, options, deadline, Purpose.AID)
            here = await hit_order(tab, taken.listed, point, deadline) if point is not None else None
        snapshot = taken.snapshot
        matches = await asyncio.to_thread(
            find_elements, taken.listed, question, snapshot.viewport, snapshot.scroll, here
        )
        messages = element_messages(taken.listed, [match.index for match in matches])
        return pb.FindElementsResponse(
            matches=[
                pb.ElementMatch(element=message, score=match.score, reason=match.reason)
                for match, message in zip(matches, messages, strict=True)
            ],
            snapshot_id=snapshot.snapshot_id,
        )

    async def ExplainElement(self, request: pb.ExplainElementRequest, context: Any) -> pb.ExplainElementResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        target = explained_target(request, session.shown.snapshots)
        options = self._captures.options(session, request.options)
        async with session.use_tab(request.tab_id, deadline) as tab:
            trace = await trace_look(engine_context(session, tab, self._service.pool), options, deadline)
            subject = await find_subject(tab, session.shown.refs, target, deadline)
        return explanation_message(await asyncio.to_thread(explain, trace, subject))

    async def CaptureScreenshot(  # noqa: N802
        self, request: pb.CaptureScreenshotRequest, context: Any
    ) -> pb.CaptureScreenshotResponse:
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        if request.annotated:
            return await self._annotated(session, request, deadline)
        if request.HasField("options"):
            raise BadInputError("options are for annotated screenshots: set `annotated` too", field="options")
        async with session.use_tab(request.tab_id, deadline) as tab:
            place = await tab.capturer.place(deadline)
            quality, full_page = jpeg_quality(request), None
            if request.full_page:
                full_page = _full_page(place.scroll.page_width, place.scroll.page_height, place.viewport.scale)
            data = await masked_file(
                tab.link, deadline, reveal=request.reveal_sensitive, quality=quality, full_page=full_page
            )
        width_css = full_page.width if full_page is not None else place.viewport.width
        scale = image_size(data)[0] / max(width_css, 1)
        data = await self._redacted(session, data, scale, quality, deadline)
        return pb.CaptureScreenshotResponse(
            image=_file(data, "jpeg" if quality else "png", scale),
            viewport=viewport_message(place.viewport),
            scroll=scroll_message(place.scroll),
            page_visible=place.page_visible,
        )

    async def _annotated(
        self, session: Session, request: pb.CaptureScreenshotRequest, deadline: Deadline
    ) -> pb.CaptureScreenshotResponse:
        if request.full_page or request.format == pb.IMAGE_FORMAT_JPEG:
            raise BadInputError(
                "annotated screenshots are PNGs of the viewport: leave full_page and format out", field="annotated"
            )
        options = self._captures.options(session, annotated_options(request), with_pixels=True)
        async with session.use_tab(request.tab_id, deadline, TabUse.LOOK) as tab:
            taken = await take_kept_snapshot(session, tab, self._service.pool, options, deadline, Purpose.AID)
        snapshot = taken.snapshot
        shot = redact_screenshot(snapshot, session.masker)
        assert shot is not None
        return pb.CaptureScreenshotResponse(
            image=await annotated_image(shot, taken.listed, deadline),
            viewport=viewport_message(snapshot.viewport),
            scroll=scroll_message(snapshot.scroll),
            snapshot_id=snapshot.snapshot_id,
            page_visible=snapshot.page_visible,
        )

    def _continue(self, session: Session, request: pb.CaptureSnapshotRequest) -> types_pb2.Snapshot:
        """A later page of a snapshot that was taken before."""
        if request.since_snapshot_id:
            raise BadInputError(
                "a cursor continues an earlier snapshot, which has no diff: leave since_snapshot_id out",
                field="since_snapshot_id",
            )
        snapshot_id, page = decode_cursor(request.cursor)
        kept = session.shown.snapshots.get(snapshot_id)
        if page and not kept.text.page(page).text:
            raise UnknownCursorError(
                f"{snapshot_id} ends before the cursor {request.cursor!r}: use the next_cursor of an answer"
            )
        return self._service.pages.write(kept, page, session.fence)

    async def _redacted(self, session: Session, data: bytes, scale: float, quality: int, deadline: Deadline) -> bytes:
        """An image file without the secrets that vision reads: it is read only where the session typed a secret."""
        masker = session.masker
        if masker is None or not session.typed_secret:
            return data
        return await redact_file(data, scale, quality, masker, self._service.registry, self._service.pool, deadline)


def _full_page(width: float, height: float, scale: float) -> Box:
    if width * height * scale * scale > MAX_PAGE_AREA:
        raise BadInputError(
            f"the page is {width:.0f} x {height:.0f} CSS px, too large for one picture: scroll and take several",
            field="full_page",
        )
    return Box(0, 0, width, height)


def _file(data: bytes, kind: str, scale: float) -> types_pb2.Image:
    width, height = image_size(data)
    return types_pb2.Image(data=data, mime_type=f"image/{kind}", width=width, height=height, scale=scale)
