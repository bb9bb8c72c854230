"""Subroutines over real gRPC: recorded, made, run; and what comes of pages that have changed meanwhile."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import grpc
import pytest

from perception.bench.suites.subroutines.subroutine_app import NotesApp, serve_app
from perception.browser.recording import recorder
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from perception.server.subroutines.subroutine_store import SubroutineStore
from perception.v1 import subroutine_service_pb2 as pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub
from tests.support.early_ends import early_ends
from tests.support.run_waits import short_waits


class Recorded:
    """What has been recorded at one application. Tests only make subroutines of it, so that one recording is enough."""

    def __init__(self, app: NotesApp) -> None:
        self.app = app
        self._key = app.key
        self._recordings: dict[tuple[str, str], tuple[pb.StopRecordingResponse, list[dict[str, Any]]]] = {}

    async def get(self, tools: Tools, path: str, kind: str) -> pb.StopRecordingResponse:
        """One recording, with the application as it was at its end."""
        if (path, kind) not in self._recordings:
            self.begin_again()
            with patch.object(recorder, "RECORDER_QUIET_SECONDS", 0.5):  # pages with noise never rest
                stopped = await tools.record(path, kind=kind)
            self._recordings[path, kind] = stopped, list(self.app.records)
        stopped, self.app.records[:] = self._recordings[path, kind]
        self.app.refused.clear()
        return stopped

    def begin_again(self) -> None:
        """Takes back what tests did to the application."""
        self.app.records.clear()
        self.app.refused.clear()
        self.app.key, self.app.save, self.app.logged_in = self._key, "Save", True


@pytest.fixture(scope="module")
def recorded() -> Iterator[Recorded]:
    with serve_app() as app:
        yield Recorded(app)


@pytest.fixture
def app(recorded: Recorded) -> NotesApp:
    recorded.begin_again()
    return recorded.app


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


class Tools:
    """Subroutines of one session at one application."""

    def __init__(self, client: AsyncClient, page: AsyncPage, app: NotesApp, recorded: Recorded | None = None) -> None:
        self.client = client
        self.page = page
        self.app = app
        self._recorded = recorded
        self.stub: Any = SubroutineServiceStub(client.channel)
        self.made: list[str] = []

    async def start(self, path: str, origin: str = "") -> str:
        await self.page.navigate(f"{origin or self.app.url}{path}")
        request = pb.StartRecordingRequest(session_id=self.page.session_id)
        recording_id: str = (await self.client.call(self.stub.StartRecording, request)).recording_id
        return recording_id

    async def stop(self, recording_id: str) -> pb.StopRecordingResponse:
        request = pb.StopRecordingRequest(session_id=self.page.session_id, recording_id=recording_id)
        stopped: pb.StopRecordingResponse = await self.client.call(self.stub.StopRecording, request)
        return stopped

    async def record(self, path: str, title: str = "First note", kind: str = "") -> pb.StopRecordingResponse:
        """Adds a note by hand."""
        recording_id = await self.start(path)
        await self.page.type_text("#title", title, skip_diff=True)
        await self.page.type_text("#text", "Some words", skip_diff=True)
        if kind:
            await self.page.select("[name=kind]", kind, skip_diff=True)
        await self.page.click("#save", skip_diff=True)
        await self.page.wait_for(text="Saved", skip_diff=True)
        return await self.stop(recording_id)

    async def recorded(self, path: str, kind: str = "") -> pb.StopRecordingResponse:
        """The same as `record`, of an earlier test if there is one."""
        assert self._recorded is not None
        return await self._recorded.get(self, path, kind)

    async def create(self, *recordings: str, plan: int = 0, name: str = "Add note") -> pb.Subroutine:
        request = pb.CreateSubroutineRequest(recording_ids=recordings, name=name, plan=plan)  # type: ignore[arg-type]
        made: pb.Subroutine = (await self.client.call(self.stub.CreateSubroutine, request)).subroutine
        self.made.append(made.subroutine_id)
        return made

    async def run(self, made: pb.Subroutine, request_id: str = "", timeout_s: float = 60, **given: Any) -> Any:
        request = pb.RunSubroutineRequest(
            session_id=self.page.session_id, subroutine_id=made.subroutine_id, request_id=request_id
        )
        request.parameters.update(given)
        return await self.client.call(self.stub.RunSubroutine, request, timeout_s)

    async def delete(self, subroutine_id: str) -> None:
        await self.client.call(self.stub.DeleteSubroutine, pb.DeleteSubroutineRequest(subroutine_id=subroutine_id))

    def titles(self) -> list[str]:
        return [each["title"] for each in self.app.records]


@pytest.fixture
async def tools(client: AsyncClient, page: AsyncPage, app: NotesApp, recorded: Recorded) -> AsyncIterator[Tools]:
    tools = Tools(client, page, app, recorded)
    if not (await page.tabs())[0].url.startswith(app.url):
        await page.navigate(f"{app.url}/rest")
    yield tools
    for subroutine_id in tools.made:
        await tools.delete(subroutine_id)


async def test_signed_request_with_fresh_tokens_is_made_again_by_the_page(tools: Tools) -> None:
    stopped = await tools.recorded("/rest?noise", "Task")
    assert stopped.candidates[0].url.endswith("/api/notes")
    made = await tools.create(stopped.recording_id)
    assert made.plan == pb.PLAN_KIND_HYBRID
    assert [(await tools.run(made, title=f"Row {index}", text="x")).success for index in range(3)] == [True] * 3
    refused = await tools.run(made, title="Row 1", text="x")
    assert (refused.success, refused.reason, refused.sent) == (False, "REFUSED", True)
    assert "there is a note called Row 1 already" in refused.error
    assert tools.titles() == ["First note", "Row 0", "Row 1", "Row 2"]
    assert {each["kind"] for each in tools.app.records} == {"t"}


async def test_deployment_that_changes_ids_breaks_nothing(tools: Tools) -> None:
    made = await tools.create((await tools.recorded("/graphql-app?noise")).recording_id)
    assert made.plan == pb.PLAN_KIND_DOM
    assert "changes" in made.plan_reason
    assert tools.app.doc_id not in f"{made.body}{made.context}{made.plan_reason}"
    tools.app.deploy()
    done = await tools.run(made, title="After", text="x")
    assert (done.success, tools.titles()[-1]) == (True, "After")
    refused = await tools.run(made, title="After", text="x")
    assert "there is a note called After already" in refused.error
    assert refused.reason == "REFUSED"


async def test_step_whose_target_changed_does_nothing_and_is_reported(tools: Tools) -> None:
    made = await tools.create((await tools.recorded("/graphql-app")).recording_id)
    tools.app.save = "Delete all"
    with short_waits():
        drifted = await tools.run(made, title="Second", text="x")
    assert (drifted.reason, drifted.sent, drifted.before) == ("DRIFT", False, 'button "Save"')
    assert "Delete all" in drifted.after
    assert drifted.steps[drifted.failed_step].description == 'click button "Save"'
    assert "nothing had been sent" in drifted.error
    assert tools.titles() == ["First note"]


async def test_request_that_cannot_be_sent_is_done_by_hand(tools: Tools, service: Service) -> None:
    made = await tools.create((await tools.recorded("/rest")).recording_id)
    folder = service.context.settings.data_dir
    assert folder is not None
    body = folder / "subroutines" / made.subroutine_id / "body.js"
    body.write_text(body.read_text().replace('meta: "csrf-token"', 'meta: "csrf-moved"'))
    done = await tools.run(made, title="By hand", text="x")
    assert (done.success, done.sent, tools.titles()[-1]) == (True, True, "By hand")
    assert "csrf-moved" in done.fell_back
    listed = await tools.client.call(tools.stub.ListSubroutines, pb.ListSubroutinesRequest(origin=made.origin))
    assert [each.changed_by_hand for each in listed.subroutines] == [True]


async def test_request_that_was_refused_is_not_tried_by_hand(tools: Tools) -> None:
    made = await tools.create((await tools.recorded("/rest")).recording_id)
    tools.app.key = "another"  # what the page signs with is right; nothing that was sent before is
    first = await tools.run(made, title="Again", text="x")
    assert first.success
    second = await tools.run(made, title="Again", text="x")
    assert (second.success, second.fell_back, tools.app.refused) == (
        False,
        "",
        ["there is a note called Again already"],
    )


async def test_same_request_id_is_run_once(tools: Tools) -> None:
    made = await tools.create((await tools.recorded("/rest")).recording_id)
    first = await tools.run(made, "row-1", title="Once", text="x")
    assert await tools.run(made, "row-1", title="Once", text="x") == first
    assert tools.titles().count("Once") == 1
    with pytest.raises(RemoteError, match="by an earlier RunSubroutine with other parameters") as caught:
        await tools.run(made, "row-1", title="Other", text="x")
    assert (caught.value.reason, tools.titles().count("Other")) == ("REQUEST_ID_REUSED", 0)


async def test_tab_that_shows_nothing_yet_is_taken_to_the_origin(tools: Tools, client: AsyncClient) -> None:
    made = await tools.create((await tools.recorded("/rest")).recording_id)
    fresh = Tools(client, await client.open(), tools.app)
    assert (await fresh.run(made, title="Fresh", text="x")).success
    assert tools.titles()[-1] == "Fresh"
    await fresh.page.close()


async def test_missing_login_is_reported(tools: Tools) -> None:
    made = await tools.create((await tools.recorded("/graphql-app")).recording_id)
    tools.app.logged_in = False
    done = await tools.run(made, title="x", text="x")
    assert (done.reason, done.sent) == ("NOT_LOGGED_IN", False)
    assert "/login" in done.error


async def test_passed_deadline_is_reported_with_its_step(tools: Tools, service: Service) -> None:
    made = await tools.create((await tools.recorded("/graphql-app")).recording_id)
    folder = service.context.settings.data_dir
    assert folder is not None
    body = folder / "subroutines" / made.subroutine_id / "body.js"
    body.write_text("async ({ find }) => { await find({ role: 'button', name: 'Save' }); for (;;); }")
    await tools.page.navigate(f"{tools.app.url}/graphql-app")
    with early_ends(service) as reserve_s:
        done = await tools.run(made, timeout_s=reserve_s + 2.5, title="x", text="x")
    assert (done.success, done.reason, done.sent) == (False, "DEADLINE", False)
    assert done.steps[0].done
    assert (await tools.page.snapshot(mode="text")).title == "Notes"  # the tab goes on


async def test_nothing_is_done_where_a_step_has_led_away(tools: Tools, service: Service) -> None:
    made = await tools.create((await tools.recorded("/rest")).recording_id)
    folder = service.context.settings.data_dir
    assert folder is not None
    (folder / "subroutines" / made.subroutine_id / "body.js").write_text(
        """async ({ find, goto, click, type }, params) => {
          await goto("/rest");
          await click(find({ role: "link", name: "Elsewhere" }));
          await type(find({ role: "textbox", name: "Password" }), params.title);
        }"""
    )
    done = await tools.run(made, title="x", text="x")
    assert (done.reason, done.failed_step, done.steps[1].done) == ("OTHER_ORIGIN", 2, True)
    assert "localhost" in done.error


BODIES = [
    pytest.param("async ({ click }) => {", "SUBROUTINE_BROKEN", "cannot be run", id="no-script"),
    pytest.param("async () => { throw new Error('no luck'); }", "SCRIPT", "no luck", id="throws"),
    pytest.param("async () => document.title", "SCRIPT", "undefined", id="reaches-for-the-page"),
    pytest.param("async ({ click }) => click({})", "SUBROUTINE_BROKEN", "names no element", id="no-target"),
    pytest.param("async ({ goto }) => { for (;;) await goto('/rest'); }", "DEADLINE", "", id="endless"),
    pytest.param(
        "async ({ goto }) => { await goto('/rest?' + Math.random()); }", "SUBROUTINE_BROKEN", "another way", id="strays"
    ),
    pytest.param("async ({ goto }) => goto('https://example.org/')", "DRIFT", "leads away", id="leaves-its-origin"),
    pytest.param(
        "async ({ request }) => request('POST', 'https://example.org/x')",
        "BAD_INPUT",
        "another origin",
        id="sends-away",
    ),
    pytest.param(
        "async ({ request }) => request('POST', '/x', { json: 'y'.repeat(2000000) })",
        "BAD_INPUT",
        "the limit",
        id="over-the-cap",
    ),
]


@pytest.mark.parametrize(("body", "reason", "message"), BODIES)
async def test_body_that_was_damaged_does_no_harm(
    tools: Tools, service: Service, body: str, reason: str, message: str
) -> None:
    made = await tools.create((await tools.recorded("/rest")).recording_id)
    folder = service.context.settings.data_dir
    assert folder is not None
    (folder / "subroutines" / made.subroutine_id / "body.js").write_text(body)
    with early_ends(service) as reserve_s:
        done = await tools.run(made, timeout_s=reserve_s + (2 if reason == "DEADLINE" else 60), title="x", text="x")
    assert (done.success, done.reason, done.sent) == (False, reason, False)
    assert message in done.error
    assert tools.titles() == ["First note"]


async def refusal(call: Any) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await call
    return caught.value


async def test_bad_input_is_refused_before_anything_is_done(tools: Tools) -> None:
    stopped = await tools.recorded("/rest")
    made = await tools.create(stopped.recording_id)
    unknown = pb.Subroutine(subroutine_id="nothing-1")
    assert (await refusal(tools.run(unknown))).reason == "UNKNOWN_SUBROUTINE"
    assert (await refusal(tools.run(pb.Subroutine(subroutine_id="../../etc")))).reason == "UNKNOWN_SUBROUTINE"
    for given, named in (({"title": "x"}, "text"), ({"title": 1, "text": "x"}, "title"), ({"titel": "x"}, "titel")):
        error = await refusal(tools.run(made, **given))
        assert (error.code, named in str(error)) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    again = await refusal(tools.create(stopped.recording_id))
    assert again.reason == "SUBROUTINE_EXISTS"
    assert (await refusal(tools.create("r0", name="Other"))).reason == "UNKNOWN_RECORDING"
    await tools.page.navigate(tools.app.url.replace("127.0.0.1", "localhost") + "/rest")
    other = await refusal(tools.run(made, title="x", text="x"))
    assert (other.reason, tools.app.url in str(other)) == ("OTHER_ORIGIN", True)
    assert tools.titles() == ["First note"]


async def test_recording_ends_when_its_tab_closes(tools: Tools, service: Service) -> None:
    await tools.page.new_tab()
    recording_id = await tools.start("/rest")
    session = next(each for each in service.context.sessions.sessions if each.session_id == tools.page.session_id)
    recording = weakref.ref(session.recorders.find(recording_id))
    await tools.page.close_tab()
    error = await refusal(tools.stop(recording_id))
    assert (error.reason, "ends when its tab closes" in str(error)) == ("UNKNOWN_RECORDING", True)
    async with asyncio.timeout(30):  # the browser says a moment later that it has detached the recording from the tab
        while recording() is not None:
            gc.collect()
            await asyncio.sleep(0.01)


@pytest.fixture
def only_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where the service, which runs in this process, reads or writes files in its event loop."""

    def guarded(act: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            assert threading.current_thread() is not threading.main_thread(), f"{act.__name__} blocks the event loop"
            return act(*args, **named)

        return run

    for name in ("keep_recording", "recording", "keep", "get", "list", "delete"):
        monkeypatch.setattr(SubroutineStore, name, guarded(getattr(SubroutineStore, name)))
    monkeypatch.setattr(Path, "resolve", guarded(Path.resolve))


@pytest.mark.usefixtures("only_in_threads")
async def test_files_are_read_and_written_beside_the_event_loop(tools: Tools, site: str) -> None:
    field = "<label>CV <input type=file name=cv></label><button>Send</button>"
    form = f"<form method=post enctype=multipart/form-data action='/x'>{field}</form>"
    recording_id = await tools.start(f"/html?body={quote(form)}", site)
    await tools.page.upload("[name=cv]", "cv.txt", skip_diff=True)
    await tools.page.click("button", skip_diff=True)
    await tools.stop(recording_id)
    made = await tools.create(recording_id, name="Send CV")
    listed = (await tools.client.call(tools.stub.ListSubroutines, pb.ListSubroutinesRequest())).subroutines
    assert made.subroutine_id in [each.subroutine_id for each in listed]
    assert (await tools.run(made, cv="photo.png")).success
    await tools.delete(made.subroutine_id)
    tools.made.clear()


async def test_recording_is_begun_once_and_needs_an_effect(tools: Tools) -> None:
    recording_id = await tools.start("/rest")
    again = pb.StartRecordingRequest(session_id=tools.page.session_id)
    assert (await refusal(tools.client.call(tools.stub.StartRecording, again))).reason == "RECORDING"
    await tools.stop(recording_id)
    assert (await refusal(tools.stop(recording_id))).reason == "UNKNOWN_RECORDING"
    assert (await refusal(tools.create(recording_id))).reason == "RECORDING_EMPTY"


async def test_plan_that_is_not_possible_is_refused_with_its_reason(tools: Tools) -> None:
    recording_id = (await tools.recorded("/graphql-app")).recording_id
    error = await refusal(tools.create(recording_id, plan=pb.PLAN_KIND_NETWORK))
    assert (error.reason, "deployment" in str(error)) == ("PLAN_NOT_POSSIBLE", True)


async def test_two_recordings_make_a_parameter_of_what_differs(tools: Tools) -> None:
    one = await tools.record("/rest", "One", "Task")
    two = await tools.record("/rest", "Two", "Task")
    made = await tools.create(one.recording_id, two.recording_id)
    assert list(made.parameters_schema["properties"]) == ["title"]  # type: ignore[arg-type]
    done = await tools.run(made, title="Three")
    assert done.success
    assert tools.app.records[-1] == {"title": "Three", "text": "Some words", "kind": "t"}


async def test_file_is_given_by_its_name_in_the_upload_directory(tools: Tools, site: str) -> None:
    field = "<label>CV <input type=file name=cv></label><button>Send</button>"
    form = f"<form method=post enctype=multipart/form-data action='/x'>{field}</form>"
    recording_id = await tools.start(f"/html?body={quote(form)}", site)
    await tools.page.upload("[name=cv]", "cv.txt", skip_diff=True)
    await tools.page.click("button", skip_diff=True)
    stopped = await tools.stop(recording_id)
    made = await tools.create(recording_id, name="Send CV")
    assert "it sends files" in made.plan_reason
    assert '"cv.txt"' in stopped.context
    done = await tools.run(made, cv="photo.png")
    assert (done.success, done.sent) == (True, True)
    missing = await tools.run(made, cv="nothing.pdf")
    assert (missing.reason, missing.sent) == ("NO_SUCH_FILE", False)


async def test_dialog_ends_a_run_at_its_step(tools: Tools, service: Service) -> None:
    made = await tools.create((await tools.recorded("/graphql-app")).recording_id)
    link = service.context.sessions.get(tools.page.session_id).browser.tab().link
    folder = service.context.settings.data_dir
    assert folder is not None
    body = folder / "subroutines" / made.subroutine_id / "body.js"
    body.write_text('async ({ find, click }) => click(find({ role: "button", name: "Save" }))')
    await tools.page.navigate(f"{tools.app.url}/graphql-app")
    await link.evaluate(
        link.main_frame,
        "document.getElementById('save').setAttribute('onclick', \"alert('Sure?')\")",
        service.context.deadline(_Timeless()),
        "",
    )
    done = await tools.run(made, title="x", text="x")
    assert (done.reason, done.failed_step) == ("REFUSED", 0)
    assert "Sure?" in done.error
    assert (await tools.page.snapshot(mode="text")).title == "Notes"  # the dialog is closed


class _Timeless:
    def time_remaining(self) -> None:
        return None


def test_broken_files_are_left_out_of_the_list_and_can_be_deleted(tmp_path: Any) -> None:
    store = SubroutineStore(tmp_path)
    folder = tmp_path / "subroutines" / "broken-1"
    folder.mkdir(parents=True)
    (folder / "subroutine.json").write_text("{")
    assert store.list() == ()
    store.delete("broken-1")
    assert not folder.exists()
