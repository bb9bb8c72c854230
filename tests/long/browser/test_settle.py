"""A page is waited for until it stands still, and no longer than is asked."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.browser_session import BrowserSession
from perception.browser.capture.probe import probe_rest
from perception.browser.capture.settle import settle
from perception.browser.page.awaited import QUIET_SECONDS
from perception.browser.page.navigation import Settled, WaitUntil, navigate
from perception.datasets.sources.arrival import arrive
from perception.deadline import Deadline
from perception.types import Capture, Engine, Scope
from tests.support.sheet import Sheet
from tests.support.waiting import until


@pytest.fixture
def shared(sheet: Sheet) -> BrowserSession:
    """What a tab has learned of a page's requests it keeps: a test of polls takes a session of its own."""
    return sheet.session


async def settle_on(browser: BrowserSession, site: str, body: str, timeout_s: float) -> Settled:
    tab = browser.tab()
    url = f"{site}/html?body={quote('<!doctype html>' + body)}"
    await navigate(tab.link, url, WaitUntil.DOM_CONTENT_LOADED, Deadline.of(60))
    settled = await settle(tab.link, timeout_s, Deadline.of(60))
    await arrive(tab, Deadline.of(60))
    return settled


async def test_what_a_script_adds_after_a_while_is_waited_for(shared: BrowserSession, site: str) -> None:
    script = (
        "<p>Loading</p><script>let n = 0; const timer = setInterval(() => { document.body.append(`${++n} `);"
        " if (n === 10) { clearInterval(timer); document.title = 'done' } }, 40)</script>"
    )
    settled = await settle_on(shared, site, script, 60)
    assert "changes" not in settled.pending
    assert await shared.tab().page.title() == "done"


async def test_a_page_that_never_settles_is_left_at_the_deadline(shared: BrowserSession, site: str) -> None:
    script = "<p id=p></p><script>setInterval(() => { p.textContent = Date.now() }, 16)</script>"
    settled = await settle_on(shared, site, script, 0.6)
    assert settled.pending  # "changes"; on a busy machine its script is late itself, and something else is waited for
    assert settled.waited_s >= 0.5


async def test_a_page_that_came_to_rest_since_is_the_same_page_from_then_on(shared: BrowserSession, site: str) -> None:
    await settle_on(shared, site, "<p>Here</p>", 60)
    tab = shared.tab()

    async def look() -> Capture:
        return await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=True, deadline=Deadline.of(60)
        )

    tab.link.requests.note_input()
    await tab.page.evaluate(
        "stop = new AbortController(); void fetch('/never', { signal: stop.signal }).catch(() => 0)"
    )
    first = await look()
    await tab.page.evaluate("stop.abort()")
    await until(lambda: not tab.link.requests.open)
    second = await look()
    assert (first.pending, second.pending) == (("fetch /never",), ())
    assert await look() is second


async def test_a_page_that_has_been_at_rest_since_is_looked_at_once(
    shared: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    async def counted(*args: Any) -> Any:
        nonlocal looks
        looks += 1
        return await probe_rest(*args)

    monkeypatch.setattr("perception.browser.capture.settle.probe_rest", counted)

    async def looks_until_rest() -> int:
        nonlocal looks
        looks = 0
        assert (await settle(shared.tab().link, 60, Deadline.of(60))).pending == ()
        return looks

    await settle_on(shared, site, "<p>Here</p>", 60)
    await asyncio.sleep(QUIET_SECONDS)
    assert await looks_until_rest() == 1
    await shared.tab().page.evaluate("document.querySelector('p').textContent = 'There'")
    assert await looks_until_rest() > 1


async def test_a_static_page_has_nothing_pending_on_its_first_look(shared: BrowserSession, site: str) -> None:
    url = f"{site}/html?body={quote('<!doctype html><p>Here</p>')}"
    await navigate(shared.tab().link, url, WaitUntil.LOAD, Deadline.of(60))
    first = await shared.tab().capturer.capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=False, deadline=Deadline.of(60)
    )
    assert first.pending == ()


async def test_an_edge_that_is_drawn_anew_is_not_waited_for(shared: BrowserSession, site: str) -> None:
    style = (
        "<style>input { border: 1px solid; outline: 0; transition: border-color 50s, box-shadow 50s } "
        "input:focus { border-color: red; box-shadow: 0 0 9px red }</style>"
    )
    await settle_on(shared, site, f"{style}<input id=b>", 60)
    await shared.tab().page.evaluate("b.focus()")
    settled = await settle(shared.tab().link, 60, Deadline.of(60))
    assert settled.pending == ()
    assert settled.waited_s < 40
    assert await shared.tab().page.evaluate("document.getAnimations().length") > 0


