"""A look that keeps what the last one made says what a look says that makes everything."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from perception.browser.page.worlds import IsolatedWorlds
from perception.engine.request import SnapshotOptions
from perception.engine.snapshot import EngineContext
from perception.render.tokens import count_tokens
from perception.server.convert.elements import element_messages, encode_elements
from perception.types import TextStyle, View
from perception.v1 import types_pb2 as pb
from tests.support.looks import TEXT, WIDE, differences, look, look_anew, shown
from tests.support.page_changes import CHANGES, CHANGES_OF_A_PAGE, PAGE, STYLE_CHANGES, drawn, make_change
from tests.support.sheet import Sheet

FRAMED = PAGE.replace(
    "<footer>",
    "<ol>" + "".join(f"<li>Order {n} <button>Pay</button> <button>Pay</button></li>" for n in range(12)) + "</ol>"
    "<iframe title=Inner srcdoc='<h2>In</h2><button>Inside</button><p>Words</p>'></iframe><footer>",
)

MORE_CHANGES = [
    "document.querySelector('ol')?.prepend(Object.assign(document.createElement('button'), { textContent: 'Pay' }))",
    "document.querySelector('ol button')?.remove()",
    "{ const list = document.querySelector('ol'); if (list) list.append(list.firstElementChild) }",
    "{ const text = pick('ol li').firstChild; if (text) text.data = 'Order ' + n }",
    "{ const inner = document.querySelector('iframe')?.contentDocument?.querySelector('p');"
    " if (inner) inner.textContent = 'Words ' + n }",
    "{ const frame = document.querySelector('iframe'); if (frame) frame.hidden = !frame.hidden }",
    "document.querySelector('iframe')?.contentDocument?.body.prepend('More ' + n)",
    "pick('div,p,li,button').style.cssFloat = ['left', '', 'right'][n % 3]",
]

MOVED_IN_WHAT_STAYS = {
    "no box of its own": (
        "<p id=changed>A</p><div style='display: contents'><button>Pay</button></div>",
        "changed.style.height = '60px'",
    ),
    "beside a float": (
        "<div style='float: left' id=changed>A</div><p>Text <button>Pay</button></p>",
        "changed.textContent = 'Longer than before'",
    ),
    "beside a float that comes": (
        "<div id=changed></div><p>Text <button>Pay</button></p>",
        "changed.innerHTML = '<i style=\"float: left\">Longer</i>'",
    ),
    "beside a float that goes": (
        "<div id=changed><i style='float: left'>Longer</i></div><p>Text <button>Pay</button></p>",
        "changed.textContent = ''",
    ),
    "floats after a float": (
        "<div style='float: left' id=changed>A</div><div><span style='float: left'><button>Pay</button></span></div>",
        "changed.textContent = 'Longer than before'",
    ),
    "below a float": (
        "<div style='float: left; width: 50px; height: 20px' id=changed></div>"
        "<div style='height: 300px'><div style='clear: left'><button>Pay</button></div></div>",
        "changed.style.height = '60px'",
    ),
    "beside a float that is out of view": (
        "<section style='margin-top: -900px; height: 900px'><p>Over the page</p>"
        "<div style='float: left; width: 50px; height: 1000px'></div></section>"
        "<div id=changed style='height: 10px'></div><div style='height: 300px'><p><button>Pay</button></p></div>",
        "changed.style.width = '10px'",
    ),
    "in a row of a table": (
        "<table width=400><tr><td id=changed>A<td>B<tr><td>C<td><button>Pay</button></table>",
        "changed.textContent = 'Longer than before'",
    ),
    "in a cell of two rows": (
        "<table><tr><td rowspan=2><button>Pay</button><td style='height: 20px'>A<tr><td id=changed>B</table>",
        "changed.style.height = '90px'",
    ),
    "in a subgrid": (
        "<div style='display: grid; grid-template-columns: auto auto 1fr'>"
        + (
            "<div style='display: grid; grid-column: 1 / -1; grid-template-columns: subgrid'>"
            "<p>A</p><button>Pay</button></div>"
        )
        * 2,
        "document.querySelector('p').textContent = 'Longer than before'",
    ),
    "in columns": (
        "<div style='columns: 3; height: 60px; width: 600px'><p id=changed style='margin: 0; height: 20px'></p>"
        "<div style='line-height: 20px'>One<br>Two<br>Three<br>Four <button>Pay</button><br>Five<br>Six<br>Seven"
        "</div></div>",
        "changed.style.height = '40px'",
    ),
    "in text that is aligned from outside": (
        "<div id=changed><p>Text <button>Pay</button></p></div>",
        "changed.style.textAlign = 'right'",
    ),
    "in text that was aligned from outside": (
        "<div id=changed style='text-align: right'><p>Text <button>Pay</button></p></div>",
        "changed.style = ''",
    ),
    "in text of another size": (
        "<div id=changed><p style='width: 300px; height: 80px'>Text <button>Pay</button></p></div>",
        "changed.style.fontSize = '30px'",
    ),
    "in a box that is turned": (
        "<div id=changed style='width: 300px'><section><p><button>Pay</button></p></section></div>",
        "changed.style.transform = 'scaleX(-1)'",
    ),
    "in lines whose longest stays": (
        "<p><b id=changed>i</b><span> word <button>Pay</button><br>A line that is longer than the first one</span></p>",
        "changed.textContent = 'ii'",
    ),
}

LOOKS = (
    TEXT,
    WIDE,
    WIDE,
    WIDE,
    replace(WIDE, view=View.INTERACTIVE),
    replace(WIDE, style=TextStyle.COMPACT),
    replace(WIDE, max_tokens=300),
    replace(TEXT, boxes=True),
    replace(WIDE, view=View.DIGEST),
)


async def test_whatever_changes_a_look_says_what_one_without_a_past_says(
    context: EngineContext, sheet: Sheet, request: pytest.FixtureRequest
) -> None:
    tab, source = context.tab, random.Random(11)
    changes = drawn(source, CHANGES + MORE_CHANGES + STYLE_CHANGES)
    step = count = 0
    while count < request.config.getoption("--changes"):
        if step % CHANGES_OF_A_PAGE == 0:
            await sheet.write(FRAMED)
        made = [await make_change(tab, next(changes), source, step) for _ in range(source.choice((0, 1, 1, 2)))]
        count += len(made)
        options = source.choice(LOOKS)
        seen = await look(context, options)
        anew = await look_anew(context, options)
        how = f"step {step}: {made}, {options.scope}, {options.view}"
        # In which row a control is, the walker remembers from walk to walk.
        assert [each for each in differences(seen, anew) if ": row " not in each] == [], how
        assert shown(seen) == shown(anew), how
        page = seen.text.page(0)
        assert page.token_count == count_tokens(page.text), how
        assert seen.last_look is not None
        message = pb.Snapshot.FromString(encode_elements(seen.listed, page.shown, seen.last_look.encoded))
        assert list(message.elements) == element_messages(anew.listed, page.shown), how
        step += 1


@pytest.mark.parametrize("place", MOVED_IN_WHAT_STAYS)
@pytest.mark.parametrize("options", [TEXT, WIDE], ids=["viewport", "page"])
async def test_what_moves_in_a_box_that_stays_is_measured(
    context: EngineContext, sheet: Sheet, place: str, options: SnapshotOptions
) -> None:
    html, change = MOVED_IN_WHAT_STAYS[place]
    await sheet.write(f"<main>{html}</main>")
    await look(context, options)
    await look(context, options)
    await context.tab.page.evaluate(change)
    assert differences(await look(context, options), await look_anew(context, options)) == []


@pytest.mark.parametrize(
    "html",
    [
        "<div style='position: absolute; left: -9999px'><span><input type=checkbox id=box></span></div>"
        "<label for=box>Send news</label>",
        "<main style='overflow: hidden'><div style='margin-top: -500px; height: 480px'><p><input id=box type=radio></p>"
        "</div><label for=box>Send news</label></main>",
    ],
    ids=["left", "above"],
)
async def test_what_is_out_of_sight_and_used_by_its_label_stays_listed(
    context: EngineContext, sheet: Sheet, html: str
) -> None:
    await sheet.write(f"{html}<p>Text</p>")
    first = await look(context, TEXT)
    assert "Send news" in [each.name for each in first.listed]
    for _ in range(2):
        await context.tab.page.evaluate("document.querySelector('body > p').append(' and more')")
        assert differences(await look(context, TEXT), await look_anew(context, TEXT)) == []


async def test_what_has_not_changed_is_the_same_object(context: EngineContext, sheet: Sheet) -> None:
    await sheet.write("<main>" + "".join(f"<p>Row {n} <button>B{n}</button></p>" for n in range(40)))
    first = await look(context, WIDE)
    await context.tab.page.evaluate("document.querySelectorAll('p')[20].firstChild.data = 'Another '")
    second = await look(context, WIDE)
    others = [(old.name, new.name) for old, new in zip(first.listed, second.listed, strict=True) if old is not new]
    assert others == [("Row 20", "Another"), ("B20", "B20")]  # the button has moved


async def test_rows_that_are_the_same_are_not_sent(
    context: EngineContext, sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[int] = []
    ask = IsolatedWorlds.ask_stamped

    async def asked(worlds: IsolatedWorlds, frame: str, call: str, *given: Any) -> str:
        text = await ask(worlds, frame, call, *given)
        is_ours = worlds is context.tab.link.worlds  # those of other tabs are asked meanwhile, too
        answers.extend([len(text)] if is_ours and call == "probeAndWalk" else [])
        return text

    monkeypatch.setattr(IsolatedWorlds, "ask_stamped", asked)
    await sheet.write("".join(f"<p>Row {n} <button>B{n}</button></p>" for n in range(200)))
    await look(context, WIDE)
    answers.clear()
    await context.tab.page.evaluate("document.querySelectorAll('p')[20].firstChild.data = 'Another '")
    assert "Another" in (await look(context, WIDE)).text.page(0).text
    assert len(answers) == 1
    assert answers[0] < 2000


async def test_rows_that_somebody_else_was_sent_are_sent_whole(context: EngineContext, sheet: Sheet) -> None:
    """Another capturer of the same tab was sent the last walk: what is the same as in that one is not known here."""
    page = context.tab.page
    await sheet.write("".join(f"<p>Row {n} <button>B{n}</button></p>" for n in range(40)))
    await look(context, WIDE)
    await page.evaluate("document.querySelectorAll('p')[20].firstChild.data = 'Theirs '")
    await look_anew(context, WIDE)
    await page.evaluate("document.querySelectorAll('p')[30].firstChild.data = 'Ours '")
    text = (await look(context, WIDE)).text.page(0).text
    assert "Theirs" in text
    assert "Ours" in text
