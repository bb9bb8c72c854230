"""Typing over real gRPC, with the effect read in the page: editors of whole documents, where the text goes, and what a
field made of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html import escape
from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.input.keys import NAMED_KEYS
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.page_words import unmarked_words
from perception.server.app import Service
from tests.support.early_ends import early_ends
from tests.support.live import Show
from tests.support.waiting import title_of

EDITOR = "<!doctype html><title>Letter</title><body contenteditable><p>Dear Ana</p>"
DESIGNED = "<!doctype html><title>Letter</title><body><p>Dear Ana</p><script>document.designMode = 'on'</script>"


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open(allow_evaluate=True)
    yield page
    await page.close()


async def refused(call: Any) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await call
    return caught.value


async def value_of(page: AsyncPage, selector: str = "#f") -> Any:
    return await page.evaluate(f"(e => e.value ?? e.textContent)(document.querySelector({selector!r}))")


# Documents that are editors


@pytest.mark.parametrize("html", [pytest.param(EDITOR, id="contenteditable"), pytest.param(DESIGNED, id="design-mode")])
@pytest.mark.parametrize("origin", ["top", "same-process", "other-process"])
async def test_a_document_that_is_an_editor_is_typed_into(
    page: AsyncPage, site: str, other_site: str, show: Show, html: str, origin: str
) -> None:
    if origin == "top":
        await show(html)
    else:
        src = f"{site if origin == 'same-process' else other_site}/html?body={quote(html)}"
        await show(f"<p>To: Ana</p><iframe src='{escape(src)}' width=400 height=200></iframe><button>Send</button>")
    (editor,) = [each for each in (await page.snapshot(mode="text")).elements if each.role == "textbox"]
    await page.type_text(editor.ref, ", hello")
    (editor,) = [each for each in (await page.snapshot(mode="text")).elements if each.role == "textbox"]
    assert editor.value == "Dear Ana, hello"
    if origin != "top":
        await page.type_text("iframe", "Hi", clear=True)
        (editor,) = [each for each in (await page.snapshot(mode="text")).elements if each.role == "textbox"]
        assert editor.value == "Hi"


async def test_an_empty_editor_without_a_height_is_typed_into(page: AsyncPage, show: Show) -> None:
    html = "<!doctype html><body></body><script>document.designMode = 'on'</script>"
    await show(f'<iframe srcdoc="{escape(html)}" width=400 height=200></iframe>')
    await page.type_text("iframe", "Hi")
    assert await page.evaluate("document.querySelector('iframe').contentDocument.body.innerText.trim()") == "Hi"


async def test_without_the_focus_a_frames_editor_is_not_typed_into(page: AsyncPage, show: Show) -> None:
    await show(f"<button>Go</button><iframe srcdoc='{escape(EDITOR)}' width=400 height=200></iframe>")
    assert (await refused(page.type_text(None, "x"))).reason == "NOT_EDITABLE"
    assert "x" not in (await page.snapshot(mode="text")).text.replace("textbox", "")


# Where the text goes


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("<input id=f value='one two three four five six'>", id="input"),
        pytest.param("<textarea id=f>one two three\nfour five six</textarea>", id="textarea"),
        pytest.param("<div id=f contenteditable>one two <b>three</b> four five six</div>", id="editor"),
        pytest.param("<input id=f value='one two three four five six' onfocus='this.select()'>", id="selected"),
        pytest.param(
            "<input id=f value='one two three four five six' onkeydown='return event.key.length === 1'>", id="no-keys"
        ),
        pytest.param(
            "<div id=f contenteditable onkeydown='return event.key.length === 1'>one two <b>three</b> six</div>",
            id="keyless",
        ),
    ],
)
async def test_text_is_appended_unless_it_is_said_where_it_goes(page: AsyncPage, show: Show, field: str) -> None:
    await show(f"<style>#f {{ width: 120px; font: 16px monospace }}</style>{field}")
    before = await value_of(page)
    assert not (await page.type_text("#f", " END")).notes
    assert (await value_of(page)).replace("\xa0", " ") == before + " END"
    await page.type_text("#f", "START ", position="start")
    assert (await value_of(page)).replace("\xa0", " ") == f"START {before} END"


async def test_text_goes_to_the_caret_on_request_and_where_the_focus_is(page: AsyncPage, show: Show) -> None:
    await show("<input id=f value=0123456789 size=10 style='font:16px monospace'>")
    await page.type_text("#f", "x", position="caret")
    value = await value_of(page)
    assert value not in ("0123456789x", "x0123456789")
    await page.press("Home")
    await page.type_text(None, "y")
    assert await value_of(page) == f"y{value}"


# What the field made of it


@pytest.mark.parametrize(
    ("field", "text", "held", "note"),
    [
        pytest.param("<input id=f maxlength=5>", "123456789", "12345", "at most 5 characters", id="cut"),
        pytest.param("<input id=f type=number>", "12abc", "12", 'numbers only: it holds "12"', id="number"),
        pytest.param(
            "<input id=f oninput=\"this.value = this.value.replace(/\\D/g, '').replace(/^(...)(...)/, '($1) $2-')\">",
            "5551234567",
            "(555) 123-4567",
            'own form: it holds "(555) 123-4567"',
            id="phone",
        ),
        pytest.param(
            "<input id=f oninput='this.value = this.value.toUpperCase()'>", "ana", "ANA", "own form", id="upper"
        ),
        pytest.param(
            "<input id=f oninput=\"if (this.value.length > 3) this.value = 'none'\">",
            "Anna",
            "none",
            '"none"',
            id="other",
        ),
        pytest.param("<input id=f type=password maxlength=4>", "hunter2", "hunt", "cut off", id="secret"),
        pytest.param("<input id=f>", "a\U0001f600b", "a\U0001f600b", "", id="astral"),
        pytest.param("<textarea id=f></textarea>", "a\n b", "a\n b", "", id="lines"),
    ],
)
async def test_an_answer_says_what_a_field_made_of_the_text(
    page: AsyncPage, show: Show, field: str, text: str, held: str, note: str
) -> None:
    await show(field)
    notes = [unmarked_words(note) for note in (await page.type_text("#f", text)).notes]
    assert await value_of(page) == held
    assert (note in notes[0] and text not in notes[0]) if note else not notes


KEYS_ONLY = """<input id=f><script>
const add = (event) => { if (event.key.length === 1) f.value += event.key; event.preventDefault(); };
f.addEventListener('keydown', add);
f.addEventListener('beforeinput', (event) => event.preventDefault());
</script>"""

CONTROLLED = """<input id=f><script>
let held = '';
f.oninput = () => { f.value = held; };
f.onkeydown = (event) => { if (event.key.length === 1) { held += event.key; f.value = held; event.preventDefault(); } };
</script>"""


@pytest.mark.parametrize("html", [pytest.param(KEYS_ONLY, id="insertion"), pytest.param(CONTROLLED, id="controlled")])
async def test_a_field_that_takes_only_keys_gets_keys_once(page: AsyncPage, show: Show, html: str) -> None:
    await show(html)
    assert not (await page.type_text("#f", "Ana")).notes
    assert await value_of(page) == "Ana"


@pytest.mark.parametrize(
    ("field", "why"),
    [
        pytest.param("<input id=f value=old oninput=\"this.value = 'old'\">", "what the page accepts", id="reverts"),
        pytest.param("<input id=f value=old onkeydown='return false'>", "what the page accepts", id="no-keys"),
        pytest.param("<input id=f type=number>", "numbers only", id="number"),
        pytest.param("<input id=f maxlength=3 value=abc>", "it is full", id="full"),
        pytest.param("<div id=f contenteditable onbeforeinput='return false'>old</div>", "accepts", id="editor"),
    ],
)
async def test_a_field_that_takes_nothing_is_an_error(page: AsyncPage, show: Show, field: str, why: str) -> None:
    await show(field)
    before = await value_of(page)
    error = await refused(page.type_text("#f", "xyz", submit=True))
    assert error.reason == "NOT_TAKEN"
    assert why in str(error)
    assert await value_of(page) == before


CHIPS = """<title>0</title><input id=f><ul id=l></ul><script>
f.oninput = () => {
  l.insertAdjacentHTML('beforeend', `<li>${f.value}`); f.value = ''; document.title = l.children.length;
};
</script>"""

HIDDEN = """<title>0</title><textarea id=f style='width:1px;height:1px;opacity:0'></textarea><script>
let text = '';
f.oninput = () => { text += f.value; f.value = ''; document.title = text; };
f.focus();
</script>"""


DIGITS = """<script>f.onkeydown = (event) => {
    if (/^\\d$/.test(event.key)) { event.preventDefault(); f.value = event.key; }
    else if (event.key.length === 1) event.preventDefault();
  };</script>"""


@pytest.mark.parametrize(
    ("html", "refused_text", "taken_text"),
    [
        pytest.param("<label>PIN digit <input id=f maxlength=1 value=3></label>" + DIGITS, "x", "3", id="digit"),
        pytest.param("<input id=f type=password value=3>" + DIGITS, "x", "7", id="password"),
        pytest.param(
            "<label>PIN <input id=f value=1234 onkeypress='return /\\d/.test(event.key)'></label>",
            "abcd",
            "1234",
            id="as-long",
        ),
        pytest.param(
            "<label>PIN <input id=f value=A1 "
            "oninput='value = /^\\w*$/.test(value) ? value.toUpperCase() : `A1`'></label>",
            "!!",
            "a1",
            id="put-back",
        ),
    ],
)
async def test_a_private_field_that_takes_nothing_in_place_of_what_it_holds_is_an_error(
    page: AsyncPage, show: Show, html: str, refused_text: str, taken_text: str
) -> None:
    await show(html)
    held = await value_of(page)
    error = await refused(page.type_text("#f", refused_text, clear=True))
    assert (error.reason, held in str(error), "clear it" in str(error)) == ("NOT_TAKEN", False, False)
    assert await value_of(page) == held
    await page.type_text("#f", taken_text, clear=True)
    assert await value_of(page) == taken_text.upper()


async def test_an_empty_private_field_that_takes_nothing_is_an_error(page: AsyncPage, show: Show) -> None:
    await show("<label>PIN digit <input id=f maxlength=1></label>" + DIGITS)
    assert (await refused(page.type_text("#f", "x", clear=True))).reason == "NOT_TAKEN"


async def test_letters_that_are_painted_in_boxes_of_their_own_are_taken(page: AsyncPage, show: Show) -> None:
    box = '<input class=box aria-hidden=true tabindex=-1 style="width:20px;pointer-events:none">'
    await show(
        f"""<div style="position:relative;width:220px">{box * 4}<input id=f maxlength=4 aria-label=Code
        style="position:absolute;inset:0;width:100%;opacity:0"></div><script>f.oninput = () => document
        .querySelectorAll(".box").forEach((each, at) => {{ each.value = f.value[at] || "" }})</script>"""
    )
    await page.type_text("#f", "12")
    assert await value_of(page) == "12"


async def test_a_secret_beside_a_field_out_of_sight_is_not_said(page: AsyncPage, show: Show) -> None:
    await show(
        """<div style="position:relative;width:220px"><p id=told>Name</p><input id=c autocomplete=cc-csc aria-label=CVC>
        <input id=f aria-label=Name style="position:absolute;inset:0;width:100%;opacity:0;pointer-events:none"></div>
        <script>c.value = 800 + 67; f.oninput = () => { told.textContent = "Other " + f.value.length }</script>"""
    )
    try:
        told = str(await page.type_text("#f", "Ana"))
    except RemoteError as exc:
        told = str(exc)
    assert "867" not in told


async def test_what_the_page_took_out_of_the_field_is_not_typed_again(page: AsyncPage, show: Show) -> None:
    await show(CHIPS)
    notes = (await page.type_text("#f", "red")).notes
    assert await title_of(page) == "3"  # a chip for each key, as with a keyboard
    assert "did something else with the text" in notes[0]
    await show(HIDDEN)
    assert not (await page.type_text(None, "red")).notes
    assert await title_of(page) == "red"


async def test_keys_that_move_on_from_field_to_field_are_no_failure(page: AsyncPage, show: Show) -> None:
    boxes = "<input maxlength=1 size=1 oninput='this.nextElementSibling?.focus()'>" * 4
    await show(boxes.replace("<input", "<input id=f", 1))
    assert not (await page.type_text("#f", "1234", keystrokes=True)).notes
    assert await page.evaluate("[...document.querySelectorAll('input')].map(e => e.value).join('')") == "1234"


MOVES_ON = """<input id=f value=Oslo onkeydown="MOVE"><ul role=listbox><li id=o role=option tabindex=0>Rome</ul>
<script>o.onkeydown = (event) => { document.title += event.key }</script>"""


async def test_a_field_that_hands_the_focus_over_has_not_taken_the_text(page: AsyncPage, show: Show) -> None:
    await show(MOVES_ON.replace("MOVE", "o.focus()"))
    with pytest.raises(RemoteError, match=r"the focus is on option .*takes no text"):
        await page.type_text("#f", "Lima", clear=True)
    assert "L" not in await title_of(page)
    await show(MOVES_ON.replace("MOVE", "if (event.key === 'L') o.focus()"))
    assert "the focus left the field before it took text" in (await page.type_text("#f", "Lima")).notes[0]
    assert await page.evaluate("f.value") == "Oslo"


# What takes keys and no text

LISTENS = """ID<script>
addEventListener('keydown', (event) => { if (event.target.id === 's') document.title += event.key });
s.focus();</script>"""

SHEET = """<div id=s tabindex=0>Cell</div><script>
s.onkeydown = (event) => {
  if (event.target !== s) return;
  event.preventDefault(); s.innerHTML = '<input id=f>'; f.value = event.key; f.focus();
};</script>"""

NO_FIELD = r"takes no text: name a text field as target, or send keys .*press.*keystrokes"


@pytest.mark.parametrize("target", [None, "#s"], ids=["focused", "target"])
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div id=s tabindex=0>Cell</div>", id="generic"),
        pytest.param("<canvas id=s tabindex=0></canvas>", id="canvas"),
        pytest.param("<ul id=s role=listbox tabindex=0><li role=option>Rome</ul>", id="listbox"),
        pytest.param("<button id=s>Go</button>", id="button"),
    ],
)
async def test_keys_go_to_what_takes_no_text_on_request(
    page: AsyncPage, show: Show, html: str, target: str | None
) -> None:
    await show(LISTENS.replace("ID", html))
    with pytest.raises(RemoteError, match=NO_FIELD):
        await page.type_text(target, "-1")
    with pytest.raises(RemoteError, match=NO_FIELD):
        await page.type_text(target, "-1", keystrokes=True, clear=True)
    assert await title_of(page) == ""
    (note,) = (await page.type_text(target, "-1", keystrokes=True)).notes
    assert "no text field: it got the text as keys" in note
    assert await title_of(page) == "-1"


async def test_keys_go_on_in_the_field_that_the_first_one_opens(page: AsyncPage, show: Show) -> None:
    await show(SHEET)
    await page.type_text("#s", "=1+2", keystrokes=True)
    assert await value_of(page) == "=1+2"


CELLS = """<table role=grid><tr><td id=s role=gridcell tabindex=-1>Cell<td role=gridcell>CONTROL</table>
<input id=k style="position:absolute;left:-99px"><script>
let cell = null, typed = '';
onmousedown = (event) => { cell = event.target.closest('td'); k.focus(); event.preventDefault(); };
k.onkeydown = (event) => { if (cell && event.key.length === 1) cell.textContent = typed += event.key; };
</script>"""


async def test_a_cell_of_a_sheet_that_a_press_selects_takes_keys(page: AsyncPage, show: Show) -> None:
    await show(CELLS.replace("CONTROL", ""))
    await page.type_text("#s", "=1+2", keystrokes=True)
    assert await value_of(page, "#s") == "=1+2"


async def test_keys_for_a_cell_press_nothing_in_it(page: AsyncPage, show: Show) -> None:
    await show(CELLS.replace("CONTROL", "<button id=b onclick='title = 1' onkeydown='title += event.key'>Go</button>"))
    await page.type_text("td + td", "ab", keystrokes=True)
    assert await page.evaluate("b.title") == "ab"


@pytest.mark.parametrize(
    ("field", "why"),
    [
        pytest.param("<input id=f readonly>", "is read-only", id="read-only"),
        pytest.param("<input id=f disabled>", "is disabled", id="disabled"),
        pytest.param("<input id=f type=checkbox>", "takes no text", id="checkbox"),
        pytest.param("<div id=f>Words</div>", "cannot be focused", id="no-focus"),
    ],
)
async def test_keys_go_to_nothing_that_takes_none(page: AsyncPage, show: Show, field: str, why: str) -> None:
    await show(field)
    with pytest.raises(RemoteError, match=why):
        await page.type_text("#f", "1", keystrokes=True)


# Pages that draw the field again as it is typed into

DRAWN = """<div id=root></div><script>
const root = document.querySelector('#root');
let held = '', others = '';
addEventListener('keydown', (event) => { if (event.target === document.body) document.title += event.key });
function draw() {
  root.innerHTML = `FIELD`;
  const field = document.querySelector('#f');
  field.value = held;
  field.oninput = () => { held = field.value; AFTER; draw(); THEN };
}
draw();</script>"""

BY_SCRIPT = "it was focused by script"

AGAIN: list[Any] = [
    pytest.param("<label>Bio <input id=f></label>", "", "", "wxyz", "wxyz", [BY_SCRIPT], id="left-without-focus"),
    pytest.param("<label>Bio <input id=f></label>", "", "f.focus()", "wxyz", "wxyz", [], id="focused-again"),
    pytest.param("<input id=f>", "", "setTimeout(() => f.focus())", "wxyz", "wxyz", [], id="focused-again-later"),
    pytest.param("<input><input id=f><input>", "", "", "wxyz", "wxyz", [BY_SCRIPT], id="one-of-several"),
    pytest.param("<input id=f type=number>", "", "", "1234", "1234", [BY_SCRIPT], id="number"),
    pytest.param("<input id=f type=password>", "", "", "wxyz", "wxyz", [BY_SCRIPT], id="password"),
    pytest.param("<textarea id=f></textarea>", "", "", "w\nx\nyz", "w\nx\nyz", [BY_SCRIPT], id="lines"),
    pytest.param("<input id=f>", "held = held.toUpperCase()", "", "wxyz", "WXYZ", ["own form"], id="own-form"),
    pytest.param(
        "<input id=f>", "held = held.replace('x', '')", "", "wxyz", "wyz", ["does not hold"], id="without-a-letter"
    ),
    pytest.param(
        "<input id=f>",
        "if (held.length === 4) held = ''",
        "",
        "wxyz",
        "",
        ["something else with the text"],
        id="taken-out",
    ),
]


@pytest.mark.parametrize(("field", "after", "then", "text", "expected", "said"), AGAIN)
async def test_a_field_that_is_drawn_again_takes_all_of_the_text(
    page: AsyncPage, show: Show, field: str, after: str, then: str, text: str, expected: str, said: list[str]
) -> None:
    await show(DRAWN.replace("FIELD", field).replace("AFTER", after).replace("THEN", then))
    notes = (await page.type_text("#f", text)).notes
    assert await value_of(page) == expected
    assert [part in note for part, note in zip(said, notes, strict=True)] == [True] * len(said), notes
    assert await title_of(page) == ""  # no key went to the page


@pytest.mark.parametrize("text", ["wxyz", "w\nx\nyz"], ids=["keys", "lines"])
async def test_a_field_that_is_removed_takes_no_more_of_the_text(page: AsyncPage, show: Show, text: str) -> None:
    html = DRAWN.replace("FIELD", "<textarea id=f></textarea>").replace("THEN", "root.textContent = 'Done'")
    await show(html.replace("AFTER", ""))
    with pytest.raises(RemoteError, match=r"the page has removed the field after \d of \d characters"):
        await page.type_text("#f", text, submit=True)
    assert await title_of(page) == ""


# Editors that paint their text beside the field that takes the keys

PAINTED = """<style>
.editor {{ position: relative; width: 300px; height: 100px; font: 16px monospace }}
.lines {{ position: absolute; inset: 0; cursor: text; white-space: pre }}
.clip {{ overflow: hidden; width: 3px; height: 0; position: relative }}
.clip textarea {{ position: absolute; width: 900px; height: 16px }}
.under {{ position: absolute; inset: 0; color: transparent }}
</style><div class=editor>{field}<div class=lines id=l></div></div><script>
const field = document.querySelector('textarea'), held = {{ text: 'one' }};
const paint = () => {{ l.textContent = held.text || '\u200b'; field.value = ''; }};
const put = (text) => {{
  const at = held.caret ?? held.text.length;
  if (!held.fixed) held.text = held.text.slice(0, at) + text + held.text.slice(at);
  if (held.caret !== undefined) held.caret += text.length;
  paint();
}};
field.oninput = () => put(field.value.replace(/\\n/g, '\\n  '));
field.onpaste = (event) => {{ event.preventDefault(); put(event.clipboardData.getData('text/plain')); }};
field.onkeydown = (event) => {{
  if (event.key === 'Delete') {{ held.text = ''; paint(); }}
  if (event.key === 'Escape') field.removeAttribute('aria-activedescendant');
  if (event.key === 'Home' && !field.hasAttribute('aria-activedescendant')) held.caret = 0;
}};
l.onmousedown = (event) => {{ event.preventDefault(); field.focus(); }};
paint();
</script>"""


SUGGESTIONS = """void (field.setAttribute('aria-activedescendant', 's'), document.body.insertAdjacentHTML('beforeend',
    '<div id=s style="position:fixed;inset:0">Suggestions</div>'))"""


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("<div class=clip><textarea></textarea></div>", id="clipped-away"),
        pytest.param("<textarea class=under aria-label=Code></textarea>", id="under-its-painting"),
    ],
)
async def test_an_editor_that_paints_beside_its_field_is_typed_into(page: AsyncPage, show: Show, field: str) -> None:
    await show(PAINTED.format(field=field))
    shown = (await page.snapshot(mode="text")).elements
    editor = next((each for each in shown if each.role == "textbox"), None)
    target = editor.ref if editor else "#l"
    assert not (await page.type_text(target, " two")).notes
    assert not (await page.type_text(target, "\nthree\nfour")).notes
    assert await page.evaluate("held.text") == "one two\nthree\nfour"
    assert not (await page.type_text(target, "five", clear=True)).notes
    assert await page.evaluate("held.text") == "five"
    await page.evaluate(SUGGESTIONS)
    assert not (await page.type_text(target, "six ", position="start")).notes
    assert await page.evaluate("held.text") == "six five"
    await page.evaluate("void (held.fixed = true)")
    error = await refused(page.type_text(target, "six"))
    assert (error.reason, "read-only" in str(error)) == ("NOT_TAKEN", True)
    await page.evaluate("void (field.readOnly = true, s.remove())")
    assert (await refused(page.type_text(target, "six"))).reason == "NOT_EDITABLE"


@pytest.mark.parametrize(
    "field",
    ["<div class=clip><textarea></textarea></div>", "<textarea class=under></textarea>"],
    ids=["clipped", "under"],
)
async def test_a_field_whose_text_is_painted_elsewhere_is_reached_by_a_click(
    page: AsyncPage, show: Show, field: str
) -> None:
    await show(PAINTED.format(field=field))
    listed = await page.snapshot(mode="text")
    editor = next(each for each in listed.elements if each.role == "textbox")
    assert (editor.reachable, "unseen" in listed.text) == (True, False)
    await page.click(editor.ref)
    assert await page.evaluate("document.activeElement === field")


async def test_a_field_that_nobody_sees_and_nothing_paints_is_not_reached(page: AsyncPage, show: Show) -> None:
    trap = "<div style='position:absolute;left:-999px'><input aria-label=site></div>"
    await show(f"<form>Write to us{trap}<p>Hello</p><input aria-label=mail></form>")
    listed = (await page.snapshot(mode="text", scope="page")).elements
    assert {each.name: each.reachable for each in listed if each.role == "textbox"} == {"site": False, "mail": True}


async def test_a_field_under_something_else_than_its_painting_is_covered(
    service: Service, page: AsyncPage, show: Show
) -> None:
    cover = "<div style='position:fixed;inset:0' id=c>Cookies</div>"
    await show(PAINTED.format(field="<textarea class=under></textarea>") + cover)
    with early_ends(service) as reserve_s:
        error = await refused(page.type_text("textarea", "two", timeout_s=reserve_s + 2))
    assert error.reason == "ELEMENT_OBSCURED"
    assert await page.evaluate("held.text") == "one"


async def test_a_placeholder_in_an_editor_is_no_text(page: AsyncPage, show: Show) -> None:
    await show("""<div id=f contenteditable>old</div><script>
    f.oninput = () => {
      if (!f.textContent) f.innerHTML =
        '<span contenteditable=false style="user-select:none;opacity:.3">Write here</span><span>\\ufeff</span>';
      else f.querySelector('[contenteditable=false]')?.remove();
    };</script>""")
    assert not (await page.type_text("#f", "new", clear=True)).notes
    assert (await value_of(page)).replace("\ufeff", "") == "new"


SEPARATOR = "<script>document.execCommand('defaultParagraphSeparator', false, 'p')</script>"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div id=f contenteditable><p><br></p></div>", id="empty-paragraph"),
        pytest.param("<div id=f contenteditable><p>old</p></div>", id="paragraph"),
        pytest.param("<div id=f contenteditable><p>old</p>\n<p>last</p></div>", id="two-paragraphs"),
        pytest.param("<div id=f contenteditable><blockquote><p>old</p></blockquote></div>", id="quoted-paragraph"),
        pytest.param("<div id=f contenteditable><h2>old</h2></div>" + SEPARATOR, id="heading"),
        pytest.param("<div id=f contenteditable><ul><li>old</ul></div>", id="list"),
        pytest.param("<div id=f contenteditable><div>old</div></div>", id="blocks-without-margin"),
        pytest.param("<div id=f contenteditable></div>" + SEPARATOR, id="nothing"),
        pytest.param("<div id=f contenteditable=plaintext-only></div>", id="plain-text"),
        pytest.param("<div id=f contenteditable=plaintext-only>old</div>" + SEPARATOR, id="plain-text-with-some"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"clear": True}, {"position": "start"}], ids=str)
@pytest.mark.parametrize("text", ["one\n\n\ntwo\nthree", "\none"], ids=["lines", "line-end-first"])
async def test_an_editor_holds_lines_as_from_keys(
    page: AsyncPage, show: Show, html: str, text: str, options: dict[str, Any]
) -> None:
    held = []
    for keystrokes in (True, False):
        await show(html)
        await page.type_text("#f", text, keystrokes=keystrokes, **options)
        await page.type_text(None, ".")
        held.append(await page.evaluate("f.innerHTML"))
    assert held[1] == held[0]


@pytest.mark.parametrize("text", ["one\ntwo\n\n", "\n\none", "one\n" + "two " * 130], ids=["end", "start", "long"])
async def test_the_caret_is_behind_lines(page: AsyncPage, show: Show, text: str) -> None:
    await show("<div id=f contenteditable><p>old</p><p>last</p></div>")
    await page.evaluate("getSelection().collapse(f.firstChild.firstChild, 1)")
    await page.type_text(None, text)
    await page.type_text(None, ".")
    words = await page.evaluate("[...f.children].map(e => e.textContent.replace(/\\s/g, ' '))")
    assert words == [*f"o{text}.ld".split("\n"), "last"]


INSERTED = """<div id=f contenteditable><div>one</div></div><script>var inserted = '';
f.onbeforeinput = (event) => {
  const words = event.data ?? event.dataTransfer?.getData('text/plain') ?? event.inputType;
  inserted += `${words.replace('\\n', '/')}|`;
}</script>"""


@pytest.mark.parametrize(
    ("text", "inserted"),
    [
        pytest.param("\nX", "/X|", id="line-end-first"),
        pytest.param("\n  X", "/  X|", id="indented"),
        pytest.param("a\nX", "a/|X|", id="line-end-inside"),
    ],
)
async def test_a_line_end_is_not_inserted_alone(page: AsyncPage, show: Show, text: str, inserted: str) -> None:
    """CodeMirror (6.0) makes two lines of one that is."""
    await show(INSERTED)
    await page.type_text("#f", text)
    assert await page.evaluate("window.inserted") == inserted


async def test_lines_are_pasted_into_an_editor_as_from_keys(page: AsyncPage, show: Show) -> None:
    await show("<div id=f contenteditable=plaintext-only></div><div id=g contenteditable><p><br></p></div>")
    await page.write_clipboard("one\ntwo")
    for editor in ("#f", "#g"):
        await page.click(editor)
        await page.press("Control+V")
        await page.type_text(None, ".")
    assert await page.evaluate("[f.innerHTML, g.innerHTML]") == ["one\ntwo.", "<p>one</p><p>two.</p>"]


KEEPS_ITS_OWN_LINES = """<div id=f contenteditable data-lexical-editor=true style="white-space: pre-wrap"></div><script>
f.onpaste = (event) => {
  event.preventDefault();
  document.execCommand('insertHTML', false, event.clipboardData.getData('text/plain').replaceAll('\\n', '<br>'));
};
f.oninput = () => f.querySelectorAll('div').forEach((each) => each.replaceWith(...each.childNodes));
</script>"""


@pytest.mark.parametrize("options", [{}, {"clear": True}], ids=str)
async def test_lines_are_pasted_into_an_editor_that_takes_its_own_alone(
    page: AsyncPage, show: Show, options: dict[str, Any]
) -> None:
    await show(KEEPS_ITS_OWN_LINES)
    assert (await page.type_text("#f", "one\ntwo\n\nthree", **options)).notes == []
    assert await page.evaluate("f.innerText") == "one\ntwo\n\nthree"


async def test_an_answer_says_that_an_editor_lost_lines(page: AsyncPage, show: Show) -> None:
    await show(
        "<div id=f contenteditable></div><script>f.oninput = () => { f.innerHTML = f.lastChild.textContent; }</script>"
    )
    notes = (await page.type_text("#f", "one\ntwo\nthree")).notes
    assert "does not hold the text as it was typed" in notes[0]


# Keys


async def test_every_named_key_is_one_that_the_browser_knows(page: AsyncPage, show: Show) -> None:
    await show("<input id=f autofocus value=abc>")
    for name in NAMED_KEYS:
        await page.press(name, skip_diff=True)


async def test_keys_by_their_usual_names(page: AsyncPage, show: Show) -> None:
    await show("<input id=f value=abc autofocus>")
    await page.click("#f")
    await page.evaluate("void (f.onkeydown = (event) => { document.title = event.key; })")
    await page.press("Ctrl+B", skip_diff=True)
    assert await title_of(page) == "b"
    await page.press("Ctrl+Shift+b", skip_diff=True)
    assert await title_of(page) == "B"
    for key in ("Cmd+A", "Del", "é", "x", "Left", "y"):
        await page.press(key, skip_diff=True)
    assert await value_of(page) == "éyx"
    error = await refused(page.press("Ctrl+Escpe"))
    assert (error.reason, "near: Escape" in str(error)) == ("UNKNOWN_KEY", True)
    await page.press("z")
    assert await value_of(page) == "éyzx", "no key is left held"
