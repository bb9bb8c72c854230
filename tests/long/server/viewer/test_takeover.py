"""Taking over: input that lands where the person means it, leases, requests for a person, rights."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from math import ceil, floor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Locator, Page, expect

from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncPage, RemoteError
from tests.long.server.viewer.conftest import TOKENS, Open, Watched, watched_service, write_private
from tests.long.server.viewer.test_live import opened, wait_for_picture
from tests.support.live import Show
from tests.support.shared_sessions import SharedSession

PAD = (
    "<title>Pad</title><style>body{margin:0;height:3000px;background:#fff}#in{position:absolute;left:300px;top:200px;"
    "width:300px}</style><input id=in><script>const log=[];const say=(...w)=>{log.push(w.join(' '));"
    "document.title=log.slice(-6).join(' | ')};"
    "addEventListener('mousedown',e=>say('down',e.clientX,e.clientY,e.button,e.detail));"
    "addEventListener('dblclick',()=>say('double'));addEventListener('contextmenu',()=>say('menu'));"
    "addEventListener('touchstart',e=>say('touch',Math.round(e.touches[0].clientX)));"
    "addEventListener('wheel',e=>say('wheel',e.deltaY>0?'down':'up'));"
    "document.querySelector('#in').addEventListener('input',e=>say('value',e.target.value))</script>"
)


BUSY = """<style>@keyframes turn{to{transform:rotate(1turn)}}</style>
<p style="position:absolute;left:50px;width:50px;height:50px;background:red;animation:turn 1s linear infinite"></p>
<script>addEventListener('mousedown', () => {
  for (const end = Date.now() + 5000; Date.now() < end;);
}, { once: true })</script>"""
"""Chromium paints it while its script runs, which answers nobody."""


class Person:
    """A person in front of the viewer, with control.

    Attributes:
        viewer: what the person sees.
        page: what the session shows; its title says what came of the person's input.
    """

    def __init__(self, viewer: Page, page: Page) -> None:
        self.viewer = viewer
        self.page = page

    @property
    def picture(self) -> Locator:
        return self.viewer.locator(".picture")

    async def take_over(self) -> None:
        await self.viewer.get_by_role("button", name="Take over").click()
        await expect(self.viewer.get_by_text("You have control.")).to_be_visible()
        await self.viewer.locator(".picture.mine").wait_for()

    async def at(self, x: float, y: float, width: float = 1280) -> tuple[float, float]:
        """Where a point of the page is in the window."""
        shown = await self.viewer.locator("canvas").bounding_box()
        assert shown is not None
        scale = shown["width"] / width
        return shown["x"] + x * scale, shown["y"] + y * scale

    async def click(self, x: float, y: float, width: float = 1280, **options: Any) -> None:
        await self.viewer.mouse.click(*await self.at(x, y, width), **options)

    async def heard(self, words: str | re.Pattern[str]) -> None:
        """Waits until the page has said so."""
        await expect(self.page).to_have_title(re.compile(re.escape(words)) if isinstance(words, str) else words)

    async def done(self) -> None:
        await self.viewer.get_by_role("button", name="Done").click()
        await expect(self.viewer.get_by_role("button", name="Take over")).to_be_visible()


@asynccontextmanager
async def person_at(watched: Watched, page: AsyncPage, open_viewer: Open, **options: Any) -> AsyncIterator[Person]:
    person = Person(await open_viewer(f"sessions/{page.session_id}", **options), watched.page_of(page))
    await wait_for_picture(person.viewer)
    await person.take_over()
    yield person
    await person.done()


def one_of(numbers: Iterable[int]) -> str:
    return f"({'|'.join(map(str, numbers))})"


@pytest.mark.parametrize(
    ("fine", "window", "person_scale"),
    [
        (False, (2000, 1200), 1),
        (True, (2000, 1200), 2),
        (False, (1300, 520), 1),
        (True, (700, 900), 1),
    ],
    ids=["whole size", "device scale 2 at both", "half size", "device scale 2 at half size"],
)
async def test_a_click_lands_on_the_pixel_that_is_meant(
    watched: Watched,
    open_viewer: Open,
    anas_session: SharedSession,
    anas_fine_session: SharedSession,
    fine: bool,
    window: tuple[int, int],
    person_scale: int,
) -> None:
    session = anas_fine_session if fine else anas_session
    page = await session.take()
    await session.write(PAD)
    options: dict[str, Any] = {"viewport": {"width": window[0], "height": window[1]}}
    if person_scale != 1:
        options["device_scale_factor"] = person_scale
    async with person_at(watched, page, open_viewer, **options) as person:
        shown = await person.viewer.locator("canvas").bounding_box()
        assert shown is not None
        tolerance = 1 + 640 / shown["width"]  # half a px of the window, and whole px of the page
        for x, y in ((37, 81), (640, 400), (1201, 777)):
            await person.click(x, y)
            xs, ys = (range(ceil(at - tolerance), floor(at + tolerance) + 1) for at in (x, y))
            await person.heard(re.compile(f"down {one_of(xs)} {one_of(ys)} 0"))
    await session.give_back()


async def test_a_click_on_a_page_that_is_busy_lands_where_the_picture_was(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(PAD + BUSY)
    async with person_at(watched, page, open_viewer) as person:
        shown = await person.viewer.locator("canvas").bounding_box()
        await person.click(640, 400)
        await expect(person.viewer.get_by_text("No picture: the page does not answer")).to_be_visible()
        assert await person.viewer.locator("canvas").bounding_box() == shown
        await person.click(800, 500)
        await person.heard(re.compile("down (799|80[01]) (499|50[01]) 0"))


async def test_mouse_wheel_keys_text_and_paste_reach_the_page(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(PAD)
    async with person_at(watched, page, open_viewer) as person:
        viewer = person.viewer
        await viewer.mouse.dblclick(*await person.at(800, 500))
        await person.heard("double")
        await person.click(800, 500, button="right")
        await person.heard("menu")
        await viewer.mouse.wheel(0, 300)
        await person.heard("wheel down")
        await person.page.wait_for_function("() => scrollY > 0")
        await viewer.mouse.wheel(0, -600)
        await person.heard("wheel up")
        await person.page.wait_for_function("() => scrollY === 0")  # the next click is for where the field was
        await person.click(400, 210)
        await viewer.keyboard.type("Ab")
        await person.heard("value Ab")
        await viewer.keyboard.press("Backspace")
        await person.heard(re.compile("value A$"))
        await viewer.keyboard.insert_text("é日")  # as an input method does it
        await person.heard("value Aé日")
        field = viewer.locator("textarea.keys")
        await field.evaluate(
            """field => { const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', ' pasted');
                field.dispatchEvent(new ClipboardEvent('paste', {clipboardData, cancelable: true})) }"""
        )
        await person.heard("value Aé日 pasted")
        assert (await field.input_value()).strip() in ("", "é日")
        await viewer.keyboard.press("Control+Alt+Enter")
        await expect(viewer.get_by_role("button", name="Done")).to_be_focused()


@pytest.mark.parametrize("touch", [True, False])
async def test_a_phone_taps_and_scrolls(watched: Watched, open_viewer: Open, site: str, touch: bool) -> None:
    async with await opened(watched, site, PAD, touch=touch) as page:
        phone = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 3, "has_touch": True}
        async with person_at(watched, page, open_viewer, **phone, is_mobile=True) as person:
            await person.viewer.touchscreen.tap(*await person.at(640, 400))
            await person.heard("touch 6" if touch else "down 6")
            await person.viewer.get_by_role("button", name="Keyboard").click()
            await expect(person.viewer.locator("textarea.keys")).to_be_focused()


async def test_the_agent_waits_and_hears_what_a_person_did(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show("<title>Form</title><input aria-label=Name style='position:absolute;left:100px;top:100px'>")
    await page.snapshot(mode="text")
    async with person_at(watched, page, open_viewer) as person:
        await person.click(150, 110)
        await person.viewer.keyboard.type("Ana")
        await expect(person.page.get_by_label("Name")).to_have_value("Ana")
        look = asyncio.create_task(page.snapshot(mode="text"))
        await expect(person.viewer.get_by_text("The agent waits with 1 call.")).to_be_visible()
        assert not look.done()
        await person.viewer.get_by_label("Note for the agent").fill("name is filled in")
    seen = await look
    assert any("name is filled in" in note for note in seen.notes)
    assert any(each.value == "Ana" for each in seen.elements)
    await person.viewer.get_by_role("tab", name="Timeline").click()
    assert "Ana" not in await person.viewer.get_by_role("list").last.inner_text()


async def test_a_lease_shows_how_long_it_lasts_and_ends(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(PAD)
    person = Person(await open_viewer(f"sessions/{page.session_id}"), watched.page_of(page))
    await wait_for_picture(person.viewer)
    await person.take_over()
    await expect(person.viewer.get_by_role("timer")).to_contain_text(":")
    await person.viewer.evaluate(
        """id => fetch(`/api/sessions/${id}/control/renew`, {method: 'POST',
            headers: {'Content-Type': 'application/json'}, body: JSON.stringify({seconds: 1})})""",
        page.session_id,
    )
    await expect(person.viewer.get_by_role("button", name="Take over")).to_be_visible()


async def test_another_watcher_sees_who_has_control_and_cannot_drive(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show(PAD)
    async with person_at(watched, page, open_viewer) as person:
        other = await open_viewer(f"sessions/{page.session_id}", apart=True)
        await expect(other.get_by_text("has control")).to_have_count(2)
        await expect(other.get_by_role("button", name="Take over")).to_have_count(0)
        again = await person.viewer.context.new_page()  # the same person, in another tab of their browser
        await again.goto(f"{watched.url}sessions/{page.session_id}")
        await expect(again.get_by_text("You have control.")).to_be_visible()


@pytest.mark.parametrize(("button", "outcome"), [("Done", 1), ("Cancel", 2), ("Refuse", 3)])
async def test_an_agent_asks_for_a_person(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show, button: str, outcome: int
) -> None:
    await show(PAD)
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await wait_for_picture(viewer)
    asking = asyncio.create_task(page.request_human("Solve <b>this</b> captcha", timeout_s=60))
    await expect(viewer.get_by_role("alert")).to_contain_text("Solve <b>this</b> captcha")
    await expect(viewer).to_have_title(re.compile("A person is asked for"))
    if button != "Refuse":
        await Person(viewer, watched.page_of(page)).take_over()
    await viewer.get_by_role("button", name=button).click()
    assert (await asking).outcome == outcome


async def test_a_dialog_of_the_page_is_answered_by_who_has_control(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    ask = (
        "<input id=in><button style='position:absolute;left:50px;top:300px;width:200px;"
        "height:50px' onclick=\"document.title='answer '+prompt('Name?','x')\">Ask</button>"
    )
    await show(PAD.replace("<input id=in>", ask))
    async with person_at(watched, page, open_viewer) as person:
        await person.click(150, 325)
        dialog = person.viewer.get_by_label("Dialog of the page")
        await expect(dialog).to_contain_text("Name?")
        await dialog.get_by_label("Answer").fill("Ana")
        await dialog.get_by_role("button", name="OK").click()
        await person.heard("answer Ana")


async def test_who_has_control_opens_another_page(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show, site: str
) -> None:
    await show(PAD)
    async with person_at(watched, page, open_viewer) as person:
        address = person.viewer.get_by_label("Address of the page")
        await address.fill(f"{site}/html?body={quote('<title>Other</title>')}")
        await address.press("Enter")
        await expect(person.viewer.get_by_role("heading", level=1)).to_have_text("Other")
        await person.viewer.get_by_role("button", name="Back").click()
        await expect(person.viewer.get_by_role("heading", level=1)).not_to_have_text("Other")
        await address.fill("file:///etc/passwd")
        await address.press("Enter")
        await expect(person.viewer.get_by_role("alert")).to_contain_text("http")


async def test_a_recording_becomes_a_subroutine(open_viewer: Open, page: AsyncPage, show: Show) -> None:
    await show(
        "<title>Send</title><form method=post action='/sent'><input name=to aria-label=To><button>Send</button></form>"
    )
    seen = await page.snapshot(mode="text")
    refs = {each.name: each.ref for each in seen.elements}
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await viewer.get_by_role("tab", name="Timeline").click()
    await viewer.get_by_role("button", name="Record").click()
    await expect(viewer.get_by_text("Recording", exact=True)).to_be_visible()
    await page.type_text(refs["To"], "bob@example.org")
    await page.click(refs["Send"])
    await viewer.get_by_role("button", name="Stop").click()
    await viewer.get_by_label("Name of the subroutine").fill("send_it")
    await viewer.get_by_role("button", name="Make a subroutine").click()
    await expect(viewer.get_by_text("Subroutine send_it is saved")).to_be_visible()


async def test_a_token_that_may_only_watch_cannot_drive(
    host: BrowserHost, tmp_path: Path, open_viewer: Open, site: str
) -> None:
    lines = f"ana {TOKENS['ana']} all\nana {TOKENS['bob']} view\n"
    tokens = write_private(tmp_path / "tokens", lines)
    async with watched_service(host, token_file=tokens, data_dir=tmp_path / "data") as watched:
        page = await (await watched.client("ana")).open(f"{site}/html?body={quote(PAD)}")
        viewer = await open_viewer(f"sessions/{page.session_id}", name="bob", url=watched.url)
        await wait_for_picture(viewer)
        await expect(viewer.get_by_role("button", name="Text", exact=True)).to_be_disabled()
        await expect(viewer.get_by_role("button", name="Take over")).to_have_count(0)
        async with watched.http_of("bob") as http:
            for path, body in (
                ("control/take", {"seconds": 60}),
                ("look", {"kind": "text"}),
                ("navigate", {"url": site}),
                ("recording/start", {}),
            ):
                answer = await http.post(f"api/sessions/{page.session_id}/{path}", json=body)
                assert (answer.status_code, answer.json()["error"]["reason"]) == (403, "RIGHT_MISSING"), path
        with pytest.raises(RemoteError):
            await (await watched.client("bob")).open(site)
        await page.close()
