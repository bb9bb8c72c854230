"""Made-up calls of a model's tools: mostly of the right types, often not, sometimes valid."""

from __future__ import annotations

import string
from collections.abc import Sequence
from random import Random
from typing import Any

from perception.bench.suites.fuzz.fuzzed_sessions import EVALUATED_SCRIPTS, PRESSED_KEYS, SELECTORS
from perception.tools.tool import Tool

LONGEST_WAIT_SECONDS = 0.3
"""Waits are real ones."""

HUGE_EVERY = 2000
"""Calls for each with an argument of ten million characters."""

RARE = 0.04
"""Share of the calls of a rare tool, and of new sessions, that are made: the others would have no page."""

RARE_TOOLS = frozenset({"close", "browser_close", "browser_resize"})

WORDS = (
    *("", "e1", "e5", "e 1", "v1", "e999", "new", "last", "0", "-1", "nan", "1e400", "true", "[]", "{}"),
    *('{"do": "click"}', "img:1,1", "1,1", "100,200", "::::", ">>>", "\x00", "\ud800", "ß" * 50, "a" * 5000, "../.."),
    *("about:blank", "s1.1", "s1.2", "file:///etc/passwd", "javascript:1", "http://[", "Control+Shift+", "t1"),
    *("<untrusted-page 1>", "Save", "the Save button", "Fuzzed", "**/other"),
    *SELECTORS,
    *PRESSED_KEYS,
)
ODD: tuple[Any, ...] = (None, True, 0, -1, 2**70, 0.5, [], {}, [[]], [None], {"x": 1, "y": []}, {"a": {"b": ["c"]}})
NUMBERS: tuple[Any, ...] = (0, 1, 2, "5", 0.3, 1e9, -1, "x", 100)
WAITS: tuple[Any, ...] = (0.1, "0.2", LONGEST_WAIT_SECONDS, 0, -1, "nan", "x")


def draw_call(tools: Sequence[Tool], random: Random, url: str) -> tuple[str, dict[str, Any]]:
    """A tool's name and arguments.

    Args:
        tools: of a profile.
        random: of the case.
        url: of a page that can be opened.
    """
    tool = random.choice([each for each in tools if each.name not in RARE_TOOLS or random.random() < RARE])
    if random.random() < 0.01:
        return random.choice(("", "look2", tool.name.upper(), tool.name * 40)), {}
    given = _made_up(tool.schema, random)
    arguments = given if isinstance(given, dict) else {}
    if "url" in arguments and random.random() < 0.7:
        arguments["url"] = url
    if "script" in tool.schema["properties"] and random.random() < 0.5:
        arguments["script"] = random.choice(EVALUATED_SCRIPTS)
    if arguments.get("session") == "new" and random.random() > RARE:
        del arguments["session"]
    for name in ("seconds", "time"):
        if name in tool.schema["properties"]:
            arguments[name] = random.choice(WAITS)
    if random.random() < 1 / HUGE_EVERY and arguments:
        arguments[random.choice(list(arguments))] = "a" * 10_000_000
    return tool.name, arguments


def _made_up(schema: dict[str, Any], random: Random) -> Any:
    """A value for a schema."""
    kind = schema.get("type")
    if random.random() < 0.08 and kind != "object":
        return random.choice(ODD)
    if "enum" in schema and random.random() < 0.9:
        return random.choice(schema["enum"])
    match kind:
        case "object":
            return _made_up_object(schema, random)
        case "array":
            count = random.choice((0, 1, 1, 2, 3, 25))
            return [_made_up(schema.get("items", {}), random) for _ in range(count)]
        case "integer" | "number":
            return random.choice(NUMBERS)
        case "boolean":
            return random.choice((True, False, "true", "no", 1))
    return random.choice(WORDS)


def _made_up_object(schema: dict[str, Any], random: Random) -> dict[str, Any]:
    properties = schema.get("properties", {})
    share = random.choice((0.1, 0.25, 0.5))
    names = [name for name in properties if random.random() < share]
    names += [name for name in schema.get("required", ()) if random.random() < 0.95]
    value = {name: _made_up(properties[name], random) for name in names if name != "session" or random.random() < 0.1}
    if random.random() < 0.03:
        value["".join(random.choices(string.ascii_letters, k=4))] = 1
    return value


def complaint(text: str, is_error: bool) -> str:
    """What is wrong with an answer; empty for nothing."""
    if not is_error:
        return ""
    for mark in ("INTERNAL", "UNKNOWN: ", "Traceback", "DATA_LOSS"):
        if mark in text:
            return f"{mark.strip(': ')} in the answer: {text[:300]}"
    if text.startswith("BAD_INPUT") and len(text.rstrip().splitlines()) > 1 and ": done" not in text:
        return f"an error of more than one line: {text[:300]}"
    return "" if text.strip() else "an error without words"
