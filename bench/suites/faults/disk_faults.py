"""Faults of disks: file systems that are full."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from perception import host_os
from perception.bench.suites.faults.fault_lab import FaultLab
from perception.bench.suites.faults.injection import (
    SkippedError,
    injection,
    reason_of,
    session_request,
)
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub


@asynccontextmanager
async def full_disk(folder: Path) -> AsyncIterator[None]:
    """A file system over a folder that has no room left."""
    if not host_os.is_superuser():
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


@injection("disk full: temporary folder, as a browser starts")
async def _disk_temporary(lab: FaultLab) -> str:
    async with full_disk(lab.temporary):
        return await reason_of(lab.caller.open(dedicated_browser=True), "BROWSER_UNAVAILABLE")


@injection("disk full: downloads")
async def _disk_downloads(lab: FaultLab) -> str:
    counted = await lab.open(allow_evaluate=True)
    script = "() => Object.assign(document.createElement('a'), { href: '/file?size=300000', download: 'f' }).click()"
    async with full_disk(lab.folder / "downloads"):
        await counted.page.evaluate(script)
        for _ in range(100):
            reply = await lab.caller.call(lab.caller.sessions.GetSession, session_request(counted))
            downloads = reply.session.downloads
            if downloads and downloads[0].state != downloads[0].STATE_IN_PROGRESS:
                break
            await asyncio.sleep(0.1)
        assert downloads, "no download was reported"
        assert downloads[0].failure, "a file that is not there is said to be complete"
    return f"the download failed: {downloads[0].failure}"


@injection("disk full: recordings")
async def _disk_data(lab: FaultLab) -> str:
    counted = await lab.open()
    service = SubroutineServiceStub(lab.caller.channel)
    session_id = counted.page.session_id
    started = await lab.caller.call(service.StartRecording, subroutine_pb.StartRecordingRequest(session_id=session_id))
    await counted.press()
    request = subroutine_pb.StopRecordingRequest(session_id=session_id, recording_id=started.recording_id)
    async with full_disk(lab.folder / "data"):
        first = await reason_of(lab.caller.call(service.StopRecording, request), "DISK_FULL")
    return f"{first}, then {await reason_of(lab.caller.call(service.StopRecording, request), 'OK')}"
