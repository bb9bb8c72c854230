"""People who watch see what a tab shows, soon, whatever becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import grpc
import pytest

from perception.browser.live import tab_watch
from perception.browser.live.picture import Wish
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.errors import UnknownTabError
from perception.server.app import Service
from perception.v1 import live_service_pb2 as pb
from perception.v1.live_service_pb2_grpc import LiveServiceStub
from tests.support.live import Show
from tests.support.live_pictures import (
    BLUE,
    GREEN,
    MIDDLE,
    RED,
    SOON,
    color_at,
    end_of,
    following,
    is_near,
    note_with,
    painted,
    picture_with,
)
from tests.support.silent_site import silent_site
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("kept_contexts")

RUNS = """<body style='margin:0'><canvas id=c width=320 height=200></canvas><script>const x = c.getContext('2d');
let at = 0; const draw = () => { at += 1; x.fillStyle = `rgb(${at % 200}, ${at * 3 % 200}, 90)`;
x.fillRect(0, 0, 320, 200); requestAnimationFrame(draw) }; draw()</script>"""


SIZE = {"width": 320, "height": 200}
"""Of the page: a picture costs as much as it has pixels."""


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open(viewport=SIZE, allow_evaluate=True)
    yield page
    await page.close()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on a busy machine has time to say what is sensitive in it."""
    monkeypatch.setattr(tab_watch, "ANSWER_SECONDS", 20.0)


async def test_a_still_page_is_shown_at_once_and_then_each_change(page: AsyncPage, show: Show) -> None:
    await show(painted("red"))
    async with aclosing(page.watch_frames()) as watching:
        first = await following(watching)
        assert (first.number, first.note, first.title) == (1, "", "red")
        assert (first.width, first.height) == (first.viewport.width, first.viewport.height) == (320, 200)
        assert is_near(color_at(first, MIDDLE), RED)
        coming = asyncio.ensure_future(anext(watching))
        await page.snapshot(mode="text")
        assert not coming.done()
        await page.click("button")
        changed = await asyncio.wait_for(coming, SOON)
        assert changed.number == 2
        if not is_near(color_at(changed, MIDDLE), BLUE):  # the button was pressed first
            await picture_with(watching, BLUE)


async def test_the_last_state_of_a_page_that_stops_is_shown(page: AsyncPage, show: Show) -> None:
    await show(painted("red"))
    async with aclosing(page.watch_frames(max_fps=2)) as watching:
        await following(watching)
        await page.evaluate(
            """() => { let at = 0; const step = () => { at += 1; const done = at === 40;
            document.body.style.background = done ? 'blue' : `rgb(${at}, 0, 0)`;
            if (!done) requestAnimationFrame(step) }; step() }"""
        )
        await picture_with(watching, BLUE, (0.95, 0.95))


async def test_each_watcher_gets_its_own_size(shared_page: AsyncPage, write: Show) -> None:
    page = shared_page
    await write(painted("red"))
    sizes = {"large": (1280, 800), "half": (640, 400), "wide": (4096, 100), "narrow": (200, 4096)}
    watches = {name: page.watch_frames(max_width=width, max_height=height) for name, (width, height) in sizes.items()}
    frames = {name: await following(watching) for name, watching in watches.items()}
    seen = {name: (frame.width, frame.height) for name, frame in frames.items()}
    assert seen == {"large": (1280, 800), "half": (640, 400), "wide": (160, 100), "narrow": (200, 125)}
    assert all(frame.viewport.width == 1280 and is_near(color_at(frame, MIDDLE), RED) for frame in frames.values())
    await page.click("button")
    for watching in watches.values():
        await picture_with(watching, BLUE)
        await watching.aclose()


async def test_a_watcher_that_acknowledges_nothing_holds_up_nobody_and_gets_the_newest(
    page: AsyncPage, show: Show, service: Service
) -> None:
    await show(RUNS)
    async with aclosing(page.watch_frames(max_fps=30)) as slow, aclosing(page.watch_frames(max_fps=30)) as fast:
        held = await following(slow)
        numbers = [(await following(fast)).number for _ in range(10)]
        assert numbers == list(range(1, 11))
        await page.navigate("about:blank")
        await picture_with(fast, (255, 255, 255))
        later = await following(slow)
        assert (held.number, later.number) == (1, 2)
        assert is_near(color_at(later, MIDDLE), (255, 255, 255))


async def test_the_selected_tab_is_followed(page: AsyncPage, show: Show, site: str) -> None:
    await show(painted("red"))
    async with aclosing(page.watch_frames()) as watching:
        first = await following(watching)
        opened = await page.new_tab(f"{site}/html?body=%3Cbody style='background:green'%3E")
        seen = await picture_with(watching, GREEN)
        assert seen.tab_id == opened.tab_id != first.tab_id
        await page.close_tab(opened.tab_id)
        assert (await picture_with(watching, RED)).tab_id == first.tab_id


