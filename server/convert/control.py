"""Control: who has it, and the input of the person who has."""

from __future__ import annotations

import math

from perception.browser.input.direct_input import (
    Finger,
    InputEvent,
    MouseEvent,
    PasteEvent,
    Press,
    TextEvent,
    TouchEvent,
    WheelEvent,
    require_text,
)
from perception.browser.input.key_events import ALT, CONTROL, META, SHIFT, KeyEvent
from perception.errors import BadInputError
from perception.geometry import Point
from perception.server.control.session_control import SessionControl
from perception.server.control.turn import LEASE_SECONDS, MAX_HOLDER, MAX_LEASE_SECONDS, MAX_NOTE, TurnEnd
from perception.server.convert.enums import decode_enum, enum_members, enum_numbers, enum_words
from perception.server.convert.message_fields import require_within, seconds_of, timestamp_message
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import control_service_pb2 as pb

MAX_COORDINATE = 100_000.0
"""CSS px: a pointer may leave the viewport with a button down, but not the solar system."""

MAX_PASTE, MAX_TEXT = 100_000, 10_000

MAX_FINGERS = 10

MAX_CLICKS = 3

_PRESSES = enum_members(pb.MouseInput.Kind, Press)
_FINGERS = enum_members(pb.TouchInput.Kind, Finger)
_KEYS = {pb.KeyInput.KIND_DOWN: True, pb.KeyInput.KIND_UP: False}
_BUTTONS = {action_pb.MOUSE_BUTTON_UNSPECIFIED: "left"} | enum_words(action_pb.MouseButton)
_MODIFIERS = {
    action_pb.MODIFIER_ALT: ALT,
    action_pb.MODIFIER_CONTROL: CONTROL,
    action_pb.MODIFIER_META: META,
    action_pb.MODIFIER_SHIFT: SHIFT,
}
_OUTCOMES = {pb.RELEASE_OUTCOME_UNSPECIFIED: TurnEnd.DONE} | enum_members(pb.ReleaseOutcome, TurnEnd)
_SHOWN_OUTCOMES = enum_numbers(pb.ReleaseOutcome, TurnEnd) | {TurnEnd.EXPIRED: pb.RELEASE_OUTCOME_CANCELLED}


def control_message(control: SessionControl) -> pb.Control:
    """Who has control now."""
    message = pb.Control(state=pb.CONTROL_STATE_FREE, waiting_calls=control.waiting)
    if (request := control.request) is not None:
        message.state, message.reason = pb.CONTROL_STATE_REQUESTED, request.reason
        message.request_tab_id = request.tab_id
        message.request_expire_time.CopyFrom(timestamp_message(request.expires_s))
    if control.taking:
        message.state, message.holder = pb.CONTROL_STATE_TAKING, control.taking
        message.calls_under_way.extend(control.calls_under_way)
    elif (turn := control.turn) is not None:
        message.state, message.holder = pb.CONTROL_STATE_HELD, turn.holder
        message.expire_time.CopyFrom(timestamp_message(turn.expires_s))
    return message


def outcome_of(end: TurnEnd) -> pb.ReleaseOutcome:
    return _SHOWN_OUTCOMES[end]


def decode_outcome(outcome: pb.ReleaseOutcome) -> TurnEnd:
    """Raises BadInputError for one that this version does not know."""
    return decode_enum(_OUTCOMES, outcome, "outcome")


def lease_seconds(request: pb.TakeControlRequest | pb.RenewControlRequest) -> float:
    """Raises BadInputError for a lease of nothing, or a longer one than there is."""
    seconds = seconds_of(request, "lease", LEASE_SECONDS)
    if not 0 < seconds <= MAX_LEASE_SECONDS:
        raise BadInputError(
            f"lease is {seconds:g} s: give more than 0, up to {MAX_LEASE_SECONDS:g} s, and renew it in time",
            field="lease",
        )
    return seconds


def holder_of(given: str, principal: str) -> str:
    """The name to show. Raises BadInputError for one that is too long."""
    if len(given) > MAX_HOLDER:
        raise BadInputError(f"holder has {len(given)} characters: give at most {MAX_HOLDER}", field="holder")
    return given or principal or "somebody"


def person_text(given: str, field: str) -> str:
    """A note or a reason. Raises BadInputError for one that is too long."""
    if len(given) > MAX_NOTE:
        raise BadInputError(f"{field} has {len(given)} characters: give at most {MAX_NOTE}", field=field)
    return given


def decode_input(request: pb.SendInputRequest) -> InputEvent | None:
    """The event of a request; None where it has none, which only asks for an acknowledgement.

    Raises:
        BadInputError: it is not an event. What was typed is not in the message.
    """
    match request.WhichOneof("event"):
        case "mouse":
            return _mouse(request.mouse)
        case "key":
            key = request.key
            is_down = decode_enum(_KEYS, key.kind, "key.kind")
            return KeyEvent(is_down, key.key, key.code[:MAX_HOLDER], _bits(key.modifiers, "key"), key.repeat)
        case "wheel":
            wheel = request.wheel
            deltas = Point(_finite(wheel.delta_x, "wheel.delta_x"), _finite(wheel.delta_y, "wheel.delta_y"))
            point = _point(wheel.x, wheel.y, "wheel")
            return WheelEvent(point, deltas.x, deltas.y, _bits(wheel.modifiers, "wheel"))
        case "touch":
            return _touch(request.touch)
        case "paste":
            return PasteEvent(require_text(request.paste.text, MAX_PASTE, "paste.text"))
        case "text":
            return TextEvent(require_text(request.text.text, MAX_TEXT, "text.text"))
    return None


def _mouse(mouse: pb.MouseInput) -> MouseEvent:
    require_within(mouse.click_count, 0, MAX_CLICKS, "mouse.click_count")
    return MouseEvent(
        decode_enum(_PRESSES, mouse.kind, "mouse.kind"),
        _point(mouse.x, mouse.y, "mouse"),
        decode_enum(_BUTTONS, mouse.button, "mouse.button"),
        mouse.click_count or 1,
        _bits(mouse.modifiers, "mouse"),
    )


def _touch(touch: pb.TouchInput) -> TouchEvent:
    finger, ids = decode_enum(_FINGERS, touch.kind, "touch.kind"), {each.id for each in touch.points}
    if len(touch.points) > MAX_FINGERS or len(ids) < len(touch.points) or not ids <= set(range(MAX_FINGERS)):
        raise BadInputError(
            f"touch.points has {len(touch.points)} fingers: give each its own id from 0 to {MAX_FINGERS - 1}",
            field="touch.points",
        )
    if finger in (Finger.START, Finger.MOVE) and not ids:
        raise BadInputError("touch.points is empty: name all fingers that are on the screen", field="touch.points")
    if finger is Finger.CANCEL and ids:
        raise BadInputError("touch.points of CANCEL has fingers: leave them out, it lifts all", field="touch.points")
    return TouchEvent(finger, tuple((each.id, _point(each.x, each.y, "touch.points")) for each in touch.points))


def _point(x: float, y: float, field: str) -> Point:
    return Point(_finite(x, f"{field}.x"), _finite(y, f"{field}.y"))


def _finite(value: float, field: str) -> float:
    if not math.isfinite(value) or abs(value) > MAX_COORDINATE:
        raise BadInputError(f"{field} is {value:g}: give CSS px of the viewport", field=field)
    return value


def _bits(modifiers: object, field: str) -> int:
    bits = 0
    for each in modifiers:  # type: ignore[attr-defined]  # a repeated enum of protobuf
        bits |= decode_enum(_MODIFIERS, each, f"{field}.modifiers")
    return bits
