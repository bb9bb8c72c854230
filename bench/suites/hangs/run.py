"""Hangs, crashes and stalls pages through the service under a deadline, and uses the tab afterwards.

Rule 1: a tab is used for all cases of a round; one that has become unusable is replaced and reported.
Rule 2: a call's duration is measured by its caller. gRPC ends a call at its deadline by itself, so calls that the
service itself answered are also counted.
Rule 3: another session looks at its own page continuously during the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perception.bench.suites.hangs.hang_cases import PRESSED, TYPED, HangCall, HangCase, ProcessFault, serve_hang_cases
from perception.bench.suites.hangs.process_count import (
    ProcessCounts,
    arguments,
    count_processes,
    descendants,
    renderers,
)
from perception.browser.cdp.cdp_link import CdpLink
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.client.child import ServiceChild
from perception.client.requests import action_request, evaluate_request, snapshot_request
from perception.deadline import Deadline
from perception.v1 import session_service_pb2 as session_pb

HANG_DEADLINE_SECONDS = 1.0
"""Deadline of a call that encounters a case: the service reserves 0.2 s of it to answer."""

USE_SECONDS = 5.0
"""Deadline of each of the calls that use the tab afterwards."""

OPEN_SECONDS = 30.0
"""Deadline of calls that are not measured."""

PAUSE_SECONDS = 0.05
"""Interval between looks of the witness, and between checks for the end of processes."""

PROCESSES_QUIET_SECONDS = 8.0
"""Time for a round's last processes to end: Chromium keeps a renderer for some seconds for the next page."""

BUSY_SCRIPT = "{ const until = performance.now() + 400; while (performance.now() < until); }"

_HOSTS = ("127.0.0.1", "localhost")


@dataclass(frozen=True, slots=True)
class HangOutcome:
    """One case in one round.

    Attributes:
        wall_s: duration of the call.
        reason: of the error, `""` if the call succeeded, `"-"` if only gRPC's own timer ended it.
        in_place: why the tab could not be used on its page; empty if it could.
        after: the same after navigation to another page; empty also if that was not needed.
        use_s: duration of the slowest call that used the tab at the end.
        witness_s: the longest look of the other session during the call.
    """

    way: str
    round: int
    wall_s: float
    reason: str
    message: str
    in_place: str
    after: str
    use_s: float
    witness_s: float


@dataclass(frozen=True, slots=True)
class HangsRun:
    """A run: the outcome of each way in each round; processes before the first round and after each."""

    outcomes: tuple[HangOutcome, ...]
    counts: tuple[ProcessCounts, ...]


@dataclass(slots=True)
class _HangLab:
    """The service, and its sessions."""

    client: AsyncClient
    pid: int
    origin: str
    browser: CdpLink
    witness: AsyncPage
    witness_s: float = 0.0

    async def open(self) -> AsyncPage:
        return await self.client.open(f"{self.origin}/after", allow_evaluate=True)


async def run_hangs(
    wanted: Sequence[HangCase], *, rounds: int, on_outcome: Callable[[HangOutcome], None]
) -> tuple[list[HangOutcome], list[ProcessCounts], str]:
    """Runs all cases the given number of times.

    Args:
        on_outcome: called with each outcome.

    Returns:
        All outcomes; process counts before the first round and after each; the browser's version.
    """
    ran: list[HangOutcome] = []
    with serve_hang_cases() as origin:
        async with _place(origin) as place:
            censuses = [await _census(place)]
            for index in range(rounds):
                page = await place.open()
                for way in wanted:
                    done = await _go_through(place, page, way, index)
                    ran.append(done)
                    on_outcome(done)
                    if done.after:
                        await _close(page)
                        page = await place.open()
                await _close(page)
                censuses.append(await _census(place))
            version = await place.browser.session().call("Browser.getVersion", Deadline.of(USE_SECONDS), "asking")
            return ran, censuses, str(version["product"])


@asynccontextmanager
async def _place(origin: str) -> AsyncIterator[_HangLab]:
    child = await asyncio.to_thread(ServiceChild.start, _HOSTS)
    try:
        async with await aconnect(child.address, timeout_s=OPEN_SECONDS) as client:
            witness = await client.open(f"{origin}/after")
            link = await CdpLink.connect(_devtools(child.process.pid), Deadline.of(OPEN_SECONDS))
            place = _HangLab(client, child.process.pid, origin, link, witness)
            watching = asyncio.create_task(_watch(place))
            yield place
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await link.close()
    finally:
        await asyncio.to_thread(child.stop)


