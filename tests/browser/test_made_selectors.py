"""Selectors that are made of elements match these alone."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from perception.browser.browser_session import BrowserSession
from perception.browser.capture.selectors import make_selectors
from perception.browser.page.navigation import WaitUntil, navigate
from perception.deadline import Deadline
from perception.types import Engine, Scope

SPELT_ALIKE = """<title>alike</title><div>
<a href=/1 rel=next>1</a><a href=/1 rel=NEXT>2</a><button class=send>3</button><button class=Send>4</button>
<button id=go>5</button><button id=GO>6</button>
<ul><li><a rel=Prev>x</a><button>7</button></li><li><a rel=prev>y</a><button>8</button></li></ul></div>"""


@pytest.mark.parametrize("mode", ["<!doctype html>", ""], ids=["standards", "quirks"])
async def test_a_selector_matches_one_element_where_others_differ_in_case(
    browser: BrowserSession, site: str, mode: str
) -> None:
    """CSS ignores the case of some attributes and, in quirks mode, that of ids and classes."""
    tab, deadline = browser.tab(), Deadline.of(30)
    await navigate(tab.link, f"{site}/html?body={quote(mode + SPELT_ALIKE)}", WaitUntil.SETTLED, deadline)
    await tab.page.wait_for_url(lambda url: "/html?" in url, wait_until="commit")  # Playwright hears of it by itself
    assert await tab.page.evaluate("document.compatMode") == ("CSS1Compat" if mode else "BackCompat")
    capture = await tab.capturer.capture(engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline)
    named = {each.node: each.name for each in capture.elements if each.interactive and each.node is not None}
    made = await make_selectors(tab.link, named, deadline)
    assert sorted(named[node] for node in made) == [str(number) for number in range(1, 9)]
    for node, durable in made.items():
        found = await tab.page.evaluate(
            "selector => [...document.querySelectorAll(selector)].map(each => each.textContent)", durable.selector
        )
        assert found == [named[node]], durable.selector
