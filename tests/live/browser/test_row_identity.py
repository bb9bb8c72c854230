"""In which row of a list a control stands: what identifies a row, and what does not change that."""

from __future__ import annotations

import pytest

from perception.types import Element
from tests.support.sheet import Sheet


async def rows_of(sheet: Sheet, html: str = "", script: str = "", name: str = "Delete") -> list[str]:
    """The row of each control of that name, after a script has run."""
    if html:
        await sheet.write(html)
    if script:
        await sheet.tab.page.evaluate(f"() => {{ {script} }}")
    capture = await sheet.look()

    def is_meant(each: Element) -> bool:
        return each.interactive and each.name == name

    return [each.row for each in capture.elements if is_meant(each)]


def listed(*rows: str, row: str = "<li>{}<button>Delete</button></li>", around: str = "<ul>{}</ul>") -> str:
    return around.format("".join(row.format(each) for each in rows))


TABLE = "<table><tr><th>Name<th>Role<th>Seen<th></tr>{}</table>"
CELLS = "<tr>{}<td><div class=actions><button>Edit</button><button>Delete</button></div></tr>"


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        pytest.param(listed("Alice", "Bob"), ["Alice", "Bob"], id="list"),
        pytest.param(
            listed(
                "<td>Alice<td>Editor<td>12:03:01",
                "<td>Bob<td>Editor<td>12:03:02",
                "<td>Cleo<td>Admin<td>12:03:02",
                row=CELLS,
                around=TABLE,
            ),
            ["Alice", "Bob", "Cleo"],
            id="table",
        ),
        pytest.param(
            listed(
                "<b>3 minutes ago</b> Alice", "<b>1 hour ago</b> Bob", row="<div class=r>{}<a href=#>Delete</a></div>"
            ),
            ["Alice", "Bob"],
            id="ages-first",
        ),
        pytest.param(
            listed(
                "<i>Open</i><p>Leak</p>",
                "<i>Open</i><p>Noise</p>",
                "<i>Done</i><p>Dust</p>",
                row="<div>{}<button>Delete</button></div>",
            ),
            ["Leak", "Noise", "Dust"],
            id="a-state-that-one-row-has",
        ),
        pytest.param(
            listed("<a href=#1>Invoice 17</a>", "<a href=#2>Invoice 18</a>"), ["Invoice 17", "Invoice 18"], id="numbers"
        ),
        pytest.param(
            listed("<i>report-1.pdf</i>", "<i>report-2.pdf</i>"), ["report-1.pdf", "report-2.pdf"], id="identifiers"
        ),
        pytest.param(listed("<p>3 likes</p>", "<p>12 likes</p>"), ["", ""], id="counts-identify-nothing"),
        pytest.param(listed("Same", "Same"), ["", ""], id="equal-rows"),
        pytest.param(
            "<header>A <button>Delete</button></header><main>B <button>Delete</button></main>", ["", ""], id="no-list"
        ),
        pytest.param("<ul><li>Alice <button>Delete</button><li>Bob</ul>", [""], id="the-only-one-of-its-name"),
        pytest.param(listed("<img alt=Alice src=x>", "<img alt=Bob src=x>"), ["Alice", "Bob"], id="pictures"),
        *(
            pytest.param(
                listed(f"<{unseen}>Press Space</i> Alice", f"<{unseen}>Press Enter</i> Bob"), ["Alice", "Bob"], id=how
            )
            for how, unseen in {
                "no-size": "i style='position: absolute; width: 0; height: 0; overflow: hidden'",
                "clipped": "i style='position: absolute; clip: rect(0 0 0 0)'",
                "transparent": "i style='opacity: 0'",
                "hidden": "i style='visibility: hidden'",
                "not-laid-out": "i hidden",
                "live": "i aria-live=polite",
            }.items()
        ),
    ],
)
async def test_a_row_is_known_by_a_text_that_is_its_own(sheet: Sheet, html: str, rows: list[str]) -> None:
    assert await rows_of(sheet, html) == rows


