"""Choosing from lists whose pages do something else with the choice than keep it, over real gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from tests.support.live import Show

OPTIONS = "<option>Texas<option>Utah<option>Iowa"

DUAL = f"""<select id=a multiple size=5>{OPTIONS}</select><select id=b multiple size=5></select><script>
let all = [...a.options].map((option) => [option.text, false]);
const draw = () => {{ for (const [list, taken] of [[a, false], [b, true]])
  list.replaceChildren(...all.filter(([, is]) => is === taken).map(([text]) => new Option(text))); }};
document.onchange = ({{target}}) => {{
  const moved = [...target.selectedOptions].map((option) => option.text);
  all = all.map(([text, is]) => [text, moved.includes(text) ? !is : is]); draw();
}};
draw();
</script>"""

MOVED = f"""<select id=a size=5>{OPTIONS}</select><select id=b size=5></select>
<script>
a.onchange = () => b.append(a.selectedOptions[0]);
b.onchange = () => a.append(b.selectedOptions[0]);
</script>"""

ADDED = f"""<select id=a><option>Add a state…{OPTIONS}</select><ul id=b></ul><script>
a.onchange = () => {{
  b.append(Object.assign(document.createElement('li'), {{ textContent: a.value }}));
  a.selectedIndex = 0;
}};
</script>"""

REDRAWN = f"""<div id=w></div><p id=b></p><script>
const draw = () => {{ w.innerHTML = '<select id=a><option>Choose{OPTIONS}</select>';
  a.onchange = () => {{ b.textContent += a.value; draw(); }}; }};
draw();
</script>"""


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open(allow_evaluate=True)
    yield page
    await page.close()


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(DUAL, id="dual-list-drawn-again"),
        pytest.param(MOVED, id="moved-to-another-list"),
        pytest.param(ADDED, id="added-to-a-list"),
        pytest.param(REDRAWN, id="list-drawn-again"),
    ],
)
async def test_an_option_that_the_page_has_taken_elsewhere_is_chosen_once(
    page: AsyncPage, show: Show, html: str
) -> None:
    await show(html)
    notes = (await page.select("#a", "Utah")).notes
    assert await page.evaluate("b.textContent") == "Utah"
    assert "the page has taken the option" in notes[0]


async def test_an_option_that_leads_to_another_page_is_chosen(page: AsyncPage, show: Show, site: str) -> None:
    await show(f"<select id=a onchange=\"location = '{site}/html?body=There'\"><option>Here{OPTIONS}</select>")
    await page.select("#a", "Utah")
    assert "There" in (await page.snapshot(mode="text")).text


async def test_an_option_that_the_page_undoes_is_an_error_and_tried_once(page: AsyncPage, show: Show) -> None:
    await show(
        f"<select id=a onchange='count += 1; this.selectedIndex = 0'><option>Choose{OPTIONS}</select>"
        "<script>var count = 0</script>"
    )
    with pytest.raises(RemoteError) as caught:
        await page.select("#a", "Utah")
    assert caught.value.reason == "NOT_TAKEN"
    assert await page.evaluate("count") == 1


KEPT = """<div id=w></div><script>
let plan = 'Free';
const draw = () => { w.innerHTML = `LISTS`; a.value = plan; a.onchange = () => { plan = a.value; draw() } };
draw();
</script>"""

PLANS = "<option>Free<option value=p>Pro<option>Team"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(KEPT.replace("LISTS", f"<label>Plan <select id=a>{PLANS}</select></label>"), id="list"),
        pytest.param(KEPT.replace("LISTS", f"<select id=a size=3>{PLANS}</select>"), id="open-list"),
        pytest.param(
            KEPT.replace("LISTS", f"<select>{PLANS}</select><select id=a>{PLANS}</select><select></select>"),
            id="one-of-several",
        ),
        pytest.param(
            f"<select id=a>{PLANS}</select><script>a.onchange = () => {{ const now = a.value; "
            f"a.innerHTML = '{PLANS}'; a.value = now }}</script>",
            id="options-alone",
        ),
    ],
)
async def test_a_list_that_is_drawn_again_with_the_option_has_it_selected(
    page: AsyncPage, show: Show, html: str
) -> None:
    await show(html)
    assert not (await page.select("#a", "Pro")).notes
    assert await page.evaluate("a.value") == "p"


async def test_a_list_that_is_removed_as_the_last_field_is_left_takes_no_keys(page: AsyncPage, show: Show) -> None:
    await show(
        f"<input id=t autofocus><div id=w><select id=a>{PLANS}</select></div><script>"
        "addEventListener('keydown', (event) => { document.title += event.key });"
        f"t.onblur = () => {{ w.innerHTML = '<select id=a>{PLANS}</select>' }};</script>"
    )
    with pytest.raises(RemoteError, match="its element is gone; take a new snapshot"):
        await page.select("#a", "Pro")
    assert await page.evaluate("document.title + a.value") == "Free"


@pytest.mark.parametrize("kind", ["", "size=3", "multiple"])
async def test_a_list_that_takes_no_pointer_is_chosen_from_all_the_same(page: AsyncPage, show: Show, kind: str) -> None:
    await show(f"<select id=a {kind} style='pointer-events: none'>{PLANS}</select>")
    assert "[unreachable]" in (await page.snapshot(mode="text")).text
    assert "set by script" in (await page.select("#a", "Pro")).notes[0]
    assert await page.evaluate("a.value") == "p"


async def test_the_error_for_a_list_under_a_painted_one_names_that(page: AsyncPage, show: Show) -> None:
    await show(
        f"<div style='position: relative'><select id=a style='position: absolute; opacity: 0; width: 100px'>{PLANS}"
        "</select><button style='position: relative; width: 100px'>Free</button></div>"
    )
    with pytest.raises(RemoteError, match=r'is not seen, and .*button "Free".* is in its place: use that'):
        await page.select("#a", "Pro")
    assert await page.evaluate("a.value") != "p"


FADING = """<style>@keyframes in { from { opacity: 0 } } #l { animation: in .4s }</style>
<div id=c role=combobox tabindex=0 aria-expanded=false aria-controls=l>Owner</div><div id=l role=listbox hidden>
<div role=option>Ann</div><div role=option>Bob</div></div><script>
c.onclick = () => { l.hidden = false; c.setAttribute('aria-expanded', 'true') };
l.onclick = (event) => { document.title = event.target.textContent };
</script>"""


async def test_an_option_of_a_list_that_fades_in_is_chosen(page: AsyncPage, show: Show) -> None:
    await show(FADING)
    await page.select("#c", "Bob")
    assert await page.evaluate("document.title") == "Bob"


VIRTUAL = """<div id=c role=combobox tabindex=0 aria-expanded=false aria-controls=l>Owner</div>
<div id=box style="height:60px;overflow:auto" hidden>
  <div style="height:600px"><div id=l role=listbox style="padding:0"></div></div>
