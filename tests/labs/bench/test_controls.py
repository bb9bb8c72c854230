"""Made-up pages of controls."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from perception.bench.pages.controls_page import change_controls, controls_html, serve_controls
from perception.browser.browser_session import BrowserSession

COUNT = """() => [...document.querySelectorAll("button, a, input")].map((each) => {
  const box = each.getBoundingClientRect();
  return box.top < innerHeight && box.right <= innerWidth;
})"""


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


async def opened(browser: BrowserSession, count: int) -> Page:
    page = browser.tab().page
    await page.set_content(controls_html(count))
    return page


@pytest.mark.parametrize(
    ("count", "in_view"), [(1, (1, 1)), (100, (9, 15)), (1000, (90, 110)), (1001, (90, 110)), (10_000, (380, 420))]
)
async def test_a_page_has_so_many_controls_and_a_tenth_in_view_if_they_fit(
    browser: BrowserSession, count: int, in_view: tuple[int, int]
) -> None:
    page = await opened(browser, count)
    seen = await page.evaluate(COUNT)
    assert len(seen) == count
    assert in_view[0] <= sum(seen) <= in_view[1]


@pytest.mark.parametrize("count", [1, 10, 100])
async def test_so_many_texts_are_changed_and_others_are_not(browser: BrowserSession, count: int) -> None:
    page = await opened(browser, 100)
    texts = "[...document.querySelectorAll('span, button, a')].map((each) => each.textContent)"
    before = await page.evaluate(texts)
    for number in range(2):
        await change_controls(page, count, number)
        after = await page.evaluate(texts)
        differing = [new for old, new in zip(before, after, strict=True) if old != new]
        assert len(differing) == count
        assert all(text.endswith(f"changed {number}") and text.count("changed") == 1 for text in differing)


async def test_more_than_there_are_cannot_be_changed(browser: BrowserSession) -> None:
    page = await opened(browser, 3)
    with pytest.raises(ValueError, match="3 texts, buttons and links, and 10"):
        await change_controls(page, 10, 0)


async def test_pages_are_served_by_their_counts(browser: BrowserSession) -> None:
    page = browser.tab().page
    with serve_controls([2, 5]) as urls:
        for count, url in urls.items():
            await page.goto(url)
            assert await page.title() == f"{count} controls"
    assert list(urls) == [2, 5]
