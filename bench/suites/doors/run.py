"""Does the task through each server in turn, and lists the tools of all.

Rule 1: an element is found in the answers alone, by its kind and name; what they do not have is looked for, and counts.
Rule 2: the servers take turns, each with the same Chromium, newly started; its start is measured apart.
Rule 3: a page that cannot be served, or a peer that cannot be installed or started, is left out with its reason.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from perception.bench.mcp_client import (
    SHARING_COMMAND,
    McpAnswer,
    McpError,
    McpTools,
    connected_over_stdio,
    listed_tokens_text,
)
from perception.bench.suites.doors.browser_probe import has_effect
from perception.bench.suites.doors.outcomes import DoorsRun, PageOutcome, ServerStart, ToolList
from perception.bench.suites.doors.pages import PAGE_TASKS, PageTask, TaskStep
from perception.bench.suites.doors.servers import (
    LISTED,
    OWN_ALLOWED,
    PEERS,
    SERVERS,
    SHARING,
    ListedServer,
    SeenElement,
    Server,
)
from perception.bench.suites.subroutines.apps.installing import install_packages
from perception.browser.chromium.launch import LaunchOptions, find_executable
from perception.datasets.sources.manifest import load_manifest
from perception.datasets.sources.packages import PackageError, fetch
from perception.datasets.sources.site_server import serve
from perception.render.tokens import count_tokens

TRIES = 2
"""Of a step: after an error the page is looked at, and the step done once more."""

LATE_SECONDS = 20.0
"""How long an element is looked for: pages that load their scripts one by one need some seconds."""

SHARED_FOR_SECONDS = 10.0
"""How long another host's server has been up, or nobody has started one, when a start is measured."""


async def run_doors(
    rounds: int, home: Path, on_outcome: Callable[[PageOutcome], None], say: Callable[[str], None]
) -> DoorsRun:
    """The task, `rounds` times by each server, and the tool lists.

    Args:
        on_outcome: called with each outcome.
        say: writes a line.
    """
    manifest = load_manifest()
    left_out: dict[str, str] = {}
    pages = []
    for each in PAGE_TASKS if rounds else ():
        try:
            fetch(manifest.pages[each.page], manifest, home)
            pages.append(manifest.pages[each.page])
        except PackageError as exc:
            left_out[each.page] = str(exc)
    folders, failed = install_packages([PEERS], home, say)
    peers = folders.get(PEERS.name, Path())
    outcomes: list[PageOutcome] = []
    starts: list[ServerStart] = []
    with tempfile.TemporaryFile("w+") as log:
        lists = [await _listed(each, peers, failed.get(PEERS.name, ""), log) for each in LISTED]
        with serve(pages, manifest, home) as served:
            left_out |= served.unserved
            tasks = [(each, served.urls[each.page]) for each in PAGE_TASKS if each.page in served.urls]
            for server in SERVERS * rounds if tasks else ():
                async for done in _round(server, tasks, peers, log):
                    if isinstance(done, ServerStart):
                        starts.append(done)
                        continue
                    outcomes.append(done)
                    on_outcome(done)
            try:
                starts += await _shared_starts(rounds, tasks[0][1], log) if tasks else []
            except McpError as exc:
                left_out[SHARING] = str(exc)
    return DoorsRun(
        tuple(outcomes), tuple(starts), tuple(lists), tuple(f"{name}: {why}" for name, why in left_out.items())
    )


async def _listed(server: ListedServer, peers: Path, missing: str, log: TextIO) -> ToolList:
    if missing and server.is_peer:
        return ToolList(server.name, problem=missing)
    try:
        async with connected_over_stdio(server.command(peers), log) as tools:
            listed = await tools.listed()
    except McpError as exc:
        return ToolList(server.name, problem=str(exc))
    return ToolList(server.name, len(listed), sum(count_tokens(listed_tokens_text(each)) for each in listed))


async def _round(
    server: Server, tasks: Sequence[tuple[PageTask, str]], peers: Path, log: TextIO
) -> AsyncIterator[ServerStart | PageOutcome]:
    """All pages, in one session of a server that is newly started, after a first one that only starts its browser."""
    browser = str(find_executable(LaunchOptions()))
    left = [task for task, _ in tasks]
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PLAYWRIGHT_MCP_CONFIG": _with_port(Path(folder)), "PLAYWRIGHT_MCP_OUTPUT_DIR": folder}
        began = time.monotonic()
        try:
            async with connected_over_stdio(server.command(peers, browser), log, environment=environment) as tools:
                await tools.call(*server.opens(tasks[0][1]))
                yield ServerStart(server.name, round(time.monotonic() - began, 3))
                for task, url in tasks:
                    yield await Player(server, tools).play(task, url)
                    left.remove(task)
        except McpError as exc:
            for task in left:
                yield PageOutcome(server.name, task.page, False, str(exc), 0, 0, 0, 0, 0.0)