</div><script>
const draw = () => {
  const first = Math.min(24, Math.floor(box.scrollTop / 20));
  l.style.paddingTop = first * 20 + 'px';
  l.replaceChildren(...[0, 1, 2, 3, 4, 5].map((at) => {
    const option = document.createElement('div');
    option.setAttribute('role', 'option'); option.style.height = '20px'; option.textContent = `Owner ${first + at}`;
    return option;
  }));
};
box.onscroll = draw;
c.onclick = () => { box.hidden = false; c.setAttribute('aria-expanded', 'true'); draw() };
l.onclick = (event) => { document.title = event.target.textContent };
</script>"""


@pytest.mark.parametrize("wanted", ["Owner 1", "Owner 2", "Owner 5"])
async def test_an_option_that_is_drawn_again_as_it_comes_into_view_is_chosen(
    page: AsyncPage, show: Show, wanted: str
) -> None:
    await show(VIRTUAL)
    await page.select("#c", wanted)
    assert await page.evaluate("document.title") == wanted


@pytest.mark.parametrize(
    ("wanted", "opened_at"),
    [
        pytest.param("Owner 29", 0, id="last"),
        pytest.param("Owner 17", 0, id="far"),
        pytest.param("Owner 3", 400, id="back"),
    ],
)
async def test_an_option_that_is_drawn_only_when_scrolled_to_is_chosen(
    page: AsyncPage, show: Show, wanted: str, opened_at: int
) -> None:
    moved = f"c.addEventListener('click', () => setTimeout(() => {{ box.scrollTop = {opened_at}; draw() }}, 60))"
    await show(VIRTUAL + (f"<script>{moved}</script>" if opened_at else ""))
    await page.select("#c", wanted)
    assert await page.evaluate("document.title") == wanted


async def test_an_option_that_a_list_does_not_draw_anywhere_is_an_error_that_counts_all(
    page: AsyncPage, show: Show
) -> None:
    await show(VIRTUAL)
    with pytest.raises(RemoteError, match=r'"Owner 0", .*"Owner 19".* and 10 more') as caught:
        await page.select("#c", "Owner 30")
    assert caught.value.reason == "NO_SUCH_OPTION"
    assert not await page.evaluate("document.title")


LOADED = VIRTUAL.replace('height:600px"', 'height:120px" id=h').replace(
    "box.onscroll = draw", "box.onscroll = () => { draw(); setTimeout(() => { h.style.height = '600px' }, 100) }"
)

NAMED_APART = """<input id=c role=combobox aria-expanded=false aria-controls=l>
<div id=p hidden><div id=l role=listbox style="width:0;height:0;overflow:hidden">
  <div role=option aria-label="Owner 0">0</div><div role=option aria-label="Owner 1">1</div></div>
