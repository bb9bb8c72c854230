"""The ladder's rungs one by one, on pages of a real browser that cannot be freed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.page import recovery
from perception.browser.page.download import DownloadState
from perception.browser.page.navigation import WaitUntil, navigate
from perception.browser.page.recovery import Probe, Step, ask_whether_free, escalate
from perception.deadline import Deadline
from perception.instrumentation.metrics import PAGE_HUNG

STUCK = "const r = new XMLHttpRequest(); r.open('GET', '/never', false); r.send()"
"""A synchronous request that is never answered: nothing ends it."""


DOWNLOAD = """
const link = document.createElement('a');
link.href = 'data:application/zip,x'; link.download = 'new.zip'; link.click()"""


def counted(rung: str) -> float:
    return PAGE_HUNG.labels(recovered_by=rung)._value.get()


async def hang(browser: BrowserSession, site: str) -> Tab:
    tab = browser.tab()
    await navigate(tab.link, f"{site}/form.html", WaitUntil.LOAD, Deadline.of(20))
    tab.link.session.start("Runtime.evaluate", expression=STUCK).add_done_callback(lambda done: done.exception())
    return tab


async def nothing() -> None:
    """A rung that does not help."""


async def climb(tab: Tab, rung: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries `nothing` for half a second, and then a rung that may take as long as a busy machine needs."""
    free, waits = ask_whether_free(tab.link.session), [30.0, 0.5]
    is_done = recovery.is_done

    async def wait(probe: Probe, seconds: float) -> bool:
        return await is_done(probe, waits.pop() if probe is free else seconds)

    monkeypatch.setattr(recovery, "STEP_SECONDS", 30.0)
    monkeypatch.setattr(recovery, "is_done", wait)
    await escalate(free, (("close", nothing), rung))


async def test_a_rung_that_does_not_help_leads_to_the_next(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await hang(browser, site)
    tab.link.mark_crashed()  # the callers of `escalate` have done so
    before = counted("crash")

    async def crash() -> None:
        tab.link.session.start("Page.crash").add_done_callback(lambda done: done.exception())

    await climb(tab, ("crash", crash), monkeypatch)
    assert counted("crash") == before + 1


async def test_a_context_is_created_again_with_its_cookies(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await hang(browser, site)
    await browser.context.add_cookies([{"name": "who", "value": "me", "url": site}])
    before = counted("recycle")
    recycle: Callable[[], Awaitable[None]] = browser._recycle
    await climb(tab, ("recycle", recycle), monkeypatch)
    assert counted("recycle") == before + 1
    await browser.revive(tab, Deadline.of(60))
    await navigate(tab.link, f"{site}/form.html", WaitUntil.LOAD, Deadline.of(60))
    assert (await tab.capturer.place(Deadline.of(60))).title == "Form"
    assert [(each["name"], each["value"]) for each in await browser.context.cookies()] == [("who", "me")]


async def test_downloads_stay_and_go_on_in_a_context_that_is_created_again(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = await hang(browser, site)
    await browser.downloads.save("", "kept.txt", b"kept")
    await climb(tab, ("recycle", browser._recycle), monkeypatch)
    assert [each.name for each in browser.downloads.since(0)] == ["kept.txt"]
    await browser.revive(tab, Deadline.of(60))
    await navigate(tab.link, f"{site}/form.html", WaitUntil.LOAD, Deadline.of(60))
    tab.link.session.start("Runtime.evaluate", expression=DOWNLOAD, userGesture=True)
    await browser.downloads.wait_begun(1, Deadline.of(60))
    await browser.downloads.wait(1, Deadline.of(60))
    kept, new = browser.downloads.since(0)
    assert (new.name, new.state) == ("new.zip", DownloadState.COMPLETED)
    assert kept.path is not None
    assert kept.path.read_bytes() == b"kept"
