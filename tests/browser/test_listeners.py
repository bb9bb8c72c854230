"""DevTools' reports to the walkers leave the page's nodes unchanged, in every world."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.capture.late_listeners import MAX_FUTILE
from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.navigation import WaitUntil, navigate
from perception.deadline import Deadline
from perception.types import Engine, Scope

LISTENING = """<!doctype html><div class=a>Open</div><button>b</button>
<iframe srcdoc="<p onclick=1>Inside</p><button onclick=1>c</button>"></iframe>
<object type=text/html data=about:blank></object>
<script>for (const each of document.querySelectorAll('*')) each.addEventListener('click', () => 1);
document.documentElement.addEventListener('mousedown', () => 1)</script>"""

KNOWN = "[...document.querySelectorAll('*')].every((each) => each instanceof Element)"


async def test_nodes_that_listen_stay_of_their_own_documents_class_in_every_frame(
    browser: BrowserSession, site: str
) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    await navigate(tab.link, f"{site}/html?body={quote(LISTENING)}", WaitUntil.SETTLED, deadline)
    for _ in range(2):
        capture = await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline
        )
    assert {"Open", "Inside"} <= {each.name for each in capture.elements if each.interactive}
    assert len(tab.link.frames) > 1
    for frame in tab.link.frames:
        found = await tab.link.evaluate(frame, KNOWN, deadline, "checking", returnByValue=True)
        assert found["value"] is True
    assert await tab.page.evaluate(KNOWN)


HANDLERS = """<!doctype html><div>Open</div><iframe srcdoc="<p onclick=1>Inside</p>"></iframe>
<script>document.querySelector('div').addEventListener('click', () => 'the source of a handler')</script>"""


async def test_the_source_of_handlers_is_not_requested(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    replies: list[dict[str, Any]] = []
    call = CdpSession.call

    async def recorded(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        reply = await call(session, method, *args, **params)
        replies.extend([reply] if method == "DOMDebugger.getEventListeners" else [])
        return reply

    monkeypatch.setattr(CdpSession, "call", recorded)
    await navigate(tab.link, f"{site}/html?body={quote(HANDLERS)}", WaitUntil.SETTLED, deadline)
    capture = await tab.capturer.capture(engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline)
    assert {"Open", "Inside"} <= {each.name for each in capture.elements if each.interactive}
    assert any(reply["listeners"] for reply in replies)
    assert "the source of a handler" not in str(replies)


FRAME_BELOW = """<!doctype html><div>Open</div><p style=height:3000px></p><iframe srcdoc="<p onclick=1>Inside</p>"></iframe>
<script>document.querySelector('div').addEventListener('click', () => 1)</script>"""


async def test_a_first_look_asks_for_listeners_once_and_a_frame_that_comes_into_view_is_asked(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    asked: list[str] = []
    call = CdpSession.call

    async def recorded(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        asked.append(method)
        return await call(session, method, *args, **params)

    async def listed() -> set[str]:
        capture = await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=False, deadline=deadline
        )
        return {each.name for each in capture.elements if each.interactive}

    monkeypatch.setattr(CdpSession, "call", recorded)
    await navigate(tab.link, f"{site}/html?body={quote(FRAME_BELOW)}", WaitUntil.SETTLED, deadline)
    assert await listed() == {"Open"}
    assert asked.count("DOMDebugger.getEventListeners") == len(tab.link.frames)
    await tab.page.evaluate("document.querySelector('iframe').scrollIntoView()")
    assert "Inside" in await listed()


async def test_a_change_after_a_frame_of_another_process_went_out_of_view(
    browser: BrowserSession, site: str, other_site: str
) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    inner = f"{other_site}/html?body={quote('<button>Inside</button>')}"
    body = f"<!doctype html><iframe src='{inner}'></iframe><p style=height:3000px></p><button>End</button>"
    await navigate(tab.link, f"{site}/html?body={quote(body)}", WaitUntil.SETTLED, deadline)

    async def listed() -> set[str]:
        capture = await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=False, deadline=deadline
        )
        return {each.name for each in capture.elements if each.interactive}

    assert "Inside" in await listed()
    assert len({tab.link.session_of(frame).session_id for frame in tab.link.frames}) == 2
    await tab.page.evaluate("scrollTo(0, 9999)")
    assert await listed() == {"End"}
    assert await listed() == {"End"}


GRAPH = """<!doctype html><svg width=500 height=60><g id=viewport><g id=a class=node><rect width=60 height=30 /><text y=20>Ann</text></g>
<g id=b transform="translate(80,0)"><rect width=9 height=9 /><rect x=9 width=9 height=9 /><rect x=18 width=9 height=9 /></g>
<g class=edges><path d="M0 50h100"/></g></g></svg><svg id=all width=300 height=60><g style="cursor:pointer"><rect width=60
height=30 /><text y=20>Bob</text></g></svg><script>for (const id of ['viewport', 'a', 'b', 'all'])
document.getElementById(id).addEventListener('click', () => 1)</script>"""


async def test_nodes_of_a_drawn_graph_are_targets(browser: BrowserSession, site: str) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    await navigate(tab.link, f"{site}/html?body={quote(GRAPH)}", WaitUntil.SETTLED, deadline)
    for _ in range(2):
        capture = await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline
        )
    assert [(each.role, each.name or each.hint) for each in capture.elements if each.interactive] == [
        ("group", "Ann"),
        ("group", "b"),
        ("img", "Bob"),  # the drawing that listens for its nodes
        ("group", "Bob"),
    ]


MANY = """<!doctype html><p>Text</p><svg width=9 height=9><g></g></svg><template><div>Not in the document</div></template>
<style>p::before { content: '-' }</style><x-list></x-list><iframe srcdoc="<b>Inside</b>"></iframe><div id=all></div><script>
const listen = (at, name) => { const item = document.createElement('div'); item.textContent = name;
  item.addEventListener('click', () => 1); at.append(item); };