<div id=box style="height:60px;overflow:hidden"><div style="height:600px"><div id=rows></div></div></div></div><script>
const draw = () => {
  const first = Math.min(24, Math.floor(box.scrollTop / 20));
  rows.style.paddingTop = first * 20 + 'px';
  rows.replaceChildren(...[0, 1, 2, 3, 4, 5].map((at) => {
    const row = document.createElement('div');
    row.style.height = '20px'; row.textContent = `Owner ${first + at}`;
    return row;
  }));
};
box.onscroll = draw;
c.onclick = () => { p.hidden = false; c.setAttribute('aria-expanded', 'true'); draw() };
rows.onclick = (event) => { document.title = event.target.textContent };
</script>"""


@pytest.mark.parametrize(
    "html", [pytest.param(LOADED, id="loaded-at-the-end"), pytest.param(NAMED_APART, id="names-apart-from-the-rows")]
)
@pytest.mark.parametrize("wanted", ["Owner 1", "Owner 2", "Owner 20"])
async def test_rows_that_a_list_paints_as_it_is_scrolled_are_its_options(
    page: AsyncPage, show: Show, html: str, wanted: str
) -> None:
    await show(html)
    await page.select("#c", wanted)
    assert await page.evaluate("document.title") == wanted


UNSEEN_FIELD = VIRTUAL.replace(
    "<div id=c role=combobox tabindex=0 aria-expanded=false aria-controls=l>Owner</div>",
    "<p>Choose…</p><input id=c role=combobox style='STYLE' aria-expanded=false aria-controls=l>",
).replace("c.onclick =", "c.onkeydown = ({ key }) => { if (key === 'ArrowDown') c.onclick() };\nc.onclick =")


@pytest.mark.parametrize(
    "style",
    [
        pytest.param("width:0;height:0;padding:0;border:0;opacity:0", id="without-size"),
        pytest.param("position:absolute;left:0;top:0;width:90px;opacity:0;z-index:-1", id="under-the-painted-text"),
    ],
)
async def test_a_list_whose_field_nobody_sees_is_opened_by_a_key(page: AsyncPage, show: Show, style: str) -> None:
    await show(UNSEEN_FIELD.replace("STYLE", style))
    await page.select("#c", "Owner 2")
    assert await page.evaluate("document.title") == "Owner 2"


async def test_a_list_that_is_seen_and_covered_takes_no_key(page: AsyncPage, show: Show) -> None:
    html = UNSEEN_FIELD.replace("STYLE", "")
    await show(html + "<dialog id=d style='position:fixed;inset:0;width:100%;height:100%'>Wait</dialog>")
    await page.evaluate("d.show()")
    with pytest.raises(RemoteError) as caught:
        await page.select("#c", "Owner 2")
    assert caught.value.reason == "ELEMENT_OBSCURED"
    assert await page.evaluate("box.hidden")


PRESSED_OPEN = """<label for=p>Plan</label> <input id=p readonly aria-haspopup=listbox><div id=d></div>
<div role=listbox><div role=option>Free</div></div><script>
p.onclick = () => { NAMES d.innerHTML = d.innerHTML ? '' : LIST;
  for (const each of d.querySelectorAll('[role=option]'))
    each.onclick = () => { p.value = each.textContent; d.innerHTML = '' }; };
