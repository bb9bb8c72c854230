"""What a person types while they have control stays between them and the page."""

from __future__ import annotations

import asyncio
import logging
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import aclosing
from urllib.parse import quote

import pytest
import structlog
from prometheus_client import generate_latest

from perception.client import AsyncClient, AsyncPage, AsyncSubroutines
from perception.client.input_events import key_requests
from perception.server.app import Service
from perception.v1 import control_service_pb2 as pb
from perception.v1 import live_service_pb2 as live_pb
from perception.v1.network_service_pb2 import RESOURCE_TYPE_FETCH

SECRET = "hunter-2-correct-horse"

FORM = """<title>Form</title><form action="/form" method=post onsubmit="document.title = 'Sent'" target=into>
<input name=user style="margin: 10px"><br>
<input name=password aria-label=password type=password style="margin: 10px"><br>
<input name=code style="margin: 10px"><br><button style="margin: 10px">Log in</button></form><iframe name=into></iframe>
<button onclick="document.title = 'Next'">Next</button>"""


pytestmark = pytest.mark.usefixtures("kept_contexts")


@pytest.fixture
async def form(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(f"{site}/html?body={quote(FORM)}", allow_evaluate=True)
    yield page
    await page.close()


@pytest.fixture
async def recorded(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    """As `form`, and its requests are recorded."""
    page = await client.open(f"{site}/html?body={quote(FORM)}", allow_evaluate=True, record_network=True)
    yield page
    await page.close()


async def log_in(page: AsyncPage, person_name: str = "ann") -> None:
    """A person fills in the form and sends it."""
    async with page.take_control(person_name) as person:
        for y, text in ((20, "ann"), (62, SECRET), (104, SECRET)):
            await person.click(60, y)
            await person.type(text)
        await person.press("Enter")
        await person.paste(SECRET)
        await person.send([pb.SendInputRequest(text=pb.TextInput(text=SECRET))])


def output_of(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> str:
    captured = capsys.readouterr()
    return captured.out + captured.err + caplog.text


async def test_logs_metrics_and_errors_hold_nothing_that_was_typed(
    recorded: AsyncPage, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), structlog.testing.capture_logs() as lines:
        await log_in(recorded)
        async with recorded.take_control() as person:
            with pytest.raises(ValueError, match="names no key"):
                await person.send(key_requests(SECRET * 2))
            with pytest.raises(ValueError, match=r"paste\.text has"):
                await person.send([pb.SendInputRequest(paste=pb.PasteInput(text=SECRET * 5000))])
            lease_id = person.lease_id
    written = output_of(capsys, caplog) + str(lines) + generate_latest().decode()
    assert "SendInput" in written
    assert SECRET not in written
    assert lease_id not in written


async def test_the_agents_answers_hold_no_password_and_no_body_of_a_persons_request(recorded: AsyncPage) -> None:
    before = await recorded.snapshot(mode="text")
    await log_in(recorded)
    seen = await recorded.snapshot(mode="text")
    (password,) = [each for each in seen.elements if each.name == "password"]
    assert (password.role, SECRET in str(password)) == ("textbox", False)
    async with asyncio.timeout(30):
        while not (sent := [each for each in await recorded.requests() if each.method == "POST"]):
            pass
    assert len(sent) == 1
    answer = await recorded.request(sent[0])
    assert "a person had control" in answer.request_body.missing
    assert SECRET not in str(answer)
    har = b"".join([part.data async for part in recorded.read_har()])
    assert SECRET.encode() not in har
    assert before.snapshot_id != seen.snapshot_id


async def test_requests_of_a_turn_show_nothing_that_was_typed(client: AsyncClient, site: str) -> None:
    send = """search.oninput = () => fetch('/' + encodeURIComponent(search.value) + '/found?all&q=' + search.value,
      {headers: {'x-query': btoa(search.value)}, referrer: '/html?for=' + search.value})"""
    body = f"<input id=search><p id=p></p><script>{send}; history.replaceState(0, '', '/html')</script>"
    page = await client.open(f"{site}/html?body={quote(body)}", record_network=True)
    async with page.take_control("ann") as person:
        await person.click(60, 20)
        await person.type(SECRET)
    async with asyncio.timeout(30):
        while len(sent := [each for each in await page.requests() if each.type == RESOURCE_TYPE_FETCH]) < len(SECRET):
            pass
    assert {each.url for each in sent} == {f"{site}/«typed»/found?«typed»&q=«typed»"}
    answer = await page.request(sent[-1])
    headers = {each.name.lower(): each.value for each in answer.request_headers}
    assert (headers["x-query"], headers["referer"]) == ("«typed»", f"{site}/html?for=«typed»")
    har = b"".join([part.data async for part in page.read_har()]).decode()
    for text in (str(answer), har):
        assert not any(
            piece in text for piece in (SECRET, SECRET[:12], SECRET[:6], b64encode(SECRET.encode())[:12].decode())
        )
    assert [each.request_id for each in await page.requests(f"*{SECRET[:6]}*")] == []
    await page.close()


async def test_requests_after_a_turn_have_their_bodies(recorded: AsyncPage) -> None:
    await log_in(recorded)
    await recorded.evaluate("fetch('/form', {method: 'POST', body: 'the agent sent this'}).then(done => done.status)")
    last = [each for each in await recorded.requests() if each.method == "POST"][-1]
    assert "the agent sent this" in (await recorded.request(last)).request_body.text


async def test_a_recording_leaves_out_what_a_person_did(client: AsyncClient, form: AsyncPage, service: Service) -> None:
    subroutines = AsyncSubroutines(client)
    recording_id = await subroutines.start(form)
    await log_in(form)
    await form.click("body > button")
    recorded = await subroutines.stop(form, recording_id)
    assert any("a person did while they had control" in each for each in recorded.left_out)
    assert any("Next" in step for step in recorded.steps)
    assert SECRET not in str(recorded)
    assert not [step for step in recorded.steps if "ann" in step or "Enter" in step]
    assert recorded.request_count == 0
    folder = service.context.settings.data_dir
    assert folder is not None
    for path in folder.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


async def test_a_recording_that_asks_for_it_has_what_a_person_did(client: AsyncClient, form: AsyncPage) -> None:
    subroutines = AsyncSubroutines(client)
    recording_id = await subroutines.start(form, include_person=True)
    async with form.take_control() as person:
        await person.click(60, 20)
        await person.type("ann")
    recorded = await subroutines.stop(form, recording_id)
    assert any("ann" in step for step in recorded.steps)
    assert not any("a person did" in each for each in recorded.left_out)


async def test_nothing_looks_at_the_page_while_a_person_has_control(form: AsyncPage) -> None:
    watched: asyncio.Queue[str] = asyncio.Queue()

    async def watch() -> None:
        async for snapshot in form.watch(mode="text", min_interval=0.05):
            await watched.put(snapshot.text)

    watching = asyncio.create_task(watch())
    try:
        assert "Log in" in await watched.get()
        async with form.take_control() as person:
            await person.click(60, 104)
            await person.type(SECRET)
            assert await person.page.evaluate("document.querySelector('[name=code]').value") == SECRET
            await person.page.evaluate("document.querySelector('[name=code]').value = ''; document.title = 'Over'")
        seen = ""
        while "Over" not in seen:
            seen = await watched.get()
            assert SECRET not in seen
            await form.evaluate("document.body.append('Over')")
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def test_the_timeline_says_who_acted_and_not_what_they_typed(form: AsyncPage, client: AsyncClient) -> None:
    await log_in(form)
    async with form.take_control("bob") as person:
        await person.page.navigate(f"about:blank#{SECRET}")
    await form.snapshot(mode="text")
    calls: dict[int, live_pb.Call] = {}
    async with aclosing(form.watch_calls(timeout_s=20)) as watched:
        async for call in watched:
            calls[call.number] = call
            if call.rpc == "CaptureSnapshot" and call.HasField("duration"):
                break
    acted = [call.what for call in calls.values() if call.by_person]
    assert [each for each in acted if each.startswith('a person ("ann") had control for')]
    assert "Navigate" in acted
    told = [await form.get_call(number) for number in calls if calls[number].by_person]
    assert SECRET not in str(told)