const shadow = document.querySelector('x-list').attachShadow({ mode: 'open' });
for (let i = 0; i < 3; i++) listen(shadow, `shadow ${i}`);
for (let i = 0; i < 200; i++) { if (i % 2) all.append(document.createElement('i')); listen(all, `item ${i}`); }</script>"""


@pytest.mark.parametrize("change", ["", "document.querySelector('#all').prepend(document.createElement('b'))"])
async def test_many_listening_nodes_are_told_by_their_places_and_one_by_one_where_these_change(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    asked: list[str] = []
    start = CdpSession.start

    def recorded(session: CdpSession, method: str, **params: Any) -> Any:
        asked.append(method)
        reply = start(session, method, **params)
        if method == "DOMSnapshot.captureSnapshot" and change:
            start(session, "Runtime.evaluate", expression=change)
        return reply

    monkeypatch.setattr(CdpSession, "start", recorded)
    await navigate(tab.link, f"{site}/html?body={quote(MANY)}", WaitUntil.SETTLED, deadline)
    capture = await tab.capturer.capture(engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline)
    found = [each.name for each in capture.elements if each.interactive]
    assert found == [*(f"shadow {i}" for i in range(3)), *(f"item {i}" for i in range(200))]
    assert asked.count("DOMSnapshot.captureSnapshot") == 1
    assert (asked.count("DOM.resolveNode") > 200) == bool(change)


async def test_listeners_are_learned_where_the_object_that_was_asked_is_gone(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    asked: list[str] = []
    call = CdpSession.call

    async def recorded(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        asked.extend([params["objectId"]] if method == "DOMDebugger.getEventListeners" else [])
        return await call(session, method, *args, **params)

    monkeypatch.setattr(CdpSession, "call", recorded)
    await tab.page.goto(f"{site}/html?body={quote('<p>First</p><div>Later</div>')}")  # Playwright's, as what follows is
    for name, selector in (("First", "p"), ("Later", "div")):
        await tab.page.evaluate(
            f"document.querySelector('{selector}').addEventListener('click', () => 1); document.body.append('news')"
        )
        capture = await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline
        )
        assert name in {each.name for each in capture.elements if each.interactive}
        await tab.link.session.call("Runtime.releaseObject", deadline, "releasing", objectId=asked[-1])
    assert len(set(asked)) > 1


LATE = '<p>Early</p><iframe srcdoc="<p>Inside</p>"></iframe>'


async def interactive(tab: Tab) -> set[str]:
    capture = await tab.capturer.capture(
        engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=Deadline.of(30)
    )
    return {each.name for each in capture.elements if each.interactive}


@pytest.mark.parametrize("place", ["document", "document.querySelector('iframe').contentDocument"])
async def test_a_listener_that_comes_without_any_other_change_is_seen(
    browser: BrowserSession, site: str, place: str
) -> None:
    tab = browser.tab()
    await tab.page.goto(f"{site}/html?body={quote(LATE)}")
    name = "Early" if place == "document" else "Inside"
    for _ in range(3):
        assert name not in await interactive(tab)
    await tab.page.evaluate(f"{place}.querySelector('p').addEventListener('click', () => 1)")
    assert not await tab.capturer.is_unchanged(Deadline.of(30))
    assert name in await interactive(tab)
    assert await tab.capturer.is_unchanged(Deadline.of(30))


async def test_a_page_that_adds_listeners_all_the_time_is_asked_for_them_a_few_times_only(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, asked = browser.tab(), 0
    await tab.page.goto(f"{site}/html?body={quote('<p>Early</p>')}")
    call = CdpSession.call

    async def counted(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        nonlocal asked
        asked += method == "DOMDebugger.getEventListeners"
        return await call(session, method, *args, **params)

    monkeypatch.setattr(CdpSession, "call", counted)
    counts = []
    for _ in range(2 * MAX_FUTILE):
        await tab.page.evaluate("addEventListener('message', () => 1)")
        await interactive(tab)
        counts.append(asked)
    assert counts[0] < counts[MAX_FUTILE] == counts[-1]
