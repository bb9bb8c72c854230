"""Faults of clients, connections and sites: slow, oversize, cancelled, half-open, gone."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import psutil

from perception.bench.suites.faults.fault_lab import Counted, FaultLab
from perception.bench.suites.faults.injection import (
    LIMIT,
    injection,
    join_counts,
    reason_of,
)
from perception.bench.suites.faults.processes import stopped
from perception.client import RemoteError, aconnect
from perception.datasets.sources.site_server import free_port
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import session_service_pb2 as session_pb


@injection("client killed with a watch and a call under way")
async def _client_killed(lab: FaultLab) -> str:
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
    return f"its session: {await reason_of(lab.caller.call(lab.caller.sessions.GetSession, request), 'OK')}"


@injection("slow client: a watch that is not read")
async def _slow(lab: FaultLab) -> str:
    counted = await lab.open()
    watch = counted.page.watch(mode="text", min_interval=0.05)
    await anext(watch)
    for _ in range(10):
        await counted.press()
    news = await anext(watch)
    await watch.aclose()
    return f"OK, the next diff has {len(news.diff.changed)} changes"


@injection("messages at the limit, and one byte over it")
async def _oversize(lab: FaultLab) -> str:
    overhead = len(detection_pb.ParseImageRequest(image=bytes(LIMIT - 100)).SerializeToString()) - (LIMIT - 100)
    reasons = []
    for size, allowed in ((LIMIT - overhead, "BAD_IMAGE"), (LIMIT - overhead + 1, "RESOURCE_EXHAUSTED")):
        call = lab.caller.call(lab.caller.detection.ParseImage, detection_pb.ParseImageRequest(image=bytes(size)))
        reasons.append(await reason_of(call, allowed))
    return ", ".join(reasons)


@injection("an answer over the limit")
async def _big_answer(lab: FaultLab) -> str:
    counted = await lab.open(allow_evaluate=True)
    return await reason_of(counted.page.evaluate("'x'.repeat(20000000)"), "REPLY_TOO_LARGE", "RESULT_TOO_LARGE", "OK")


@injection("cancel storm: 300 calls cancelled at any moment")
async def _cancels(lab: FaultLab) -> str:
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
    return join_counts([outcomes])


@injection("deadline storm: 200 calls with next to no time")
async def _deadlines(lab: FaultLab) -> str:
    dice = random.Random(4)
    counted = await lab.open()
    outcomes: Counter[str] = Counter()

    async def one() -> None:
        seconds = dice.choice((1e-6, 0.001, 0.01, 0.1, 0.3, 0.5))
        try:
            await counted.press(seconds)
        except RemoteError as exc:
            outcomes[exc.reason or exc.code.name] += 1
        else:
            outcomes["OK"] += 1

    for _ in range(10):
        await asyncio.gather(*(one() for _ in range(20)))
    assert set(outcomes) <= {"OK", "DEADLINE", "DEADLINE_EXCEEDED", "SESSION_BUSY", "PAGE_CRASHED"}, str(outcomes)
    return join_counts([outcomes])


@injection("exports cut off as their page opens, and sessions closed at once: 100 of them")
async def _exports(lab: FaultLab) -> str:
    """A session beside them stays: the browser has not ended."""
    dice = random.Random(6)
    bystander = await lab.open()
    outcomes: Counter[str] = Counter()

    async def one() -> None:
        counted = await lab.open()
        export = counted.page.export_state(timeout_s=dice.uniform(0.0, 0.1))
        outcomes[await reason_of(export, "OK", "DEADLINE", "DEADLINE_EXCEEDED")] += 1
        await counted.page.close()

    for _ in range(25):
        await asyncio.gather(*(one() for _ in range(4)))
    await bystander.press()
    return join_counts([outcomes])


@injection("garbage on the port, and connections dropped at once")
async def _garbage(lab: FaultLab) -> str:
    dice = random.Random(5)
    for number in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", lab.port), 5) as link:
            if number % 2:
                link.sendall(dice.randbytes(dice.choice((1, 24, 1000, 20_000))))
    counted = await lab.open()
    return await reason_of(counted.press(), "OK")


@injection("half-open client: its machine stops answering")
async def _half_open(lab: FaultLab) -> str:
    """Its link goes through a relay that stalls: nothing more is sent, and nothing is closed."""
    port = free_port()
    relay = await asyncio.create_subprocess_exec(sys.executable, "-c", _RELAY_CODE, str(lab.port), str(port))
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
    return "the service closed its connection"


@injection("the site goes away in the middle of answers")
async def _cut(lab: FaultLab) -> str:
    counted = await lab.open()
    first = await reason_of(counted.page.navigate(f"{lab.site.url}/cut"), "OK", "NAVIGATION_FAILED")
    request = session_pb.NavigateRequest(session_id=counted.page.session_id, url=f"{lab.site.url}/never")
    call = lab.caller.call(lab.caller.sessions.Navigate, request, 2)
    return f"{first}; a site that never answers: {await reason_of(call, 'DEADLINE')}"


@injection("more sessions than may be")
async def _flood(lab: FaultLab) -> str:
    outcomes: Counter[str] = Counter()

    async def one() -> None:
        call = lab.caller.call(lab.caller.sessions.CreateSession, session_pb.CreateSessionRequest(), 120)
        outcomes[await reason_of(call, "OK", "SESSION_LIMIT")] += 1

    await asyncio.gather(*(one() for _ in range(45)))
    assert outcomes["SESSION_LIMIT"] >= 13, str(outcomes)
    return join_counts([outcomes])


def _links(port: int) -> int:
    """Connections on a port of this machine, seen from its end."""
    established = (each for each in psutil.net_connections("tcp") if each.status == psutil.CONN_ESTABLISHED)
    return sum(each.laddr[1:] == (port,) for each in established)


_RELAY_CODE = """
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
