"""Items whose list listens for clicks on them are listed each, and a click on one reaches it."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from tests.support.sheet import Sheet

LISTEN = "<script>r.addEventListener('click', (event) => { out.textContent = event.target.textContent })</script>"
ALL = [f"type-{number}" for number in range(20)] + ["click"]


MARKS = "<style>li, i { display: inline-block; width: 20px; height: 20px } i { background: gold } li::before { content: '★' }</style>"


def listening(html: str) -> str:
    return f"<p>Intro</p>{html}<output id=out></output>{LISTEN}"


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param(
            "<ul id=r><li>Docs<li>Pics</ul>",
            ['- listitem "Docs" [ref=e1] [clickable]', '- listitem "Pics" [ref=e2] [clickable]'],
            id="list",
        ),
        pytest.param(
            "<div id=r><div class=head hidden>Name</div><div class=body><div class='row on'>A</div><div class=row>B</div><div class=row>C</div></div></div>",
            ['- generic "A" [ref=e1]', '- generic "B" [ref=e2]', '- generic "C" [ref=e3]'],
            id="rows-in-a-part-of-it",
        ),
        pytest.param(
            "<table><thead><tr><th>Name<th>Size<tbody id=r><tr><td>A<td>1<tr><td>B<td>2</table>",
            ['- row "Name | Size"', '- row "A | 1" [ref=e1] [clickable]', '- row "B | 2" [ref=e2] [clickable]'],
            id="table",
        ),
        pytest.param(
            "<ul id=r><li><b>Docs</b><ul><li>a.txt</ul><li><b>Pics</b></ul>",
            ['- generic "Docs" [ref=e1]', '- listitem "a.txt" [ref=e2] [clickable]', '- listitem "Pics" [ref=e3] [clickable]'],
            id="tree",
        ),
        pytest.param("<ul id=r><li class=on>Oslo<li>Rome</ul>", ['- listitem "Oslo" [ref=e1] [clickable]', '- listitem "Rome" [ref=e2] [clickable]'], id="state-as-first-class"),
        pytest.param(f"{MARKS}<div id=r><ul><li><li><li></ul></div>", [f'- listitem "★" [ref=e{at}] [clickable]' for at in (1, 2, 3)], id="stars"),
        pytest.param(f"{MARKS}<div id=r><i></i><i></i><i></i></div>", [f"- generic [ref=e{at}]" for at in (1, 2, 3)], id="marks"),
        pytest.param(f"{MARKS}<div id=r><h3>Lamp</h3><div><i></i><i></i><i></i></div>A warm lamp</div>", ['- generic [ref=e1] [hint="r"]', '  - heading "Lamp" [level=3]', '  - text "A warm lamp"'], id="marks-of-a-card"),
        pytest.param("<table><tbody id=r><tr><td>A<td><button>Go</button><tr><td>B<td><button>Run</button></table>", ['- text "A"', '- button "Go" [ref=e1]', '- text "B"', '- button "Run" [ref=e2]'], id="with-controls"),
        pytest.param("<main id=r><div class=s><h2>A</h2>one</div><div class=s><h2>B</h2>two</div><div class=s><h2>C</h2>three</div></main>", ["- main", '  - heading "A" [level=2]', '  - text "one"', '  - heading "B"', '  - text "two"', '  - heading "C"', '  - text "three"'], id="sections"),
        pytest.param("<p id=r>Some <i>words</i> <i>in</i> <i>parts</i> here", ['- paragraph "Some words in parts here" [ref=e1] [clickable]'], id="text-with-parts"),
        pytest.param("<div id=r><p>Title<p>Words</div>", ['- generic "Title Words" [ref=e1]'], id="card"),
        pytest.param("<div id=r><div><p>Title<p>Words<p>More</div></div>", ['- generic "Title Words More" [ref=e1]'], id="card-of-paragraphs"),
        pytest.param("<div id=r><span class='tag a'>A</span><span class='tag b'>B</span><span class='tag c'>C</span></div>", ['- generic "ABC" [ref=e1]'], id="card-of-tags"),
        pytest.param("<div id=r><div class=x>▸ <b>Docs</b></div><div class='x on'><i>▾</i>Pics</div></div>", ['- generic "▸ Docs" [ref=e1]', '- generic "▾Pics" [ref=e2]'], id="tree-of-two-rows"),
        pytest.param("<div id=r><div><div class=x>+ <b>Docs</b></div><div class=x>+ Pics</div></div></div>", ['- generic "+ Docs" [ref=e1]', '- generic "+ Pics" [ref=e2]'], id="tree-of-two-rows-inside"),
        pytest.param("<div id=r><div class=x>Play</div><div class=x>★ 4.5</div></div>", ['- generic "Play ★ 4.5" [ref=e1]'], id="card-of-two-lines"),
        pytest.param("<button id=r><div class=x>A</div><div class=x>B</div><div class=x>C</div></button>", ['- button "A B C" [ref=e1]'], id="button"),
        pytest.param(
            f"<div id=root><ul><li>A<li>B</ul></div><script>for (const type of {ALL}) root.addEventListener(type, () => 0)</script><ul id=r></ul>",
            ['- text "A" "B"'],
            id="root-of-a-framework",
        ),
    ],
)  # fmt: skip
async def test_what_a_list_listens_for_is_listed_by_item(sheet: Sheet, html: str, lines: list[str]) -> None:
    text = await sheet.text(listening(html))
    assert text.splitlines()[1:] == lines


SUB = "<div style='position: absolute; left: 100px; top: 0'>{}</div>"
ROW = "<div style='position: relative'>{}</div>"


@pytest.mark.parametrize(
    ("html", "names"),
    [
        pytest.param(ROW.format("Move to" + SUB.format("<div>Docs</div><div>Pics</div>")), ["Docs", "Pics"], id="two"),
        pytest.param(
            ROW.format("Move to" + SUB.format("<div>Docs</div><div>Pics</div><div>Bin</div>")),
            ["Docs", "Pics", "Bin"],
            id="three",
        ),
        pytest.param(
            ROW.format(
                "Move to" + SUB.format("<div>Docs</div>" + ROW.format("More" + SUB.format("<div>A</div><div>B</div>")))
            ),
            ["Docs", "A", "B"],
            id="menu-of-a-menu",
        ),
        pytest.param(ROW.format("Move to<div><div>Docs</div><div>Pics</div></div>"), [], id="two-lines"),
        pytest.param(ROW.format("Move to" + SUB.format("<p>Docs</p><p>Pics</p>")), [], id="words"),
    ],
)
async def test_what_a_menu_beside_an_item_holds_is_listed_by_item(sheet: Sheet, html: str, names: list[str]) -> None:
    await sheet.write(f"<!doctype html>{listening(f'<div id=r><div>Open</div>{html}<div>Delete</div></div>')}")
    seen = [each for each in (await sheet.look()).elements if each.interactive]
    assert (seen[0].name, seen[-1].name) == ("Open", "Delete")
    assert [each.name for each in seen if each.name in {"Docs", "Pics", "Bin", "A", "B"}] == names


async def test_an_item_keeps_its_name_while_its_menu_is_open(sheet: Sheet) -> None:
    menu = SUB.replace("<div", "<div id=s hidden", 1)
    for words, now in (("", "Move to"), ("<p>To where?</p>", "Move to To where? Docs Pics")):
        opener = ROW.format("Move to" + menu.format(f"{words}<div>Docs</div><div>Pics</div>"))
        await sheet.write(f"<!doctype html>{listening(f'<div id=r><div>Open</div>{opener}<div>Delete</div></div>')}")
        assert [each.name for each in (await sheet.look()).elements if each.interactive] == [
            "Open",
            "Move to",
            "Delete",
        ]
        await sheet.tab.page.evaluate("s.hidden = false")
        names = [each.name for each in (await sheet.look()).elements if each.interactive]
        assert names == ["Open", now, "Docs", "Pics", "Delete"]


async def test_a_list_that_listens_later_is_noticed(sheet: Sheet) -> None:
    await sheet.write("<!doctype html><ul id=r><li>Docs<li>Pics</ul><script></script>")
    await sheet.collect_garbage()
    for _ in range(3):
        assert not any(each.interactive for each in (await sheet.look()).elements)
    await sheet.tab.page.evaluate("document.querySelector('#r').addEventListener('click', () => 0)")
    seen = await sheet.look()
    assert [(each.role, each.name) for each in seen.elements if each.interactive] == [
        ("listitem", "Docs"),
        ("listitem", "Pics"),
    ]


async def test_a_word_beside_words_is_no_item(sheet: Sheet) -> None:
    words = "".join(f"<span class=w>{word} </span>" for word in "one two three four".split())
    assert "[ref=" not in await sheet.text(listening(f"<div id=r>{words}</div>"))


def month(cell: str, *, first: int) -> str:
    days = [*range(31 - first, 31), *range(1, 32)]
    cells = [f"<{cell} class='{'old day' if at < first else 'day'}'>{day}</{cell}>" for at, day in enumerate(days)]
    if cell != "td":
        return f"<div style='display: grid; grid-template-columns: repeat(7, 40px)'>{''.join(cells)}</div>"
    return "<table><tbody>" + "".join(f"<tr>{''.join(cells[at : at + 7])}" for at in range(0, 35, 7)) + "</table>"


@pytest.mark.parametrize("cell", ["td", "div", "span"])
async def test_the_days_of_a_calendar_that_listens_are_targets(sheet: Sheet, cell: str) -> None:
    calendar = f"<div id=r><div><b>May 2026</b><button>Next</button></div>{month(cell, first=5)}</div>"
    await sheet.write(f"<!doctype html>{listening(calendar)}")
    seen = [each for each in (await sheet.look()).elements if each.interactive and each.name.isdigit()]
    assert [int(each.name) for each in seen][:12] == [26, 27, 28, 29, 30, 1, 2, 3, 4, 5, 6, 7]
    assert len(seen) >= 35
    quiet = f"<div>{month(cell, first=5)}</div><button>Next</button>"
    await sheet.write(f"<!doctype html>{quiet}")
    assert [each.name for each in (await sheet.look()).elements if each.interactive] == ["Next"]


async def test_the_days_of_a_grid_are_its_cells_and_not_its_rows(sheet: Sheet) -> None:
    def week(first: int) -> str:
        days = range(first, first + 7)
        return "".join(f"<td role=gridcell tabindex=-1 aria-label='May {day}'><span>{day}</span>" for day in days)

    await sheet.write(f"<!doctype html>{listening(f'<table role=grid><tbody id=r><tr>{week(1)}<tr>{week(8)}</table>')}")
    seen = [each for each in (await sheet.look()).elements if each.interactive]
    assert [(each.role, each.name) for each in seen] == [("gridcell", f"May {day}") for day in range(1, 15)]


WEEK_OF_CELLS = "<table role=grid><tr>{}</table>"
WEEK_OF_BOXES = "<div style='display: grid; grid-template-columns: repeat(7, 90px)'>{}</div>"


@pytest.mark.parametrize(
    ("week", "cell", "busy"),
    [
        pytest.param(WEEK_OF_CELLS, "td role=gridcell", {3, 5}, id="grid"),
        pytest.param(WEEK_OF_CELLS, "td role=gridcell", set(range(1, 8)), id="grid-full"),
        pytest.param(WEEK_OF_CELLS.replace(" role=grid", ""), "td", {4}, id="table"),
        pytest.param(WEEK_OF_BOXES, "div", {2, 4, 6}, id="boxes"),
    ],
)
async def test_a_day_with_something_on_it_is_a_target_as_the_others_are(
    sheet: Sheet, week: str, cell: str, busy: set[int]
) -> None:
    def day(number: int) -> str:
        more = "<div><button>Call</button></div>" if number in busy else ""
        return f"<{cell} class=d{number}><div><i>{number}</i></div>{more}</{cell.split()[0]}>"

    shown = week.format("".join(map(day, range(1, 8))))
    await sheet.write(f"<!doctype html>{listening(f'<div id=r><b>May</b><button>Next</button>{shown}</div>')}")
    seen = [each for each in (await sheet.look()).elements if each.interactive]
    assert [int(each.name.split()[0]) for each in seen if each.name[:1].isdigit()] == list(range(1, 8))
    assert len([each for each in seen if each.name == "Call"]) == len(busy)


@pytest.mark.parametrize(
    "html",
    [
        "<div id=r style='display: flex'>" + "".join(f"<div><b>{at}</b> Step</div>" for at in range(1, 6)) + "</div>",
        "<div id=r>" + "".join(f"<div class=line>{number}</div>" for number in range(1, 9)) + "</div>",
        "<table id=r><tr><td>1<td>7<td>3<td>2<tr><td>4<td>4<td>9<td>1</table>",
        "<p id=r>Rooms " + " ".join(f"<span>{number}</span>" for number in (12, 7, 31)) + "</p>",
    ],
)
async def test_other_numbers_are_not(sheet: Sheet, html: str) -> None:
    await sheet.write(f"<!doctype html>{listening(html)}")
    assert not [each for each in (await sheet.look()).elements if each.interactive and each.name.isdigit()]
