"""How calls of a session share its tabs, and what happens around each use of one."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio

from perception.browser.page.dialogs import BEFOREUNLOAD
from perception.deadline import Deadline
from perception.errors import (
    DeadlineError,
    DialogOpenError,
    NavigationFailedError,
    OriginBlockedError,
    PageChangingError,
    PageCrashedError,
    SchemeBlockedError,
    SessionLostError,
    UnknownTabError,
)
from perception.server.actions.idempotency import run_once
from perception.server.sessions import session as module
from perception.server.sessions.results import RequestKey
from perception.server.sessions.session import Session
from tests.support.fakes import (
    FakeBrowserSession,
    FakeHost,
    FakeLink,
    commit,
    crash,
    emit,
    make_session,
    open_dialog,
    open_tab,
    refused,
    turns,
)

ALLOWED = "http://127.0.0.1:8000/"
PRIVATE = "http://10.0.0.1/"


@pytest.fixture
def link() -> FakeLink:
    return FakeLink()


@pytest_asyncio.fixture(loop_scope="function")
async def browser(link: FakeLink) -> FakeBrowserSession:
    """With two tabs, of which t1 is selected."""
    browser = FakeBrowserSession(link)
    for tab_id in ("t1", "t2"):
        browser.add(await open_tab(link, tab_id, ALLOWED))
    return browser


@pytest.fixture
def session(browser: FakeBrowserSession) -> Session:
    return make_session(browser, allow=("127.0.0.1",))


@pytest.fixture
def deadline() -> Deadline:
    return Deadline.of(5)


async def fail_inside(session: Session, error: BaseException, deadline: Deadline) -> None:
    async with session.use_tab("", deadline):
        raise error


async def use(session: Session, deadline: Deadline, *, leaving: bool = False) -> None:
    async with session.use_tab("", deadline, leaving=leaving):
        pass


async def test_the_selected_tab_is_used_where_none_is_named(session: Session, deadline: Deadline) -> None:
    async with session.use_tab("", deadline) as tab:
        assert tab.tab_id == "t1"
    with pytest.raises(UnknownTabError):
        async with session.use_tab("t3", deadline):
            pass


async def test_calls_on_one_tab_wait_for_each_other_in_their_order(session: Session, deadline: Deadline) -> None:
    order: list[str] = []

    async def work(name: str) -> None:
        async with session.use_tab("t1", deadline):
            order.append(f"{name} begins")
            await asyncio.sleep(0)
            order.append(f"{name} ends")

    await asyncio.gather(work("a"), work("b"), work("c"))
    assert order == [f"{name} {what}" for name in "abc" for what in ("begins", "ends")]


async def test_a_request_that_is_repeated_while_it_runs_is_run_once(session: Session, deadline: Deadline) -> None:
    runs = 0

    async def run() -> int:
        nonlocal runs
        runs += 1
        await asyncio.sleep(0)
        return runs

    async def request() -> int:
        async with session.use_tab("t1", deadline):
            return await run_once(session.results, RequestKey("Click", "once"), deadline, run)

    assert await asyncio.gather(request(), request(), request()) == [1, 1, 1]


async def test_a_call_that_waits_for_its_tab_too_long_says_so(session: Session, deadline: Deadline) -> None:
    async with session.use_tab("t1", deadline):
        with pytest.raises(DeadlineError, match="waiting for earlier calls on this tab; no input was sent") as caught:
            await use(session, Deadline.of(0.001))
    assert caught.value.phase == "waiting for earlier calls on this tab"
    await use(session, deadline)


async def test_calls_on_other_tabs_do_not_wait(session: Session, deadline: Deadline) -> None:
    async with session.use_tab("t1", deadline), session.use_tab("t2", Deadline.of(1)) as other:
        assert other.tab_id == "t2"


async def test_a_tab_is_free_again_after_a_call_that_failed(session: Session, deadline: Deadline) -> None:
    with pytest.raises(ValueError, match="no"):
        await fail_inside(session, ValueError("no"), deadline)
    await use(session, Deadline.of(1))


async def test_a_tab_that_was_closed_while_a_call_waited_for_it_is_unknown(
    session: Session, browser: FakeBrowserSession, deadline: Deadline
) -> None:
    async with session.use_tab("t1", deadline):
        waiting = asyncio.create_task(use(session, deadline))
        await turns()
        browser.remove(browser.tab("t1"))
    with pytest.raises(UnknownTabError):
        await waiting


async def test_nothing_is_done_while_a_dialog_is_open(
    session: Session, browser: FakeBrowserSession, deadline: Deadline
) -> None:
    open_dialog(browser.tab("t1"), "Really?")
    with pytest.raises(DialogOpenError, match='a dialog is open \\(confirm "Really\\?"\\): answer it'):
        await use(session, deadline)
    async with session.use_tab("t2", deadline):
        pass


async def test_a_dialog_that_opens_ends_what_waits_for_the_page(
    session: Session, browser: FakeBrowserSession, deadline: Deadline
) -> None:
    async def wait() -> None:
        async with session.use_tab("t1", deadline):
            await asyncio.Event().wait()

    waiting = asyncio.create_task(wait())
    await turns()
    open_dialog(browser.tab("t1"))
    with pytest.raises(DialogOpenError):
        await waiting


async def test_dialogs_of_a_page_that_is_left_are_dismissed(
    session: Session, browser: FakeBrowserSession, link: FakeLink, deadline: Deadline
) -> None:
    tab = browser.tab("t1")
    open_dialog(tab, "before")
    async with session.use_tab("t1", deadline, leaving=True):
        open_dialog(tab, "inside")
        assert tab.link.dialogs.open is None
    answers = [params for _, method, params in link.sent if method == "Page.handleJavaScriptDialog"]
    assert [each["accept"] for each in answers] == [False, False]


async def test_a_dialog_of_the_page_that_came_instead_stays_open(
    session: Session, browser: FakeBrowserSession, deadline: Deadline
) -> None:
    async def leave() -> None:
        async with session.use_tab("t1", deadline, leaving=True) as tab:
            commit(tab, f"{ALLOWED}next")
            open_dialog(tab, "Welcome")
            await asyncio.sleep(1)  # it is interrupted

    with pytest.raises(DialogOpenError, match="Welcome"):
        await leave()
    assert browser.tab("t1").link.dialogs.open is not None


async def test_the_question_whether_to_leave_stays_open(
    session: Session, browser: FakeBrowserSession, link: FakeLink, deadline: Deadline
) -> None:
    open_dialog(browser.tab("t1"), kind=BEFOREUNLOAD)
    with pytest.raises(DialogOpenError, match="question before leaving the page"):
        await use(session, deadline, leaving=True)
    assert "Page.handleJavaScriptDialog" not in link.methods()


async def test_a_crash_is_told_with_the_tabs_epoch(
    session: Session, browser: FakeBrowserSession, deadline: Deadline
) -> None:
    crash(browser.tab("t1"))
    with pytest.raises(PageCrashedError, match="the page crashed or hangs") as caught:
        await fail_inside(session, SessionLostError("gone"), deadline)
    assert caught.value.metadata["epoch"] == "2"


async def test_a_lost_browser_is_told_with_the_next_epoch(browser: FakeBrowserSession, deadline: Deadline) -> None:
    host = FakeHost()
    host.epoch = 3
    session = make_session(browser, host, allow=("127.0.0.1",))

    async def lose() -> None:
        async with session.use_tab("", deadline):
            browser.alive = False
            raise SessionLostError("gone")

    with pytest.raises(SessionLostError) as caught:
        await lose()
    assert caught.value.metadata["epoch"] == "4"


async def test_a_tab_that_is_gone_is_no_new_epoch(session: Session, deadline: Deadline) -> None:
    with pytest.raises(SessionLostError) as caught:
        await fail_inside(session, SessionLostError("the tab was closed"), deadline)
    assert "epoch" not in caught.value.metadata


async def test_a_refused_command_means_that_the_page_is_changing(session: Session, deadline: Deadline) -> None:
    with pytest.raises(PageChangingError, match="the page went away while it was looked at"):
        await fail_inside(session, refused(), deadline)


@pytest.mark.parametrize("error", [Deadline.of(0).error("looking"), asyncio.CancelledError()])
async def test_a_page_that_kept_a_call_too_long_is_freed(
    session: Session, browser: FakeBrowserSession, link: FakeLink, deadline: Deadline, error: BaseException
) -> None:
    link.replies["Runtime.evaluate"] = None  # a hung page
    watchdog = browser.tab("t1").link.watchdog
    with pytest.raises(type(error)):
        await fail_inside(session, error, deadline)
    assert watchdog.is_freeing
    await browser.tab("t1").link.detach()


async def test_a_page_that_is_being_left_says_so_in_place_of_answers(
    session: Session, browser: FakeBrowserSession, deadline: Deadline
) -> None:
    tab = browser.tab("t1")

    async def leave() -> None:
        async with session.use_tab("t1", deadline):
            emit(tab, "Page.frameStartedNavigating", frameId=tab.link.main_frame, loaderId="next")
            raise deadline.error("looking")

    with pytest.raises(DeadlineError, match="the page was left for another one, which has not come") as caught:
        await leave()
    assert caught.value.phase == "looking"


@pytest.mark.parametrize(("url", "error"), [("file:///etc/passwd", SchemeBlockedError), (PRIVATE, OriginBlockedError)])
async def test_a_page_that_went_where_it_may_not_be_is_left_unread(
    session: Session,
    browser: FakeBrowserSession,
    deadline: Deadline,
    monkeypatch: pytest.MonkeyPatch,
    url: str,
    error: type[Exception],
) -> None:
    left: list[str] = []

    async def navigate(page: object, url: str, *_: object) -> None:
        left.append(url)

    monkeypatch.setattr(module, "navigate", navigate)
    commit(browser.tab("t1"), url)
    with pytest.raises(error):
        async with session.use_tab("t1", deadline):
            raise AssertionError("it was read")
    assert left == ["about:blank"]


async def test_a_page_that_a_call_led_where_it_may_not_be_is_left_too(
    session: Session, browser: FakeBrowserSession, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[str] = []

    async def navigate(page: object, url: str, *_: object) -> None:
        left.append(url)
        raise DeadlineError("late", phase="leaving", dispatched=False)

    monkeypatch.setattr(module, "navigate", navigate)

    async def lead_away() -> None:
        async with session.use_tab("t1", deadline) as tab:
            commit(tab, PRIVATE)

    for _ in range(2):
        with pytest.raises(OriginBlockedError):
            await lead_away()
    assert left == ["about:blank", "about:blank"]


async def test_a_navigation_that_failed_is_explained_by_the_proxy(
    session: Session, browser: FakeBrowserSession, deadline: Deadline
) -> None:
    class Proxy:
        def error_of(self, url: str) -> Exception | None:
            return ProxyError("the name is not known") if url else None

    class ProxyError(NavigationFailedError):
        pass

    browser.egress = Proxy()  # type: ignore[assignment]

    async def go() -> None:
        async with session.use_tab("t1", deadline) as tab:
            frame = {"id": tab.link.main_frame, "loaderId": "x", "url": "about:blank", "unreachableUrl": "http://x/"}
            emit(tab, "Page.frameNavigated", frame=frame)
            raise NavigationFailedError("net::ERR_SOCKS_CONNECTION_FAILED")

    with pytest.raises(ProxyError, match="the name is not known"):
        await go()
