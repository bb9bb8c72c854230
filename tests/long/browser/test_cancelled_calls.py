"""Calls that are cancelled while the browser opens something for them, at any step: nothing of it stays open."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.driver_end import transport_of
from perception.browser.evaluate.script import Script
from perception.browser.live.screencast import CastSize, Screencast
from perception.browser.network.policy import UrlPolicy
from perception.browser.page.printing import PdfOptions, print_pdf
from perception.browser.recording.network_log import NetworkLog
from perception.browser.recording.recorder import Recorder
from perception.browser.storage.state import BrowserState, Cookie, OriginStorage
from perception.deadline import Deadline
from perception.errors import StateInvalidError
from tests.support.cut_calls import Cut

A4 = PdfOptions(210, 297, False, (10, 10, 10, 10), "", True, 1.0, False)

MOST_STEPS = 120
"""More than any of these calls has."""

Call = Callable[["Stage"], Awaitable[None]]


class Stage:
    """A session on a page, in a browser whose messages are counted."""

    def __init__(self, host: BrowserHost, session: BrowserSession, cut: Cut) -> None:
        self.host, self.session, self.cut = host, session, cut

    async def open_things(self) -> tuple[Any, ...]:
        """What is open in the browser."""
        ask = self.host.link.session().start
        targets = Counter(each["type"] for each in (await ask("Target.getTargets"))["targetInfos"])
        contexts = len((await ask("Target.getBrowserContexts"))["browserContextIds"])
        tabs = len(self.session.tabs), len(self.session.context.pages)
        return targets, contexts, tabs, len(self.host._proxies), len(self.cut.open)


@pytest.fixture
async def stage(host: BrowserHost, browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch) -> Stage:
    tab, cut = browser.tab(), Cut()
    await tab.page.goto(f"{site}/form.html")
    await tab.page.evaluate("localStorage.setItem('a', 'b')")
    await host.evaluator.run(tab, Script("1"), Deadline.of(20))
    assert host.evaluator._link is not None
    cut.hook(host.link, monkeypatch)
    cut.hook(host.evaluator._link, monkeypatch)
    cut.hook_driver(transport_of(host._playwright), monkeypatch)
    return Stage(host, browser, cut)


async def export_state(stage: Stage) -> None:
    assert (await stage.session.storage.read(Deadline.of(20))).state.origins


async def import_state(stage: Stage) -> None:
    storage = OriginStorage("https://kept.test", [])
    state = BrowserState([Cookie("a", "b", "kept.test", "/")], [storage])
    await stage.session.storage.write(state, Deadline.of(20))


async def import_refused_cookie(stage: Stage) -> None:
    with pytest.raises(StateInvalidError):
        await stage.session.storage.write(BrowserState([Cookie("__Host-a", "b", ".x.test", "/")], []), Deadline.of(20))


async def create_session(stage: Stage) -> None:
    options = SessionOptions(policy=UrlPolicy.of(("127.0.0.1",)), record_console=True)
    session = await stage.host.new_session(options, lambda _: None, Deadline.of(20))
    await asyncio.shield(session.close())


async def open_tab(stage: Stage) -> None:
    tab = await stage.session.new_tab(Deadline.of(20))
    stage.session.close_soon(tab)


async def print_page(stage: Stage) -> None:
    async with contextlib.aclosing(print_pdf(stage.session.tab().link, A4, Deadline.of(20))) as parts:
        async for _ in parts:
            pass


async def run_script(stage: Stage) -> None:
    await stage.host.evaluator.run(stage.session.tab(), Script("document.title", world="w"), Deadline.of(20))


async def record(stage: Stage) -> None:
    (await Recorder.start(stage.session.tab(), "r1", Deadline.of(20))).cancel()


async def follow_requests(stage: Stage) -> None:
    (await NetworkLog.attach(stage.session.tab().link, Deadline.of(20))).detach()


async def read_console(stage: Stage) -> None:
    await stage.session.tab().listener.collect(Deadline.of(20))


async def watch(stage: Stage) -> None:
    cast = Screencast(stage.session.tab().link)
    try:
        await cast.begin(CastSize(300, 200, 50), Deadline.of(20))
    finally:
        cast.end()


async def take_screenshot(stage: Stage) -> None:
    await stage.session.tab().capturer.capture_pixels(Deadline.of(20))


CALLS: list[Call] = [
    export_state,
    import_state,
    import_refused_cookie,
    create_session,
    open_tab,
    print_page,
    run_script,
    record,
    follow_requests,
    read_console,
    watch,
    take_screenshot,
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
async def test_a_call_that_is_cancelled_at_any_step_leaves_nothing_open(stage: Stage, call: Call) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await stage.cut.run(call(stage), MOST_STEPS)  # what the first call alone has to do
    before, left = await settled(stage, None), {}
    for step in range(1, MOST_STEPS):
        was_cut = await stage.cut.run(call(stage), step)
        if (after := await settled(stage, before)) != before:
            left[step, stage.cut.sent[step - 1]] = after
            before = after
        if not was_cut:
            break
    assert step > 1
    assert not left, f"{call.__name__} leaves open, of {before}: {left}"


async def settled(stage: Stage, expected: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """What is open once that is as expected, or does not change any more."""
    found, same = await stage.open_things(), 0
    for _ in range(40):
        if found == expected or (expected is None and same == 8):
            break
        await asyncio.sleep(0.05)
        last, found = found, await stage.open_things()
        same = same + 1 if found == last else 0
    return found
