"""Runs into every way to hang a page, through the service, under a deadline, and uses the tab afterwards.

Rule 1: a tab lives for a round and goes through all ways; one that could not be used any more is replaced, and said.
Rule 2: what a call took is its caller's time. gRPC ends a call at its deadline by itself, so it is also counted which
calls the service answered in words of its own.
Rule 3: another session looks at its own page meanwhile, all the time.
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

from perception.bench.census import Census, arguments, count, descendants, renderers
from perception.bench.hangways import PRESSED, TYPED, Call, Outside, Way, serve_ways
from perception.browser.cdp import CdpLink
from perception.budget import Budget
from perception.child import ServiceChild
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.requests import action_request, evaluate_request, snapshot_request
from perception.v1 import session_service_pb2 as session_pb

DEADLINE_SECONDS = 1.0
"""What a call may take that runs into a way: the service keeps 0.2 s of it to answer."""

USE_SECONDS = 5.0
"""What each of the calls may take that use the tab afterwards."""

OPEN_SECONDS = 30.0
"""For what is not measured."""

PAUSE_SECONDS = 0.05
"""Between looks of the witness, and between looks at whether processes have ended."""

QUIET_SECONDS = 8.0
"""How long a round's last processes may take to end: Chromium keeps a renderer for some seconds for the next page."""

BUSY_SCRIPT = "{ const until = performance.now() + 400; while (performance.now() < until); }"

_HOSTS = ("127.0.0.1", "localhost")


@dataclass(frozen=True, slots=True)
class Ran:
    """One way in one round.

    Attributes:
        wall_s: from the call to its end.
        reason: of the error, `""` where the call succeeded, `"-"` where only gRPC's own clock ended it.
        in_place: why the tab could not be used where it was; empty where it could.
        after: the same once it had been to another page; empty also where that was not needed.
        use_s: what the slowest of the calls took that used the tab in the end.
        witness_s: the longest look of the other session meanwhile.
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


@dataclass(slots=True)
class _Place:
    """The service, and who is there."""

    client: AsyncClient
    pid: int
    origin: str
    browser: CdpLink
    witness: AsyncPage
    witness_s: float = 0.0

    async def open(self) -> AsyncPage:
        return await self.client.open(f"{self.origin}/after", allow_evaluate=True)


async def run_hangs(
    wanted: Sequence[Way], *, rounds: int, on_ran: Callable[[Ran], None]
) -> tuple[list[Ran], list[Census], str]:
    """Goes through the ways so many times.

    Args:
        on_ran: told of each as it is done.

    Returns:
        What came of each; a census before the first round and after each; the browser's version.
    """
    ran: list[Ran] = []
    with serve_ways() as origin:
        async with _place(origin) as place:
            censuses = [await _census(place)]
            for index in range(rounds):
                page = await place.open()
                for way in wanted:
                    done = await _go_through(place, page, way, index)
                    ran.append(done)
                    on_ran(done)
                    if done.after:
                        await _close(page)
                        page = await place.open()
                await _close(page)
                censuses.append(await _census(place))
            version = await place.browser.session().call("Browser.getVersion", Budget.of(USE_SECONDS), "asking")
            return ran, censuses, str(version["product"])


@asynccontextmanager
async def _place(origin: str) -> AsyncIterator[_Place]:
    child = await asyncio.to_thread(ServiceChild.start, _HOSTS)
    try:
        async with await aconnect(child.address, timeout_s=OPEN_SECONDS) as client:
            witness = await client.open(f"{origin}/after")
            link = await CdpLink.connect(_devtools(child.process.pid), Budget.of(OPEN_SECONDS))
            place = _Place(client, child.process.pid, origin, link, witness)
            watching = asyncio.create_task(_watch(place))
            yield place
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await link.close()
    finally:
        await asyncio.to_thread(child.stop)


def _devtools(service_pid: int) -> str:
    """Where the service's browser takes DevTools' connections."""
    option = "--user-data-dir="
    profiles = {
        each.removeprefix(option)
        for pid in descendants(service_pid)
        for each in arguments(pid)
        if each.startswith(option)
    }
    port, path = (Path(profiles.pop()) / "DevToolsActivePort").read_text().split()
    return f"ws://127.0.0.1:{port}{path}"


async def _watch(place: _Place) -> None:
    """The witness's looks, one after the other."""
    while True:
        start = time.monotonic()
        await place.witness.snapshot(mode="MODE_TEXT")
        place.witness_s = max(place.witness_s, time.monotonic() - start)
        await asyncio.sleep(PAUSE_SECONDS)


