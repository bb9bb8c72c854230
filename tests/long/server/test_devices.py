"""Screens of sessions: devices, mobile layout, zoom, and what pages, snapshots and screenshots make of them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image

from perception.browser.capture.redaction import screenshot_bytes
from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.deadline import Deadline
from perception.server.app import Service
from perception.v1 import types_pb2 as pb

pytestmark = pytest.mark.usefixtures("patient_answers")

HEARD = """
<script>
  const heard = [];
  for (const kind of ['click', 'touchstart', 'touchend', 'contextmenu'])
    addEventListener(kind, event => {
      heard.push([kind, event.target.id]);
      const { clientX, clientY } = event.changedTouches?.[0] ?? event;
      Object.assign(heard, { clientX, clientY });
    }, true);
</script>
<style>body { margin: 0 } button { position: absolute; width: 90px; height: 40px; background: rgb(0, 160, 0) }</style>
"""
META = "<meta name=viewport content='width=device-width, initial-scale=1'>"
LAYOUTS = {
    "fits": META + HEARD + "<button id=b style='left: 200px; top: 300px'>Pay</button><p style='height: 3000px'>",
    "no viewport tag": HEARD + "<button id=b style='left: 700px; top: 300px'>Pay</button><p style='height: 3000px'>",
    "wider than the screen": META
    + HEARD
    + "<button id=b style='left: 500px; top: 300px'>Pay</button><p style='height: 3000px; width: 600px'>",
    "zoomed in": "<meta name=viewport content='width=device-width, initial-scale=2'>"
    + HEARD
    + "<button id=b style='left: 60px; top: 200px'>Pay</button><p style='height: 3000px'>",
    "zoomed in, out of view": "<meta name=viewport content='width=device-width, initial-scale=2'>"
    + HEARD
    + "<button id=b style='left: 290px; top: 700px'>Pay</button><p style='height: 3000px'>",
    "CSS zoom": META
    + HEARD
    + "<body style='zoom: 1.5'><button id=b style='left: 100px; top: 200px'>Pay</button><p style='height: 3000px'>",
    "in a frame": META
    + "<body style='margin: 0'><iframe style='position: absolute; left: 20px; top: 50px; width: 340px; height: 500px'"
    ' srcdoc="' + (HEARD + "<button id=b style='left: 200px; top: 300px'>Pay</button>").replace('"', "&quot;") + '">',
}

OUT_OF_VIEW = ("zoomed in, out of view", "wider than the screen")
"""Layouts whose button is in the viewport, and outside of what a person sees of it."""


@pytest.fixture(scope="module")
async def phone(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    page = await client.open(device="iPhone 15", allow_evaluate=True)
    yield page
    await page.close()


async def _open(page: AsyncPage, site: str, html: str) -> None:
    await page.navigate(f"{site}/html?body={quote('<!doctype html>' + html)}")


async def _heard(page: AsyncPage) -> Any:
    return await page.evaluate(
        "() => { const of = frames.length ? frames[0] : window; return of.eval('heard').splice(0) }"
    )


async def _clicked(page: AsyncPage) -> Any:
    """What was heard: the button was clicked."""
    where = await page.evaluate(
        """() => {
          const of = frames.length ? frames[0] : window, view = visualViewport;
          const { clientX, clientY } = of.eval('heard');
          return [clientX, clientY, scrollX, scrollY, view.scale, view.offsetLeft, view.offsetTop, innerWidth];
        }"""
    )
    heard = await _heard(page)
    assert ["click", "b"] in heard, f"{heard}, the last one at {where}"
    return heard


async def _check_picture(page: AsyncPage, box: pb.Box) -> None:
    """The picture shows the green button just where the element's box is."""
    data = await page.screenshot()
    reply = await page.snapshot(mode="text")
    red, green, blue = (band.astype(int) for band in np.moveaxis(np.array(Image.open(io.BytesIO(data))), 2, 0)[:3])
    scale = red.shape[1] / reply.viewport.width
    assert scale == pytest.approx(reply.viewport.device_scale_factor, rel=0.01)
    rows, columns = np.nonzero((green > red + 60) & (green > blue + 60))
    assert len(rows), "no button in the picture"
    shown = [columns.min() / scale, rows.min() / scale, columns.max() / scale, rows.max() / scale]
    assert shown == pytest.approx([box.x, box.y, box.x + box.width, box.y + box.height], abs=4)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("act", ["click", "tap"])
async def test_input_on_a_ref_lands_and_pictures_agree(phone: AsyncPage, site: str, layout: str, act: str) -> None:
    await _open(phone, site, LAYOUTS[layout])
    if layout == "in a frame":
        await phone.evaluate("() => { frames[0].eval('window.heard = heard') }")
    seen = await phone.snapshot(mode="fused", scope="page")
    (button,) = [each for each in seen.elements if each.role == "button"]
    assert button.in_viewport == (layout not in OUT_OF_VIEW)
    await getattr(phone, act)(button.ref, skip_diff=True)
    assert (["touchstart", "b"] in await _clicked(phone)) == (act == "tap")
    (again,) = [each for each in (await phone.snapshot(mode="text")).elements if each.role == "button"]
    assert again.ref == button.ref
    await _check_picture(phone, again.box)


