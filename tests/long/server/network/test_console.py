"""ListConsole: what pages write, who wrote it and where, with and without recording."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from perception.v1 import network_service_pb2 as pb
from tests.support.live import Show
from tests.support.network_app import network_app

Message = pb.ConsoleMessage


@pytest.fixture(scope="module")
def app() -> Iterator[str]:
    with network_app() as origin:
        yield origin


@pytest.fixture
def scripted(service: Service, shared_scripted: AsyncPage) -> AsyncPage:
    """A session whose console is empty."""
    service.context.sessions.get(shared_scripted.session_id).browser.tab().console.__init__()  # type: ignore[misc]
    return shared_scripted


@pytest.fixture(scope="module")
async def talking(client: AsyncClient, app: str) -> AsyncIterator[AsyncPage]:
    """A session with one message."""
    page = await client.open(page_url(app, "console.log('one')"))
    yield page
    await page.close()


def page_url(app: str, script: str) -> str:
    return f"{app}/page?body={f'<p>Page</p><script>{script}</script>'.encode().hex()}"


WRITES = """console.debug('first');
console.log('%s has %d items', 'cart', 3, true, null, undefined);
console.warn('careful');
function check() { throw new TypeError('no cart') }
setTimeout(function later() { check() }, 0);
Promise.reject(new Error('refused'));
const written = fetch('/status?code=404').then(() => new Promise(done => setTimeout(done, 1)))"""


async def test_messages_say_who_wrote_them_and_where(scripted: AsyncPage, app: str) -> None:
    await scripted.navigate(page_url(app, WRITES))
    await scripted.evaluate("written", await_promise=True)
    found = await scripted.console()
    by_text = {each.text.partition("\n")[0]: each for each in found}
    assert [each.message_id for each in found] == [f"c{number}" for number in range(1, len(found) + 1)]
    first = by_text["first"]
    assert (first.level, first.kind, first.line, first.count) == (Message.LEVEL_DEBUG, Message.KIND_CONSOLE, 1, 1)
    assert by_text["cart has 3 items true null undefined"].level == Message.LEVEL_INFO
    assert by_text["careful"].level == Message.LEVEL_WARNING
    thrown = by_text["Uncaught TypeError: no cart"]
    assert (thrown.level, thrown.kind, thrown.line) == (Message.LEVEL_ERROR, Message.KIND_EXCEPTION, 4)
    assert [each.function for each in thrown.stack] == ["check", "later"]
    assert thrown.stack[0].line == 4
    assert "Uncaught (in promise) Error: refused" in by_text
    (lost,) = [each for each in found if each.kind == Message.KIND_BROWSER]
    assert "404" in lost.text
    assert lost.url == f"{app}/status?code=404"


async def test_asking_again_adds_only_what_is_new(scripted: AsyncPage, app: str) -> None:
    await scripted.navigate(page_url(app, "console.log('a'); console.log('b')"))
    (_, last) = await scripted.console()
    assert await scripted.console(since=last) == []
    await scripted.evaluate("console.log('c')")
    assert [(each.message_id, each.text) for each in await scripted.console(since=last)] == [("c3", "c")]
    assert [each.text for each in await scripted.console(min_level="error")] == []
    assert [each.text for each in await scripted.console(kinds=["console"])] == ["a", "b", "c"]


async def test_a_message_that_repeats_is_one_with_a_count(scripted: AsyncPage, app: str) -> None:
    await scripted.navigate(page_url(app, "for (let i = 0; i < 50; i++) console.log('again')"))
    (again,) = await scripted.console()
    assert (again.text, again.count) == ("again", 50)
    assert again.last_time.ToNanoseconds() >= again.first_time.ToNanoseconds()


async def test_frames_of_other_sites_and_workers_are_heard(client: AsyncClient, app: str) -> None:
    other = app.replace("127.0.0.1", "localhost")
    worker = "URL.createObjectURL(new Blob([`console.log('by worker'); postMessage(1)`]))"
    frame = page_url(other, "console.log('by frame')")
    script = f"const f = document.createElement('iframe'); f.src = '{frame}'; document.body.append(f);"
    async with await client.open() as page:
        await page.navigate(page_url(app, f"{script} new Worker({worker}).onmessage = () => document.title = 'done'"))
        async with asyncio.timeout(30):
            while not {each.text for each in await page.console()} >= {"by worker", "by frame"}:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


async def test_messages_of_documents_that_are_gone_stay_where_they_are_recorded(client: AsyncClient, app: str) -> None:
    async with await client.open(record_console=True) as recorded:
        await recorded.navigate(page_url(app, "console.error('one', {id: 1, name: 'Milk'}, [1, 2])"))
        await recorded.navigate(page_url(app.replace("127.0.0.1", "localhost"), "console.error('two')"))
        assert [each.text for each in await recorded.console()] == ['one {id: 1, name: "Milk"} [1, 2]', "two"]


async def test_a_page_that_shows_a_dialog_does_not_hold_the_answer(
    client: AsyncClient, scripted: AsyncPage, app: str
) -> None:
    await scripted.navigate(page_url(app, "console.log('before'); onclick = () => alert('hello')"))
    assert [each.text for each in await scripted.console()] == ["before"]
    await scripted.click((20, 20))
    assert await scripted.dialogs()
    request = pb.ListConsoleRequest(session_id=scripted.session_id)
    listed = await client.call(client.network.ListConsole, request)
    assert [each.text for each in listed.messages] == ["before"]
    assert "dialog" in listed.incomplete
    await scripted.handle_dialog(True)


@pytest.mark.parametrize("records", [False, True], ids=["on request", "recorded"])
async def test_ten_thousand_lines_a_second_stay_bounded(
    client: AsyncClient, shared_page: AsyncPage, write: Show, app: str, records: bool
) -> None:
    await write("<p>Milk")
    flood = """let n = 0; const timer = setInterval(() => {
        for (let i = 0; i < 200; i++) console.log(`line ${n++}`);
        if (n === 4000) clearInterval(timer) }, 20)"""
    async with await client.open(page_url(app, flood), record_console=records) as page:
        listed = pb.ListConsoleResponse()
        async with asyncio.timeout(60):
            while len(listed.messages) < 100:
                request = pb.ListConsoleRequest(session_id=page.session_id, page_size=1000)
                listed = await client.call(client.network.ListConsole, request)
        assert len(listed.messages) <= 1000
        assert "Milk" in (await shared_page.snapshot(mode="text")).text


@pytest.mark.parametrize(
    ("fields", "reason", "says"),
    [
        ({"since_message_id": "c99"}, "BAD_INPUT", "the last one is c1"),
        ({"page_token": "x"}, "BAD_INPUT", "not a message of this tab"),
        ({"page_size": -1}, "BAD_INPUT", "1 to 1000"),
        ({"tab_id": "t9"}, "UNKNOWN_TAB", "t1"),
        ({"min_level": 77}, "BAD_INPUT", "min_level 77"),
    ],
    ids=["since", "token", "size", "tab", "level"],
)
async def test_bad_requests_are_told_what_there_is(
    client: AsyncClient, talking: AsyncPage, fields: dict[str, object], reason: str, says: str
) -> None:
    request = pb.ListConsoleRequest(session_id=talking.session_id, **fields)  # type: ignore[arg-type]
    with pytest.raises(RemoteError, match=says) as refused:
        await client.call(client.network.ListConsole, request)
    assert refused.value.reason == reason
