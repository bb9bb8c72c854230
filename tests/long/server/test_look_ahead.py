"""While a client thinks, its tabs are looked at: the next look is served at once, and says what is true then."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.browser_session import Tab
from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.engine import look_ahead
from perception.engine.look_ahead import LookAhead
from perception.instrumentation.metrics import LOOK_AHEAD
from perception.server.app import Service
from perception.server.sessions import looks_ahead, spare_time
from perception.server.sessions.session import Session
from perception.v1 import types_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.inbox_app import serve_inbox
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("kept_contexts")

TWO = "<p id=all>" + "<button onclick=\"this.textContent = 'Pressed'\">Press</button>" * 2


@pytest.fixture(autouse=True)
def idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else the machine does, and whatever the pages of other tests did."""
    monkeypatch.setattr(spare_time, "IDLE_PROCESSORS", float("-inf"))
    monkeypatch.setattr(looks_ahead, "LOOK_SECONDS", 60.0)
    monkeypatch.setattr(looks_ahead, "CHECK_SECONDS", 30.0)
    monkeypatch.setattr(BrowserHost, "may_slow", lambda *_: False)


@dataclass(frozen=True)
class HeldLooks:
    """Looks ahead that have captured the page, and go no further.

    Attributes:
        go_on: lets them go on.
        claimed: a client's look waits for one.
    """

    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    claimed: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> HeldLooks:
    held = HeldLooks()
    present, claim = look_ahead.present_capture, LookAhead.claim

    async def present_later(*given: Any) -> Any:
        await held.go_on.wait()
        return await present(*given)

    async def note_claim(*given: Any) -> Any:
        held.claimed.set()
        return await claim(*given)

    monkeypatch.setattr(look_ahead, "present_capture", present_later)
    monkeypatch.setattr(LookAhead, "claim", note_claim)
    return held


def session_of(service: Service, page: AsyncPage) -> Session:
    return next(each for each in service.context.sessions.sessions if each.session_id == page.session_id)


def tab_of(service: Service, page: AsyncPage, tab_id: str = "") -> Tab:
    return session_of(service, page).browser.tab(tab_id)


async def began(service: Service, page: AsyncPage, tab_id: str = "t1") -> LookAhead:
    """The look ahead at a tab, as soon as it begins."""
    ahead = session_of(service, page).ahead
    await until(lambda: ahead.look_of(tab_id) is not None)
    look = ahead.look_of(tab_id)
    assert look is not None
    return look


async def made(service: Service, page: AsyncPage, tab_id: str = "t1") -> LookAhead:
    """The last look ahead at a tab, once it is done."""
    while True:
        look = await began(service, page, tab_id)
        await look.wait()
        if session_of(service, page).ahead.look_of(tab_id) is look:
            return look


def counted(outcome: str) -> float:
    return float(LOOK_AHEAD.labels(outcome=outcome)._value.get())


def was_made_ahead(seen: pb.Snapshot) -> bool:
    return any(each.stage == "look_ahead" for each in seen.timings)


async def open_and_look(page: AsyncPage, url: str, **options: Any) -> pb.Snapshot:
    """From here on the session is one whose client looks at what its actions have done."""
    await page.navigate(url)
    return await page.snapshot(**{"mode": "text", **options})


async def test_the_look_after_an_action_is_ready_before_it_is_asked_for(
    page: AsyncPage, site: str, service: Service
) -> None:
    await open_and_look(page, f"{site}/changing.html")
    before = counted("used")
    for number in (4, 5):
        await page.click("#add", skip_diff=True)
        await made(service, page)
        seen = await page.snapshot(mode="text")
        assert was_made_ahead(seen)
        assert f'link "Order {number}"' in seen.text
    assert counted("used") == before + 2
    assert not was_made_ahead(await page.snapshot(mode="text"))  # now it is an unchanged page
    link = next(each for each in seen.elements if each.name == "Order 5")
    assert (await page.click(link.ref)).same_document  # it goes to its fragment


async def test_a_page_that_is_opened_is_looked_at_as_before(page: AsyncPage, site: str, service: Service) -> None:
    await open_and_look(page, f"{site}/changing.html", scope="page", view="interactive")
    await page.navigate(f"{site}/form.html")
    await made(service, page)
    seen = await page.snapshot(mode="text", scope="page", view="interactive")
    assert was_made_ahead(seen)
    assert seen.url.endswith("form.html")
    await page.back()
    await made(service, page)
    assert 'link "Order 3"' in (await page.snapshot(mode="text", scope="page", view="interactive")).text


async def test_vision_has_looked_too(page: AsyncPage, site: str, service: Service) -> None:
    first = await open_and_look(page, f"{site}/canvas.html", mode="fused")
    await page.navigate(f"{site}/form.html")
    await page.back()
    await made(service, page)
    seen = await page.snapshot(mode="fused")
    assert was_made_ahead(seen)
    assert [each.name for each in seen.elements if each.ref.startswith("v")]
    assert len(seen.elements) == len(first.elements)