async def test_a_picture_that_never_loads_is_reported_and_not_awaited(shared: BrowserSession, site: str) -> None:
    settled = await settle_on(shared, site, "<p>Here</p><img src=/never>", 60)
    assert settled.pending == ()
    assert settled.background == ("load", "image /never")
    assert settled.waited_s < 59


SHOW = "<button id=b>Go</button><p id=out></p><script>const show = (text) => { out.textContent = text };</script>"


async def click_on(browser: BrowserSession, site: str, body: str, timeout_s: float) -> tuple[Settled, str]:
    """How a wait ended after a click on a page at rest, and what the page showed then."""
    await settle_on(browser, site, SHOW + body, 60)
    tab = browser.tab()
    await tab.page.hover("#b")  # so that the click, when it is noted, is sent at once
    tab.link.requests.note_input()
    await tab.page.mouse.down()
    await tab.page.mouse.up()
    settled = await settle(tab.link, timeout_s, Deadline.of(60))
    return settled, await tab.page.inner_text("#out")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("await fetch('/late?ms=700'); show('done')", id="fetch whose answer is not read"),
        pytest.param("await wait(300); await (await fetch('/late?ms=300')).text(); show('done')", id="debounced fetch"),
        pytest.param(
            "let n = 0; while (n++ < 3) await (await fetch(`/late?ms=200&n=${n}`)).text(); show('done')", id="chain"
        ),
        pytest.param("const i = new Image(); i.onerror = () => show('done'); i.src = '/late?ms=900'", id="image"),
        pytest.param("show('Loading…'); await wait(900); show('done')", id="words"),
        pytest.param("out.ariaBusy = 'true'; await wait(1500); out.ariaBusy = null; show('done')", id="aria-busy"),
        pytest.param("document.startViewTransition(() => wait(900).then(() => show('done')))", id="view transition"),
        pytest.param(
            "out.style.height = '9px'; const a = out.animate([{ opacity: .5 }], { duration: 900, iterations: 1e400 });"
            "await wait(1500); a.cancel(); show('done')",
            id="spinner",
        ),
    ],
)
async def test_what_a_click_began_is_waited_for(shared: BrowserSession, site: str, script: str) -> None:
    late = "<script>const wait = (ms) => new Promise((done) => setTimeout(done, ms));"
    settled, text = await click_on(shared, site, f"{late} b.onclick = async () => {{ {script} }}</script>", 60)
    assert (text, settled.pending) == ("done", ())


@pytest.mark.parametrize(
    ("word", "pending"),
    [("Loading", True), ("Processing…", True), ("Wird geladen", True), ("Processing", False), ("Laden", False)],
)
async def test_words_for_waiting_are_awaited_and_those_for_other_things_are_not(
    shared: BrowserSession, site: str, word: str, *, pending: bool
) -> None:
    settled = await settle_on(shared, site, f"<b>{word}</b><p>Here</p>", 0.5)
    assert ("loading text" in settled.pending) == pending


async def test_what_is_pending_when_the_time_is_up_is_named(shared: BrowserSession, site: str) -> None:
    script = "<script>b.onclick = () => void fetch('/never?token=secret')</script>"
    settled, _ = await click_on(shared, site, script, 0.8)
    assert settled.pending == ("fetch /never",)


async def test_a_poll_is_no_reason_to_wait(browser: BrowserSession, site: str) -> None:
    poll = "<script>b.onclick = () => show('done'); setInterval(() => void fetch('/late?ms=900'), 200)</script>"
    await settle_on(browser, site, SHOW + poll, 60)
    tab = browser.tab()
    await until(lambda: any(tab.link.requests.is_poll(each) for each in tab.link.requests.open.values()))
    tab.link.requests.note_input()
    await tab.page.click("#b")
    settled = await settle(tab.link, 60, Deadline.of(60))
    assert settled.pending == ()
    assert settled.background == ("fetch /late",)


async def test_a_page_that_shows_nothing_yet_is_not_at_rest(shared: BrowserSession, site: str) -> None:
    script = quote("document.body.append('done')")
    settled = await settle_on(shared, site, f"<script async src='/late?ms=900&body={script}'></script>", 60)
    assert settled.pending == ()
    assert await shared.tab().page.inner_text("body") == "done"


async def test_a_refresh_that_is_due_is_followed(shared: BrowserSession, site: str) -> None:
    await settle_on(shared, site, "<meta http-equiv=refresh content='1;url=/html?body=done'><p>Wait", 60)
    assert await shared.tab().page.inner_text("body") == "done"


@pytest.mark.parametrize(("times", "pending"), [("infinite", False), ("50", True)])
async def test_an_animation_is_waited_for_if_it_ends(
    shared: BrowserSession, site: str, times: str, *, pending: bool
) -> None:
    style = f"<style>@keyframes a {{ to {{ opacity: .99 }} }} p {{ animation: a 1s {times} }}</style><p>Text</p>"
    settled = await settle_on(shared, site, style, 1.0)
    assert ("animations" in settled.pending) == pending


