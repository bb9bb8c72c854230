"""Pages of a snapshot as messages, and pictures of one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from perception.deadline import Deadline
from perception.engine.last_look import LastLook
from perception.engine.presented import PresentedSnapshot
from perception.imaging.codec import encode_png
from perception.instrumentation.stages import Stages
from perception.render.annotate import annotate
from perception.render.text import PagedText
from perception.render.untrusted import Fence
from perception.server.convert.elements import encode_elements
from perception.server.convert.snapshots import snapshot_message
from perception.snapshot import Snapshot
from perception.types import Element, Screenshot
from perception.v1 import types_pb2


class SnapshotPages:
    """Writes pages of snapshots. A first page is kept for as long as its snapshot is: an unchanged page is served from
    it."""

    def __init__(self) -> None:
        self._first: WeakKeyDictionary[PagedText, types_pb2.Snapshot] = WeakKeyDictionary()

    def write(self, presented: PresentedSnapshot, page: int, fence: Fence) -> types_pb2.Snapshot:
        """A page of a snapshot, from 0."""
        asked = (presented.snapshot, presented.listed, presented.text, presented.tab_id, page, fence)
        if page:
            return write_page(*asked, presented.last_look)
        first = self._first.get(presented.text)
        if first is None:
            first = write_page(*asked, presented.last_look)
            self._first[presented.text] = first
        message = types_pb2.Snapshot()
        message.CopyFrom(first)
        if message.snapshot_id != presented.snapshot.snapshot_id:  # the same page, looked at again
            for field in ("timings", "skipped", "settle"):
                message.ClearField(field)
            message.MergeFrom(snapshot_message(presented.snapshot, presented.tab_id))
            message.next_cursor = f"{message.snapshot_id}.1" if message.omitted_count else ""
        return message


def write_page(
    snapshot: Snapshot,
    listed: tuple[Element, ...],
    pages: PagedText,
    tab_id: str,
    page: int,
    fence: Fence,
    last_look: LastLook | None = None,
) -> types_pb2.Snapshot:
    """One page of a snapshot: its text within the token budget, marked by the fence, and the elements on it."""
    stages = Stages()
    with stages.stage("render"):
        text = pages.page(page)
    message = snapshot_message(snapshot, tab_id)
    message.text, message.token_count = fence.around_counted(text.text, text.token_count)
    message.omitted_count = text.rest
    message.MergeFromString(encode_elements(listed, text.shown, last_look.encoded if last_look is not None else {}))
    message.timings.add(stage="render", milliseconds=round(stages.timings_ms["render"], 3))
    if text.rest:
        message.next_cursor = f"{snapshot.snapshot_id}.{page + 1}"
    return message


async def annotated_image(shot: Screenshot, elements: Iterable[Element], deadline: Deadline) -> types_pb2.Image:
    """The screenshot with the elements' boxes drawn on it, as a PNG."""
    async with deadline.phase("drawing the annotated image"):
        drawn = await asyncio.to_thread(annotate, shot, tuple(elements))
        return await png_image(Screenshot(drawn, shot.scale))


async def png_image(shot: Screenshot) -> types_pb2.Image:
    data = await asyncio.to_thread(encode_png, shot.pixels)
    height, width = shot.pixels.shape[:2]
    return types_pb2.Image(data=data, mime_type="image/png", width=width, height=height, scale=shot.scale)