async def test_the_snapshot_of_a_diff_is_not_taken_again(page: AsyncPage, site: str, service: Service) -> None:
    await open_and_look(page, f"{site}/changing.html")
    session = session_of(service, page)
    await page.click("#add")
    await asyncio.wait_for(session.ahead.checked("t1"), 30)
    assert session.ahead.look_of("t1") is None
    assert 'link "Order 4"' in (await page.snapshot(mode="text")).text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("document.querySelector('#add').textContent = 'Changed'", 'button "Changed"'),
        ("document.querySelector('#add').disabled = true", "[disabled]"),
        ("document.title = 'Changed'", "Changed"),
        ("history.pushState(null, '', '?changed')", "?changed"),
    ],
)
async def test_a_page_that_changed_meanwhile_is_looked_at_again(
    page: AsyncPage, site: str, service: Service, change: str, said: str
) -> None:
    await open_and_look(page, f"{site}/changing.html")
    await page.click("#add", skip_diff=True)
    await made(service, page)
    await tab_of(service, page).page.evaluate(change)
    seen = await page.snapshot(mode="text")
    assert said in seen.text + seen.title + seen.url
    assert 'link "Order 4"' in seen.text


async def test_a_page_that_changes_by_itself_is_looked_at_again_but_not_for_ever(
    page: AsyncPage, site: str, service: Service
) -> None:
    await open_and_look(page, f"{site}/changing.html")
    await page.click("#add", skip_diff=True)
    stale = counted("stale")
    looks = set()
    tab = tab_of(service, page)
    for number in range(3):
        look = await made(service, page)
        looks.add(look)
        await tab.page.evaluate(f"document.querySelector('#add').textContent = 'Now {number}'")
        ahead = session_of(service, page).ahead
        await until(lambda ahead=ahead, look=look: ahead.look_of("t1") is not look)  # type: ignore[misc]
    assert len(looks) == 3
    assert counted("stale") == stale + 3
    await asyncio.wait_for(session_of(service, page).ahead.checked("t1"), 30)
    assert session_of(service, page).ahead.look_of("t1") is None
    assert 'button "Now 2"' in (await page.snapshot(mode="text")).text


async def test_a_look_that_comes_meanwhile_takes_it_over(
    page: AsyncPage, site: str, service: Service, held: HeldLooks
) -> None:
    await open_and_look(page, f"{site}/html?body={quote(TWO)}", scope="page")
    await page.click("#all :first-child", skip_diff=True)
    look = await began(service, page)
    assert not look.is_done
    looking = asyncio.ensure_future(page.snapshot(mode="text", scope="page"))
    await held.claimed.wait()
    held.go_on.set()
    seen = await looking
    assert was_made_ahead(seen)
    assert [each.name for each in seen.elements].count("Pressed") == 1


async def test_an_action_that_comes_meanwhile_ends_it(
    page: AsyncPage, site: str, service: Service, held: HeldLooks
) -> None:
    await open_and_look(page, f"{site}/html?body={quote(TWO)}", scope="page")
    await page.click("#all :first-child", skip_diff=True)
    cancelled = counted("cancelled")
    look = await began(service, page)
    await page.click("#all :nth-child(2)", skip_diff=True)
    assert look.is_done
    assert not look.was_claimed
    assert counted("cancelled") == cancelled + 1
    seen = await page.snapshot(mode="text", scope="page")
    assert [each.name for each in seen.elements].count("Pressed") == 2


