"""What a watch sends, and when it ends. (`tests/long/server/test_watch.py` asks the service.)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from perception.deadline import Deadline
from perception.engine.presented import PresentedSnapshot
from perception.errors import (
    DeadlineError,
    PageChangingError,
    PageCrashedError,
    SessionLostError,
    ShuttingDownError,
    UnknownSnapshotError,
)
from perception.server.sessions.session import Session
from perception.server.sessions.watch import Watch, WatchedSnapshot, watch
from tests.support.fakes import (
    FakeBrowserSession,
    FakeLink,
    element,
    make_session,
    open_tab,
    presented,
    turns,
)

Look = PresentedSnapshot | Exception | Callable[[], None]

SAVE, SAVED = element("button", "Save"), element("status", "Saved", 2)


@pytest_asyncio.fixture(loop_scope="function")
async def browser() -> AsyncIterator[FakeBrowserSession]:
    link = FakeLink()
    browser = FakeBrowserSession(link)
    tab = browser.add(await open_tab(link))
    yield browser
    await tab.link.detach()


@pytest.fixture
def session(browser: FakeBrowserSession) -> Session:
    return make_session(browser)


class Looks:
    """Looks at a tab: one after the other as they are written; the last one is repeated. `firsts` says which of them
    were told to be the first."""

    def __init__(self, *looks: Look) -> None:
        self.firsts: list[bool] = []
        self._looks = list(looks)

    async def __call__(self, is_first: bool) -> PresentedSnapshot:
        self.firsts.append(is_first)
        look = self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]
        if isinstance(look, Exception):
            raise look
        if callable(look):
            look()
            return await self(is_first)
        return look


def begin(session: Session, looks: Looks, *, closing: asyncio.Event | None = None, **options: object) -> Watch:
    return Watch(session, "t1", looks, 0.0, closing or asyncio.Event(), **options)  # type: ignore[arg-type]


async def take(watched: Watch, count: int) -> list[WatchedSnapshot]:
    """The first snapshots of a watch, which is then left."""
    found: list[WatchedSnapshot] = []
    stream = watch(watched)
    async with asyncio.timeout(2):
        async for each in stream:
            found.append(each)
            if len(found) == count:
                break
    await stream.aclose()
    return found


async def test_the_first_snapshot_comes_at_once_and_has_no_diff(session: Session) -> None:
    looks = Looks(presented("", SAVE))
    (first,) = await take(begin(session, looks), 1)
    assert first.presented.snapshot.snapshot_id == "s1"
    assert first.before is None
    assert first.diff is None
    assert looks.firsts == [True]


async def test_only_what_changed_is_sent(session: Session) -> None:
    looks = Looks(presented("", SAVE), presented("", SAVE), presented("", SAVE), presented("", SAVE, SAVED))
    first, second = await take(begin(session, looks), 2)
    assert looks.firsts == [True, False, False, False]
    assert second.before is first.presented
    assert second.diff is not None
    assert second.diff.added == (1,)
    assert second.presented.snapshot.snapshot_id == "s2"


@pytest.mark.parametrize("place", [{"url": "https://site.test/next"}, {"title": "Next"}])
async def test_an_equal_list_of_another_page_is_sent_too(session: Session, place: dict[str, str]) -> None:
    looks = Looks(presented("", SAVE), presented("", SAVE, **place))  # type: ignore[arg-type]
    assert len(await take(begin(session, looks), 2)) == 2


async def test_a_diff_leads_from_what_was_sent_last(session: Session) -> None:
    looks = Looks(presented("", SAVE), presented("", SAVED), presented("", SAVE))
    first, second, third = await take(begin(session, looks), 3)
    assert third.before is second.presented
    assert third.before is not first.presented


async def test_only_the_last_snapshot_is_kept(session: Session) -> None:
    looks = Looks(presented("", SAVE), presented("", SAVED), presented("", SAVE))
    await take(begin(session, looks), 3)
    assert len(session.shown.snapshots) == 1
    assert session.shown.snapshots.get("s3").listed == (SAVE,)
    with pytest.raises(UnknownSnapshotError):
        session.shown.snapshots.get("s2")


@pytest.mark.parametrize("busy", [PageChangingError("going"), DeadlineError("late", phase="looking", dispatched=False)])
async def test_a_look_that_may_succeed_next_time_is_left_out(session: Session, busy: Exception) -> None:
    looks = Looks(busy, presented("", SAVE), busy, presented("", SAVED))
    first, second = await take(begin(session, looks), 2)
    assert (first.diff, second.before) == (None, first.presented)
    assert looks.firsts == [True, True, False, False]


async def test_a_page_that_cannot_be_looked_at_ends_the_watch(session: Session) -> None:
    looks = Looks(presented("", SAVE), PageCrashedError("crashed"))
    with pytest.raises(PageCrashedError):
        await take(begin(session, looks), 2)


async def test_a_watch_ends_with_its_tab(session: Session, browser: FakeBrowserSession) -> None:
    looks = Looks(presented("", SAVE), lambda: browser.remove(browser.tab("t1")), SessionLostError("the tab is gone"))
    assert len(await take(begin(session, looks), 2)) == 1


async def test_a_tab_that_closes_between_looks_ends_the_watch_before_its_interval(
    session: Session, browser: FakeBrowserSession
) -> None:
    tab = browser.tab("t1")
    watched = Watch(session, "t1", Looks(presented("", SAVE)), 60.0, asyncio.Event())
    watching = asyncio.create_task(take(watched, 2))
    await turns()
    browser.remove(tab)
    await tab.link.detach()
    assert len(await asyncio.wait_for(watching, 1)) == 1


async def test_a_lost_browser_is_an_error_of_the_watch(session: Session, browser: FakeBrowserSession) -> None:
    def lose() -> None:
        browser.alive = False

    looks = Looks(presented("", SAVE), lose, SessionLostError("gone"))
    with pytest.raises(SessionLostError, match="the browser of this session is gone"):
        await take(begin(session, looks), 2)


async def test_the_end_of_the_service_ends_a_watch_before_its_interval(session: Session) -> None:
    closing = asyncio.Event()
    watched = Watch(session, "t1", Looks(presented("", SAVE)), 60.0, closing)
    watching = asyncio.create_task(take(watched, 2))
    await turns()
    closing.set()
    with pytest.raises(ShuttingDownError, match="watch again at another one"):
        await asyncio.wait_for(watching, 1)


async def test_a_watch_ends_at_the_deadline_of_its_caller(session: Session) -> None:
    watched = Watch(session, "t1", Looks(presented("", SAVE)), 60.0, asyncio.Event(), Deadline.of(0.001))
    with pytest.raises(DeadlineError, match="watching the page"):
        await asyncio.wait_for(take(watched, 2), 1)


async def test_a_watch_that_is_left_leaves_no_task(session: Session) -> None:
    before = asyncio.all_tasks()
    watched = Watch(session, "t1", Looks(presented("", SAVE)), 60.0, asyncio.Event())
    watching = asyncio.create_task(take(watched, 2))
    await turns()
    assert len(asyncio.all_tasks() - before) == 3
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert asyncio.all_tasks() - before == set()