p.onkeydown = ({ key }) => { if (key === 'Escape') d.innerHTML = '' };
</script>"""
PRESSED_LIST = "'<div id=l role=listbox><div role=option>Pro</div><div role=option>Team</div></div>'"
NAMED_LIST = "p.setAttribute('aria-controls', 'l');"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(PRESSED_OPEN.replace("NAMES", NAMED_LIST), id="named-when-open"),
        pytest.param(PRESSED_OPEN.replace("NAMES", NAMED_LIST.replace("controls", "owns")), id="owned-when-open"),
        pytest.param(PRESSED_OPEN.replace("NAMES", ""), id="not-named"),
        pytest.param(PRESSED_OPEN.replace("NAMES", "").replace("readonly", "role=button"), id="opened-by-a-button"),
    ],
)
async def test_a_list_that_a_press_brings_is_open_though_no_state_says_so(
    page: AsyncPage, show: Show, html: str
) -> None:
    await show(html.replace("LIST", PRESSED_LIST))
    await page.select("#p", "Team")
    assert await page.evaluate("p.value + d.innerHTML") == "Team"


async def test_a_list_that_no_state_tells_is_opened_again_where_the_press_closed_it(
    page: AsyncPage, show: Show
) -> None:
    await show(
        "<input id=p role=combobox><div id=l role=listbox hidden><div role=option>Pro</div><div role=option>Team</div>"
        "</div><script>p.onclick = () => { l.hidden = !l.hidden }; p.onkeydown = () => { l.hidden = false };"
        "l.onclick = ({ target }) => { p.value += target.textContent }</script>"
    )
    await page.select("#p", "Pro")
    await page.select("#p", "Team")
    assert await page.evaluate("p.value") == "ProTeam"


async def test_a_list_that_its_field_names_and_shows_is_open(page: AsyncPage, show: Show) -> None:
    await show(PRESSED_OPEN.replace("NAMES", NAMED_LIST).replace("LIST", PRESSED_LIST))
    await page.click("#p")
    await page.select("#p", "Pro")
    assert await page.evaluate("p.value + d.innerHTML") == "Pro"


@pytest.mark.parametrize(
    "around",
    [
        pytest.param("{}", id="by-escape"),
        pytest.param(
            "<dialog open id=g onkeydown=\"event.key === 'Escape' && this.close()\">{}</dialog>", id="in-a-dialog"
        ),
    ],
)
@pytest.mark.parametrize("wanted", ["Gold", "Pro"])
async def test_a_list_that_lacks_the_option_is_closed_again(
    page: AsyncPage, show: Show, around: str, wanted: str
) -> None:
    offered = PRESSED_LIST.replace("role=option>Pro", "role=option aria-disabled=true>Pro")
    await show(around.format(PRESSED_OPEN.replace("NAMES", "").replace("LIST", offered)))
    with pytest.raises(RemoteError) as caught:
        await page.select("#p", wanted)
    assert caught.value.reason == ("ELEMENT_DISABLED" if wanted == "Pro" else "NO_SUCH_OPTION")
    assert await page.evaluate("d.innerHTML + (window.g ? g.open : true)") == "true"


async def test_a_list_that_opens_without_options_is_closed_again(page: AsyncPage, show: Show) -> None:
    empty = "'<div id=l role=listbox style=height:20px>No plans</div>'"
    await show(PRESSED_OPEN.replace("NAMES", "").replace("LIST", empty))
    with pytest.raises(RemoteError, match="was opened and shows no options"):
        await page.select("#p", "Team")
    assert await page.evaluate("d.innerHTML") == ""


@pytest.mark.parametrize("opens", ["altKey && key === 'ArrowDown'", "key === 'ArrowDown'"])
async def test_a_combobox_that_no_click_opens_is_opened_by_a_key(page: AsyncPage, show: Show, opens: str) -> None:
    await show(
        "<input id=c role=combobox aria-expanded=false aria-controls=l><ul id=l role=listbox hidden>"
        "<li role=option>Rome<li role=option>Oslo</ul><script>"
        "const open = (is) => { l.hidden = !is; c.setAttribute('aria-expanded', is) };"
        f"c.onkeydown = ({{ key, altKey }}) => {{ if ({opens}) open(true) }};"
        "l.onclick = ({ target }) => { c.value = target.textContent; open(false) }</script>"
    )
    await page.select("#c", "Oslo")
    assert await page.evaluate("c.value") == "Oslo"


HINTED = """<style>[role=option]:hover::after { content: ' Press to select' } .on::after { content: ' Press to select' }
[role=option]:first-child::before { content: '★ ' }</style>
<div id=l role=listbox><div role=option>Red</div><div role=option class=on>Blue</div></div>
<script>l.onclick = ({ target }) => { document.title = target.textContent }</script>"""


@pytest.mark.parametrize("wanted", ["Blue", "Blue Press to select", "red", "★ Red"])
async def test_words_that_style_adds_to_an_option_may_be_left_out(page: AsyncPage, show: Show, wanted: str) -> None:
    await show(HINTED)
    await page.select("#l", wanted)
    assert await page.evaluate("document.title") == ("Red" if "red" in wanted.lower() else "Blue")


PAINTED_FOR = """<div id=w>BEFORE<select id=a multiple STYLE><option value=r>Red<option value=g selected>Green
<option value=b>Blue</select>AFTER</div><select><option>Other</select><script>
const draw = () => { c.textContent = [...a.selectedOptions].map((each) => each.text.trim()).join() || 'None' };
c.onclick = () => { l.hidden = false; c.setAttribute('aria-expanded', 'true') };
l.onclick = ({ target }) => {
  const option = [...a.options].find((each) => each.value === target.id);
  option.selected = !option.selected; draw(); l.hidden = true; c.setAttribute('aria-expanded', 'false');
};
draw();
</script>"""
PAINTED_LIST = """<button id=c role=combobox aria-expanded=false aria-controls=l></button><div id=l role=listbox hidden>
<div role=option id=r>Red</div><div role=option id=g>Green</div><div role=option id=b>Blue</div></div>"""


@pytest.mark.parametrize(
    "style", ["hidden", "style='position:absolute;clip-path:inset(50%)'", "style='width:1px;height:1px'"]
)
@pytest.mark.parametrize("place", ["BEFORE", "AFTER"])
async def test_a_list_that_nobody_sees_is_chosen_from_by_the_painted_one(
    page: AsyncPage, show: Show, style: str, place: str
) -> None:
    html = PAINTED_FOR.replace("STYLE", style).replace(place, PAINTED_LIST)
    await show(html.replace("BEFORE", "").replace("AFTER", ""))
    assert not (await page.select("#a", "Red")).notes
    assert await page.evaluate("c.textContent") == "Red,Green"
    assert "selected already" in (await page.select("#a", "Green")).notes[0]
    assert await page.evaluate("c.textContent") == "Red,Green"


@pytest.mark.parametrize("follows", [True, False])
async def test_a_note_says_where_the_painted_text_does_not_follow_a_hidden_list(
    page: AsyncPage, show: Show, follows: bool
) -> None:
    draw = "c.textContent = a.selectedOptions[0].text"
    await show(
        f"<div><select id=a style='display:none'>{PLANS}</select><a><b id=c></b>"
        f"<i style='position:absolute;clip-path:inset(50%)'>Pro Team</i></a></div><script>{draw};"
        f"a.onchange = () => {{ {draw if follows else ''} }}</script>"
    )
    notes = (await page.select("#a", "Team")).notes
    assert "set by script" in notes[0]
    assert ("choose it there" in notes[-1]) is not follows
    assert await page.evaluate("a.value") == "Team"


COMBOBOX_IN_ONE = """<div id=f role=combobox aria-haspopup=listbox aria-expanded=false
  style="position:relative;width:240px;height:56px"><label for=n>Country</label>
  <div id=c style="position:absolute;inset:0"></div>MORE<input id=n role=combobox aria-expanded=false inputmode=none
  style="position:absolute;left:8px;top:20px;width:60px;opacity:0;z-index:-1"></div><div id=l></div><script>
