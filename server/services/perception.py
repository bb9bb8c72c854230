"""PerceptionService: snapshots and screenshots."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from google.protobuf.text_format import MessageToString

from perception.browser.veiled import masked_file
from perception.budget import Budget
from perception.diff import diff_elements
from perception.errors import BadInputError, UnknownCursorError
from perception.find import find_elements
from perception.geometry import Box
from perception.images import encode_png
from perception.pipeline import Wish
from perception.render.annotate import annotate
from perception.render.budget import MIN_TOKENS, check_budget
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
    seconds_of,
    snapshot_message,
    viewport_message,
)
from perception.server.finding import check_point, places_of, question
from perception.server.looking import serve_diff, take, take_kept
from perception.server.services.base import Rooms
from perception.server.sessions import KeptSnapshot, Session
from perception.server.unread import file_without_read, without_read
from perception.server.watch import DEFAULT_INTERVAL_S, MIN_INTERVAL_S, Watch, watch
from perception.stages import Stages
from perception.types import Element, Mode, Scope, Screenshot, Snapshot
from perception.untrusted import Fence, room_within
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
        if request.cursor:
            if request.since_snapshot_id:
                raise BadInputError(
                    "a cursor continues an earlier snapshot, which has no diff: leave since_snapshot_id out",
                    field="since_snapshot_id",
                )
            return pb.CaptureSnapshotResponse(snapshot=_continue(session, request.cursor))
        with_pixels = request.include_screenshot or request.include_annotated
        wish = self._wish(request.options, with_pixels=with_pixels)
        before = session.snapshot(request.since_snapshot_id) if request.since_snapshot_id else None
        async with session.use_tab(request.tab_id, budget) as tab:
            if before is not None:
                require_comparable(before, tab.tab_id, wish)
            kept = await take_kept(self._rooms.pool, session, tab, wish, _root(request.options), budget)
        response = pb.CaptureSnapshotResponse(snapshot=_serve(session, kept, 0))
        if before is not None:
            diff = diff_elements(before.listed, kept.listed)
            response.snapshot.diff.CopyFrom(serve_diff(session, before, kept, diff))
        shot = without_read(kept.snapshot, session)
        if shot is not None and request.include_screenshot:
            response.screenshot.CopyFrom(await _image(shot))
        if shot is not None and request.include_annotated:
            response.annotated.CopyFrom(await annotated_image(shot, kept.listed, budget))
        return response

    async def WatchSnapshots(  # noqa: N802
        self, request: pb.WatchSnapshotsRequest, context: Any
    ) -> AsyncIterator[pb.WatchSnapshotsResponse]:
        session = self._rooms.sessions.get(request.session_id)
        tab_id = session.browser.tab(request.tab_id).tab_id
        interval_s = max(MIN_INTERVAL_S, seconds_of(request, "min_interval", DEFAULT_INTERVAL_S))
        wish = self._wish(request.options)
        remaining = context.time_remaining()
        whole = None if remaining is None else Budget.of(remaining)

        async def look_once(is_first: bool) -> KeptSnapshot:
            # Later looks come as the page changes: none of them holds the tab until it comes to rest.
            now = wish if is_first else replace(wish, settle_s=0.0)
            budget = self._rooms.budget(context)
            async with session.use_tab(tab_id, budget) as tab:
                return await take(self._rooms.pool, session, tab, now, _root(request.options), budget, snapshot_id="")

        asked = Watch(session, tab_id, look_once, interval_s, self._rooms.sessions.closing, whole)
        async with aclosing(watch(asked)) as changes:
            async for seen in changes:
                message = _serve(session, seen.kept, 0)
                if seen.before is not None and seen.diff is not None:
                    message.diff.CopyFrom(serve_diff(session, seen.before, seen.kept, seen.diff))
                yield pb.WatchSnapshotsResponse(snapshot=message)

    async def FindElements(self, request: pb.FindElementsRequest, context: Any) -> pb.FindElementsResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        asked = question(request)
        wish = self._wish(request.options, scope=Scope.PAGE)
        async with session.use_tab(request.tab_id, budget) as tab:
            point = await check_point(tab, request, budget)
            kept = await take_kept(self._rooms.pool, session, tab, wish, _root(request.options), budget)
            here = await places_of(tab, kept.listed, point, budget) if point is not None else None
        snapshot = kept.snapshot
        matches = await asyncio.to_thread(find_elements, kept.listed, asked, snapshot.viewport, snapshot.scroll, here)
        messages = element_messages(kept.listed)
        return pb.FindElementsResponse(
            matches=[
                pb.ElementMatch(element=messages[match.index], score=match.score, reason=match.reason)
                for match in matches
            ],
            snapshot_id=snapshot.snapshot_id,
        )

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
        data = await file_without_read(data, place.viewport.scale, quality, session, self._rooms, budget)
        return pb.CaptureScreenshotResponse(
            image=_file(data, "jpeg" if quality else "png", place.viewport.scale),
            viewport=viewport_message(place.viewport),
            scroll=scroll_message(place.scroll),
            page_visible=place.page_visible,
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
            kept = await take_kept(
                self._rooms.pool, session, tab, self._wish(options, with_pixels=True), _root(options), budget
            )
        snapshot = kept.snapshot
        shot = without_read(snapshot, session)
        assert shot is not None
        return pb.CaptureScreenshotResponse(
            image=await annotated_image(shot, kept.listed, budget),
            viewport=viewport_message(snapshot.viewport),
            scroll=scroll_message(snapshot.scroll),
            snapshot_id=snapshot.snapshot_id,
            page_visible=snapshot.page_visible,
        )

    def _wish(self, options: pb.SnapshotOptions, *, with_pixels: bool = False, scope: Scope = Scope.VIEWPORT) -> Wish:
        """What the options ask for; `scope` where they name none. A root, too, is listed as a whole then.

        Raises for what this version does not serve, and for detectors there are not.
        """
        room = room_within(options.max_tokens, MIN_TOKENS, field="options.max_tokens")
        check_budget(room)
        mode = known(MODES, options.mode, "options.mode")
        names: tuple[str, ...] = ()
        if mode is not Mode.TEXT:
            names = detector_names(self._rooms, options.detectors)
        if options.scope != pb.SCOPE_UNSPECIFIED:
            scope = known(SCOPES, options.scope, "options.scope")
        elif options.HasField("root"):
            scope = Scope.PAGE
        return Wish(
            mode=mode,
            engine=known(ENGINES, options.engine, "options.engine"),
            scope=scope,
            view=known(VIEWS, options.view, "options.view"),
            style=known(STYLES, options.style, "options.style"),
            max_tokens=room,
            detectors=names,
            with_pixels=with_pixels,
            reveal=options.reveal_sensitive,
            settle_s=seconds_of(options, "settle_timeout", within="options."),
            selectors=options.include_selectors,
            root=(MessageToString(options.root, as_one_line=True) or "nothing") if options.HasField("root") else "",
        )


def _root(options: pb.SnapshotOptions) -> types_pb2.Target | None:
    return options.root if options.HasField("root") else None


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
    snapshot: Snapshot, listed: tuple[Element, ...], pages: PagedText, tab_id: str, page: int, fence: Fence
) -> types_pb2.Snapshot:
    """One page of a snapshot: its text within the budget, marked by the fence, and the elements that are on it."""
    stages = Stages()
    with stages.stage("render"):
        text = pages.page(page)
    message = snapshot_message(snapshot, tab_id)
    message.text, message.token_count = fence.around_counted(text.text, text.token_count)
    message.omitted_count = text.rest
    message.elements.extend(element_messages(listed, text.shown))
    message.timings.add(stage="render", milliseconds=round(stages.timings_ms["render"], 3))
    if text.rest:
        message.next_cursor = f"{snapshot.snapshot_id}.{page + 1}"
    return message


def _serve(session: Session, kept: KeptSnapshot, page: int) -> types_pb2.Snapshot:
    if page:
        return serve_page(kept.snapshot, kept.listed, kept.text, kept.tab_id, page, session.fence)
    if kept.first is None:
        kept.first = serve_page(kept.snapshot, kept.listed, kept.text, kept.tab_id, 0, session.fence)
    head = snapshot_message(kept.snapshot, kept.tab_id)
    message = types_pb2.Snapshot()
    message.CopyFrom(kept.first)
    if message.snapshot_id != head.snapshot_id:  # the same page, looked at again
        for field in ("timings", "skipped"):
            message.ClearField(field)
        message.MergeFrom(head)
        message.next_cursor = f"{head.snapshot_id}.1" if message.omitted_count else ""
    return message


def require_comparable(before: KeptSnapshot, tab_id: str, wish: Wish) -> None:
    """Raises BadInputError where two lists differ by what was asked for, and not only by what happened."""
    asked = {"tab": tab_id, **_lens(wish)}
    for name, value in {"tab": before.tab_id, **_lens(before.wish)}.items():
        if asked[name] != value:
            raise BadInputError(
                f"{before.snapshot.snapshot_id} was taken with {name} {value or 'none'}, this one is asked for with "
                f"{asked[name] or 'none'}: ask with the same, or take a snapshot without since_snapshot_id",
                field="since_snapshot_id",
            )


def _lens(wish: Wish) -> dict[str, str]:
    """What decides which elements are in a list, and whether their values are masked: a diff would tell what one of
    two snapshots hides. Style and max_tokens only decide how it is written."""
    named = {"mode": wish.mode, "engine": wish.engine, "scope": wish.scope, "view": wish.view}
    reveal = "reveal_sensitive" if wish.reveal else ""
    return {"root": wish.root, "masking": reveal, **{name: value.value for name, value in named.items()}}


def _continue(session: Session, cursor: str) -> types_pb2.Snapshot:
    snapshot_id, _, page = cursor.partition(".")
    if not page.isdecimal() or len(page) > 6:
        raise BadInputError(f"{cursor[:40]!r} is no cursor: use the next_cursor of a snapshot", field="cursor")
    kept = session.snapshot(snapshot_id)
    if int(page) and not kept.text.page(int(page)).text:
        raise UnknownCursorError(f"{snapshot_id} ends before the cursor {cursor!r}: use the next_cursor of an answer")
    return _serve(session, kept, int(page))


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
