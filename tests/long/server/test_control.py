"""A person takes control of a session and gives it back, over real gRPC and in real Chromium."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from perception.v1 import control_service_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.waiting import until

NOTING = """<title>Noting</title><style>body { margin: 0; height: 3000px }</style><input id=name style="margin: 40px">
<script>
const news = window.news = [];
for (const name of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'mousemove', 'wheel'])
  addEventListener(name, event => {
    if (name === 'contextmenu') event.preventDefault();
    news.push([name, event.clientX, event.clientY, event.button, event.buttons, event.detail, event.isTrusted]);
  });
for (const name of ['keydown', 'keyup'])
  addEventListener(name, event => news.push([name, event.key, event.code, event.ctrlKey, event.shiftKey,
    event.repeat, event.keyCode, event.location]));
</script>"""


@pytest.fixture(scope="module")
async def page(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(f"{site}/html?body={quote(NOTING)}", allow_evaluate=True)
    yield page
    await page.close()


@pytest.fixture(autouse=True)
async def nothing_noted(page: AsyncPage) -> None:
    await page.evaluate("news.length = 0; document.activeElement.blur(); document.querySelector('#name').value = ''")


async def noted(page: AsyncPage, *names: str) -> list[list[object]]:
    """What the page has noted of these events."""
    found = json.loads((await page.evaluate("JSON.stringify(news)")) or "[]")
    return [each for each in found if not names or each[0] in names]


async def test_a_person_clicks_and_types_and_gives_control_back(page: AsyncPage) -> None:
    async with page.take_control("ann") as person:
        await person.click(60, 50)
        await person.type("Hi é!")
        await person.press("Enter")
    assert await page.evaluate("document.querySelector('#name').value") == "Hi é!"
    events = await noted(page, "mousedown", "click")
    assert events == [["mousedown", 60, 50, 0, 1, 1, True], ["click", 60, 50, 0, 0, 1, True]]
    keys = await noted(page, "keydown")
    assert ["keydown", "H", "KeyH", False, False, False, 72, 0] in keys
    assert keys[-1][1:3] == ["Enter", "Enter"]


async def test_calls_of_the_agent_wait_until_control_is_given_back(page: AsyncPage) -> None:
    async with page.take_control("ann") as person:
        waiting = asyncio.create_task(page.snapshot(mode="text"))
        async for control in page.watch_control(timeout_s=20):
            if control.waiting_calls == 1:
                break
        assert control.state == pb.CONTROL_STATE_HELD
        assert control.holder == "ann"
        assert not waiting.done()
        assert (await person.page.snapshot(mode="text")).title == "Noting"
    assert (await waiting).title == "Noting"


async def test_a_call_whose_deadline_passes_while_a_person_has_control_says_so(
    service: Service, page: AsyncPage
) -> None:
    async with page.take_control("ann"):
        with early_ends(service) as reserve_s, pytest.raises(RemoteError) as caught:
            await page.click("#name", timeout_s=reserve_s + 0.4)
    assert caught.value.reason == "HUMAN_CONTROL"
    assert 'a person ("ann") has control' in str(caught.value)
    assert "nothing of Click was done" in str(caught.value)
    assert not await noted(page, "click")


async def test_a_session_may_refuse_calls_meanwhile(client: AsyncClient) -> None:
    async with await client.open(human_control="refuse") as page, page.take_control():
        with pytest.raises(RemoteError) as caught:
            await page.snapshot(mode="text")
        assert caught.value.reason == "HUMAN_CONTROL"
        assert caught.value.retry_after_s


async def test_control_waits_for_calls_under_way_and_holds_off_new_ones(service: Service, page: AsyncPage) -> None:
    session = service.context.sessions.get(page.session_id)
    slow = asyncio.create_task(page.evaluate("new Promise(done => { window.finish = done })"))
    await until(lambda: "Evaluate" in session.control.calls_under_way)
    assert (await anext(page.watch_control(timeout_s=20))).state == pb.CONTROL_STATE_FREE
    with early_ends(service) as reserve_s, pytest.raises(RemoteError) as caught:
        async with page.take_control("ann", timeout_s=reserve_s + 0.2):
            pytest.fail("the agent's call is under way")
    assert caught.value.reason == "DEADLINE"
    assert "Evaluate" in str(caught.value)
    taking = asyncio.create_task(page.take_control("ann").__aenter__())
    await until(lambda: bool(session.control.taking))
    await session.browser.tab().page.evaluate("finish('slow')")
    assert await slow == "slow"
    await (await taking).release()


async def test_one_person_at_a_time_has_control(page: AsyncPage) -> None:
    async with page.take_control("ann"):
        with pytest.raises(RemoteError) as caught:
            async with page.take_control("bob"):
                pytest.fail("ann has control")
        assert caught.value.reason == "CONTROL_HELD"
        assert '"ann" has control' in str(caught.value)


async def test_a_lease_ends_by_itself_and_releases_what_is_down(page: AsyncPage) -> None:
    async with page.take_control("ann") as person:
        down = [
            pb.SendInputRequest(mouse=pb.MouseInput(kind=pb.MouseInput.KIND_DOWN, x=5, y=5)),
            pb.SendInputRequest(key=pb.KeyInput(kind=pb.KeyInput.KIND_DOWN, key="Shift")),
        ]
        await person.send(down)
        person._lease_s = 0.1
        await person.renew()
        # The agent's call waits for the end of the lease.
        events = await noted(page)
        assert [each[0] for each in events if each[0] in ("mouseup", "keyup")] == ["mouseup", "keyup"]
        with pytest.raises(RemoteError) as caught:
            await person.click(5, 5)
        assert caught.value.reason == "LEASE_EXPIRED"
        person.lease_id = ""


async def test_a_person_asked_for_gives_an_answer(page: AsyncPage) -> None:
    asking = asyncio.create_task(page.request_human("log in"))
    async for control in page.watch_control(timeout_s=20):
        if control.state == pb.CONTROL_STATE_REQUESTED:
            break
    assert control.reason == "log in"
    async with page.take_control("ann") as person:
        await person.click(60, 50)
        await person.release("done", "logged in as ann")
    answer = await asking
    assert answer.outcome == pb.RELEASE_OUTCOME_DONE
    assert answer.note == "logged in as ann"


FORM = """<title>Form</title><button onclick="document.querySelector('p').textContent = 'Welcome, Ann'">Log in</button>
<p>Please log in</p>"""


@pytest.fixture
async def form(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(f"{site}/html?body={quote(FORM)}", allow_evaluate=True)
    yield page
    await page.close()


async def person_logs_in(page: AsyncPage, note: str = "") -> None:
    async with page.take_control("ann") as person:
        await person.click(20, 20)
        await person.release("done", note)


async def test_the_agents_next_look_says_that_a_person_acted_and_what_changed(form: AsyncPage) -> None:
    await form.snapshot(mode="text")
    await person_logs_in(form, 'logged in\nas "ann"')
    seen = await form.snapshot(mode="text")
    note = next(each for each in seen.notes if "a person" in each)
    assert re.match(r'a person \("ann"\) had control for \d+ s, and used the page', note)
    assert note.endswith('they say: "logged in\\nas \\"ann\\""')
    assert "Welcome, Ann" in seen.diff.text
    again = await form.snapshot(mode="text")
    assert not again.notes
    assert not again.HasField("diff")


async def test_the_agents_next_action_says_it_with_its_diff_also_when_it_is_repeated(form: AsyncPage) -> None:
    seen = await form.snapshot(mode="text")
    button = next(each.ref for each in seen.elements if each.name == "Log in")
    await person_logs_in(form)
    done = await form.hover(button, request_id="again")
    assert "Welcome, Ann" in done.diff.text
    assert any("a person" in note for note in done.notes)
    assert await form.hover(button, request_id="again") == done
    assert not (await form.hover(button)).notes


async def test_an_action_that_fails_does_not_lose_the_note(form: AsyncPage) -> None:
    await form.snapshot(mode="text")
    await person_logs_in(form)
    with pytest.raises(RemoteError):
        await form.click("e99")
    assert any("a person" in note for note in (await form.snapshot(mode="text")).notes)


async def test_a_persons_own_look_takes_nothing_from_the_agent(form: AsyncPage) -> None:
    await form.snapshot(mode="text")
    await person_logs_in(form)
    async with form.take_control("bob") as person:
        assert not (await person.page.snapshot(mode="text")).notes
    seen = await form.snapshot(mode="text")
    assert len([each for each in seen.notes if "a person" in each]) == 2
    assert "Welcome, Ann" in seen.diff.text


async def test_the_answer_to_a_request_has_what_changed(form: AsyncPage) -> None:
    await form.snapshot(mode="text")
    asking = asyncio.create_task(form.request_human("log in"))
    async for control in form.watch_control(timeout_s=20):
        if control.state == pb.CONTROL_STATE_REQUESTED:
            break
    await person_logs_in(form, "done")
    answer = await asking
    assert "Welcome, Ann" in answer.diff.text
    assert answer.text.startswith('a person ("ann") had control')
    assert answer.diff.text in answer.text
    assert not (await form.snapshot(mode="text")).notes


async def test_a_request_may_be_refused(form: AsyncPage) -> None:
    with pytest.raises(RemoteError) as caught:
        await form.refuse_human("no")
    assert caught.value.reason == "BAD_INPUT"
    asking = asyncio.create_task(form.request_human("log in"))
    async for control in form.watch_control(timeout_s=20):
        if control.state == pb.CONTROL_STATE_REQUESTED:
            break
    await form.refuse_human("not today")
    answer = await asking
    assert (answer.outcome, answer.note) == (pb.RELEASE_OUTCOME_REFUSED, "not today")
    assert 'refused to take control; they say: "not today"' in answer.text


async def test_a_request_that_nobody_answers_says_so(service: Service, form: AsyncPage) -> None:
    with early_ends(service) as reserve_s, pytest.raises(RemoteError) as caught:
        await form.request_human("log in", timeout_s=reserve_s + 0.3)
    assert caught.value.reason == "NO_HUMAN"
    assert "nobody watches this session" in str(caught.value)


async def test_a_request_that_its_caller_cancels_is_gone(form: AsyncPage) -> None:
    asking = asyncio.create_task(form.request_human("log in"))
    states = []
    async for control in form.watch_control(timeout_s=20):
        states.append(control.state)
        if control.state == pb.CONTROL_STATE_REQUESTED:
            asking.cancel()
        elif len(states) > 1:
            break
    assert states[-2:] == [pb.CONTROL_STATE_REQUESTED, pb.CONTROL_STATE_FREE]