async def test_a_named_tab_is_watched_in_the_background_until_it_closes(page: AsyncPage, show: Show, site: str) -> None:
    await show(painted("red"))
    tab_id = (await page.tabs())[0].tab_id
    await page.new_tab(f"{site}/html?body=%3Cbody style='background:green'%3E")
    async with aclosing(page.watch_frames(tab_id=tab_id)) as watching:
        assert is_near(color_at(await following(watching), MIDDLE), RED)
        await page.click("button", tab_id=tab_id)
        await picture_with(watching, BLUE)
        await page.close_tab(tab_id)
        gone = await end_of(watching)
    assert (gone.reason, tab_id in str(gone)) == ("UNKNOWN_TAB", True)


async def test_a_navigation_to_another_site_is_followed(page: AsyncPage, show: Show, other_site: str) -> None:
    await show(painted("red"))
    async with aclosing(page.watch_frames()) as watching:
        await following(watching)
        await page.navigate(f"{other_site}/html?body=%3Ctitle%3EOther%3C/title%3E%3Cbody style='background:green'%3E")
        seen = await picture_with(watching, GREEN)
        assert (seen.title, seen.url.startswith(other_site)) == ("Other", True)


async def test_why_there_is_no_picture_is_said_and_pictures_go_on(page: AsyncPage, show: Show) -> None:
    asks = "alert(1); document.body.style.background = `green`"
    await show(f"<body style='background:red'><button onclick='{asks}'>Ask</button>")
    async with aclosing(page.watch_frames()) as watching:
        await picture_with(watching, RED)
        await page.click("button")
        await note_with(watching, "a dialog is open")
        await page.handle_dialog()
        await picture_with(watching, GREEN)


async def test_a_page_that_hangs_is_not_shown_until_it_answers(
    page: AsyncPage, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(painted("red"))
    async with aclosing(page.watch_frames()) as watching:
        await following(watching)
        monkeypatch.setattr(tab_watch, "ANSWER_SECONDS", 0.3)
        async with silent_site() as (address, _):
            await page.evaluate(
                """() => { document.body.style.background = 'blue';
                const mark = document.body.appendChild(document.createElement('div'));
                mark.style.cssText = 'width: 9px; height: 9px; background: white; will-change: transform';
                mark.animate([{}, { transform: 'translateX(50px)' }], { duration: 500, iterations: 1e400 });
                setTimeout(() => {
                const request = new XMLHttpRequest();
                request.open('GET', 'ADDRESS', false);
                try { request.send() } catch { document.body.style.background = 'green' } }, 40) }""".replace(
                    "ADDRESS", address
                )
            )
            await note_with(watching, "does not answer")
        monkeypatch.setattr(tab_watch, "ANSWER_SECONDS", 20.0)  # a busy machine may need more than before
        await picture_with(watching, GREEN, (0.95, 0.95))  # what moves goes on meanwhile, and so do pictures


async def test_a_crash_is_said_and_the_next_page_is_shown(page: AsyncPage, show: Show, service: Service) -> None:
    await show(painted("red"))
    async with aclosing(page.watch_frames()) as watching:
        await following(watching)
        session = service.context.sessions._sessions[page.session_id]
        session.browser.tab().link.session.start("Page.crash")
        await note_with(watching, "crashed")
        await show(painted("green"))
        await picture_with(watching, GREEN)


@pytest.mark.parametrize(
    ("fields", "size", "scale"),
    [
        ({"viewport": {"width": 640, "height": 480, "device_scale_factor": 2}}, (640, 480), 2.0),
        ({"device": "iPhone 13"}, (390, 664), 3.0),
    ],
    ids=["scale 2", "phone"],
)
async def test_pictures_have_the_viewport_s_shape_on_other_screens(
    client: AsyncClient, site: str, fields: dict[str, object], size: tuple[int, int], scale: float
) -> None:
    async with await client.open(**fields) as page:
        meta = "<meta name=viewport content='width=device-width,initial-scale=1'>"
        await page.navigate(f"{site}/html?body={meta}<body style='background:red'>")
        async with aclosing(page.watch_frames()) as watching:
            frame = await picture_with(watching, RED)
    assert ((frame.width, frame.height), frame.viewport.device_scale_factor) == (size, scale)
    assert (frame.viewport.width, frame.viewport.height) == size


async def test_looks_at_an_unchanged_page_stay_unchanged_while_it_is_watched(
    page: AsyncPage, show: Show, service: Service
) -> None:
    still = "<style>input { caret-color: transparent }</style><h1>Orders</h1><p>One</p>"
    await show(still)
    tab = service.context.sessions._sessions[page.session_id].browser.tab()
    async with aclosing(page.watch_frames()) as watching:
        await following(watching)
        async with asyncio.timeout(SOON):
            while not tab.capturer.is_watching:
                await page.snapshot(mode="fused")
        first = await page.snapshot(mode="fused")
        again = await page.snapshot(mode="fused")
        assert first.text == again.text
        assert tab.capturer.is_watching


async def test_watching_does_not_keep_a_session_open(client: AsyncClient, site: str) -> None:
    page = await client.open(idle_timeout=1.0)
    expired = await end_of(page.watch_frames())
    assert (expired.reason, "nobody had used it" in str(expired)) == ("SESSION_EXPIRED", True)


async def test_the_stream_ends_with_the_session(client: AsyncClient) -> None:
    page = await client.open()
    async with aclosing(page.watch_frames()) as watching, aclosing(page.watch_calls()) as calls:
        await following(watching)
        await following(calls)
        await page.close()
        for stream in (watching, calls):
            assert (await end_of(stream)).reason == "UNKNOWN_SESSION"


async def test_a_watcher_that_never_comes_back_is_left_behind_by_its_session(
    client: AsyncClient, service: Service, site: str
) -> None:
    page = await client.open(f"{site}/form.html")
    session = service.context.sessions._sessions[page.session_id]
    subscription = session.screencasts.subscribe(session.browser.tab(), Wish())
    await subscription.next()
    (watch,) = session.screencasts._watches.values()
    assert watch._task is not None
    await page.close()
    await asyncio.wait([watch._task], timeout=30)
    assert watch._task.done()
    with pytest.raises(UnknownTabError):
        await subscription.next()


async def test_nothing_is_left_of_a_watch(page: AsyncPage, show: Show, service: Service) -> None:
    await show(RUNS)
    session = service.context.sessions._sessions[page.session_id]
    tab_id = session.browser.selected
    before = len(asyncio.all_tasks())
    async with aclosing(page.watch_frames()) as watching:
        await following(watching)
        assert session.screencasts.is_watched(tab_id)
    await until(lambda: not session.screencasts.is_watched(tab_id))
    await until(lambda: len(asyncio.all_tasks()) <= before)


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"max_width": 5}, "max_width", "give 16 to 4096 px"),
        ({"max_height": 9999}, "max_height", "give 16 to 4096 px"),
        ({"quality": 101}, "quality", "quality is 101: give 0 to 100"),
        ({"max_fps": 100.0}, "max_fps", "give 0.1 to 30"),
    ],
)
async def test_a_wish_that_cannot_be_met_is_refused(
    page: AsyncPage, fields: dict[str, object], field: str, words: str
) -> None:
    with pytest.raises(RemoteError, match=words) as refused:
        await following(page.watch_frames(**fields))
    assert refused.value.code is grpc.StatusCode.INVALID_ARGUMENT


