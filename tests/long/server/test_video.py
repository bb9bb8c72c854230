"""Videos of tabs in a real browser: what is filmed is what was shown, and whatever ends it leaves a file."""

from __future__ import annotations

import asyncio
import builtins
import errno
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.datasets.sources.arrival import arrive
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.videos.session_videos import MAX_OF_SESSION
from perception.server.videos.tab_video import TabVideo
from perception.v1 import types_pb2
from perception.v1 import video_service_pb2 as pb
from perception.video.pictures import BACKDROP
from tests.support.live import Show
from tests.support.video_reading import SeenVideo, color_at, is_near, read_video

RED, BLUE, GREEN, BLACK = (255, 0, 0), (0, 0, 255), (0, 128, 0), (0, 0, 0)
MIDDLE = (640, 400)
CARD = BACKDROP[::-1]

PAINTED = "() => new Promise(done => new PerformanceObserver(() => done()).observe({type: 'paint', buffered: true}))"
"""Is fulfilled once the document has been on the screen."""

FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
"""Is fulfilled once what was done before is painted."""


@pytest.fixture
async def show(show: Show, service: Service, page: AsyncPage) -> Show:
    """As the other one, and the page is on the screen then: a film begins with what is there."""

    async def show_painted(html: str) -> None:
        await show(html)
        tab = service.context.sessions.get(page.session_id).browser.tab()
        await arrive(tab, Deadline.of(60))
        await tab.page.evaluate(PAINTED)

    return show_painted


def painted(color: str, more: str = "") -> str:
    return (
        f"<title>{color}</title><body style='margin:0;background:{color}'><button onclick=\"document.body.style"
        f".background='blue'\">Blue</button>{more}"
    )


def colors(seen: SeenVideo, at: tuple[int, int] = MIDDLE) -> list[tuple[int, int, int]]:
    return [color_at(each, *at) for each in seen.pictures]


def shows(seen: SeenVideo, color: tuple[int, int, int], at: tuple[int, int] = MIDDLE) -> bool:
    return any(is_near(each, color, by=24) for each in colors(seen, at))


def row_of(seen: SeenVideo, at: tuple[int, int]) -> list[str]:
    """Names of the colors that a place had one after the other."""
    named = {"red": RED, "blue": BLUE, "green": GREEN, "card": CARD}
    names = [next((name for name, one in named.items() if is_near(each, one, by=24)), "") for each in colors(seen, at)]
    return [name for name, _ in groupby(names)]


@dataclass(slots=True)
class Filmed:
    """A video: its id, and at its end what StopVideo says and what its file shows."""

    video_id: str
    stopped: pb.StopVideoResponse = field(default_factory=pb.StopVideoResponse)
    seen: SeenVideo | None = None


@asynccontextmanager
async def filmed(page: AsyncPage, path: Path, **options: Any) -> AsyncIterator[Filmed]:
    """Films the block, which begins when there is a first picture, until no further picture comes."""
    film = Filmed(await page.start_video(**options))
    await until_filmed(page, film.video_id)
    yield film
    await until_still(page, film.video_id)
    film.stopped = await page.stop_video(path, video_id=film.video_id)
    film.seen = read_video(path)


async def video_of(page: AsyncPage, video_id: str) -> pb.Video:
    client: Any = page._client
    return next(each for each in await client.videos() if each.video_id == video_id)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await holds():  # noqa: ASYNC110  (the service says no more than it is asked)
            await asyncio.sleep(0.02)


async def until_filmed(page: AsyncPage, video_id: str, frames: int = 1) -> None:
    """Waits until the video has so many pictures."""

    async def has_frames() -> bool:
        return (await video_of(page, video_id)).frames >= frames

    await until(has_frames)


async def until_shown(
    service: Service, page: AsyncPage, video_id: str, color: tuple[int, int, int], at: tuple[int, int] = MIDDLE
) -> None:
    """Waits until the video's last picture has this color at a place: others may come before."""
    encoder = service.context.sessions.get(page.session_id).videos.find(video_id).encoder

    async def is_shown() -> bool:
        return encoder._shown is not None and is_near(color_at(encoder._shown, *at), color, by=24)

    await until(is_shown)


async def until_still(page: AsyncPage, video_id: str) -> None:
    """Waits until no further picture has come for a time; not for pages that never stand still."""
    frames = 0
    for _ in range(10):
        if frames == (frames := (await video_of(page, video_id)).frames):
            return
        await asyncio.sleep(0.7)