async def test_a_call_keeps_its_deadline_where_the_page_hangs_meanwhile(
    page: AsyncPage, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture, hangs = look_ahead.capture_page, asyncio.Event()

    async def capture_later(*given: Any) -> Any:
        await hangs.wait()
        return await capture(*given)

    monkeypatch.setattr(look_ahead, "capture_page", capture_later)
    with serve_inbox() as app:
        app.pages["/"] = TWO
        await open_and_look(page, app.url, scope="page")
        await page.click("#all :first-child", skip_diff=True)
        look = await began(service, page)
        app.hold()
        send = "const x = new XMLHttpRequest(); x.open('POST', '/held', false); x.send()"
        await tab_of(service, page).page.evaluate(f"setTimeout(() => {{ {send} }}, 0)")
        hangs.set()
        with early_ends(service) as reserve_s, pytest.raises(RemoteError) as caught:
            await page.snapshot(mode="text", scope="page", timeout_s=reserve_s + 0.5)
        assert caught.value.reason == "DEADLINE"
        assert look.is_done
        app.release()
        seen = await page.snapshot(mode="text", scope="page")
        assert [each.name for each in seen.elements].count("Pressed") == 1


async def test_two_tabs_are_each_looked_at(page: AsyncPage, site: str, other_site: str, service: Service) -> None:
    """Of two sites: in one process, Chromium's counters of the one tab tell of listeners that our look at the other one
    has added, so that the one is looked at again."""
    opener = f"<button onclick=\"window.open('{site}/form.html')\">Open</button><p>"
    await open_and_look(page, f"{site}/html?body={quote(opener)}")
    await page.click("button", skip_diff=True)
    for tab_id in ("t2", "t1"):  # looks that nobody used would turn them off
        await page.snapshot(mode="text", tab_id=tab_id)
    await page.navigate(f"{site}/changing.html", tab_id="t1")
    await page.navigate(f"{other_site}/changing.html", tab_id="t2")
    one, two = await made(service, page, "t1"), await made(service, page, "t2")
    first, second = [await page.snapshot(mode="text", tab_id=each) for each in ("t1", "t2")]
    assert (one.was_claimed, was_made_ahead(first)) == (True, True)
    # Its refs would have been those of the first: it is written anew, from what was captured.
    assert not two.was_claimed
    refs = [{each.ref for each in seen.elements if each.ref} for seen in (first, second)]
    assert refs[0].isdisjoint(refs[1])
    assert [each.name for each in first.elements] == [each.name for each in second.elements]


async def test_two_sessions_of_a_browser_are_both_served(
    page: AsyncPage, client: AsyncClient, site: str, service: Service
) -> None:
    async with await client.open() as other:
        pages = (page, other)
        await asyncio.gather(*(open_and_look(each, f"{site}/form.html") for each in pages))
        await asyncio.gather(*(each.navigate(f"{site}/changing.html") for each in pages))
        await asyncio.gather(*(made(service, each) for each in pages))
        for each in pages:
            assert was_made_ahead(await each.snapshot(mode="text"))


async def test_a_client_that_does_not_look_gets_no_more(page: AsyncPage, site: str, service: Service) -> None:
    await open_and_look(page, f"{site}/changing.html")
    for _ in range(2):
        await page.click("#add", skip_diff=True)
        await made(service, page)
    session = session_of(service, page)
    await page.click("#add", skip_diff=True)
    await asyncio.wait_for(session.ahead.checked("t1"), 30)
    assert session.ahead.look_of("t1") is None
    await page.snapshot(mode="text")  # it looks at what it has done: from here on it pays again
    await page.click("#add", skip_diff=True)
    await made(service, page)


async def test_a_client_that_acts_before_a_look_is_made_is_not_watched_any_more(
    page: AsyncPage, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: Tab) -> bool:
        return False

    monkeypatch.setattr(looks_ahead, "_is_at_rest", never)
    await open_and_look(page, f"{site}/changing.html")
    before = counted("skipped")

    async def act() -> None:
        await page.click("#add", skip_diff=True)
        await asyncio.sleep(0.2)  # a check finds that a look is due

    async with asyncio.timeout(60):
        while counted("skipped") < before + 2:
            await act()
    for _ in range(3):
        await act()
    assert counted("skipped") == before + 2


async def test_the_first_look_of_a_session_is_ready_where_its_client_looks_at_what_it_does(
    page: AsyncPage, client: AsyncClient, site: str, service: Service
) -> None:
    await open_and_look(page, f"{site}/form.html", scope="page")
    async with await client.open() as other:
        await other.navigate(f"{site}/changing.html")
        await made(service, other)
        seen = await other.snapshot(mode="text", scope="page")
        assert was_made_ahead(seen)
        assert 'link "Order 3"' in seen.text
        for _ in range(2):
            await other.click("#add", skip_diff=True)
            await made(service, other)
        await other.click("#add", skip_diff=True)
    async with await client.open() as other:
        await other.navigate(f"{site}/changing.html")
        await asyncio.wait_for(session_of(service, other).ahead.checked("t1"), 30)
        assert session_of(service, other).ahead.look_of("t1") is None


async def test_a_session_ends_its_looks(client: AsyncClient, site: str, service: Service, held: HeldLooks) -> None:
    page = await client.open()
    await open_and_look(page, f"{site}/html?body={quote(TWO)}", scope="page")
    await page.click("#all :first-child", skip_diff=True)
    look = await began(service, page)
    await page.close()
    await until(lambda: look.is_done)
    assert not look.was_claimed
    own = {"look-ahead", "watch-ahead"}
    await until(lambda: own.isdisjoint(task.get_name() for task in asyncio.all_tasks()))


async def test_a_session_may_do_without(client: AsyncClient, site: str, service: Service) -> None:
    async with await client.open(no_look_ahead=True) as page:
        await open_and_look(page, f"{site}/changing.html")
        await page.click("#add", skip_diff=True)
        await asyncio.wait_for(session_of(service, page).ahead.checked("t1"), 30)
        assert not was_made_ahead(await page.snapshot(mode="text"))
