"""Values that are painted: choices, read-only texts, progress, ranges, and options of a list."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from tests.support.sheet import Sheet


@pytest.mark.parametrize(
    ("html", "line"),
    [
        pytest.param("<button role=combobox aria-expanded=false aria-label=Position>Product Manager</button>", '- combobox "Position" [ref=e1]: "Product Manager" [collapsed]', id="select-only-button"),
        pytest.param("<div role=combobox tabindex=0>Small</div>", '- combobox [ref=e1]: "Small"', id="nameless"),
        pytest.param("<div role=combobox tabindex=0 aria-label=City>Oslo<ul role=listbox><li role=option aria-selected=true>Oslo</ul></div>", '- combobox "City" [ref=e1]: "Oslo"', id="not-its-list"),
        pytest.param("<div role=combobox tabindex=0 aria-label=City>Oslo <button>Clear</button></div>", '- combobox "City" [ref=e1]: "Oslo"', id="not-its-buttons"),
        pytest.param("<div role=combobox tabindex=0 aria-label=Tags><i>red</i> <i>blue</i><input aria-label=More></div>", '- combobox "Tags" [ref=e1]: "red blue"', id="chips"),
        pytest.param("<div role=combobox tabindex=0 aria-labelledby='l s' id=s>Ten</div><b id=l>Age</b>", '- combobox "Age" [ref=e1]: "Ten"', id="labeled-by-label-and-itself"),
        pytest.param("<button role=combobox aria-labelledby='v' aria-label=Age><b id=v>Ten</b></button>", '- combobox "Age" [ref=e1]: "Ten"', id="labeled-by-its-value"),
        pytest.param("<div role=textbox aria-readonly=true aria-labelledby=v><b id=v>129.00 EUR</b></div>", '- textbox [ref=e1]: "129.00 EUR" [readonly]', id="text-labeled-by-its-value"),
        pytest.param("<span role=listbox tabindex=0 aria-label=Size><b>Large</b></span>", '- listbox "Size" [ref=e1]: "Large"', id="closed-listbox"),
        pytest.param("<div role=textbox aria-readonly=true aria-label=Total>129.00 EUR</div>", '- textbox "Total" [ref=e1]: "129.00 EUR" [readonly]', id="read-only"),
        pytest.param("<div role=spinbutton tabindex=0 aria-label=Hours>12</div>", '- spinbutton "Hours" [ref=e1]: "12"', id="spinbutton"),
        pytest.param("<div role=progressbar aria-label=Load>60 %</div>", '- progressbar "Load": "60 %"', id="progress-text"),
        pytest.param("<div role=progressbar aria-label=Load aria-valuenow=40 aria-valuemax=80>half</div>", '- progressbar "Load": "40" [range=0..80] [painted "half"]', id="progress-range"),
        pytest.param("<progress value=30 max=100 aria-label=Up></progress>", '- progressbar "Up": "30"', id="usual-range"),
        pytest.param("<meter max=10 value=3 aria-label=Disk></meter>", '- meter "Disk": "3" [range=0..10]', id="meter"),
        pytest.param("<input type=number min=1 max=10 value=3 aria-label=Guests>", '- spinbutton "Guests" [ref=e1]: "3" [range=1..10]', id="number"),
        pytest.param("<input type=number min='] [x' step=2 aria-label=Guests>", '- spinbutton "Guests" [ref=e1]', id="no-limit"),
        pytest.param("<input type=date min=2026-01-01 aria-label=Day>", '- textbox "Day" [ref=e1] [range=2026-01-01..]', id="date"),
        pytest.param("<input type=text min=1 max=10 aria-label=Text>", '- textbox "Text" [ref=e1]', id="text"),
        pytest.param("<input type=range min=1 max=14 value=3 aria-label=Nights>", '- slider "Nights" [ref=e1]: "3" [range=1..14]', id="slider"),
        pytest.param("<input type=range step=5 aria-label=Volume>", '- slider "Volume" [ref=e1]: "50" [range=0..100 step 5]', id="slider-step"),
        pytest.param("<div role=slider tabindex=0 aria-label=Price aria-valuemax=500 aria-valuenow=20 aria-valuetext='20 EUR'>x</div>", '- slider "Price" [ref=e1]: "20 EUR" [range=0..500]', id="slider-by-role"),
        pytest.param("<div role=slider tabindex=0 aria-label=Price aria-valuemax='100\"] [x' aria-valuenow=2>x</div>", '- slider "Price" [ref=e1]: "2" [range=0..100]', id="no-number"),
        pytest.param("<select aria-label=To><optgroup label=Home><option>Phone<option>Fax</optgroup><optgroup label=Work><option>Phone<option disabled>Mail</optgroup></select>", '- combobox "To" [ref=e1]: "Home: Phone" [options: "Home: Phone", "Home: Fax", "Work: Phone", "Work: Mail (disabled)"]', id="groups"),
        pytest.param("<select aria-label=To><optgroup label=Home><option>Phone<option selected>Fax</optgroup></select>", '- combobox "To" [ref=e1]: "Fax" [options: "Home: Phone", "Home: Fax"]', id="value-as-painted"),
        pytest.param("<input aria-label=Born placeholder='DD.MM.YYYY'>", '- textbox "Born" [ref=e1] [hint="DD.MM.YYYY"]', id="placeholder"),
        pytest.param("<input aria-label=Born placeholder='DD.MM.YYYY' value=1.2.2003>", '- textbox "Born" [ref=e1]: "1.2.2003"', id="placeholder-of-a-filled-field"),
        pytest.param("<input type=password aria-label=Pin placeholder=Secret value=12>", '- textbox "Pin" [ref=e1] [password filled]', id="placeholder-of-a-password"),
        pytest.param("<style>::placeholder { opacity: 0 }</style><input aria-label=Born placeholder='DD.MM.YYYY'>", '- textbox "Born" [ref=e1]', id="placeholder-that-is-not-painted"),
        pytest.param("<input placeholder='Search here'>", '- textbox "Search here" [ref=e1]', id="placeholder-as-name"),
    ],
)  # fmt: skip
async def test_a_value_is_what_is_painted(sheet: Sheet, html: str, line: str) -> None:
    assert (await sheet.text(html)).splitlines()[0] == line


async def test_all_options_of_a_long_list_are_counted(sheet: Sheet) -> None:
    options = "".join(f"<option{' hidden' if number == 299 else ''}>o{number}" for number in range(300))
    text = await sheet.text(f"<select aria-label=Many>{options}</select>")
    assert '"o7", … 291 more]' in text


async def test_what_nobody_sees_in_a_field_is_no_value(sheet: Sheet) -> None:
    text = await sheet.text(
        "<body style='background:#fff'><div role=combobox tabindex=0 aria-label=City><b style='color:#fff'>Ghost</b></div>"
        "<div role=textbox aria-label=Note><b style='font-size:0'>Ghost</b>real</div>"
        "<div role=progressbar aria-label=Load style='color:#fff'>Ghost</div>"
        "<div role=combobox tabindex=0 aria-label=Pin data-private>Ghost</div>"
    )
    assert "Ghost" not in text
    assert 'textbox "Note" [ref=e2]: "real"' in text


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param("<div><div role=option tabindex=-1>A</div><div role=option aria-selected=true>B</div></div>", ['- option "A" [ref=e1]', '- option "B" [ref=e2] [selected]'], id="options"),
        pytest.param("<ul><li role=option>One</ul>", ['- option "One" [ref=e1]'], id="option-of-a-list"),
        pytest.param("<div role=treeitem aria-expanded=false>Src</div>", ['- treeitem "Src" [ref=e1] [collapsed]'], id="treeitem"),
        pytest.param("<div role=tab>T</div><div role=menuitem>M</div>", ['- tab "T" [ref=e1]', '- menuitem "M" [ref=e2]'], id="tab-and-menuitem"),
        pytest.param("<audio controls></audio>", ["- audio [ref=e1]"], id="audio"),
        pytest.param("<ul role=listbox aria-label=Pets><li role=group aria-label=Dogs><div role=option>Rex</div></ul>", ['- listbox "Pets" [ref=e1] [options: "Rex"]', '  - group "Dogs"', '    - option "Rex" [ref=e2]'], id="group-of-a-listbox"),
    ],
)  # fmt: skip
async def test_a_role_has_a_line_wherever_it_is(sheet: Sheet, html: str, lines: list[str]) -> None:
    assert (await sheet.text(html)).splitlines() == lines


SELECT2 = (
    "<span role=combobox tabindex=0 aria-labelledby=r aria-owns=o aria-expanded=true><span id=r role=textbox aria-readonly=true title={0}>{0}</span></span>"
    "<ul id=o role=listbox aria-label=States><li role=option aria-selected=true>{0}<li role=option>Texas</ul>"
)


async def test_a_choice_that_owns_its_open_list_says_its_value_once(sheet: Sheet) -> None:
    lines = (await sheet.text(SELECT2.format("Alabama"))).splitlines()
    assert lines[0] == '- combobox [ref=e1]: "Alabama" [expanded]'
    assert not any("textbox" in line for line in lines)
