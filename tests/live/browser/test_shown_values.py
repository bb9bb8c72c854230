"""Values that are painted: choices, read-only texts, progress, ranges, and options of a list."""

# ruff: noqa: E501, RUF001  snippets of markup read better unbroken, and steppers have minus signs

from __future__ import annotations

import pytest

from tests.support.sheet import Sheet


@pytest.mark.parametrize(
    ("html", "line"),
    [
        pytest.param("<button role=combobox aria-expanded=false aria-label=Position>Product Manager</button>", '- combobox "Position" [ref=e1]: "Product Manager" [collapsed]', id="select-only-button"),
        pytest.param("<div><span>Red</span><input role=combobox readonly aria-label=Color value=Red style='position:absolute;width:1px;height:0;padding:0;border:0;opacity:0'></div>", '- text "Red"', id="painted-beside-its-field"),
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


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param("<button aria-label=Cart>🛒<b>1</b></button>", ['- button "Cart" [ref=e1] [painted "🛒1"]'], id="badge-of-one-digit"),
        pytest.param("<a href=/2 aria-label=Page>2</a>", ['- link "Page" [ref=e1] [painted "2"]'], id="digit-alone"),
        pytest.param("<a href=/2 aria-label='Page 2'>2</a>", ['- link "Page 2" [ref=e1]'], id="digit-in-the-name"),
        pytest.param("<button aria-label='Cart, 12 items'>1</button>", ['- button "Cart, 12 items" [ref=e1] [painted "1"]'], id="digit-of-another-number"),
        pytest.param("<button aria-label='1250 EUR'>1 250 EUR</button>", ['- button "1250 EUR" [ref=e1]'], id="same-number-with-a-blank"),
        pytest.param("<button aria-label=Close>×</button> <button aria-label=Close>X</button>", ['- button "Close" [ref=e1]', '- button "Close" [ref=e2]'], id="icons"),
        pytest.param("<button>Yes<b style='opacity:0'> all</b></button>", ['- button "Yes all" [ref=e1] [painted "Yes"]'], id="see-through"),
        pytest.param("<button>Real<b style='font-size:0'> ghost</b></button>", ['- button "Real ghost" [ref=e1] [painted "Real"]'], id="without-size"),
        pytest.param("<body style='background:#fff'><a href=/>Next<b style='color:#fff'> page 7</b></a>", ['- link "Next page 7" [ref=e1] [painted "Next"]'], id="color-of-the-background"),
        pytest.param("<button style='font-size:0'><b style='font-size:14px'>Real</b>ghost</button>", ['- button "Realghost" [ref=e1] [painted "Real"]'], id="own-text-without-size"),
        pytest.param("<label><input type=checkbox>Accept<b style='opacity:0'> all</b></label>", ['- checkbox "Accept all" [ref=e1] [painted "Accept"]'], id="label-around"),
        pytest.param("<label for=a>Agree<b style='font-size:0'> to ads</b></label><input id=a>", ['- textbox "Agree to ads" [ref=e1] [painted "Agree"]'], id="label-before"),
        pytest.param("<a href=/>More<b style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)'> on cats</b></a>", ['- link "More on cats" [ref=e1]'], id="for-screen-readers"),
        pytest.param("<a href=/>More<b style='position:absolute;left:-9999px'> on cats</b></a>", ['- link "More on cats" [ref=e1]'], id="beyond-the-edge"),
        pytest.param("<div role=slider tabindex=0 aria-valuenow=3>Volume</div>", ['- slider [ref=e1]: "3" [range=0..100] [painted "Volume"]'], id="slider"),
        pytest.param("<div role=spinbutton tabindex=0 aria-valuenow=4>Guests</div>", ['- spinbutton [ref=e1]: "4" [painted "Guests"]'], id="spinbutton"),
        pytest.param("<div role=slider tabindex=0 aria-label=Price aria-valuenow=3>3</div>", ['- slider "Price" [ref=e1]: "3" [range=0..100]'], id="slider-of-its-value"),
        pytest.param("<div role=separator>or sign in with</div>", ['- text "or sign in with"'], id="words-between-lines"),
        pytest.param("<a href=/>A</a><span role=separator>/</span><a href=/b>B</a>", ['- link "A" [ref=e1]', '- link "B" [ref=e2]'], id="sign-between-links"),
        pytest.param("<object data='data:x/y,'>No plug-in <a href=/>Get it</a></object>", ['- text "No plug-in"', '- link "Get it" [ref=e1]'], id="fallback"),
        pytest.param("<label>Qty <button>−</button><input value=2><button>+</button></label>", ['- button "Qty 2 +" [ref=e1] [painted "−"]', '- textbox [ref=e2]: "2"', '- button "+" [ref=e3]'], id="stepper"),
    ],
)  # fmt: skip
async def test_painted_words_that_a_name_or_value_does_not_say_are_said(
    sheet: Sheet, html: str, lines: list[str]
) -> None:
    assert (await sheet.text(html)).splitlines() == lines


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
