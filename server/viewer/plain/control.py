"""Who has control, and a person's input, from and to JSON."""

from __future__ import annotations

from typing import Any

from perception.server.viewer.calls import RefusedError
from perception.server.viewer.plain.times import millis
from perception.v1 import action_service_pb2 as actions
from perception.v1 import control_service_pb2 as pb
from perception.v1 import types_pb2 as types

_STATES = {
    pb.CONTROL_STATE_FREE: "free",
    pb.CONTROL_STATE_REQUESTED: "requested",
    pb.CONTROL_STATE_TAKING: "taking",
    pb.CONTROL_STATE_HELD: "held",
}

OUTCOMES = {
    "done": pb.RELEASE_OUTCOME_DONE,
    "cancelled": pb.RELEASE_OUTCOME_CANCELLED,
    "refused": pb.RELEASE_OUTCOME_REFUSED,
}

_BUTTONS = (actions.MOUSE_BUTTON_LEFT, actions.MOUSE_BUTTON_MIDDLE, actions.MOUSE_BUTTON_RIGHT)
"""By the number that `MouseEvent.button` has."""

_MODIFIERS = {
    "Alt": actions.MODIFIER_ALT,
    "Control": actions.MODIFIER_CONTROL,
    "Meta": actions.MODIFIER_META,
    "Shift": actions.MODIFIER_SHIFT,
}

_DIALOGS = {types.Dialog.KIND_CONFIRM: "confirm", types.Dialog.KIND_PROMPT: "prompt"}


def plain_control(control: Any, *, mine: bool) -> dict[str, Any]:
    """A Control. `mine`: the person who asks has a lease of this session."""
    return {
        "state": _STATES.get(control.state, "free"),
        "holder": control.holder,
        "expiresMs": millis(control, "expire_time"),
        "reason": control.reason,
        "requestExpiresMs": millis(control, "request_expire_time"),
        "requestTabId": control.request_tab_id,
        "waitingCalls": control.waiting_calls,
        "underWay": list(control.calls_under_way),
        "mine": mine and control.state == pb.CONTROL_STATE_HELD,
    }


def plain_dialog(dialog: Any) -> dict[str, Any]:
    """A Dialog; `kind` is `alert` for what can only be closed."""
    return {
        "id": dialog.dialog_id,
        "tabId": dialog.tab_id,
        "kind": _DIALOGS.get(dialog.kind, "alert"),
        "message": dialog.message,
        "text": dialog.default_value,
    }


def plain_acknowledgement(reply: Any) -> dict[str, Any]:
    """A SendInputResponse."""
    return {
        "number": reply.number,
        "error": reply.error,
        "dialog": reply.HasField("dialog") or reply.HasField("file_chooser"),
    }


def input_of(given: dict[str, Any]) -> pb.SendInputRequest:
    """An event as a SendInputRequest without session and lease. Raises RefusedError for anything else."""
    try:
        event = pb.SendInputRequest(number=int(given["number"]), tab_id=str(given.get("tabId", "")))
        if mouse := given.get("mouse"):
            event.mouse.CopyFrom(_mouse(mouse))
        elif key := given.get("key"):
            event.key.CopyFrom(_key(key))
        elif wheel := given.get("wheel"):
            event.wheel.CopyFrom(
                pb.WheelInput(
                    x=wheel["x"],
                    y=wheel["y"],
                    delta_x=wheel["dx"],
                    delta_y=wheel["dy"],
                    modifiers=_modifiers(wheel),
                )
            )
        elif touch := given.get("touch"):
            points = [pb.TouchInput.Point(id=each["id"], x=each["x"], y=each["y"]) for each in touch["points"]]
            event.touch.CopyFrom(pb.TouchInput(kind=f"KIND_{touch['kind'].upper()}", points=points))
        elif isinstance(text := given.get("text"), str):
            event.text.text = text
        else:
            event.paste.text = given["paste"]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as exc:
        # The answer has neither the event nor protobuf's message: they may hold what somebody typed.
        raise RefusedError(400, "INVALID_ARGUMENT", "this is not an event") from exc
    return event


def _mouse(mouse: dict[str, Any]) -> pb.MouseInput:
    return pb.MouseInput(
        kind=f"KIND_{mouse['kind'].upper()}",
        x=mouse["x"],
        y=mouse["y"],
        button=_BUTTONS[mouse["button"]],
        click_count=min(3, max(1, mouse["count"])),
        modifiers=_modifiers(mouse),
    )


def _key(key: dict[str, Any]) -> pb.KeyInput:
    return pb.KeyInput(
        kind=f"KIND_{key['kind'].upper()}",
        key=key["key"],
        code=key["code"],
        modifiers=_modifiers(key),
        repeat=bool(key.get("repeat")),
    )


def _modifiers(event: dict[str, Any]) -> list[Any]:
    return [_MODIFIERS[name] for name in event.get("modifiers", ())]
