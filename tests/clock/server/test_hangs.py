"""Pages that hang, crash or stall: the call ends with words of the service, and the tab can be used afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpLink
from perception.browser.page import watchdog
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.client.requests import evaluate_request, snapshot_request
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.services import session
from perception.server.sessions.slowing import ENDED
from perception.server.sessions.tab_guards import LEAVING
from perception.v1 import session_service_pb2 as session_pb
from tests.support.early_ends import RESERVE_SECONDS, early_ends
from tests.support.waiting import again_and_again, until

GIVEN_UP_SECONDS = 0.8

DEADLINE = RESERVE_SECONDS + GIVEN_UP_SECONDS
"""Of a call that the service is to give up after 0.8 s."""

CONTROLS = "<button id=b onclick='this.textContent = `was pressed`'>Press</button><input id=i>"


@pytest.fixture
async def page(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    """A session that may run scripts, at a page with a button and a field."""
    page = await client.open(f"{site}/html?body={CONTROLS}", allow_evaluate=True)
    yield page
    await page.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ending a script is enough, however slow the machine is: no page is given up."""
    monkeypatch.setattr(watchdog, "TERMINATED_SECONDS", 20.0)


@pytest.fixture
def deadline_s(pace: float) -> float:
    """As DEADLINE, of a call that is to reach the page's script before the service gives it up."""
    return RESERVE_SECONDS + GIVEN_UP_SECONDS * pace


def tab_of(service: Service, page: AsyncPage) -> Tab:
    return service.context.sessions.get(page.session_id).browser.tab()


async def use(page: AsyncPage) -> None:
    """The next click, text and look on the same tab."""
    await page.click("#b")
    await page.type_text("#i", "was typed", clear=True)
    text = (await page.snapshot(mode="MODE_TEXT")).text
    assert "was pressed" in text
    assert "was typed" in text


async def late(service: Service, call: Awaitable[Any]) -> RemoteError:
    """The error of a call whose deadline has passed, reported by the service itself."""
    with early_ends(service), pytest.raises(RemoteError) as caught:
        await call
    assert caught.value.reason == "DEADLINE"
    return caught.value


async def look(page: AsyncPage, timeout_s: float = DEADLINE) -> None:
    request = page._client.perception.CaptureSnapshot
    await page._client.call(request, snapshot_request(page.session_id, "", {"mode": "MODE_TEXT"}), timeout_s)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("for (;;);", id="loop"),
        pytest.param("new Promise(() => {})", id="promise-that-never-resolves"),
        pytest.param("({ then() { for (;;); } })", id="thenable-that-loops"),
        pytest.param("(async () => { for (;;) await null; })()", id="microtasks"),
        pytest.param("({ get now() { for (;;); } })", id="getter-that-loops"),
        pytest.param("/^(a+)+$/.test('a'.repeat(60) + '!')", id="regular-expression"),
        pytest.param("new Promise(done => { new Worker('data:,for(;;);').onmessage = done })", id="loop-in-a-worker"),
    ],
)
async def test_a_script_that_does_not_end_costs_its_call_alone(
    page: AsyncPage, script: str, service: Service, deadline_s: float
) -> None:
    error = await late(service, page.evaluate(script, await_promise=True, timeout_s=deadline_s))
    assert error.metadata["phase"] == "running the script"
    await use(page)


@pytest.mark.parametrize(
    ("body", "target"),
    [
        pytest.param("<button id=go onclick='for (;;);'>Go</button>", "#go", id="click-handler"),
        pytest.param("<button id=go onpointerdown='for (;;);'>Go</button>", "#go", id="pointerdown-handler"),
        pytest.param("<input id=go onfocus='for (;;);'>", "#go", id="focus-handler"),
    ],
)
async def test_a_handler_that_does_not_end_costs_its_click_alone(
    page: AsyncPage, site: str, body: str, target: str, service: Service, deadline_s: float
) -> None:
    await page.navigate(f"{site}/html?body={CONTROLS}{body}")
    error = await late(service, page.click(target, timeout_s=deadline_s))
    assert error.metadata["input_dispatched"] == "true"
    await use(page)


