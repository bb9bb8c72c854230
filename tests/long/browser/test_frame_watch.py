"""What a watched tab shows is what a new screenshot of it shows, whatever paints, and watching it cannot be noticed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import numpy as np
import pytest

from perception.browser.browser_session import SessionOptions, Tab
from perception.browser.capture import frame_watch
from perception.browser.capture.frame_watch import MAX_UNUSED, MAX_UNUSED_STILL
from perception.browser.capture.redaction import take_shot
from perception.browser.chromium.browser_host import BrowserHost
from perception.deadline import Deadline
from perception.types import Capture, Engine, Pixels, Scope, Viewport
from tests.support.sheet import Sheet

FRESH = "<script></script>"
"""Makes a page that is written one with a window of its own."""

STILL = "<style>input { caret-color: transparent }</style><h1>Orders</h1><p>One</p>"
STILL += "<input value=a><div id=box style='width:40px;height:40px;background:red'></div>"


@pytest.fixture(scope="module")
async def sheet(host: BrowserHost, site: str) -> AsyncIterator[Sheet]:
    """A tab with a small window: a screenshot takes as long as it is large."""
    session = await host.new_session(SessionOptions(viewport=Viewport(480, 360)), lambda _: None, Deadline.of(60))
    yield Sheet(session, site)
    await session.close()


@pytest.fixture
def tab(sheet: Sheet) -> Tab:
    return sheet.tab


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks wait for frames however late they come: on a busy machine they would take a new screenshot instead."""
    monkeypatch.setattr(frame_watch, "FRAME_MS", 30_000)
    monkeypatch.setattr(frame_watch, "PATIENCE_SECONDS", 30.0)
    monkeypatch.setattr(frame_watch, "COMPARE_SECONDS", 30.0)


async def look(tab: Tab) -> Capture:
    return await tab.capturer.capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=True, deadline=Deadline.of(60)
    )


async def watched(sheet: Sheet, html: str = STILL) -> Capture:
    """A page that is watched, and what it shows."""
    tab = sheet.tab
    async with asyncio.timeout(60):
        while True:  # on a busy machine a page that has just come may paint until it is watched no longer
            await sheet.write(f"{html}<script></script>")  # a new document
            await sheet.collect_garbage()  # else it comes between two looks: what has other listeners is read again
            await look(tab)
            seen = await look(tab)
            for _ in range(MAX_UNUSED + MAX_UNUSED_STILL):
                if tab.capturer.is_watching and seen is await look(tab):
                    return seen
                seen = await look(tab)


async def is_as_new(tab: Tab, seen: Capture) -> bool:
    """Whether a capture shows what a new screenshot shows."""
    shot = await take_shot(tab.link, Deadline.of(60), reveal=False)
    return same_pixels(seen, shot.pixels())


def same_pixels(one: Capture, pixels: Pixels) -> bool:
    assert one.screenshot is not None
    return np.array_equal(one.screenshot.pixels, pixels)


