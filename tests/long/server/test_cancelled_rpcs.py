"""Calls of every rpc of the contract that are cancelled wherever they wait: nothing of them stays open."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

import grpc
import psutil
import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message_factory import GetMessageClass
from PIL import Image

from perception.bench.suites.fuzz.fuzzed_page import serve_page
from perception.bench.suites.fuzz.requests_sent import FuzzedMethod, every_rpc
from perception.bench.suites.subroutines.subroutine_app import NotesApp, serve_app
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.driver_end import transport_of
from perception.browser.evaluate.script import Script
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.client.sent_streams import ending_as_answered
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.control.turn import TurnEnd
from perception.server.settings import Settings
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub
from tests.support.cut_calls import RpcCut
from tests.support.lent_browser import service_in
from tests.support.waiting import until

CALL_SECONDS = 20.0
SETTLE_SECONDS = 20.0
NUMBERS = count()
"""Of subroutines: no two may have the same name."""

Given = dict[str, Any]


@dataclass
class Stage:
    """A session on a page, and what its calls leave open.

    Attributes:
        notes: the application at which a subroutine was recorded.
        recorded: id of that recording; `made` of the subroutine.
    """

    service: Service
    client: AsyncClient
    page: AsyncPage
    origin: str
    cut: RpcCut
    notes: NotesApp
    recorded: str = ""
    made: str = ""

    @property
    def session(self) -> Any:
        return self.service.context.sessions.find(self.page.session_id, "")

    async def send(self, rpc: FuzzedMethod, given: Given) -> str:
        """Calls; of a stream the first answer counts. Returns the reason, or the code, of how it ended."""
        method = rpc.method
        kind: Any = GetMessageClass(method.input_type)
        if "session_id" in method.input_type.fields_by_name:
            given = {"session_id": self.page.session_id, **given}
        request = ParseDict(given, kind())
        arity = f"{_arity(method.client_streaming)}_{_arity(method.server_streaming)}"
        reply_class: Any = GetMessageClass(method.output_type)
        stub: Any = getattr(self.client.channel, arity)(rpc.path, kind.SerializeToString, reply_class.FromString)
        if method.client_streaming:
            stub = ending_as_answered(stub)
        call = stub(iter([request]) if method.client_streaming else request, timeout=CALL_SECONDS)
        self.cut.begin(call.cancel)
        try:
            if method.server_streaming:
                await call.read()
                call.cancel()
            else:
                await call
        except asyncio.CancelledError:
            return "CANCELLED"
        except grpc.aio.AioRpcError as exc:
            error = RemoteError.of(exc)
            return error.reason or error.code.name
        finally:
            await until(lambda: self.cut.serving is None)
        return "OK"

    async def tidy(self) -> None:
        """Closes what the session and its client know of, and shows the page again."""
        sessions, browser = self.service.context.sessions, self.session.browser
        for each in sessions.sessions:
            if each.session_id != self.page.session_id:
                await sessions.close(each.session_id)
        if self.session.control.turn is not None:
            await self.session.control.release(self.session.control.turn.lease_id, TurnEnd.CANCELLED, "")
        for dialog in await self.page.dialogs():
            with suppress(RemoteError):
                await self.page.handle_dialog(False, dialog_id=dialog.dialog_id)
        for recording_id, recorder in list(self.session.recorders._recorders.items()):
            recorder.cancel()
            self.session.recorders.remove(recording_id)
        for video in await self.client.videos(self.page.session_id):
            with suppress(RemoteError):
                await self.page.stop_video(video_id=video.video_id)
            with suppress(RemoteError):  # it was too short to be kept
                await self.client.delete_video(video)
        for tab in browser.tabs[1:]:
            await self.page.close_tab(tab.tab_id)
        if browser.tab().page.url != f"{self.origin}/":
            await self.page.navigate(f"{self.origin}/")

    async def settled(self, expected: dict[str, Any] | None) -> dict[str, Any]:
        """What is open once that is as expected, or does not change any more."""
        found, same, patience = await self.open_things(), 0, Deadline.of(SETTLE_SECONDS)
        while not patience.spent():
            if found == expected or (expected is None and same == 8):
                break
            await asyncio.sleep(0.05)
            last, found = found, await self.open_things()
            same = same + 1 if found == last else 0
        return found

    async def open_things(self) -> dict[str, Any]:
        host, sessions = self.session.host, self.service.context.sessions
        ask = host.link.session().start
        return {
            "targets": Counter(each["type"] for each in (await ask("Target.getTargets"))["targetInfos"]),
            "contexts": len((await ask("Target.getBrowserContexts"))["browserContextIds"]),
            "DevTools": len(self.cut.open),
            "proxies": len(host._proxies),
            "sessions": len(sessions.sessions),
            "opening": sessions._opening,
            "tabs": len(self.session.browser.tabs),
            "calls": self.service.admission.under_way,
            "lease": self.session.control.turn,
            "waiting": self.session.control.waiting,
            "watchers": self.session.control.watchers,
            "files": Counter(each.path for each in psutil.Process().open_files() if not each.path.startswith("/proc/")),
        }


def _arity(is_stream: bool) -> str:
    return "stream" if is_stream else "unary"


def png() -> str:
    file = io.BytesIO()
    Image.new("RGB", (40, 30), "white").save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


@pytest.fixture(scope="module")
async def stage(host: BrowserHost, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("cancelled")
    (folder / "uploads").mkdir()
    (folder / "uploads" / "cv.txt").write_text("Worked.")
    settings = Settings(
        address=f"unix:{folder / 'socket'}",
        allow_hosts=("127.0.0.1", "localhost"),
        upload_dir=folder / "uploads",
        data_dir=folder / "data",
    )
    service, cut = service_in(host, settings), RpcCut()
    await service.start()
    with serve_page() as origin, serve_app() as notes, pytest.MonkeyPatch.context() as patch:
        client = await aconnect(settings.address, timeout_s=60)
        page = await client.open(
            f"{origin}/",
            allow_evaluate=True,
            record_network=True,
            record_console=True,
            touch=True,
            page_tool_origins=[origin],
        )
        stage = Stage(service, client, page, origin, cut, notes)
        await host.evaluator.run(stage.session.browser.tab(), Script("1"), Deadline.of(20))
        assert host.evaluator._link is not None
        stage.recorded = await record(stage)
        stage.made = await make_subroutine(stage)
        await stage.tidy()
        cut.hook(host.link, patch)
        cut.hook(host.evaluator._link, patch)
        cut.hook_driver(transport_of(host._playwright), patch)
        cut.hook_service(patch)
        yield stage
        await client.close()
    await service.stop()


async def record(stage: Stage) -> str:
    """Adds a note by hand; returns the recording's id."""
    stub: Any = SubroutineServiceStub(stage.client.channel)
    page, session_id = stage.page, stage.page.session_id
    await page.navigate(f"{stage.notes.url}/rest")
    started = await stage.client.call(stub.StartRecording, subroutine_pb.StartRecordingRequest(session_id=session_id))
    await page.type_text("#title", "First note", skip_diff=True)
    await page.type_text("#text", "Some words", skip_diff=True)
    await page.click("#save", skip_diff=True)
    await page.wait_for(text="Saved", skip_diff=True)
    stop = subroutine_pb.StopRecordingRequest(session_id=session_id, recording_id=started.recording_id)
    return str((await stage.client.call(stub.StopRecording, stop)).recording_id)


