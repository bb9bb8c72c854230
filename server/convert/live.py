"""Messages of LiveService."""

from __future__ import annotations

from perception.browser.live.picture import LiveFrame, Picture, Wish
from perception.errors import BadInputError
from perception.server.convert.message_fields import duration_message, require_within, timestamp_message
from perception.server.convert.snapshots import scroll_message, viewport_message
from perception.server.live.call_log import LoggedCall
from perception.v1 import live_service_pb2 as pb
from perception.v1 import types_pb2

SIDES = (16, 4096)
"""Shortest and longest side of what a picture may be asked to fit in, px."""

RATES = (0.1, 30.0)
"""Pictures in a second. Screens show 60; more than 30 cost more than a person sees."""

ASPECT = 1.6
"""Width by height of the default size, 1280 × 800."""


def wish_of(request: pb.WatchFramesRequest, before: Wish) -> Wish:
    """What a message asks for; what it leaves out is as before. Raises BadInputError."""
    width, height = _side(request.max_width, "max_width"), _side(request.max_height, "max_height")
    if width or height:
        size = width or round(height * ASPECT), height or round(width / ASPECT)
    else:
        size = before.max_width, before.max_height
    require_within(request.quality, 0, 100, "quality")
    rate = request.max_fps
    if rate and not RATES[0] <= rate <= RATES[1]:
        raise BadInputError(
            f"max_fps is {rate:g}: give {RATES[0]:g} to {RATES[1]:g} pictures in a second, or 0 for 15", field="max_fps"
        )
    return Wish(*size, request.quality or before.quality, rate or before.max_fps, before.reveals)


def _side(given: int, field: str) -> int:
    if given and not SIDES[0] <= given <= SIDES[1]:
        raise BadInputError(f"{field} is {given}: give {SIDES[0]} to {SIDES[1]} px, or 0", field=field)
    return given


def frame_message(number: int, frame: LiveFrame, picture: Picture | None, tab_id: str) -> pb.WatchFramesResponse:
    """A picture, or why there is none."""
    message = pb.WatchFramesResponse(
        number=number, tab_id=tab_id, time=timestamp_message(frame.time_s), note=frame.note
    )
    if picture is not None:
        message.jpeg, message.width, message.height = picture.jpeg, picture.width, picture.height
    if frame.place is not None:
        message.url, message.title = frame.place.url, frame.place.title
        message.viewport.CopyFrom(viewport_message(frame.place.viewport))
        message.scroll.CopyFrom(scroll_message(frame.place.scroll))
    return message


def call_message(call: LoggedCall, *, has_snapshot: bool) -> pb.Call:
    """A call of the list."""
    return pb.Call(
        number=call.number,
        rpc=call.rpc,
        what=call.what,
        start_time=timestamp_message(call.start_s),
        duration=duration_message(call.duration_s) if call.duration_s is not None else None,
        tab_id=call.tab_id,
        url=call.url,
        code=call.code,
        reason=call.reason,
        message=call.message,
        snapshot_id=call.snapshot_id,
        has_snapshot=has_snapshot,
        has_pictures=call.before is not None or call.after is not None,
        by_person=call.by_person,
    )


def image_message(picture: Picture | None) -> types_pb2.Image | None:
    """A small picture; None for none."""
    if picture is None:
        return None
    return types_pb2.Image(
        data=picture.jpeg, mime_type="image/jpeg", width=picture.width, height=picture.height, scale=picture.scale
    )
