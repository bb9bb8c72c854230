"""Made-up calls of every tool: each is answered, and none by a failure of the server."""

from __future__ import annotations

import asyncio
import random
import string
from typing import Any
from urllib.parse import quote

import pytest

from perception.tools.profiles import PROFILES
from perception.tools.schema import schema_of
from tests.mcp.conftest import InProcess, text_of

CALLS = 1000
"""Of each profile."""

AT_ONCE = 8

BOUND_SECONDS = 240
"""A thousand take some 10 s; a call that hangs does not end."""

WORDS = [
    *("", "e1", "e 1", "v1", "e999", "new", "last", "0", "-1", "nan", "1e400", "true", "[]", "{}", '{"do": "click"}'),
    *("img:1,1", "1,1", "#x", "::::", ">>>", "\x00", "\ud800", "ß" * 50, "a" * 5000, "../..", "about:blank", "s1.1"),
    *("file:///etc/passwd", "javascript:1", "http://[", "Control+Shift+", "t1", "<untrusted-page 1>"),
]
ODD: list[Any] = [None, True, 0, -1, 2**70, 0.5, [], {}, [[]], [None], {"x": 1, "y": []}, {"a": {"b": ["c"]}}]


def made_up(schema: dict[str, Any], draw: random.Random) -> Any:
    """A value for a schema: mostly of its type, often of none."""
    if draw.random() < 0.15:
        return draw.choice(ODD)
    if "enum" in schema and draw.random() < 0.9:
        return draw.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            names = [name for name in schema.get("properties", {}) if draw.random() < 0.5]
            names += [name for name in schema.get("required", []) if draw.random() < 0.9]
            value = {name: made_up(schema["properties"][name], draw) for name in names}
            return value | ({"".join(draw.choices(string.ascii_letters, k=4)): 1} if draw.random() < 0.05 else {})
        case "array":
            return [made_up(schema.get("items", {}), draw) for _ in range(draw.choice([0, 1, 1, 2, 3, 25]))]
        case "integer" | "number":
            return draw.choice([0, 1, 2, "5", 0.3, 1e9, "x"])
        case "boolean":
            return draw.choice([True, False, "true", "no", 1])
    return draw.choice(WORDS)


@pytest.mark.parametrize("profile", PROFILES)
async def test_every_made_up_call_is_answered(in_process: InProcess, site: str, profile: str) -> None:
    draw = random.Random(20261123)
    tools = PROFILES[profile].tools
    page = f"{site}/html?body={quote('<h1>Fuzz</h1><button>One</button><input aria-label=Two>')}"
    answers: list[tuple[str, Any, str]] = []
    calls = []
    for _ in range(CALLS):
        tool = draw.choice(tools)
        arguments = made_up(schema_of(tool.arguments) | {"type": "object"}, draw)
        if not isinstance(arguments, dict):
            arguments = {}
        for name in ("seconds", "time"):  # waits are real ones
            if isinstance(arguments.get(name), int | float) and arguments[name] > 0.3:
                arguments[name] = 0.3
        if tool.name in ("wait", "browser_wait_for"):
            arguments.setdefault("seconds" if tool.name == "wait" else "time", 0.2)
        if tool.name == "open" and arguments.get("session") == "new":
            del arguments["session"]  # the service has four sessions for all tests
        if tool.name == "ask_user":
            continue
        calls.append((tool.name, arguments))
    async with in_process.connect(profile, ("all",)) as connected, asyncio.timeout(BOUND_SECONDS):
        await connected("open" if profile == "default" else "browser_navigate", url=page)
        limit = asyncio.Semaphore(AT_ONCE)

        async def call(name: str, arguments: dict[str, Any]) -> None:
            async with limit:
                result = await connected.client.call_tool(name, arguments)
                answers.append((name, arguments, text_of(result) if result.is_error else ""))

        await asyncio.gather(*(call(*each) for each in calls))
    assert len(answers) == len(calls)
    assert [each for each in answers if "INTERNAL" in each[2] or "UNKNOWN: " in each[2] or "Traceback" in each[2]] == []
    refused = [told for _, _, told in answers if told]
    assert len(refused) < len(answers)
    assert [told for told in refused if "\n" in told.rstrip() and ": done" not in told and "BAD" in told[:3]] == []