def a_name() -> str:
    return f"Add note {next(NUMBERS)}"


async def make_subroutine(stage: Stage) -> str:
    stub: Any = SubroutineServiceStub(stage.client.channel)
    request = subroutine_pb.CreateSubroutineRequest(recording_ids=[stage.recorded], name=a_name())
    return str((await stage.client.call(stub.CreateSubroutine, request)).subroutine.subroutine_id)


async def another_session(stage: Stage) -> Given:
    return {"session_id": (await stage.client.open()).session_id}


async def another_tab(stage: Stage) -> Given:
    return {"tab_id": (await stage.page.new_tab()).tab_id}


async def gone_on(stage: Stage) -> Given:
    await stage.page.navigate(f"{stage.origin}/other")
    return {}


async def gone_back(stage: Stage) -> Given:
    await gone_on(stage)
    await stage.page.back()
    return {}


async def a_dialog(stage: Stage) -> Given:
    assert (await stage.page.click("#ask", skip_diff=True)).dialogs
    return {"accept": True}


async def the_last_call(stage: Stage) -> Given:
    return {"number": max(stage.session.calls._calls)}


async def a_lease(stage: Stage) -> Given:
    turn = await stage.session.control.take("ann", 60.0, Deadline.of(20))
    return {"lease_id": turn.lease_id}


