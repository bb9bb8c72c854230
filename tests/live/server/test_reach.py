"""A ref for everything that one can act on, and a true verdict about reaching it: what the list says is tried with real
input."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import asyncio
import re

import pytest

from perception.client import AsyncPage, RemoteError
from perception.page_words import unmarked_words
from tests.support.live import Show

DONE = "document.title = 'done'"


def in_shadow(mode: str, shadow: str, light: str) -> str:
    """A page with an element whose shadow tree does something when its part `[id]` is clicked."""
    return (
        f"<!doctype html><div style='margin: 50px'>{light}</div><script>customElements.define('x-a', class extends HTMLElement "
        f"{{ constructor() {{ super(); const root = this.attachShadow({{mode: '{mode}'}}); root.innerHTML = `{shadow}`; "
        f"root.querySelector('[id]').onclick = (event) => {{ event.preventDefault(); {DONE} }} }} }})</script>"
    )


async def text_of(page: AsyncPage) -> str:
    return (await page.snapshot(mode="text", view="full")).text


async def title_of_page(page: AsyncPage) -> str:
    return (await page.snapshot(mode="text")).title


SLOTTED = {
    "inline-link": ("<a id=a href=#z><slot></slot></a>", "<x-a>Words</x-a>", "link"),
    "inline-block": ("<a id=a href=#z style='display: inline-block'><slot></slot></a>", "<x-a>Words</x-a>", "link"),
    "inline-flex": ("<a id=a href=#z style='display: inline-flex'><slot></slot></a>", "<x-a>Words</x-a>", "link"),
    "role-button": ("<span id=a role=button tabindex=0><slot></slot></span>", "<x-a>Words</x-a>", "button"),
    "control-without-a-box": (
        "<a id=a href=#z style='display: contents'><slot></slot></a>",
        "<x-a>Words</x-a>",
        "link",
    ),
    "host-without-a-box": ("<a id=a href=#z><slot></slot></a>", "<x-a style='display: contents'>Words</x-a>", "link"),
    "right-to-left": ("<a id=a href=#z><slot></slot></a>", "<p dir=rtl><x-a>Words</x-a></p>", "link"),
}


@pytest.mark.parametrize("mode", ["open", "closed"])
@pytest.mark.parametrize(("shadow", "light", "role"), [pytest.param(*case, id=name) for name, case in SLOTTED.items()])
async def test_a_control_whose_words_fill_its_slot_is_clicked(
    shared_page: AsyncPage, write: Show, mode: str, shadow: str, light: str, role: str
) -> None:
    await write(in_shadow(mode, shadow, light))
    text = await text_of(shared_page)
    assert "unreachable" not in text
    assert "covered" not in text
    await shared_page.click(f'{role} "Words"')
    assert await title_of_page(shared_page) == "done"


async def test_a_control_with_slotted_words_has_its_box_where_they_are_painted(
    shared_page: AsyncPage, write: Show
) -> None:
    await write(in_shadow("open", *SLOTTED["inline-link"][:2]))
    (link,) = [each for each in (await shared_page.snapshot(mode="text")).elements if each.role == "link"]
    assert link.box.x >= 50
    assert link.box.y >= 50
    assert link.box.width < 100


INPUT = "<input id=c type=checkbox aria-label=Row style='opacity: 0; position: absolute; inset: 0; width: 100%; height: 100%; margin: 0'>"
BOX = "position: relative; display: inline-block; width: 20px; height: 20px;"


def boxed(style: str, inside: str = "") -> str:
    return f"<!doctype html><p style='margin: 30px'><span class=b style='{BOX}{style}'>{INPUT}{inside}</span>"


IN_ROOTS = (
    f"<!doctype html><x-box>{INPUT}</x-box><script>"
    "const define = (name, html) => customElements.define(name, class extends HTMLElement { constructor() { super(); "
    "this.attachShadow({mode: 'open'}).innerHTML = html } });"
    f"define('x-in', `<span style='{BOX}'><i style='position: absolute; inset: 0; border: 2px solid #555'></i><slot></slot></span>`);"
    "define('x-box', '<x-in><slot></slot></x-in>')</script>"
)

DRAWN = {
    "border": boxed("border: 2px solid #555"),
    "outline": boxed("outline: 2px solid #555"),
    "shadow": boxed("box-shadow: 0 0 0 2px #555"),
    "picture": boxed("background: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)"),
    "generated": "<style>.b::before { content: ''; position: absolute; inset: 0; border: 2px solid #555 }</style>"
    + boxed(""),
    "beside-without-pointer": boxed(
        "", "<i style='position: absolute; inset: 0; border: 2px solid #555; pointer-events: none'></i>"
    ),
    "drawing": boxed(
        "",
        "<svg style='pointer-events: none' width=20 height=20><rect width=18 height=18 fill=none stroke=black /></svg>",
    ),
    "star": boxed("", "★"),
    "deep": f"<!doctype html><p style='margin: 30px'><span style='{BOX}border: 2px solid #555'><b><b>{INPUT}</b></b></span>",
    "in-a-wide-row": "<!doctype html><div style='position: relative; width: 400px; height: 40px'><i style='position: absolute; left: 10px; "
    f"top: 10px; width: 20px; height: 20px; border: 2px solid #555'></i><div style='position: absolute; left: 10px; top: 10px; width: 24px; height: 24px'>{INPUT}</div></div>",
    "slotted-through-two-roots": IN_ROOTS,
}


@pytest.mark.parametrize("html", [pytest.param(html, id=name) for name, html in DRAWN.items()])
async def test_a_see_through_checkbox_over_what_is_drawn_for_it_is_used(
    shared_page: AsyncPage, write: Show, html: str
) -> None:
    await write(html)
    await shared_page.check('checkbox "Row"')
    assert re.search(r'checkbox "Row" \[ref=e\d+\] \[checked\]', await text_of(shared_page))


EVIL = "<a href=# aria-label=Evil style='opacity: 0; position: {}'>Evil</a>"

LAYERS = {
    "over-the-page": f"<p>Some words of the page</p>{EVIL.format('fixed; inset: 0')}",
    "over-nothing": f"<div style='position: relative; width: 200px; height: 60px'>{EVIL.format('absolute; inset: 0')}</div>",
    "over-another-button": "<div style='width: 100px; height: 30px'><button style='width: 100px; height: 30px'>Good</button></div>"
    + EVIL.format("absolute; left: 8px; top: 8px; width: 100px; height: 30px"),
    "over-a-border-in-the-color-of-the-ground": f"<div style='position: relative; width: 99px; height: 30px; border: 2px solid #fff'>{EVIL.format('absolute; inset: 0')}</div>",
    "with-all-around-it": f"<div style='opacity: 0'><div style='position: relative; width: 99px; height: 30px; border: 2px solid'>{EVIL.format('absolute; inset: 0')}</div></div>",
}


BOX = "position: absolute; inset: 0"


async def test_an_item_that_says_whether_it_is_checked_is_checked(shared_page: AsyncPage, write: Show) -> None:
    toggle = "this.ariaChecked = this.ariaChecked !== `true`"
    await write(f"<!doctype html><ul role=tree><li role=treeitem tabindex=0 aria-checked=false onclick='{toggle}'>Mail")
    for _ in range(2):
        await shared_page.check('treeitem "Mail"')
        assert '- treeitem "Mail" [ref=e1] [checked]' in await text_of(shared_page)


async def test_a_box_that_does_not_say_whether_it_is_checked_is_clicked_and_said_so(
    shared_page: AsyncPage, write: Show
) -> None:
    await write(f'<!doctype html><span role=checkbox tabindex=0 aria-label=Mail onclick="{DONE}">o</span>')
    result = await shared_page.check('checkbox "Mail"')
    assert await title_of_page(shared_page) == "done"
    (note,) = result.notes
    assert note.endswith("was clicked, and does not say whether it is checked: look at what the page shows")


REDRAWN = """<!doctype html><div id=app></div><script>
const state = { on: false, count: 0 };
function draw() {
  app.innerHTML = `<label><input type=checkbox ${state.on ? 'checked' : ''}>NAME</label>`;
  app.querySelector('input').onchange = (event) => {
    state.on = event.target.checked;
    document.title = String(++state.count);
    draw();
  };
}
draw();
</script>"""
"""A page that draws its form anew with each change."""


@pytest.mark.parametrize("checked", [True, False])
async def test_a_box_that_is_in_between_is_clicked_until_it_is_as_asked(
    shared_page: AsyncPage, write: Show, checked: bool
) -> None:
    show = "document.title = this.checked + ` ` + this.indeterminate"
    box = f"<input type=checkbox id=b aria-label=Ind onchange='{show}'>"
    await write(f"<!doctype html>{box}<script>b.indeterminate = true</script>")
    assert not (await shared_page.check('checkbox "Ind"', checked)).notes
    assert await title_of_page(shared_page) == f"{str(checked).lower()} false"


async def test_a_box_that_is_replaced_by_its_click_is_checked_once(shared_page: AsyncPage, write: Show) -> None:
    await write(REDRAWN.replace("NAME", "Mail"))
    for count, checked in (("1", True), ("2", False)):
        result = await shared_page.check('checkbox "Mail"', checked)
        assert not result.notes
        assert await title_of_page(shared_page) == count


REDRAWN_ROWS = """<!doctype html><div id=app></div><script>
const on = ROWS;
function toggle(at) { CHANGE; document.title = String(on); draw(); }
function draw() {
  app.innerHTML = on.map((each, at) => `<p>Row ${at} BOX</p>`).join('') + MORE;
}
draw();
</script>"""
"""A page that draws its boxes anew with each change; their names follow their states."""

NAMED_BOX = "<input type=checkbox ${each ? 'checked' : ''} aria-label=${each ? 'On' : 'Off'} onclick=toggle(${at})>"
SWITCH = "<button role=switch aria-checked=${each} onclick=toggle(${at})>${each ? 'On' : 'Off'}</button>"
FLIPS = "on[at] = !on[at]"


def redrawn(rows: str = "[true, true]", box: str = NAMED_BOX, change: str = FLIPS, more: str = "''") -> str:
    page = REDRAWN_ROWS.replace("ROWS", rows).replace("BOX", box)
    return page.replace("CHANGE", change).replace("MORE", more)


@pytest.mark.parametrize(
    ("html", "title"),
    [
        pytest.param(redrawn(), "false,true", id="the-next-one-has-its-name"),
        pytest.param(redrawn("[true, false]"), "false,false", id="another-one-has-its-new-name"),
        pytest.param(redrawn("[true]"), "false", id="alone"),
        pytest.param(redrawn("[true, true, true]", SWITCH), "false,true,true", id="switch"),
        pytest.param(redrawn(box=NAMED_BOX.replace("aria-label", "data-x")), "false,true", id="nameless"),
    ],
)
async def test_a_box_whose_name_follows_its_state_is_known_again_by_its_place(
    shared_page: AsyncPage, write: Show, html: str, title: str
) -> None:
    await write(html)
    await text_of(shared_page)
    assert (await shared_page.check("e1", False)).notes == []
    assert await title_of_page(shared_page) == title


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(redrawn(more="(on[0] ? '' : '<input type=checkbox>')"), id="another-one-is-added"),
        pytest.param(redrawn(change=f"{FLIPS}; on.reverse()"), id="sorted"),
        pytest.param(redrawn("[true]", change=f"{FLIPS}; on.pop()"), id="gone"),
    ],
)
async def test_a_box_that_is_replaced_and_not_known_again_is_clicked_and_said_so(
    shared_page: AsyncPage, write: Show, html: str
) -> None:
    await write(html)
    await text_of(shared_page)
    (note,) = (await shared_page.check("e1", False)).notes
    assert note.endswith("was clicked, and the page has replaced it: look whether it is unchecked now")


async def test_a_box_that_is_drawn_anew_as_it_was_is_not_taken(shared_page: AsyncPage, write: Show) -> None:
    await write(redrawn("[true]", change=""))
    await text_of(shared_page)
    with pytest.raises(RemoteError) as caught:
        await shared_page.check("e1", False)
    assert caught.value.reason == "NOT_TAKEN"


async def test_a_list_behind_another_one_is_used_by_its_label(shared_page: AsyncPage, write: Show) -> None:
    hidden = "position: absolute; inset: 0; opacity: 0; pointer-events: none"
    await write(
        f"<!doctype html><label for=a>City</label><div style='position: relative'><div style='position: relative'>"
        f"<select id=a style='{hidden}' onchange='document.title = value'><option>Oslo<option>Rome</select>"
        "<div tabindex=0>Oslo</div></div></div>"
    )
    assert (await shared_page.select('combobox "City"', "Rome")).notes == []
    assert "- combobox [ref=e1] [focused] [unseen]\n" in await text_of(shared_page)
    assert await title_of_page(shared_page) == "Rome"


OVER = "position: absolute; inset: 0"
DRAWN_OVER = {
    "see-through-helper": f"<div style='position: relative; width: 22px; height: 22px; background: #9cf'><input type={{0}} style='position: absolute; opacity: 0'><ins style='{OVER}' onclick='{{1}}'></ins></div>",
    "knob": f"<b style='position: relative; display: block; width: 50px; height: 30px' onclick='{{1}}'><input type={{0}} style='{OVER}; width: 50px; height: 30px; appearance: none'><i style='{OVER}; background: #9cf'><i style='{OVER}; background: #fff; width: 26px'></i></i></b>",
}
TICKS = 'const box = document.querySelector("input"); box.checked = !box.checked'


@pytest.mark.parametrize("kind", ["checkbox", "radio"])
@pytest.mark.parametrize("html", DRAWN_OVER.values(), ids=DRAWN_OVER.keys())
async def test_a_box_that_is_drawn_over_its_field_is_clicked(
    shared_page: AsyncPage, write: Show, html: str, kind: str
) -> None:
    await write(f"<!doctype html><p>{html.format(kind, TICKS)}</p>")
    text = await text_of(shared_page)
    assert "covered" not in text
    await shared_page.click(re.findall(rf"- {kind} \[ref=(e\d+)\]", text)[0])
    assert re.search(rf"- {kind} \[ref=e\d+\] \[checked\]", await text_of(shared_page))


async def test_a_click_goes_through_a_box_to_the_row_that_ticks_it(shared_page: AsyncPage, write: Show) -> None:
    row = f"<tr onclick='{TICKS}'><td><input type=checkbox style='pointer-events: none'><td>Ann"
    await write(f"<!doctype html><table>{row}</table>")
    text = await text_of(shared_page)
    assert "unreachable" not in text
    await shared_page.check(re.findall(r"- checkbox .*\[ref=(e\d+)\]", text)[0])
    assert re.search(r"- checkbox .*\[checked\]", await text_of(shared_page))


HOST = (
    "<!doctype html><div id=o><x-s style='display: inline-block'><b>Slow</b></x-s></div><script>"
    "const host = document.querySelector('x-s'); host.attachShadow({{mode: '{mode}'}}).innerHTML = `{inside}`; {listens}</script>"
)
TAB = "<button role=tab style='pointer-events: none; padding: 10px 30px'><slot></slot></button>"
ACTED_FOR = {
    "host": HOST.format(mode="open", inside=TAB, listens=f"host.onclick = () => {DONE}"),
    "closed": HOST.format(mode="closed", inside=TAB, listens=f"host.onclick = () => {DONE}"),
    "around-the-host": HOST.format(mode="open", inside=TAB, listens=f"o.onclick = () => {DONE}"),
    "in-the-tree": HOST.format(
        mode="open",
        inside=f"<div>{TAB}</div>",
        listens=f"host.shadowRoot.firstChild.addEventListener('click', () => {DONE})",
    ),
}


@pytest.mark.parametrize("html", ACTED_FOR.values(), ids=ACTED_FOR.keys())
async def test_what_takes_no_clicks_is_clicked_where_its_host_acts_for_it(
    shared_page: AsyncPage, write: Show, html: str
) -> None:
    await write(html)
    assert 'tab "Slow"' in (text := await text_of(shared_page))
    assert "unreachable" not in text
    result = await shared_page.click('tab "Slow"')
    assert (result.notes, await title_of_page(shared_page)) == ([], "done")


@pytest.mark.parametrize("listener", ["o", "host", "host.shadowRoot.firstChild"])
async def test_what_takes_no_clicks_is_reachable_once_its_host_acts_for_it(
    shared_page: AsyncPage, write: Show, listener: str
) -> None:
    later = f"setTimeout(() => {{ {listener}.addEventListener('click', () => {DONE}) }}, 500)"
    await write(HOST.format(mode="open", inside=f"<div>{TAB}</div>", listens=later))
    await text_of(shared_page)  # nothing listens yet, unless the machine is very slow
    async with asyncio.timeout(30):
        while "unreachable" in await text_of(shared_page):  # noqa: ASYNC110  (by the page's timer)
            await asyncio.sleep(0.1)


async def test_what_takes_no_clicks_is_unreachable_where_no_host_acts(shared_page: AsyncPage, write: Show) -> None:
    await write(HOST.format(mode="open", inside=TAB, listens=""))
    assert 'tab "Slow" [ref=e1] [unreachable]' in await text_of(shared_page)


TOGGLE = (
    "<!doctype html><x-t role={role} aria-checked=false tabindex=0 style='display: block; width: 200px'>Gift</x-t><script>"
    "const host = document.querySelector('x-t'); host.attachShadow({{mode: 'open'}}).innerHTML = `{inside}`;"
    "host.onclick = (event) => {{ event.preventDefault(); host.ariaChecked = host.ariaChecked != 'true' }}</script>"
)
OVERLAID = "<label><input type={type} role={role} style='position: absolute; opacity: 0; width: 90%; pointer-events: none'><slot></slot></label>"
UNPAINTED = "<label for=i><input type={type} role={role} id=i style='display: none'><slot></slot></label>"


@pytest.mark.parametrize("inside", [OVERLAID, UNPAINTED], ids=["overlaid", "unpainted"])
@pytest.mark.parametrize("role", ["switch", "checkbox", "radio"])
async def test_a_component_and_the_field_that_it_is_drawn_with_are_one_control(
    shared_page: AsyncPage, write: Show, role: str, inside: str
) -> None:
    kind = "radio" if role == "radio" else "checkbox"
    await write(TOGGLE.format(role=role, inside=inside.format(type=kind, role=role)))
    assert (await text_of(shared_page)).count(f'{role} "Gift"') == 1
    assert (await shared_page.check(f'{role} "Gift"')).notes == []
    assert f'{role} "Gift" [ref=e1] [checked]' in await text_of(shared_page)


async def test_a_field_whose_component_takes_its_click_got_one(shared_page: AsyncPage, write: Show) -> None:
    await write(TOGGLE.format(role="switch", inside=UNPAINTED.format(type="checkbox", role="checkbox")))
    assert (await shared_page.click('checkbox "Gift"')).notes == []
    assert 'switch "Gift" [ref=e1] [checked]' in await text_of(shared_page)


async def test_a_box_in_what_takes_no_clicks_is_unreachable(shared_page: AsyncPage, write: Show) -> None:
    await write("<!doctype html><div style='pointer-events: none'><input type=checkbox></div>")
    assert "[unreachable]" in await text_of(shared_page)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<input type=checkbox><input type=checkbox>", id="over-two-fields"),
        pytest.param("<input type=checkbox><button>Go</button>", id="over-a-button-too"),
        pytest.param("<input type=checkbox><p style='height: 200px'>Terms", id="over-a-card"),
        pytest.param("<input>", id="over-a-text-field"),
    ],
)
async def test_what_lies_over_more_than_one_field_covers_it(shared_page: AsyncPage, write: Show, html: str) -> None:
    mask = f"<div style='{OVER}; background: #9cfc'>Wait</div>"
    await write(f"<!doctype html><div style='position: relative; width: 200px'>{html}{mask}</div>")
    assert "covered by" in await text_of(shared_page)


@pytest.mark.parametrize("html", [pytest.param(html, id=name) for name, html in LAYERS.items()])
async def test_a_see_through_layer_over_what_is_not_its_own_stays_unseen(
    shared_page: AsyncPage, write: Show, html: str
) -> None:
    await write(f"<!doctype html>{html}")
    assert "Evil" not in await text_of(shared_page)


MENU = "<!doctype html><style>li ul { display: none } li:hover ul { display: block }</style><ul><li>Products<ul><li><a href=#l>Laptops</a></ul></ul>"


@pytest.mark.parametrize("target", ['text "Products"', '"Products"', "text=Products"])
async def test_a_text_is_hovered_over(shared_page: AsyncPage, write: Show, target: str) -> None:
    await write(MENU)
    await shared_page.hover(target)
    assert 'link "Laptops"' in await text_of(shared_page)


@pytest.mark.parametrize("target", ['text "Products"', '"Products"', "text=Products"])
async def test_a_text_is_clicked_on_its_letters(shared_page: AsyncPage, write: Show, target: str) -> None:
    await write(
        "<!doctype html><div style='width: 600px'>Other words, <a href=#>a link</a><p>Products</p></div>"
        "<script>document.onclick = () => document.title = getSelection().toString().trim()</script>"
    )
    await shared_page.click(target, click_count=2)
    assert await title_of_page(shared_page) == "Products"


async def test_a_text_is_waited_for_and_scrolled_to(shared_page: AsyncPage, write: Show) -> None:
    await write(
        "<!doctype html><div style='height: 3000px'>Top</div><p id=p></p>"
        "<script>setTimeout(() => p.textContent = 'Products', 200)</script>"
    )
    await shared_page.wait_for(element='text "Products"')
    await shared_page.scroll(target='text "Products"')
    (text,) = [each for each in (await shared_page.snapshot(mode="text")).elements if each.name == "Products"]
    assert text.in_viewport


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        pytest.param(("type_text", "x"), "takes no text|no text field|not editable", id="typing"),
        pytest.param(("check",), "check", id="checking"),
        pytest.param(("select", "x"), "options", id="selecting"),
    ],
)
async def test_what_a_text_cannot_do_is_refused_with_a_reason(
    shared_page: AsyncPage, write: Show, act: tuple[str, ...], expected: str
) -> None:
    await write("<!doctype html><p>Products</p>")
    name, *more = act
    with pytest.raises(RemoteError, match=expected) as refused:
        await getattr(shared_page, name)('text "Products"', *more)
    assert "internal error" not in str(refused.value)


ZONE = "width: 120px; height: 40px; border: 1px solid"

FLAGGED = {
    "dragged": ("<div draggable=true>Task</div>", r'group "Task" \[ref=e\d+\] \[draggable\]'),
    "dropped-on": (
        f"<div id=z style='{ZONE}'>Done</div><script>z.ondragover = () => 0; z.ondrop = () => 0</script>",
        r'generic "Done" \[ref=e\d+\] \[droppable\]',
    ),
    "empty-zone": (
        f"<p>Words</p><div id=z style='{ZONE}'></div><script>z.addEventListener('drop', () => 0)</script>",
        r"generic \[ref=e\d+\] \[droppable\]",
    ),
    "right-clicked": (f"<div oncontextmenu='return false' style='{ZONE}'>File</div>", r'"File" \[ref=e\d+\] \[context menu\]'),
    "pointed-at": ("<span onmouseenter='1'>?!</span>", r'"\?!" \[ref=e\d+\] \[hoverable\]'),
    "revealing-by-style": (MENU, r'"Products" \[ref=e\d+\] \[hoverable\]'),
    "resized": ("<div style='width: 6px; height: 60px; cursor: col-resize'></div>", r"\[ref=e\d+\] \[resizes\]"),
    "dragged-by-the-mouse": (
        f"<div class='event fc-event-draggable' style='{ZONE}'>Task</div>"
        "<script>document.body.onmousedown = () => 0</script>",
        r'generic "Task" \[ref=e\d+\] \[draggable\]',
    ),
    "dragged-and-clicked": (
        f"<div class=ui-draggable style='{ZONE}' onmousedown='1'>Task</div>",
        r'generic "Task" \[ref=e\d+\] \[clickable\] \[draggable\]',
    ),
    "handle": (
        "<div onmousedown='1' style='width: 200px; height: 9px'><span class=irs-handle "
        "style='display: block; width: 9px; height: 9px'></span></div>",
        r"generic \[ref=e\d+\] \[draggable\]",
    ),
    "handle-that-is-a-control": (
        "<p>Row <button aria-label=Sort style='cursor: grab'>::</button></p>",
        r'button "Sort" \[ref=e\d+\] \[draggable\]',
    ),
    "clicked-too": (
        "<div draggable=true onclick='1'>Task</div>",
        r'group "Task" \[ref=e\d+\] \[clickable\] \[draggable\]',
    ),
}  # fmt: skip


NOT_DRAGGED = {
    "class-alone": f"<div class=draggable style='{ZONE}' onclick='1'>Task</div>",
    "switched-off": f"<div class='ui-draggable ui-draggable-disabled' style='{ZONE}' onmousedown='1'>Task</div>",
    "said-not-to-be": f"<div class=not-draggable style='{ZONE}' onmousedown='1'>Task</div>",
    "area-of-others": f"<div class=draggable-area style='{ZONE}' onmousedown='1'>Task</div>",
    "word-in-a-word": f"<div class=panhandle style='{ZONE}' onmousedown='1'>Task</div>",
    "handle-that-is-clicked": f"<div class=panel-handle style='{ZONE}' onclick='1'>Task</div>",
}


@pytest.mark.parametrize("html", [pytest.param(html, id=name) for name, html in NOT_DRAGGED.items()])
async def test_what_the_mouse_does_not_drag_is_not_draggable(shared_page: AsyncPage, write: Show, html: str) -> None:
    await write(f"<!doctype html>{html}")
    text = await text_of(shared_page)
    assert "Task" in text
    assert "draggable]" not in text


async def test_what_is_dragged_by_a_handle_in_it_is_not_itself(shared_page: AsyncPage, write: Show) -> None:
    await write(
        "<!doctype html><div class='dialog ui-draggable' onmousedown='1' style='width: 300px'>"
        "<div class='title ui-draggable-handle'>Title</div><p>Words</p><button>Save</button></div>"
    )
    text = await text_of(shared_page)
    assert text.count("[draggable]") == 1
    assert re.search(r'"Title" \[ref=e\d+\].* \[draggable\]', text)


@pytest.mark.parametrize(("html", "line"), [pytest.param(*case, id=name) for name, case in FLAGGED.items()])
async def test_what_is_done_with_an_element_besides_clicking_stands_in_its_line(
    shared_page: AsyncPage, write: Show, html: str, line: str
) -> None:
    await write(f"<!doctype html>{html}")
    assert re.search(line, await text_of(shared_page))


async def test_a_zone_is_not_named_by_what_is_not_painted(shared_page: AsyncPage, write: Show) -> None:
    drop = (
        "host.addEventListener('dragover', (event) => event.preventDefault()); host.addEventListener('drop', () => {})"
    )
    folded = "<button>Ship</button><div style='display: none'><slot></slot></div>"
    await write(HOST.format(mode="open", inside=folded, listens=drop).replace("<b>Slow</b>", "Slow <h2>Fast</h2>"))
    assert "- generic [ref=e1] [droppable]\n" in await text_of(shared_page)
    shown = HOST.format(mode="open", inside="<button>Ship</button><slot></slot>", listens=drop)
    await write(shown.replace("<b>Slow</b>", "Slow"))
    assert '- generic "Slow" [ref=e3] [droppable]\n' in await text_of(shared_page)


async def test_who_listens_for_the_whole_page_flags_nothing(shared_page: AsyncPage, write: Show) -> None:
    await write(
        "<!doctype html><div id=root><p>One</p><p>Two</p><button>B</button><input></div><script>"
        "for (const each of [document, document.documentElement, document.body, root]) for (const type of "
        "['drop', 'dragover', 'mouseover', 'contextmenu', 'dragstart']) each.addEventListener(type, () => 0)</script>"
    )
    assert "[droppable]" not in (text := await text_of(shared_page))
    assert "generic" not in text


async def test_a_zone_keeps_its_ref_when_something_is_dropped_in_it(shared_page: AsyncPage, write: Show) -> None:
    column = "<div class=c id={} style='width: 150px; min-height: 60px; border: 1px solid'><h3>{}</h3>{}</div>"
    await write(
        f"<!doctype html>{column.format('a', 'Todo', '<div draggable=true id=t>Card</div>')}{column.format('b', 'Ready', '')}<script>"
        "for (const each of document.querySelectorAll('.c')) { each.ondragover = (event) => event.preventDefault(); "
        "each.ondrop = (event) => { event.preventDefault(); each.append(t) } }</script>"
    )
    before = await text_of(shared_page)
    (ref,) = re.findall(r'generic "Ready" \[ref=(e\d+)\] \[droppable\]', before)
    await shared_page.drag('group "Card"', ref)
    after = await text_of(shared_page)
    assert f'"Ready" [ref={ref}]' in after
    assert after.index('"Ready"') < after.index('"Card"')


POPUP = (
    "<!doctype html>"
    + "".join(f"<button>B{at}</button><a href=#{at}>L{at}</a>" for at in range(6))
    + "{}<script>document.body.style.pointerEvents = 'none'</script>"
)
LIST = (
    "<ul role=listbox aria-label=City style='position: absolute; top: 150px; pointer-events: auto'>"
    "<li role=option tabindex=0 onclick='document.body.style.pointerEvents = null; this.parentNode.remove()'>Oslo</ul>"
)


async def test_an_open_popup_that_switched_the_pointer_off_is_said_once_and_named(
    shared_page: AsyncPage, write: Show
) -> None:
    await write(POPUP.format(LIST))
    text = await text_of(shared_page)
    assert "[unreachable]" not in text
    assert "[covered" not in text
    assert len(re.findall("takes no clicks", text)) == 1
    with pytest.raises(RemoteError, match=r'while .*listbox "City".* is open: choose in it, or close it'):
        await shared_page.click('button "B1"')
    await shared_page.click('option "Oslo"')
    assert "takes no clicks" not in await text_of(shared_page)
    await shared_page.click('button "B1"')


async def test_a_page_that_switched_the_pointer_off_without_a_popup_is_refused_with_the_reason(
    shared_page: AsyncPage, write: Show
) -> None:
    await write(POPUP.format(""))
    with pytest.raises(RemoteError, match="pointer-events: none"):
        await shared_page.click('button "B1"')


@pytest.mark.parametrize(
    "off",
    [
        pytest.param("<select aria-label=Country style='pointer-events: none'><option>Norway</select>", id="field"),
        pytest.param("<div style='pointer-events: none'><p>Saved</p></div>", id="place-for-toasts"),
    ],
)
async def test_a_list_beside_what_takes_no_pointer_does_not_hold_it(
    shared_page: AsyncPage, write: Show, off: str
) -> None:
    await write(f"<!doctype html>{off}{LIST}<button onclick='{DONE}'>Other</button>")
    assert "takes no clicks" not in await text_of(shared_page)
    await shared_page.click('button "Other"')


@pytest.mark.parametrize("listens", ["at-it", "delegated"])
async def test_a_wide_cell_is_clicked_where_it_acts(shared_page: AsyncPage, write: Show, listens: str) -> None:
    script = (
        f"s.onclick = () => {DONE}"
        if listens == "at-it"
        else f"onclick = (event) => {{ if (event.target === s) {DONE} }}"
    )
    await write(
        "<!doctype html><div role=grid><div role=row><div role=columnheader tabindex=0 style='width: 295px'><span id=s "
        "style='cursor: pointer'>Amount</span></div></div><div role=row><div role=gridcell tabindex=0>1</div></div></div>"
        f"<script>{script}</script>"
    )
    await shared_page.click('columnheader "Amount"')
    assert await title_of_page(shared_page) == "done"


async def test_what_covers_a_control_is_not_what_holds_both(shared_page: AsyncPage, write: Show) -> None:
    inside = "<button>Save</button><div class=shade style='position: fixed; inset: 0'></div>"
    await write(f"<!doctype html><div style='overflow: auto; height: 200px'>{inside}<p style='height: 900px'></div>")
    assert '- button "Save" [ref=e2] [covered by div.shade]' in await text_of(shared_page)


FORM = """<!doctype html><form id=f><label>Mail<input type=email required></label><button><b>Send</b></button>
<button formnovalidate>Skip</button></form><form novalidate><label>Town<input required></label><button>Go</button></form>
<script>for (const each of document.forms) each.onsubmit = (event) => { event.preventDefault(); document.title = 'sent' }
</script>"""
REFUSED = 'the form was not sent: at textbox "Mail" the browser says "Please fill out this field."'


async def test_a_form_that_the_browser_does_not_send_is_said_so(shared_page: AsyncPage, write: Show) -> None:
    await write(FORM)
    for result in (await shared_page.click('button "Send"'), await shared_page.press("Enter")):
        assert [unmarked_words(each) for each in result.notes] == [REFUSED]
    result = await shared_page.type_text('textbox "Mail"', "ann", submit=True)
    assert unmarked_words(result.notes[0]).startswith(
        'the form was not sent: at textbox "Mail" the browser says "Please include'
    )
    assert await title_of_page(shared_page) != "sent"
    await write(FORM.replace("<input type", "<input maxlength=3 type"))
    (note,) = (await shared_page.type_text('textbox "Mail"', "anna", submit=True)).notes
    assert "takes at most 3 characters" in note
    assert "; the form was not sent: at textbox" in note
    await write(FORM.replace("<input type", "<input data-private type"))
    result = await shared_page.type_text('textbox "Mail"', "ann", submit=True)
    assert unmarked_words(result.notes[0]) == 'the form was not sent: textbox "Mail" is not valid'
    for name in ("Skip", "Go"):
        assert not (await shared_page.click(f'button "{name}"')).notes
        assert await title_of_page(shared_page) == "sent"
        await write(FORM)


async def test_cells_that_listen_and_come_later_are_targets(shared_page: AsyncPage, write: Show) -> None:
    await write("""<!doctype html><table border=1></table><button>Add</button><script>
