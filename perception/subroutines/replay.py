"""Replay: a body as an expression that runs it up to its next call, and what that says. See `replay.js`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from perception.errors import SubroutineBrokenError
from perception.subroutines.context import describe_target
from perception.subroutines.recording import Target

_HIDDEN = (
    "window self globalThis document fetch XMLHttpRequest WebSocket location navigator localStorage sessionStorage"
    " indexedDB caches crypto performance Date setTimeout setInterval top parent frames opener"
).split()
"""What a body does not get: it would be done again each time the body runs, or be another one each time."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a body makes. `args` are JSON."""

    name: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call came to: a JSON value, or an error as the body is told it."""

    call: Call
    value: Any = None
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The body's end: its value, or what it threw, with a reason (`SCRIPT` for what is its own)."""

    value: Any = None
    error: str = ""
    reason: str = ""


def write_expression(body: str, params: Mapping[str, Any], journal: Sequence[Answer]) -> str:
    """The expression; its value is a promise of what `read_answer` takes."""
    entries = [
        {"name": each.call.name, "args": each.call.args, "value": each.value, "error": each.error} for each in journal
    ]
    hidden, script = ", ".join(_HIDDEN), body.rstrip().rstrip(";")
    return f"({_source()})((({hidden}) => (\n{script}\n))(), {_json(params)}, {_json(entries)})"


def read_answer(value: Any) -> Call | Finished:
    """What a run of the body came to.

    Raises:
        SubroutineBrokenError: it took another way than before.
    """
    if "call" in value:
        return Call(value["call"]["name"], tuple(value["call"]["args"]))
    if "strayed" in value:
        strayed = value["strayed"]
        raise SubroutineBrokenError(
            f"the script took another way when it was run on: its call {strayed['at'] + 1} was {strayed['was']} and is "
            f"now {strayed['name']}, or has other arguments; what it does may hang on its parameters and answers alone"
        )
    if "threw" in value:
        return Finished(error=value["threw"]["message"], reason=value["threw"]["reason"])
    return Finished(value["value"])


def describe_call(call: Call) -> str:
    """A call in words, without what is given: `type into textbox "Name"`."""
    args = call.args
    match call.name:
        case "goto" | "waitForUrl":
            return f"{'go to' if call.name == 'goto' else 'wait for the address'} {_first(args)}"
        case "click" | "doubleClick" | "check" | "upload" | "select" | "type" | "waitFor":
            return f"{_VERBS[call.name]} {_describe(args)}"
        case "press":
            return f"press {_first(args)}" + (f" in {_describe(args[1:])}" if len(args) > 1 else "")
        case "request" | "requestJson":
            path = str(args[1] if len(args) > 1 else "").partition("?")[0]
            return f"send {_first(args)} {path}"
        case "waitForRequest":
            wanted = args[0] if args and isinstance(args[0], dict) else {}
            return f"wait for the answer to {wanted.get('method', '')} {wanted.get('path', '')}"
        case "getCsrfToken" | "getCookie":
            return "read the page's token" if call.name == "getCsrfToken" else f"read the cookie {_first(args)}"
        case "fallBack":
            return "do it by hand"
    return call.name


_VERBS = {
    "click": "click",
    "doubleClick": "double-click",
    "check": "check or uncheck",
    "upload": "give files to",
    "select": "choose in",
    "type": "type into",
    "waitFor": "wait for",
}


_TELLING = ("role", "name", "text", "placeholder", "selector")


def target_of(value: Any) -> Target:
    """What `find` gave, as a target.

    Raises:
        SubroutineBrokenError: it is none.
    """
    known = value.get("find") if isinstance(value, dict) else None
    if not isinstance(known, dict) or not any(known.get(key) for key in _TELLING):
        raise SubroutineBrokenError("a call of the script names no element: give it find({ role, name, … })")
    words = {key: str(known.get(key, "")) for key in (*_TELLING, "frame")}
    return Target(**words, nth=int(known.get("nth", 0)), of=int(known.get("of", 0)))


def _describe(args: Sequence[Any]) -> str:
    try:
        return describe_target(target_of(args[0] if args else None))
    except SubroutineBrokenError:
        return "nothing that is named"


def _first(args: Sequence[Any]) -> str:
    return str(args[0])[:120] if args else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _source() -> str:
    text = files(__package__).joinpath("replay.js").read_text("utf-8")
    return text[text.index("(body,") :].strip().rstrip(";")