async def input_of_a_person(stage: Stage) -> Given:
    return {**await a_lease(stage), "number": 1, "mouse": {"kind": "KIND_MOVE", "x": 5, "y": 5}}


async def a_download(stage: Stage) -> Given:
    if not (found := await stage.page.downloads()):
        await stage.page.click("#file2")
        found = await stage.page.downloads()
    return {"download_id": found[0].download_id}


async def a_recording(stage: Stage) -> Given:
    stub: Any = SubroutineServiceStub(stage.client.channel)
    request = subroutine_pb.StartRecordingRequest(session_id=stage.page.session_id)
    return {"recording_id": (await stage.client.call(stub.StartRecording, request)).recording_id}


async def the_recorded(stage: Stage) -> Given:
    return {"recording_ids": [stage.recorded], "name": a_name()}


async def a_subroutine(stage: Stage) -> Given:
    return {"subroutine_id": stage.made}


async def another_subroutine(stage: Stage) -> Given:
    return {"subroutine_id": await make_subroutine(stage)}


async def a_run(stage: Stage) -> Given:
    await stage.page.navigate(f"{stage.notes.url}/rest")
    title = f"Note {len(stage.notes.records)}"
    return {"subroutine_id": stage.made, "parameters": {"title": title, "text": "x"}}


async def a_video(stage: Stage) -> Given:
    return {"video_id": await stage.page.start_video()}


async def a_finished_video(stage: Stage) -> Given:
    given = await a_video(stage)
    await stage.page.click("#check")  # something to film
    await stage.page.stop_video(video_id=given["video_id"])
    return given


async def a_page_tool(stage: Stage) -> Given:
    tool = "{name: 'add', description: 'Adds', inputSchema: {type: 'object', properties: {}}}"
    value = f"{{getTools: async () => [{tool}], executeTool: async () => 'added'}}"
    await stage.page.evaluate(
        f"Object.defineProperty(document, 'modelContext', {{value: {value}, configurable: 1}}), 0"
    )
    return {"name": "add"}


async def a_page_with_a_tool(stage: Stage) -> Given:
    await a_page_tool(stage)
    return {}


async def a_new_tab(stage: Stage) -> Given:
    return {"url": f"{stage.origin}/other"}


async def a_new_session(stage: Stage) -> Given:
    return {"url": f"{stage.origin}/", "options": {"state": STATE, "record_console": True}}


TARGET = {"target": {"selector": "#save"}}
FIELD = {"target": {"selector": "#name"}}
STATE = base64.b64encode(
    json.dumps({"cookies": [], "origins": [{"origin": "https://kept.test", "localStorage": []}]}).encode()
).decode()