async def _go_through(place: _Place, page: AsyncPage, way: Way, index: int) -> Ran:
    """Sets a way up, runs into it, and uses the tab afterwards."""
    try:
        pid = await _set_up(place, page, way)
    except RemoteError as exc:
        problem = f"setting up: {exc.reason or '-'} {exc}"
        return Ran(way.id, index, 0.0, "", "", problem, problem, 0.0, 0.0)
    if way.outside in (Outside.STOP, Outside.KILL):
        os.kill(pid, signal.SIGSTOP if way.outside is Outside.STOP else signal.SIGKILL)
    if way.outside is Outside.KILL_LATER:
        asyncio.get_running_loop().call_later(DEADLINE_SECONDS / 2, os.kill, pid, signal.SIGKILL)
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
        if way.outside is Outside.STOP:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    await _close_other_tabs(place, page)
    return Ran(way.id, index, wall_s, reason, message, in_place, after, use_s, place.witness_s)


async def _set_up(place: _Place, page: AsyncPage, way: Way) -> int:
    """Opens the way's page and runs what comes before. The pid of its process, where that is needed."""
    if way.call is not Call.NAVIGATE or way.before:
        await page.navigate(way.url(place.origin))
    pid = await _process_of(place, page) if way.outside else 0
    if way.before:
        await page.evaluate(way.before, await_promise=True)
    return pid


async def _process_of(place: _Place, page: AsyncPage) -> int:
    """The tab's renderer: the one that is busy while its page is."""
    before = renderers(place.pid)
    await page.evaluate(BUSY_SCRIPT)
    after = renderers(place.pid)
    return max(after, key=lambda pid: after[pid] - before.get(pid, 0))


async def _call(place: _Place, page: AsyncPage, way: Way) -> tuple[str, str]:
    """Runs into it: the reason and the message of the error."""
    method, request = _request(place, page, way)
    try:
        reply = await place.client.call(method, request, DEADLINE_SECONDS)
    except RemoteError as exc:
        return exc.reason or "-", str(exc)
    if way.call is Call.EVALUATE:
        return "", reply.exception
    return "", "; ".join(getattr(getattr(reply, "result", None), "notes", ()))


def _request(place: _Place, page: AsyncPage, way: Way) -> tuple[Any, Any]:
    client, session_id = place.client, page.session_id
    actions, sessions = client.actions, client.sessions
    match way.call:
        case Call.EVALUATE:
            fields = {"await_promise": way.awaits}
            return actions.Evaluate, evaluate_request(session_id, way.script, None, fields)
        case Call.CLICK:
            return actions.Click, action_request("Click", session_id, {"target": way.target})
        case Call.CLICK_AT:
            return actions.Click, action_request("Click", session_id, {"target": (130.0, 120.0)})
        case Call.PRESS:
            return actions.PressKey, action_request("PressKey", session_id, {"key": "F2"})
        case Call.TYPE:
            return actions.TypeText, action_request("TypeText", session_id, {"target": way.target, "text": "abc"})
        case Call.HOVER:
            return actions.Hover, action_request("Hover", session_id, {"target": way.target})
        case Call.SCROLL:
            return actions.Scroll, action_request("Scroll", session_id, {"delta_y": 500})
        case Call.SNAPSHOT:
            return client.perception.CaptureSnapshot, snapshot_request(session_id, "", {"mode": "MODE_TEXT"})
        case Call.RELOAD:
            return sessions.Reload, session_pb.ReloadRequest(session_id=session_id)
        case _:
            url = way.url(place.origin) if way.call is Call.NAVIGATE else f"{place.origin}/after"
            return sessions.Navigate, session_pb.NavigateRequest(session_id=session_id, url=url)


class _WithoutEffectError(Exception):
    """Actions were answered, and did nothing."""


async def _use(page: AsyncPage) -> tuple[str, float]:
    """Clicks, types and looks, after answering a dialog if one is open: why one of them failed, and what the slowest
    took."""
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
    with contextlib.suppress(RemoteError):  # it went with its page
        await page.handle_dialog(False)


async def _leave_and_use(place: _Place, page: AsyncPage) -> tuple[str, float]:
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


async def _close_other_tabs(place: _Place, page: AsyncPage) -> None:
    """What a way opened goes with it."""
    sessions = place.client.sessions
    listed = await place.client.call(sessions.ListTabs, session_pb.ListTabsRequest(session_id=page.session_id))
    for tab in listed.tabs:
        if not tab.selected:
            request = session_pb.CloseTabRequest(session_id=page.session_id, tab_id=tab.tab_id)
            await place.client.call(sessions.CloseTab, request)


async def _close(page: AsyncPage) -> None:
    with contextlib.suppress(RemoteError):  # its browser is gone: the next session starts another
        await page.close()


async def _census(place: _Place) -> Census:
    """Counts once the number of processes has come to rest."""
    until = time.monotonic() + QUIET_SECONDS
    fewest = len(descendants(place.pid))
    while time.monotonic() < until:
        await asyncio.sleep(PAUSE_SECONDS)
        fewest = min(fewest, len(descendants(place.pid)))
    reply = await place.browser.session().call("Target.getTargets", Budget.of(USE_SECONDS), "counting targets")
    return count(place.pid, len(reply["targetInfos"]))
