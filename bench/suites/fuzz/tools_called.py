"""Made-up calls of the tools, by several clients at once of a real MCP server.

Every call is answered in time, none by a failure of ours, and the server and its service need no more memory than soon
after the start.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import psutil

from perception.bench.mcp_client import McpError, own_http_server
from perception.bench.suites.fuzz.fuzzed_page import serve_page
from perception.bench.suites.fuzz.outcomes import PartOutcome
from perception.bench.suites.fuzz.raw_client import RawClient, raw_client
from perception.bench.suites.fuzz.tool_calls import complaint, draw_call
from perception.tools.profile import Profile
from perception.tools.profiles import PROFILES, find_profile
from perception.tools.tool import Tool

CLIENTS = 8

CALL_SECONDS = 5.0
"""`--timeout` of the server."""

HANG_SECONDS = 30.0
"""A tool makes up to four calls of the service one after another, each with that timeout."""

REOPEN_EVERY = 100
"""Calls of a client after which it opens the page again, which shows that its session still works."""

WARM_SHARE = 0.2
"""Share of the cases before the memory is first read: models and caches are loaded then."""

MIB_MORE = 300
"""Allowed growth of the server and its service: snapshots of open sessions are kept."""


async def fuzz_tools(cases: int, seed: int, *, clients: int = CLIENTS) -> PartOutcome:
    """Half of the cases with each profile's tools."""
    outcome = PartOutcome("tools")
    start = time.monotonic()
    for index, name in enumerate(PROFILES):
        share = cases // len(PROFILES) + (index < cases % len(PROFILES))
        await _fuzz_profile(outcome, name, find_profile(name), share, seed, clients)
    outcome.seconds = time.monotonic() - start
    return outcome


@dataclass(slots=True)
class _Campaign:
    """The cases of one profile.

    Attributes:
        numbers: of the cases that are left.
        warm_at: the case at which the memory is read first.
        memory: MiB then.
    """

    outcome: PartOutcome
    profile: Profile
    tools: Sequence[Tool]
    page: str
    seed: int
    pid: int
    numbers: Iterator[int]
    warm_at: int
    memory: float = 0.0

    async def client(self, url: str) -> None:
        """One client that calls until the numbers run out."""
        async with raw_client(url) as client:
            for done, number in enumerate(self.numbers):
                if done % REOPEN_EVERY == 0 and (wrong := await _opens(client, self.profile, self.page)):
                    self.outcome.fail(number, f"{self.profile.names.open} {self.page}", wrong)
                if number == self.warm_at:
                    self.memory = _memory(self.pid)
                name, arguments = draw_call(self.tools, Random(f"{self.seed} tools {number}"), self.page)
                code, why = await _called(client, name, arguments)
                self.outcome.count(code)
                if why:
                    self.outcome.fail(number, f"{name} {arguments!r}", why)
            await client.end()


async def _fuzz_profile(outcome: PartOutcome, name: str, profile: Profile, cases: int, seed: int, clients: int) -> None:
    offered = [each for each in profile.tools if each.name != "ask_user"]
    options = ["--profile", name, "--allow-host", "127.0.0.1", "--timeout", f"{CALL_SECONDS:g}"]
    for each in offered:
        options += ["--tools", each.name]
    with tempfile.TemporaryDirectory() as folder, serve_page() as origin, (Path(folder) / "log").open("wb") as log:
        async with own_http_server(*options, log=log) as (url, process):
            numbers, warm_at = iter(range(cases)), int(cases * WARM_SHARE)
            campaign = _Campaign(outcome, profile, offered, f"{origin}/", seed, process.pid, numbers, warm_at)
            await asyncio.gather(*(campaign.client(url) for _ in range(clients)))
            if process.returncode is not None:
                outcome.fail(outcome.cases, "process", f"{name}: the server has ended with {process.returncode}")
                return
            before, after = campaign.memory, _memory(process.pid)
        outcome.notes.append(f"{name}: {before:.0f} MiB resident early, {after:.0f} at the end")
        if after - before > MIB_MORE:
            outcome.fail(outcome.cases, "memory", f"{name}: {after - before:.0f} MiB more than early")
        for line in (Path(folder) / "log").read_text("utf-8", "replace").splitlines():
            if "Traceback" in line or "ERROR" in line:
                outcome.fail(outcome.cases, "log of the server", line)


def _memory(pid: int) -> float:
    """MiB resident of the server and its service, without the browser and detectors."""
    server = psutil.Process(pid)
    found = [server, *(each for each in server.children() if "serve" in each.cmdline())]
    return sum(each.memory_info().rss for each in found) / 2**20


async def _opens(client: RawClient, profile: Profile, page: str) -> str:
    """What is wrong when a client opens the page; a dialog of the page before it is answered first."""
    told = []
    for _ in range(3):
        try:
            async with asyncio.timeout(HANG_SECONDS):
                text, is_error = await client.call(profile.names.open, {"url": page})
                if not is_error:
                    return ""
                told.append(text[:300])
                await client.call(profile.names.dialog, {"accept": True})
        except (McpError, TimeoutError) as exc:
            told.append(f"{type(exc).__name__}: {exc}")
    return f"the page cannot be opened: {told}"


async def _called(client: RawClient, name: str, arguments: Any) -> tuple[str, str]:
    """The code of an answer, and what is wrong with it."""
    try:
        async with asyncio.timeout(HANG_SECONDS):
            text, is_error = await client.call(name, arguments)
    except TimeoutError:
        return "HANG", f"no answer in {HANG_SECONDS:g} s"
    except McpError as exc:
        if "Parse error" in str(exc) and "\\ud800" in json.dumps(arguments):  # to the SDK that is not valid JSON
            return "PARSE_ERROR", ""
        return "FAILED", str(exc)
    if not is_error:
        return "OK", ""
    code = text.split(":")[0]
    return code if code.isupper() and len(code) < 40 else "ERROR", complaint(text, is_error)
