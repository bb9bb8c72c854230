"""Boxes over an image, as the fragment is written and as a real Chromium shows it."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page

from perception.browser.browser_session import BrowserSession
from perception.geometry import Box
from perception.render.overlay import MAX_OVERLAY_LABEL, OVERLAY_STYLE, OverlayBox, draw_overlay, draw_swatch

LARGE, MIDDLE, SMALL = Box(0, 0, 400, 200), Box(50, 50, 350, 150), Box(190, 90, 210, 110)
EVIL = [
    "</title></svg></script></template><img src=x onerror=window.hit=1>",
    "<script>window.hit=1</script>",
    "<![CDATA[<b>]]><!-- <style>*{display:none}</style>",
    "\"' onload=window.hit=1 x='",
    "&lt;b&gt; &amp; &#60;",
    "a\u2028b\u202ec é 日本 😀",
]


def labels(fragment: str) -> list[str]:
    return re.findall("<title>(.*?)</title>", fragment, re.DOTALL)


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


async def show(page: Page, fragment: str, width: int = 200, height: int = 100) -> None:
    """Puts the fragment over a picture of that size at the window's edge: half of a frame of 400 × 200."""
    place = f"position:relative;width:{width}px;height:{height}px"
    await page.set_content(f"<style>body{{margin:0}}rect{{stroke:red}}{OVERLAY_STYLE}</style><div style={place}></div>")
    await page.locator("div").evaluate("(place, html) => { place.innerHTML = html }", fragment)


@pytest.mark.parametrize("order", [(LARGE, MIDDLE, SMALL), (SMALL, LARGE, MIDDLE)])
def test_the_larger_come_first(order: tuple[Box, ...]) -> None:
    fragment = draw_overlay([OverlayBox(box, "true", f"{box.width:g}") for box in order], 400, 200)
    assert labels(fragment) == ["400", "300", "20"]


def test_boxes_of_one_size_keep_their_order() -> None:
    fragment = draw_overlay([OverlayBox(SMALL.shift(at, 0), "true", str(at)) for at in (3, 1, 2)], 400, 200)
    assert labels(fragment) == ["3", "1", "2"]


def test_without_boxes_it_is_an_empty_drawing_of_the_frames_size() -> None:
    fragment = draw_overlay([], 1280, 33.5)
    assert 'viewBox="0 0 1280 33.5"' in fragment
    assert fragment.endswith('aria-hidden="true"></svg>')


def test_a_box_without_a_label_has_no_tooltip() -> None:
    assert "title" not in draw_overlay([OverlayBox(SMALL, "true")], 400, 200)


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        pytest.param("x" * MAX_OVERLAY_LABEL, "x" * MAX_OVERLAY_LABEL, id="just-fits"),
        pytest.param("x" * (MAX_OVERLAY_LABEL + 1), "x" * (MAX_OVERLAY_LABEL - 1) + "…", id="too-long"),
        pytest.param("&" * 1000, "&amp;" * (MAX_OVERLAY_LABEL - 1) + "…", id="no-entity-is-cut"),
    ],
)
def test_a_long_label_is_shortened_before_it_is_escaped(label: str, shown: str) -> None:
    assert labels(draw_overlay([OverlayBox(SMALL, "true", label)], 400, 200)) == [shown]


async def test_page_text_is_text_wherever_the_fragment_is_inserted(browser: BrowserSession) -> None:
    page = browser.tab().page
    fragment = draw_overlay([OverlayBox(SMALL, "true", label) for label in EVIL], 400, 200)
    await show(page, fragment)
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
async def test_a_kind_is_only_a_class(browser: BrowserSession, kind: str) -> None:
    page = browser.tab().page
    await show(page, draw_overlay([OverlayBox(SMALL, kind)], 400, 200) + draw_swatch(kind))
    assert await page.locator("rect").evaluate_all("all => all.map((each) => each.className.baseVal)") == [kind, kind]
    assert await page.locator("img").count() == 0
    assert await page.evaluate("window.hit") is None


async def test_smaller_boxes_are_marked_where_boxes_overlap(browser: BrowserSession) -> None:
    page = browser.tab().page
    await show(
        page, draw_overlay([OverlayBox(box, "true", f"{box.width:g}") for box in (SMALL, LARGE, MIDDLE)], 400, 200)
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
async def test_a_box_without_extent_is_seen_and_can_be_pointed_at(browser: BrowserSession, box: Box) -> None:
    page = browser.tab().page
    await show(page, draw_overlay([OverlayBox(box, "true", "here")], 400, 200))
    seen = await page.locator("rect").bounding_box()
    assert seen is not None
    assert min(seen["width"], seen["height"]) > 0
    await page.locator("rect").hover()
    assert await page.evaluate("document.querySelector('rect:hover').textContent") == "here"


@pytest.mark.parametrize(("width", "height"), [(200, 100), (800, 400), (800, 100)])
async def test_boxes_match_the_picture_at_any_size(browser: BrowserSession, width: int, height: int) -> None:
    page = browser.tab().page
    await show(page, draw_overlay([OverlayBox(MIDDLE, "true")], 400, 200), width, height)
    edges = await page.locator("rect").evaluate(
        "rect => { const { x, y, width, height } = rect.getBBox(), { a, d, e, f } = rect.getScreenCTM();"
        " return [x * a + e, y * d + f, (x + width) * a + e, (y + height) * d + f] }"
    )
    assert edges == pytest.approx([width / 8, height / 4, width * 7 / 8, height * 3 / 4])