def _devtools(service_pid: int) -> str:
    """The address for DevTools connections to the service's browser."""
    option = "--user-data-dir="
    profiles = {
        each.removeprefix(option)
        for pid in descendants(service_pid)
        for each in arguments(pid)
        if each.startswith(option)
    }
    port, path = (Path(profiles.pop()) / "DevToolsActivePort").read_text().split()
    return f"ws://127.0.0.1:{port}{path}"


async def _watch(place: _HangLab) -> None:
    """The witness's looks, one after another."""
    while True:
        start = time.monotonic()
        await place.witness.snapshot(mode="text")
        place.witness_s = max(place.witness_s, time.monotonic() - start)
        await asyncio.sleep(PAUSE_SECONDS)


async def _go_through(place: _HangLab, page: AsyncPage, way: HangCase, index: int) -> HangOutcome:
    """Prepares a case, makes the call, and uses the tab."""
    try:
        pid = await _set_up(place, page, way)
    except RemoteError as exc:
        problem = f"setting up: {exc.reason or '-'} {exc}"
        return HangOutcome(way.id, index, 0.0, "", "", problem, problem, 0.0, 0.0)
    if way.outside in (ProcessFault.STOP, ProcessFault.KILL):
        os.kill(pid, signal.SIGSTOP if way.outside is ProcessFault.STOP else signal.SIGKILL)
    if way.outside is ProcessFault.KILL_LATER:
        asyncio.get_running_loop().call_later(HANG_DEADLINE_SECONDS / 2, os.kill, pid, signal.SIGKILL)
    place.witness_s = 0.0
    start = time.monotonic()
    reason, message = await _call(place, page, way)
    wall_s = time.monotonic() - start
    try:
        in_place, use_s = await _use(page)
        after = ""
        if in_place:
            after, use_s = await _leave_and_use(place, page)
    finally:
        if way.outside is ProcessFault.STOP:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    await _close_other_tabs(place, page)
    return HangOutcome(way.id, index, wall_s, reason, message, in_place, after, use_s, place.witness_s)


async def _set_up(place: _HangLab, page: AsyncPage, way: HangCase) -> int:
    """Opens the case's page and runs its preparation. Returns the pid of its process, if that is needed."""
    if way.call is not HangCall.NAVIGATE or way.before:
        await page.navigate(way.url(place.origin))
    pid = await _process_of(place, page) if way.outside else 0
    if way.before:
        await page.evaluate(way.before, await_promise=True)
    return pid


async def _process_of(place: _HangLab, page: AsyncPage) -> int:
    """The tab's renderer: the one that is busy while its page is."""
    before = renderers(place.pid)
    await page.evaluate(BUSY_SCRIPT)
    after = renderers(place.pid)
    return max(after, key=lambda pid: after[pid] - before.get(pid, 0))


async def _call(place: _HangLab, page: AsyncPage, way: HangCase) -> tuple[str, str]:
    """Makes the call: returns the reason and the message of the error."""
    method, request = _request(place, page, way)
    try:
        reply = await place.client.call(method, request, HANG_DEADLINE_SECONDS)
    except RemoteError as exc:
        return exc.reason or "-", str(exc)
    if way.call is HangCall.EVALUATE:
        return "", reply.exception
    return "", "; ".join(getattr(getattr(reply, "result", None), "notes", ()))