WORK = (
    "<p id=o></p><button id=w onclick='work(1200)'>Work</button><button id=h onclick='for (;;);'>Hang</button><script>"
    "function work(ms) { o.textContent %2B= `begun `; const end = Date.now() %2B ms; while (Date.now() < end);"
    "o.textContent %2B= `done ` }</script>"
)
"""A page whose handler works for a while, and one that does not end."""


async def text_of(page: AsyncPage) -> str:
    return str(await page.evaluate("o.textContent"))


async def test_a_handler_that_its_click_did_not_wait_for_does_its_work(
    page: AsyncPage, site: str, service: Service
) -> None:
    await page.navigate(f"{site}/html?body={WORK}")
    await late(service, page.click("#w", timeout_s=DEADLINE))
    assert await text_of(page) == "begun done "
    assert (await page.click("#w")).notes == []
    assert await text_of(page) == "begun done begun done "


async def test_later_handlers_are_not_ended_with_a_clients_script(page: AsyncPage, site: str, service: Service) -> None:
    await page.navigate(f"{site}/html?body={WORK}")
    await late(service, page.evaluate("for (;;);", timeout_s=DEADLINE))
    assert ENDED not in (await page.click("#w")).notes
    assert await text_of(page) == "begun done "


async def test_later_handlers_are_not_ended_with_one_that_does_not_end(
    page: AsyncPage, site: str, service: Service
) -> None:
    await page.navigate(f"{site}/html?body={WORK}")
    await late(service, page.click("#h", timeout_s=DEADLINE))
    assert ENDED in (await page.click("#w", timeout_s=15)).notes
    assert await text_of(page) == "begun done "
    assert ENDED not in (await page.click("#w")).notes
    assert await text_of(page) == "begun done begun done "


@pytest.mark.parametrize(
    ("before", "script"),
    [
        pytest.param("setTimeout(work, 0, 1500), 0", "0", id="not-begun"),
        pytest.param("setTimeout(work, 500, 1500), 0", "new Promise(() => {})", id="its-promise-pending"),
    ],
)
async def test_a_pages_own_script_outlasts_a_clients(
    page: AsyncPage, site: str, service: Service, before: str, script: str
) -> None:
    await page.navigate(f"{site}/html?body={WORK}")
    await page.evaluate(before)
    await late(service, again_and_again(lambda: page.evaluate(script, await_promise=True, timeout_s=DEADLINE)))
    assert await text_of(page) == "begun done "


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("setInterval(() => { for (;;); }, 10), 0", id="timer"),
        pytest.param(
            "requestAnimationFrame(function again() { requestAnimationFrame(again); for (;;); }), 0", id="frames"
        ),
    ],
)
async def test_a_page_that_hangs_again_and_again_can_be_left(
    page: AsyncPage, site: str, script: str, service: Service
) -> None:
    await page.evaluate(script)
    await late(service, again_and_again(lambda: look(page)))  # the first look may come before the timer
    await page.navigate(f"{site}/html?body={CONTROLS}")
    await use(page)


async def test_a_page_that_hangs_unseen_can_be_left_at_once(page: AsyncPage, site: str) -> None:
    await page.evaluate("setInterval(() => { for (;;); }, 10), 0")
    await page.navigate(f"{site}/html?body={CONTROLS}")
    await use(page)