async def until_ended(page: AsyncPage, video_id: str) -> pb.Video:
    async def has_ended() -> bool:
        return bool((await video_of(page, video_id)).end)

    await until(has_ended)
    return await video_of(page, video_id)


async def test_a_video_shows_what_happened_with_calls_as_chapters(
    service: Service, page: AsyncPage, show: Show, tmp_path: Path
) -> None:
    await show(painted("red"))
    async with filmed(page, tmp_path / "video.webm") as film:
        await page.snapshot()
        await page.click("button")
        await until_shown(service, page, film.video_id, BLUE)
    stopped, seen = film.stopped, film.seen
    assert seen is not None
    assert is_near(colors(seen)[0], RED, by=24)
    assert is_near(colors(seen)[-1], BLUE, by=24)
    assert seen.size == (1280, 800)
    titles = [each[2] for each in seen.chapters]
    assert titles == [each.title for each in stopped.chapters]
    assert titles[-1] == 'click button "Blue"' or titles[-1].startswith("click")
    assert stopped.video.end == pb.VIDEO_END_STOPPED
    assert stopped.download.name.startswith("video-")
    assert stopped.download.size_bytes == (tmp_path / "video.webm").stat().st_size
    changed_s = next(time for time, color in zip(seen.times, colors(seen), strict=True) if is_near(color, BLUE, by=24))
    assert seen.chapters[-1][0] <= changed_s + 0.5


async def test_a_stopped_video_is_listed_read_again_and_deleted(
    client: AsyncClient, page: AsyncPage, show: Show, tmp_path: Path
) -> None:
    await show(painted("red"))
    async with filmed(page, tmp_path / "a.webm") as film:
        pass
    video = film.stopped.video
    again = await page.stop_video(video_id=video.video_id)
    assert again.download.download_id == film.stopped.download.download_id
    assert [each.video_id for each in await client.videos(page.session_id)] == [video.video_id]
    assert await client.save_video(tmp_path, video) == tmp_path / video.name
    assert (tmp_path / video.name).read_bytes() == (tmp_path / "a.webm").read_bytes()
    assert video.expire_time.seconds > video.start_time.seconds
    await client.delete_video(video)
    assert await client.videos(page.session_id) == []
    with pytest.raises(RemoteError, match="it was deleted") as unknown:
        await client.save_video(tmp_path / "b.webm", video)
    assert unknown.value.reason == "UNKNOWN_VIDEO"
    with pytest.raises(RemoteError, match="was removed or changed"):
        await page.save_download(tmp_path / "c.webm", again.download)


async def test_a_video_without_a_tab_follows_the_selected_one(
    service: Service, page: AsyncPage, show: Show, site: str, tmp_path: Path
) -> None:
    await show(painted("red"))
    first = (await page.tabs())[0].tab_id
    async with filmed(page, tmp_path / "video.webm") as film:
        tab = await page.new_tab(f"{site}/html?body={painted('green')}")
        await until_shown(service, page, film.video_id, GREEN)
        await page.close_tab(tab.tab_id)
        await page.select_tab(first)
        await page.click("button")
        await until_shown(service, page, film.video_id, BLUE)
    seen = film.seen
    assert seen is not None
    assert is_near(colors(seen)[0], RED, by=24)
    assert shows(seen, GREEN)
    assert is_near(colors(seen)[-1], BLUE, by=24)
    assert film.stopped.video.tab_id == ""


async def test_a_video_of_a_tab_ends_with_it_and_is_kept(
    client: AsyncClient, page: AsyncPage, show: Show, site: str, tmp_path: Path
) -> None:
    await show(painted("red"))
    tab = await page.new_tab(f"{site}/html?body={painted('green')}")
    video_id = await page.start_video(tab_id=tab.tab_id)
    await until_filmed(page, video_id)
    await page.close_tab(tab.tab_id)
    video = await until_ended(page, video_id)
    assert (video.end, video.message) == (pb.VIDEO_END_TAB_CLOSED, "the video ended, as its tab was closed")
    stopped = await page.stop_video(tmp_path / "video.webm", video_id=video_id)
    assert stopped.video.end == pb.VIDEO_END_TAB_CLOSED
    assert shows(read_video(tmp_path / "video.webm"), GREEN)


