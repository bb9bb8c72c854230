"""Calls that are cancelled while the browser opens something for them, at any step: nothing of it stays open."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.cdp.cdp_link import CdpLink
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

A4 = PdfOptions(210, 297, False, (10, 10, 10, 10), "", True, 1.0, False)

MOST_STEPS = 120
"""More than any of these calls has."""

Call = Callable[["Stage"], Awaitable[None]]


class Cut:
    """Cancels a call while it awaits the answer to its nth message to the browser, and counts what is open by then.

    Attributes:
        left: messages until the call is cancelled.
        sent: names of the messages of the call.
        open: ids of DevTools sessions and streams of ours that are open.
    """

    def __init__(self) -> None:
        self.left = 0
        self.sent: list[str] = []
        self.open: set[str] = set()
        self._ended: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def hook(self, link: CdpLink, patch: pytest.MonkeyPatch) -> None:
        """Watches the commands on a connection of ours."""
        start = link.start

        def watched(session_id: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
            answer = start(session_id, method, params)
            # The answer is noted even where nobody waits for it any more.
            passed: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
            answer.add_done_callback(lambda done: self._note(method, params, done, passed))
            self._count(method)
            return passed

        patch.setattr(link, "start", watched)
        link.on("", "Target.detachedFromTarget", lambda params: self._end(params["sessionId"]))

    def hook_driver(self, transport: Any, patch: pytest.MonkeyPatch) -> None:
        """Watches what is asked of Playwright's driver."""
        send = transport.send

        def watched(message: dict[str, Any]) -> None:
            send(message)
            if message.get("guid") and message.get("method") != "__waitInfo__":
                self._count(message["method"])

        patch.setattr(transport, "send", watched)

    async def run(self, call: Awaitable[None], step: int) -> bool:
        """Runs a call and cancels it at a step. Returns whether it has that many."""
        self.left, self.sent = step, []
        self._task = asyncio.ensure_future(call)  # type: ignore[assignment]
        await asyncio.wait((self._task,))
        task, self._task = self._task, None
        if not task.cancelled():
            task.result()
        return task.cancelled()

    def _count(self, method: str) -> None:
        if self._task is None or self._task.done():
            return
        self.sent.append(method)
        self.left -= 1
        if self.left == 0:
            asyncio.get_running_loop().call_soon(self._task.cancel)

    def _end(self, session_id: str) -> None:
        self._ended.add(session_id)
        self.open.discard(session_id)

    def _note(
        self,
        method: str,
        params: dict[str, Any],
        done: asyncio.Future[dict[str, Any]],
        passed: asyncio.Future[dict[str, Any]],
    ) -> None:
        if done.cancelled():
            passed.cancel()
        elif (error := done.exception()) is not None:
            if not passed.done():
                passed.set_exception(error)
                passed.exception()
        else:
            reply = done.result()
            if method.startswith("Target.attachTo"):
                self.open |= {reply["sessionId"]} - self._ended
            elif method == "Page.printToPDF":
                self.open.add(reply["stream"])
            elif method == "IO.close":
                self.open.discard(params["handle"])
            if not passed.done():
                passed.set_result(reply)


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
