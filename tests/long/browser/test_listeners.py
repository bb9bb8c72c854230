"""DevTools' reports to the walkers leave the page's nodes unchanged, in every world."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.capture.late_listeners import MAX_FUTILE
from perception.browser.capture.probe import Counters
from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.navigation import WaitUntil, navigate
from perception.deadline import Deadline
from perception.types import Scope
from tests.support.sheet import Sheet
from tests.support.waiting import until

FRESH = "<!doctype html><script></script>"
"""Begins a document of which nothing is known."""

LISTENING = """<!doctype html><div class=a>Open</div><button>b</button>
<iframe srcdoc="<p onclick=1>Inside</p><button onclick=1>c</button>"></iframe>
<object type=text/html data=about:blank></object>
<script>for (const each of document.querySelectorAll('*')) each.addEventListener('click', () => 1);
document.documentElement.addEventListener('mousedown', () => 1)</script>"""

IS_OPEN = "document.readyState === 'complete' && document.body.innerText === 'Open'"

ADD_FRAME = """new Promise((done) => {
  const frame = document.createElement('iframe');
  frame.srcdoc = '<p>Inside</p><p>Again</p>';
  frame.onload = () => {
    for (const each of frame.contentDocument.querySelectorAll('p')) each.onclick = () => 1;
    done(null);
  };
  document.body.append(frame);
})"""

KNOWN = "[...document.querySelectorAll('*')].every((each) => each instanceof Element)"


async def test_nodes_that_listen_stay_of_their_own_documents_class_in_every_frame(sheet: Sheet) -> None:
    tab, deadline = sheet.tab, Deadline.of(60)
    await sheet.write(LISTENING)
    for _ in range(2):
        capture = await sheet.look()
    assert {"Open", "Inside"} <= {each.name for each in capture.elements if each.interactive}
    assert len(tab.link.frames) > 1
    for frame in tab.link.frames:
        found = await tab.link.evaluate(frame, KNOWN, deadline, "checking", returnByValue=True)
        assert found["value"] is True
    assert await tab.page.evaluate(KNOWN)


async def test_nodes_of_a_frame_that_comes_meanwhile_are_not_taken_for_those_of_the_page(
    sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = sheet.tab, Deadline.of(60)
    await sheet.write("<!doctype html><p>Before</p>")
    added: list[str] = []
    call = CdpSession.call

    async def adding(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        if (
            sheet.owns(session)
            and method == "DOMDebugger.getEventListeners"
            and not added
            and await tab.page.evaluate(IS_OPEN)
        ):
            added.append(method)
            await tab.page.evaluate(ADD_FRAME)
        return await call(session, method, *args, **params)

    monkeypatch.setattr(CdpSession, "call", adding)
    await sheet.write("<!doctype html><div>Open</div><script>document.querySelector('div').onclick = () => 1</script>")
    await sheet.look()
    await sheet.look()
    assert added
    for frame in tab.link.frames:
        assert (await tab.link.evaluate(frame, KNOWN, deadline, "checking", returnByValue=True))["value"] is True


HANDLERS = """<!doctype html><div>Open</div><iframe srcdoc="<p onclick=1>Inside</p>"></iframe>
<script>document.querySelector('div').addEventListener('click', () => 'the source of a handler')</script>"""


async def test_the_source_of_handlers_is_not_requested(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    replies: list[dict[str, Any]] = []
    call = CdpSession.call

    async def recorded(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        reply = await call(session, method, *args, **params)
        replies.extend([reply] if sheet.owns(session) and method == "DOMDebugger.getEventListeners" else [])
        return reply

    monkeypatch.setattr(CdpSession, "call", recorded)
    await sheet.write(HANDLERS)
    capture = await sheet.look()
    assert {"Open", "Inside"} <= {each.name for each in capture.elements if each.interactive}
    assert any(reply["listeners"] for reply in replies)
    assert "the source of a handler" not in str(replies)


TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

FRAME_BELOW = """<!doctype html><div>Open</div><p style=height:3000px></p><iframe srcdoc="<p onclick=1>Inside</p>"></iframe>
<script>document.querySelector('div').addEventListener('click', () => 1)</script>"""


async def test_a_first_look_asks_for_listeners_once_and_a_frame_that_comes_into_view_is_asked(
    sheet: Sheet, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = sheet.tab
    asked: list[str] = []
    call = CdpSession.call

    async def recorded(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        asked.extend([method] if sheet.owns(session) else [])
        return await call(session, method, *args, **params)

    async def listed() -> set[str]:
        capture = await sheet.look(scope=Scope.VIEWPORT)
        return {each.name for each in capture.elements if each.interactive}

    # It would ask as well, on a busy machine meanwhile.
    monkeypatch.setattr(tab.link.events, "_load_listener", None)
    monkeypatch.setattr(CdpSession, "call", recorded)
    for _ in range(10):  # on a busy machine a frame may come between the load and the look: it is asked again
        await navigate(tab.link, f"{site}/html?body={quote(FRAME_BELOW)}", WaitUntil.SETTLED, Deadline.of(60))
        await tab.link.evaluate(tab.link.main_frame, TWO_FRAMES, Deadline.of(60), "waiting", awaitPromise=True)
        asked.clear()
        assert await listed() == {"Open"}
        if asked.count("DOMDebugger.getEventListeners") == len(tab.link.frames):
            break
    else:
        pytest.fail(f"each look asked more than once, the last one with {len(tab.link.frames)} frames: {asked}")
    await tab.page.evaluate("document.querySelector('iframe').scrollIntoView()")
    assert "Inside" in await listed()


async def test_a_change_after_a_frame_of_another_process_went_out_of_view(sheet: Sheet, other_site: str) -> None:
    tab = sheet.tab
    inner = f"{other_site}/html?body={quote('<button>Inside</button>')}"
    body = f"<!doctype html><iframe src='{inner}'></iframe><p style=height:3000px></p><button>End</button>"
    await sheet.write(body)

    async def listed() -> set[str]:
        capture = await sheet.look(scope=Scope.VIEWPORT)
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


async def test_nodes_of_a_drawn_graph_are_targets(sheet: Sheet) -> None:
    await sheet.write(GRAPH)
    for _ in range(2):
        capture = await sheet.look()
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
    sheet: Sheet, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    asked: list[str] = []
    start = CdpSession.start

    def recorded(session: CdpSession, method: str, **params: Any) -> Any:
        asked.extend([method] if sheet.owns(session) else [])
        reply = start(session, method, **params)
        if sheet.owns(session) and method == "DOMSnapshot.captureSnapshot" and change:
            start(session, "Runtime.evaluate", expression=change)
        return reply

    monkeypatch.setattr(sheet.tab.link.events, "_load_listener", None)  # it would ask as well, sooner or later
    monkeypatch.setattr(CdpSession, "start", recorded)
    await sheet.write(MANY)
    await sheet.collect_garbage()
    capture = await sheet.look()
    found = [each.name for each in capture.elements if each.interactive]
    assert found == [*(f"shadow {i}" for i in range(3)), *(f"item {i}" for i in range(200))]
    assert asked.count("DOMSnapshot.captureSnapshot") == 1
    assert (asked.count("DOM.resolveNode") > 200) == bool(change)


async def test_listeners_are_learned_where_the_object_that_was_asked_is_gone(
    sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = sheet.tab, Deadline.of(60)
    asked: list[str] = []
    call = CdpSession.call

    async def recorded(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        if sheet.owns(session) and method == "DOMDebugger.getEventListeners":
            asked.append(params["objectId"])
        return await call(session, method, *args, **params)

    monkeypatch.setattr(CdpSession, "call", recorded)
    await sheet.write(f"{FRESH}<p>First</p><div>Later</div>")
    for name, selector in (("First", "p"), ("Later", "div")):
        await tab.page.evaluate(
            f"document.querySelector('{selector}').addEventListener('click', () => 1); document.body.append('news')"
        )
        capture = await sheet.look()
        assert name in {each.name for each in capture.elements if each.interactive}
        await tab.link.session.call("Runtime.releaseObject", deadline, "releasing", objectId=asked[-1])
    assert len(set(asked)) > 1


LATE = '<p>Early</p><iframe srcdoc="<p>Inside</p>"></iframe>'


async def interactive(sheet: Sheet) -> set[str]:
    return {each.name for each in (await sheet.look()).elements if each.interactive}


@pytest.mark.parametrize("place", ["document", "document.querySelector('iframe').contentDocument"])
async def test_a_listener_that_comes_without_any_other_change_is_seen(sheet: Sheet, place: str) -> None:
    tab = sheet.tab
    await sheet.write(FRESH + LATE)
    await sheet.collect_garbage()
    name = "Early" if place == "document" else "Inside"
    for _ in range(3):
        assert name not in await interactive(sheet)
    await tab.page.evaluate(f"{place}.querySelector('p').addEventListener('click', () => 1)")
    assert not await tab.capturer.is_unchanged(Deadline.of(60))
    assert name in await interactive(sheet)
    assert await tab.capturer.is_unchanged(Deadline.of(60))


async def test_a_page_that_adds_listeners_all_the_time_is_asked_for_them_a_few_times_only(
    sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, asked = sheet.tab, 0
    await sheet.write(f"{FRESH}<p>Early</p>")
    call = CdpSession.call

    async def counted(session: CdpSession, method: str, *args: Any, **params: Any) -> dict[str, Any]:
        nonlocal asked
        asked += sheet.owns(session) and method == "DOMDebugger.getEventListeners"
        return await call(session, method, *args, **params)

    monkeypatch.setattr(CdpSession, "call", counted)
    counts = []
    for _ in range(2 * MAX_FUTILE):
        await tab.page.evaluate("addEventListener('message', () => 1)")
        await interactive(sheet)
        counts.append(asked)
    assert counts[0] < counts[MAX_FUTILE] == counts[-1]


REPLACE = """[...document.querySelectorAll('div')].forEach((each) => {
  const other = document.createElement('div');
  other.textContent = each.textContent + ' again';
  other.addEventListener('click', () => 1);
  each.replaceWith(other);
})"""


JUNK = "for (let i = 0; i < 2; i++) new EventTarget().addEventListener('x', () => 1)"
"""Listeners that are there until Chromium collects its garbage."""


async def test_as_many_listeners_as_before_may_be_those_of_other_elements(sheet: Sheet) -> None:
    await sheet.write(f"{FRESH}<div onclick=1>One</div><div onclick=1>Two</div>")
    await interactive(sheet)
    await sheet.collect_garbage()
    await sheet.tab.page.evaluate(f"{JUNK}; document.body.append('changed')")
    await interactive(sheet)
    await sheet.tab.page.evaluate(REPLACE)
    await sheet.collect_garbage()
    assert await interactive(sheet) == {"One again", "Two again"}


async def test_a_listener_that_comes_as_others_are_collected_is_seen(sheet: Sheet) -> None:
    """Without any other change since the last look."""
    await sheet.write(f"{FRESH}<p>One</p>")
    await sheet.collect_garbage()
    await sheet.tab.page.evaluate(f"{JUNK}; document.body.append('changed')")
    assert await interactive(sheet) == set()
    add = "document.querySelector('p').addEventListener('click', () => 1)"
    await sheet.tab.page.evaluate(f"new Promise((done) => setTimeout(() => {{ {add}; done(null) }}))")
    await sheet.collect_garbage()
    assert await interactive(sheet) == {"One"}


async def test_as_many_listeners_as_before_may_be_others(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some come between the load and the first look, and as many go: taken away, or collected as garbage."""
    tab = sheet.tab
    monkeypatch.setattr(Counters, "theirs", property(lambda _: 1))
    swap = "const go = () => 1; first.addEventListener('click', go)"
    await tab.page.goto(f"data:text/html,<!doctype html><p id=first>First</p><script>{swap}</script>")
    await until(lambda: tab.capturer._listeners.has_learned(tab.link.loader))
    async with tab.capturer._early_listeners._asking:
        change = (
            "first.removeEventListener('click', go); const p = document.createElement('p'); p.textContent = 'Second';"
            "document.body.append(p); p.addEventListener('click', go)"
        )
        await tab.link.session.call("Runtime.evaluate", Deadline.of(60), "changing the page", expression=change)
    assert "Second" in await interactive(sheet)
