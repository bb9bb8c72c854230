"""What is sensitive is in no picture: wherever it moves, whenever it appears, in whatever frame it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from urllib.parse import quote

import pytest

from perception.browser.live import tab_watch
from perception.client import AsyncClient, AsyncPage
from perception.v1 import live_service_pb2 as pb
from tests.support.live import Show
from tests.support.live_pictures import SOON, following, note_with, pixels_of, share_of

SECRET = (255, 0, 255)
"""Magenta: the color of everything that must not be seen, and of nothing else on these pages."""

SIZE = {"width": 480, "height": 320}
"""Of the page: a picture costs as much as it has pixels."""

FIELD = (
    "<input autocomplete=cc-number value=4111111111111111 id=card style='border:0;outline:0;width:120px;height:30px;"
    "background:#f0f;color:#f0f'>"
)

MOVES = f"""<body style='margin:0'><div id=box style='position:absolute;left:0;top:0'>{FIELD}</div><p id=n>0</p><script>
let at = 0; setInterval(() => {{ at += 4; const far = Math.abs(at % 800 - 400); box.style.left = far + 'px';
box.style.top = far / 2 + 'px'; n.textContent = at }}, 16)</script>"""

JUMPS = MOVES.replace("at += 4", "at += 237")

SLIDES = f"""<body style='margin:0'><style>@keyframes slide {{ from {{ transform: translate(0, 0) }} to {{ transform:
translate(360px, 240px) }} }} #box {{ animation: slide 3s linear infinite alternate }}</style><div id=box
style='position:absolute'>{FIELD}</div>"""

APPEARS = f"""<body style='margin:0'><div id=box style='position:absolute;left:0;top:0'>{FIELD}</div><p id=n>0</p>
<script>let at = 0; setInterval(() => {{ at += 1; n.textContent = at; box.style.left = at * 61 % 360 + 'px';
box.style.display = at % 40 < 20 ? 'none' : 'block' }}, 30)</script>"""

FLICKERS = APPEARS.replace("% 40 < 20", "% 3")

SCROLLS = f"""<body style='margin:0'><div style='height:2000px;padding-top:240px'>{FIELD}</div><script>
let at = 0; setInterval(() => {{ at += 4; scrollTo(0, Math.abs(at % 560 - 280)) }}, 16)</script>"""


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


async def frames_of(page: AsyncPage, count: int, **fields: object) -> list[pb.WatchFramesResponse]:
    """The next pictures of a page that changes all the time."""
    frames: list[pb.WatchFramesResponse] = []
    async with asyncio.timeout(60), aclosing(page.watch_frames(**fields)) as watching:
        async for frame in watching:
            frames.append(frame)
            if len(frames) == count:
                break
    return frames


@pytest.mark.parametrize("html", [MOVES, SLIDES, APPEARS, SCROLLS], ids=["moves", "slides", "appears", "scrolls"])
async def test_a_card_number_is_in_no_picture(page: AsyncPage, show: Show, html: str) -> None:
    await show(html)
    frames = await frames_of(page, 15, max_fps=30, quality=90)
    shown = [share_of(pixels_of(frame), SECRET) for frame in frames if frame.jpeg]
    assert shown
    assert max(shown) == 0


async def test_one_in_a_frame_of_another_site_is_not_either(
    page: AsyncPage, show: Show, site: str, other_site: str
) -> None:
    inner = f"{other_site}/html?body={quote(MOVES)}"
    await show(f"<body style='margin:0'><iframe src='{inner}' style='border:0;width:460px;height:300px'></iframe>")
    frames = await frames_of(page, 15, max_fps=30, quality=90)
    shown = [share_of(pixels_of(frame), SECRET) for frame in frames if frame.jpeg]
    assert shown
    assert max(shown) == 0


@pytest.mark.parametrize("html", [FLICKERS, JUMPS], ids=["flickers", "jumps"])
async def test_a_page_whose_fields_cannot_be_followed_is_not_shown(page: AsyncPage, show: Show, html: str) -> None:
    await show(html)
    async with aclosing(page.watch_frames(max_fps=30)) as watching:
        await note_with(watching, "come and go")
        coming = asyncio.ensure_future(following(watching))
        await page.evaluate("() => { box.remove(); n.textContent = 'rest' }")
        assert not (await coming).note


async def test_other_colors_of_these_pages_are_seen(page: AsyncPage, show: Show) -> None:
    await show(MOVES.replace("autocomplete=cc-number", "").replace("id=card", "").replace("4111111111111111", "Smith"))
    frames = await frames_of(page, 3, quality=90)
    assert max(share_of(pixels_of(frame), SECRET) for frame in frames if frame.jpeg) > 0.005


async def test_who_has_control_sees_what_is_covered_for_others(page: AsyncPage, show: Show) -> None:
    await show(f"<body style='margin:0'>{FIELD}<p id=n>0</p>")
    async with page.take_control() as held:
        own, others = page.watch_frames(lease_id=held.lease_id), page.watch_frames(lease_id="wrong")
        async with aclosing(own), aclosing(others):
            assert share_of(pixels_of(await following(own)), SECRET) > 0.005
            assert share_of(pixels_of(await following(others)), SECRET) == 0
            await held.release()
            async with asyncio.timeout(SOON):
                while share_of(pixels_of(await anext(own)), SECRET) > 0:
                    pass
