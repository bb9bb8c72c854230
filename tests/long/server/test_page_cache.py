"""Going back to a page that Chromium has kept (the back/forward cache): all of it is used as before it was left."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.page.page_link import PageLink
from perception.client import AsyncClient, AsyncPage

INNER = "<button onclick='this.textContent += \"!\"'>Inner</button><label>Note <input></label>"


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


def address(site: str, html: str) -> str:
    return f"{site}/html?body={quote(f'<!doctype html>{html}')}"


def frame(site: str, html: str) -> str:
    return f"<iframe src='{escape(address(site, html), quote=True)}' height=120></iframe>"


def frames_of(site: str, other_site: str) -> dict[str, str]:
    """A page's frame by where its document comes from."""
    return {
        "none": INNER,
        "own-site": frame(site, INNER),
        "other-site": frame(other_site, INNER),
        "srcdoc": f'<iframe srcdoc="{escape(INNER)}"></iframe>',
        "written": f"<iframe id=f></iframe><script>f.contentDocument.body.innerHTML = `{INNER}`</script>",
        "other-site-in-own": frame(site, frame(other_site, INNER)),
        "own-site-in-other": frame(other_site, frame(site, INNER)),
        "other-site-in-other": frame(other_site, frame(other_site, INNER)),
    }


SAYS_RESTORED = (
    "<p id=shown></p><script>addEventListener('pageshow', (e) => {"
    " document.title = e.persisted ? 'Restored' : 'First'; shown.textContent = 'Ready' })</script>"
)

PLACES = list(frames_of("", ""))


async def open_and_leave(page: AsyncPage, site: str, inner: str) -> None:
    """Opens a page and follows its link to the next one, which has a button that goes back. Chromium keeps no page that
    is left before all its frames are loaded."""
    second = f"<title>Second</title><button onclick='history.back()'>Return</button>{frame(site, '<p>Another')}"
    link = f"<a href='{escape(address(site, second), quote=True)}'>Go</a>"
    await page.navigate(address(site, f"{SAYS_RESTORED}{link}{inner}"))
    await page.wait_for(text="Ready")
    await page.click('link "Go"')
    await page.wait_for(text="Another")


async def use_inner(page: AsyncPage, marks: int) -> None:
    """Clicks by a ref of a fresh look, then by name, and types into the field."""
    seen = await page.snapshot(mode="text", view="full")
    assert seen.title == "Restored"
    assert "Another" not in seen.text
    button = next(each for each in seen.elements if each.name == "Inner" + "!" * marks)
    await page.click(button.ref)
    await page.click(f'button "Inner{"!" * (marks + 1)}"')
    field = next(each for each in seen.elements if each.role == "textbox")
    await page.type_text(field.ref, "a")
    text = (await page.snapshot(mode="text", view="full")).text
    assert f'button "Inner{"!" * (marks + 2)}"' in text
    assert ': "a' in text


@pytest.mark.parametrize("place", PLACES)
async def test_what_is_in_frames_is_used_after_going_back(
    page: AsyncPage, site: str, other_site: str, place: str
) -> None:
    await open_and_leave(page, site, frames_of(site, other_site)[place])
    await page.back()
    await use_inner(page, 0)


@pytest.mark.parametrize("place", ["own-site", "other-site", "srcdoc"])
async def test_what_is_in_frames_is_used_after_the_page_itself_went_back(
    page: AsyncPage, site: str, other_site: str, place: str
) -> None:
    await open_and_leave(page, site, frames_of(site, other_site)[place])
    await page.click('button "Return"')
    await page.wait_for(text="Go")
    await use_inner(page, 0)


@pytest.mark.parametrize("place", ["own-site", "other-site", "other-site-in-other"])
async def test_what_is_in_frames_is_used_after_going_back_twice(
    page: AsyncPage, site: str, other_site: str, place: str
) -> None:
    await open_and_leave(page, site, frames_of(site, other_site)[place])
    await page.back()
    await use_inner(page, 0)
    await page.forward()
    await page.wait_for(text="Another")
    await page.back()
    await use_inner(page, 2)


async def test_a_frame_of_the_next_page_is_used_after_going_forward(page: AsyncPage, site: str) -> None:
    await open_and_leave(page, site, frame(site, INNER))
    await page.back()
    await page.forward()
    text = (await page.snapshot(mode="text", view="full")).text
    assert "Another" in text
    assert "Inner" not in text
    assert "Another" in (await page.content()).markdown


@pytest.mark.parametrize("place", ["other-site", "own-site-in-other", "other-site-in-other"])
async def test_frames_that_are_attached_late_are_waited_for(
    page: AsyncPage, site: str, other_site: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    attached = PageLink._on_target_attached

    def late(link: PageLink, params: dict[str, Any]) -> None:
        asyncio.get_running_loop().call_later(0.4, attached, link, params)

    await open_and_leave(page, site, frames_of(site, other_site)[place])
    monkeypatch.setattr(PageLink, "_on_target_attached", late)
    await page.click('button "Return"')
    await page.wait_for(text="Go")
    await use_inner(page, 0)


@pytest.mark.parametrize("is_other", [False, True], ids=["own-site", "other-site"])
async def test_back_and_forward_move_the_frame_that_an_entry_belongs_to(
    client: AsyncClient, site: str, other_site: str, is_other: bool
) -> None:
    there = escape(address(other_site if is_other else site, "<p>Second"), quote=True)
    first = escape(address(site, "<p>First"), quote=True)
    body = f"<p>Top<iframe name=f src='{first}'></iframe><a target=f href='{there}'>In frame</a><a href='#end'>End</a>"
    async with await client.open(address(site, body)) as page:
        top = (await page.snapshot()).url
        await page.click('link "In frame"')
        await page.wait_for(text="Second")
        for move, words in ((page.back, "First"), (page.forward, "Second")):
            assert (await move(timeout_s=20)).url == top
            await page.wait_for(text=words)
        assert (await page.click('link "End"')).same_document
        assert (await page.back(timeout_s=20)).url == top  # an entry of the page's own
        await page.wait_for(text="Second")