GIVEN: dict[str, Given | Callable[[Stage], Awaitable[Given]]] = {
    "CreateSession": a_new_session,
    "GetSession": {},
    "ListSessions": {},
    "CloseSession": another_session,
    "Navigate": a_new_tab,
    "GoBack": gone_on,
    "GoForward": gone_back,
    "Reload": {},
    "ListTabs": {},
    "SelectTab": another_tab,
    "CloseTab": another_tab,
    "NewTab": a_new_tab,
    "NameTab": {"name": "first"},
    "MoveTab": {"index": 0},
    "HandleDialog": a_dialog,
    "ExportState": {},
    "ImportState": {"state": STATE, "format": "STATE_FORMAT_PLAYWRIGHT"},
    "ListProfiles": {},
    "DeleteProfile": {"name": "none"},
    "SetViewport": {"viewport": {"width": 900, "height": 700}},
    "ReadClipboard": {},
    "WriteClipboard": {"text": "copied"},
    "SetConditions": {"conditions": {"cpu_slowdown": 1.5}},
    "ListDevices": {"query": "iPhone"},
    "CaptureSnapshot": {"include_screenshot": True},
    "WatchSnapshots": {},
    "CaptureScreenshot": {"full_page": True},
    "FindElements": {"query": "the Save button"},
    "ExplainElement": {"text": "Save"},
    "ParseImage": {"image": png()},
    "ListDetectors": {},
    "Click": TARGET,
    "Tap": TARGET,
    "Hover": TARGET,
    "Drag": {"from": {"selector": "#save"}, "to": {"selector": "#name"}},
    "TypeText": {**FIELD, "text": "typed"},
    "PressKey": {**FIELD, "key": "a"},
    "SelectOption": {"target": {"selector": "#list"}, "options": ["Two"]},
    "Scroll": {"delta_y": 100},
    "UploadFiles": {"target": {"selector": "#file"}, "paths": ["cv.txt"]},
    "WaitFor": {"settled": True},
    "Evaluate": {"expression": "document.title"},
    "Batch": {"steps": [{"click": FIELD}, {"type_text": {**FIELD, "text": "x"}}, {"capture_snapshot": {}}]},
    "ExtractInteractables": {},
    "ExtractContent": {},
    "StartRecording": {},
    "StopRecording": a_recording,
    "CreateSubroutine": the_recorded,
    "ListSubroutines": {},
    "RunSubroutine": a_run,
    "DeleteSubroutine": another_subroutine,
    "GetSubroutine": a_subroutine,
    "UpdateSubroutine": a_subroutine,
    "ReadDownload": a_download,
    "StreamUpload": {"name": "a.txt", "data": "eHh4"},
    "PrintToPdf": {},
    "ListRequests": {},
    "GetRequest": {"request_id": "r1"},
    "ExportHar": {},
    "SetNetworkRules": {"rules": [{"name": "none", "url_pattern": "*/none", "block": {}}]},
    "GetNetworkRules": {},
    "ListConsole": {},
    "ListPageTools": a_page_with_a_tool,
    "CallPageTool": a_page_tool,
    "WatchFrames": {},
    "WatchCalls": {},
    "GetCall": the_last_call,
    "TakeControl": {"holder": "ann"},
    "RenewControl": a_lease,
    "ReleaseControl": a_lease,
    "SendInput": input_of_a_person,
    "WatchControl": {},
    "RequestHuman": {"reason": "to log in"},
    "StartVideo": {},
    "StopVideo": a_video,
    "ListVideos": {},
    "ReadVideo": a_finished_video,
    "DeleteVideo": a_finished_video,
}
"""What each rpc is called with, beside the session; and what is made for the call."""

REFUSED = {"DeleteProfile": "PROFILE_NOT_FOUND", "RequestHuman": "NO_HUMAN"}
"""How calls end that nobody cancels, where not with an answer."""


def test_every_rpc_of_the_contract_is_cancelled() -> None:
    assert set(GIVEN) == {each.name for each in every_rpc()}


@pytest.mark.parametrize("rpc", every_rpc(), ids=lambda rpc: rpc.name)
async def test_an_rpc_that_is_cancelled_wherever_it_waits_leaves_nothing_open(
    stage: Stage, rpc: FuzzedMethod, request: pytest.FixtureRequest
) -> None:
    if (cuts := request.config.getoption("--cuts")) is None:
        pytest.skip("it takes minutes: give it --cuts")

    async def call() -> str:
        given = GIVEN[rpc.name]
        given = given if isinstance(given, dict) else await given(stage)
        stage.cut.rpc = rpc.name
        try:
            return await stage.send(rpc, given)
        finally:
            stage.cut.rpc = ""
            await stage.tidy()

    stage.cut.step, stage.cut.reached = "", set()
    assert await call() == REFUSED.get(rpc.name, "OK")  # what the first call alone has to do
    before, left = await stage.settled(None), {}
    for step in drawn(stage.cut.reached, rpc.name, cuts):
        stage.cut.step = step
        await call()
        if stage.cut.last and (after := await stage.settled(before)) != before:
            left[step] = {each: after[each] for each in after if after[each] != before[each]}
            before = after
    assert not left, f"{rpc.name} leaves open: {left}"


def drawn(steps: Iterable[str], seed: str, most: int) -> list[str]:
    """Some of the steps at which a call waits, the same in each run; with `most` at 0 all of them."""
    every = sorted(steps)
    return random.Random(seed).sample(every, most) if 0 < most < len(every) else every
