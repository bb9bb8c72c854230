"""Texts below bars that keep their position: a list of the page says those that scrolling shows."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from tests.support.sheet import Sheet

BAR = "<div style='position:{0};{1}:0;left:0;right:0;height:60px;background:#333;color:#fff'>Bar</div>"
LINES = "".join(f"<p style='margin:0;height:30px'>Line {number}</p>" for number in range(60))
LOCKED = "<style>html{overflow:hidden}</style>"


async def texts(sheet: Sheet, body: str, scroll: int = 0) -> set[str]:
    await sheet.write(f"<!doctype html><body style='margin:0'>{body}")
    await sheet.tab.page.evaluate(f"scrollTo(0, {scroll})")
    return {each.name for each in (await sheet.look()).elements if each.visible}


@pytest.mark.parametrize(
    ("body", "scroll", "lines"),
    [
        pytest.param(BAR.format("fixed", "bottom") + LINES, 0, {"Line 0", "Line 24", "Line 25", "Line 57"}, id="bottom"),
        pytest.param(BAR.format("fixed", "top") + LINES, 600, {"Line 0", "Line 20", "Line 21", "Line 59"}, id="top"),
        pytest.param(BAR.format("sticky", "top") + LINES, 600, {"Line 0", "Line 18", "Line 19", "Line 59"}, id="sticky"),
        pytest.param(
            f"<div style='height:300px;overflow:auto'>{BAR.format('sticky', 'bottom')}{LINES}{BAR.format('sticky', 'bottom')}</div>",
            0, {"Line 0", "Line 8", "Line 9", "Line 57"}, id="sticky-in-a-box",
        ),
        pytest.param(
            BAR.format("fixed", "bottom") + LINES.replace("<p ", "<h4 ").replace("</p>", "</h4>"), 0, {"Line 24", "Line 25"}, id="headings",
        ),
    ],
)  # fmt: skip
async def test_a_text_that_scrolls_out_from_under_a_bar_is_said(
    sheet: Sheet, body: str, scroll: int, lines: set[str]
) -> None:
    assert lines <= await texts(sheet, body, scroll)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(BAR.format("fixed", "bottom") + LOCKED + LINES, id="locked-page"),
        pytest.param(BAR.format("fixed", "bottom") + LINES[: LINES.index("Line 26")], id="end-of-the-page"),
        pytest.param(f"<div style='position:fixed;inset:0'>{LINES}</div><div style='height:3000px'></div>" + BAR.format("fixed", "bottom"), id="fixed-text"),
        pytest.param("<div style='position:fixed;inset:0;background:#fff'>Wall</div>" + LINES, id="wall"),
    ],
)  # fmt: skip
async def test_a_text_that_stays_under_something_is_not_said(sheet: Sheet, body: str) -> None:
    assert "Line 25" not in await texts(sheet, body)