LIST = "<ul>{}</ul>".format(
    "".join(
        f"<li><b>{name}</b> <i>{at} min</i> <button>Delete</button></li>" for at, name in enumerate(("Alice", "Bob"))
    )
)


@pytest.mark.parametrize(
    ("script", "rows"),
    [
        pytest.param(
            "document.querySelectorAll('i').forEach(e => e.innerText = '7 min')", ["Alice", "Bob"], id="ticks"
        ),
        pytest.param("document.querySelector('b').firstChild.data = 'Zoe'", ["Zoe", "Bob"], id="recycled"),
        pytest.param("document.querySelector('b').outerHTML = '<em>Alice</em>'", ["Alice", "Bob"], id="drawn-again"),
        pytest.param("document.querySelectorAll('b')[1].textContent = 'Alice'", ["Alice", "Alice"], id="equal-now"),
        pytest.param("document.querySelectorAll('li')[1].remove()", ["Alice"], id="the-last-one"),
        pytest.param(
            "document.querySelector('ul').append(document.querySelector('li'))", ["Bob", "Alice"], id="sorted"
        ),
        pytest.param("document.querySelector('b').append(' (2)')", ["Alice", "Bob"], id="counted"),
        pytest.param("document.querySelector('b').innerHTML = '<mark>Al</mark>ice'", ["Alice", "Bob"], id="marked"),
    ],
)
async def test_a_row_stays_itself_while_it_says_that_text(sheet: Sheet, script: str, rows: list[str]) -> None:
    assert await rows_of(sheet, LIST) == ["Alice", "Bob"]
    assert await rows_of(sheet, script=script) == rows


THUMB = "<i role=slider tabindex=0 aria-valuenow={0}><b>{0}.00</b></i>"


@pytest.mark.parametrize(
    ("row", "name"),
    [
        pytest.param(f"<div class=o>{THUMB}</div>", "", id="in-a-thumb"),
        pytest.param("<div class=o><i role=slider tabindex=0 aria-valuenow={0}></i><b>{0}</b></div>", "", id="beside"),
        pytest.param("<div class=o><b>{0}</b><input type=range value={0}></div>", "", id="beside-a-native-one"),
        pytest.param("<li><b role=meter aria-valuenow={0}>{0}</b><button>Delete</button></li>", "Delete", id="meter"),
        pytest.param(f"<div class=o>{THUMB}<button>Delete</button></div>", "Delete", id="a-button-beside"),
    ],
)
async def test_a_row_is_not_known_by_a_value_in_it(sheet: Sheet, row: str, name: str) -> None:
    rows = listed("20", "80", row=row, around="<div>{}</div>")
    assert await rows_of(sheet, rows, name=name) == ["", ""]
    named = listed("20", "80", row=row.replace(">", ">Price {0}5", 1), around="<div>{}</div>")
    assert await rows_of(sheet, named, name=name) == ["Price 205", "Price 805"]


STAFF = "<ul>{}</ul>".format(
    "".join(
        f"<li><b>{name}</b> <i>{name.lower()}@x.org</i> <u>{team}</u> <button>Delete</button></li>"
        for name, team in zip(("Alice", "Bob", "Cleo", "Dan", "Eve"), ("Ops", "Law", "Ops", "Law", "Ops"), strict=True)
    )
)


@pytest.mark.parametrize(
    ("script", "row"),
    [
        pytest.param("row.querySelector('b').innerText = 'Zoe'", "Alice", id="renamed"),
        pytest.param("for (const e of row.querySelectorAll('b, i')) e.innerText = 'Zoe'", "Zoe", id="another-record"),
        pytest.param("for (const e of row.querySelectorAll('b, u')) e.innerText = 'Zoe'", "Zoe", id="all-but-one"),
    ],
)
async def test_a_row_with_another_title_is_the_same_if_all_else_is(sheet: Sheet, script: str, row: str) -> None:
    assert (await rows_of(sheet, STAFF))[0] == "Alice"
    assert (await rows_of(sheet, script=f"const row = document.querySelector('li'); {script}"))[0] == row


