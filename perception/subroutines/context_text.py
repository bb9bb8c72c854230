"""Renders a recording as text of at most 12,000 characters, for a person or a model that refines or reviews the script.

The text contains events and requests, but neither secrets nor volatile identifiers.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from perception.render.quoting import quote
from perception.subroutines.looks import Seen
from perception.subroutines.ranking import Ranked
from perception.subroutines.recording import Event, Recording, Target
from perception.subroutines.volatile import without_volatile

MAX_CHARACTERS = 11_900
"""The rest of the 12,000 is for the lines that mark the text as untrusted."""

SHOWN_BODY = 2_000
"""Maximum length of one body, characters: enough to show the structure of a list of records."""

SHOWN_VALUE = 200

MAX_SHOWN_CHANGES = 12
"""Elements that appeared, or are gone, in the text. Chosen by hand."""


def render_context(recording: Recording, candidates: Sequence[Ranked], limit: int = MAX_CHARACTERS) -> str:
    """Renders a recording.

    Over the limit, entries are dropped one by one in this order: visited URLs, then requests from the lowest score up,
    then events from the last. If the header alone is too long, it is truncated.

    Args:
        recording: a masked recording.
        candidates: ranked requests, best first.
        limit: maximum length, characters.
    """
    visited, kept, events = list(recording.visited), list(candidates), list(recording.events)
    while True:
        text = _render(recording, visited, kept, events)
        if len(text) <= limit:
            return text
        if visited:
            visited.pop()
        elif kept:
            kept.pop()
        elif events:
            events.pop()
        else:
            return text[:limit]


def _render(recording: Recording, visited: Sequence[str], candidates: Sequence[Ranked], events: Sequence[Event]) -> str:
    lines = [f"Recorded at {recording.start_url}", ""]
    lines += _change_lines(recording)
    lines += ["Done:", *(f"{index}. {describe_event(event)}" for index, event in enumerate(events, 1)), ""]
    for number, ranked in enumerate(candidates, 1):
        lines += [*_request_lines(number, ranked), ""]
    if visited:
        lines += ["Visited:", *visited, ""]
    return "\n".join(lines)


def _change_lines(recording: Recording) -> list[str]:
    """What the page shows at the end and not before, and the other way round."""
    lines = [f"+ {_seen(each)}" for each in recording.appeared[:MAX_SHOWN_CHANGES]]
    lines += [f"- {_seen(each)}" for each in recording.gone[:MAX_SHOWN_CHANGES]]
    return ["Appeared (+) and gone (-):", *lines, ""] if lines else []


def _seen(seen: Seen) -> str:
    states = f" [{', '.join(seen.states)}]" if seen.states else ""
    return f"{seen.role} {quote(seen.name, SHOWN_VALUE)}{states}"


def describe_event(event: Event) -> str:
    """An event in words, such as `type textbox "Name": "Jane"`."""
    if event.kind == "goto":
        return f"goto {event.value}"
    if event.kind == "close":
        return f"close pop-up {event.tab}"
    if event.kind == "drag":
        return f"drag {describe_target(event.target)} to {describe_target(event.to)}"
    said = (
        ""
        if event.kind in ("click", "dblclick", "hover")
        else f": {msgspec.json.encode(event.value).decode()[:SHOWN_VALUE]}"
    )
    return f"{event.kind} {describe_target(event.target)}{said}"


def describe_target(target: Target) -> str:
    """A target in words, such as `button "Save"`, with `2 of 3` if several have this name."""
    said = target.name or target.placeholder or target.text or target.selector
    if target.patterns:
        return f"{target.role} {said[:SHOWN_VALUE]}".strip()
    place = f" ({target.nth + 1} of {target.of})" if target.of > 1 else ""
    row = f" in the row of {quote(target.cell.text, SHOWN_VALUE)}" if target.cell is not None else ""
    role = target.role or "element"
    return f"{role} {quote(said, SHOWN_VALUE)}{place}{row}" if said or not row else f"{role}{row}"


def _request_lines(number: int, ranked: Ranked) -> list[str]:
    request = without_volatile(ranked.request)
    unended = ", had not ended when the recording was stopped" if request.open else ""
    lines = [
        f"Request {number}, score {ranked.score} ({', '.join(ranked.reasons)}):",
        f"{request.method} {request.url} -> {request.status or 'no answer'}, {request.size} bytes{unended}",
    ]
    lines += [f"  {name}: {value[:SHOWN_VALUE]}" for name, value in request.headers]
    body = request.body
    if body.kind != "none":
        shown = body.json if body.kind == "json" else dict(body.fields) if body.fields else body.text
        lines.append(f"  {body.kind}: {msgspec.json.encode(shown).decode()[:SHOWN_BODY]}")
    if ranked.volatile:
        lines.append(f"  changes with each deployment: {', '.join(ranked.volatile)}")
    return lines
