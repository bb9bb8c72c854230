"""What a recording holds: what was done to a page, and what the page sent, with all secrets masked.

Times are milliseconds since the recording began. Nothing here is secret any more: see `masking`.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Target(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element as a person would tell it: `nth` of `of` elements with that role and name (`of` 0: not counted).

    `selector` is what its author called it, or its place; `frame` the path of the frame's page, empty for the top one.
    """

    role: str
    name: str = ""
    text: str = ""
    placeholder: str = ""
    selector: str = ""
    nth: int = 0
    of: int = 0
    tag: str = ""
    frame: str = ""


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a form field says of what it takes, in HTML's words."""

    name: str = ""
    id: str = ""
    type: str = ""
    inputmode: str = ""
    min: str = ""
    max: str = ""
    pattern: str = ""
    maxlength: str = ""
    required: bool = False


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing done to the page.

    `kind`: click, dblclick, type, select, check, press, upload; goto for an address that was opened from outside of the
    page, with its path and query as the value. `value` is the text typed, the labels selected, whether
    it is checked now, the key, or the names of files; of a secret field it is a mask. `values` are what a form sends
    for it; `options` are the labels that a list offers, `option_values` what a form sends for each.
    """

    kind: str
    at_ms: float
    url: str
    target: Target
    value: Any = ""
    values: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    option_values: tuple[str, ...] = ()
    secret: str = ""
    multiple: bool = False
    field: Field = Field()


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request's body, masked.

    `kind`: none, json, urlencoded, formdata, text, bytes, blob, stream, other. `json` is of a JSON body; `fields` are
    pairs of a form's; `files` are [field, name, type, size]. `size` counts bytes, -1 where it is not known; a body that
    was longer than is kept is `cut`.
    """

    kind: str = "none"
    json: Any = None
    fields: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str, str, int], ...] = ()
    text: str = ""
    size: int = 0
    cut: bool = False


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request that the page, or a worker of it, sent.

    `kind`: document, fetch, xhr, beacon, preflight, prefetch, performance (known only from the page's own timing) or
    other. `headers` are those that the page's scripts set. `status` 0: no answer came. `location` is where a redirect
    led, `by` how it is known: patch and network, or network alone. It
    is `wrapped` if it went through something that the page has put around fetch, which may have added headers.
    """

    method: str
    url: str
    kind: str
    at_ms: float
    status: int = 0
    size: int = 0
    mime: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: Body = Body()
    location: str = ""
    frame: str = ""
    by: str = "network"
    wrapped: bool = False


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element that the page shows at the end and did not show at the beginning."""

    role: str
    name: str


class Recording(msgspec.Struct, frozen=True, omit_defaults=True):
    """A task, as it was done once. `tokens` are the places that the page keeps tokens in, as kind and name."""

    recording_id: str
    start_url: str
    events: tuple[Event, ...] = ()
    requests: tuple[Request, ...] = ()
    visited: tuple[str, ...] = ()
    tokens: tuple[tuple[str, str], ...] = ()
    shown: tuple[Shown, ...] = ()
    end_url: str = ""
    left_out: tuple[str, ...] = ()


def encode(recording: Recording) -> bytes:
    """As JSON."""
    return msgspec.json.format(msgspec.json.encode(recording), indent=1)


def decode(text: bytes) -> Recording:
    """Raises msgspec.ValidationError, msgspec.DecodeError."""
    return msgspec.json.decode(text, type=Recording)


ADDRESSED = Target(role="")
"""Of a goto: it is done to no element."""

ENTERED = ("type", "select", "check", "upload")
"""Kinds of events that give the page a value."""


def tidy_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """What was done, each thing once: of a text that was typed its end, of a double click not its two clicks."""
    kept: list[Event] = []
    for event in events:
        if event.kind == "dblclick":
            kept = _without_clicks(kept, event)
        if kept and event.kind in ENTERED and kept[-1].kind == event.kind and _same(kept[-1].target, event.target):
            # The name of a field may tell what is in it: the first one found it empty.
            event = msgspec.structs.replace(event, target=kept[-1].target, at_ms=event.at_ms)
            kept.pop()
        kept.append(event)
    return tuple(kept)


def _without_clicks(kept: list[Event], event: Event) -> list[Event]:
    before = list(kept)
    for _ in range(2):
        if before and before[-1].kind == "click" and _same(before[-1].target, event.target):
            before.pop()
    return before


def _same(one: Target, other: Target) -> bool:
    if one.selector or other.selector:
        return (one.selector, one.frame) == (other.selector, other.frame)
    return (one.role, one.name, one.nth, one.frame) == (other.role, other.name, other.nth, other.frame)
