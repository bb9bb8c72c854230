"""Who may read the files that a service keeps: its own user, whatever that user's umask allows."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from perception.client import aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import subroutine_service_pb2 as pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub
from tests.support.lent_browser import borrowing

OTHERS = stat.S_IRWXG | stat.S_IRWXO

FORM = "<title>Order</title><form><label>Name <input></label><button>Send</button></form>"


async def test_what_a_service_keeps_is_its_users_alone(service: Service, site: str, tmp_path: Path) -> None:
    """A profile, a recorded task, a video and a PDF, each with what it keeps beside itself."""
    data, downloads = tmp_path / "data", tmp_path / "downloads"
    settings = Settings(
        address=f"unix:{tmp_path / 'socket'}", data_dir=data, download_dir=downloads, allow_hosts=("127.0.0.1",)
    )
    before = os.umask(0)
    try:
        async with borrowing(service, settings), await aconnect(settings.address, timeout_s=60) as client:
            page = await client.open(f"{site}/html?body={FORM}", profile="shop")
            await page.start_video()
            stub = SubroutineServiceStub(client.channel)
            started = await client.call(stub.StartRecording, pb.StartRecordingRequest(session_id=page.session_id))
            await page.type_text("input", "Ada")
            stop = pb.StopRecordingRequest(session_id=page.session_id, recording_id=started.recording_id)
            await client.call(stub.StopRecording, stop)
            create = pb.CreateSubroutineRequest(recording_ids=[started.recording_id], name="order")
            await client.call(stub.CreateSubroutine, create)
            await page.pdf()
            await page.stop_video()
            kept = {
                str(path.relative_to(tmp_path)): stat.S_IMODE(path.stat().st_mode)
                for folder in (data, downloads)
                for path in [folder, *folder.rglob("*")]
            }
            await page.close()
    finally:
        os.umask(before)
    assert {Path(each).suffix for each in kept} >= {".webm", ".json", ".pdf"}, kept
    assert {each: oct(mode) for each, mode in kept.items() if mode & OTHERS} == {}