async def _shared_starts(rounds: int, url: str, log: TextIO) -> list[ServerStart]:
    """Our server as a host starts it, where another one has been serving for a while."""
    starts = []
    command = (*SHARING_COMMAND, *OWN_ALLOWED)
    async with connected_over_stdio(command, log) as other:
        await other.call(*SERVERS[0].opens(url))
        for _ in range(rounds):
            await asyncio.sleep(SHARED_FOR_SECONDS)
            began = time.monotonic()
            async with connected_over_stdio(command, log) as tools:
                await tools.call(*SERVERS[0].opens(url))
                starts.append(ServerStart(SHARING, round(time.monotonic() - began, 3)))
    return starts


def _with_port(folder: Path) -> str:
    """A configuration of Playwright MCP whose browser opens its DevTools port, too."""
    path = folder / "config.json"
    path.write_text(json.dumps({"browser": {"launchOptions": {"args": ["--remote-debugging-port=0"]}}}))
    return os.fspath(path)


@dataclass(slots=True)
class Player:
    """Does the steps of a page by what it is answered, and counts."""

    server: Server
    tools: McpTools
    calls: int = 0
    read: int = 0
    written: int = 0
    wire_bytes: int = 0
    seconds: float = 0.0
    stumbles: list[str] = field(default_factory=list)
    seen: list[SeenElement] = field(default_factory=list)

    async def play(self, task: PageTask, url: str) -> PageOutcome:
        """The outcome; an error of the protocol or a missing element is its problem."""
        problem = ""
        try:
            await self._call(*self.server.opens(url))
            for step in task.steps:
                await self._do(step)
            if not await has_effect(url, task.effect):
                problem = "the page does not have the effect"
        except McpError as exc:
            problem = str(exc)
        return PageOutcome(
            self.server.name,
            task.page,
            not problem,
            problem,
            self.calls,
            self.read,
            self.written,
            self.wire_bytes,
            round(self.seconds, 3),
            tuple(self.stumbles),
        )

    async def _do(self, step: TaskStep) -> None:
        """Raises McpError for a step that cannot be done."""
        for attempt in range(TRIES):
            ref = (await self._find(step)).ref if step.name else ""
            answer = await self._call(*self.server.acts(step, ref))
            if not answer.is_error:
                return
            self.stumbles.append(f"{step.do} {step.name}: {answer.text[:200]}")
            if attempt + 1 == TRIES:
                raise McpError(f"{step.do} {step.name or step.text}: {answer.text[:300]}")
            self.seen.clear()

    async def _find(self, step: TaskStep) -> SeenElement:
        """Raises McpError for an element that no answer has."""
        if found := self._in_answers(step):
            return found
        end = time.monotonic() + LATE_SECONDS
        while time.monotonic() < end:
            for look in self.server.looks:
                self.seen.clear()
                await self._call(*look)
                self.stumbles.append(f"{look[0]} for {step.name}")
                if found := self._in_answers(step):
                    return found
        raise McpError(f"no answer has {step.roles[0]} {step.name!r}")

    def _in_answers(self, step: TaskStep) -> SeenElement | None:
        """An equal name before a longer one, then by the order of the step's roles, then the latest."""
        fitting = [
            (each.name.lower() == step.name.lower(), -step.roles.index(each.role), place, each)
            for place, each in enumerate(self.seen)
            if each.role in step.roles and step.name.lower() in each.name.lower()
        ]
        return max(fitting, key=lambda each: each[:3])[3] if fitting else None

    async def _call(self, name: str, arguments: Any) -> McpAnswer:
        self.calls += 1
        self.written += count_tokens(json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False))
        began = time.monotonic()
        answer = await self.tools.call(name, arguments)
        self.seconds += time.monotonic() - began
        self.read += count_tokens(answer.text)
        self.wire_bytes += answer.wire_bytes
        self.seen += self.server.reads(answer.text)
        return answer
