"""Boxes over an image, as the fragment is written and as a real Chromium shows it."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from perception.geometry import Box
from perception.render.overlay import OVERLAY_STYLE, OverlayBox, draw_overlay, draw_swatch
from tests.support.sheet import Sheet

LARGE, MIDDLE, SMALL = Box(0, 0, 400, 200), Box(50, 50, 350, 150), Box(190, 90, 210, 110)
EVIL = [
    "</title></svg></script></template><img src=x onerror=window.hit=1>",
    "<script>window.hit=1</script>",
    "<![CDATA[<b>]]><!-- <style>*{display:none}</style>",
    "\"' onload=window.hit=1 x='",
    "&lt;b&gt; &amp; &#60;",
    "a\u2028b\u202ec é 日本 😀",
]


async def show(sheet: Sheet, fragment: str, width: int = 200, height: int = 100) -> Page:
    """Puts the fragment over a picture of that size at the window's edge: half of a frame of 400 × 200."""
    place, page = f"position:relative;width:{width}px;height:{height}px", sheet.tab.page
    await sheet.write(f"<style>body{{margin:0}}rect{{stroke:red}}{OVERLAY_STYLE}</style><div style={place}></div>")
    await page.locator("div").evaluate("(place, html) => { place.innerHTML = html }", fragment)
    return page


async def test_page_text_is_text_wherever_the_fragment_is_inserted(sheet: Sheet) -> None:
    fragment = draw_overlay([OverlayBox(SMALL, "true", label) for label in EVIL], 400, 200)
    page = await show(sheet, fragment)
    assert await page.locator("rect > title").evaluate_all("all => all.map((each) => each.textContent)") == EVIL
    names = "all => [...new Set(all.map((each) => each.localName))].sort()"
    assert await page.locator("div *").evaluate_all(names) == ["rect", "svg", "title"]
    await page.set_content(f"<p>{fragment}<template>{fragment}</template><p>after")  # by the parser, too
    assert await page.locator("p").all_inner_texts() == ["", "after"]
    assert await page.evaluate("document.querySelector('template').content.querySelectorAll('rect').length") == len(
        EVIL
    )
    assert await page.evaluate("window.hit") is None


@pytest.mark.parametrize("kind", ['x"><img src=x onerror=window.hit=1>', "x' onload='window.hit=1"])
async def test_a_kind_is_only_a_class(sheet: Sheet, kind: str) -> None:
    page = await show(sheet, draw_overlay([OverlayBox(SMALL, kind)], 400, 200) + draw_swatch(kind))
    assert await page.locator("rect").evaluate_all("all => all.map((each) => each.className.baseVal)") == [kind, kind]
    assert await page.locator("img").count() == 0
    assert await page.evaluate("window.hit") is None


async def test_smaller_boxes_are_marked_where_boxes_overlap(sheet: Sheet) -> None:
    page = await show(
        sheet, draw_overlay([OverlayBox(box, "true", f"{box.width:g}") for box in (SMALL, LARGE, MIDDLE)], 400, 200)
    )
    at = "([x, y]) => document.elementFromPoint(x, y).textContent"
    for point, found in (((100, 50), "20"), ((50, 50), "300"), ((5, 5), "400")):
        assert await page.evaluate(at, point) == found


@pytest.mark.parametrize(
    "box",
    [
        pytest.param(Box(100, 50, 100, 50), id="point"),
        pytest.param(Box(100, 50, 100, 90), id="line"),
        pytest.param(Box(100, 50, 100.01, 50.01), id="less-than-is-written"),
    ],
)
async def test_a_box_without_extent_is_seen_and_can_be_pointed_at(sheet: Sheet, box: Box) -> None:
    page = await show(sheet, draw_overlay([OverlayBox(box, "true", "here")], 400, 200))
    seen = await page.locator("rect").bounding_box()
    assert seen is not None
    assert min(seen["width"], seen["height"]) > 0
    await page.locator("rect").hover()
    assert await page.evaluate("document.querySelector('rect:hover').textContent") == "here"


@pytest.mark.parametrize(("width", "height"), [(200, 100), (800, 400), (800, 100)])
async def test_boxes_match_the_picture_at_any_size(sheet: Sheet, width: int, height: int) -> None:
    page = await show(sheet, draw_overlay([OverlayBox(MIDDLE, "true")], 400, 200), width, height)
    edges = await page.locator("rect").evaluate(
        "rect => { const { x, y, width, height } = rect.getBBox(), { a, d, e, f } = rect.getScreenCTM();"
        " return [x * a + e, y * d + f, (x + width) * a + e, (y + height) * d + f] }"
    )
    assert edges == pytest.approx([width / 8, height / 4, width * 7 / 8, height * 3 / 4])
