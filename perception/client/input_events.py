"""Events of a person's input, as requests of SendInput. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from perception.client.message_fields import message_of
from perception.v1 import control_service_pb2 as pb


def mouse_requests(x: float, y: float, button: str = "left", count: int = 1) -> list[pb.SendInputRequest]:
    """A move to a point, and `count` clicks there."""
    events: list[dict[str, object]] = [{"kind": "move"}]
    for number in range(1, count + 1):
        press = {"button": button, "click_count": number}
        events += [{"kind": "down"} | press, {"kind": "up"} | press]
    return [
        pb.SendInputRequest(mouse=message_of(pb.MouseInput, {"x": float(x), "y": float(y)} | each)) for each in events
    ]


def key_requests(key: str, modifiers: Sequence[str] = ()) -> list[pb.SendInputRequest]:
    """A key that goes down and up, with modifiers held."""
    kinds = ("down", "up")
    given = {"key": "Enter" if key == "\n" else key, "modifiers": list(modifiers) or None}
    return [pb.SendInputRequest(key=message_of(pb.KeyInput, given | {"kind": kind})) for kind in kinds]


def numbered(
    events: Sequence[pb.SendInputRequest], session_id: str, lease_id: str, tab_id: str, after: int
) -> list[pb.SendInputRequest]:
    """Copies of events, with numbers and with what each names."""
    sent = []
    for number, event in enumerate(events, after + 1):
        request = pb.SendInputRequest(session_id=session_id, lease_id=lease_id, tab_id=tab_id, number=number)
        request.MergeFrom(event)
        sent.append(request)
    return sent
