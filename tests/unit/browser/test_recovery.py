"""When a page is taken for hung, and when it only waits."""

from __future__ import annotations

import asyncio

import pytest

from perception.browser.page.page_link import PageLink
from perception.browser.page.recovery import HUNG_SECONDS, SLOWED_SECONDS, ask_whether_free, is_silent
from perception.deadline import Deadline
from tests.support.fakes import FakeLink


async def test_a_page_whose_answer_waits_behind_others_is_not_silent() -> None:
    link = FakeLink()
    link.replies |= {"Runtime.evaluate": None, "Browser.getVersion": None}
    probe = ask_whether_free(link.session("page"))
    judging = asyncio.create_task(is_silent(link.session("page"), probe, 0.0))
    await asyncio.sleep(0.05)
    assert "Browser.getVersion" in link.methods()
    probe.set_result({})
    assert not await judging


@pytest.mark.parametrize("for_good", [False, True])
async def test_a_page_that_is_slowed_for_flooding_its_browser_has_time_but_not_for_ever(for_good: bool) -> None:
    link, is_slowed = FakeLink(), True
    link.replies["Page.getFrameTree"] = {"frameTree": {"frame": {"id": "frame", "loaderId": "loader", "url": ""}}}
    page = await PageLink.attach(link, "target", Deadline.of(5), is_slowed=lambda _: is_slowed)  # type: ignore[arg-type]
    link.replies |= {"Runtime.evaluate": None, "Browser.getVersion": {}}
    page.watchdog.terminate_script(0.0)
    await asyncio.sleep(SLOWED_SECONDS - 1)
    assert "Runtime.terminateExecution" not in link.methods()
    is_slowed = for_good
    await asyncio.sleep(HUNG_SECONDS + 1)
    assert "Runtime.terminateExecution" in link.methods()
    await page.detach()


@pytest.mark.parametrize("browser", [pytest.param({}, id="answers"), pytest.param(None, id="does-not-either")])
async def test_a_page_that_does_not_answer_before_its_browser_is_silent(browser: dict[str, str] | None) -> None:
    link = FakeLink()
    link.replies |= {"Runtime.evaluate": None, "Browser.getVersion": browser}
    probe = ask_whether_free(link.session("page"))
    assert await is_silent(link.session("page"), probe, 0.0, 0.01)
