"""The steps of a batch that are actions.

Made from proto/ by .ci/client_methods.py. Not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Unpack

from perception.client.fields import (
    Modifier,
    MouseButton,
    StepFields,
    TextPosition,
)
from perception.client.message_fields import TargetLike
from perception.client.requests import step_of
from perception.v1 import action_service_pb2 as action_pb

__all__ = ["click", "drag", "hover", "press", "scroll", "select", "tap", "type_text"]


def click(
    target: TargetLike,
    *,
    click_count: int | None = None,
    button: MouseButton | None = None,
    modifiers: Sequence[Modifier] = (),
    checked: bool | None = None,
    hold: float | timedelta | None = None,
    **step: Unpack[StepFields],
) -> action_pb.BatchStep:
    return step_of(
        "click",
        action_pb.ClickRequest,
        {
            "target": target,
            "click_count": click_count,
            "button": button,
            "modifiers": modifiers,
            "checked": checked,
            "hold": hold,
        },
        step,
    )


def tap(
    target: TargetLike, *, hold: float | timedelta | None = None, **step: Unpack[StepFields]
) -> action_pb.BatchStep:
    return step_of("tap", action_pb.TapRequest, {"target": target, "hold": hold}, step)


def hover(target: TargetLike, **step: Unpack[StepFields]) -> action_pb.BatchStep:
    return step_of("hover", action_pb.HoverRequest, {"target": target}, step)


def drag(start: TargetLike, end: TargetLike, **step: Unpack[StepFields]) -> action_pb.BatchStep:
    return step_of("drag", action_pb.DragRequest, {"from": start, "to": end}, step)


def type_text(
    target: TargetLike | None,
    text: str = "",
    *,
    secret: str | None = None,
    clear: bool = False,
    submit: bool = False,
    keystrokes: bool = False,
    position: TextPosition | None = None,
    **step: Unpack[StepFields],
) -> action_pb.BatchStep:
    return step_of(
        "type_text",
        action_pb.TypeTextRequest,
        {
            "target": target,
            "text": text,
            "secret": secret,
            "clear": clear,
            "submit": submit,
            "keystrokes": keystrokes,
            "position": position,
        },
        step,
    )


def press(key: str, target: TargetLike | None = None, **step: Unpack[StepFields]) -> action_pb.BatchStep:
    return step_of("press_key", action_pb.PressKeyRequest, {"key": key, "target": target}, step)


def select(target: TargetLike, *options: str, **step: Unpack[StepFields]) -> action_pb.BatchStep:
    return step_of("select_option", action_pb.SelectOptionRequest, {"target": target, "options": options}, step)


def scroll(
    delta_y: float = 0, delta_x: float = 0, target: TargetLike | None = None, **step: Unpack[StepFields]
) -> action_pb.BatchStep:
    return step_of("scroll", action_pb.ScrollRequest, {"delta_y": delta_y, "delta_x": delta_x, "target": target}, step)
