"""Watching: the live page, boxes and lines that light each other, several watchers, slow links, hidden pages."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Page, expect

from perception.client import AsyncPage, RemoteError
from perception.server.app import Service
from tests.long.server.viewer.conftest import Open, Watched
from tests.support.live import Show
from tests.support.waiting import until

STILL = (
    "<title>Pay</title><style>body{margin:0;background:#fff}button{position:absolute;left:100px;width:200px;"
    "height:60px}</style><button style='top:50px'>Pay</button><button style='top:150px'>Later</button>"
)

MOVING = (
    "<title>Moving</title><body><script>let n=0;setInterval(()=>{document.body.style.background=n%2?'red':'blue';"
    "document.title=`Moving ${++n}`},200)</script>"
)

NOISE = """<title>Noise</title><canvas id=c width=200 height=200></canvas><script>const x=c.getContext('2d');let n=0;
setInterval(()=>{const noise=x.createImageData(200,200);for(let i=0;i<noise.data.length;i++)
noise.data[i]=Math.random()*256|3;x.putImageData(noise,0,0);document.title=`Noise ${++n}`},250)</script>"""
"""As MOVING; each picture has some 30 kB."""


async def opened(watched: Watched, site: str, body: str, **options: Any) -> AsyncPage:
    return await (await watched.client("ana")).open(f"{site}/html?body={quote(body)}", **options)


async def number(viewer: Page) -> int:
    """Number of the picture that is shown; 0 for none."""
    return int(await viewer.locator("canvas").get_attribute("data-number") or 0)


async def wait_for_picture(viewer: Page, after: int = 0) -> int:
    await viewer.wait_for_function(
        "after => Number(document.querySelector('canvas')?.dataset.number ?? 0) > after", arg=after
    )
    return await number(viewer)


async def wait_for_color(viewer: Page, channel: int) -> None:
    """Waits until the middle of the picture is red (0), green (1) or blue (2)."""
    await viewer.wait_for_function(
        """channel => { const c = document.querySelector('canvas');
            const color = c.getContext('2d').getImageData(c.width / 2, c.height / 2, 1, 1).data;
            return [0, 1, 2].every(each => each == channel ? color[each] > 200 : color[each] < 100) }""",
        arg=channel,
    )


def watched_tabs(service: Service) -> int:
    """Tabs whose pictures are taken."""
    sessions = service.context.sessions.sessions
    return sum(each.screencasts.is_watched(tab.tab_id) for each in sessions for tab in each.browser.tabs)


async def test_the_picture_follows_the_page(open_viewer: Open, page: AsyncPage, show: Show, site: str) -> None:
    await show("<title>Red</title><body style='background:red'>")
    viewer = await open_viewer(f"sessions/{page.session_id}")
    first = await wait_for_picture(viewer)
    await wait_for_color(viewer, 0)  # the first one may be of the page before
    await page.navigate(f"{site}/html?body={quote('<title>Blue</title><body style=background:blue>')}")
    await expect(viewer.get_by_role("heading", level=1)).to_have_text("Blue")
    await wait_for_picture(viewer, first)
    await wait_for_color(viewer, 2)


async def test_lines_and_boxes_light_each_other(open_viewer: Open, page: AsyncPage, show: Show) -> None:
    await show(STILL)
    seen = await page.snapshot(mode="text")
    refs = {each.name: each.ref for each in seen.elements}
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await wait_for_picture(viewer)
    box = viewer.locator(f".box[data-ref={refs['Later']}]")
    line = viewer.get_by_role("option").filter(has_text=f"[ref={refs['Later']}]")
    await expect(line).to_have_attribute("aria-selected", "false")
    await line.hover()
    await expect(box).to_have_class("box page lit")
    await viewer.get_by_role("heading", level=1).hover()
    await expect(box).not_to_have_class("box page lit")
    place = await box.bounding_box()
    assert place is not None
    await viewer.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    await expect(line).to_have_attribute("aria-selected", "true")
    listing = viewer.get_by_role("listbox")
    await listing.focus()
    await listing.press("ArrowUp")
    await expect(viewer.locator(f".box[data-ref={refs['Pay']}]")).to_have_class("box page lit")


async def test_boxes_lie_on_their_elements_and_say_what_kind_they_are(
    open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(
        STILL + "<div style='position:absolute;left:90px;top:140px;width:220px;height:80px;background:#123'></div>"
    )
    seen = await page.snapshot(mode="text")
    pay = next(each for each in seen.elements if each.name == "Pay")
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await wait_for_picture(viewer)
    await expect(viewer.locator(".box.covered")).to_have_count(1)  # the list is there, and moves the picture no more
    shown = await viewer.locator("canvas").bounding_box()
    place = await viewer.locator(f".box[data-ref={pay.ref}]").bounding_box()
    assert shown is not None
    assert place is not None
    scale = shown["width"] / seen.viewport.width
    assert abs(place["x"] - shown["x"] - pay.box.x * scale) < 1.5
    assert abs(place["y"] - shown["y"] - pay.box.y * scale) < 1.5
    assert abs(place["width"] - pay.box.width * scale) < 1.5
    await viewer.get_by_label("Boxes and refs").uncheck()
    await expect(viewer.locator(".box")).to_have_count(0)


async def test_what_the_agent_was_served_is_shown_with_its_tokens_and_what_changed(
    open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(STILL.replace("'top:50px'", "'top:50px' onclick=\"this.textContent='Paid'\""))
    seen = await page.snapshot(mode="text")
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await expect(viewer.get_by_text(str(seen.token_count), exact=True)).to_be_visible()
    await page.click(next(each.ref for each in seen.elements if each.name == "Pay"))
    await page.snapshot(mode="text")
    await expect(viewer.get_by_role("option").filter(has_text='"Paid"')).to_be_visible()
    await viewer.get_by_label("Only what changed since the one before").check()
    await expect(viewer.locator(".line.added")).to_contain_text(["Paid"])
    await viewer.get_by_role("tab", name="Timeline").click()
    click = viewer.get_by_role("listitem").filter(has_text='click button "Pay"')
    await click.get_by_role("button").first.click()
    await expect(click).to_contain_text("Click")
    await click.get_by_text("Request").click()
    await expect(click).to_contain_text(page.session_id)


async def test_a_look_of_a_watcher_is_none_of_the_agents(open_viewer: Open, page: AsyncPage, show: Show) -> None:
    await show(STILL)
    await page.snapshot(mode="text")
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await viewer.get_by_role("button", name="Digest").click()
    await expect(viewer.get_by_text("A look that you asked for")).to_be_visible()
    await viewer.get_by_role("tab", name="Timeline").click()
    await expect(viewer.get_by_role("listitem").filter(has_text="look")).to_have_count(1)


async def test_an_error_is_in_the_timeline_with_its_reason(open_viewer: Open, page: AsyncPage) -> None:
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await viewer.get_by_role("tab", name="Timeline").click()
    with pytest.raises(RemoteError, match="e99"):
        await page.click("e99")
    await expect(viewer.get_by_role("listitem").filter(has_text="UNKNOWN_REF")).to_be_visible()


async def test_two_people_watch_at_once_and_nothing_is_captured_when_nobody_does(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(MOVING)
    await until(lambda: watched_tabs(watched.service) == 0)
    one, two = await open_viewer(f"sessions/{page.session_id}"), await open_viewer(f"sessions/{page.session_id}")
    for viewer in (one, two):
        await wait_for_picture(viewer, await wait_for_picture(viewer))
    assert watched_tabs(watched.service) == 1
    await one.close()
    await wait_for_picture(two, await number(two))
    # A page in another tab of the person's browser is hidden.
    await two.evaluate(
        """() => { Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});
                   document.dispatchEvent(new Event('visibilitychange')) }"""
    )
    await until(lambda: watched_tabs(watched.service) == 0)
    await two.evaluate(
        """() => { delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange')) }"""
    )
    await until(lambda: watched_tabs(watched.service) == 1)


