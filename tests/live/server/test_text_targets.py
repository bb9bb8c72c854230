"""Texts as targets: what is painted is found, also where the name of what acts says it with other words."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from perception.client import AsyncPage, RemoteError
from tests.support.live import Show

HEAR = (
    "<!doctype html><script>onclick = (event) => { document.title = event.target.id; event.preventDefault() }</script>"
)
TABLE = "<table><tr><th>Name<th>Price<th><tr><td>{}<td>9 EUR<td><button>Buy</button></table>"
CARD = "<div onclick=1 style='width: 500px'><b id=b>{}</b><p>9 EUR</p></div>"
MENU = "<style>#m .sub {{ display: none }} #m div:hover > .sub {{ display: block }}</style><div id=m>{}</div><script>m.onclick = () => 1</script>"
SUBMENU = (
    "<div>Open</div><div id=v>Move to<div class=sub><div>Docs</div><div id=b>Pro</div></div></div><div>Delete</div>"
)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        pytest.param(CARD.format("Pro"), "Pro", id="card"),
        pytest.param(CARD.format("Pro"), "pro", id="any-case"),
        pytest.param(CARD.format("Pro <i>plus</i>"), "Pro plus", id="in-parts"),
        pytest.param(CARD.format("<s hidden>Pro</s><i id=b>Pro</i>"), "Pro", id="beside-a-hidden-one"),
        pytest.param("<a href=#><h3 id=b>Pro</h3>9 EUR</a>", "Pro", id="heading-in-a-link"),
        pytest.param("<button><span id=b>Pro</span><small>new</small></button>", "Pro", id="button"),
        pytest.param("<div onclick=1>Plan <a href=# id=b>Pro</a></div>", "Pro", id="link-in-a-card"),
        pytest.param("<button id=b><i>Pro</i></button>", "Pro", id="all-of-a-button"),
        pytest.param(TABLE.format("<i id=b>Pro</i>"), "Pro", id="cell-of-a-table"),
        pytest.param(
            "<table role=menu><tr role=row><td role=menuitem tabindex=-1 id=b>Pro</table>",
            "Pro",
            id="only-cell-of-a-menu",
        ),
        pytest.param(
            "<table role=grid><tr tabindex=0><td role=gridcell tabindex=-1 id=b>Pro</table>", "Pro", id="of-a-grid"
        ),
    ],
)
async def test_a_text_in_what_acts_is_clicked(shared_page: AsyncPage, write: Show, html: str, text: str) -> None:
    await write(f"{HEAR}<style>#b * {{ pointer-events: none }}</style>{html}")
    await shared_page.click(f'text "{text}"')
    assert (await shared_page.snapshot(mode="text")).title == "b"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<a href=#>Pro</a>" + CARD.format("Pro"), id="link-and-card"),
        pytest.param("<p>Pro</p>" + CARD.format("Pro"), id="text-and-card"),
        pytest.param("<p>Pro</p><a href=#>Pro</a>", id="text-and-link"),
        pytest.param("<p>Pro</p><a href=#><u>Pro</u></a>", id="text-and-underlined-link"),
        pytest.param(CARD.format("Pro") * 2, id="two-cards"),
        pytest.param("<div onclick=1><b>Pro</b> or <b>Pro</b></div>", id="twice-in-a-card"),
    ],
)
async def test_a_text_that_is_painted_twice_is_ambiguous(shared_page: AsyncPage, write: Show, html: str) -> None:
    await write(f"{HEAR}{html}")
    with pytest.raises(RemoteError, match="2 times") as caught:
        await shared_page.click('text "Pro"')
    assert caught.value.reason == "AMBIGUOUS_TARGET"


@pytest.mark.parametrize("target", ['cell "Pro"', 'columnheader "Price"', 'text "Pro" [nth=0]', "text=Pro [nth=0]"])
async def test_a_cell_that_its_row_says_is_a_target(shared_page: AsyncPage, write: Show, target: str) -> None:
    table = TABLE.format("<i id=b>Pro</i>").replace("<th>Price", "<th id=b>Price")
    await write(HEAR + table)
    await shared_page.click(target)
    assert (await shared_page.snapshot(mode="text")).title == "b"
    with pytest.raises(RemoteError, match="is not on the page"):
        await shared_page.click('cell "Max"')


async def test_one_of_several_is_said_by_its_number(shared_page: AsyncPage, write: Show) -> None:
    await write(HEAR + TABLE.format("Pro") + TABLE.format("<i id=b>Pro</i>"))
    with pytest.raises(RemoteError, match=r'as a text: cell "Pro" \[nth=0\]'):
        await shared_page.click('cell "Pro"')
    await shared_page.click('cell "Pro" [nth=1]')
    assert (await shared_page.snapshot(mode="text")).title == "b"


async def test_a_text_of_a_submenu_is_not_taken_for_another_while_it_is_open(
    shared_page: AsyncPage, write: Show
) -> None:
    await write(f"{HEAR}<p><span id=a onclick=1>Pro</span></p>{MENU.format(SUBMENU)}")
    await shared_page.click('text "Pro"')
    assert (await shared_page.snapshot(mode="text")).title == "a"
    await shared_page.hover('text "Move to"')
    with pytest.raises(RemoteError, match="2 times"):
        await shared_page.click('text "Pro"')
    await shared_page.click("#b")
    assert (await shared_page.snapshot(mode="text")).title == "b"


async def test_a_text_that_nobody_sees_is_not_there(shared_page: AsyncPage, write: Show) -> None:
    for hiding in ("hidden", "style='opacity: 0'", "style='visibility: hidden'", "style='font-size: 0'"):
        await write(f"{HEAR}<div onclick=1 aria-label='Pro plan'><b {hiding}>Pro</b><p>9 EUR</p></div>")
        with pytest.raises(RemoteError, match="is not on the page"):
            await shared_page.click('text "Pro"')
