"""Checkboxes, switches and titles that a page paints itself: their states, and the words that a person sees."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import re
from base64 import b64encode

import pytest

from perception.types import Engine
from tests.paths import ROOT
from tests.support.sheet import Sheet

HIDDEN = {
    "see-through": "opacity:0",
    "see-through-and-behind": "position:absolute;opacity:0;z-index:-1",
    "of-one-pixel": "position:absolute;width:1px;height:1px;clip:rect(0 0 0 0);overflow:hidden",
    "not-rendered": "display:none",
}
STACK = "<style>body{font-family:system-ui,'Segoe UI Symbol'}</style>"
"""A usual list of fonts, which ends with one of symbols."""

SLIDING = STACK.replace("{", "{{").replace("}", "}}") + (
    "<style>.s{{display:inline-block;width:94px;overflow:hidden;border:1px solid #888;cursor:pointer}}"
    ".s div{{width:141px;margin-left:{shift}px;display:flex}}.s b{{width:47px}}.s input{{position:absolute;visibility:hidden}}</style>"
    "<div class=s><div><b>ON</b><b>&nbsp;</b><b>OFF</b><input type=checkbox {checked}></div></div>"
)
TURNED = (
    "<div style='position:relative;width:80px;height:30px;overflow:hidden;cursor:pointer'><input type=checkbox style='display:none' {0}>"
    "<div style='position:absolute;left:{1}px;width:160px;display:flex'><span style='width:80px'>Yes</span><span style='width:80px'>No</span></div></div>"
)


@pytest.mark.parametrize("style", HIDDEN.values(), ids=HIDDEN.keys())
async def test_a_disabled_checkbox_is_seen_by_a_label_that_takes_no_clicks(sheet: Sheet, style: str) -> None:
    text = await sheet.text(
        f"<input id=a type=checkbox disabled checked style='{style}'><label for=a style='pointer-events:none'>Members only</label>"
    )
    assert text.startswith('- checkbox "Members only" [ref=e1] [disabled] [checked]')


@pytest.mark.parametrize(
    ("around", "role"),
    [("tree", "treeitem"), ("listbox", "option"), ("menu", "menuitem"), ("grid", "gridcell"), ("group", "button")],
)
async def test_what_says_that_it_is_checked_is(sheet: Sheet, around: str, role: str) -> None:
    items = "".join(
        f"<div role={role} tabindex=0 aria-checked={state}>{state}</div>" for state in ("true", "false", "mixed")
    )
    text = await sheet.text(
        f"<div role={around}>{f'<div role=row>{items}</div>' if role == 'gridcell' else items}</div>"
    )
    lines = [re.sub(r" \[ref=e\d+\]", "", line.strip()) for line in text.splitlines() if f"- {role} " in line]
    assert lines == [f'- {role} "true" [checked]', f'- {role} "false"', f'- {role} "mixed" [mixed]']


async def test_a_toggle_button_in_between_is_mixed_as_a_checkbox_is(sheet: Sheet) -> None:
    states = ("true", "false", "mixed")
    await sheet.write("".join(f"<button aria-pressed={state}>{state}</button>" for state in states))
    for engine in Engine:
        elements = (await sheet.look(engine)).elements
        said = {each.name: set(each.states) & {"pressed", "mixed"} for each in elements if each.role == "button"}
        assert said == {"true": {"pressed"}, "false": set(), "mixed": {"mixed"}}


@pytest.mark.parametrize("style", ["opacity:0", "visibility:hidden", "position:absolute;clip:rect(0 0 0 0)"])
async def test_a_checkbox_whose_label_nobody_sees_is_not_seen(sheet: Sheet, style: str) -> None:
    text = await sheet.text(
        f"<input id=a type=checkbox disabled style='opacity:0'><label for=a style='pointer-events:none;{style}'>Ghost</label>"
    )
    assert "Ghost" not in text


@pytest.mark.parametrize(
    ("html", "line"),
    [
        pytest.param(SLIDING.format(shift=0, checked="checked"), '- generic "ON" [ref=e1] [checked]', id="slides-on"),
        pytest.param(SLIDING.format(shift=-47, checked=""), '- generic "OFF" [ref=e1]', id="slides-off"),
        pytest.param(TURNED.format("checked", 0), '- generic "Yes" [ref=e1] [checked]', id="moved-on"),
        pytest.param(TURNED.format("disabled", -80), '- generic "No" [ref=e1] [disabled]', id="moved-off"),
        pytest.param("<input type=checkbox checked style='display:none'><span onclick=1 style='display:block;width:50px;height:30px;background:#3a3'><small style='background:#fff'></small></span>", "- generic [ref=e1] [checked]", id="beside-its-field"),
        pytest.param("<div onclick=1 style='width:50px;height:30px;background:#3a3'><input type=checkbox style='display:none' class=x></div>", "- generic [ref=e1]", id="off"),
        pytest.param("<div onclick=1>All <input type=checkbox checked style='display:none'><input type=checkbox style='display:none'></div>", '- generic "All" [ref=e1]', id="of-two-fields"),
        pytest.param("<button>Go <input type=checkbox checked style='display:none'></button>", '- button "Go" [ref=e1]', id="button-of-its-own"),
    ],
)  # fmt: skip
async def test_a_painted_switch_has_the_state_of_its_hidden_field_and_the_words_that_it_shows(
    sheet: Sheet, html: str, line: str
) -> None:
    assert (await sheet.text(html)).splitlines()[0] == line


async def test_what_a_border_covers_is_not_shown(sheet: Sheet) -> None:
    text = await sheet.text(
        "<div style='width:60px;height:30px;border:20px solid;overflow:hidden;position:relative'>"
        "<p style='margin:30px 0 0'>Ghost</p></div>"
    )
    assert "Ghost" not in text


async def test_words_in_a_list_of_fonts_that_ends_with_symbols_are_read(sheet: Sheet) -> None:
    hidden = "<b style='opacity:0'>Ghost</b>"
    assert "Ghost" not in await sheet.text(f"{STACK}<h2>Title {hidden}</h2>")


SELECT = "<select style='{0}'><option>May</select>"
CLIPPED = "position:absolute;clip:rect(0,0,0,0);width:1px;height:1px;overflow:hidden"


@pytest.mark.parametrize(
    ("html", "line"),
    [
        pytest.param(f"<div style='position:relative'><h2>May{SELECT.format('position:absolute;left:0;opacity:0')} 2026</h2></div>", '- heading "May 2026" [level=2]', id="select-over-its-label"),
        pytest.param(f"<h2>Top of {SELECT.format('')}</h2>", '- heading "Top of May" [level=2]', id="select-in-a-title"),
        pytest.param("<h2>May <button style='width:20px;text-indent:20px;white-space:nowrap;overflow:hidden'>Next</button></h2>", '- heading "May" [level=2]', id="button-without-words"),
        pytest.param(f"<style>p::after{{content:'Toggle screens';{CLIPPED}}}</style><p>May</p>", '- text "May"', id="generated-for-screen-readers"),
        pytest.param("<div onclick=1 style='width:90px;height:20px;background:#aaf'><i style='opacity:0'>-100 : 100</i></div>", "- generic [ref=e1]", id="tooltip-of-a-slider"),
    ],
)  # fmt: skip
async def test_words_that_nobody_sees_are_left_out(sheet: Sheet, html: str, line: str) -> None:
    assert (await sheet.text(html)).splitlines()[0] == line


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param("<label for=a>Fruit <i>(one)</i></label><select id=a style='display:none'><option>Apple</select><div onclick=1>Apple</div>", ['- text "Fruit (one)"', '- generic "Apple" [ref=e1]'], id="not-rendered"),
        pytest.param("<label for=a>Fruit</label><input id=a style='visibility:hidden;position:absolute'>", ['- text "Fruit"'], id="hidden"),
        pytest.param("<label for=a>Fruit</label><div style='display:none'><textarea id=a></textarea></div>", ['- text "Fruit"'], id="in-something-hidden"),
        pytest.param("<label>Fruit <input style='display:none'><button>Pick</button></label>", ['- text "Fruit"', '- button "Pick" [ref=e1]'], id="around-its-field"),
        pytest.param("<button>Add <label for=a>fruit</label></button><input id=a style='display:none'>", ['- button "Add fruit" [ref=e1]'], id="in-a-button"),
        pytest.param("<label for=a>Fruit</label><select id=a><option>Apple</select>", ['- combobox "Fruit" [ref=e1]: "Apple" [options: "Apple"]'], id="of-a-field-in-view"),
        pytest.param("<label for=a>Fruit</label><input type=checkbox id=a style='display:none'>", ['- checkbox "Fruit" [ref=e1]'], id="of-a-painted-checkbox"),
        pytest.param("<label for=a>Tags</label><input id=a value='[{}]' style='position:absolute;left:-9999em;transform:scale(0)'>", ['- textbox "Tags" [ref=e1]: "[{}]" [value unseen]'], id="of-a-field-out-of-sight"),
    ],
)  # fmt: skip
async def test_the_label_of_a_field_that_is_not_listed_is_read(sheet: Sheet, html: str, lines: list[str]) -> None:
    assert (await sheet.text(html)).splitlines() == lines


AWAY = {
    "thin": "width:1px;height:1px",
    "clipped": "clip:rect(0,0,0,0);height:9px",
    "clip-path": "clip-path:inset(50%)",
    "beside-the-page": "left:-9999px",
    "not-clicked": "inset:0;opacity:0;pointer-events:none",
}


@pytest.mark.parametrize("label", ["<label for=s>City</label>{}", "<label>City {}</label>"], ids=["beside", "around"])
@pytest.mark.parametrize("style", AWAY.values(), ids=AWAY)
async def test_a_list_that_a_page_paints_itself_is_not_seen_by_its_label(sheet: Sheet, label: str, style: str) -> None:
    away = f"<select id=s style='position:absolute;{style}'><option>Paris<option selected>Rome</select>"
    text = await sheet.text(f"<div>{label.format(away)}</div><div style='border:1px solid'>Rome \u25be</div>")
    assert text == '- text "City"\n- combobox [ref=e1] [unseen]\n- text "Rome \u25be"\n'


@pytest.mark.parametrize(
    "style", ["", "opacity:0;background:none", "margin-top:3000px"], ids=["seen", "drawn", "below"]
)
async def test_a_list_that_is_seen_or_drawn_keeps_its_name(sheet: Sheet, style: str) -> None:
    drawn = "<b style='position:absolute;inset:0;border:1px solid;pointer-events:none'></b>"
    box = f"<span style='position:relative'><select id=s style='{style}'><option>Rome</select>{drawn}</span>"
    assert '- combobox "City" [ref=e1]: "Rome"' in await sheet.text(f"<label for=s>City</label> {box}")


async def test_a_label_is_read_once_a_script_hides_its_field(sheet: Sheet) -> None:
    assert (await sheet.text("<label for=a>Fruit</label><input id=a>")).startswith('- textbox "Fruit"')
    await sheet.tab.page.evaluate("document.getElementById('a').style.display = 'none'")
    assert [each.name for each in (await sheet.look()).elements if each.role == "text"] == ["Fruit"]


async def test_what_a_scroller_has_scrolled_away_keeps_its_words(sheet: Sheet) -> None:
    rows = "".join(f"<tr><td style='overflow:hidden;height:40px'><b>Row {each}</b><td>x" for each in range(9))
    text = await sheet.text(f"<div style='height:90px;overflow:auto'><table><tr><th>A<th>B{rows}</table></div>")
    assert all(f'row "Row {each} | x"' in text for each in range(9))


async def test_the_half_of_a_switch_that_is_slid_out_of_it_is_not_listed(sheet: Sheet) -> None:
    half = "<span onclick=1 style='width:50px;flex:none;background:#39f'>{0}</span>"
    text = await sheet.text(
        f"<div style='width:50px;overflow:hidden'><div style='display:flex'>{half.format('On')}{half.format('Off')}</div></div>"
    )
    assert text == '- generic "On" [ref=e1]\n'


@pytest.mark.parametrize(
    ("style", "name"),
    [
        pytest.param("content:'L';font-family:Icons", "", id="icon"),
        pytest.param("content:'L';font-family:serif", "L", id="letter-in-another-font-of-words"),
        pytest.param("content:'L'", "L", id="letter"),
        pytest.param("content:'Load';font-family:Icons", "Load", id="word"),
    ],
)
async def test_a_letter_that_a_font_of_icons_draws_is_no_word(sheet: Sheet, style: str, name: str) -> None:
    font = b64encode((ROOT / "bench/suites/hidden/letters.woff2").read_bytes()).decode()
    await sheet.write(
        f"<!doctype html><style>@font-face{{font-family:Icons;src:url(data:font/woff2;base64,{font})}}"
        f"b::before{{{style}}}</style><b onclick=1 style='display:block;height:20px'></b><i style='font-family:Icons'>a</i>"
    )
    await sheet.tab.page.evaluate("document.fonts.ready.then(() => 0)")
    (target,) = [each for each in (await sheet.look()).elements if each.interactive]
    assert target.name == name
