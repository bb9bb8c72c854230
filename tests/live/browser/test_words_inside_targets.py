"""What is in something that takes clicks or the focus is read, whether its name says it or not."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from tests.support.sheet import Sheet

PRICES = "<table><tr><th>Product<th>Price<tr><td>Router<td>129.00</table>"

LONG = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore. " * 4


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param(
            f"<div style='cursor:pointer'>{PRICES}</div>",
            ["- generic [ref=e1]", '  - row "Product | Price"', '  - row "Router | 129.00"'],
            id="table",
        ),
        pytest.param(
            "<div tabindex=0><div role=table><div role=row><span role=cell>Router</span></div></div></div>",
            ["- generic [ref=e1]", '  - row "Router"'],
            id="table-by-role",
        ),
        pytest.param(
            "<div onclick=1><div role=grid><div role=row><div role=gridcell>Mon</div></div></div></div>",
            ["- generic [ref=e1]", "  - grid", '    - row "Mon"'],
            id="grid",
        ),
        pytest.param(
            f"<a href='#' style='display:block'>{PRICES}</a>",
            ["- link [ref=e1]", '  - row "Product | Price"', '  - row "Router | 129.00"'],
            id="table-in-link",
        ),
        pytest.param(
            "<div onclick=1><blockquote>Be brave</blockquote><p>Ann</p></div>",
            ['- generic "Ann" [ref=e1]', '  - text "Be brave"'],
            id="quote",
        ),
        pytest.param(
            "<div tabindex=0><article><h3>News</h3><p>It rains</p></article></div>",
            ["- generic [ref=e1]", '  - heading "News" [level=3]', '  - text "It rains"'],
            id="article",
        ),
        pytest.param(
            "<div onclick=1><figure><figcaption>Sales</figcaption><p>Up by 12 %</p></figure></div>",
            ['- generic "Sales" [ref=e1]', '  - figure "Sales"', '    - text "Sales" "Up by 12 %"'],
            id="figure",
        ),
        pytest.param(
            "<div tabindex=0><fieldset><legend>Totals</legend>Net 100 EUR</fieldset></div>",
            ['- generic "Totals" [ref=e1]', '  - group "Totals"', '    - text "Totals" "Net 100 EUR"'],
            id="fieldset",
        ),
        pytest.param(
            "<div onclick=1><div draggable=true>Task A</div></div>",
            ["- generic [ref=e1]", '  - group "Task A" [ref=e2] [draggable]'],
            id="draggable",
        ),
        pytest.param(
            "<div tabindex=0><section aria-label=Totals><p>12 EUR</p></section></div>",
            ['- generic "Totals" [ref=e1]', '  - region "Totals"', '    - text "12 EUR"'],
            id="named-region",
        ),
        pytest.param(
            "<div role=tablist><div role=tab tabindex=0>Mail <span role=status>3 new</span></div></div>",
            ["- tablist", '  - tab "Mail" [ref=e1]', "    - status", '      - text "3 new"'],
            id="status-in-tab",
        ),
        pytest.param("<h2>Head <span role=group>part 5</span></h2>", ['- heading "Head" [level=2]', '  - text "part 5"'], id="heading"),
        pytest.param(
            "<table border=1><tr><th>A<th>B<tr onclick=1><td><div draggable=true>Task</div><td>7</table>",
            ['- row "A | B"', '- row " | 7" [ref=e1] [clickable]', '  - group "Task" [ref=e2] [draggable]'],
            id="row",
        ),
        pytest.param(
            f"<div tabindex=0 aria-label=Prices>{PRICES}</div>",
            ['- generic "Prices" [ref=e1]', '  - row "Product | Price"', '  - row "Router | 129.00"'],
            id="named-by-its-author",
        ),
        pytest.param(
            f"<div onclick=1><p>{LONG}<p>The last word</div>",
            ["- generic [ref=e1]", f'  - text "{LONG.strip()}"', '  - text "The last word"'],
            id="long",
        ),
        pytest.param("<div tabindex=0><ul><li>One<li>Two</ul></div>", ['- generic "One Two" [ref=e1]'], id="a-name-that-says-all"),
        pytest.param(
            "<div onclick=1><h2>Cafe</h2><p>Total 12.50 EUR</div>",
            ["- generic [ref=e1]", '  - heading "Cafe" [level=2]', '  - text "Total 12.50 EUR"'],
            id="heading-where-no-hand-shows-one-thing",
        ),
        pytest.param(
            "<div onclick=1 style='cursor:pointer'><h2>Cafe</h2><p>Total 12.50 EUR</div>",
            ['- generic "Cafe Total 12.50 EUR" [ref=e1]'],
            id="heading-of-a-card",
        ),
        pytest.param(
            f"<div tabindex=0>{PRICES}</div>",
            ["- generic [ref=e1]", '  - row "Product | Price"', '  - row "Router | 129.00"'],
            id="rows",
        ),
        pytest.param(
            "<div oncontextmenu=1 onmouseenter=1><p id=h></p></div><script>h.attachShadow({mode: 'open'}).innerHTML = "
            "'<h2>Shop</h2>Kind<button>Go</button>'</script>",
            ['- heading "Shop" [level=2]', '- text "Kind"', '- button "Go" [ref=e1]'],
            id="controls-in-a-shadow-tree",
        ),
        pytest.param("<button><span role=img aria-label=Star>*</span> Rate</button>", ['- button "Star Rate" [ref=e1]'], id="icon"),
    ],
)  # fmt: skip
async def test_what_a_targets_name_leaves_out_is_listed_in_it(sheet: Sheet, html: str, lines: list[str]) -> None:
    text = [line.replace(' [hint="#"]', "") for line in (await sheet.text(html)).splitlines()]
    assert text == lines


async def test_words_in_a_target_that_nobody_sees_stay_out(sheet: Sheet) -> None:
    text = await sheet.text(
        "<div onclick=1 style='background:#fff'><table><tr><th>Seen<tr><td style='color:#fff'>Ghost<tr hidden><td>Gone</table>"
        "<section aria-label=Card><p style='opacity:0'>Clear</p></section></div>"
    )
    assert "Seen" in text
    assert not any(word in text for word in ("Ghost", "Gone", "Clear"))


async def test_a_shadow_roots_table_in_a_focusable_host_is_listed(sheet: Sheet) -> None:
    text = await sheet.text(
        "<x-a tabindex=0><template shadowrootmode=open><table><tr><th>Zone<tr><td>55</table></template></x-a>"
    )
    assert text.splitlines() == ["- generic [ref=e1]", '  - row "Zone"', '  - row "55"']


async def test_text_that_grows_past_a_label_is_listed_line_by_line(sheet: Sheet) -> None:
    await sheet.text("<div id=b onclick=1><p>Short</p></div>")
    await sheet.tab.page.evaluate(f"b.firstChild.textContent = '{LONG}'")
    names = [(element.role, element.name) for element in (await sheet.look()).elements]
    assert names == [("generic", ""), ("text", LONG.strip())]


WORDS = " ".join(f"word{number}" for number in range(40))
TICKS = "".join(f"<text x={n * 6} y=20 visibility={'hidden' if n % 2 else 'visible'}>{n}</text>" for n in range(140))


@pytest.mark.parametrize(
    "html",
    [
        f"<div onclick=1>{WORDS}</div>",
        f"<div onclick=1 style='cursor:pointer'><h3>Title</h3><p>{WORDS}</p></div>",
        f"<ul><li tabindex=0 onclick=1>{WORDS}</ul>",
        f"<div onclick=1>{WORDS} {WORDS.replace('word', 'more')}</div>",
    ],
    ids=["box", "card", "item", "longer-than-a-label"],
)
async def test_all_words_of_a_target_are_said(sheet: Sheet, html: str) -> None:
    text = await sheet.text(html)
    assert WORDS in text
    assert "[ref=e1]" in text


async def test_a_drawing_of_more_parts_than_a_name_has_is_said_by_its_words(sheet: Sheet) -> None:
    text = await sheet.text(f"<div onclick=1><svg width=900 height=30>{TICKS}</svg></div>")
    assert [word for word in (f'"{n}"' for n in range(0, 140, 2)) if word not in text] == []


CLIPPED = "position:absolute;clip:rect(0,0,0,0);clip-path:inset(100% 100%)"


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<div onclick=1><p>Apple<p style='opacity:0'>Pear Fig</div>", "Apple"),
        ("<div onclick=1>Apple<div style='opacity:.01'><p>Pear</p></div></div>", "Apple"),
        ("<div onclick=1>Apple<p style='opacity:.3'>Pear</div>", "Apple Pear"),
        ("<div onclick=1><div style='opacity:0'>Sunset</div></div>", "Sunset"),
        ("<button><div>Apple</div><div style='opacity:0'>Pear</div></button>", "Apple Pear"),
        (f"<div onclick=1>Apple<ul style='{CLIPPED}'><li>Apple<li>Pear</ul></div>", "Apple"),
        (f"<div onclick=1><i class=icon></i><b style='{CLIPPED}'>Close</b></div>", "Close"),
    ],
)
async def test_a_target_without_a_role_is_named_by_what_a_person_reads(sheet: Sheet, html: str, name: str) -> None:
    await sheet.write(f"<!doctype html><style>div, p {{ min-height: 20px }}</style>{html}")
    target, *_ = [each for each in (await sheet.look()).elements if each.interactive]
    assert target.name == name


async def test_a_target_whose_words_appear_is_named_by_them(sheet: Sheet) -> None:
    style = "<style>i { opacity: 0; transition: opacity .1s } .on i { opacity: 1 }</style>"
    await sheet.write(f"<!doctype html>{style}<div onclick=1>Card <p><i>later</i></p></div>")

    async def name() -> str:
        return next(each.name for each in (await sheet.look()).elements if each.interactive)

    assert await name() == "Card"
    await sheet.tab.page.evaluate("document.querySelector('div').className = 'on'")
    await sheet.tab.page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished)).then(() => 0)")
    assert await name() == "Card later"


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<div onclick=1><span>Router</span> <b>129 EUR</b> <button>Remove</button></div>", "Router 129 EUR"),
        ("<div onclick=1><a href='#'>Remove</a><i>css</i><a href='#'>Remove</a><i>html</i></div>", "css html"),
        ("<div onclick=1><button>One</button><button>Two</button></div>", "One Two"),
    ],
)
async def test_a_card_is_named_without_its_controls(sheet: Sheet, html: str, name: str) -> None:
    await sheet.write(f"<!doctype html>{html}")
    seen = [each for each in (await sheet.look()).elements if each.interactive]
    assert [each.name for each in seen if each.role == "generic"] == [name]


@pytest.mark.parametrize(
    ("inside", "targets"),
    [
        ("<div><i style='cursor: pointer'>+</i></div>", ["tab"]),
        ("<i style='cursor: pointer'><svg width=9 height=9><path d='M0 0h9v9z'/></svg></i>", ["tab"]),
        ("Orders <i style='cursor: pointer'>x</i>", ["tab", "generic"]),
        ("<b>Orders</b> <i style='cursor: pointer; display: inline-block; width: 9px; height: 9px'></i>", ["tab", "generic"]),
    ],
)  # fmt: skip
async def test_what_a_control_shows_alone_is_no_target_beside_it(sheet: Sheet, inside: str, targets: list[str]) -> None:
    await sheet.write(f"<!doctype html><div role=tab tabindex=0>{inside}</div>")
    assert [each.role for each in (await sheet.look()).elements if each.interactive] == targets


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        pytest.param("<u onclick=1 title=Delete>🗑</u>", ['- generic "Ana" [ref=e1]', '  - generic "🗑" [ref=e2]'], id="symbol"),
        pytest.param("<s><u onclick=1>×</u></s>", ['- generic "Ana" [ref=e1]', '  - generic "×" [ref=e2]'], id="symbol-in-a-part"),
        pytest.param("<u>🗑</u>", ['- generic "Ana 🗑" [ref=e1]'], id="symbol-that-does-nothing"),
        pytest.param("<u onclick=1>Bee</u>", ['- generic "Ana Bee" [ref=e1]', '  - generic "Bee" [ref=e2]'], id="words"),
    ],
)  # fmt: skip
async def test_a_symbol_that_acts_by_itself_is_no_word_of_what_it_is_in(
    sheet: Sheet, inside: str, lines: list[str]
) -> None:
    box = (
        "position: relative; margin-top: 60px; width: 320px" if "-100" in inside else "position: relative; width: 200px"
    )
    inside = inside.replace("top: -100px", "top: 2px")
    assert (await sheet.text(f"<div onclick=1 style='{box}'>Ana {inside}</div>")).splitlines() == lines


async def test_what_shows_in_a_row_under_the_mouse_leaves_its_name(sheet: Sheet) -> None:
    act = "<span class=a style='visibility: hidden'><u onclick=1 title=Delete>🗑</u></span>"
    await sheet.write(f"<!doctype html><div onclick=1>Ana {act}</div>")
    assert [each.name for each in (await sheet.look()).elements if each.interactive] == ["Ana"]
    show = "document.querySelectorAll('.a').forEach((each) => each.style.visibility = 'visible')"
    await sheet.tab.page.evaluate(show)
    assert [each.name for each in (await sheet.look()).elements if each.interactive] == ["Ana", "🗑"]
