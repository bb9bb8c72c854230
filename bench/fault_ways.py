"""The faults. Each takes the lab, injects one, and says what its callers were told; what must not be is an
AssertionError."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from perception.bench.fault_lab import Counted, Lab, free_port, kill, stopped
from perception.client import RemoteError, aconnect
from perception.requests import snapshot_request
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub

LIMIT = 16 * 2**20

Way = Callable[[Lab], Awaitable[str]]

WAYS: dict[str, Way] = {}


class SkippedError(Exception):
    """A fault that this machine does not let us inject; says why."""


def way(name: str) -> Callable[[Way], Way]:
    def enter(function: Way) -> Way:
        WAYS[name] = function
        return function

    return enter


async def told(call: Awaitable[Any], *allowed: str) -> str:
    """The reason that a call failed with, `OK` if it did not. AssertionError for one that is not allowed."""
    try:
        await call
    except RemoteError as exc:
        reason = exc.reason or exc.code.name
    else:
        reason = "OK"
    assert reason in allowed, f"{reason}, not {' or '.join(allowed)}"
    return reason


@way("renderer killed, nothing under way")
async def _renderer(lab: Lab) -> str:
    counted = await lab.open()
    await counted.press()
    kill(lab.processes("renderer"))
    first = await told(counted.page.snapshot(mode="text"), "PAGE_CRASHED")
    tabs = (await lab.caller.call(lab.caller.sessions.GetSession, _get(counted))).session.tabs
    assert tabs[0].epoch == 2, f"epoch {tabs[0].epoch}"
    again = await told(counted.page.navigate(f"{lab.site.url}/?id={counted.id}"), "OK")
    await counted.press()
    return f"{first}, epoch 2; Navigate {again}"


@way("renderer killed in the middle of clicks")
async def _renderer_mid(lab: Lab) -> str:
    counted = [await lab.open() for _ in range(3)]
    calls = [asyncio.ensure_future(_press_often(each, 20)) for each in counted]
    await asyncio.sleep(0.5)
    kill(lab.processes("renderer"))
    return _words(await asyncio.gather(*calls))


@way("renderer stands still (SIGSTOP)")
async def _renderer_stopped(lab: Lab) -> str:
    counted = await lab.open()
    async with stopped(lab.processes("renderer")):
        return await told(counted.press(3), "DEADLINE", "PAGE_CRASHED")


@way("GPU process killed")
async def _gpu(lab: Lab) -> str:
    counted = await lab.open()
    kill(lab.processes("gpu-process"))
    return await told(counted.page.snapshot(mode="text"), "OK", "PAGE_CHANGING")


@way("network process killed")
async def _network(lab: Lab) -> str:
    counted = await lab.open()
    kill(lab.processes("network"))
    return await told(counted.page.navigate(f"{lab.site.url}/?id={counted.id}"), "OK", "NAVIGATION_FAILED")


@way("zygote killed")
async def _zygote(lab: Lab) -> str:
    counted = await lab.open()
    kill(lab.processes("zygote"))
    allowed = ("OK", "PAGE_CRASHED", "SESSION_LOST", "DEADLINE")
    return await told(counted.page.snapshot(mode="text"), *allowed)


@way("crash handler killed")
async def _crashpad(lab: Lab) -> str:
    counted = await lab.open()
    kill(lab.processes("crashpad"))
    return await told(counted.press(), "OK")


@way("browser killed, nothing under way")
async def _browser(lab: Lab) -> str:
    counted = await lab.open()
    await counted.press()
    kill(lab.processes("browser"))
    return await told(counted.press(), "SESSION_LOST")


@way("browser killed in the middle of clicks")
async def _browser_mid(lab: Lab) -> str:
    counted = [await lab.open() for _ in range(3)]
    calls = [asyncio.ensure_future(_press_often(each, 20)) for each in counted]
    await asyncio.sleep(0.5)
    kill(lab.processes("browser"))
    return _words(await asyncio.gather(*calls))


@way("browser killed while it starts")
async def _browser_start(lab: Lab) -> str:
    opening = asyncio.ensure_future(lab.caller.open(dedicated_browser=True))
    for _ in range(500):
        fresh = lab.processes("browser")
        if len(fresh) > 1 or opening.done():
            break
        await asyncio.sleep(0.01)
    kill(fresh[-1:])
    return await told(opening, "OK", "BROWSER_UNAVAILABLE", "SESSION_LOST")


@way("browser stands still for 3 s (SIGSTOP)")
async def _browser_stopped(lab: Lab) -> str:
    counted = await lab.open()
    async with stopped(lab.processes("browser")):
        first = await told(counted.press(2), "DEADLINE", "DEADLINE_EXCEEDED")
        await asyncio.sleep(1)
    return f"{first}, then {await told(counted.page.snapshot(mode='text'), 'OK', 'PAGE_CRASHED', 'SESSION_LOST')}"


@way("Playwright's driver killed")
async def _driver(lab: Lab) -> str:
    counted = await lab.open()
    kill(lab.processes("driver"))
    return await told(counted.press(), "SESSION_LOST")


@way("detector killed between looks")
async def _detector(lab: Lab) -> str:
    counted = await lab.open()
    await counted.page.snapshot(mode="fused")
    assert lab.processes("detector"), "no detector ran"
    kill(lab.processes("detector"))
    fresh = await lab.open()
    snapshot = await fresh.page.snapshot(mode="fused")
    return f"OK, skipped: {', '.join(each.name for each in snapshot.skipped) or 'nothing'}"


@way("detector killed in the middle of a look")
async def _detector_mid(lab: Lab) -> str:
    counted = await lab.open()
    look = asyncio.ensure_future(counted.page.snapshot(mode="fused"))
    for _ in range(20):
        kill(lab.processes("detector"))
        await asyncio.sleep(0.05)
    snapshot = await look
    assert snapshot.elements, "what the page says is missing, too"
    return f"OK, skipped: {', '.join(each.name for each in snapshot.skipped) or 'nothing'}"


@way("detector stands still (SIGSTOP)")
async def _detector_stopped(lab: Lab) -> str:
    counted = await lab.open()
    await counted.page.snapshot(mode="fused")
    fresh = await lab.open()
    async with stopped(lab.processes("detector")):
        request = snapshot_request(fresh.page.session_id, "", {"mode": "vision"})
        snapshot = (await lab.caller.call(lab.caller.perception.CaptureSnapshot, request, 8)).snapshot
    assert snapshot.skipped, "nothing is said to be skipped"
    return f"OK, skipped: {', '.join(each.name for each in snapshot.skipped)}"


@asynccontextmanager
async def full_disk(folder: Path) -> AsyncIterator[None]:
    """A file system over a folder that has no room left."""
    if os.geteuid() != 0:
        raise SkippedError("mounting needs root")
    mount = await asyncio.to_thread(
        subprocess.run, ["mount", "-t", "tmpfs", "-o", "size=64k,mode=755", "full", str(folder)], capture_output=True
    )
    if mount.returncode:
        raise SkippedError("this machine lets nobody mount a file system")
    try:
        with contextlib.suppress(OSError), (folder / "filler").open("wb") as filler:
            filler.write(bytes(2**20))
        yield
    finally:
        await asyncio.to_thread(subprocess.run, ["umount", "-l", str(folder)], check=False)


@way("disk full: temporary folder, as a browser starts")
async def _disk_temporary(lab: Lab) -> str:
    async with full_disk(lab.temporary):
        return await told(lab.caller.open(dedicated_browser=True), "BROWSER_UNAVAILABLE")


@way("disk full: downloads")
async def _disk_downloads(lab: Lab) -> str:
    counted = await lab.open(allow_evaluate=True)
    script = "() => Object.assign(document.createElement('a'), { href: '/file?size=300000', download: 'f' }).click()"
    async with full_disk(lab.folder / "downloads"):
        await counted.page.evaluate(script)
        for _ in range(100):
            reply = await lab.caller.call(lab.caller.sessions.GetSession, _get(counted))
            downloads = reply.session.downloads
            if downloads and downloads[0].state != downloads[0].STATE_IN_PROGRESS:
                break
            await asyncio.sleep(0.1)
        assert downloads, "no download was told"
        assert downloads[0].failure, "a file that is not there is said to be complete"
    return f"the download failed: {downloads[0].failure}"


@way("disk full: recordings")
async def _disk_data(lab: Lab) -> str:
    counted = await lab.open()
    service = SubroutineServiceStub(lab.caller.channel)
    session_id = counted.page.session_id
    started = await lab.caller.call(service.StartRecording, subroutine_pb.StartRecordingRequest(session_id=session_id))
    await counted.press()
    request = subroutine_pb.StopRecordingRequest(session_id=session_id, recording_id=started.recording_id)
    async with full_disk(lab.folder / "data"):
        first = await told(lab.caller.call(service.StopRecording, request), "DISK_FULL")
    return f"{first}, then {await told(lab.caller.call(service.StopRecording, request), 'OK')}"


@way("client killed with a watch and a call under way")
async def _client_killed(lab: Lab) -> str:
    code = (
        "import sys, threading, perception\n"
        "client = perception.connect(sys.argv[1], timeout_s=60)\n"
        "page = client.open(sys.argv[2])\n"
        "watch = page.watch(mode='text')\n"
        "next(watch)\n"
        "threading.Thread(target=lambda: page.wait_for(text='never', timeout_s=60), daemon=True).start()\n"
        "print(page.session_id, flush=True)\n"
        "threading.Event().wait()\n"
    )
    client = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, lab.address, lab.site.url, stdout=subprocess.PIPE
    )
    assert client.stdout is not None
    session_id = (await client.stdout.readline()).decode().strip()
    client.kill()
    await client.wait()
    request = session_pb.GetSessionRequest(session_id=session_id)
    return f"its session: {await told(lab.caller.call(lab.caller.sessions.GetSession, request), 'OK')}"


@way("slow client: a watch that is not read")
async def _slow(lab: Lab) -> str:
    counted = await lab.open()
    watch = counted.page.watch(mode="text", min_interval=0.05)
    await anext(watch)
    for _ in range(10):
        await counted.press()
    news = await anext(watch)
    await watch.aclose()
    return f"OK, the next diff has {len(news.diff.changed)} changes"


@way("messages at the limit, and one byte over it")
async def _oversize(lab: Lab) -> str:
    overhead = len(detection_pb.ParseImageRequest(image=bytes(LIMIT - 100)).SerializeToString()) - (LIMIT - 100)
    reasons = []
    for size, allowed in ((LIMIT - overhead, "BAD_IMAGE"), (LIMIT - overhead + 1, "RESOURCE_EXHAUSTED")):
        call = lab.caller.call(lab.caller.detection.ParseImage, detection_pb.ParseImageRequest(image=bytes(size)))
        reasons.append(await told(call, allowed))
    return ", ".join(reasons)


@way("an answer over the limit")
async def _big_answer(lab: Lab) -> str:
    counted = await lab.open(allow_evaluate=True)
    return await told(counted.page.evaluate("'x'.repeat(20000000)"), "REPLY_TOO_LARGE", "RESULT_TOO_LARGE", "OK")


@way("cancel storm: 300 calls called off at any moment")
async def _cancels(lab: Lab) -> str:
    dice = random.Random(3)
    counted = [await lab.open() for _ in range(4)]
    kinds: tuple[Callable[[Counted], Awaitable[Any]], ...] = (
        lambda each: each.press(),
        lambda each: each.page.snapshot(mode="fused"),
        lambda each: each.page.snapshot(mode="text"),
        lambda each: each.page.navigate(f"{lab.site.url}/?id={each.id}"),
        lambda each: each.page.find("Press"),
        lambda each: each.page.interactables(),
        lambda each: each.page.content(),
        lambda each: each.page.wait_for(text="never"),
        lambda each: each.page.type_text("input", "x"),
        lambda each: lab.caller.open(),
    )
    outcomes: Counter[str] = Counter()

    async def one() -> None:
        call = asyncio.ensure_future(dice.choice(kinds)(dice.choice(counted)))
        await asyncio.sleep(dice.choice((0, 0.001, 0.01, 0.05, 0.2, 0.5)))
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            outcomes["cancelled"] += 1
        except RemoteError as exc:
            outcomes[exc.reason or exc.code.name] += 1
        else:
            outcomes["OK"] += 1

    for _ in range(15):
        await asyncio.gather(*(one() for _ in range(20)))
    assert not {"INTERNAL", "UNKNOWN", ""} & set(outcomes), str(outcomes)
    return _words([outcomes])


@way("deadline storm: 200 calls with next to no time")
async def _deadlines(lab: Lab) -> str:
    dice = random.Random(4)
    counted = await lab.open()
    outcomes: Counter[str] = Counter()

    async def one() -> None:
        seconds = dice.choice((0.0, 0.001, 0.01, 0.1, 0.3, 0.5))
        try:
            await counted.press(seconds)
        except RemoteError as exc:
            outcomes[exc.reason or exc.code.name] += 1
        else:
            outcomes["OK"] += 1

    for _ in range(10):
        await asyncio.gather(*(one() for _ in range(20)))
    assert set(outcomes) <= {"OK", "DEADLINE", "DEADLINE_EXCEEDED", "SESSION_BUSY", "PAGE_CRASHED"}, str(outcomes)
    return _words([outcomes])


@way("garbage on the port, and connections dropped at once")
async def _garbage(lab: Lab) -> str:
    dice = random.Random(5)
    for number in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", lab.port), 5) as link:
            if number % 2:
                link.sendall(dice.randbytes(dice.choice((1, 24, 1000, 20_000))))
    counted = await lab.open()
    return await told(counted.press(), "OK")


@way("half-open client: its machine stops answering")
async def _half_open(lab: Lab) -> str:
    """Its link goes through a relay that stands still: nothing is sent any more, and nothing is closed."""
    port = free_port()
    relay = await asyncio.create_subprocess_exec(sys.executable, "-c", _RELAY, str(lab.port), str(port))
    try:
        async with asyncio.timeout(20):
            while True:
                try:
                    far = await aconnect(f"127.0.0.1:{port}", timeout_s=30)
                    break
                except RemoteError:
                    await asyncio.sleep(0.1)
        page = await far.open(lab.site.url)
        watch = page.watch(mode="text")
        await anext(watch)
        before = _links(lab.port)
        async with stopped([relay.pid]):
            async with asyncio.timeout(60):
                while _links(lab.port) >= before:  # noqa: ASYNC110
                    await asyncio.sleep(0.2)
        with contextlib.suppress(RemoteError):
            await watch.aclose()
        await far.close()
    finally:
        relay.kill()
        await relay.wait()
    return "the service hung up on it"


@way("the site goes away in the middle of answers")
async def _cut(lab: Lab) -> str:
    counted = await lab.open()
    first = await told(counted.page.navigate(f"{lab.site.url}/cut"), "OK", "NAVIGATION_FAILED")
    request = session_pb.NavigateRequest(session_id=counted.page.session_id, url=f"{lab.site.url}/never")
    call = lab.caller.call(lab.caller.sessions.Navigate, request, 2)
    return f"{first}; a site that never answers: {await told(call, 'DEADLINE')}"


@way("more sessions than may be")
async def _flood(lab: Lab) -> str:
    outcomes: Counter[str] = Counter()

    async def one() -> None:
        call = lab.caller.call(lab.caller.sessions.CreateSession, session_pb.CreateSessionRequest(), 120)
        outcomes[await told(call, "OK", "SESSION_LIMIT")] += 1

    await asyncio.gather(*(one() for _ in range(45)))
    assert outcomes["SESSION_LIMIT"] >= 13, str(outcomes)
    return _words([outcomes])


@way("service stands still for 3 s (SIGSTOP)")
async def _service_stopped(lab: Lab) -> str:
    counted = await lab.open()
    async with stopped([lab.pid]):
        first = await told(counted.press(1), "DEADLINE_EXCEEDED")
        await asyncio.sleep(2)
    return f"{first}, then {await told(counted.page.snapshot(mode='text'), 'OK')}"


@way("service ended by SIGTERM in the middle of clicks")
async def _sigterm(lab: Lab) -> str:
    counted = await lab.open()
    calls = asyncio.ensure_future(_press_often(counted, 200))
    await asyncio.sleep(0.5)
    assert lab.process is not None
    lab.process.terminate()
    reasons = await calls
    code = await asyncio.wait_for(lab.process.wait(), 60)
    assert code == 0, f"exit code {code}"
    assert not list(lab.temporary.glob("perception-chromium-*")), "a profile is left"
    await lab.disconnect()
    await lab.start()
    return f"{_words([reasons])}; exit 0, nothing left"


@way("service killed (SIGKILL), and started again")
async def _sigkill(lab: Lab) -> str:
    counted = await lab.open()
    await counted.press()
    await counted.page.snapshot(mode="fused")
    lab.pages.remove(counted)
    seen = [
        pid
        for kind in ("browser", "renderer", "gpu-process", "crashpad", "driver", "detector")
        for pid in lab.processes(kind)
    ]
    await lab.stop(signal.SIGKILL)
    await lab.start()
    for _ in range(100):
        alive = [pid for pid in seen if _is_running(pid)]
        if not alive:
            break
        await asyncio.sleep(0.1)
    assert not alive, f"{len(alive)} processes are left"
    left = [
        each.name for each in lab.temporary.iterdir() if each.name.startswith(("perception-", "org.", "playwright-"))
    ]
    assert not left, f"left: {left}"
    return f"{len(seen)} processes and the profile are gone"


async def _press_often(counted: Counted, times: int) -> Counter[str]:
    """Presses until one fails."""
    outcomes: Counter[str] = Counter()
    for _ in range(times):
        allowed = ("OK", "PAGE_CRASHED", "SESSION_LOST", "SHUTTING_DOWN", "UNAVAILABLE")
        reason = await told(counted.press(), *allowed)
        outcomes[reason] += 1
        if reason != "OK":
            break
    return outcomes


def _words(outcomes: list[Counter[str]]) -> str:
    total: Counter[str] = sum(outcomes, Counter())
    return ", ".join(f"{count} {reason}" for reason, count in total.most_common())


def _get(counted: Counted) -> session_pb.GetSessionRequest:
    return session_pb.GetSessionRequest(session_id=counted.page.session_id)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _links(port: int) -> int:
    """Connections on a port of this machine, seen from its end."""
    lines = [line for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    here = f":{port:04X}"
    return sum(line.split()[1].endswith(here) and line.split()[3] == "01" for line in lines)


_RELAY = """
import socket, sys, threading
target, port = int(sys.argv[1]), int(sys.argv[2])
server = socket.create_server(("127.0.0.1", port))
def carry(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for each in (source, sink):
        each.close()
while True:
    near, _ = server.accept()
    far = socket.create_connection(("127.0.0.1", target))
    threading.Thread(target=carry, args=(near, far), daemon=True).start()
    threading.Thread(target=carry, args=(far, near), daemon=True).start()
"""
