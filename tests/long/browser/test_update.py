"""Looking again at a page that changed says the same as looking at it for the first time."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.walker.row_layout import IN_VIEWPORT
from perception.deadline import Deadline
from perception.types import Engine, Scope
from tests.support.page_changes import CHANGES, CHANGES_OF_A_PAGE, PAGE, SCRIPT, STYLE_CHANGES, drawn, make_change
from tests.support.sheet import Sheet


async def rows(tab: Tab, *, wide: bool, anew: bool) -> list[Any]:
    text = await tab.link.ask_text(tab.link.main_frame, "walk", Deadline.of(60), "looking", None, wide, anew)
    found: list[Any] = json.loads(text)["rows"]
    # Of what is out of view, a narrow look lists what it came by; whose row a row belongs to depends on that, too.
    return found if wide else [[row[0], *row[2:]] for row in found if row[7] & IN_VIEWPORT]


@pytest.mark.parametrize("seed", range(2))
async def test_a_look_after_changes_equals_a_first_look(
    sheet: Sheet, request: pytest.FixtureRequest, seed: int
) -> None:
    tab, source = sheet.tab, random.Random(seed)
    changes = drawn(source, CHANGES + STYLE_CHANGES)
    for step in range(request.config.getoption("--changes")):
        if step % CHANGES_OF_A_PAGE == 0:
            await sheet.write(PAGE)
            await rows(tab, wide=True, anew=False)
        change = await make_change(tab, next(changes), source, step)
        if "cssRules[0]" in change:  # only Chromium's counters tell of a changed rule: see test_capture
            await rows(tab, wide=True, anew=True)
            continue
        wide = bool(step % 3)
        again = await rows(tab, wide=wide, anew=False)
        first = await rows(tab, wide=wide, anew=True)
        assert again == first, f"step {step}: {change}"


MANY_ROWS = """<!doctype html><style>
  body { margin: 0 } .tall + .row { height: 55px } .tall ~ .row:nth-child(7n) { width: 70% } .gone { display: none }
  .list > * { border-bottom: 1px solid } .grid { display: grid; grid-template-columns: repeat(3, auto) }
  .wrap { display: flex; flex-wrap: wrap } .wrap > .row { width: 30% }
  .scroll { height: 20px; overflow: auto; width: 99% }
