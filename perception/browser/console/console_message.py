"""DevTools' events about the console as values. Pure.

Text is what a person reads in DevTools: format specifiers are filled in, objects are shown by their first properties.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

MAX_TEXT = 4000
"""Characters of a message that are kept. Chosen by hand."""

MAX_FRAMES = 20
"""Frames of a call stack that are kept. Chosen by hand."""

MAX_PLACE = 1000
"""Characters of a script's address, or of a function's name. Chosen by hand."""


class ConsoleLevel(IntEnum):
    """How serious a message is."""

    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4


class ConsoleKind(StrEnum):
    """Who wrote a message."""

    CONSOLE = "console"
    """A script, by `console`."""
    EXCEPTION = "exception"
    """Nobody caught an error."""
    BROWSER = "browser"
    """The browser: requests that failed, violated policies, deprecations."""


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A function in a call stack; line and column are from 1, and 0 where they are unknown."""

    function: str
    url: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ConsoleMessage:
    """One message.

    Attributes:
        kind: who wrote it.
        level: how serious it is.
        text: as a person reads it.
        at_s: when it was written, seconds since 1970.
        url, line, column: where; empty and 0 where that is unknown.
        stack: of errors and traces, the innermost function first.
    """

    kind: ConsoleKind
    level: ConsoleLevel
    text: str
    at_s: float
    url: str = ""
    line: int = 0
    column: int = 0
    stack: tuple[StackFrame, ...] = ()


_LEVELS = {
    "error": ConsoleLevel.ERROR,
    "assert": ConsoleLevel.ERROR,
    "warning": ConsoleLevel.WARNING,
    "debug": ConsoleLevel.DEBUG,
    "verbose": ConsoleLevel.DEBUG,
}

_UNSEEN = frozenset({"clear", "endGroup", "profile", "profileEnd"})
"""Calls of `console` that write nothing."""

_SPECIFIER = re.compile(r"%[sdifoOc%]")


def read_call(params: Mapping[str, Any]) -> ConsoleMessage | None:
    """`Runtime.consoleAPICalled` as a message; None for a call that writes nothing."""
    if params["type"] in _UNSEEN:
        return None
    stack = _stack(params.get("stackTrace"))
    level = _LEVELS.get(params["type"], ConsoleLevel.INFO)
    top = stack[0] if stack else StackFrame("", "", 0, 0)
    shows_stack = level is ConsoleLevel.ERROR or params["type"] == "trace"
    return ConsoleMessage(
        ConsoleKind.CONSOLE,
        level,
        _text_of(params["args"]),
        float(params["timestamp"]) / 1000,
        top.url,
        top.line,
        top.column,
        stack if shows_stack else (),
    )


def read_exception(params: Mapping[str, Any]) -> ConsoleMessage:
    """`Runtime.exceptionThrown` as a message."""
    details = params["exceptionDetails"]
    thrown, stack = details.get("exception", {}), _stack(details.get("stackTrace"))
    said = str(thrown.get("description") or _shown(thrown) if thrown else "")
    first = said.partition("\n    at ")[0]
    text = f"{details['text']} {first}" if first and first not in details["text"] else str(details["text"])
    url = str(details.get("url") or (stack[0].url if stack else ""))
    line, column = int(details.get("lineNumber", -1)) + 1, int(details.get("columnNumber", -1)) + 1
    if stack and (not url or stack[0].url == url):
        line, column = stack[0].line, stack[0].column
    return ConsoleMessage(
        ConsoleKind.EXCEPTION,
        ConsoleLevel.ERROR,
        text[:MAX_TEXT],
        float(params["timestamp"]) / 1000,
        url[:MAX_PLACE],
        line,
        column,
        stack,
    )


def read_entry(params: Mapping[str, Any]) -> ConsoleMessage:
    """`Log.entryAdded` as a message."""
    entry = params["entry"]
    stack = _stack(entry.get("stackTrace"))
    return ConsoleMessage(
        ConsoleKind.BROWSER,
        _LEVELS.get(entry["level"], ConsoleLevel.INFO),
        f"{entry['source']}: {entry['text']}"[:MAX_TEXT],
        float(entry["timestamp"]) / 1000,
        str(entry.get("url", ""))[:MAX_PLACE],
        int(entry.get("lineNumber", -1)) + 1,
        0,
        stack,
    )


def _stack(given: Mapping[str, Any] | None) -> tuple[StackFrame, ...]:
    frames: list[StackFrame] = []
    while given and len(frames) < MAX_FRAMES:
        frames += [
            StackFrame(
                str(each["functionName"])[:MAX_PLACE],
                str(each["url"])[:MAX_PLACE],
                int(each["lineNumber"]) + 1,
                int(each["columnNumber"]) + 1,
            )
            for each in given.get("callFrames", ())
        ]
        given = given.get("parent")
    return tuple(frames[:MAX_FRAMES])


def _text_of(args: Sequence[Mapping[str, Any]]) -> str:
    """The arguments of a call as one text (https://console.spec.whatwg.org/#formatter)."""
    if not args:
        return ""
    first, rest = args[0], list(args[1:])
    words = []
    if first.get("type") == "string" and rest and _SPECIFIER.search(str(first.get("value", ""))):
        words.append(_SPECIFIER.sub(lambda match: _filled(match[0], rest), str(first["value"])))
    else:
        words.append(_shown(first))
    return " ".join([*words, *map(_shown, rest)])[:MAX_TEXT]


def _filled(specifier: str, rest: list[Mapping[str, Any]]) -> str:
    if specifier == "%%":
        return "%"
    if not rest:
        return specifier
    value = rest.pop(0)
    return "" if specifier == "%c" else _shown(value)


def _shown(value: Mapping[str, Any]) -> str:
    """One argument as a person reads it."""
    kind = value.get("type")
    if kind == "undefined":
        return "undefined"
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if "preview" in value and value.get("subtype") != "error":
        return _previewed(value["preview"])
    if "value" in value and kind != "object":
        return _literal(value["value"])
    if value.get("subtype") == "null":
        return "null"
    return str(value.get("description") or value.get("className") or kind or "")


def _literal(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _previewed(preview: Mapping[str, Any]) -> str:
    """`{id: 1, name: "Milk", …}`, `[1, 2]`; of other classes their description before it."""
    is_list = preview.get("subtype") == "array"
    properties = [
        _property(each, is_list=is_list) for each in preview.get("properties", ()) if each.get("type") != "accessor"
    ]
    if preview.get("overflow"):
        properties.append("…")
    described = str(preview.get("description", ""))
    if preview.get("subtype") not in (None, "array") or preview.get("type") == "function":
        return described
    name = "" if described in ("", "Object") or is_list else f"{described} "
    opening, closing = ("[", "]") if is_list else ("{", "}")
    return f"{name}{opening}{', '.join(properties)}{closing}"


def _property(given: Mapping[str, Any], *, is_list: bool) -> str:
    value = str(given.get("value", given.get("type", "")))
    shown = f'"{value}"' if given.get("type") == "string" else value
    return shown if is_list and str(given["name"]).isdecimal() else f"{given['name']}: {shown}"
