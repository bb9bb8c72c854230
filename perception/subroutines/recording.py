"""The content of a recording: input events and network requests, with all secrets masked (see `masking`).

Times are milliseconds since the recording started.
"""

from __future__ import annotations

from typing import Any

import msgspec

from perception.subroutines.answer_shape import AnswerShape
from perception.subroutines.looks import Seen
from perception.subroutines.result_rows import ResultPlace

SOCKET = "SOCKET"
"""Method of a message over a WebSocket; its answer is the next message that comes over it."""


class Near(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is around an element; "" for a fact that there is not.

    Attributes:
        data: `data-` attribute that says which thing it belongs to.
        row: text of its row or list item.
        before, after: nearest text.
        heading: heading before it, else the document's title.
        looks: its classes and pictures.
        alone: whether nothing beside it has the same facts.
    """

    data: str = ""
    row: str = ""
    before: str = ""
    after: str = ""
    heading: str = ""
    looks: str = ""
    alone: bool = False


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cell of a table's or grid's row, or a text of a list item.

    Attributes:
        column: text of the column's header; "" for none.
        text: what a person reads in it.
        own: whether it holds the target.
        unique: whether no other row has this text there.
    """

    column: str = ""
    text: str = ""
    own: bool = False
    unique: bool = False


class Target(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element, identified as a person would.

    Attributes:
        role: ARIA role.
        name: accessible name.
        text: text content.
        placeholder: placeholder of a field.
        selector: CSS selector by author-given names, or by position.
        nth: index among elements of the same role and name, from 0.
        of: number of these elements; 0 if they were not counted.
        tag: HTML tag.
        frame: path of the frame's document; "" for the top document.
        owner: id, name or title of the frame's element, for a frame without an address of its own; else "".
        near: what is around an element that its name does not single out.
        patterns: fields that are regular expressions of a script, written `/source/flags`.
        href: path, query and fragment that a link leads to; "" for a link of a menu.
        cells: the row that it stands in; empty for none.
        rows: number of rows beside that one, with it.
        row_nth: index among elements of the same role and name in that row, from 0.
        row_of: number of these elements.
        cell: for a replay, the column and text of the cell that the row is found by.
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
    near: Near = Near()
    owner: str = ""
    patterns: tuple[str, ...] = ()
    href: str = ""
    cells: tuple[Cell, ...] = ()
    rows: int = 0
    row_nth: int = 0
    row_of: int = 0
    cell: Cell | None = None


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """HTML attributes of a form field; "" for an absent attribute."""

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
    """One input event.

    Attributes:
        kind: click, dblclick, toggle, hover, drag, type, write, select, check, press or upload; dialog or prompt for
            the answer to a dialog, close for a pop-up that was closed; goto for a navigation from outside the page.
        at_ms: milliseconds since the recording started.
        url: URL of the document.
        target: the element; ADDRESSED for a goto; kind and message of a dialog.
        value: typed text, selected labels, new checked or pressed state, key, file names, or path and query of a goto;
            whether a dialog was accepted, or the text of a prompt; for a drag, where in `to` it ended, as parts of
            width and height; a mask for a secret field.
        values: form values for `value`.
        options: labels of a list's options.
        option_values: form values of these options.
        secret: kind of a secret field; "" for other fields.
        multiple: whether a list allows several choices.
        field: HTML attributes of the field.
        to: where a drag ended.
        tab: 0 for the tab of the task, n for its nth pop-up.
        clear: everything in the editor was replaced by what was written.
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
    to: Target = Target(role="")
    tab: int = 0
    clear: bool = False


class FormEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a control of a form would send.

    Attributes:
        name: name of the control, or, for one that is in no form, its id.
        value: masked value.
        kind: text, check, radio, option, file or submit.
        on: whether it is sent as it is.
        changed: whether the control is not as the page first showed it.
        late: whether it came only after something was done on the page.
    """

    name: str
    value: str = ""
    kind: str = "text"
    on: bool = False
    changed: bool = False
    late: bool = False


class FormState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a form would have sent at a moment.

    Attributes:
        at_ms: milliseconds since the recording started.
        entries: in the order of the form.
        names: names of all its controls.
        is_form: whether it is a form, or else all controls that have a name or id.
    """

    at_ms: float
    entries: tuple[FormEntry, ...] = ()
    names: tuple[str, ...] = ()
    is_form: bool = True


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request's body, masked.

    Attributes:
        kind: none, json, urlencoded, formdata, text, bytes, blob, stream or other.
        json: value of a JSON body; None for another body.
        fields: name and value of form fields.
        files: field, file name, type and size of each file.
        text: text of another body.
        size: bytes; -1 if unknown.
        cut: whether the body is incomplete, because it was too long.
        blank_files: indices in `fields` of file fields without a file.
        style: how a form body is written, as in `write_urlencoded`.
        inexact: whether a browser would write other bytes for these values.
    """

    kind: str = "none"
    json: Any = None
    fields: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str, str, int], ...] = ()
    text: str = ""
    size: int = 0
    cut: bool = False
    blank_files: tuple[int, ...] = ()
    style: str = ""
    inexact: bool = False


class RecordedRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request of the page or of one of its workers.

    Attributes:
        method: HTTP method; SOCKET for a message over a WebSocket, whose answer is the next one that came.
        url: masked URL.
        kind: document, fetch, xhr, websocket, beacon, preflight, prefetch, performance (known only from the page's
            timing) or other.
        at_ms: milliseconds since the recording started.
        status: HTTP status; 0 if there was no response.
        size: bytes of the response.
        mime: content type of the response.
        headers: headers that the page's scripts set.
        body: masked body.
        location: target of a redirect; "" for none.
        frame: path of the frame's document; "" for the top document.
        by: source of the data: patch and network, or network only.
        wrapped: whether the page has wrapped `fetch`, which may have added headers.
        open: whether it had not ended when the recording was stopped: nobody knows what came of it.
        tab: 0 for the tab of the task, n for its nth pop-up.
        answer: shape of the response's JSON.
        constants: places of the body's leaves that are constants of the application, as `input.kind`.
        received: places of those that the page had received as data.
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
    open: bool = False
    tab: int = 0
    answer: AnswerShape = AnswerShape()
    constants: tuple[str, ...] = ()
    received: tuple[str, ...] = ()


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element that is visible at the end of the recording and was not at its start."""

    role: str
    name: str


class Recording(msgspec.Struct, frozen=True, omit_defaults=True):
    """One recorded run of a task.

    Attributes:
        recording_id: id of the recording.
        start_url: URL at the start.
        events: input events.
        requests: network requests.
        visited: URLs of the documents in between.
        tokens: kind and name of the places where the page stores tokens.
        shown: elements that appeared.
        end_url: URL at the end.
        left_out: what could not be recorded, and why.
        forms: what the forms of the page would have sent, at each action.
        open_requests: requests of the last actions that had not ended, as `method URL`, without query.
        unrecorded: what was typed or done by input and could not be recorded, in words: a replay would leave it out.
        appeared: what the page shows at the end and did not show before.
        gone: what it showed before and does not at the end.
        kept: fields that hold an entered value at the end.
        results: where the page shows the rows that came.
        reloaded: whether the last page was requested with GET after the last input.
        stored: whether the page's own storage changed.
    """

    recording_id: str
    start_url: str
    events: tuple[Event, ...] = ()
    requests: tuple[RecordedRequest, ...] = ()
    visited: tuple[str, ...] = ()
    tokens: tuple[tuple[str, str], ...] = ()
    shown: tuple[Shown, ...] = ()
    end_url: str = ""
    left_out: tuple[str, ...] = ()
    forms: tuple[FormState, ...] = ()
    open_requests: tuple[str, ...] = ()
    unrecorded: tuple[str, ...] = ()
    appeared: tuple[Seen, ...] = ()
    gone: tuple[Seen, ...] = ()
    kept: tuple[Seen, ...] = ()
    results: ResultPlace = ResultPlace()
    reloaded: bool = False
    stored: bool = False


def encode(recording: Recording) -> bytes:
    """The recording as JSON."""
    return msgspec.json.format(msgspec.json.encode(recording), indent=1)


def decode(text: bytes) -> Recording:
    """Reads a recording from JSON. Raises msgspec.ValidationError, msgspec.DecodeError: it is invalid."""
    return msgspec.json.decode(text, type=Recording)


ADDRESSED = Target(role="")
"""Target of a goto, which has no element."""

ENTERED = ("type", "write", "select", "check", "upload", "prompt")
"""Kinds of events that enter a value."""


_MERGED = ("type", "write", "select", "check", "toggle", "upload")
"""Kinds of events of which only the last one in a row counts: it has the whole value."""


def tidy_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Merges events: of typing into a field only the last value is kept, and a double click replaces its two clicks."""
    kept: list[Event] = []
    for event in events:
        if event.kind == "dblclick":
            kept = _without_clicks(kept, event)
        if kept and event.kind in _MERGED and kept[-1].kind == event.kind and _same(kept[-1].target, event.target):
            # The name of a field may contain its value: the first event found it empty.
            event = msgspec.structs.replace(event, target=kept[-1].target, at_ms=event.at_ms)
            kept.pop()
        kept.append(event)
    return tuple(kept)


def _without_clicks(kept: list[Event], event: Event) -> list[Event]:
    before = list(kept)
    for _ in range(2):
        if before and before[-1].kind in ("click", "toggle") and _same(before[-1].target, event.target):
            before.pop()
    return before


def _same(one: Target, other: Target) -> bool:
    if one.selector or other.selector:
        return (one.selector, one.frame) == (other.selector, other.frame)
    return (one.role, one.name, one.nth, one.frame) == (other.role, other.name, other.nth, other.frame)
