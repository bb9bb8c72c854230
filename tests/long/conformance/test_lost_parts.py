"""Documents that lose their body, their root or all of their content: they are empty, and the rest of the page is used
as before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from html import escape
from itertools import cycle, product
from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.capture import frame_capture
from perception.browser.page.page_link import PageLink
from perception.client import AsyncPage, RemoteError
from perception.deadline import Deadline
from perception.server.app import Service
from tests.support.live import Show
from tests.support.patience import LONG_SECONDS

FORM = (
    "<h1>Shop</h1><button onclick='this.textContent = \"Bought\"'>Buy</button><label>Name <input id=name></label>"
    "<p style='height:2000px'>"
)
CHILD = "<p>Inner words</p><button>Inner</button>"

PLACES = ["main", "own-site", "other-site", "srcdoc"]

SVG = "document.createElementNS('http://www.w3.org/2000/svg', 'svg')"

WAYS = {
    "body-removed": "document.body.remove()",
    "root-removed": "document.documentElement.remove()",
    "opened-and-not-written": "document.open()",
    "opened-and-half-written": "document.open(); document.write('<title>Half')",
    "frameset-for-body": "document.body = document.createElement('frameset')",
    "svg-for-root": f"document.documentElement.replaceWith({SVG})",
    "xml-for-root": "document.documentElement.replaceWith(document.createElementNS('urn:x', 'x'))",
    "comment-for-root": "document.replaceChildren(document.createComment('x'))",
    "field-for-root": "document.documentElement.replaceWith(document.createElement('input'))",
    "frame-for-root": "document.documentElement.replaceWith(document.createElement('iframe'))",
    "body-for-root": "document.documentElement.replaceWith(document.createElement('body'))",
    "edited-without-body": "document.designMode = 'on'; document.body.remove()",
}

OFTEN = ["body-removed", "root-removed", "opened-and-not-written", "svg-for-root"]
"""Those that are tried in each place; each of the others in one of them."""

BACK = """{
  const root = document.createElement('html'), body = document.createElement('body')
  const button = document.createElement('button')
  button.textContent = 'Back again'
  body.append(button)
  root.append(body)
  while (document.lastChild) document.lastChild.remove()
  document.append(root)
}"""


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def link(service: Service, page: AsyncPage) -> PageLink:
    return service.context.sessions.get(page.session_id).browser.tab().link


@pytest.fixture
async def write_around(write: Show, site: str, other_site: str) -> AsyncIterator[Show]:
    """Shows the form with a frame in one of the places."""

    async def show(place: str) -> None:
        frames = {
            "main": "",
            "own-site": f"<iframe src='{site}/html?body={quote(CHILD)}'></iframe>",
            "other-site": f"<iframe src='{other_site}/html?body={quote(CHILD)}'></iframe>",
            "srcdoc": f'<iframe srcdoc="{escape(CHILD)}"></iframe>',
        }
        await write(f"<!doctype html>{frames[place]}{FORM}<script></script>")

    yield show
    await write("<!doctype html><script></script>")


async def run_in(link: PageLink, place: str, script: str) -> None:
    """Changes the document in one of the places: the top one, or that of the only frame."""
    frame = link.main_frame if place == "main" else link.frames[1]
    await link.evaluate(frame, script, Deadline.of(30), "testing", returnByValue=True)


async def text_of(page: AsyncPage, **options: Any) -> str:
    return (await page.snapshot(mode="text", view="full", **options)).text


async def outcome(work: Awaitable[object]) -> str:
    """The reason of an error; empty for none."""
    try:
        await work
    except RemoteError as exc:
        return exc.reason or exc.code.name
    return ""


USES: dict[str, Callable[[AsyncPage], Awaitable[object]]] = {
    "text": lambda page: page.snapshot(mode="text"),
    "whole page": lambda page: page.snapshot(mode="text", scope="page"),
    "fused": lambda page: page.snapshot(mode="fused"),
    "screenshot": lambda page: page.screenshot(),
    "find": lambda page: page.find("Buy"),
    "content": lambda page: page.content(),
    "wait": lambda page: page.wait_for(text="Shop"),
    "click": lambda page: page.click('button "Buy"'),
    "type": lambda page: page.type_text('textbox "Name"', "Ada"),
}

IN_VAIN: dict[str, Callable[[AsyncPage], Awaitable[object]]] = {
    **USES,
    "accessibility tree": lambda page: page.snapshot(mode="text", engine="ax"),
    "interactables": lambda page: page.interactables(),
    "wait": lambda page: page.wait_for(text="Shop", timeout_s=0.3),
    "click": lambda page: page.click('button "Buy"', timeout_s=0.3),
    "type": lambda page: page.type_text('textbox "Name"', "Ada", timeout_s=0.3),
    "press": lambda page: page.press("Tab"),
    "scroll": lambda page: page.scroll(delta_y=10),
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_page_without_its_parts_is_empty_and_answers(
    page: AsyncPage, link: PageLink, write_around: Show, way: str
) -> None:
    await write_around("main")
    await text_of(page)
    await run_in(link, "main", WAYS[way])
    said = {name: await outcome(use(page)) for name, use in IN_VAIN.items()}
    assert {
        name: reason for name, reason in said.items() if reason not in ("", "NO_MATCH", "DEADLINE", "DEADLINE_EXCEEDED")
    } == {}
    assert {name for name, reason in said.items() if reason} == {"wait", "click", "type"}
    assert "Buy" not in await text_of(page)


@pytest.mark.parametrize(
    ("place", "way"),
    sorted({*product(PLACES[1:], OFTEN), *zip(cycle(PLACES[1:]), WAYS, strict=False)}),
)
async def test_a_frame_without_its_parts_takes_nothing_from_the_page_around_it(
    page: AsyncPage, link: PageLink, write_around: Show, place: str, way: str
) -> None:
    await write_around(place)
    assert "Inner" in await text_of(page)
    await run_in(link, place, WAYS[way])
    said = {name: await outcome(use(page)) for name, use in USES.items()}
    assert {name: reason for name, reason in said.items() if reason} == {}
    text = await text_of(page)
    assert "Inner" not in text
    assert 'button "Bought"' in text
    assert ': "Ada"' in text


@pytest.mark.parametrize(("place", "way"), sorted({*product(["main"], OFTEN), *product(PLACES, OFTEN[:1])}))
async def test_a_body_that_comes_back_is_listed_again(
    page: AsyncPage, link: PageLink, write_around: Show, place: str, way: str
) -> None:
    await write_around(place)
    await text_of(page)
    await run_in(link, place, WAYS[way])
    assert "Back again" not in await text_of(page)
    await run_in(link, place, BACK)
    assert 'button "Back again"' in await text_of(page)
    await page.click('button "Back again"')


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.usefixtures("patient_service")
async def test_a_document_that_is_opened_and_soon_written_is_waited_for(
    page: AsyncPage, link: PageLink, write_around: Show, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_capture, "MAKING_SECONDS", LONG_SECONDS)
    await write_around(place)
    await text_of(page)
    writing = "setTimeout(() => { document.write('<p>Written anew'); document.close() }, 300)"
    await run_in(link, place, f"document.open(); {writing}")
    assert "Written anew" in await text_of(page)