f.onmousedown = (event) => {
  event.preventDefault(); n.focus(); f.setAttribute('aria-expanded', true);
  l.innerHTML = '<div role=listbox><div role=option>Norway</div><div role=option>Iceland</div></div>';
  l.onclick = ({ target }) => { c.textContent = target.textContent; l.innerHTML = '' };
};</script>"""


@pytest.mark.parametrize("target", ["#f", "#n"])
async def test_a_combobox_in_another_one_is_opened_through_what_that_paints(
    page: AsyncPage, show: Show, target: str
) -> None:
    await show(COMBOBOX_IN_ONE.replace("MORE", ""))
    await page.select(target, "Iceland")
    assert await page.evaluate("c.textContent + l.innerHTML") == "Iceland"


async def test_a_button_over_a_combobox_in_another_one_covers_it(page: AsyncPage, show: Show) -> None:
    await show(COMBOBOX_IN_ONE.replace("MORE", "<button style='position:absolute;inset:0'>Help</button>"))
    with pytest.raises(RemoteError) as caught:
        await page.click("#n")
    assert caught.value.reason == "ELEMENT_OBSCURED"


TOPPINGS = """<div id=b role=combobox tabindex=0 aria-haspopup=listbox aria-expanded=false>Ham</div>
<div id=l role=listbox aria-multiselectable=true hidden><div role=option aria-selected=true>Ham</div>
<div role=option aria-selected=false>Olives</div><div role=option aria-selected=false>Corn</div></div><script>
const toggle = (open) => { l.hidden = !open; b.setAttribute('aria-expanded', open) };
b.onclick = () => toggle(l.hidden);
l.onclick = ({ target }) => {
  target.ariaSelected = target.ariaSelected !== 'true'; CLOSE
  b.textContent = [...l.children].filter((each) => each.ariaSelected === 'true').map((each) => each.textContent).join();
};</script>"""


@pytest.mark.parametrize("close", ["", "toggle(false);"])
async def test_what_is_chosen_in_a_painted_multiple_list_stays_so(page: AsyncPage, show: Show, close: str) -> None:
    await show(TOPPINGS.replace("CLOSE", close))
    assert "selected already" in (await page.select("#b", "Ham")).notes[0]
    assert await page.evaluate("b.textContent") == "Ham"
    await page.select("#b", "Corn", "Ham", "Olives")
    assert await page.evaluate("b.textContent") == "Ham,Olives,Corn"
    await page.select("#b", "Corn")
    assert await page.evaluate("b.textContent") == "Corn"


async def test_a_painted_list_that_takes_one_option_refuses_two(page: AsyncPage, show: Show) -> None:
    await show(TOPPINGS.replace("aria-multiselectable=true", ""))
    with pytest.raises(RemoteError, match="does not say that it takes several"):
        await page.select("#b", "Corn", "Olives")
    assert await page.evaluate("[b.textContent, l.hidden].join()") == "Ham,true"


TREES = """<button id=b role=combobox aria-haspopup=listbox aria-expanded=false>Aspen</button>
<div id=l role=listbox hidden><div role=option>Aspen</div><div role=option>Birch</div>
<div role=option MARK>Cedar</div></div><script>
b.onclick = () => { l.hidden = !l.hidden; b.setAttribute('aria-expanded', !l.hidden) };
l.onclick = ({ target: { textContent: name } }) => { if (name !== 'Cedar') { b.textContent = name; b.onclick() } };
</script>"""


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        pytest.param("data-disabled", "ELEMENT_DISABLED", id="attribute"),
        pytest.param("class=is-disabled", "ELEMENT_DISABLED", id="class"),
        pytest.param("", "NOT_TAKEN", id="unsaid"),
        pytest.param("data-disabled=false", "NOT_TAKEN", id="said-not"),
    ],
)
async def test_an_option_that_a_painted_list_does_not_take_is_an_error(
    page: AsyncPage, show: Show, mark: str, reason: str
) -> None:
    await show(TREES.replace("MARK", mark))
    await page.snapshot()  # from now on the page's changes are known
    with pytest.raises(RemoteError) as caught:
        await page.select("#b", "Cedar")
    assert caught.value.reason == reason
    assert await page.evaluate("[b.textContent, l.hidden].join()") == "Aspen,true"
    await page.select("#b", "Birch")
    assert await page.evaluate("[b.textContent, l.hidden].join()") == "Birch,true"


async def test_the_error_for_a_list_that_its_text_narrows_says_so(page: AsyncPage, show: Show) -> None:
    await show("""<input id=i role=combobox aria-expanded=false aria-controls=l value=Oslo><ul id=l role=listbox hidden>
    </ul><script>i.onclick = () => { l.hidden = false; i.ariaExpanded = true;
    const fits = ['Oslo', 'Bergen'].filter((each) => each.includes(i.value));
    l.innerHTML = fits.map((each) => `<li role=option>${each}`).join('') };</script>""")
    with pytest.raises(RemoteError, match="only what fits its text") as caught:
        await page.select("#i", "Bergen")
    assert caught.value.reason == "NO_SUCH_OPTION"
