"""A page is waited for until it stands still, and no longer than is asked."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import pytest

from perception.browser.browser_session import BrowserSession
from perception.browser.page.navigation import Settled, WaitUntil, navigate
from perception.browser.page.settle import settle
from perception.deadline import Deadline
from perception.types import Capture, Engine, Scope


async def settle_on(browser: BrowserSession, site: str, body: str, timeout_s: float) -> Settled:
    tab = browser.tab()
    url = f"{site}/html?body={quote('<!doctype html>' + body)}"
    await navigate(tab.link, url, WaitUntil.DOM_CONTENT_LOADED, Deadline.of(20))
    return await settle(tab.link, timeout_s, Deadline.of(30))


async def test_what_a_script_adds_after_a_while_is_waited_for(browser: BrowserSession, site: str) -> None:
    script = (
        "<p>Loading</p><script>let n = 0; const timer = setInterval(() => { document.body.append(`${++n} `);"
        " if (n === 10) { clearInterval(timer); document.title = 'done' } }, 40)</script>"
    )
    settled = await settle_on(browser, site, script, 20)
    assert "changes" not in settled.pending
    assert await browser.tab().page.title() == "done"


async def test_a_page_that_never_settles_is_left_at_the_deadline(browser: BrowserSession, site: str) -> None:
    script = "<p id=p></p><script>setInterval(() => { p.textContent = Date.now() }, 16)</script>"
    settled = await settle_on(browser, site, script, 0.6)
    assert settled.pending  # "changes"; on a busy machine its script is late itself, and something else is waited for
    assert settled.waited_s >= 0.5


async def test_a_page_that_came_to_rest_since_is_the_same_page_from_then_on(browser: BrowserSession, site: str) -> None:
    await settle_on(browser, site, "<p>Here</p>", 20)
    tab = browser.tab()

    async def look() -> Capture:
        return await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=True, deadline=Deadline.of(20)
        )

    events = tab.link.lifecycle[tab.link.loader]
    rested = {"networkIdle", "networkAlmostIdle"}
    async with asyncio.timeout(20):  # it may stand still before its network does
        while not rested <= events:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    events -= rested
    first = await look()
    events |= rested
    second = await look()
    assert (first.pending, second.pending) == (("network",), ())
    assert await look() is second


async def test_a_picture_that_never_loads_is_reported_and_not_awaited(browser: BrowserSession, site: str) -> None:
    settled = await settle_on(browser, site, "<p>Here</p><img src=/never>", 20)
    assert settled.pending == ("load",)
    assert settled.waited_s < 19


@pytest.mark.parametrize(("times", "pending"), [("infinite", False), ("50", True)])
async def test_an_animation_is_waited_for_if_it_ends(
    browser: BrowserSession, site: str, times: str, *, pending: bool
) -> None:
    style = f"<style>@keyframes a {{ to {{ opacity: .99 }} }} p {{ animation: a 1s {times} }}</style><p>Text</p>"
    settled = await settle_on(browser, site, style, 1.0)
    assert ("animations" in settled.pending) == pending


async def test_pixels_that_move_without_the_document_are_noticed(browser: BrowserSession, site: str) -> None:
    script = (
        "<canvas id=c width=400 height=300></canvas><script>const g = c.getContext('2d');"
        "(function draw() { g.fillStyle = `hsl(${Math.random() * 360} 90% 50%)`;"
        " g.fillRect(Math.random() * 300, Math.random() * 200, 100, 100); requestAnimationFrame(draw) })()</script>"
    )
    settled = await settle_on(browser, site, script, 2.0)
    assert "pixels" in settled.pending