async def test_pixels_that_move_without_the_document_are_noticed(shared: BrowserSession, site: str) -> None:
    script = (
        "<canvas id=c width=400 height=300></canvas><script>const g = c.getContext('2d');"
        "(function draw() { g.fillStyle = `hsl(${Math.random() * 360} 90% 50%)`;"
        " g.fillRect(Math.random() * 300, Math.random() * 200, 100, 100); requestAnimationFrame(draw) })()</script>"
    )
    settled = await settle_on(shared, site, script, 2.0)
    assert "pixels" in settled.pending


async def test_a_key_alone_is_no_change_that_is_waited_out(shared: BrowserSession, sheet: Sheet) -> None:
    tab = shared.tab()
    await sheet.write("<input autofocus aria-label=Name><p>Text</p>")
    await tab.page.focus("input")

    async def changes() -> int:
        facts, _ = await probe_rest(tab.link, [tab.link.main_frame], Deadline.of(60))
        return facts[0].changes

    before = await changes()
    await tab.page.keyboard.press("x")
    assert await changes() == before
    await tab.page.evaluate("document.querySelector('p').textContent = 'Other'")
    assert await changes() > before


def blinking(keyframes: str, style: str) -> str:
    return (
        f"<style>@keyframes k {{ {keyframes} }} .on {{ animation: k 1s infinite; {style} }}</style>"
        "<script>b.onclick = async () => { out.style.height = '20px'; out.className = 'on'; await new Promise("
        "(done) => setTimeout(done, 1500)); out.className = ''; show('done') }</script>"
    )


@pytest.mark.parametrize(
    ("keyframes", "style", "is_caret"),
    [
        pytest.param("50% { opacity: 0 }", "border-left: 2px solid; width: 0", True, id="narrow"),
        pytest.param("50% { opacity: 0 }", "background: red; width: 9px; animation-timing-function: steps(1)", True),
        pytest.param("50% { opacity: 0 }", "background: red; width: 9px; animation-timing-function: step-end", True),
        pytest.param("50% { scale: 1 .2 }", "background: red; width: 4px", False, id="bar"),
        pytest.param("50% { opacity: 0 }", "background: red; width: 9px", False, id="pulse"),
        pytest.param("to { rotate: 1turn }", "background: red; width: 9px; animation-timing-function: steps(8)", False),
    ],
)
async def test_a_caret_that_blinks_is_no_loading_indicator(
    shared: BrowserSession, site: str, keyframes: str, style: str, *, is_caret: bool
) -> None:
    settled, text = await click_on(shared, site, blinking(keyframes, style), 4.0)
    assert settled.pending == ()
    assert (text == "") == is_caret


async def late_work_after(browser: BrowserSession, site: str, body: str) -> bool:
    """Whether scripts may still do something after a click on a page that was at rest for a while."""
    await settle_on(browser, site, SHOW + body, 60)
    link = browser.tab().link
    await asyncio.sleep(0.5)
    link.note_input()
    await browser.tab().page.click("#b")
    facts, _ = await probe_rest(link, [link.main_frame], Deadline.of(60))
    return link.rest.late.may_come({link.main_frame: facts[0].timers})


@pytest.mark.parametrize(
    ("script", "may_come"),
    [
        ("b.onclick = () => show('done')", False),
        ("setTimeout(show, 50, 'late'); b.onclick = () => Promise.resolve().then(() => show('done'))", False),
        ("b.onclick = () => setTimeout(show, 5000, 'done')", True),
        ("b.onclick = () => setTimeout(setTimeout, 0, show, 5000, 'done')", True),
        ("let was = 0; b.onclick = () => { was = 1 }; setInterval(() => { if (was) show('done') }, 200)", True),
        ("const w = new Worker('data:text/javascript,'); b.onclick = () => w.postMessage(1)", True),
    ],
)
async def test_timers_that_input_sets_are_known(
    shared: BrowserSession, site: str, script: str, *, may_come: bool
) -> None:
    assert await late_work_after(shared, site, f"<script>{script}</script>") == may_come


async def test_our_own_timers_are_not_the_pages(sheet: Sheet) -> None:
    await sheet.write("<label>Name <input value=a></label>")
    link = sheet.tab.link

    async def timers() -> int:
        facts, _ = await probe_rest(link, [link.main_frame], Deadline.of(60))
        return facts[0].timers

    before = await timers()
    await link.ask(link.main_frame, "paintAll", Deadline.of(60), "painting", 1000)
    assert await timers() == before
    await sheet.tab.page.evaluate("void setTimeout(() => 0, 9000)")
    assert await timers() == before + 1
