"""The ladder's rungs one by one, on pages of a real browser that cannot be freed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.evaluate.recovery import HUNG_SECONDS, ask_whether_free, escalate, is_silent
from perception.browser.page.navigation import WaitUntil, navigate
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.instrumentation.metrics import PAGE_HUNG
from tests.server.fakes import FakeLink

STUCK = "const r = new XMLHttpRequest(); r.open('GET', '/never', false); r.send()"
"""A synchronous request that is never answered: nothing ends it."""


def counted(rung: str) -> float:
    return PAGE_HUNG.labels(recovered_by=rung)._value.get()


async def hang(browser: BrowserSession, site: str) -> Tab:
    tab = browser.tab()
    await navigate(tab.link, f"{site}/form.html", WaitUntil.LOAD, Deadline.of(20))
    tab.link.session.start("Runtime.evaluate", expression=STUCK).add_done_callback(lambda done: done.exception())
    return tab


async def nothing() -> None:
    """A rung that does not help."""


async def test_a_rung_that_does_not_help_leads_to_the_next(browser: BrowserSession, site: str) -> None:
    tab = await hang(browser, site)
    tab.link.mark_crashed()  # the callers of `escalate` have done so
    before = counted("crash")

    async def crash() -> None:
        tab.link.session.start("Page.crash").add_done_callback(lambda done: done.exception())

    await escalate(ask_whether_free(tab.link.session), (("close", nothing), ("crash", crash)))
    assert counted("crash") == before + 1


async def test_a_context_is_created_again_with_its_cookies(browser: BrowserSession, site: str) -> None:
    tab = await hang(browser, site)
    await browser._context.add_cookies([{"name": "who", "value": "me", "url": site}])
    before = counted("recycle")
    recycle: Callable[[], Awaitable[None]] = browser._recycle
    await escalate(ask_whether_free(tab.link.session), (("close", nothing), ("recycle", recycle)))
    assert counted("recycle") == before + 1
    await browser.revive(tab, Deadline.of(20))
    await navigate(tab.link, f"{site}/form.html", WaitUntil.LOAD, Deadline.of(20))
    assert (await tab.capturer.place(Deadline.of(10))).title == "Form"
    assert [(each["name"], each["value"]) for each in await browser._context.cookies()] == [("who", "me")]


async def test_a_page_whose_answer_waits_behind_others_is_not_silent() -> None:
    link = FakeLink()
    link.replies |= {"Runtime.evaluate": None, "Browser.getVersion": None}
    probe = ask_whether_free(link.session("page"))
    judging = asyncio.create_task(is_silent(link.session("page"), probe, 0.0))
    await asyncio.sleep(0.05)
    assert "Browser.getVersion" in link.methods()
    probe.set_result({})
    assert not await judging


async def test_a_page_that_is_slowed_for_flooding_its_browser_is_not_given_up() -> None:
    link, is_slowed = FakeLink(), True
    link.replies["Page.getFrameTree"] = {"frameTree": {"frame": {"id": "frame", "loaderId": "loader", "url": ""}}}
    page = await PageLink.attach(link, "target", Deadline.of(5), is_slowed=lambda _: is_slowed)  # type: ignore[arg-type]
    link.replies |= {"Runtime.evaluate": None, "Browser.getVersion": {}}
    page.watchdog.terminate_script(0.0)
    await asyncio.sleep(HUNG_SECONDS * 2)
    assert "Runtime.terminateExecution" not in link.methods()
    is_slowed = False
    async with asyncio.timeout(5):
        while "Runtime.terminateExecution" not in link.methods():  # noqa: ASYNC110  (the link is a fake)
            await asyncio.sleep(0.02)
    await page.detach()


@pytest.mark.parametrize("browser", [pytest.param({}, id="answers"), pytest.param(None, id="does-not-either")])
async def test_a_page_that_does_not_answer_before_its_browser_is_silent(browser: dict[str, str] | None) -> None:
    link = FakeLink()
    link.replies |= {"Runtime.evaluate": None, "Browser.getVersion": browser}
    probe = ask_whether_free(link.session("page"))
    assert await is_silent(link.session("page"), probe, 0.0, 0.01)
