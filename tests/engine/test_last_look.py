"""A look that keeps what the last one made says what a look says that makes everything."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perception.browser.browser_session import BrowserSession
from perception.browser.capture.frame_facts import WalkReply
from perception.browser.capture.known_rows import KnownRows
from perception.browser.page.worlds import IsolatedWorlds
from perception.engine.snapshot import EngineContext
from perception.render.tokens import count_tokens
from perception.render.written_text import WrittenText
from perception.server.convert.elements import element_messages, encode_elements
from perception.types import TextStyle, View
from perception.v1 import types_pb2 as pb
from tests.browser.test_update import CHANGES, PAGE
from tests.engine.test_look_ahead import TEXT, WIDE, change, context, differences, look, look_anew, shown

__all__ = ["context"]

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
]

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


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


async def test_whatever_changes_a_look_says_what_one_without_a_past_says(context: EngineContext) -> None:
    tab, source = context.tab, random.Random(11)
    for step in range(100):
        if step % 50 == 0:
            await tab.page.set_content(FRAMED)
        made = [await change(tab, source, step, CHANGES + MORE_CHANGES * 3) for _ in range(source.choice((0, 1, 1, 2)))]
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


async def test_what_has_not_changed_is_the_same_object(context: EngineContext) -> None:
    await context.tab.page.set_content("<main>" + "".join(f"<p>Row {n} <button>B{n}</button></p>" for n in range(40)))
    first = await look(context, WIDE)
    await context.tab.page.evaluate("document.querySelectorAll('p')[20].firstChild.data = 'Another '")
    second = await look(context, WIDE)
    others = [(old.name, new.name) for old, new in zip(first.listed, second.listed, strict=True) if old is not new]
    assert others == [("Row 20", "Another"), ("B20", "B20")]  # the button has moved


async def test_rows_that_are_the_same_are_not_sent(context: EngineContext, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[int] = []
    ask = IsolatedWorlds.ask_stamped

    async def asked(worlds: IsolatedWorlds, frame: str, call: str, *given: Any) -> str:
        text = await ask(worlds, frame, call, *given)
        answers.extend([len(text)] if call == "probeAndWalk" else [])
        return text

    monkeypatch.setattr(IsolatedWorlds, "ask_stamped", asked)
    await context.tab.page.set_content("".join(f"<p>Row {n} <button>B{n}</button></p>" for n in range(200)))
    await look(context, WIDE)
    await context.tab.page.evaluate("document.querySelectorAll('p')[20].firstChild.data = 'Another '")
    assert "Another" in (await look(context, WIDE)).text.page(0).text
    assert len(answers) == 1
    assert answers[0] < 2000


async def test_rows_that_somebody_else_was_sent_are_sent_whole(context: EngineContext) -> None:
    """Another capturer of the same tab was sent the last walk: what is the same as in that one is not known here."""
    page = context.tab.page
    await page.set_content("".join(f"<p>Row {n} <button>B{n}</button></p>" for n in range(40)))
    await look(context, WIDE)
    await page.evaluate("document.querySelectorAll('p')[20].firstChild.data = 'Theirs '")
    await look_anew(context, WIDE)
    await page.evaluate("document.querySelectorAll('p')[30].firstChild.data = 'Ours '")
    text = (await look(context, WIDE)).text.page(0).text
    assert "Theirs" in text
    assert "Ours" in text


def test_rows_are_completed_by_their_runs() -> None:
    rows: list[Any] = [f"row {n}" for n in range(6)]
    known = KnownRows()
    known.complete(WalkReply(rows=rows, frames=[], walk=7))
    reply = WalkReply(rows=["new", "last"], frames=[], walk=8, same=[0, 1, 2, 3, 4, 1])  # type: ignore[list-item]
    known.complete(reply)
    assert reply.rows == ["row 1", "row 2", "new", "row 4", "last"]
    assert known.walk == 8


@example([["\n"], ["\n", " \n"]])
@given(
    st.lists(
        st.lists(st.text(alphabet='ab-/ \r"]…', max_size=6).map(lambda words: f"{words}\n"), max_size=8), min_size=2
    )
)
def test_tokens_of_changed_lines_add_up(texts: list[list[str]]) -> None:
    written = WrittenText()
    for lines in texts:
        assert written.count(lines) == count_tokens("".join(lines))