async def test_the_next_page_waits_for_the_empty_one_in_place_of_a_hung_one(
    page: AsyncPage, site: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened before that one has loaded, it is sometimes dropped unsaid (Chromium 156)."""
    link, start = tab_of(service, page).link, CdpLink.start
    begun: list[tuple[str, bool]] = []

    def note(own: CdpLink, session_id: str, method: str, params: dict[str, Any]) -> Any:
        if method == "Page.navigate" and params["url"] != "about:blank":
            begun.append((link.url, "load" in link.lifecycle[link.loader]))
        return start(own, session_id, method, params)

    await page.evaluate("setInterval(() => { for (;;); }, 10), 0")
    await late(service, again_and_again(lambda: look(page)))  # the first look may come before the timer
    monkeypatch.setattr(CdpLink, "start", note)
    await page.navigate(f"{site}/html?body={CONTROLS}")
    assert begun == [("about:blank", True)]
    await use(page)


async def test_a_page_that_hangs_when_it_is_left_lets_go(page: AsyncPage, site: str) -> None:
    await page.evaluate("addEventListener('pagehide', () => { for (;;); }); setTimeout(() => { for (;;); }), 0")
    await page.navigate(f"{site}/html?body={CONTROLS}<title>Next</title>")
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Next"


BUSY = (
    "<p id=p>begins</p><script>onload = () => setTimeout(() => {"
    "const end = Date.now() %2B 3000; while (Date.now() < end); p.textContent = 'ready'})</script>"
)


async def test_a_page_that_begins_slowly_on_a_crowded_machine_is_left_alone(
    client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "BUSY_SECONDS", 0.5)
    monkeypatch.setattr(session, "CrowdMeter", lambda: SimpleNamespace(slowdown=9.0))
    async with await client.open(f"{site}/html?body={BUSY}") as page:
        assert "ready" in (await page.snapshot(mode="MODE_TEXT")).text


async def test_a_page_that_asks_again_and_again_can_be_left(page: AsyncPage, site: str) -> None:
    await page.evaluate("setInterval(() => alert('more'), 0), 0")
    with pytest.raises(RemoteError) as caught:
        await again_and_again(lambda: look(page, 20))  # the first look may come before the timer
    assert caught.value.reason == "DIALOG_OPEN"
    await page.navigate(f"{site}/html?body={CONTROLS}")
    await use(page)


OPENER = (
    "<button id=b onclick='this.textContent = `was pressed`'>Press</button><button id=open "
    "onclick='open(`/html?body=<script>setTimeout(() => confirm(1), 600)</script>`, `_blank`, `FEATURES`)'>"
    "Open</button>"
)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda page: page.wait_for(text="nothing", tab_id="t1"), id="waits-already"),
        pytest.param(lambda page: page.click("#b", tab_id="t1"), id="acts"),
        pytest.param(lambda page: page.snapshot(tab_id="t1"), id="looks"),
        pytest.param(lambda page: page.navigate("about:blank", tab_id="t1"), id="leaves"),
    ],
)
async def test_a_dialog_of_another_tab_that_holds_this_one_up_is_named(
    page: AsyncPage, site: str, service: Service, act: Callable[[AsyncPage], Awaitable[Any]]
) -> None:
    await page.navigate(f"{site}/html?body={OPENER.replace('FEATURES', '')}")
    await page.click("#open")
    with pytest.raises(RemoteError, match="in tab t2, which holds this one up") as caught:
        await again_and_again(lambda: act(page))  # the first may come before the dialog
    assert caught.value.reason == "DIALOG_OPEN"
    link = service.context.sessions.get(page.session_id).browser.tab("t1").link
    link.watchdog.terminate_script(0.0)
    await link.watchdog.wait_freed(Deadline.of(30))
    assert not link.crashed
    await page.handle_dialog(dialog_id=(await page.dialogs())[0].dialog_id)
    if (await page.snapshot(tab_id="t1")).url != "about:blank":
        await page.click("#b", tab_id="t1")


async def test_a_dialog_of_another_process_holds_no_tab_up(page: AsyncPage, site: str, service: Service) -> None:
    await page.navigate(f"{site}/html?body={OPENER.replace('FEATURES', 'noopener')}")
    await page.click("#open")
    other = service.context.sessions.get(page.session_id).browser.tab("t2").link
    await until(lambda: other.dialogs.open is not None)
    await page.click("#b", tab_id="t1")
    assert "was pressed" in (await page.snapshot(mode="MODE_TEXT", tab_id="t1")).text


async def test_a_session_whose_first_page_opens_a_dialog_is_there(client: AsyncClient, site: str) -> None:
    async with await client.open(f"{site}/html?body=<script>alert(`in load`)</script>{CONTROLS}") as page:
        [dialog] = await page.dialogs()
        assert dialog.message == "in load"
        await page.handle_dialog()
        await use(page)


async def test_the_question_before_leaving_stays_open(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/html?body={CONTROLS}<script>onbeforeunload = event => event.preventDefault()</script>")
    await page.click("#b")  # a page that was never touched is not asked
    with pytest.raises(RemoteError) as caught:
        await page.navigate(f"{site}/inner.html")
    assert caught.value.reason == "DIALOG_OPEN"
    await page.handle_dialog(False)
    await use(page)


async def test_a_navigating_page_is_not_touched(service: Service, page: AsyncPage) -> None:
    tab = tab_of(service, page)
    await page.evaluate("location.href = '/never', 0")
    await until(lambda: tab.link.is_leaving)  # it is told beside the answer
    await late(service, look(page))
    await tab.link.watchdog.wait_freed(Deadline.of(30))
    assert not tab.link.crashed
    tab.link.navigation.stop_loading()
    await use(page)


async def test_escape_stays_on_a_page_whose_next_one_does_not_come(
    page: AsyncPage, site: str, service: Service
) -> None:
    await page.navigate(f"{site}/html?body={CONTROLS}<a id=a href=/never>Next</a>")
    assert LEAVING in (await page.click("#a", timeout_s=6)).notes
    await late(service, look(page))
    stayed = await page.press("Escape")
    assert any("was stopped, as Escape does" in each for each in stayed.notes)
    await use(page)
    assert not any("was stopped" in each for each in (await page.press("Escape")).notes)


async def test_a_page_that_waits_for_the_network_is_given_up_and_can_be_left(
    page: AsyncPage, site: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is given up before the next call has waited for half of its time, however crowded the machine is.
    monkeypatch.setattr(watchdog, "TERMINATED_SECONDS", 0.5)
    before = hung("close") + hung("crash")
    script = "{ const wire = new XMLHttpRequest(); wire.open('GET', '/never', false); wire.send(); }"
    await late(service, page.evaluate(script, timeout_s=DEADLINE))
    await page.navigate(f"{site}/html?body={CONTROLS}")
    await use(page)
    await until(lambda: hung("close") + hung("crash") > before)  # its process ends beside the next calls


@pytest.mark.usefixtures("patient")
async def test_a_script_whose_caller_went_away_is_ended(page: AsyncPage) -> None:
    before = hung("terminate")
    script = "document.title = 'Running'; for (;;);"
    call = page._client.actions.Evaluate(evaluate_request(page.session_id, script, None, {}), timeout=60)
    tabs = session_pb.ListTabsRequest(session_id=page.session_id)
    while (await page._client.sessions.ListTabs(tabs, timeout=20)).tabs[0].title != "Running":
        pass
    call.cancel()
    await until(lambda: hung("terminate") > before)
    assert hung("terminate") == before + 1
    await use(page)


@pytest.mark.usefixtures("patient")
async def test_what_was_ended_is_counted(page: AsyncPage, service: Service, deadline_s: float) -> None:
    labels = {"engine": "cdp", "outcome": "timeout", "fallback": ""}
    before = hung("terminate"), REGISTRY.get_sample_value("perception_evaluate_total", labels) or 0
    await late(service, page.evaluate("for (;;);", timeout_s=deadline_s))
    await until(lambda: hung("terminate") > before[0])
    assert hung("terminate") == before[0] + 1
    assert REGISTRY.get_sample_value("perception_evaluate_total", labels) == before[1] + 1
    await use(page)


def hung(rung: str) -> float:
    return REGISTRY.get_sample_value("perception_page_hung_total", {"recovered_by": rung}) or 0