async def test_wrong_messages_of_a_stream_are_refused(page: AsyncPage, client: AsyncClient) -> None:
    stub = LiveServiceStub(client.channel)
    first = pb.WatchFramesRequest(session_id=page.session_id)
    for later, words in (
        (pb.WatchFramesRequest(acknowledged=7), "the last one sent is"),
        (pb.WatchFramesRequest(session_id="x"), "watch another one by another stream"),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            async for _ in stub.WatchFrames(iter([first, later])):
                pass
        assert words in str(refused.value.details())
    with pytest.raises(grpc.aio.AioRpcError, match="had no message"):
        async for _ in stub.WatchFrames(iter([])):
            pass


async def test_a_watcher_that_closes_its_side_gets_one_picture(page: AsyncPage, client: AsyncClient) -> None:
    stub = LiveServiceStub(client.channel)
    frames = [frame async for frame in stub.WatchFrames(iter([pb.WatchFramesRequest(session_id=page.session_id)]))]
    assert [frame.number for frame in frames] == [1]


async def test_size_and_quality_change_while_it_is_watched(
    shared_page: AsyncPage, write: Show, client: AsyncClient
) -> None:
    page = shared_page
    await write(painted("red"))
    stub, asked = LiveServiceStub(client.channel), asyncio.Queue[pb.WatchFramesRequest]()

    async def requests():  # type: ignore[no-untyped-def]
        while True:
            yield await asked.get()

    await asked.put(pb.WatchFramesRequest(session_id=page.session_id, max_width=320))
    stream = stub.WatchFrames(requests())
    first = await asyncio.wait_for(stream.read(), SOON)
    await asked.put(pb.WatchFramesRequest(acknowledged=1, max_width=1000))
    async with asyncio.timeout(SOON):
        while (later := await stream.read()).width == 320:
            await asked.put(pb.WatchFramesRequest(acknowledged=later.number))
    stream.cancel()
    assert (first.width, first.height, later.width, later.height) == (320, 200, 1000, 625)
