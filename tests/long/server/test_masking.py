"""No picture that leaves the service shows what must not leave the page. Secrets are green, and nothing else is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import cv2
import numpy as np
import pytest

from perception.browser.cdp.cdp_link import CdpSession
from perception.client import AsyncClient, AsyncPage
from perception.imaging.mask import FILL
from perception.server.app import Service
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import types_pb2
from tests.support.live import Show
from tests.support.sheet import Sheet

STYLE = "<meta charset=utf-8><style>.s { color: #0f0; font: bold 30px monospace } body { background: #fff }</style>"
FIELD = "<input class=s autocomplete=cc-number value=49290000MMMM>"
PASSWORD = "<input class=s type=password value=MMMMMMMM>"


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test writes a page of its own in it. It is small: a picture costs as much as it has
    pixels."""
    page = await client.open(viewport={"width": 640, "height": 400})
    yield page
    await page.close()


@pytest.fixture(scope="module")
def show(service: Service, page: AsyncPage, site: str) -> Show:
    return Sheet(service.context.sessions.get(page.session_id).browser, site).write


def green(image: types_pb2.Image) -> int:
    """How many pixels of a picture show a secret."""
    pixels = cv2.imdecode(np.frombuffer(image.data, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    assert pixels.shape[:2] == (image.height, image.width)
    return int(np.count_nonzero((pixels[..., 1] > 200) & (pixels[..., 0] < 120) & (pixels[..., 2] < 120)))


def html(body: str) -> str:
    return f"<!doctype html>{STYLE}{body}"


def address(site: str, body: str) -> str:
    return f"{site}/html?body={quote(html(body))}"


async def screenshot(page: AsyncPage, client: AsyncClient, **options: Any) -> types_pb2.Image:
    request = pb.CaptureScreenshotRequest(session_id=page.session_id, **options)
    image: types_pb2.Image = (await client.call(client.perception.CaptureScreenshot, request)).image
    return image


PLACES = [
    pytest.param(FIELD, id="card-number"),
    pytest.param("<textarea class=s data-private>MMMM MMMM</textarea>", id="textarea"),
    pytest.param("<p class='s ph-no-capture'>MMMM MMMM</p>", id="marked-text"),
    pytest.param("<p>one <b class='s rr-mask'>MMMM</b> two</p>", id="part-of-a-line"),
    pytest.param("<div data-private style='width:20px;height:20px'><p class=s>MMMM MMMM</div>", id="overflowing"),
    pytest.param("<div data-private style='height:10px'><p class=s style='position:absolute;top:300px'>MMMM</div>",
                 id="elsewhere"),
    pytest.param("<div data-private><img width=60 height=60 src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000"
                 "/svg\"><rect width=\"60\" height=\"60\" fill=\"lime\"/></svg>'></div>", id="picture"),
    pytest.param(f"<div style='transform:scale(.9) rotate(20deg);transform-origin:0 0;zoom:1.5'>{FIELD}</div>",
                 id="turned-and-scaled"),
    pytest.param(f"<div style='height:9em;overflow:auto'><p style='height:30em'>x</p>{FIELD}<script>"
                 "document.querySelector('div').scrollTop = 9999</script></div>", id="in-a-scroller"),
    pytest.param(f"<p style='height:3000px'></p>{FIELD}<script>scrollTo(0, 9999)</script>", id="in-a-scrolled-page"),
    pytest.param(f"<div><template shadowrootmode=closed>{STYLE}{FIELD}</template></div>", id="closed-shadow-root"),
    pytest.param(f"<div style='position:relative'>{FIELD}<div style='position:absolute;inset:0;background:#0001'></div>"
                 "</div>", id="behind-glass"),
    pytest.param("<div style='position:relative'><div style='position:absolute;inset:0;background:#eee'></div>"
                 "<p class='s fs-mask' style='position:relative;pointer-events:none'>MMMM</p></div>",
                 id="click-through"),
    pytest.param(f"<body data-private>{FIELD}<p class=s>MMMM</p><img alt='' src=x>", id="all-of-the-page"),
]  # fmt: skip


@pytest.mark.parametrize("body", PLACES)
async def test_screenshots_do_not_show_it_unless_asked_to(
    page: AsyncPage, client: AsyncClient, show: Show, body: str
) -> None:
    await show(html(body))
    assert green(await screenshot(page, client)) == 0
    assert green(await screenshot(page, client, reveal_sensitive=True)) > 0
    assert green(await screenshot(page, client, full_page=True)) == 0


async def test_a_closed_root_that_another_call_is_opening_is_masked_and_listed(
    service: Service, page: AsyncPage, client: AsyncClient, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As looking ahead does, or a picture for a person who watches."""
    browser = service.context.sessions.get(page.session_id).browser
    opening, may_open = asyncio.Event(), asyncio.Event()
    call = CdpSession.call

    async def held(session: CdpSession, *args: Any, **params: Any) -> dict[str, Any]:
        if "addShadowRoots" in params.get("functionDeclaration", "") and not opening.is_set():
            opening.set()
            await may_open.wait()
        return await call(session, *args, **params)

    monkeypatch.setattr(CdpSession, "call", held)  # before the page: looking ahead may be the call that opens it
    await show(html(f"<div><template shadowrootmode=closed>{STYLE}{FIELD}</template></div>"))
    looking = asyncio.create_task(Sheet(browser, "").look())
    await asyncio.wait_for(opening.wait(), 30)
    assert green(await screenshot(page, client)) == 0
    may_open.set()
    assert [each.role for each in (await looking).elements if each.interactive] == ["textbox"]


async def test_password_is_painted_over_even_when_asked_for(page: AsyncPage, client: AsyncClient, show: Show) -> None:
    shown = "<input class=s autocomplete=current-password value=MMMM>"
    await show(html(PASSWORD + shown))
    assert green(await screenshot(page, client, reveal_sensitive=True)) == 0


@pytest.mark.parametrize("scale", [1.0, 2.0, 1.25])
async def test_every_kind_of_picture_is_masked_at_any_scale(client: AsyncClient, site: str, scale: float) -> None:
    viewport = types_pb2.Viewport(width=450, height=300, device_scale_factor=scale)
    page = await client.open(viewport=viewport)
    await page.navigate(address(site, f"<p>{FIELD}</p><p style='height:450px'></p><p>{FIELD}</p>"))
    for options in (
        {},
        {"format": pb.IMAGE_FORMAT_JPEG},
        {"full_page": True},
        {"full_page": True, "format": pb.IMAGE_FORMAT_JPEG, "quality": 95},
        {"annotated": True, "options": pb.SnapshotOptions(mode=pb.MODE_TEXT)},
    ):
        assert green(await screenshot(page, client, **options)) == 0, options
        assert green(await screenshot(page, client, reveal_sensitive=True, **options)) > 0, options
    await page.close()


async def test_full_page_shows_no_more_than_its_parts_in_any_layout(
    page: AsyncPage, client: AsyncClient, show: Show
) -> None:
    body = f"<div style='height:100vh'>tall as the window</div>{FIELD}<p style='height:2000px'></p>{FIELD}"
    fixed = f"<div style='position:fixed;bottom:0;right:0'>{FIELD}</div>"
    await show(html(body + fixed))
    assert green(await screenshot(page, client, full_page=True)) == 0


@pytest.mark.parametrize("mode", ["MODE_TEXT", "MODE_FUSED", "MODE_VISION"])
async def test_pictures_of_a_snapshot_are_masked(page: AsyncPage, client: AsyncClient, show: Show, mode: str) -> None:
    await show(html(FIELD))
    for reveal in (False, True, False):
        options = pb.SnapshotOptions(mode=pb.Mode.Value(mode), reveal_sensitive=reveal)
        request = pb.CaptureSnapshotRequest(
            session_id=page.session_id, options=options, include_screenshot=True, include_annotated=True
        )
        reply = await client.call(client.perception.CaptureSnapshot, request)
        assert (green(reply.screenshot) > 0, green(reply.annotated) > 0) == (reveal, reveal)
        assert ("4929" in reply.snapshot.text + str(reply.snapshot.elements)) == reveal


@pytest.mark.parametrize("where", ["site", "other_site"])
async def test_frames_are_masked_in_place(
    page: AsyncPage, client: AsyncClient, show: Show, site: str, where: str, request: pytest.FixtureRequest
) -> None:
    inner = address(
        request.getfixturevalue(where), f"<p style='height:2000px'>x</p>{FIELD}<script>scrollTo(0,9999)</script>"
    )
    middle = address(site, f'<iframe src="{inner}" style="border:9px solid; padding:20px; width:500px"></iframe>')
    outer = (
        f'<p style="height:77px"></p><iframe src="{middle}" width=700 height=300 style="transform:scale(.8)"></iframe>'
    )
    await show(html(outer))
    assert green(await screenshot(page, client)) == 0
    assert green(await screenshot(page, client, reveal_sensitive=True)) > 0


async def test_frame_that_is_turned_is_painted_over_as_a_whole(
    page: AsyncPage, client: AsyncClient, show: Show, site: str
) -> None:
    inner = address(site, f"<p style='height:90px'>x</p>{FIELD}")
    await show(html(f'<iframe src="{inner}" height=300 width=700 style="rotate:25deg"></iframe>'))
    assert green(await screenshot(page, client)) == 0
    assert green(await screenshot(page, client, reveal_sensitive=True)) > 0


async def test_only_the_secret_is_painted_over(page: AsyncPage, client: AsyncClient, show: Show) -> None:
    body = f"<p class=s style='color:#f00'>MMMM</p>{FIELD}<p class=s style='color:#f00'>MMMM</p>"
    await show(html(body))
    masked, bare = [
        cv2.imdecode(np.frombuffer((await screenshot(page, client, reveal_sensitive=reveal)).data, np.uint8), 1)
        for reveal in (False, True)
    ]
    differ = np.any(masked != bare, axis=2)
    assert np.all(masked[differ] == FILL)
    snapshot = await page.snapshot(mode="MODE_TEXT")
    box = next(each.box for each in snapshot.elements if each.role == "textbox")
    rows, columns = np.nonzero(differ)
    assert box.x <= columns.min() <= columns.max() < box.x + box.width
    assert box.y <= rows.min() <= rows.max() < box.y + box.height


async def test_dialog_over_a_secret_stays_legible(page: AsyncPage, client: AsyncClient, show: Show) -> None:
    dialog = "<div style='position:fixed;inset:0;background:#fff'><p class=s style='margin:0'>Sure?</p></div>"
    await show(html(FIELD + dialog))
    assert green(await screenshot(page, client)) > 0


async def test_secret_that_moves_is_painted_over(page: AsyncPage, client: AsyncClient, show: Show) -> None:
    move = (
        "<style>input { animation: m 2s linear infinite alternate } @keyframes m { to { translate: 0 500px } }</style>"
    )
    await show(html(FIELD + move))
    assert [green(await screenshot(page, client)) for _ in range(5)] == [0] * 5
