"""Runs a script up to its next call: writes the JavaScript expression and reads its result. See `replay.js`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from perception.errors import SubroutineBrokenError
from perception.subroutines.context_text import describe_target
from perception.subroutines.javascript import js_text
from perception.subroutines.neighbors import NEAR
from perception.subroutines.recording import Target

GLOBALS = (
    "Object Array String Number Boolean BigInt Symbol JSON Math RegExp Error TypeError RangeError Map Set Promise NaN"
    " Infinity parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI URL"
    " URLSearchParams"
).split()
"""Globals that a script gets. The effects of others would repeat with each run, or their values would differ, as those
of `Date`. See `sandbox.js`."""


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A call of a script.

    Attributes:
        name: name of the helper.
        args: JSON arguments.
    """

    name: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """Result of a call.

    Attributes:
        call: the call.
        value: JSON value.
        error: the error that the script gets; None for success.
    """

    call: ScriptCall
    value: Any = None
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """End of a script.

    Attributes:
        value: JSON value that it returned.
        error: message of the exception that it threw; "" for none.
        reason: reason of the exception; `SCRIPT` for one of the script itself.
    """

    value: Any = None
    error: str = ""
    reason: str = ""


def write_expression(body: str, params: Mapping[str, Any], journal: Sequence[CallAnswer]) -> str:
    """Writes the expression that runs a script.

    Args:
        body: the script.
        params: its arguments.
        journal: results of all calls so far.

    Returns:
        JavaScript whose value is a promise for the argument of `read_answer`.
    """
    entries = [
        {"name": each.call.name, "args": each.call.args, "value": each.value, "error": each.error} for each in journal
    ]
    given = ", ".join(parsed_json(each) for each in (params, entries))
    return f"({script_source('replay.js', '(body,')})({write_body(body)}, {given})"


def write_body(body: str) -> str:
    """The JavaScript of a script's function, which sees the names of its sandbox alone."""
    script = body.rstrip().rstrip(";")
    sandbox = f"({script_source('sandbox.js', '(names)')})({js_text(GLOBALS)})"
    strict = f"(function () {{ 'use strict'; return (\n{script}\n); }}).call(undefined)"
    return f"(function (scope) {{ with (scope) {{ return {strict}; }} }})({sandbox})"


def read_answer(value: Any) -> ScriptCall | Finished:
    """Reads the result of a run: the next call, or the end.

    Raises:
        SubroutineBrokenError: the script made other calls than in the run before.
    """
    if "call" in value:
        return ScriptCall(value["call"]["name"], tuple(value["call"]["args"]))
    if "strayed" in value:
        strayed = value["strayed"]
        raise SubroutineBrokenError(
            f"the script took another way when it was run on: its call {strayed['at'] + 1} was {strayed['was']} and is "
            f"now {strayed['name']}, or has other arguments; what it does may hang on its parameters and answers alone"
        )
    if "threw" in value:
        return Finished(error=value["threw"]["message"], reason=value["threw"]["reason"])
    return Finished(value["value"])


def describe_call(call: ScriptCall) -> str:
    """A call in words, without its value: `type into textbox "Name"`."""
    args = call.args
    match call.name:
        case "goto" | "waitForUrl":
            return f"{'go to' if call.name == 'goto' else 'wait for the address'} {_first(args)}"
        case "click" | "doubleClick" | "hover" | "check" | "upload" | "select" | "type" | "write" | "waitFor" | "find":
            return f"{_VERBS[call.name]} {_describe(args)}"
        case "drag":
            return f"drag {_describe(args)} to {_describe(args[1:])}"
        case "answerDialog":
            wanted = args[0] if args and isinstance(args[0], dict) else {}
            return f"answer the {wanted.get('type', 'dialog')} {str(wanted.get('message', ''))[:120]!r}"
        case "switchTab":
            return f"go on in {f'pop-up {_first(args)}' if args and args[0] else 'the first tab'}"
        case "closeTab":
            return f"wait until pop-up {_first(args)} is closed"
        case "press":
            return f"press {_first(args)}" + (f" in {_describe(args[1:])}" if len(args) > 1 else "")
        case "request" | "requestJson":
            path = str(args[1] if len(args) > 1 else "").partition("?")[0]
            return f"send {_first(args)} {path}"
        case "waitForRequest":
            wanted = args[0] if args and isinstance(args[0], dict) else {}
            return f"wait for the answer to {wanted.get('method', '')} {wanted.get('path', '')}"
        case "readForm":
            return "read the form"
        case "readField":
            return f"read the field {_first(args)}"
        case "getCsrfToken" | "getCookie":
            return "read the page's token" if call.name == "getCsrfToken" else f"read the cookie {_first(args)}"
        case "confirm":
            return "confirm the effect"
        case "results":
            return "read the results"
        case "fallBack":
            return "do it by hand"
    return call.name


_VERBS = {
    "click": "click",
    "doubleClick": "double-click",
    "hover": "move the pointer to",
    "write": "write into",
    "find": "look for",
    "check": "check or uncheck",
    "upload": "give files to",
    "select": "choose in",
    "type": "type into",
    "waitFor": "wait for",
}


PATTERN_KEYS = ("name", "text", "placeholder")
"""What a script may give as a regular expression."""

_TARGET_KEYS = ("role", "name", "text", "placeholder", "selector")


def target_of(value: Any) -> Target:
    """The result of the helper `find` as a target.

    Raises:
        SubroutineBrokenError: the value names no element.
    """
    known = value.get("find") if isinstance(value, dict) else None
    if not isinstance(known, dict) or not any(known.get(key) for key in _TARGET_KEYS):
        raise SubroutineBrokenError("a call of the script names no element: give it find({ role, name, … })")
    words = {key: _word(known.get(key, "")) for key in (*_TARGET_KEYS, "frame", "owner", "href")}
    patterns = tuple(key for key in PATTERN_KEYS if isinstance(known.get(key), dict))
    near = known.get("near")
    facts = {key: str(near.get(key, "")) for key in NEAR} if isinstance(near, dict) else {}
    row = known.get("row")
    fields: dict[str, Any] = {
        **words,
        "near": facts,
        "patterns": patterns,
        "nth": int(known.get("nth", 0)),
        "of": int(known.get("of", 0)),
    }
    if isinstance(row, dict):
        fields["cell"] = {"column": str(row.get("column", "")), "text": str(row.get("text", ""))}
    return msgspec.convert(fields, Target)


def _word(value: Any) -> str:
    """A text, or a regular expression as `/source/flags`."""
    return f"/{value.get('pattern', '')}/{value.get('flags', '')}" if isinstance(value, dict) else str(value)


def _describe(args: Sequence[Any]) -> str:
    try:
        return describe_target(target_of(args[0] if args else None))
    except SubroutineBrokenError:
        return "nothing that is named"


def _first(args: Sequence[Any]) -> str:
    return str(args[0])[:120] if args else ""


def parsed_json(value: Any) -> str:
    """JavaScript whose value is a JSON value. A literal with a key `__proto__` would set the prototype."""
    return f"JSON.parse({js_text(js_text(value))})"


@cache
def script_source(name: str, start: str) -> str:
    """The function in a JavaScript file of this package, from its first characters on."""
    text = files("perception.subroutines").joinpath(name).read_text("utf-8")
    return text[text.index(start) :].strip().rstrip(";")
