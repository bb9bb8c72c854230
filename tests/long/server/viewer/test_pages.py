"""The web application in a real browser: the list, looks that a person asks for, explanations, words of pages."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.async_api import Page, expect

from perception.client import AsyncPage
from tests.long.server.viewer.conftest import TOKENS, Open, Watched
from tests.long.server.viewer.test_live import opened
from tests.support.live import Show

MARKUP = "<img src=x onerror=document.title='HIT'><b id=hit>"


async def test_a_wrong_token_is_told_and_a_right_one_opens_the_list(watched: Watched, open_viewer: Open) -> None:
    viewer = await open_viewer(name="")
    field = viewer.get_by_label("Your token for the service")
    await field.fill("wrong")
    await field.press("Enter")
    await expect(viewer.get_by_role("alert")).to_have_text("the service does not know this token")
    await field.fill(TOKENS["bob"])
    await field.press("Enter")
    await expect(viewer.get_by_role("heading", name="No session is open")).to_be_visible()


async def test_a_link_logs_in_and_leaves_the_address_bar(watched: Watched, open_viewer: Open) -> None:
    async with watched.http_of("ana") as ana:
        code = (await ana.post("api/link", json={})).json()["code"]
    viewer = await open_viewer(name="", url=f"{watched.url}#login={code}")
    await expect(viewer.get_by_role("heading", name="Sessions")).to_be_visible()
    assert "login" not in viewer.url
    await viewer.get_by_label("Menu").click()
    await viewer.get_by_role("button", name="Log out").click()
    await expect(viewer.get_by_label("Your token for the service")).to_be_visible()
    again = await viewer.context.new_page()
    await again.goto(f"{watched.url}#login={code}")
    await expect(again.get_by_role("alert")).to_contain_text("this link was used already")


async def test_a_session_is_listed_and_opens_in_one_click(watched: Watched, open_viewer: Open, site: str) -> None:
    async with await opened(watched, site, "<title>Orders</title><button>Pay</button>") as page:
        viewer = await open_viewer()
        card = viewer.get_by_role("listitem").filter(has_text="Orders")
        await expect(card).to_contain_text("127.0.0.1")
        await card.get_by_role("link").click()
        await expect(viewer.get_by_role("heading", name="Orders")).to_be_visible()
        assert viewer.url.endswith(f"/sessions/{page.session_id}")
    await expect(viewer.get_by_role("heading", name="This session has ended")).to_be_visible()


@pytest.mark.parametrize(("kind", "line"), [("Text", '- button "Pay"'), ("Digest", "button")])
async def test_a_person_may_look_and_ask_why(
    open_viewer: Open, page: AsyncPage, show: Show, kind: str, line: str
) -> None:
    await show("<title>Pay</title><main><button>Pay</button><p hidden>Secret offer</p></main>")
    viewer = await open_viewer(f"sessions/{page.session_id}")
    await viewer.get_by_role("button", name=kind, exact=True).click()
    await expect(viewer.get_by_role("option").filter(has_text=line).first).to_be_visible()
    await expect(viewer.get_by_text("A look that you asked for")).to_be_visible()
    await viewer.get_by_role("tab", name="Why not listed?").click()
    await viewer.get_by_placeholder("or a text or name on the page").fill("Secret offer")
    await viewer.get_by_role("button", name="Ask").click()
    await expect(viewer.get_by_text("Not listed: p is not walked")).to_be_visible()
    await expect(viewer.get_by_role("listitem").filter(has_text="dropped")).to_contain_text("display is none")


async def has_hit(viewer: Page) -> bool:
    """Whether markup of a page became markup of the viewer."""
    return bool(await viewer.evaluate("document.title == 'HIT' || !!document.querySelector('#hit, img[src=x]')"))


async def test_words_of_a_page_never_become_markup(open_viewer: Open, page: AsyncPage, show: Show) -> None:
    label = MARKUP.replace("<", "&lt;")
    await show(f"<title>{label}</title><button>{label}</button><p aria-label='{quote(MARKUP)}'>{label}</p>")
    viewer = await open_viewer()
    card = viewer.get_by_role("listitem").filter(has_text=MARKUP)
    await expect(card).to_be_visible()
    await card.get_by_role("link").click()
    await expect(viewer.get_by_role("heading", level=1)).to_have_text(MARKUP)
    await viewer.get_by_role("button", name="Text", exact=True).click()
    await expect(viewer.get_by_role("option").filter(has_text="onerror").first).to_be_visible()
    await viewer.get_by_role("tab", name="Why not listed?").click()
    await viewer.get_by_placeholder("or a text or name on the page").fill(MARKUP)
    await viewer.get_by_role("button", name="Ask").click()
    await expect(viewer.get_by_text("Listed as", exact=False)).to_be_visible()
    assert not await has_hit(viewer)
    assert page.session_id in viewer.url


async def test_the_viewer_asks_nothing_of_other_hosts(
    watched: Watched, open_viewer: Open, page: AsyncPage, show: Show
) -> None:
    await show("<title>Here</title>")
    viewer = await open_viewer()
    asked: set[str] = set()
    viewer.on("request", lambda request: asked.add(request.url))
    await viewer.goto(f"{watched.url}sessions/{page.session_id}")
    await expect(viewer.get_by_role("heading", name="Here")).to_be_visible()
    assert asked
    assert all(url.startswith((watched.url, "blob:")) for url in asked)
