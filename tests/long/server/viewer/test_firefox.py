"""The viewer in Debian's Firefox: logging in by a link, watching, hovering both ways, taking over."""

from __future__ import annotations

import pytest

from tests.long.server.viewer.conftest import Watched
from tests.long.server.viewer.firefox import find_firefox, firefox
from tests.long.server.viewer.test_live import STILL, opened

pytestmark = pytest.mark.skipif(not find_firefox(), reason="Firefox is not installed: apt-get install firefox-esr")

BODY = (
    STILL.replace("'top:50px'", "'top:50px' onclick=\"document.title='Paid'\"")
    + "<input aria-label=Name style='position:absolute;left:100px;top:300px;width:200px' "
    "oninput='document.title=`Name ${this.value}`'>"
)

PICTURE = "Number(document.querySelector('canvas')?.dataset.number ?? 0) > 0"


async def test_people_watch_and_take_over_in_firefox(watched: Watched, site: str) -> None:
    async with watched.http_of("ana") as ana:
        code = (await ana.post("api/link", json={})).json()["code"]
    async with await opened(watched, site, BODY) as page, firefox() as browser:
        seen = await page.snapshot(mode="text")
        boxes = {each.name: each for each in seen.elements}
        await browser.resize(1300, 800)
        await browser.open(f"{watched.url}#login={code}")
        await browser.until("document.body.innerText.includes('Pay')")
        assert "login" not in await browser.evaluate("location.href")
        await browser.open(f"{watched.url}sessions/{page.session_id}")
        await browser.until(PICTURE)
        pay = boxes["Pay"].ref
        await browser.move(*await browser.place(f".box[data-ref={pay}]"))
        lit = "document.querySelector('[role=option][aria-selected=true]')?.innerText ?? ''"
        assert f"[ref={pay}]" in await browser.until(lit)
        has_ref = f"each => each.innerText.includes('[ref={boxes['Later'].ref}]')"
        line = await browser.evaluate(f"[...document.querySelectorAll('[role=option]')].find({has_ref}).id")
        await browser.move(*await browser.place(f"#{line}"))
        await browser.until(f"document.querySelector('.box[data-ref={boxes['Later'].ref}]').className.includes('lit')")
        await browser.click_on(".control button.primary")
        await browser.until("!!document.querySelector('.picture.mine') && document.body.innerText.includes('You have')")
        shown = await browser.evaluate("document.querySelector('canvas').getBoundingClientRect()")

        async def click(name: str) -> None:
            scale, box = shown["width"] / seen.viewport.width, boxes[name].box
            shift = await browser.evaluate("document.querySelector('canvas').getBoundingClientRect().y")
            await browser.click(shown["x"] + (box.x + 20) * scale, shift + (box.y + 10) * scale)

        await click("Pay")
        await browser.until("document.querySelector('h1').innerText == 'Paid'")
        await click("Name")
        await browser.type("Añ1")
        await browser.until("document.querySelector('h1').innerText == 'Name Añ1'")
        await browser.click_on("#done")
        await browser.until("document.querySelector('.control button.primary')?.innerText == 'Take over'")
