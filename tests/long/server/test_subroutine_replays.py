"""Replays over real gRPC: what arrives at the application, and on which element a step acts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from perception.browser.recording import recorder
from perception.browser.recording.network_log import NetworkLog
from perception.client import AsyncClient, AsyncPage, AsyncSubroutines, RemoteError
from perception.v1 import subroutine_service_pb2 as pb
from tests.support.inbox_app import Inbox, serve_inbox
from tests.support.run_waits import short_waits


@pytest.fixture(scope="module")
def served() -> Iterator[Inbox]:
    with serve_inbox() as app:
        yield app


@pytest.fixture
def app(served: Inbox) -> Inbox:
    served.begin_again()
    return served


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture(scope="module")
def recordings() -> dict[str, str]:
    """Ids of recordings that several tests make subroutines of."""
    return {}


class Replays:
    """Subroutines of one session at one application."""

    def __init__(
        self, client: AsyncClient, page: AsyncPage, app: Inbox, recordings: dict[str, str] | None = None
    ) -> None:
        self.client = client
        self.tools = AsyncSubroutines(client)
        self.page = page
        self.app = app
        self.made: list[str] = []
        self._recordings = {} if recordings is None else recordings

    async def start(self, path: str, html: str) -> str:
        """Shows a page, and begins to record there."""
        self.app.pages[path.partition("#")[0]] = html
        if "#" in path:  # a move within a page that a test has shown before would request nothing
            await self.page.navigate(f"{self.app.url}/none")
        await self.page.navigate(f"{self.app.url}{path}")
        return await self.tools.start(self.page)

    async def recorded(self, key: str, record: Callable[[], Awaitable[str]]) -> str:
        """A recording that an earlier test has made, else a new one. What the application received is forgotten."""
        if key not in self._recordings:
            self._recordings[key] = await record()
        self.app.received.clear()
        self.app.asked.clear()
        return self._recordings[key]

    async def create(self, *recording_ids: str, plan: str = "") -> pb.Subroutine:
        made = await self.tools.create(*recording_ids, name=f"Task {len(self.made)}", plan=plan)
        self.made.append(made.subroutine_id)
        return made

    async def run(self, made: pb.Subroutine, timeout_s: float | None = None, **given: Any) -> pb.RunSubroutineResponse:
        return await self.tools.run(self.page, made.subroutine_id, given, timeout_s=timeout_s)

    async def run_in_vain(self, made: pb.Subroutine, **given: Any) -> pb.RunSubroutineResponse:
        """As `run`, where what it waits for does not come."""
        with short_waits():
            return await self.run(made, **given)


@pytest.fixture
async def replays(
    client: AsyncClient, page: AsyncPage, app: Inbox, recordings: dict[str, str]
) -> AsyncIterator[Replays]:
    replays = Replays(client, page, app, recordings)
    yield replays
    for subroutine_id in replays.made:
        await replays.tools.delete(subroutine_id)


CODES = """<!doctype html><title>Codes</title><form method=post><label>Code <input name=code></label>
<button>Send</button></form><ul>{received}</ul>"""


@pytest.mark.parametrize("path", ["/codes", "/codes#/new"])
async def test_form_that_posts_to_its_own_page_arrives_once_for_each_run(replays: Replays, path: str) -> None:
    recording_id = await replays.start(path, CODES)
    await replays.page.type_text("[name=code]", "c0", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await replays.create(recording_id, plan="dom")
    for code in ("c1", "c2", "c3"):
        done = await replays.run(made, code=code)
        assert done.success, done.error
    assert replays.app.bodies == [b"code=c0", b"code=c1", b"code=c2", b"code=c3"]
    assert (await replays.page.snapshot(mode="text")).url == f"{replays.app.url}{path}"


NOTES = """<!doctype html><title>Notes</title><label>Note <input id=note></label><button>Save</button>
<script>document.querySelector('button').onclick = () => fetch('/save', { method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ note: document.querySelector('#note').value }) });</script>"""


async def record_note(replays: Replays) -> pb.StopRecordingResponse:
    """A note that is saved while the recording is stopped."""
    recording_id = await replays.start("/notes", NOTES)
    await replays.page.type_text("#note", "n0", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    return await replays.tools.stop(replays.page, recording_id)


@contextmanager
def waits_of_a_recording(at_most_s: float) -> Iterator[None]:
    """Ends the waits for requests at the end of a recording sooner than the caller's time makes them."""
    wait = NetworkLog.wait_for

    async def wait_for(log: NetworkLog, is_done: Callable[[], bool], timeout_s: float) -> bool:
        return await wait(log, is_done, min(timeout_s, at_most_s))

    with patch.object(NetworkLog, "wait_for", wait_for):
        yield