SPENT = "<table><tr><td>Gym{}<td><button>Delete</button></tr><tr><td>Food{}<td><button>Delete</button></tr></table>"
KEYED = [
    pytest.param(("30", "2026-11-03"), ("45", "2026-11-02"), "Gym", id="number-and-date"),
    pytest.param(("Open", "3 Nov 2026"), ("Done", "2 Nov 2026"), "Gym", id="state-and-date"),
    pytest.param(("gym@x.org",), ("food@x.org",), "Gym", id="address"),
    pytest.param(("Open", "A-10032"), ("Done", "A-10033"), "Gym", id="state-and-number-of-an-order"),
    pytest.param(("2026-11-03",), ("2026-11-02",), "GymSport", id="date-alone"),
    pytest.param(("30", "4"), ("45", "5"), "GymSport", id="counts"),
    pytest.param(("Open", "High"), ("Done", "Low"), "GymSport", id="states"),
    pytest.param(("30", "2026-11-03"), ("45", "2026-11-03"), "GymSport", id="one-date-for-all"),
]


@pytest.mark.parametrize(("gym", "food", "row"), KEYED)
async def test_one_of_two_rows_with_another_title_is_the_same_by_what_is_no_state(
    sheet: Sheet, gym: tuple[str, ...], food: tuple[str, ...], row: str
) -> None:
    table = SPENT.format(*("".join(f"<td>{text}" for text in texts) for texts in (gym, food)))
    renamed = "const cells = document.querySelector('tr').cells; cells[0].textContent = 'GymSport'"
    assert (await rows_of(sheet, table))[0] == "Gym"
    assert (await rows_of(sheet, script=renamed))[0] == row
    for at in range(len(gym)):
        assert (await rows_of(sheet, table))[0] == "Gym"
        another = f"{renamed}; cells[{at + 1}].textContent = '2026-12-09 x'"
        assert (await rows_of(sheet, script=another))[0] == "GymSport"


NAMES = ("Alice", "Bob", "Cleo")
GRID = "<th><button>Delete</button><tr><td>{1}"
ARIA_GRID = (
    "<div role=grid><div role=row><button>Delete</button></div><div role=row><i role=gridcell>{1}</i></div></div>"
)


@pytest.mark.parametrize("page", ["<p>{0}<table>" + GRID + "</table>", "<p>{0}" + ARIA_GRID])
async def test_a_header_is_not_known_by_the_records_of_its_table(sheet: Sheet, page: str) -> None:
    def tables(*titles: str, row: str = "<section>{}</section>") -> str:
        return listed(*(page.format(title, "Ann" + title) for title in titles), row=row, around="<main>{}</main>")

    assert await rows_of(sheet, tables("Staff", "Guests")) == ["Staff", "Guests"]
    await sheet.write(tables("Staff", "Guests").replace("<p>Staff", "").replace("<p>Guests", ""))
    assert await rows_of(sheet) == ["", ""]
    records = "document.querySelectorAll('td, [role=gridcell]').forEach((e, at) => e.innerText = `Bo${'xyz'[at]}`)"
    assert await rows_of(sheet, script=records) == ["", ""]


OPTIONS = "".join(f"<option>{name}" for name in NAMES)
SAYS = "<style>u::before, s::after {{ content: attr(data-n) }}</style><ul>{}</ul>"

