"""What a watched tab shows is what a new screenshot of it shows, whatever paints, and watching it cannot be noticed."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.capture.capturer import PageCapturer
from perception.deadline import Deadline
from perception.types import Capture, Engine, Scope

STILL = "<style>input { caret-color: transparent }</style><h1>Orders</h1><p>One</p>"
STILL += "<input value=a><div id=box style='width:40px;height:40px;background:red'></div>"


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


@pytest.fixture
def tab(browser: BrowserSession) -> Tab:
    return browser.tab()


async def look(tab: Tab, capturer: PageCapturer | None = None) -> Capture:
    return await (capturer or tab.capturer).capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=True, deadline=Deadline.of(20)
    )


async def watched(tab: Tab, html: str = STILL) -> Capture:
    """A page that is watched, and what it shows."""
    await tab.page.set_content(html)
    await look(tab)
    seen = await look(tab)
    async with asyncio.timeout(10):
        while not tab.capturer.is_watching:
            await asyncio.sleep(0.01)
    return seen


class Shots:
    """Counts the screenshots of a tab."""

    def __init__(self, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken = 0
        start = tab.link.link.start

        def counting(session_id: str, method: str, params: dict[str, object]) -> asyncio.Future[dict[str, object]]:
            self.taken += method == "Page.captureScreenshot"
            return start(session_id, method, params)

        monkeypatch.setattr(tab.link.link, "start", counting)


async def test_a_page_that_stays_as_it_is_needs_no_other_screenshot(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await watched(tab)
    shots = Shots(tab, monkeypatch)
    for _ in range(5):
        assert await look(tab) is before
    assert shots.taken == 0
    assert tab.capturer.is_watching


PAINTING = [
    "document.querySelector('p').textContent = 'Two'",
    "document.querySelector('#box').style.background = 'blue'",
    "document.styleSheets.length || document.head.append(document.createElement('style')); "
    "document.styleSheets[0].insertRule('#box { background: lime !important }')",
    "getSelection().selectAllChildren(document.querySelector('h1'))",
    "document.querySelector('input').value = 'changed'",
    "document.querySelector('input').focus()",
    "document.querySelector('#box').animate([{opacity: 0}, {opacity: 0}], {duration: 1e6})",
    "const own = document.createElement('canvas'); document.body.prepend(own); "
    "own.getContext('2d').fillRect(0, 0, 9, 9)",
    "CSS.highlights.set('h', new Highlight(new StaticRange({startContainer: document.querySelector('h1').firstChild, "
    "startOffset: 0, endContainer: document.querySelector('h1').firstChild, endOffset: 3})))",
]


@pytest.mark.parametrize("script", PAINTING, ids=range(len(PAINTING)))
async def test_what_a_page_paints_is_seen_at_once(tab: Tab, script: str) -> None:
    before = await watched(tab, STILL + "<style>::highlight(h) { background: yellow }</style>")
    await tab.page.evaluate(f"() => {{ {script} }}")
    seen = await look(tab)
    fresh = await look(tab, PageCapturer(tab.link))
    assert seen.screenshot is not None
    assert fresh.screenshot is not None
    assert before.screenshot is not None
    assert not np.array_equal(seen.screenshot.pixels, before.screenshot.pixels)
    assert np.array_equal(seen.screenshot.pixels, fresh.screenshot.pixels)
