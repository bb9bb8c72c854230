"""A person takes control of a session and gives it back, over real gRPC and in real Chromium."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.v1 import control_service_pb2 as pb

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


async def test_a_call_whose_deadline_passes_while_a_person_has_control_says_so(page: AsyncPage) -> None:
    async with page.take_control("ann"):
        with pytest.raises(RemoteError) as caught:
            await page.click("#name", timeout_s=0.6)
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


async def test_control_waits_for_calls_under_way_and_holds_off_new_ones(page: AsyncPage) -> None:
    slow = asyncio.create_task(page.evaluate("new Promise(done => setTimeout(() => done('slow'), 700))"))
    assert (await anext(page.watch_control(timeout_s=20))).state == pb.CONTROL_STATE_FREE
    with pytest.raises(RemoteError) as caught:
        async with page.take_control("ann", timeout_s=0.4):
            pytest.fail("the agent's call is under way")
    assert caught.value.reason == "DEADLINE"
    assert "Evaluate" in str(caught.value)
    async with page.take_control("ann"):
        assert await slow == "slow"


async def test_one_person_at_a_time_has_control(page: AsyncPage) -> None:
    async with page.take_control("ann"):
        with pytest.raises(RemoteError) as caught:
            async with page.take_control("bob"):
                pytest.fail("ann has control")
        assert caught.value.reason == "CONTROL_HELD"
        assert '"ann" has control' in str(caught.value)


async def test_a_lease_ends_by_itself_and_releases_what_is_down(page: AsyncPage) -> None:
    async with page.take_control("ann", lease_s=0.8) as person:
        down = [
            pb.SendInputRequest(mouse=pb.MouseInput(kind=pb.MouseInput.KIND_DOWN, x=5, y=5)),
            pb.SendInputRequest(key=pb.KeyInput(kind=pb.KeyInput.KIND_DOWN, key="Shift")),
        ]
        await person.send(down)
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
