"""Faults of processes: the browser's, the driver's, the detectors' and the service's own."""

from __future__ import annotations

import asyncio
import signal

from perception.bench.suites.faults.fault_lab import FaultLab
from perception.bench.suites.faults.injection import (
    injection,
    is_running,
    join_counts,
    press_often,
    reason_of,
    session_request,
)
from perception.bench.suites.faults.processes import kill, stopped
from perception.client.requests import snapshot_request


@injection("renderer killed, nothing under way")
async def _renderer(lab: FaultLab) -> str:
    counted = await lab.open()
    await counted.press()
    kill(lab.processes("renderer"))
    first = await reason_of(counted.page.snapshot(mode="text"), "PAGE_CRASHED")
    tabs = (await lab.caller.call(lab.caller.sessions.GetSession, session_request(counted))).session.tabs
    assert tabs[0].epoch == 2, f"epoch {tabs[0].epoch}"
    again = await reason_of(counted.page.navigate(f"{lab.site.url}/?id={counted.id}"), "OK")
    await counted.press()
    return f"{first}, epoch 2; Navigate {again}"


@injection("renderer killed in the middle of clicks")
async def _renderer_mid(lab: FaultLab) -> str:
    counted = [await lab.open() for _ in range(3)]
    calls = [asyncio.ensure_future(press_often(each, 20)) for each in counted]
    await asyncio.sleep(0.5)
    kill(lab.processes("renderer"))
    return join_counts(await asyncio.gather(*calls))


@injection("renderer stands still (SIGSTOP)")
async def _renderer_stopped(lab: FaultLab) -> str:
    counted = await lab.open()
    async with stopped(lab.processes("renderer")):
        return await reason_of(counted.press(3), "DEADLINE", "PAGE_CRASHED")


@injection("GPU process killed")
async def _gpu(lab: FaultLab) -> str:
    counted = await lab.open()
    kill(lab.processes("gpu-process"))
    return await reason_of(counted.page.snapshot(mode="text"), "OK", "PAGE_CHANGING")


@injection("network process killed")
async def _network(lab: FaultLab) -> str:
    counted = await lab.open()
    kill(lab.processes("network"))
    return await reason_of(counted.page.navigate(f"{lab.site.url}/?id={counted.id}"), "OK", "NAVIGATION_FAILED")


@injection("zygote killed")
async def _zygote(lab: FaultLab) -> str:
    counted = await lab.open()
    kill(lab.processes("zygote"))
    allowed = ("OK", "PAGE_CRASHED", "SESSION_LOST", "DEADLINE")
    return await reason_of(counted.page.snapshot(mode="text"), *allowed)


@injection("crash handler killed")
async def _crashpad(lab: FaultLab) -> str:
    counted = await lab.open()
    kill(lab.processes("crashpad"))
    return await reason_of(counted.press(), "OK")


@injection("browser killed, nothing under way")
async def _browser(lab: FaultLab) -> str:
    counted = await lab.open()
    await counted.press()
    kill(lab.processes("browser"))
    return await reason_of(counted.press(), "SESSION_LOST")


@injection("browser killed in the middle of clicks")
async def _browser_mid(lab: FaultLab) -> str:
    counted = [await lab.open() for _ in range(3)]
    calls = [asyncio.ensure_future(press_often(each, 20)) for each in counted]
    await asyncio.sleep(0.5)
    kill(lab.processes("browser"))
    return join_counts(await asyncio.gather(*calls))


@injection("browser killed while it starts")
async def _browser_start(lab: FaultLab) -> str:
    opening = asyncio.ensure_future(lab.caller.open(dedicated_browser=True))
    for _ in range(500):
        fresh = lab.processes("browser")
        if len(fresh) > 1 or opening.done():
            break
        await asyncio.sleep(0.01)
    kill(fresh[-1:])
    return await reason_of(opening, "OK", "BROWSER_UNAVAILABLE", "SESSION_LOST")