async def test_a_coordinate_of_a_page_that_is_zoomed_out_lands(phone: AsyncPage, site: str) -> None:
    await _open(phone, site, LAYOUTS["no viewport tag"])
    await phone.click((745.0, 320.0), skip_diff=True)
    await _clicked(phone)


@pytest.mark.parametrize("next_step", ["picture", "document", "screen"])
async def test_input_lands_after_a_picture_that_something_came_in_between(
    service: Service, client: AsyncClient, site: str, next_step: str
) -> None:
    async with await client.open(device="iPhone 15", allow_evaluate=True) as page:
        link = service.context.sessions.get(page.session_id).browser.tab().link
        for number in range(8):
            await _open(page, site, LAYOUTS["fits"])
            picture = asyncio.create_task(screenshot_bytes(link, Deadline.of(20), format="png"))
            await asyncio.sleep(number * 0.005)
            if next_step == "document":
                await _open(page, site, LAYOUTS["fits"])
                assert await picture  # of one of the two
            else:
                picture.cancel()  # Chromium goes on with it
                await (page.screenshot() if next_step == "picture" else page.set_viewport(width=400 + number))
            (button,) = (await page.snapshot(mode="text")).elements
            await page.click(button.ref, skip_diff=True)
            await _clicked(page)
            await _check_picture(page, button.box)
            if next_step == "screen":
                assert await page.evaluate("innerWidth") == 400 + number


async def test_a_password_is_masked_where_the_page_is_zoomed_in(phone: AsyncPage, site: str) -> None:
    fields = "<input type=password value=secret style='position: absolute; left: 20px; top: 100px; width: 150px'>"
    await _open(phone, site, "<meta name=viewport content='width=device-width, initial-scale=2'>" + fields)
    image = Image.open(io.BytesIO(await phone.screenshot())).convert("RGB")
    (field,) = [each for each in (await phone.snapshot(mode="text")).elements if each.role == "textbox"]
    scale = image.width / 393
    inside = (field.box.x + 10) * scale, (field.box.y + field.box.height / 2) * scale
    assert image.getpixel((int(inside[0]), int(inside[1]))) == (128, 128, 128)


async def test_a_finger_stays_as_long_as_asked(phone: AsyncPage, site: str) -> None:
    await _open(phone, site, LAYOUTS["fits"])
    await phone.evaluate(
        "() => { for (const kind of ['touchstart', 'touchend'])"
        " b.addEventListener(kind, e => { b[kind] = e.timeStamp }) }"
    )
    await phone.tap("#b", hold=0.6, skip_diff=True)
    assert await phone.evaluate("b.touchend - b.touchstart") >= 550


async def test_a_point_that_the_zoom_hides_is_refused(phone: AsyncPage, site: str) -> None:
    await _open(phone, site, LAYOUTS["zoomed in, out of view"])
    with pytest.raises(
        RemoteError, match=r"\(335, 600\) is out of view: the page is zoomed in, and shows 19\d x 3"
    ) as caught:
        await phone.click((335.0, 600.0))
    assert caught.value.reason == "COORDINATE_OUT_OF_VIEWPORT"


async def test_a_page_is_told_of_the_device(phone: AsyncPage, site: str) -> None:
    await _open(phone, site, LAYOUTS["fits"])
    told = await phone.evaluate(
        "() => [innerWidth, devicePixelRatio, navigator.maxTouchPoints > 0, matchMedia('(pointer: coarse)').matches,"
        " navigator.userAgent.includes('iPhone'), screen.width]"
    )
    assert told == [393, 3, True, True, True, 393]
    options = (await phone.state()).options
    assert options.device == "iPhone 15"
    assert options.mobile
    assert options.touch
    assert "iPhone" in options.user_agent.text


async def test_fields_go_before_the_device(client: AsyncClient, site: str) -> None:
    page = await client.open(
        f"{site}/html?body=x", device="pixel 7", viewport=(500, 700, 1), touch=False, allow_evaluate=True
    )
    async with page:
        told = await page.evaluate("() => [innerWidth, devicePixelRatio, navigator.maxTouchPoints]")
        assert told == [980, 1, 0]
        with pytest.raises(RemoteError, match=r"takes no touches: open it with `touch`") as caught:
            await page.tap("body")
        assert caught.value.reason == "TOUCH_DISABLED"


async def test_client_hints_reach_servers_and_pages(client: AsyncClient, site: str) -> None:
    hints = {
        "brands": [{"brand": "Chromium", "version": "140"}],
        "full_versions": [{"brand": "Chromium", "version": "140.0.1.2"}],
        "platform": "Android",
        "platform_version": "15",
        "model": "Pixel 9",
        "mobile": True,
    }
    agent = {"text": "Mozilla/5.0 (Linux; Android 15) Test", "client_hints": hints}
    page = await client.open(f"{site}/html?body=x", user_agent=agent, locale="de-DE", allow_evaluate=True)
    async with page:
        script = """async () => {
            const of = navigator.userAgentData, more = await of.getHighEntropyValues(['model', 'platformVersion']);
            return [navigator.userAgent, of.mobile, of.platform, of.brands[0].version, more.model, navigator.language];
        }"""
        expected = [agent["text"], True, "Android", "140", "Pixel 9", "de-DE"]
        assert await page.evaluate(script) == expected