def _request(place: _HangLab, page: AsyncPage, way: HangCase) -> tuple[Any, Any]:
    client, session_id = place.client, page.session_id
    actions, sessions = client.actions, client.sessions
    match way.call:
        case HangCall.EVALUATE:
            fields = {"await_promise": way.awaits}
            return actions.Evaluate, evaluate_request(session_id, way.script, None, fields)
        case HangCall.CLICK:
            return actions.Click, action_request("Click", session_id, {"target": way.target})
        case HangCall.CLICK_AT:
            return actions.Click, action_request("Click", session_id, {"target": (130.0, 120.0)})
        case HangCall.PRESS:
            return actions.PressKey, action_request("PressKey", session_id, {"key": "F2"})
        case HangCall.TYPE:
            return actions.TypeText, action_request("TypeText", session_id, {"target": way.target, "text": "abc"})
        case HangCall.HOVER:
            return actions.Hover, action_request("Hover", session_id, {"target": way.target})
        case HangCall.SCROLL:
            return actions.Scroll, action_request("Scroll", session_id, {"delta_y": 500})
        case HangCall.SNAPSHOT:
            return client.perception.CaptureSnapshot, snapshot_request(session_id, "", {"mode": "MODE_TEXT"})
        case HangCall.RELOAD:
            return sessions.Reload, session_pb.ReloadRequest(session_id=session_id)
        case _:
            url = way.url(place.origin) if way.call is HangCall.NAVIGATE else f"{place.origin}/after"
            return sessions.Navigate, session_pb.NavigateRequest(session_id=session_id, url=url)


class _WithoutEffectError(Exception):
    """Actions were answered but had no effect."""


async def _use(page: AsyncPage) -> tuple[str, float]:
    """Clicks, types and looks, after answering an open dialog: returns why one of them failed, and the duration of the
    slowest."""
    slowest = 0.0
    steps = (
        ("click", lambda: page.click("#b", timeout_s=USE_SECONDS)),
        ("type", lambda: page.type_text("#i", TYPED, clear=True, timeout_s=USE_SECONDS)),
        ("snapshot", lambda: _look(page)),
    )
    for name, step in steps:
        for attempt in (1, 2):
            start = time.monotonic()
            try:
                await step()
                break
            except RemoteError as exc:
                if attempt == 1 and exc.reason == "DIALOG_OPEN":
                    await _dismiss(page)
                    continue
                return f"{name}: {exc.reason or '-'} {exc}", slowest
            except _WithoutEffectError as exc:
                return f"{name}: {exc}", slowest
            finally:
                slowest = max(slowest, time.monotonic() - start)
    return "", slowest


async def _look(page: AsyncPage) -> None:
    client = page._client
    request = snapshot_request(page.session_id, "", {"mode": "MODE_TEXT"})
    text = (await client.call(client.perception.CaptureSnapshot, request, USE_SECONDS)).snapshot.text
    if PRESSED not in text or TYPED not in text:
        raise _WithoutEffectError("what was clicked or typed is not in it")


async def _dismiss(page: AsyncPage) -> None:
    with contextlib.suppress(RemoteError):  # it was closed with its page
        await page.handle_dialog(False)


async def _leave_and_use(place: _HangLab, page: AsyncPage) -> tuple[str, float]:
    """Navigates, then uses the tab."""
    request = session_pb.NavigateRequest(session_id=page.session_id, url=f"{place.origin}/after")
    start = time.monotonic()
    for attempt in (1, 2):
        try:
            await place.client.call(place.client.sessions.Navigate, request, USE_SECONDS)
            break
        except RemoteError as exc:
            if attempt == 2 or exc.reason != "DIALOG_OPEN":
                return f"navigate: {exc.reason or '-'} {exc}", time.monotonic() - start
            await _dismiss(page)
    went_s = time.monotonic() - start
    problem, slowest = await _use(page)
    return problem, max(slowest, went_s)


async def _close_other_tabs(place: _HangLab, page: AsyncPage) -> None:
    """Closes what a case opened."""
    sessions = place.client.sessions
    listed = await place.client.call(sessions.ListTabs, session_pb.ListTabsRequest(session_id=page.session_id))
    for tab in listed.tabs:
        if not tab.selected:
            request = session_pb.CloseTabRequest(session_id=page.session_id, tab_id=tab.tab_id)
            await place.client.call(sessions.CloseTab, request)


async def _close(page: AsyncPage) -> None:
    with contextlib.suppress(RemoteError):  # its browser is gone: the next session starts another
        await page.close()


async def _census(place: _HangLab) -> ProcessCounts:
    """Counts when the number of processes has become stable."""
    until = time.monotonic() + PROCESSES_QUIET_SECONDS
    fewest = len(descendants(place.pid))
    while time.monotonic() < until:
        await asyncio.sleep(PAUSE_SECONDS)
        fewest = min(fewest, len(descendants(place.pid)))
    reply = await place.browser.session().call("Target.getTargets", Deadline.of(USE_SECONDS), "counting targets")
    return count_processes(place.pid, len(reply["targetInfos"]))