@injection("browser stands still for 3 s (SIGSTOP)")
async def _browser_stopped(lab: FaultLab) -> str:
    counted = await lab.open()
    async with stopped(lab.processes("browser")):
        first = await reason_of(counted.press(2), "DEADLINE", "DEADLINE_EXCEEDED")
        await asyncio.sleep(1)
    return f"{first}, then {await reason_of(counted.page.snapshot(mode='text'), 'OK', 'PAGE_CRASHED', 'SESSION_LOST')}"


@injection("Playwright's driver killed")
async def _driver(lab: FaultLab) -> str:
    counted = await lab.open()
    kill(lab.processes("driver"))
    return await reason_of(counted.press(), "SESSION_LOST")


@injection("detector killed between looks")
async def _detector(lab: FaultLab) -> str:
    counted = await lab.open()
    await counted.page.snapshot(mode="fused")
    assert lab.processes("detector"), "no detector ran"
    kill(lab.processes("detector"))
    fresh = await lab.open()
    snapshot = await fresh.page.snapshot(mode="fused")
    return f"OK, skipped: {', '.join(each.name for each in snapshot.skipped) or 'nothing'}"


@injection("detector killed in the middle of a look")
async def _detector_mid(lab: FaultLab) -> str:
    counted = await lab.open()
    look = asyncio.ensure_future(counted.page.snapshot(mode="fused"))
    for _ in range(20):
        kill(lab.processes("detector"))
        await asyncio.sleep(0.05)
    snapshot = await look
    assert snapshot.elements, "what the page says is missing, too"
    return f"OK, skipped: {', '.join(each.name for each in snapshot.skipped) or 'nothing'}"


@injection("detector stands still (SIGSTOP)")
async def _detector_stopped(lab: FaultLab) -> str:
    counted = await lab.open()
    await counted.page.snapshot(mode="fused")
    fresh = await lab.open()
    async with stopped(lab.processes("detector")):
        request = snapshot_request(fresh.page.session_id, "", {"mode": "vision"})
        snapshot = (await lab.caller.call(lab.caller.perception.CaptureSnapshot, request, 8)).snapshot
    assert snapshot.skipped, "nothing is said to be skipped"
    return f"OK, skipped: {', '.join(each.name for each in snapshot.skipped)}"


@injection("service stands still for 3 s (SIGSTOP)")
async def _service_stopped(lab: FaultLab) -> str:
    counted = await lab.open()
    async with stopped([lab.pid]):
        first = await reason_of(counted.press(1), "DEADLINE", "DEADLINE_EXCEEDED")
        await asyncio.sleep(2)
    return f"{first}, then {await reason_of(counted.page.snapshot(mode='text'), 'OK')}"


@injection("service ended by SIGTERM in the middle of clicks")
async def _sigterm(lab: FaultLab) -> str:
    counted = await lab.open()
    calls = asyncio.ensure_future(press_often(counted, 200))
    await asyncio.sleep(0.5)
    lab.process.signal(signal.SIGTERM)
    reasons = await calls
    code = await lab.process.wait()
    names = [str(each.relative_to(lab.temporary)) for each in lab.temporary.rglob("*")]
    left = [each for each in names if each.startswith("perception-chromium-")]
    await lab.disconnect()
    await lab.start()
    assert code == 0, f"exit code {code}"
    assert not left, f"a profile is left, with {', '.join(left[-4:])}"
    return f"{join_counts([reasons])}; exit 0, nothing left"


@injection("service killed (SIGKILL), and started again")
async def _sigkill(lab: FaultLab) -> str:
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
        alive = [pid for pid in seen if is_running(pid)]
        if not alive:
            break
        await asyncio.sleep(0.1)
    assert not alive, f"{len(alive)} processes are left"
    left = [
        each.name for each in lab.temporary.iterdir() if each.name.startswith(("perception-", "org.", "playwright-"))
    ]
    assert not left, f"left: {left}"
    return f"{len(seen)} processes and the profile are gone"