def note(text: str) -> bytes:
    return b'{"note":"%s"}' % text.encode()


async def test_recording_ends_when_a_slow_request_is_answered(
    replays: Replays, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "RECORDER_QUIET_SECONDS", 0.2)
    replays.app.delay_s = 1.0
    stopped = await record_note(replays)
    assert (list(stopped.open_requests), stopped.candidates[0].status) == ([], 200)
    made = await replays.create(stopped.recording_id)
    assert made.plan == pb.PLAN_KIND_HYBRID
    replays.app.delay_s = 0.0
    assert [(await replays.run(made, note=each)).success for each in ("n1", "n2")] == [True, True]
    assert replays.app.bodies == [note("n0"), note("n1"), note("n2")]


UNREAD = NOTES.replace(
    "</script>",
    """.then((answer) => document.querySelector('output').textContent =
    answer.ok ? 'Saved ' + document.querySelector('#note').value : 'Failed');</script><output></output>""",
).replace("}) });.then", "}) }).then")


@pytest.mark.parametrize("plan", ["", "dom"])
async def test_answer_whose_body_the_page_does_not_read_is_an_answer(replays: Replays, plan: str) -> None:
    replays.app.headers["Cache_Control"] = "no-store"  # else Chromium reads it for its cache
    recording_id = await replays.start("/unread", UNREAD)
    await replays.page.type_text("#note", "n0", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.page.wait_for(text="Saved n0", skip_diff=True)
    stopped = await replays.tools.stop(replays.page, recording_id)
    assert (list(stopped.open_requests), stopped.candidates[0].status) == ([], 200)
    made = await replays.create(recording_id, plan=plan)
    done = await replays.run(made, note="n1")
    assert (done.success, done.error, replays.app.bodies[1:]) == (True, "", [note("n1")])


async def test_request_that_was_not_seen_to_end_is_reported_and_left_to_the_page(replays: Replays) -> None:
    replays.app.hold()
    with waits_of_a_recording(0.5):
        stopped = await record_note(replays)
    assert list(stopped.open_requests) == [f"POST {replays.app.url}/save"]
    for plan in ("network", "hybrid"):
        with pytest.raises(RemoteError, match="had not ended when the recording was stopped") as caught:
            await replays.create(stopped.recording_id, plan=plan)
        assert caught.value.reason == "PLAN_NOT_POSSIBLE"
    made = await replays.create(stopped.recording_id)
    assert made.plan == pb.PLAN_KIND_DOM
    replays.app.release()
    assert [(await replays.run(made, note=each)).success for each in ("n1", "n2", "n3")] == [True] * 3
    assert sorted(replays.app.bodies) == [note("n0"), note("n1"), note("n2"), note("n3")]
    replays.app.hold()
    with short_waits(answers=True):
        lost = await replays.run(made, note="n4")
    assert (lost.success, lost.sent) == (False, True)


VIEWS = """<!doctype html><title>Letters</title><form method=post action="/sent">
<label>Letter <input name=letter></label><button>Send</button></form>
<script>if (location.hash === '#drafts') document.forms[0].action = '/drafts';</script>"""


async def test_replay_goes_on_in_the_view_that_was_recorded(replays: Replays) -> None:
    recording_id = await replays.start("/letters#drafts", VIEWS)
    await replays.page.type_text("[name=letter]", "Dear", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await replays.create(recording_id, plan="dom")
    await replays.page.navigate(f"{replays.app.url}/letters")
    done = await replays.run(made, letter="Hello")
    assert done.success, done.error
    assert [path for path, _, _ in replays.app.received] == ["/drafts", "/drafts"]


FIELDS = """<label>Title <input name=title></label><input name=none><input type=file name=cv>
<textarea name=text>

 both ends

</textarea><input name='"quoted"' value="a+b%20&amp;c~*'">"""

SCRIPT = """<script>document.querySelector('button').onclick = () => {
  const title = document.querySelector('[name=title]').value;
  const given = JSON.parse('{"10":1e21,"2":0.1,"__proto__":{"a":"\\\\n"},"text":"\\\\n both ends \\\\n","none":""}');
  given.title = title;
  fetch('/sent', { method: 'POST', %s });
};</script>"""

SENDERS = [
    pytest.param(f"<form method=post action=/sent>{FIELDS}<button>Send</button></form>", id="form"),
    pytest.param(
        f"<form method=post action=/sent enctype=multipart/form-data>{FIELDS}<button>Send</button></form>",
        id="multipart-form",
    ),
    pytest.param(
        f"<form onsubmit='return false'>{FIELDS}<button>Send</button></form>"
        + SCRIPT % "body: new FormData(document.forms[0])",
        id="multipart-script",
    ),
    pytest.param(f"{FIELDS}<button>Send</button>" + SCRIPT % "body: JSON.stringify(given)", id="json"),
    pytest.param(
        f"{FIELDS}<button>Send</button>" + SCRIPT % "headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, "
        "body: `title=${encodeURIComponent(title)}&none=&text=${encodeURIComponent(given.text + '!')}`",
        id="script",
    ),
]


@pytest.mark.parametrize("html", SENDERS)
async def test_body_of_a_replay_has_the_same_bytes(replays: Replays, html: str) -> None:
    recording_id = await replays.start("/send", html)
    await replays.page.type_text("[name=title]", "It's a + b", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await replays.create(recording_id, plan="network")
    await replays.page.navigate(f"{replays.app.url}/send")
    done = await replays.run(made, title="It's a + b")
    assert done.success, done.error
    recorded, replayed = (without_boundary(*each[1:]) for each in replays.app.received)
    assert replayed == recorded


def without_boundary(content_type: str, body: bytes) -> bytes:
    found = re.search("boundary=(.+)", content_type)
    return body.replace(found[1].encode(), b"boundary") if found else body


def machines(*names: str) -> str:
    """Rows of controls without names: a text field and a picture to click."""
    rows = "".join(
        f"<tr><td>{each}</td><td><input></td><td><button><svg width=9 height=9></svg></button></td></tr>"
        for each in names
    )
    script = """const send = (what) => (event) => fetch('/sent', { method: 'POST',
      body: `${what} ${event.target.closest('tr').cells[0].textContent} ${event.target.value ?? ''}`.trim() });
      document.querySelectorAll('input').forEach((each) => each.addEventListener('change', send('rename')));
      document.querySelectorAll('button').forEach((each) => each.addEventListener('click', send('deploy')));"""
    return f"<!doctype html><title>Machines</title><h1>Machines</h1><table>{rows}</table><script>{script}</script>"


async def test_control_without_a_name_is_found_by_its_row_and_never_by_its_place(replays: Replays) -> None:
    recording_id = await replays.start("/machines", machines("alpha", "beta"))
    await replays.page.type_text("tr:nth-child(2) input", "gamma", skip_diff=True)
    await replays.page.click("tr:nth-child(2) button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await replays.create(recording_id, plan="dom")
    replays.app.received.clear()
    replays.app.pages["/machines"] = machines("beta", "production")
    done = await replays.run(made, row="beta", textbox="delta")
    assert done.success, done.error
    assert sorted(replays.app.bodies) == [b"deploy beta", b"rename beta delta"]
    replays.app.received.clear()
    drifted = await replays.run_in_vain(made, row="alpha", textbox="delta")
    assert (drifted.success, drifted.reason, drifted.sent, replays.app.bodies) == (False, "DRIFT", False, [])
    assert "alpha" in drifted.before


def toggles(*headings: str) -> str:
    """Controls without names under headings."""
    script = """document.querySelectorAll('button').forEach((each) => each.addEventListener('click', (event) =>
      fetch('/sent', { method: 'POST', body: event.currentTarget.previousElementSibling.textContent })));"""
    parts = "".join(f"<h2>{each}</h2><button><svg width=9 height=9></svg></button>" for each in headings)
    return f"<!doctype html><title>Toggles</title>{parts}<script>{script}</script>"


async def test_control_without_a_name_is_not_taken_for_another_one_at_its_place(replays: Replays) -> None:
    recording_id = await replays.start("/toggles", toggles("Lamp", "Heating"))
    await replays.page.click("button:nth-of-type(2)", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await replays.create(recording_id, plan="dom")
    done = await replays.run(made)
    assert done.success, done.error
    replays.app.received.clear()
    replays.app.pages["/toggles"] = toggles("Heating", "Alarm")
    drifted = await replays.run_in_vain(made)
    assert (drifted.success, drifted.reason, drifted.sent, replays.app.bodies) == (False, "DRIFT", False, [])
    assert ("Heating" in drifted.before, "Alarm" in drifted.after) == (True, True)
