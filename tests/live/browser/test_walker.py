"""What the walker says of small pages: roles, names, states, values, places."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from perception.browser.page.navigation import WaitUntil, navigate
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.types import Capture, Element, Engine, Opaque
from tests.paths import PAGES
from tests.support.ligature_font import LIGATURES
from tests.support.sheet import Sheet

FORM = (PAGES / "form.html").read_text("utf-8")


async def look_at(sheet: Sheet, html: str, engine: Engine = Engine.WALKER) -> Capture:
    await sheet.write(html if html.startswith("<!doctype") else "<!doctype html>" + html)
    return await sheet.look(engine)


def first(capture: Capture, role: str) -> Element:
    return next(element for element in capture.elements if element.role == role)


@pytest.mark.parametrize(
    ("html", "role", "name"),
    [
        pytest.param("<button>Save</button>", "button", "Save", id="content"),
        pytest.param('<button aria-label="Close">x</button>', "button", "Close", id="aria-label"),
        pytest.param(
            '<b id=a>One</b><i id=b>Two</i><button aria-labelledby="b a">x</button>',
            "button",
            "Two One",
            id="labelledby",
        ),
        pytest.param('<button title="Settings"><i class=icon></i></button>', "button", "Settings", id="title"),
        pytest.param('<button title="Files">&#xe001;</button>', "button", "Files", id="icon-glyph-is-no-name"),
        pytest.param('<a href="#"><img alt="Home" src=""></a>', "link", "Home", id="image-in-link"),
        pytest.param("<label>Email <input></label>", "textbox", "Email", id="wrapping-label"),
        pytest.param("<label for=x>Age</label><input id=x type=number>", "spinbutton", "Age", id="label-for"),
        pytest.param('<input placeholder="Search here">', "textbox", "Search here", id="placeholder"),
        pytest.param('<input type=submit value="Go">', "button", "Go", id="submit-value"),
        pytest.param("<input type=submit>", "button", "Submit", id="submit-default"),
        pytest.param("<h2>Sub <em>title</em></h2>", "heading", "Sub title", id="heading"),
        pytest.param('<div role=tab tabindex=0>Tab "one": x</div>', "tab", 'Tab "one": x', id="quotes-and-colons"),
        pytest.param('<button><span style="display:none">no</span>yes</button>', "button", "yes", id="hidden-part"),
        pytest.param(
            "<button><span aria-hidden=true>x</span> Close</button>", "button", "Close", id="aria-hidden-part"
        ),
        pytest.param(
            '<style>b::before{content:"New "}</style><button><b>mail</b></button>', "button", "New mail", id="generated"
        ),
        pytest.param("<div contenteditable aria-label=Body>hi</div>", "textbox", "Body", id="contenteditable"),
        pytest.param("<table border=1><tr><td>1</td><td>Ann</td></tr></table>", "row", "1 Ann", id="row"),
        pytest.param("<svg role=img aria-label=Logo width=20 height=20></svg>", "img", "Logo", id="svg"),
        pytest.param('<div role="bogus button" tabindex=0>B</div>', "button", "B", id="first-known-role"),
        pytest.param('<button role="presentation">B</button>', "button", "B", id="focusable-is-never-presentational"),
        pytest.param("<details><summary>More</summary><p>x</details>", "button", "More", id="summary"),
    ],
)
async def test_role_and_name(sheet: Sheet, html: str, role: str, name: str) -> None:
    element = first(await look_at(sheet, html), role)
    assert element.name == name


@pytest.mark.parametrize(
    ("html", "role", "states"),
    [
        pytest.param("<button disabled>x</button>", "button", {"disabled"}, id="disabled"),
        pytest.param("<fieldset disabled><button>x</button></fieldset>", "button", {"disabled"}, id="fieldset"),
        pytest.param("<input type=checkbox checked>", "checkbox", {"checked"}, id="checked"),
        pytest.param("<button aria-expanded=false>x</button>", "button", {"collapsed"}, id="collapsed"),
        pytest.param("<details open><summary>x</summary></details>", "button", {"expanded"}, id="open-details"),
        pytest.param("<input required readonly>", "textbox", {"required", "readonly"}, id="required-readonly"),
        pytest.param("<input type=number readonly>", "spinbutton", {"readonly"}, id="readonly-number"),
        pytest.param("<input type=checkbox readonly>", "checkbox", set(), id="readonly-does-nothing-to-a-checkbox"),
        pytest.param("<h3>x</h3>", "heading", {"level=3"}, id="level"),
        pytest.param("<input type=password>", "textbox", {"password"}, id="password-empty"),
        pytest.param("<input type=password value=x>", "textbox", {"password filled"}, id="password-filled"),
        pytest.param("<button aria-pressed=true>x</button>", "button", {"pressed"}, id="pressed"),
    ],
)
async def test_states(sheet: Sheet, html: str, role: str, states: set[str]) -> None:
    assert set(first(await look_at(sheet, html), role).states) == states


@pytest.mark.parametrize(
    ("html", "hint"),
    [
        pytest.param('<button><i class="fe fe-trash"></i></button>', "trash", id="icon-font"),
        pytest.param('<button class="btn btn-icon"><i class="bi big bi-x-lg"></i></button>', "x-lg", id="with-more"),
        pytest.param('<button><svg width=9 height=9><use href="/i.svg#cog"/></svg></button>', "cog", id="sprite"),
        pytest.param('<a href="/cart">&#xe001;</a>', "/cart", id="link-target"),
        pytest.param('<a href="#" id="more">&#xe001;</a>', "more", id="empty-link-target"),
        pytest.param('<button><span class="ui-icon ui-icon-closethick"></span></button>', "closethick", id="jquery-ui"),
        pytest.param(
            '<button class="btn btn-lg"><i class="bi-trash"></i></button>', "trash", id="class-of-layout-first"
        ),
        pytest.param('<button><svg data-lucide="archive" width=9 height=9></svg></button>', "archive", id="icon-set"),
        pytest.param('<button data-bs-original-title="Mute"><i class="fa fa-x"></i></button>', "Mute", id="tooltip"),
        pytest.param('<button><img src="/img/zoom-in.4f3a.svg" alt=""></button>', "zoom-in", id="image-file"),
        pytest.param(
            '<button><img src="/img/blank.gif" alt="" class="dijitReset dijitIncrementControl dijitDecrease"></button>',
            "decrease",
            id="image-that-shows-nothing",
        ),
        pytest.param('<button><i class="fab fa-fw fa-2x fa-dribbble"></i></button>', "dribbble", id="shape-of-an-icon"),
        pytest.param('<a href="javascript:void(0)" id="pick">&#xe001;</a>', "pick", id="script-for-a-target"),
        pytest.param(
            '<button class="pnlm-zoom-in pnlm-control"></button>', "zoom-in", id="class-that-says-what-it-does"
        ),
        pytest.param('<button class="map wide"></button>', "", id="class-that-says-nothing"),
        pytest.param('<button class="ol_zoomOut"></button>', "zoom-out", id="class-in-camel-case"),
        pytest.param('<button class="stepper-button-minus"></button>', "minus", id="class-that-says-less"),
        pytest.param('<button><span class="default-icon-plus"></span></button>', "plus", id="icon-of-a-library"),
        pytest.param('<button id=b7><img src="data:image/gif;base64,R0lGOD" alt=""></button>', "b7", id="no-file-name"),
    ],
)
async def test_a_nameless_control_has_a_hint_that_is_no_name(sheet: Sheet, html: str, hint: str) -> None:
    element = next(each for each in (await look_at(sheet, html)).elements if each.interactive)
    assert (element.name, element.hint) == ("", hint)


SQUARE = "width:20px;height:20px;padding:0;border:0;background:"


@pytest.mark.parametrize(
    ("html", "hints"),
    [
        pytest.param("<button style='{0}#dda'></button><button style='{0}#000'></button>", ["#ddddaa", "#000000"], id="squares"),
        pytest.param("<button id=a1 style='{0}red'></button><button style='{0}blue'></button>", ["a1 #ff0000", "#0000ff"], id="with-id"),
        pytest.param("<ul><li><button><i style='{0}gold;display:block'></i></button><li><button><i style='{0}teal;display:block'></i></button></ul>", ["#ffd700", "#008080"], id="in-wrappers"),
        pytest.param("<input type=radio style='appearance:none;{0}red'><input type=radio style='appearance:none;{0}lime'>", ["#ff0000", "#00ff00"], id="radio-buttons"),
        pytest.param("<button style='{0}red'></button><button style='{0}red'></button>", ["", ""], id="all-alike"),
        pytest.param("<style>#b::before{{content:'\\e001'}}</style><button id=b style='{0}red'></button><button style='{0}blue'></button>", ["b", ""], id="a-glyph-on-it"),
        pytest.param("<input style='{0}red'><input style='{0}blue'>", ["", ""], id="fields"),
        pytest.param("<button style='{0}red'>A</button><button style='{0}blue'>B</button>", ["", ""], id="with-words"),
    ],
)  # fmt: skip
async def test_what_shows_a_color_only_is_told_by_it(sheet: Sheet, html: str, hints: list[str]) -> None:
    found = [each for each in (await look_at(sheet, html.format(SQUARE))).elements if each.interactive]
    assert [each.hint for each in found] == hints


async def test_a_hand_cursor_around_a_link_is_no_control_of_its_own(sheet: Sheet) -> None:
    html = '<ul><li style="cursor:pointer"><a href="#">Home</a></li><li style="cursor:pointer">Plain</li></ul>'
    elements = (await look_at(sheet, html)).elements
    said = [(each.role, each.name, each.states) for each in elements if not each.structure]
    assert said == [("link", "Home", ()), ("listitem", "Plain", ("clickable",))]


async def test_password_value_never_leaves_by_either_engine(sheet: Sheet) -> None:
    for engine in Engine:
        capture = await look_at(sheet, FORM, engine)
        assert "hunter2" not in repr(capture)
        assert "a@b.co" in repr(capture)


async def test_form_page(sheet: Sheet) -> None:
    capture = await look_at(sheet, FORM)
    by_name = {(element.role, element.name): element for element in capture.elements}
    assert by_name["text", "Ship to"].visible
    assert by_name["combobox", "Size"].value == "Large"
    assert by_name["textbox", "Note"].value == "two\nlines"
    assert by_name["button", ""].opaque is Opaque.NAMELESS
    assert by_name["generic", "Pointer only"].interactive
    covered = by_name["button", "Hidden below"]
    assert covered.in_viewport
    assert not covered.reachable
    assert "veil" in covered.blocker
    far = by_name["button", "Far below"]
    assert not far.in_viewport
    assert not far.reachable


async def test_text_that_no_person_can_see_is_marked(sheet: Sheet) -> None:
    capture = await look_at(sheet, FORM)
    assert not next(element for element in capture.elements if element.name == "Unseen words").visible


HOST = "<script>document.body.firstElementChild.attachShadow({{mode: 'closed'}}).innerHTML = `{}`</script>"


@pytest.mark.parametrize(
    ("html", "names"),
    [
        pytest.param(f"<div>Light</div>{HOST.format('<button>Buy</button> <slot></slot>')}", ["Buy", "Light"], id="text"),
        pytest.param(f"<p><b>Light</b></p>{HOST.format('<button>Buy</button> <slot></slot>')}", ["Buy", "Light"], id="element"),
        pytest.param(f"<div>Light</div>{HOST.format('<button>Buy</button><br><slot></slot>')}", ["Buy", "Light"], id="below"),
        pytest.param(f"<section>Gone</section>{HOST.format('<button>Buy</button>')}", ["Buy"], id="text-without-a-slot"),
        pytest.param("<div><template shadowrootmode=closed><button>Buy</button> <slot></slot></template>Light</div>", ["Buy", "Light"], id="declared"),
    ],
)  # fmt: skip
async def test_a_closed_root_in_front_of_what_is_seen_is_read(sheet: Sheet, html: str, names: list[str]) -> None:
    await sheet.write(f"<!doctype html><body>{html}")
    assert [each.name for each in (await sheet.look()).elements if each.name] == names


async def test_frames_of_both_kinds_and_open_shadow_roots_are_in_one_list(sheet: Sheet, site: str) -> None:
    await navigate(sheet.tab.link, f"{site}/frames.html", WaitUntil.LOAD, Deadline.of(60))
    await sheet.tab.page.wait_for_url("**/frames.html")  # Playwright hears of it by itself
    capture = await sheet.look()
    frames = [index for index, element in enumerate(capture.elements) if element.role == "iframe"]
    inner = [element for element in capture.elements if element.name == "Inner button"]
    assert [element.parent for element in inner] == frames
    assert all(element.reachable and element.backend_node_id for element in inner)
    assert len({element.frame for element in inner}) == 2
    for element, frame in zip(inner, frames, strict=True):
        outer = capture.elements[frame].box
        assert outer.left < element.box.left < element.box.right < outer.right
        assert outer.top < element.box.top < element.box.bottom < outer.bottom
    assert any(element.name == "In shadow" for element in capture.elements)


async def test_half_a_surrogate_pair_does_not_break_the_answer(sheet: Sheet) -> None:
    script = "<button>x</button><script>document.querySelector('button').textContent = 'a\\ud800b\\\\ud800'</script>"
    assert first(await look_at(sheet, script), "button").name == "a\ufffdb\\ud800"


@pytest.mark.parametrize("engine", list(Engine), ids=lambda engine: engine.value)
async def test_a_form_whose_controls_bear_the_names_of_dom_members(sheet: Sheet, engine: Engine) -> None:
    names = "parentNode childNodes shadowRoot nodeType localName id getAttribute hasAttribute matches closest"
    names += " querySelector querySelectorAll getRootNode getBoundingClientRect firstElementChild textContent"
    fields = "".join(f"<input name={name} aria-label={name}>" for name in names.split())
    capture = await look_at(sheet, f"<form>{fields}<button>Send</button></form>", engine)
    assert {element.name for element in capture.elements if element.interactive} == {*names.split(), "Send"}


async def test_hidden_checkbox_is_where_its_label_is(sheet: Sheet) -> None:
    capture = await look_at(sheet, '<input type=checkbox id=c style="display:none"><label for=c>Agree</label>')
    (box,) = [element for element in capture.elements if element.role == "checkbox"]
    assert box.name == "Agree"
    assert box.reachable
    assert [element.name for element in capture.elements] == ["Agree"]


async def test_scrolled_out_of_its_container_is_not_in_view(sheet: Sheet) -> None:
    html = '<div style="height:50px;overflow:auto"><div style="height:200px">top</div><button>Below</button></div>'
    element = first(await look_at(sheet, html), "button")
    assert not element.in_viewport
    assert element.visible


async def test_an_inline_link_around_a_block_is_reachable(sheet: Sheet) -> None:
    html = '<a href="#"><div style="width:100px;height:50px;background:red"></div></a>'
    element = first(await look_at(sheet, html), "link")
    assert element.reachable
    assert element.box.height == 50


@pytest.mark.parametrize(("html", "language"), [("<html lang=ar-EG>", "ar-EG"), ("<p>Text", ""), ("<html lang>", "")])
async def test_a_page_names_its_language(sheet: Sheet, html: str, language: str) -> None:
    assert (await look_at(sheet, html)).language == language


async def test_both_engines_agree_on_the_form(sheet: Sheet) -> None:
    walked = await look_at(sheet, FORM)
    trusted = await look_at(sheet, FORM, Engine.AX)
    interactive = {(element.role, element.name) for element in trusted.elements if element.interactive}
    assert {("button", "Save"), ("textbox", "Email"), ("combobox", "Size")} <= interactive
    seen = {(element.role, element.name) for element in walked.elements}
    options = {("option", "Small"), ("option", "Large")}  # a closed select shows its value, not its options
    assert interactive - seen == options


async def test_the_page_cannot_detect_that_it_was_looked_at(sheet: Sheet) -> None:
    html = (
        "<button>x</button><script>window.log=[];"
        "new MutationObserver(m => log.push(m.length))"
        ".observe(document, {subtree: true, childList: true, attributes: true});"
        "Array.prototype.push = function() { throw 1 }; JSON.stringify = () => 'broken';"
        "Element.prototype.getBoundingClientRect = () => { log.length = 9 };</script>"
    )
    capture = await look_at(sheet, html)
    assert first(capture, "button").box.width > 0
    assert await sheet.tab.page.evaluate("window.log.length") == 0
    assert await sheet.tab.page.evaluate("typeof perceptionWalker") == "undefined"


GENERATED = """<style>.new::before{content:"New "} .kg::after{content:" kg"} .label::before{content:attr(data-label) ": "}
.star::before{content:"★" / "star"} .icon::before{content:"\\e001"} .font::before{content:"home";font-family:"Material Icons"}
@font-face{font-family:"Material Icons";src:url(data:font/woff;base64,LIGATURES)}
.unseen::before{content:"unseen";opacity:0} .gone::before{content:"gone";display:none} .row td{display:block}
.row td::before{content:attr(data-label) ":";float:left} section{counter-reset:part} h2{counter-increment:part}
h2::before{content:counter(part, upper-roman) ". "} ol.n{counter-reset:item;list-style:none} ol.n>li{counter-increment:item}
ol.n>li::before{content:counters(item,".") " "} ol.m>li::marker{content:"Step " counter(list-item) ": "}</style>
<p class=new>mail</p><p class=kg>12</p><p class=label data-label=Price>9</p><p><q>said</q></p><p class=star></p>
<p class=icon>saved</p><p class=font>start</p><p class=unseen>a</p><p class=gone>b</p>
<table class=row><tr><td data-label=Score>12</td></tr></table><section><h2>One</h2><h2>Two</h2></section>
<ol class=n><li>first<ol class=n><li>inner</li></ol></li><li>last</li></ol><ol class=m start=3><li>mix</li></ol>"""

GENERATED_LINES = ["New mail", "12 kg", "Price: 9", "“said”", "star", "saved", "start", "a", "b", "Score: 12", "I. One"]
GENERATED_LINES += ["II. Two", "1 first", "1.1 inner", "2 last", "Step 3: mix"]


async def test_generated_words_and_counters_are_read_as_they_are_painted(sheet: Sheet) -> None:
    await look_at(sheet, GENERATED.replace("LIGATURES", LIGATURES))
    await sheet.tab.page.evaluate("document.fonts.ready.then(() => 0)")
    capture = await sheet.look()
    assert [each.name for each in capture.elements if each.role in ("text", "heading")] == GENERATED_LINES


UNSEEN = """<style>.pale{color:#fff;background:#fff} .ph::placeholder{color:transparent}</style>
<input class=pale value=pale aria-label=A><input class=ph placeholder=unseen><input placeholder=seen><input value=x aria-label=B>
<select aria-label=C><option hidden>no<option>yes</select>
<div contenteditable aria-label=D style="white-space:pre"><div>one</div><div>two</div></div>"""


async def test_texts_of_fields_that_nobody_can_see_are_marked(sheet: Sheet) -> None:
    capture = await look_at(sheet, UNSEEN)
    found = {each.name: each for each in capture.elements if each.interactive}
    marked = {name: state for name, each in found.items() for state in each.states if state.endswith("unseen")}
    assert marked == {"A": "value unseen", "unseen": "name unseen"}
    assert found["C"].options == ("yes",)


async def test_lines_of_an_editor_stay_lines(sheet: Sheet) -> None:
    capture = await look_at(sheet, UNSEEN)
    assert next(each.value for each in capture.elements if each.name == "D") == "one\ntwo"


@pytest.mark.parametrize(
    ("style", "text", "value"),
    [
        pytest.param(
            "pre", "<div>if x:</div><div>    y()</div><div>  z  = 1</div>", "if x:\n    y()\n  z  = 1", id="pre"
        ),
        pytest.param("pre-wrap", "    y()\n\tz()", "    y()\n\tz()", id="first-line"),
        pytest.param("normal", "<div>  if  x:</div><div>    y()</div>", "if x:\ny()", id="collapsed"),
        pytest.param("normal", "<div>a:</div><div>&nbsp; &nbsp;b&nbsp;</div>", "a:\n   b", id="no-break-spaces"),
        pytest.param("pre-wrap", "<p> </p><p>a </p><p>&nbsp;</p>", "a", id="blank-lines"),
    ],
)
async def test_spaces_that_an_editor_paints_are_in_its_value(sheet: Sheet, style: str, text: str, value: str) -> None:
    html = f"<div contenteditable role=textbox aria-multiline=true style='white-space:{style}'>{text}</div>"
    assert first(await look_at(sheet, html), "textbox").value == value


async def test_a_blocker_is_described_by_what_it_shows(sheet: Sheet) -> None:
    html = """<div style="position:relative"><button>Save</button><p style="position:absolute;inset:0;margin:0;background:#ccc">
    <style>.x{} i, s{pointer-events:none}</style><b hidden>no</b><i style="opacity:0">no</i><s style="color:#ccc">no</s>Shown words</p></div>"""
    assert first(await look_at(sheet, html), "button").blocker == 'p "Shown words"'


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        pytest.param("b.hidden = false; s.hidden = true", 'p "Now"', id="appeared"),
        pytest.param("b.hidden = false; b.style.opacity = 0; s.style.visibility = 'hidden'", "p", id="unseen"),
        pytest.param("b.hidden = false; s.style = 'display:block;width:0;overflow:hidden'", 'p "Now"', id="clipped"),
        pytest.param("s.attachShadow({mode: 'open'}).innerHTML = '<u>Shadow</u>'", 'p "Shadow"', id="shadow-tree"),
    ],
)
async def test_a_blocker_is_described_by_what_it_shows_at_a_click(sheet: Sheet, change: str, shown: str) -> None:
    html = """<style>p *{pointer-events:none}</style><button>Save</button>
    <p style="position:absolute;inset:0;margin:0;background:#ccc"><b hidden>Now</b><span>Then</span></p>"""
    covered = first(await look_at(sheet, html), "button")
    assert covered.blocker == 'p "Then"'
    await sheet.tab.page.evaluate(f"const [b, s] = document.querySelectorAll('b, span'); {change}")
    link, deadline = sheet.tab.link, Deadline.of(60)
    inside = (covered.box.left + 5, covered.box.top + 5)
    at_click = await link.ask(link.main_frame, "clickBlockerAt", deadline, "", covered.node.node, *inside)
    facts = await link.ask(link.main_frame, "elementFacts", deadline, "", covered.node.node)
    assert (at_click, facts["blocker"]) == (shown, shown)


async def test_a_panel_is_a_container_focusable_or_not(sheet: Sheet) -> None:
    html = (
        "<b id=t>First</b><div role=tabpanel tabindex=0 aria-labelledby=t><h3>Head</h3>Panel <button>go</button></div>"
    )
    capture = await look_at(sheet, html)
    panel = first(capture, "tabpanel")
    assert (panel.name, panel.text, "mislabelled" in panel.states) == ("First", "", False)
    assert [each.name for each in capture.elements if each.role in ("heading", "text")] == ["First", "Head", "Panel"]


LONG = "Quarterly report of the northern region with all appendices"
HEBREW = "\u05d3\u05d5\u05d7 " * 15 + "\u05d3\u05d5\u05d7"
CUT = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap;width:150px"
CLAMP = "overflow:hidden;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;width:150px"


@pytest.mark.parametrize(
    ("html", "role", "is_cut"),
    [
        pytest.param(f"<div style='{CUT}'>{LONG}</div>", "text", True, id="one-line"),
        pytest.param(f"<div dir=rtl style='{CUT}'>{HEBREW}</div>", "text", True, id="right-to-left"),
        pytest.param(f"<div dir=rtl style='{CUT}'>{LONG}</div>", "text", False, id="against-the-direction"),
        pytest.param(f"<div style='{CUT}'><span>{LONG}</span></div>", "text", True, id="in-an-inline"),
        pytest.param(f"<div style='{CLAMP}'>{LONG}</div>", "text", True, id="clamped-lines"),
        pytest.param(f"<h2 style='{CUT}'>{LONG}</h2>", "heading", True, id="heading"),
        pytest.param(f"<div style='{CUT};width:900px'>{LONG}</div>", "text", False, id="what-fits"),
        pytest.param(f"<div style='{CLAMP};width:900px'>{LONG}</div>", "text", False, id="lines-that-fit"),
        pytest.param(f"<div style='{CUT};white-space:normal'>{LONG}</div>", "text", False, id="what-wraps"),
        pytest.param(f"<h2 aria-label='{LONG}' style='{CUT}'>{LONG}</h2>", "heading", False, id="aria-label"),
        pytest.param(
            f"<a href='#' title=x style='display:block;{CUT}'>{LONG}</a>", "link", False, id="a-control-s-name"
        ),
    ],
)
async def test_text_past_an_ellipsis_is_unseen(sheet: Sheet, html: str, role: str, is_cut: bool) -> None:
    capture = await look_at(sheet, html)
    seen = " ".join(each.name for each in capture.elements if each.visible and each.role == role)
    unseen = [each.name for each in capture.elements if not each.visible and each.role == "text"]
    if not is_cut:
        assert (seen, unseen) == (LONG, [])
        return
    start, dots, after = seen.partition("…")
    assert (dots, after) == ("…", "")
    assert 8 < len(start) < 45
    whole = HEBREW if "rtl" in html else LONG
    assert whole.startswith(start)
    if role == "text":
        assert f"{start} {unseen[0]}".replace(" ", "") == whole.replace(" ", "")


async def test_an_ellipsis_cuts_as_many_letters_of_a_scaled_block(sheet: Sheet) -> None:
    texts = [
        (await look_at(sheet, f"<div style='{CUT};padding-right:20px;scale:{scale};transform-origin:0 0'>{LONG}</div>"))
        .elements[0]
        .name
        for scale in (1, 0.5, 2)
    ]
    assert len({*texts}) == 1


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(
            "<div style='display:flex;gap:9px'><b style='order:2'>12</b><i style='order:1'>Score:</i></div>", id="order"
        ),
        pytest.param("<div style='display:inline-grid'><p style='order:1'>12</p><p>Score:</p></div>", id="grid"),
        pytest.param(
            "<div style='display:flex;flex-direction:row-reverse;gap:9px'><p>12</p><p>Score:</p></div>",
            id="reversed-row",
        ),
        pytest.param(
            "<div style='display:flex;flex-direction:column-reverse'><p>12</p><p>Score:</p></div>", id="reversed-column"
        ),
        pytest.param(
            "<div style='flex-direction:row-reverse'><p style='order:2'>Score:</p><p>12</p></div>", id="no-container"
        ),
    ],
)
async def test_text_is_listed_in_the_order_in_which_it_is_painted(sheet: Sheet, html: str) -> None:
    capture = await look_at(sheet, html)
    assert [each.name for each in capture.elements if each.role == "text"] == ["Score:", "12"]


@pytest.mark.parametrize(("times", "said"), [(1, "read"), (2, "fails")])
async def test_what_only_a_replaced_document_throws_is_tried_once_more(sheet: Sheet, times: int, said: str) -> None:
    await look_at(sheet, "<p>Text")
    link = sheet.tab.link
    script = f"(document.title += 'x').length > {times} ? 'read' : document.querySelector.call({{}}, 'p')"
    try:
        reply = await link.evaluate(link.main_frame, script, Deadline.of(10), "testing", returnByValue=True)
        found = reply["value"]
    except PerceptionError as exc:
        found = "fails" if "Illegal invocation" in str(exc) else str(exc)
    assert found == said


@pytest.mark.parametrize(
    ("html", "opaque"),
    [
        pytest.param("<input type=checkbox>", None, id="checkbox"),
        pytest.param("<input type=RADIO>", None, id="radio"),
        pytest.param("<input type=checkbox style='appearance: none; width: 20px; height: 20px'>", Opaque.NAMELESS, id="own-form"),
        pytest.param("<input type=radio style='opacity: 0'>", Opaque.NAMELESS, id="see-through"),
        pytest.param("<span role=checkbox tabindex=0 style='display: inline-block; width: 20px; height: 20px'></span>", Opaque.NAMELESS, id="made-of-a-span"),
    ],
)  # fmt: skip
async def test_a_box_without_a_name_is_looked_at_unless_chromium_paints_it(
    sheet: Sheet, html: str, opaque: Opaque | None
) -> None:
    capture = await look_at(sheet, html)
    assert [each.opaque for each in capture.elements if each.role in ("checkbox", "radio")] == [opaque]


ICON_FONT = "<style>.fa::before { content: '\\f0c9' } .two::before { content: '\\f0c9\\f0ca' } .worded::after { content: 'Menu' }</style>"


@pytest.mark.parametrize(
    ("html", "opaque"),
    [
        pytest.param("<button class=fa></button>", Opaque.GLYPH, id="glyph"),
        pytest.param("<a href='#'><span><i class=fa></i></span></a>", Opaque.GLYPH, id="inside"),
        pytest.param("<button>&#xf0c9;</button>", Opaque.GLYPH, id="as-text"),
        pytest.param("<button class=two></button>", Opaque.NAMELESS, id="two-glyphs-may-be-words"),
        pytest.param("<button>&#xf0c9;<img src=x width=20 height=20></button>", Opaque.NAMELESS, id="beside-a-picture"),
        pytest.param("<button><i class=fa></i><i style='background: url(x)'></i></button>", Opaque.NAMELESS, id="beside-a-background"),
        pytest.param("<button class=fa style='background-image: url(x)'></button>", Opaque.NAMELESS, id="over-a-background"),
        pytest.param("<button class='fa worded'></button>", None, id="beside-words"),
        pytest.param("<button style='width: 20px; height: 20px'></button>", Opaque.NAMELESS, id="nothing"),
    ],
)  # fmt: skip
async def test_a_control_that_shows_one_glyph_of_an_icon_font_shows_no_words(
    sheet: Sheet, html: str, opaque: Opaque | None
) -> None:
    capture = await look_at(sheet, ICON_FONT + html)
    assert [each.opaque for each in capture.elements if each.role in ("button", "link")] == [opaque]
