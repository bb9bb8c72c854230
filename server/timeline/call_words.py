"""A call in one line of plain words, such as `click button "Pay" [e5]`. Words of a page are quoted in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from perception.browser.traffic.traffic_masking import mask_url
from perception.errors import PerceptionError
from perception.page_words import MAX_ADDRESS, MAX_WORDS, cut, quote
from perception.refs import RefTable
from perception.server.contract import rules_of_request
from perception.server.timeline.request_view import length_of
from perception.v1 import action_service_pb2 as action_pb
from perception.v1.types_pb2 import Target

MAX_LINE = 300
MAX_ID = 60
"""Characters of a line, and of an id in it. Chosen by hand."""

_FIELD = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r"\[([^]]*\{(\w+)\})\]")
"""A field in the contract's words, and words that are left out where a field is empty: see options.proto."""

Words = Callable[[Any, RefTable], str]

_BUTTONS = {action_pb.MOUSE_BUTTON_RIGHT: "right-", action_pb.MOUSE_BUTTON_MIDDLE: "middle-"}


def words_of(request: Message, refs: RefTable, typed: str = "") -> str:
    """What a request does.

    Args:
        refs: of its session.
        typed: what it types or chooses, where that may be shown.
    """
    name = request.DESCRIPTOR.name.removesuffix("Request")
    if make := _WORDS.get(name):
        line = make(request, refs)
    else:
        line = _filled(rules_of_request(request).words or _spelled(name), request, refs)
    if typed:
        line = line.replace(_amount(request), quote(typed, MAX_WORDS), 1)
    return cut(" ".join(line.split()), MAX_LINE)


def typed_by(request: Message) -> str:
    """What a request types or chooses; empty for none."""
    if isinstance(request, action_pb.TypeTextRequest):
        return request.text
    if isinstance(request, action_pb.SelectOptionRequest):
        return ", ".join(request.options)
    return ""


def _amount(request: Any) -> str:
    """What stands for that in the line."""
    if isinstance(request, action_pb.SelectOptionRequest):
        return f"{len(request.options)} option{'s' if len(request.options) != 1 else ''}"
    return length_of(request.text)


def _target(target: Any, refs: RefTable) -> str:
    kind = target.WhichOneof("target")
    if kind == "ref":
        try:
            known = refs.resolve(target.ref)
        except PerceptionError:
            return f"[{cut(target.ref, 20)}]"
        return f"{known.role} {quote(known.name, MAX_WORDS)} [{known.ref}]"
    if kind == "coordinate":
        return f"({target.coordinate.x:.0f}, {target.coordinate.y:.0f})"
    if kind == "selector":
        return quote(target.selector, MAX_WORDS)
    if kind == "named":
        return f"{cut(target.named.role, 40)} {quote(target.named.name, MAX_WORDS)}".strip()
    return f"node {target.backend_node_id}" if kind else ""


def _at(request: Any, refs: RefTable, word: str = "") -> str:
    """The target after a word; empty without one."""
    return f"{word} {_target(request.target, refs)}" if request.HasField("target") else ""


def _click(request: Any, refs: RefTable) -> str:
    if request.HasField("checked"):
        return f"{'check' if request.checked else 'uncheck'} {_target(request.target, refs)}"
    times = {2: "double-", 3: "triple-"}.get(request.click_count, "")
    return f"{times}{_BUTTONS.get(request.button, '')}click {_target(request.target, refs)}"


def _type(request: Any, refs: RefTable) -> str:
    what = f"the secret {quote(request.secret, MAX_WORDS)}" if request.secret else _amount(request)
    return f"type {what}{_at(request, refs, ' into')}{', then Enter' if request.submit else ''}"


def _key(request: Any, refs: RefTable) -> str:
    key = "a character" if len(request.key) == 1 else cut(request.key, 40)
    return f"press {key}{_at(request, refs, ' in')}"


def _scroll(request: Any, refs: RefTable) -> str:
    if not request.delta_x and not request.delta_y:
        return f"scroll to{_at(request, refs)}"
    by = f"{request.delta_y:.0f} px down" if request.delta_y >= 0 else f"{-request.delta_y:.0f} px up"
    if request.delta_x:
        by += f" and {abs(request.delta_x):.0f} px {'right' if request.delta_x > 0 else 'left'}"
    return f"scroll {by}{_at(request, refs, ' at')}"


def _wait(request: Any, refs: RefTable) -> str:
    kind = request.WhichOneof("condition")
    if kind == "element":
        return f"wait for {_target(request.element, refs)}"
    if kind == "vanished":
        return f"wait until {_target(request.vanished, refs)} is gone"
    if kind in ("text", "url"):
        return f"wait for {kind} {quote(getattr(request, kind), MAX_WORDS)}"
    return "wait for a response" if kind == "response" else "wait until the page is at rest"


def _batch(request: Any, refs: RefTable) -> str:
    steps = []
    for step in request.steps:
        kind = step.WhichOneof("step")
        steps.append(words_of(getattr(step, kind), refs) if kind else "nothing")
    return f"{len(steps)} steps: {'; '.join(steps[:5])}{'; …' if len(steps) > 5 else ''}"


def _look(request: Any, refs: RefTable) -> str:
    if request.cursor:
        return f"read on at {cut(request.cursor, 20)}"
    root = f" at {_target(request.options.root, refs)}" if request.options.HasField("root") else ""
    return f"look{root}{f', changes since {cut(request.since_snapshot_id, 20)}' if request.since_snapshot_id else ''}"


def _find(request: Any, _: RefTable) -> str:
    parts = [request.query, request.role, request.name, request.text]
    return f"find {', '.join(quote(each, MAX_WORDS) for each in parts if each)}"


def _address(url: str) -> str:
    return quote(mask_url(url), MAX_ADDRESS)[1:-1]


def _dialog(request: Any, _: RefTable) -> str:
    return f"{'accept' if request.accept else 'dismiss'} the dialog"


def _upload(request: Any, refs: RefTable) -> str:
    names = [*request.paths, *(each.name for each in request.files), *request.upload_ids]
    return f"upload {', '.join(quote(each, MAX_WORDS) for each in names[:3])}{_at(request, refs, ' to')}"


_WORDS: dict[str, Words] = {
    "Click": _click,
    "TypeText": _type,
    "PressKey": _key,
    "SelectOption": lambda request, refs: f"select {_amount(request)}{_at(request, refs, ' in')}",
    "UploadFiles": _upload,
    "WaitFor": _wait,
    "Evaluate": lambda request, refs: f"run a script{_at(request, refs, ' on')}: {cut(request.expression, MAX_WORDS)}",
    "Scroll": _scroll,
    "Batch": _batch,
    "CaptureSnapshot": _look,
    "FindElements": _find,
    "HandleDialog": _dialog,
}
"""Requests whose words depend on more than which fields are there; the contract has the words of all others."""


def _filled(words: str, request: Any, refs: RefTable) -> str:
    """The contract's words with the values of a request's fields."""
    kept = _OPTIONAL.sub(lambda found: found[1] if _value(request, found[2], refs) else "", words)
    return _FIELD.sub(lambda found: _value(request, found[1], refs), kept)


def _value(request: Any, field: str, refs: RefTable) -> str:
    """A field in words: an id as it is, an address without its secrets, any other text in quotes."""
    value = getattr(request, field)
    if isinstance(value, Target):
        return _target(value, refs)
    if field == "url":
        return _address(value)
    return cut(value, MAX_ID) if field.endswith("_id") else quote(value, MAX_WORDS)


def _spelled(name: str) -> str:
    """`ListRequests` as `list requests`."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()
