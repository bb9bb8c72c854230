"""What a page's own script changes between two looks."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.async_api import Page

from perception.bench.pages.page_change import PageChange, change_page
from perception.browser.browser_session import BrowserSession
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sources.arrival import arrive
from perception.deadline import Deadline

WHOLE = "<main><p><b>Words</b></p><p><i>More</i></p><input value=old><p style='margin-top:2000px'>Below</p></main>"

BODY = "document.body.innerHTML"


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


async def opened(browser: BrowserSession, site: str, body: str) -> Page:
    tab = browser.tab()
    url = f"{site}/html?body={quote('<!doctype html><body>' + body)}"
    await navigate(tab.link, url, WaitUntil.SETTLED, Deadline.of(20))
    await arrive(tab, Deadline.of(20))
    return tab.page


async def test_the_kinds_come_in_turn_and_each_changes_one_thing(browser: BrowserSession, site: str) -> None:
    page = await opened(browser, site, WHOLE)
    heard = "addEventListener('input', () => { document.title += '!' })"
    await page.evaluate(heard)
    seen = [await page.evaluate(BODY)]
    for number, kind in enumerate(PageChange):
        assert await change_page(page, number) is kind
        seen.append(await page.evaluate(BODY))
    original, text, attribute, element, value = seen
    assert text == original.replace("Words", "Words 0")
    assert attribute == text.replace("<b>", '<b class="changed">')
    assert element == attribute.replace("</b>", "</b><button>Added 2</button>")
    assert value == element, "a value is no attribute"
    assert await page.evaluate("[document.querySelector('input').value, document.title]") == ["typed 3", "!"]


async def test_the_second_turn_takes_other_nodes_and_takes_the_element_away(browser: BrowserSession, site: str) -> None:
    page = await opened(browser, site, WHOLE)
    for number in range(7):
        await change_page(page, number)
    body = await page.evaluate(BODY)
    assert "More 4" in body
    assert '<i title="Title 5">' in body
    assert "Added" not in body


@pytest.mark.parametrize(
    ("body", "number", "kind"),
    [
        pytest.param("<p>Words</p>", 3, PageChange.TEXT, id="no-field"),
        pytest.param("<p>Words</p><input disabled><input type=password>", 3, PageChange.TEXT, id="no-field-to-type-in"),
        pytest.param("<canvas></canvas>", 0, PageChange.ELEMENT, id="no-text"),
        pytest.param("<p hidden>x</p><style>p { color: red }</style>", 1, PageChange.ELEMENT, id="no-text-in-view"),
        pytest.param("", 0, PageChange.ELEMENT, id="empty"),
    ],
)
async def test_a_change_that_a_page_does_not_allow_is_replaced_and_reported(
    browser: BrowserSession, site: str, body: str, number: int, kind: PageChange
) -> None:
    page = await opened(browser, site, body)
    before = await page.evaluate("document.body.innerText")
    assert await change_page(page, number) is kind
    assert await page.evaluate("document.body.innerText") != before