</style><h1>Rows</h1><div class="list LAYOUT">ROWS</div><p>End <button>Last</button></p>"""

ROW = """<div class=row><b>Row {0}</b> <button>Edit {0}</button><input aria-label="Amount {0}" value="{0}">
<div class=scroll>First {0}<br>Second {0}<br><a href="#{0}">Third {0}</a></div></div>"""

ROW_CHANGES = [
    "row().style.height = 30 + n % 50 + 'px'",
    "{ const e = row(); e.style.height = '30px'; e.nextElementSibling.nextElementSibling.style.height = '70px' }",
    "row().classList.toggle('tall')",
    "row().classList.toggle('gone')",
    "row().remove()",
    "row().after(row())",
    "row().before(Object.assign(document.createElement('p'), { textContent: 'New ' + n }))",
    "row().querySelector('button').textContent = 'A very long label of a button ' + n",
    "row().style.position = ['absolute', 'relative', 'sticky'][n % 3]",
    "row().querySelector('b').textContent = 'Changed ' + n",
    "document.querySelector('h1').style.height = n % 90 + 'px'",
    "row().querySelector('input').value = 'Set ' + n",
    "row().querySelector('input').disabled ^= true",
    "row().querySelector('.scroll').scrollTop = [0, 15, 30][n % 3]",
    "document.querySelector('.list').style.gridTemplateColumns = ['', '1fr 2fr 1fr', '1fr 1fr'][n % 3]",
    "document.querySelector('.list').style.width = ['', '80%', '600px'][n % 3]",
    "scrollTo(0, next(document.body.scrollHeight))",
    "scrollBy(0, n % 2 ? 700 : -700)",
]
"""Most of them far out of view, and some of them unobserved."""


@pytest.mark.parametrize("layout", ["", "grid", "wrap"])
async def test_many_rows_out_of_view_are_not_taken_for_unchanged(
    sheet: Sheet, request: pytest.FixtureRequest, layout: str
) -> None:
    tab, source = sheet.tab, random.Random(layout)
    body = "".join(ROW.format(number) for number in range(120))
    script = SCRIPT.replace("try {", "const row = () => pick('.row:not(:nth-last-child(-n+2))'); try {")
    changes = drawn(source, ROW_CHANGES)
    for step in range(request.config.getoption("--changes") // 2):
        if step % CHANGES_OF_A_PAGE == 0:
            await sheet.write(MANY_ROWS.replace("LAYOUT", layout).replace("ROWS", body))
            await rows(tab, wide=False, anew=False)
            done = []
        done.append(next(changes))
        await tab.page.evaluate(script, [done[-1], source.randrange(2**31), step])
        again = await rows(tab, wide=False, anew=False)
        if source.random() < 0.5:
            first = await rows(tab, wide=False, anew=True)
            assert rounded(again) == rounded(first), f"step {step}: {done}"
            done = []


def rounded(value: Any) -> Any:
    """Without parts of pixels: what is in a container that has not changed is not measured again."""
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value) if isinstance(value, float) else value


async def test_a_change_that_another_engines_look_came_by_is_not_lost(sheet: Sheet) -> None:
    tab = sheet.tab
    await sheet.write("<button aria-label=Before>x</button>")

    async def name(engine: Engine) -> str:
        capture = await sheet.look(engine, Scope.VIEWPORT)
        return next(each.name for each in capture.elements if each.role == "button")

    assert await name(Engine.WALKER) == "Before"
    await tab.page.evaluate("document.querySelector('button').setAttribute('aria-label', 'After')")
    assert await name(Engine.AX) == "After"
    assert await name(Engine.WALKER) == "After"


async def test_a_change_seen_by_a_cancelled_look_is_not_lost(sheet: Sheet) -> None:
    tab = sheet.tab
    await sheet.write("<button>Before</button>" + "<p><a href=#>Link</a></p>" * 100)

    async def name() -> str:
        capture = await sheet.look()
        return next(each.name for each in capture.elements if each.role == "button")

    await name()
    for step in range(12):
        await tab.page.evaluate(
            "name => document.querySelector('button').setAttribute('aria-label', name)", f"Step {step}"
        )
        called_off = asyncio.create_task(name())
        await asyncio.sleep(step * 0.002)
        called_off.cancel()
        await asyncio.gather(called_off, return_exceptions=True)
        assert await name() == f"Step {step}"


async def test_a_look_after_a_change_asks_the_top_document_once(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    tab = sheet.tab
    await sheet.write("<p>Before</p><button>Save</button>")
    await sheet.collect_garbage()
    asked: list[str] = []
    start = CdpSession.start

    def recorded(session: CdpSession, method: str, **params: Any) -> asyncio.Future[dict[str, Any]]:
        asked.extend([method] if sheet.owns(session) else [])
        return start(session, method, **params)

    async def names() -> list[str]:
        capture = await sheet.look(scope=Scope.VIEWPORT)
        return [each.name for each in capture.elements]

    for text in ("Once", "Twice"):  # by the first time Playwright adds listeners of its own
        await names()
        await tab.page.evaluate("text => { document.querySelector('p').firstChild.data = text }", text)
    monkeypatch.setattr(CdpSession, "start", recorded)
    assert await names() == ["Twice", "Save"]
    assert asked == ["Runtime.evaluate"]


async def test_what_has_something_to_scroll_since_a_change_is_seen_to_scroll_before_its_event(
    sheet: Sheet,
) -> None:
    tab = sheet.tab
    await sheet.write("<div id=box style='height:60px; overflow:auto'><p>One line</p></div>")
    scroll = "document.querySelector('#box').scrollTop = 30; JSON.parse(perceptionWalker.probe()).dirty"

    async def is_seen() -> bool:
        found = await tab.link.evaluate(tab.link.main_frame, scroll, Deadline.of(60), "scrolling", returnByValue=True)
        return bool(found["value"])

    await rows(tab, wide=True, anew=False)
    assert not await is_seen()  # nothing to scroll
    await tab.page.evaluate("document.querySelector('p').firstChild.data = 'Many lines '.repeat(900)")
    await rows(tab, wide=True, anew=False)
    assert await is_seen()


async def test_a_rule_that_changed_a_moment_ago_is_seen(sheet: Sheet) -> None:
    tab = sheet.tab
    await sheet.write("<style>#a { margin-left: 0 }</style><button id=a>Moves</button>" + "<p>Text</p>" * 100)

    async def left() -> float:
        capture = await sheet.look(scope=Scope.VIEWPORT)
        return next(each.box.left for each in capture.elements if each.name == "Moves")

    start, lefts = await left(), []
    for px in range(1, 13):  # the look is asked for before the page has painted again
        rule = f"document.styleSheets[0].cssRules[0].style.marginLeft = '{px}px'"
        change = tab.link.session.start("Runtime.evaluate", expression=rule)
        lefts.append(await left() - start)
        await change
    assert lefts == [float(px) for px in range(1, 13)]


async def test_a_focus_that_no_event_tells_of_is_seen(sheet: Sheet) -> None:
    tab = sheet.tab
    await sheet.write("<button>One</button><button>Two</button>")

    async def focused() -> list[str]:
        capture = await sheet.look(scope=Scope.VIEWPORT)
        return [each.name for each in capture.elements if "focused" in each.states]

    assert await focused() == []
    await tab.page.evaluate(  # as in a window without the focus
        """() => { for (const type of ['focusin', 'focusout'])
            addEventListener(type, (event) => event.stopImmediatePropagation(), true);
            document.querySelectorAll('button')[1].focus() }"""
    )
    assert await focused() == ["Two"]