FILLED = [
    pytest.param("<input>", "e.value = n", id="input"),
    pytest.param("<input type=email>", "e.value = `${n}7@x.org`", id="email"),
    pytest.param("<textarea></textarea>", "e.value = n", id="textarea"),
    pytest.param(f"<select>{OPTIONS}</select>", "e.value = n", id="select"),
    pytest.param("<input type=button>", "e.value = n", id="button"),
    pytest.param("<i role=img>▣</i>", "e.ariaLabel = n", id="aria-label"),
    pytest.param("<img width=9 height=9>", "e.ariaLabel = n", id="picture"),
    pytest.param("<u></u>", "e.dataset.n = n", id="before"),
    pytest.param("<s></s>", "e.dataset.n = n", id="after"),
    pytest.param("", "e.parentNode.ariaLabel = n", id="the-row"),
]


@pytest.mark.parametrize(("says", "fill"), FILLED)
async def test_a_row_is_known_by_what_is_seen_in_it_where_no_text_tells(sheet: Sheet, says: str, fill: str) -> None:
    def filled(*names: str) -> str:
        each = "const e = li.firstElementChild, n = names[at]"
        return f"const names = {list(names)}; document.querySelectorAll('li').forEach((li, at) => {{ {each}; {fill} }})"

    def known(*names: str) -> list[str]:
        return [f"{name}7@x.org" if "email" in says else name for name in names]

    await sheet.write(listed(says, says, says, around=SAYS))
    assert await rows_of(sheet, script=filled(*NAMES)) == known(*NAMES)
    assert await rows_of(sheet, script=filled(*NAMES[::-1])) == known(*NAMES[::-1])


@pytest.mark.parametrize(
    ("says", "is_editor"),
    [
        pytest.param("<input value={}>", False, id="input"),
        pytest.param("<div contenteditable>{}</div>", True, id="editor"),
    ],
)
async def test_a_row_stays_itself_while_a_person_types_into_it(sheet: Sheet, says: str, is_editor: bool) -> None:
    assert await rows_of(sheet, listed(*map(says.format, NAMES))) == list(NAMES)
    page = sheet.tab.page
    await page.click("li > :first-child")
    for key in ("Control+A", "Z", "o", "e", " "):
        await page.keyboard.press(key)
        assert await rows_of(sheet) == list(NAMES)
    put = "textContent" if is_editor else "value"
    tidied = f"document.querySelector('li').firstChild.{put} = 'ZOE'"
    assert await rows_of(sheet, script=tidied) == list(NAMES)
    recycled = f"document.querySelector('li').firstChild.{put} = 'Dan'"
    assert await rows_of(sheet, script=recycled) == ["Dan", *NAMES[1:]]


async def test_a_choice_of_a_person_leaves_the_row_as_it_is(sheet: Sheet) -> None:
    chosen = [OPTIONS.replace(f">{name}", f" selected>{name}") for name in NAMES]
    assert await rows_of(sheet, listed(*(f"<select>{each}</select>" for each in chosen))) == list(NAMES)
    await sheet.tab.page.focus("select")
    await sheet.tab.page.keyboard.press("ArrowDown")
    assert await rows_of(sheet) == list(NAMES)
    assert await rows_of(sheet, script="document.querySelector('select').value = 'Cleo'") == ["Cleo", "Bob", "Cleo"]


async def test_a_field_is_not_known_by_what_it_holds_itself(sheet: Sheet) -> None:
    rows = listed(*(f"<input aria-label=Who value={name}>" for name in NAMES))
    assert await rows_of(sheet, rows, name="Who") == ["", "", ""]
    assert await rows_of(sheet, name="Delete") == list(NAMES)
    beside = listed(*(f"<input aria-label=Who value={name}><input value={name}2>" for name in NAMES))
    assert await rows_of(sheet, beside, name="Who") == ["Alice2", "Bob2", "Cleo2"]


async def test_a_secret_and_a_number_in_a_field_tell_no_row(sheet: Sheet) -> None:
    for kind in ("type=password", "type=number", "name=cvc", "type=range", "autocomplete=one-time-code"):
        rows = listed(*(f"<input {kind} value={value}>" for value in ("Ab1", "Cd2", "Ef3")))
        assert set(await rows_of(sheet, rows)) == {""}, kind