document.querySelector('button').onclick = () => {
  const row = document.querySelector('table').insertRow();
  for (const word of ['A', 'B']) {
    const cell = row.insertCell();
    cell.textContent = word;
    cell.addEventListener('dblclick', () => 0);
  }
}</script>""")
    for count in (1, 2, 3):
        await shared_page.click('button "Add"')
        text = await text_of(shared_page)
        assert text.count("- cell") == 2 * count, text


WHEELED = (
    "<!doctype html><div id=v style='height: 100px; width: 300px; overflow: hidden'><div id=i></div></div><script>let y = 0;"
    "i.innerHTML = [0, 1, 2, 3, 4, 5].map((k) => `<div style='height: 34px'>Item ${{k}} <button onclick='document.title = \"d${{k}}\"'>Delete ${{k}}</button></div>`).join('');"
    "{listens}(event) => {{ y = Math.min(104, Math.max(0, y + event.deltaY)); i.style.transform = `translateY(${{-y}}px)` }}</script>"
)


async def test_what_a_box_moves_itself_as_the_wheel_turns_is_in_reach(shared_page: AsyncPage, write: Show) -> None:
    await write(WHEELED.format(listens="v.onwheel = "))
    text = (await shared_page.snapshot(mode="text", scope="page")).text
    assert 'text "Item 5"\n- button "Delete 5" [ref=e6]\n' in text
    await shared_page.click('button "Delete 5"')
    assert await title_of_page(shared_page) == "d5"


async def test_what_is_beyond_a_box_that_does_not_move_it_is_out_of_reach(shared_page: AsyncPage, write: Show) -> None:
    await write(WHEELED.format(listens="window.move = "))
    assert "Item 5" not in (await shared_page.snapshot(mode="text", scope="page")).text


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<input type=number role=alert aria-label=F value=3 ON>", id="number"),
        pytest.param("<input role=status aria-label=F value=3 ON>", id="text"),
        pytest.param("<textarea role=group aria-label=F ON>3</textarea>", id="area"),
        pytest.param("<table><tr><th>A<tr><td contenteditable ON>3<td>b</table>", id="editable-cell"),
        pytest.param("<p contenteditable ON>3</p>", id="editable-paragraph"),
    ],
)
async def test_a_field_of_any_role_has_a_ref_that_outlives_what_is_typed(
    shared_page: AsyncPage, write: Show, html: str
) -> None:
    await write("<!doctype html>" + html.replace("ON", "oninput='document.title = this.value || this.textContent'"))
    await text_of(shared_page)
    for value in ("42", "7"):
        await shared_page.type_text("e1", value, clear=True)
        assert await title_of_page(shared_page) == value
        assert "[ref=e1]" in await text_of(shared_page)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f"<button role=alert onclick={DONE!r}>Go</button>", id="button"),
        pytest.param(f"<input type=checkbox role=img aria-label=Go onchange={DONE!r}>", id="box"),
        pytest.param(f"<details ontoggle={DONE!r}><summary role=heading>Go</summary>text</details>", id="summary"),
    ],
)
async def test_a_control_of_any_role_has_a_ref(shared_page: AsyncPage, write: Show, html: str) -> None:
    await write("<!doctype html>" + html.replace(repr(DONE), f'"{DONE}"'))
    await text_of(shared_page)
    await shared_page.click("e1")
    assert await title_of_page(shared_page) == "done"


async def test_a_click_on_a_day_of_a_calendar_goes_beside_what_is_on_it(shared_page: AsyncPage, write: Show) -> None:
    def day(number: int) -> str:
        on_it = "<a tabindex=0 style='display: block; height: 50px'>Call</a>" if number == 4 else ""
        style = "width: 80px; height: 100px; vertical-align: top"
        return f"<td role=gridcell aria-label='May {number}' style='{style}'><div><i>{number}</i></div>{on_it}</td>"

    week = "".join(map(day, range(1, 8)))
    listen = "r.addEventListener('mousedown', (e) => { document.title = e.target.closest('a') ? 'Call' : 'day' })"
    on_click = "r.addEventListener('click', () => 0)"
    await write(f"<!doctype html><table role=grid id=r><tr>{week}</table><script>{listen}; {on_click}</script>")
    await shared_page.click('gridcell "May 4"')
    assert await title_of_page(shared_page) == "day"


HOVERED = """<div id=c style='position:absolute;right:10px;top:10px'><a id=t href='#' role=button title=Layers
style='display:block;width:30px;height:30px;background:#9c9'></a><div id=s hidden><label><input type=radio name=r>Map</label>
</div></div><script>c.onmouseenter = () => { t.style.HIDES; s.hidden = false }</script>"""


@pytest.mark.parametrize(
    ("hides", "cover"),
    [("display = 'none'", "label .*Map"), ("visibility = 'hidden'", "div#c")],
    ids=["removed", "unseen"],
)
async def test_an_error_says_what_takes_the_place_of_a_control_under_the_pointer(
    shared_page: AsyncPage, write: Show, hides: str, cover: str
) -> None:
    await write(HOVERED.replace("HIDES", hides))
    with pytest.raises(
        RemoteError, match=f"hid or moved when the pointer came to it, and .*{cover}.* there now"
    ) as caught:
        await shared_page.click("#t", timeout_s=20)
    assert caught.value.reason == "NOT_REACHABLE"
    assert 'radio "Map"' in await text_of(shared_page)