class Shots:
    """Counts the screenshots of a tab."""

    def __init__(self, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken = 0
        start = tab.link.link.start

        def counting(session_id: str, method: str, params: dict[str, object]) -> asyncio.Future[dict[str, object]]:
            self.taken += method == "Page.captureScreenshot"
            return start(session_id, method, params)

        monkeypatch.setattr(tab.link.link, "start", counting)


@pytest.mark.usefixtures("patient")
async def test_a_page_that_stays_as_it_is_needs_no_other_screenshot(
    tab: Tab, sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await watched(sheet)
    shots = Shots(tab, monkeypatch)
    for _ in range(5):
        assert await look(tab) is before
    assert shots.taken == 0
    assert tab.capturer.is_watching


async def test_a_tab_that_nobody_looks_at_is_watched_no_longer(
    tab: Tab, sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_watch, "WATCH_SECONDS", 0.2)
    await watched(sheet)
    async with asyncio.timeout(10):
        while tab.capturer.is_watching:  # noqa: ASYNC110  (it ends by itself)
            await asyncio.sleep(0.01)


NOTICING = """<script>
  seen = { resized: 0, hidden: 0, painted: 0, changed: 0 };
  addEventListener('resize', () => seen.resized++);
  addEventListener('scroll', () => seen.resized++, true);
  document.addEventListener('visibilitychange', () => seen.hidden++);
  new MutationObserver((all) => { seen.changed += all.length }).observe(document,
    { subtree: true, childList: true, attributes: true, characterData: true });
  new ResizeObserver(() => seen.painted++).observe(document.documentElement);
</script>"""


@pytest.mark.usefixtures("patient")
async def test_a_page_cannot_notice_that_it_is_watched(tab: Tab, sheet: Sheet) -> None:
    await watched(sheet, STILL + NOTICING)
    before = await tab.page.evaluate("({ ...seen })")
    for _ in range(3):
        await look(tab)
    assert tab.capturer.is_watching
    assert await tab.page.evaluate("({ ...seen })") == before
    assert (before["resized"], before["hidden"]) == (0, 0)


@pytest.mark.parametrize(
    "part",
    [
        pytest.param("<canvas width=50 height=50></canvas>", id="canvas"),
        pytest.param("<video controls></video>", id="video"),
        pytest.param("<style>h1 { animation: x 9s 9s } @keyframes x { to { opacity: 0 } }</style>", id="animation"),
    ],
)
async def test_what_may_be_shown_without_a_frame_of_the_page_is_not_taken_as_known(
    tab: Tab, sheet: Sheet, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sheet.write(STILL + part)
    await look(tab)
    shots = Shots(tab, monkeypatch)
    await look(tab)
    await look(tab)
    assert shots.taken >= 2


async def test_a_document_that_always_changes_is_captured_once_a_look(
    tab: Tab, sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sheet.write(
        STILL + "<script>setInterval(() => { document.querySelector('p').textContent = Math.random() })</script>"
    )
    assert (await look(tab)).torn
    shots = Shots(tab, monkeypatch)
    assert (await look(tab)).torn
    assert shots.taken == 1
    await sheet.write(STILL)
    assert not (await look(tab)).torn


PAINTING = [
    "document.querySelector('p').textContent = 'Two'",
    "document.querySelector('#box').style.background = 'blue'",
    "document.styleSheets.length || document.head.append(document.createElement('style')); "
    "document.styleSheets[0].insertRule('#box { background: lime !important }')",
    "getSelection().selectAllChildren(document.querySelector('h1'))",
    "document.querySelector('input').value = 'changed'",
    "document.querySelector('input').focus()",
    "document.querySelector('#box').animate([{opacity: 0}, {opacity: 0}], {duration: 1e6})",
    "const own = document.createElement('canvas'); document.body.prepend(own); "
    "own.getContext('2d').fillRect(0, 0, 9, 9)",
    "CSS.highlights.set('h', new Highlight(new StaticRange({startContainer: document.querySelector('h1').firstChild, "
    "startOffset: 0, endContainer: document.querySelector('h1').firstChild, endOffset: 3})))",
]


@pytest.mark.parametrize("script", PAINTING, ids=range(len(PAINTING)))
async def test_what_a_page_paints_is_seen_at_once(tab: Tab, sheet: Sheet, script: str) -> None:
    before = await watched(sheet, STILL + "<style>::highlight(h) { background: yellow }</style>")
    await tab.page.evaluate(f"() => {{ {script} }}")
    seen = await look(tab)
    assert before.screenshot is not None
    assert not same_pixels(seen, before.screenshot.pixels)
    assert await is_as_new(tab, seen)


PAINTED = """<style>canvas, video, iframe { width: 90px; height: 60px; border: 0 } input { caret-color: transparent }
  @keyframes slide { to { transform: translateX(200px) } }</style>
<canvas id=plain width=90 height=60></canvas><canvas id=gl width=90 height=60></canvas>
<canvas id=fast width=90 height=60></canvas><canvas id=own width=90 height=60></canvas>
<canvas id=away width=90 height=60></canvas>
<script>
  const inks = { plain: plain.getContext('2d'), fast: fast.getContext('2d', { desynchronized: true }),
    own: own.transferControlToOffscreen().getContext('2d') };
  const graphics = gl.getContext('webgl', { preserveDrawingBuffer: true });
  const worker = new Worker(URL.createObjectURL(new Blob([`let ink; onmessage = ({ data }) => {
    if (data.canvas) ink = data.canvas.getContext('2d');
    ink.fillStyle = data.color; ink.fillRect(0, 0, 90, 60); postMessage(0) }`])));
  // What an offscreen canvas has comes to the screen apart from the page's own frames.
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const inWorker = (color, canvas) => new Promise((done) => {
    worker.onmessage = () => painted().then(done);
    worker.postMessage({ color, canvas }, canvas ? [canvas] : []) });
  const ready = inWorker('red', away.transferControlToOffscreen());
</script>"""
"""Canvases of every kind that a page may have."""

CANVAS_CHANGES = [
    "ink(inks.plain)",
    "ink(inks.fast)",
    "ink(inks.own); return painted()",
    "{ graphics.clearColor(random(), random(), random(), 1); graphics.clear(16384) }",
    "return ready.then(() => inWorker(color))",
]

PAINT_CHANGES = [
    "pick('p,li,h1,button').style.color = color",
    "getSelection().selectAllChildren(pick('p,li,h1,button'))",
    "getSelection().empty()",
    "document.body.style.background = color",
    "pick('p,li,h1,div').animate([{ opacity: random() }], { duration: 1, fill: 'forwards' })",
    "{ const all = document.getAnimations(); all.forEach((each) => each.cancel()) }",
    "scrollBy(0, [-40, 40][n % 2])",
    "pick('p,li,h1').textContent = 'text ' + n",
    "pick('p,li,h1').title = 'unseen ' + n",
    "{ const image = new Image(20, 20); image.src = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'>"
    "<rect width='20' height='20' fill='${encodeURIComponent(color)}'/></svg>`; document.body.prepend(image); "
    "return image.decode() }",
    "setTimeout(() => { document.body.style.outline = '4px solid ' + color }, n % 20)",
]

ONE_CHANGE = """([change, seed, n]) => {
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
  const pick = (css) => { const all = [...document.querySelectorAll(css)];
    return all[Math.floor(random() * all.length)] || document.createElement('p') };
  const color = `rgb(${[0, 0, 0].map(() => Math.floor(random() * 255))})`;
  const ink = (context) => { context.fillStyle = color; context.fillRect(random() * 40, random() * 40, 30, 20) };
  return eval(`(() => { ${change} })()`);
}"""

TEXTS = "<h1>Orders</h1><p>One</p><ul><li>Two<li>Three</ul><div>Four <button>Pay</button></div><input value=five>"


async def change(tab: Tab, source: random.Random, number: int, changes: list[str]) -> str:
    """Changes the page, or a frame in it."""
    frame = source.choice(tab.page.frames)
    chosen = source.choice(changes if frame is tab.page.main_frame else PAINT_CHANGES)
    await frame.evaluate(ONE_CHANGE, [chosen, source.randrange(2**31), number])
    return f"{number}: {chosen} in {frame.url[:40]}"


async def wait_until_painted(tab: Tab) -> None:
    """Timers and animations of the changes are over, and so is what they have painted."""
    for frame in tab.page.frames:
        await frame.evaluate(
            "Promise.all(document.getAnimations().map((each) => each.finished)).then(() => new Promise((done) =>"
            " setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 25)))"
        )


async def wait_until_watched(tab: Tab) -> None:
    """Returns once the tab is watched; it need not be."""
    for _ in range(25):
        if tab.capturer.is_watching:
            return
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("html", "changes"),
    [
        pytest.param(TEXTS, PAINT_CHANGES, id="texts"),
        pytest.param(PAINTED + TEXTS, PAINT_CHANGES + CANVAS_CHANGES, id="canvases"),
        pytest.param("FRAMES" + TEXTS, PAINT_CHANGES, id="frames"),
    ],
)
async def test_whatever_changes_the_picture_is_that_of_a_new_screenshot(
    tab: Tab,
    sheet: Sheet,
    html: str,
    changes: list[str],
    site: str,
    other_site: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some pages are watched when they change, some are looked at meanwhile, and some do not change."""
    monkeypatch.setattr(frame_watch, "ALONE_SECONDS", 0.0)
    source, reused = random.Random(11), 0
    frames = "".join(f"<iframe src='{origin}/form.html' height=90></iframe>" for origin in (site, other_site))
    for step in range(int(request.config.getoption("--changes")) // 3):
        if step % 20 == 0:
            await sheet.write(html.replace("FRAMES", frames) + FRESH)
            await wait_until_painted(tab)
        before = await look(tab)
        if step % 4:
            before = await look(tab)
            await wait_until_watched(tab)
        made = [await change(tab, source, step, changes) for _ in range(source.choice((0, 1, 1)))]
        if "setTimeout" in str(made) or step % 5 == 0:
            await asyncio.gather(look(tab), change(tab, source, step, changes))
            await wait_until_painted(tab)
        elif "animate(" in str(made):  # its first frame may still show what was before
            await wait_until_painted(tab)
        seen = await look(tab)
        assert await is_as_new(tab, seen), made
        reused += seen is before
    assert reused or "canvas" in html
