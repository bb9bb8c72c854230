"""Header cells of tables: those that a person can act on have a line, and a click on one acts."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from perception.client import AsyncPage
from tests.support.live import Show
from tests.support.sheet import Sheet


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param(
            "<table role=treegrid><tr role=row><th tabindex=-1 role=columnheader><div role=presentation>"
            "<span role=presentation style='cursor:pointer' onclick=1>Amount</span></div></th></tr></table>",
            ["- treegrid", "  - row", '    - columnheader "Amount" [ref=e1] [clickable]'],
            id="focusable",
        ),
        pytest.param(
            "<table border=1><tr><th aria-sort=ascending>Age<th>Plain<tr><td>5<td>x</table>",
            ['- row "Age | Plain"', '  - columnheader "Age" [ref=e1] [sort=ascending] [clickable]', '- row "5 | x"'],
            id="sortable",
        ),
        pytest.param(
            "<div role=grid><div role=row><div role=rowheader><div role=presentation style='cursor:pointer'>Ann</div></div>"
            "<div role=gridcell>5</div></div></div>",
            ["- grid", '  - row "Ann | 5"', '    - rowheader "Ann" [ref=e1] [clickable]'],
            id="row-header",
        ),
        pytest.param(
            "<table border=1><thead style='cursor:pointer'><tr><th>Amount<tbody><tr><td>1</table>",
            ["- rowgroup [ref=e1] [clickable]", "  - row", '    - columnheader "Amount" [ref=e2] [clickable]', '- row "1"'],
            id="hand-over-the-head",
        ),
        pytest.param(
            "<table border=1><tr><th><button>Name</button><tr><td>a</table>",
            ["- row", '  - button "Name" [ref=e1]', '- row "a"'],
            id="button-inside",
        ),
        pytest.param(
            "<style>tr{cursor:pointer}</style><table border=1><tr onclick=1><th scope=row>Ann<td>5</table>",
            ['- row "Ann | 5" [ref=e1] [clickable]'],
            id="row-is-the-target",
        ),
    ],
)  # fmt: skip
async def test_a_header_cell_that_acts_has_a_line(sheet: Sheet, html: str, lines: list[str]) -> None:
    assert (await sheet.text(html)).splitlines() == lines


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param("<th><span style='cursor:pointer' onclick=\"o.textContent='sorted'\">Amount</span>", id="sorter"),
        pytest.param("<th aria-sort=none><button onclick=\"o.textContent='sorted'\">Amount</button>", id="button"),
        pytest.param("<th onclick=\"o.textContent='sorted'\">Amount", id="cell"),
        pytest.param("<th><b>Amount</b><script>cell.onclick = () => o.textContent = 'sorted'</script>", id="listener"),
    ],
)
async def test_a_click_on_a_header_cell_lands_where_it_acts(shared_page: AsyncPage, write: Show, cell: str) -> None:
    cell = cell.replace("<th", "<th id=cell style='width:500px;text-align:left'", 1)
    await write(f"<p id=o></p><table border=1 style='width:700px'><tr>{cell}<th>Other<tr><td>1<td>2</table>")
    await shared_page.click('columnheader "Amount"')
    assert "sorted" in (await shared_page.snapshot(mode="text")).text


async def test_a_header_cell_that_begins_to_listen_gets_a_line(shared_page: AsyncPage, write: Show) -> None:
    await write(
        "<p id=o></p><table border=1><tr><th>Amount<th>Other<tr><td>1<td>2</table><button>Go</button><script>"
        "const cell = document.querySelector('th'), listen = () => cell.addEventListener('click', () => o.textContent = 'sorted');"
        "document.querySelector('button').onclick = listen</script>"
    )
    assert "columnheader" not in (await shared_page.snapshot(mode="text")).text
    await shared_page.click('button "Go"')
    assert 'columnheader "Amount" [ref=' in (await shared_page.snapshot(mode="text")).text
    await shared_page.click('columnheader "Amount"')
    assert "sorted" in (await shared_page.snapshot(mode="text")).text
