"""Secrets by name: typed where they may be, and seen nowhere."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import cv2
import grpc
import numpy as np
import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.secrets import mask_of
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1.subroutine_service_pb2_grpc import SubroutineServiceStub
from tests.support.lent_browser import borrowing
from tests.support.processes import perception
from tests.support.secrets_files import WORD, secrets_file

MASK = mask_of("word")

Visit = Callable[[str], Awaitable[None]]


pytestmark = pytest.mark.usefixtures("kept_contexts")


@pytest.fixture(scope="module")
async def keeper(service: Service, tmp_path_factory: pytest.TempPathFactory, site: str) -> AsyncIterator[AsyncClient]:
    """A client of a service that keeps secrets."""
    folder = tmp_path_factory.mktemp("vault")
    settings = Settings(
        address=f"unix:{folder / 'socket'}",
        allow_hosts=("127.0.0.1", "localhost"),
        secrets_file=secrets_file(folder, site),
        data_dir=folder / "data",
    )
    async with borrowing(service, settings), await aconnect(settings.address, timeout_s=30) as client:
        yield client


@pytest.fixture
async def page(keeper: AsyncClient) -> AsyncIterator[AsyncPage]:
    page = await keeper.open(allow_evaluate=True, viewport=(720, 400))  # pictures are made and read faster
    yield page
    await page.close()


@pytest.fixture
def visit(page: AsyncPage, site: str) -> Visit:
    async def go(body: str) -> None:
        await page.navigate(html(site, body))

    return go


def html(site: str, body: str) -> str:
    return f"{site}/html?body={quote('<!doctype html><meta charset=utf-8>' + body)}"


def hides(message: Any, value: str = WORD) -> bool:
    """Nothing of it is in a whole answer."""
    return value.lower() not in str(message).lower() and quote(value, safe="").lower() not in str(message).lower()


def ink(image: Any) -> int:
    """Pixels that show a secret, which the pages here write in green."""
    pixels = cv2.imdecode(np.frombuffer(image.data, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    return int(np.count_nonzero((pixels[..., 1] > 200) & (pixels[..., 0] < 120) & (pixels[..., 2] < 120)))


async def shot(page: AsyncPage, client: AsyncClient, **options: Any) -> Any:
    request = perception_pb.CaptureScreenshotRequest(session_id=page.session_id, **options)
    return (await client.call(client.perception.CaptureScreenshot, request)).image


GREEN = "<style>* { font: bold 30px monospace } .s { color: #0f0 }</style>"
ECHO = (
    f"{GREEN}<label>User <input id=field class=s></label><p id=echo class=s></p>"
    "<script>field.oninput = () => { echo.textContent = 'you typed ' + field.value; document.title = field.value;"
    "console.error('bad ' + field.value);"
    "history.replaceState(0, '', '?q=' + encodeURIComponent(field.value)) }</script>"
)


async def test_secret_reaches_the_page_and_no_answer(page: AsyncPage, visit: Visit) -> None:
    await visit("<label>Password <input type=password id=field></label><script>field.oninput = () => { "
                "document.body.dataset.length = field.value.length }</script>")  # fmt: skip
    result = await page.type_text("#field", secret="word")
    assert hides(result)
    assert await page.evaluate("document.body.dataset.length") == str(len(WORD))
    assert await page.evaluate("document.querySelector('#field').value") == MASK
    assert hides(await page.snapshot())


async def test_exported_state_has_the_login_and_not_the_secret(page: AsyncPage, visit: Visit) -> None:
    await visit(
        "<label>User <input id=field></label><script>field.onchange = () => {"
        "localStorage.token = 't0k3n'; document.cookie = 'sid=t0k3n';"
        "for (const [key, each] of Object.entries({plain: field.value, coded: btoa(field.value)}))"
        "  { localStorage[key] = each; document.cookie = key + '=' + encodeURIComponent(each) } }</script>"
    )
    await page.type_text("#field", secret="word", submit=True)
    assert await page.evaluate("localStorage.coded") == MASK
    exported = await page.export_state()
    state = json.loads(exported.state)
    assert [each["name"] for each in state["cookies"]] == ["sid"]
    assert [each["localStorage"] for each in state["origins"]] == [[{"name": "token", "value": "t0k3n"}]]
    assert len(exported.omitted) == 4
    assert hides(exported)


async def test_what_a_field_puts_between_characters_hides_nothing(page: AsyncPage, visit: Visit) -> None:
    await visit(
        "<label>IBAN <input id=field oninput=\"value = value.replace(/ /g, '').replace(/(.{4})(?=.)/g, '$1 ');"
        "echo.textContent = field.value; long.textContent = [...field.value].join('\\u200b');"
        "history.replaceState(0, '', '?' + new URLSearchParams({q: field.value}))\"></label>"
        "<p id=echo></p><p id=long></p>"
    )
    result = await page.type_text("#field", secret="iban")
    snapshot = await page.snapshot(mode="text")
    content = await page.content()
    assert snapshot.text.count(mask_of("iban")) == 3
    assert snapshot.url.endswith(f"?q={mask_of('iban')}")
    for answer in (result, snapshot, content):
        assert hides(answer, "3704")


async def test_page_with_numbers_that_no_character_has_is_looked_at(page: AsyncPage, visit: Visit) -> None:
    await visit(f"<title>&amp;#{'1' * 5000}</title><button>Go</button><p>&amp;#{'1' * 5000};")
    snapshot = await page.snapshot(mode="text")
    assert snapshot.title.endswith("111")
    assert "button" in snapshot.text
    assert "&#111" in (await page.content()).markdown


@pytest.mark.parametrize("keystrokes", [False, True])
async def test_echoes_are_masked_in_every_answer(page: AsyncPage, visit: Visit, keystrokes: bool) -> None:
    await visit(ECHO)
    before = await page.snapshot(mode="text")
    result = await page.type_text("#field", secret="word", keystrokes=keystrokes)
    assert result.console_errors[-1] == f"bad {MASK}"
    assert MASK in result.url
    assert MASK in result.diff.text
    snapshot = await page.snapshot(mode="text", since=before)
    assert snapshot.title == MASK
    assert {each.value for each in snapshot.elements if each.role == "textbox"} == {MASK}
    assert f"you typed {MASK}" in snapshot.text
    answers = [
        result if not keystrokes else "",
        snapshot,
        await page.snapshot(mode="fused"),
        await page.snapshot(mode="text", engine="ax"),
        await page.snapshot(mode="text", view="digest", style="compact"),
        await page.snapshot(mode="text", reveal_sensitive=True),
        await page.content(form_values=True),
        await page.interactables(),
        await page.find("you typed"),
        await page.click("#field"),
    ]
    assert [index for index, answer in enumerate(answers) if not hides(answer)] == []


async def test_answers_about_the_session_are_masked(page: AsyncPage, keeper: AsyncClient, visit: Visit) -> None:
    await visit(ECHO)
    await page.type_text("#field", secret="word")
    session = session_pb.GetSessionRequest(session_id=page.session_id)
    answers = [
        await keeper.call(keeper.sessions.GetSession, session),
        await keeper.call(keeper.sessions.ListSessions, session_pb.ListSessionsRequest()),
        await keeper.call(keeper.sessions.ListTabs, session_pb.ListTabsRequest(session_id=page.session_id)),
    ]
    assert all(hides(each) and MASK.encode() in each.SerializeToString() for each in answers)
    watched = keeper.perception.WatchSnapshots(
        perception_pb.WatchSnapshotsRequest(session_id=page.session_id), timeout=30
    )
    first = await watched.read()
    watched.cancel()
    assert hides(first)
    assert MASK in first.snapshot.text


async def test_form_that_puts_it_into_the_address_is_masked(page: AsyncPage, visit: Visit, site: str) -> None:
    await visit(f'<form action="{site}/inner.html"><input id=field name=q></form>')
    result = await page.type_text("#field", secret="word", submit=True)
    assert result.url.endswith(f"/inner.html?q={MASK}")
    assert hides(result)


async def test_dialogs_are_masked(page: AsyncPage, visit: Visit) -> None:
    await visit("<input id=field onchange='alert(`is it ${value}?`)'>")
    result = await page.type_text("#field", secret="word", submit=True)
    assert [each.message for each in result.dialogs] == [f"is it {MASK}?"]
    assert (await page.handle_dialog()).message == f"is it {MASK}?"


async def test_script_results_are_masked_at_any_position(page: AsyncPage, visit: Visit) -> None:
    await visit("<input id=field><input id=other>")
    await page.type_text("#field", secret="word")
    await page.type_text("#other", secret="pin")
    script = (
        "(() => { const v = field.value;"
        "return {[v]: [v, {deep: 'x' + v}], url: encodeURIComponent(v), n: +other.value} })()"
    )
    assert await page.evaluate(script) == {MASK: [MASK, {"deep": f"x{MASK}"}], "url": MASK, "n": mask_of("pin")}
    with pytest.raises(Exception, match=re.escape(MASK)) as caught:
        await page.evaluate("(() => { throw new Error('no ' + field.value) })()")
    assert hides(caught.value)


async def test_pictures_do_not_show_it(page: AsyncPage, keeper: AsyncClient, visit: Visit) -> None:
    await visit(ECHO)
    assert ink(await shot(page, keeper)) == 0
    await page.type_text("#field", "not secret")
    assert ink(await shot(page, keeper)) > 0
    await page.type_text("#field", secret="word", clear=True)
    script = "echo.innerHTML = 'Zebra-<b>Quartz</b>77'; field.blur()"  # in pieces, too
    for _ in range(2):
        for options in ({}, {"full_page": True}, {"annotated": True}, {"reveal_sensitive": True}):
            # The words before it are green, and stay.
            await page.evaluate("echo.firstChild.data = echo.firstChild.data.replace('you typed ', '')")
            assert ink(await shot(page, keeper, **options)) == 0, options
        await page.evaluate(script)
    request = perception_pb.CaptureSnapshotRequest(
        session_id=page.session_id, include_screenshot=True, include_annotated=True
    )
    reply = await keeper.call(keeper.perception.CaptureSnapshot, request)
    assert (ink(reply.screenshot), ink(reply.annotated)) == (0, 0)


@pytest.mark.parametrize("where", ["site", "other_site"])
async def test_pictures_of_frames_do_not_show_it(
    page: AsyncPage, keeper: AsyncClient, visit: Visit, where: str, request: pytest.FixtureRequest
) -> None:
    inner = html(request.getfixturevalue(where), f"{GREEN}<p class=s>{WORD}</p><p>beside</p>")
    await visit(f'<iframe src="{inner}" width=600 height=200></iframe>')
    assert ink(await shot(page, keeper)) == 0
    assert hides(await page.snapshot())


async def test_what_only_vision_reads_is_masked_in_text_and_picture(
    page: AsyncPage, keeper: AsyncClient, visit: Visit
) -> None:
    draw = (
        f"p.font = '40px sans-serif'; p.fillStyle = '#0f0'; p.fillText('{WORD}', 20, 60);"
        "p.fillStyle = '#000'; p.fillText('plain words', 20, 150)"
    )
    await visit(
        f"<canvas id=c width=700 height=200></canvas><input id=field><script>p = c.getContext('2d'); {draw}</script>"
    )
    request = perception_pb.CaptureSnapshotRequest(session_id=page.session_id, include_screenshot=True)
    reply = await keeper.call(keeper.perception.CaptureSnapshot, request)
    assert "plain words" in reply.snapshot.text
    assert MASK in reply.snapshot.text
    assert hides(reply.snapshot)
    assert ink(reply.screenshot) == 0
    assert ink(await shot(page, keeper)) > 0
    await page.type_text("#field", secret="pin")  # from then on whoever has a page may have been told
    for options in ({}, {"full_page": True}, {"format": perception_pb.IMAGE_FORMAT_JPEG}):
        picture = await shot(page, keeper, **options)
        assert ink(picture) == 0, options
        assert picture.mime_type == ("image/jpeg" if options.get("format") else "image/png")


@pytest.mark.parametrize("by", ["target", "focus", "coordinate"])
async def test_other_origins_get_nothing(page: AsyncPage, other_site: str, by: str) -> None:
    await page.navigate(html(other_site, "<input id=field autofocus style='position:fixed;left:0;top:0;width:300px'>"))
    target = {"target": "#field", "focus": None, "coordinate": (50.0, 10.0)}[by]
    with pytest.raises(RemoteError) as caught:
        await page.type_text(target, secret="word")
    assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SECRET_ORIGIN")
    assert await page.evaluate("field.value") == ""
    await page.type_text("#field", secret="anywhere")
    assert await page.evaluate("field.value.length") == len("Any-Where-99")


@pytest.mark.parametrize("sandbox", ["", "sandbox=allow-scripts"])
@pytest.mark.parametrize("outside", ["site", "other_site"])
async def test_frame_and_all_around_it_have_to_be_of_the_origin(
    page: AsyncPage, site: str, outside: str, sandbox: str, request: pytest.FixtureRequest
) -> None:
    inner = html(site, "<input id=field style='position:fixed;left:0;top:0;width:300px'>")
    await page.navigate(html(request.getfixturevalue(outside), f'<iframe src="{inner}" {sandbox}></iframe>'))
    refusal = None
    try:
        await page.type_text("iframe >>> #field", secret="word")
    except RemoteError as exc:
        refusal = exc.reason
    assert refusal == (None if outside == "site" and not sandbox else "SECRET_ORIGIN")


async def test_unknown_names_reveal_nothing_of_others(page: AsyncPage, visit: Visit) -> None:
    await visit("<input id=field>")
    told = []
    for name in ("none", "hers"):
        with pytest.raises(RemoteError) as caught:
            await page.type_text("#field", secret=name)
        assert (caught.value.code, caught.value.reason) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_SECRET")
        told.append(str(caught.value).replace(name, "NAME"))
    assert told[0] == told[1]
    assert "word" not in told[0]


async def test_text_and_secret_together_are_refused(page: AsyncPage) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.type_text("#field", "text", secret="word")
    assert caught.value.reason == "BAD_INPUT"


async def test_errors_do_not_quote_it(page: AsyncPage, visit: Visit) -> None:
    await visit("<input id=field type=date><input id=typed>")
    with pytest.raises(RemoteError) as caught:
        await page.type_text("#field", secret="word")
    assert caught.value.reason == "BAD_INPUT"
    assert MASK in str(caught.value)
    assert hides(str(caught.value))
    await page.type_text("#field", secret="day")
    assert await page.evaluate("field.value === ['2031', '05', '17'].join('-')") is True


async def test_recordings_hold_its_name_alone(
    page: AsyncPage, keeper: AsyncClient, visit: Visit, site: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    await visit(
        f'<form method=post action="{site}/post"><label>Nick <input id=field name=nick></label></form>'
        "<button id=named>?</button><script>field.oninput = () => { named.textContent = 'Hi ' + field.value }</script>"
    )
    stub = SubroutineServiceStub(keeper.channel)
    start = subroutine_pb.StartRecordingRequest(session_id=page.session_id)
    started = await keeper.call(stub.StartRecording, start)
    await page.type_text("#field", secret="word")
    await page.click("#named")
    await page.type_text("#field", "", submit=True)
    stop = subroutine_pb.StopRecordingRequest(session_id=page.session_id, recording_id=started.recording_id)
    stopped = await keeper.call(stub.StopRecording, stop)
    assert hides(stopped)
    kept = list(tmp_path_factory.getbasetemp().rglob(f"{started.recording_id}.json"))
    assert len(kept) == 1
    assert hides(kept[0].read_text())
    assert "«given:word»" in kept[0].read_text()


@pytest.mark.parametrize(
    ("plan", "ended"),
    [
        pytest.param(subroutine_pb.PLAN_KIND_DOM, "done", id="dom"),
        pytest.param(subroutine_pb.PLAN_KIND_NETWORK, "UNVERIFIED", id="network"),  # its answer says nothing
    ],
)
async def test_subroutines_take_secrets_by_name(
    page: AsyncPage, keeper: AsyncClient, visit: Visit, site: str, plan: subroutine_pb.PlanKind, ended: str
) -> None:
    await visit(f'<form method=post action="{site}/post"><label>Nick <input id=field name=nick></label></form>')
    stub = SubroutineServiceStub(keeper.channel)
    started = await keeper.call(stub.StartRecording, subroutine_pb.StartRecordingRequest(session_id=page.session_id))
    await page.type_text("#field", secret="word", submit=True)
    recording_id = started.recording_id
    stop = subroutine_pb.StopRecordingRequest(session_id=page.session_id, recording_id=recording_id)
    await keeper.call(stub.StopRecording, stop)
    create = subroutine_pb.CreateSubroutineRequest(recording_ids=[recording_id], name=f"nick-{plan}", plan=plan)
    made = (await keeper.call(stub.CreateSubroutine, create)).subroutine
    assert hides(made)
    outcomes = []
    for name in ("word", "elsewhere", "none"):
        request = subroutine_pb.RunSubroutineRequest(session_id=page.session_id, subroutine_id=made.subroutine_id)
        request.parameters.update({"nick": {"secret": name}})
        try:
            done = await keeper.call(stub.RunSubroutine, request)
            outcomes.append(done.reason or "done")
            assert hides(done)
        except RemoteError as exc:
            outcomes.append(exc.reason)
    assert outcomes == [ended, "SECRET_ORIGIN", "UNKNOWN_SECRET"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not pytest's own: that is closed to the unprivileged user whom root runs Chromium as."""
    with tempfile.TemporaryDirectory(prefix="perception-test-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


def start_service(options: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    command = perception("serve", *options)
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)


async def test_log_of_a_service_does_not_hold_it(folder: Path, site: str, quick_services: dict[str, str]) -> None:
    address = f"unix:{folder / 'socket'}"
    options = ["--address", address, "--allow-host", "127.0.0.1", "--secrets", str(secrets_file(folder, site))]
    of_the_service = {"LOG_LEVEL": "debug", "DATA_DIR": str(folder), "DETECTORS": "controls"}
    environment = os.environ | quick_services | {f"PERCEPTION_{name}": each for name, each in of_the_service.items()}
    service = start_service(options, environment)
    assert service.stderr is not None
    lines = [await asyncio.to_thread(service.stderr.readline)]
    while "serves on" not in lines[-1]:
        lines.append(await asyncio.to_thread(service.stderr.readline))
    client = await aconnect(address, timeout_s=30)
    page = await client.open(html(site, "<input id=field type=date><input id=text onchange='location.hash = value'>"))
    with pytest.raises(RemoteError, match="takes no"):
        await page.type_text("#field", secret="word")
    await page.type_text("#text", secret="word", submit=True)
    with pytest.raises(RemoteError, match=re.escape(MASK)):
        await page.click(f"#{WORD}!")
    await page.close()
    await client.close()
    service.send_signal(signal.SIGTERM)
    _, rest = await asyncio.to_thread(service.communicate)
    text = "".join(lines) + rest
    assert '"reason":"BAD_SELECTOR"' in text  # of which the client's message quotes the selector
    assert '"secret":"anywhere"' in text  # the warning of one without origins
    assert WORD not in text