async def test_a_slow_link_gets_fewer_pictures_and_the_newest_ones(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(NOISE)
    fast, slow = await open_viewer(f"sessions/{page.session_id}"), await open_viewer()
    link = await slow.context.new_cdp_session(slow)
    await link.send("Network.enable")

    async def limit(bytes_per_second: int) -> None:
        speed = {"downloadThroughput": bytes_per_second, "uploadThroughput": bytes_per_second}
        await link.send("Network.emulateNetworkConditions", {"offline": False, "latency": 100, **speed})

    await limit(400_000)
    await slow.goto(f"{watched.url}sessions/{page.session_id}")
    await wait_for_picture(slow)
    await limit(100)  # so that the next picture takes minutes, however seldom a busy machine makes one
    before = await wait_for_picture(fast), await number(slow)
    shown = before[0]
    for _ in range(5):
        shown = await wait_for_picture(fast, shown)
    assert await number(slow) - before[1] < shown - before[0]
    frame = await frame_of_page(fast)
    await limit(400_000)
    shown = await number(slow)
    for _ in range(3):  # the next one was perhaps on its way already, and a label comes after its picture
        shown = await wait_for_picture(slow, shown)
    assert await frame_of_page(slow) >= frame


async def frame_of_page(viewer: Page) -> int:
    """Which frame of the page a viewer shows, by the page's title in the picture's label."""
    picture = viewer.get_by_role("img", name=re.compile("Noise"))
    return int((await picture.get_attribute("aria-label") or "").rpartition(" ")[2])


async def test_a_page_that_is_closed_and_a_session_that_ends_are_told(
    watched: Watched, open_viewer: Open, site: str
) -> None:
    async with await opened(watched, site, STILL) as page:
        viewer = await open_viewer(f"sessions/{page.session_id}")
        await wait_for_picture(viewer)
    await expect(viewer.get_by_role("heading", name="This session has ended")).to_be_visible()


async def test_a_dialog_is_told_in_place_of_a_picture(open_viewer: Open, page: AsyncPage, show: Show) -> None:
    await show(STILL.replace("'top:50px'", "'top:50px' onclick=\"alert('Sure?')\""))
    seen = await page.snapshot(mode="text")
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await wait_for_picture(viewer)
    await page.click(next(each.ref for each in seen.elements if each.name == "Pay"))
    await expect(viewer.get_by_label("Dialog of the page")).to_contain_text("Sure?")
    await page.handle_dialog(True)
