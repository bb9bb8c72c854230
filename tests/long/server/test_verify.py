"""Looks that check themselves, with real OCR."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage

HEAD = "<!doctype html><meta charset=utf-8><body style='font:18px sans-serif;background:#fff'>"

PICTURE = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='60' height='24'%3E%3Crect width='60' "
    "height='24' fill='white'/%3E%3Ctext y='17' font-size='18' font-family='sans-serif'%3E9250%3C/text%3E%3C/svg%3E"
)
PAINTED_OVER = f"""<p>Total <span style="position:relative">1250<i style="position:absolute;left:0;top:0;width:60px;
height:24px;pointer-events:none;background:url(&quot;{PICTURE}&quot;)"></i></span> EUR</p>"""
"""By a background whose pixels no page can read."""

DRAWN_OVER = """<p>Total <span style="position:relative">1250<canvas width=60 height=24 id=c
style="position:absolute;left:0;top:0;pointer-events:none"></canvas></span> EUR</p><script>
const x = document.getElementById("c").getContext("2d"); x.fillStyle = "white"; x.fillRect(0, 0, 60, 24)
x.fillStyle = "black"; x.font = "18px sans-serif"; x.fillText("9250", 0, 17)</script>"""


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    page = await client.open()
    yield page
    await page.close()


async def verified(page: AsyncPage, site: str, html: str) -> tuple[str, str]:
    """The text of a look that checks itself, and its note."""
    await page.navigate(f"{site}/html?body={quote(HEAD + html)}")
    snapshot = await page.snapshot(mode="text", verify=True)
    (note,) = [each for each in snapshot.notes if each.startswith("verified")]
    return snapshot.text, note


async def test_a_number_that_is_painted_over_is_marked(page: AsyncPage, site: str) -> None:
    text, note = await verified(page, site, PAINTED_OVER)
    assert '- text "Total 1250" [pixels show "Total 9250"]' in text
    assert "1 differs" in note


async def test_a_number_that_a_drawing_covers_is_not_listed(page: AsyncPage, site: str) -> None:
    text, _ = await verified(page, site, DRAWN_OVER)
    assert "1250" not in text
    assert '- text "Total"' in text
    assert "- canvas" in text


async def test_digits_in_another_direction_are_marked(page: AsyncPage, site: str) -> None:
    text, _ = await verified(page, site, "<p><bdo dir=rtl>4825</bdo> items</p>")
    assert '[pixels show "5284 items"]' in text


async def test_an_honest_page_has_no_mark(page: AsyncPage, site: str) -> None:
    html = (
        "<h1>Order 4711</h1><p>Total 1 250,00 EUR</p><table><tr><td>Ann<td>10.50<tr><td>Bob<td>99.11</table>"
        "<button>Pay $42</button> <a href='/x' style='text-transform:uppercase'>Read 5 more</a> <input value='333'>"
        "<p style='width:130px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis'>Invoice 2024 of Miller 77</p>"
    )
    text, note = await verified(page, site, html)
    assert "pixels show" not in text
    assert "0 differ" in note
    assert not note.startswith("verified 0")


async def test_what_a_scroller_cuts_and_longer_names_are_no_differences(page: AsyncPage, site: str) -> None:
    rows = "".join(f"<tr onclick=1 style='height:60px;cursor:pointer'><td>Order 48{each}1<td>Ann" for each in range(4))
    html = (
        f"<div style='height:90px;overflow:auto'><table>{rows}</table></div><p style='margin:0'>Pages 7 of 99</p>"
        "<table role=grid><tr><td role=gridcell tabindex=0 aria-label='Tuesday, May 25, 2026'>25</table>"
    )
    text, note = await verified(page, site, html)
    assert "pixels show" not in text
    assert "0 differ" in note


async def test_words_of_style_sheets_beside_a_number_belong_to_it(page: AsyncPage, site: str) -> None:
    style = "<style>.a::before{content:'2'}.b::after{content:' 500'}</style>"
    text, _ = await verified(
        page, site, style + "<p class=a>50 items<p class=b>Total 60<table><tr><td class=a>1</table>"
    )
    assert '"250 items" "Total 60 500"' in text
    assert "pixels show" not in text
    text, _ = await verified(page, site, f"{style}<p class=a><bdo dir=rtl>4825</bdo> items")
    assert 'pixels show "5284 items"' in text


async def test_pickers_raised_digits_and_events_over_a_day_are_no_differences(page: AsyncPage, site: str) -> None:
    html = (
        "<input type=time value='14:30'><input type=month value='2026-03'>"
        "<input type=datetime-local value='2026-03-04T15:45'>"
        "<p>1,234<span style='font-size:.6em;vertical-align:super'>56</span> USD</p>"
        "<table dir=rtl><tr><td>1<td>2</table>"
        "<div style='position:relative;width:200px;height:70px' onclick=1><b>15</b>"
        "<div style='position:absolute;left:6px;top:28px;background:#9cf;width:150px' onclick=1>11:30 Sync</div></div>"
    )
    text, note = await verified(page, site, html)
    assert "pixels show" not in text
    assert note.startswith("verified 6 of 7")


async def test_a_masked_value_is_not_read(page: AsyncPage, site: str) -> None:
    text, note = await verified(page, site, "<p>Plain 77</p><input type=password value='12345678'>")
    assert "12345678" not in text
    assert "pixels show" not in text
    assert note.startswith("verified 1 of")


async def test_a_plain_look_has_no_note(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/html?body={quote(HEAD + PAINTED_OVER)}")
    snapshot = await page.snapshot(mode="text")
    assert "pixels show" not in snapshot.text
    assert not any(each.startswith("verified") for each in snapshot.notes)
