"""Made-up calls of every tool: each is answered, and none by a failure of the server.

The campaign, `perception bench run fuzz --part tools`, makes many more, over HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import settings

from perception.bench.suites.fuzz.tool_calls import complaint, draw_call
from perception.tools.profiles import PROFILES, find_profile
from perception.tools.tool import Tool
from tests.long.mcp.conftest import InProcess, text_of

AT_ONCE = 8

BOUND_SECONDS = 240
"""They take some seconds; a call that hangs does not end."""


def drawn_calls(tools: Sequence[Tool], page: str) -> list[tuple[str, dict[str, Any]]]:
    """Twice as many calls as the profile of the tests has examples, and more until every tool is called."""
    calls: list[tuple[str, dict[str, Any]]] = []
    wanted = {each.name for each in tools}
    for number in count():
        name, given = draw_call(tools, Random(f"20261123 {number}"), page)
        if number >= 2 * settings.default.max_examples and name not in wanted:
            continue
        if given.get("session") != "new":  # the service has four sessions for all tests
            calls.append((name, given))
            wanted.discard(name)
        if number >= 2 * settings.default.max_examples and not wanted:
            return calls
    raise AssertionError("there is no end to them")


@pytest.mark.parametrize("profile", PROFILES)
async def test_every_made_up_call_is_answered(in_process: InProcess, site: str, profile: str) -> None:
    tools = [each for each in find_profile(profile).tools if each.name != "ask_user"]
    page = f"{site}/html?body={quote('<h1>Fuzz</h1><button>Save</button><input aria-label=Two id=name>')}"
    calls = drawn_calls(tools, page)
    wrong: list[tuple[str, Any, str]] = []
    refused = 0
    async with in_process.connect(profile, ("all",)) as connected, asyncio.timeout(BOUND_SECONDS):
        await connected(find_profile(profile).names.open, url=page)
        limit = asyncio.Semaphore(AT_ONCE)

        async def call(name: str, arguments: dict[str, Any]) -> None:
            nonlocal refused
            async with limit:
                result = await connected.client.call_tool(name, arguments)
            refused += bool(result.is_error)
            if told := complaint(text_of(result), bool(result.is_error)):
                wrong.append((name, arguments, told))

        await asyncio.gather(*(call(*each) for each in calls))
    assert wrong == []
    assert 0 < refused < len(calls)
