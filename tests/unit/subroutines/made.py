"""Recordings made by hand, as small as a test needs them."""

from __future__ import annotations

from typing import Any

from perception.subroutines.recording import Body, Event, Field, RecordedRequest, Recording, Target
from perception.subroutines.request_values import body_leaves, place_of

SITE = "https://shop.example.org"


def event(kind: str = "click", name: str = "Save", at_ms: float = 1000.0, **more: Any) -> Event:
    role = more.pop("role", "button" if kind == "click" else "textbox")
    field = Field(**more.pop("field", {}))
    target = Target(role=role, name=name, of=1, **more.pop("target", {}))
    return Event(kind=kind, at_ms=at_ms, url=more.pop("url", f"{SITE}/new"), target=target, field=field, **more)


def typed(name: str, value: str, at_ms: float = 500.0, **field: Any) -> Event:
    return event("type", name, at_ms, value=value, field={"name": name.lower(), "type": "text"} | field)


def request(path: str = "/api/items", method: str = "POST", at_ms: float = 1080.0, **more: Any) -> RecordedRequest:
    """A request; everything in its body is known to be a constant unless `constants` says otherwise."""
    more.setdefault("constants", tuple(place_of(place) for place, _ in body_leaves(more.get("body", Body()))))
    url = path if path.startswith("http") else f"{SITE}{path}"
    return RecordedRequest(
        method=method, url=url, kind=more.pop("kind", "fetch"), at_ms=at_ms, **{"status": 200, **more}
    )


def json_body(value: Any) -> Body:
    return Body("json", json=value, size=10)


def form_body(*pairs: tuple[str, str]) -> Body:
    return Body("urlencoded", fields=pairs, size=10)


def recording(*events: Event, requests: tuple[RecordedRequest, ...] = (), **more: Any) -> Recording:
    return Recording(
        recording_id=more.pop("recording_id", "r1"),
        start_url=more.pop("start_url", f"{SITE}/new"),
        events=events,
        requests=requests,
        **more,
    )
