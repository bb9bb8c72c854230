"""Made-up calls of every tool: each is answered, and none by a failure of the server.

The campaign, `perception bench run fuzz --part tools`, makes many more, over HTTP.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from perception.bench.suites.fuzz.tool_calls import complaint, draw_call
from perception.tools.profiles import PROFILES, find_profile
from tests.mcp.conftest import InProcess, text_of

CALLS = 500
"""Of each profile."""

AT_ONCE = 8

BOUND_SECONDS = 240
"""They take some 10 s; a call that hangs does not end."""


@pytest.mark.parametrize("profile", PROFILES)
async def test_every_made_up_call_is_answered(in_process: InProcess, site: str, profile: str) -> None:
    tools = [each for each in find_profile(profile).tools if each.name != "ask_user"]
    page = f"{site}/html?body={quote('<h1>Fuzz</h1><button>Save</button><input aria-label=Two id=name>')}"
    calls = [draw_call(tools, Random(f"20261123 {number}"), page) for number in range(CALLS)]
    # the service has four sessions for all tests
    calls = [(name, given) for name, given in calls if given.get("session") != "new"]
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


def test_the_same_case_is_the_same_call_and_failures_are_told_from_refusals() -> None:
    tools = find_profile("default").tools
    drawn = [draw_call(tools, Random(f"1 tools {number}"), "http://x/") for number in range(400)]
    assert drawn == [draw_call(tools, Random(f"1 tools {number}"), "http://x/") for number in range(400)]
    assert len({name for name, _ in drawn}) > len(tools)  # some that there are not
    for text in ("INTERNAL: look failed here", "1. click: done\n2. UNKNOWN: x", "", "BAD_INPUT: one\ntwo"):
        assert complaint(text, is_error=True)
    assert not complaint("BAD_INPUT: view is 5", is_error=True)
    assert not complaint("INTERNAL is what the page says", is_error=False)