async def test_the_list_is_that_of_playwright(client: AsyncClient, host: BrowserHost) -> None:
    listed = host._playwright.devices
    ours = await client.devices()
    assert [each.name for each in ours] == list(listed)
    for each in ours:
        of = listed[each.name]
        assert each.user_agent == of["user_agent"]
        assert each.engine == of["default_browser_type"]
        assert (each.viewport.width, each.viewport.height) == tuple(of["viewport"].values())
        assert each.viewport.device_scale_factor == of["device_scale_factor"]
        assert (each.mobile, each.touch) == (of["is_mobile"], of["has_touch"])
    assert {each.name for each in await client.devices("galaxy s5")} == {"Galaxy S5", "Galaxy S5 landscape"}


async def test_refs_survive_another_viewport(client: AsyncClient, site: str) -> None:
    page = await client.open(allow_evaluate=True)
    async with page:
        wide = "<style>@media (max-width: 600px) { #gone { display: none } #b { left: 10px !important } }</style>"
        html = (
            META + HEARD + wide + "<button id=b style='left: 900px; top: 300px'>Pay</button><a id=gone href=x>Wide</a>"
        )
        await _open(page, site, html)
        seen = await page.snapshot(mode="text")
        (button,) = [each for each in seen.elements if each.role == "button"]
        set_to = await page.set_viewport(400, 700, 2, mobile=True, touch=True)
        assert (set_to.viewport.width, set_to.viewport.height, set_to.mobile, set_to.touch) == (400, 700, True, True)
        after = await page.snapshot(mode="text", since=seen.snapshot_id)
        assert (after.viewport.width, after.viewport.height, after.viewport.device_scale_factor) == (400, 700, 2)
        assert [each.ref for each in after.elements] == [button.ref]
        await page.tap(button.ref, skip_diff=True)
        assert ["touchstart", "b"] in await _heard(page)
        await _check_picture(page, after.elements[0].box)
        options = (await page.state()).options
        assert (options.viewport.width, options.mobile, options.touch) == (400, True, True)


async def test_another_viewport_holds_for_other_sites_tabs_and_frames(client: AsyncClient, site: str) -> None:
    async with await client.open(allow_evaluate=True) as page:
        await page.set_viewport(device="Pixel 7", width=420)
        other = site.replace("127.0.0.1", "localhost")
        opener = f"<a href='{other}/html?body={quote(META + 'there')}' target=_blank>Open</a>"
        frame = f"<iframe src='{other}/html?body={quote(META + HEARD)}'></iframe>"
        await _open(page, site, META + opener + frame)
        size = "() => [innerWidth, devicePixelRatio, navigator.maxTouchPoints > 0]"
        assert await page.evaluate(size) == [420, 2.625, True]
        await page.navigate(f"{other}/html?body={quote(META + opener)}")
        assert await page.evaluate(size) == [420, 2.625, True]
        (opened,) = (await page.click("a", skip_diff=True)).new_tabs
        assert await page.evaluate(size, tab_id=opened.tab_id) == [420, 2.625, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "iPhone 99"}, r"there is no device 'iPhone 99': did you mean 'iPhone .*ListDevices has all"),
        ({"device": "iPhone 15", "viewport": (9000, 700)}, r"9000 x 700 at scale 3 cannot be shown"),
        ({"user_agent": {"text": "Täst"}}, r"user_agent.text is 'Täst': it takes at most 1000 printable ASCII"),
        ({"user_agent": {"text": "a\r\nX-Evil: 1"}}, r"user_agent.text is .*printable ASCII"),
        ({"user_agent": {"client_hints": {"model": "P"}}}, r"client hints go with a user agent"),
        (
            {"user_agent": {"text": "a", "client_hints": {"brands": [{"brand": "b"}] * 11}}},
            r"brands has 11 entries: at most 10",
        ),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
async def test_wrong_devices_are_refused(client: AsyncClient, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RemoteError, match=message) as caught:
        await client.open(**options)
    assert caught.value.reason == "BAD_INPUT"
    assert caught.value.field.startswith("options.")


async def test_a_wrong_viewport_leaves_the_screen_as_it_is(client: AsyncClient) -> None:
    async with await client.open() as page:
        for given, message in (
            ({"width": 8, "height": 8}, r"8 x 8 at scale 1 cannot be shown"),
            ({"device": "Nokia 1"}, r"there is no device 'Nokia 1'"),
            ({"width": 500, "scale": 9}, r"scale 9 cannot be shown"),
        ):
            with pytest.raises(RemoteError, match=message):
                await page.set_viewport(**given)
        with pytest.raises(RemoteError, match=r"hold is 11 s: give 0 to 10 s"):
            await page.tap("body", hold=11)
        assert (await page.state()).options.viewport.width == 1280
