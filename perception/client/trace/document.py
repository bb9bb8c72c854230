"""A trace as an HTML document: no scripts, nothing from elsewhere.

Rule 1: all words are text nodes or attribute values of a tree, which the serializer escapes. No markup is put together
from strings.
Rule 2: addresses of pages are text, never links.
Rule 3: the document's own policy forbids whatever is not in the file.
"""

from __future__ import annotations

import base64
import hashlib
import re
import time
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from perception.client.installation import installed_version
from perception.client.trace.line_diff import changed_lines
from perception.client.trace.values import Trace, TraceCall, TracePicture, lanes, offsets
from perception.errors import BadInputError
from perception.page_words import UNSAFE, plain_words

Part = Any
"""An element of lxml, or a text."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")

BAR_HEIGHT, STRIP_WIDTH = 14, 1000
"""Sizes of the strip of calls, in its own units."""

MAX_LANES = 8
"""Rows of that strip; calls that overlap more share the last one."""


def trace_html(trace: Trace) -> str:
    """The document. Opens from `file://`, and fits a phone. Raises BadInputError without lxml."""
    try:
        from lxml import html  # type: ignore[import-untyped,unused-ignore]
    except ModuleNotFoundError as exc:
        raise BadInputError(
            "a trace needs lxml, which perception-client alone does not bring: pip install lxml"
        ) from exc

    words = _title(trace)
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{_digest(_style())}'; base-uri 'none'"
    document = _tag(
        "html",
        {"lang": "en"},
        _tag(
            "head",
            {},
            _tag("meta", {"charset": "utf-8"}),
            _tag("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
            _tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
            _tag("meta", {"name": "referrer", "content": "no-referrer"}),
            _tag("title", {}, words),
            _tag("style", {}, _style()),
        ),
        _tag("body", {}, *_body(trace, words)),
    )
    text: str = html.tostring(document, encoding="unicode", doctype="<!DOCTYPE html>")
    return text


def _body(trace: Trace, title: str) -> list[Part]:
    failed = sum(each.has_failed for each in trace.calls)
    pages = trace.pages_before()
    calls = [_call(each, offset, page) for each, offset, page in zip(trace.calls, offsets(trace), pages, strict=True)]
    listed = _tag("ol", {"class": "calls"}, *calls) if calls else _tag("p", {}, "The session has had no call.")
    return [
        _tag(
            "header",
            {},
            _tag("h1", {}, title),
            _facts(trace, failed),
            *(_tag("p", {"class": "note"}, each) for each in trace.notes),
        ),
        _tag("main", {}, *_strip(trace), *_filter(failed), listed),
        _tag("footer", {}, f"Made by perception {installed_version()}. Words of pages are quoted, not ours."),
    ]


def _title(trace: Trace) -> str:
    return f"Session trace: {trace.title}" if trace.title else "Session trace"


def _facts(trace: Trace, failed: int) -> Part:
    facts = [
        ("Session", trace.session_id),
        ("Began", _moment(trace.begin_s)),
        ("Took", _seconds(trace.end_s - trace.begin_s)),
        ("Calls", f"{len(trace.calls)}, {failed} failed" if failed else str(len(trace.calls))),
    ]
    return _tag("dl", {"class": "facts"}, *(_tag("div", {}, _tag("dt", {}, n), _tag("dd", {}, v)) for n, v in facts))


def _strip(trace: Trace) -> list[Part]:
    """The calls as bars on a line of time. The list below says the same in words."""
    span = trace.end_s - trace.begin_s
    if span <= 0:
        return []
    rows = [min(lane, MAX_LANES - 1) for lane in lanes(trace)]
    height = (max(rows, default=0) + 1) * BAR_HEIGHT
    bars = []
    for each, offset, row in zip(trace.calls, offsets(trace), rows, strict=True):
        lasted = each.duration_s if each.duration_s is not None else span - offset
        place = {
            "x": f"{offset / span * STRIP_WIDTH:.2f}",
            "y": str(row * BAR_HEIGHT + 1),
            "width": f"{max(2.0, lasted / span * STRIP_WIDTH):.2f}",
            "height": str(BAR_HEIGHT - 2),
            "class": "failed" if each.has_failed else "passed",
        }
        bars.append(_tag("rect", place, _tag("title", {}, f"{each.number}. {each.what}")))
    box = {"viewBox": f"0 0 {STRIP_WIDTH} {height}", "preserveAspectRatio": "none", "class": "strip"}
    return [_tag("svg", box | {"role": "img", "aria-label": f"When the calls ran, over {_seconds(span)}"}, *bars)]


def _filter(failed: int) -> list[Part]:
    if not failed:
        return []
    box = _tag("input", {"type": "checkbox", "id": "only-failed"})
    return [_tag("p", {"class": "filter"}, box, _tag("label", {"for": "only-failed"}, " Only calls that failed"))]


def _call(call: TraceCall, offset: float, page_before: Sequence[str]) -> Part:
    outcome = "under way" if not call.code else "OK" if call.code == "OK" else call.reason or call.code
    state = "failed" if call.has_failed else "passed"
    badge = f"badge {state}" if call.code else "badge"
    head = [
        _tag("span", {"class": "number"}, str(call.number)),
        _tag("span", {"class": "time"}, f"+{offset:.1f} s" if offset < 60 else f"+{_seconds(offset)}"),
        _tag("span", {"class": "what"}, _tag("bdi", {}, call.what or call.rpc)),
        *([_tag("span", {"class": "badge"}, "a person")] if call.by_person else []),
        _tag("span", {"class": badge}, outcome),
        _tag("span", {"class": "lasted"}, _seconds(call.duration_s) if call.duration_s is not None else "…"),
    ]
    shown = _image(call.after or call.before, "", "thumbnail")
    details = _tag("details", {}, _tag("summary", {}, *head, *shown), *_inside(call, page_before))
    return _tag("li", {"id": f"call-{call.number}", "class": state}, details)


def _inside(call: TraceCall, page_before: Sequence[str]) -> list[Part]:
    """What a call shows when it is opened."""
    parts: list[Part] = []
    if call.message:
        parts.append(_tag("p", {"class": "message"}, call.message))
    where = " · ".join(each for each in (call.rpc, f"tab {call.tab_id}" if call.tab_id else "", call.url) if each)
    parts.append(_tag("p", {"class": "where"}, _tag("bdi", {}, where)))
    pictures = [
        *_figure(call.before, f"Before call {call.number}", "Before"),
        *_figure(call.after, f"After call {call.number}", "After"),
    ]
    if pictures:
        parts.append(_tag("div", {"class": "pictures"}, *pictures))
    if page_before and call.page and (rows := changed_lines(page_before, call.page)):
        parts += _section(call, "What changed on the page", _diff(call, rows))
    if call.text:
        parts += _section(
            call, "What the client read", _lines(call.text, f"What the client read of call {call.number}")
        )
    if call.request_json:
        parts += _section(call, "Request", _lines(call.request_json, f"Request of call {call.number}"))
    return parts


def _section(call: TraceCall, title: str, content: Part) -> list[Part]:
    return [_tag("h2", {}, title, _tag("span", {"class": "hidden"}, f" of call {call.number}")), content]


def _lines(text: str, label: str) -> Part:
    """A text that scrolls by itself, so that a keyboard has to reach it."""
    return _tag("pre", {"tabindex": "0", "role": "region", "aria-label": label}, text)


def _diff(call: TraceCall, rows: Sequence[tuple[str, str]]) -> Part:
    kinds = {"+": "ins", "-": "del"}
    lines = [
        _tag(kinds.get(mark, "span"), {"class": "quiet"} if mark == "…" else {}, f"{mark} {line}")
        for mark, line in rows
    ]
    label = f"What changed on the page by call {call.number}"
    return _tag("pre", {"tabindex": "0", "role": "region", "aria-label": label, "class": "diff"}, *lines)


def _figure(picture: TracePicture | None, words: str, title: str) -> list[Part]:
    shown = _image(picture, words, "")
    return [_tag("figure", {}, *shown, _tag("figcaption", {}, title))] if shown else []


def _image(picture: TracePicture | None, words: str, kind: str) -> list[Part]:
    if picture is None or not picture.kind:
        return []
    source = f"data:{picture.kind};base64,{base64.b64encode(picture.data).decode()}"
    size = {"width": str(max(1, picture.width)), "height": str(max(1, picture.height))}
    return [_tag("img", {"src": source, "alt": words, "loading": "lazy"} | size | ({"class": kind} if kind else {}))]


def _tag(name: str, attributes: dict[str, str], *parts: Part) -> Part:
    """An element of the tree. Texts become text nodes."""
    from lxml import etree

    made = etree.Element(name, {key: printable(value) for key, value in attributes.items()})
    for part in parts:
        if not isinstance(part, str):
            made.append(part)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + printable(part)
        else:
            made.text = (made.text or "") + printable(part)
    return made


def printable(text: str) -> str:
    """The text without what no document may hold, and with what reorders a line or ends it written out."""
    text = _UNPRINTABLE.sub("\ufffd", plain_words(text))
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _style() -> str:
    return resources.files(__package__).joinpath("trace.css").read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def _seconds(seconds: float) -> str:
    """`240 ms`, `3.2 s`, `4 min 10 s`."""
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"