async def test_a_session_is_filmed_from_its_beginning_to_its_end(
    client: AsyncClient, site: str, tmp_path: Path
) -> None:
    page = await client.open(f"{site}/html?body={painted('red')}", video={"format": "mp4", "max_width": 640})
    session = next(each for each in await client.open_sessions() if each.session_id == page.session_id)
    assert session.options.video.max_width == 640
    video_id = (await client.videos(page.session_id))[0].video_id

    async def is_wide() -> bool:
        return (await video_of(page, video_id)).frames >= 1

    await until(is_wide)
    await page.click("button")
    await page.wait_for(settled=True)
    await page.close()
    video = (await client.videos(page.session_id))[0]
    assert video.end == pb.VIDEO_END_SESSION_ENDED
    assert video.name.endswith(".mp4")
    seen = read_video(await client.save_video(tmp_path, video))
    assert seen.size == (640, 400)
    assert any(each[2].startswith("click") for each in seen.chapters)
    await client.delete_video(video)


async def test_private_content_is_covered(page: AsyncPage, show: Show, tmp_path: Path) -> None:
    field = "<input value='4111 1111 1111 1111' autocomplete=cc-number style='position:fixed;left:540px;top:350px;"
    await show(painted("red", field + "width:200px;height:100px;background:lime;border:0'>"))
    async with filmed(page, tmp_path / "video.webm") as film:
        pass
    assert film.seen is not None
    assert not shows(film.seen, (0, 255, 0))
    assert shows(film.seen, RED, (200, 400))


async def test_what_a_person_does_is_not_filmed(service: Service, page: AsyncPage, show: Show, tmp_path: Path) -> None:
    lime = "document.body.style.background='lime'"
    more = f"<button style='position:fixed;left:0;top:100px' onclick=\"{lime}\">Lime</button>"
    await show(painted("red", more))
    async with filmed(page, tmp_path / "video.webm") as film:
        async with page.take_control() as control:
            await until_shown(service, page, film.video_id, CARD, (100, 100))
            await control.click(20, 110)
            await control.click(10, 10)
            await service.context.sessions.get(page.session_id).browser.tab().page.evaluate(FRAMES)
        await until_shown(service, page, film.video_id, BLUE)
    seen = film.seen
    assert seen is not None
    assert not shows(seen, (0, 255, 0))
    assert row_of(seen, (100, 100)) == ["red", "card", "blue"]
    assert is_near(colors(seen)[-1], BLUE, by=24)


async def test_two_videos_of_a_tab_are_two_files_and_there_is_a_limit(
    page: AsyncPage, show: Show, tmp_path: Path
) -> None:
    await show(painted("red"))
    made = [await page.start_video(max_width=64 * (number + 1)) for number in range(MAX_OF_SESSION)]
    with pytest.raises(RemoteError, match="its limit: stop one of") as refused:
        await page.start_video()
    assert refused.value.reason == "VIDEO_LIMIT"
    with pytest.raises(RemoteError, match="it is not said which video to stop; it makes v"):
        await page.stop_video()
    for number, video_id in enumerate(made):
        await until_filmed(page, video_id)
        await page.stop_video(tmp_path / f"{number}.webm", video_id=video_id)
    widths = [read_video(tmp_path / f"{number}.webm").size[0] for number in range(MAX_OF_SESSION)]
    assert widths == [64, 128, 192, 256]


async def test_a_canvas_at_full_speed_is_filmed_at_the_wanted_one(page: AsyncPage, show: Show, tmp_path: Path) -> None:
    await show(
        "<canvas id=c width=400 height=300></canvas><script>const g=c.getContext('2d');let n=0;(function d(){"
        "g.fillStyle=`hsl(${n++*7%360} 90% 50%)`;g.fillRect(0,0,400,300);requestAnimationFrame(d)})()</script>"
    )
    async with filmed(page, tmp_path / "video.webm", max_fps=4) as film:
        await until_filmed(page, film.video_id, 8)
    seen = film.seen
    assert seen is not None
    steps = [later - earlier for earlier, later in zip(seen.times, seen.times[1:], strict=False)]
    assert sum(steps[:6]) >= 6 * 0.2
    assert len({colors(seen, (200, 150))[number] for number in range(8)}) > 4


async def test_a_still_page_has_one_picture(page: AsyncPage, show: Show, tmp_path: Path) -> None:
    await show(painted("red"))
    async with filmed(page, tmp_path / "video.webm", max_duration=3) as film:
        video = await until_ended(page, film.video_id)
        assert video.end == pb.VIDEO_END_MAX_DURATION
    stopped, seen = film.stopped, film.seen
    assert seen is not None
    assert stopped.frames <= 2
    assert stopped.duration.ToTimedelta().total_seconds() == pytest.approx(3.0, abs=0.1)
    assert seen.duration_s == pytest.approx(3.0, abs=0.2)


async def test_a_full_disk_ends_a_video_and_leaves_the_rest(
    service: Service, page: AsyncPage, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    await show(painted("red"))
    video_id = await page.start_video()
    await until_filmed(page, video_id)
    made = service.context.sessions.find(page.session_id, "")
    assert made is not None
    noted = made.videos.find(video_id).encoder._file

    def full(data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(noted, "_file", SimpleNamespace(write=full))
    await page.click("button")
    video = await until_ended(page, video_id)
    assert (video.end, video.message) == (
        pb.VIDEO_END_DISK_FULL,
        "the video ended, as no room was left on the service's disk",
    )
    await page.snapshot()  # the session goes on


async def test_a_crash_shows_a_card_and_the_video_goes_on(
    service: Service, page: AsyncPage, show: Show, tmp_path: Path
) -> None:
    await show(painted("red"))
    async with filmed(page, tmp_path / "video.webm") as film:
        session = service.context.sessions.find(page.session_id, "")
        assert session is not None
        session.browser.tab().link.session.start("Page.crash").add_done_callback(lambda done: done.exception())
        await until_shown(service, page, film.video_id, CARD, (100, 100))
        for _ in range(3):
            with suppress(RemoteError):
                await show(painted("green"))
                break
        await until_shown(service, page, film.video_id, GREEN)
    seen = film.seen
    assert seen is not None
    assert row_of(seen, (100, 100))[:2] == ["red", "card"]
    assert shows(seen, GREEN)


async def test_a_video_that_is_not_there_is_an_error_that_says_what_is(page: AsyncPage) -> None:
    with pytest.raises(RemoteError, match="there is no video to stop in this session") as none:
        await page.stop_video()
    assert none.value.reason == "UNKNOWN_VIDEO"
    with pytest.raises(RemoteError, match="has no video 'v00'; it makes none: StartVideo begins one"):
        await page.stop_video(video_id="v00")
    with pytest.raises(RemoteError, match="no tab 't99'"):
        await page.start_video(tab_id="t99")
    with pytest.raises(RemoteError, match=r"max_fps of a video is 99 pictures a second: it takes 0\.1 to 30") as wrong:
        await page.start_video(max_fps=99)
    assert wrong.value.reason == "BAD_INPUT"


async def test_a_video_that_is_being_made_is_not_read_nor_deleted(
    client: AsyncClient, page: AsyncPage, tmp_path: Path
) -> None:
    video_id = await page.start_video()
    with pytest.raises(RemoteError, match="is still being made: end it by StopVideo first"):
        await client.save_video(tmp_path / "a.webm", video_id)
    with pytest.raises(RemoteError, match="is still being made"):
        await client.delete_video(video_id)
    await until_filmed(page, video_id)
    await page.stop_video()


async def test_without_pyav_the_command_is_named_and_no_session_is_left(
    client: AsyncClient, page: AsyncPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    importing = builtins.__import__

    def without_av(name: str, *args: Any, **options: Any) -> Any:
        if name.split(".")[0] == "av":
            raise ImportError(name)
        return importing(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_av)
    before = len(await client.open_sessions())
    for refused in (page.start_video(), client.open(video={})):
        with pytest.raises(RemoteError, match=r"pip install 'perception-service\[video\]'") as missing:
            await refused
        assert missing.value.reason == "VIDEO_UNAVAILABLE"
    assert len(await client.open_sessions()) == before


async def test_a_download_of_a_video_is_a_download_of_its_session(page: AsyncPage, show: Show, tmp_path: Path) -> None:
    await show(painted("red"))
    async with filmed(page, tmp_path / "video.webm") as film:
        pass
    listed = await page.downloads()
    assert [(each.download_id, each.state) for each in listed] == [
        (film.stopped.download.download_id, types_pb2.Download.STATE_COMPLETED)
    ]


async def test_a_start_whose_caller_has_left_films_nothing_further(
    service: Service, page: AsyncPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: TabVideo) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(TabVideo, "first_picture", never)
    with pytest.raises(RemoteError):
        await page.start_video(timeout_s=1)
    (session,) = [each for each in service.context.sessions.sessions if each.session_id == page.session_id]

    async def has_ended() -> bool:
        return not session.videos.running

    await until(has_ended)
