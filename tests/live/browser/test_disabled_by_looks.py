"""Controls that only their looks say are disabled, and what of a page's containers a person can scroll."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from tests.support.sheet import Sheet


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<style>.is-disabled button{pointer-events:none;opacity:.3}</style><table><tr><td class=is-disabled><button>5</button></table>", id="day-in-a-cell"),
        pytest.param("<a href=# class='btn disabled' style='pointer-events:none;opacity:.65'>5</a>", id="link-as-button"),
        pytest.param("<li class=ui-state-disabled style='opacity:.35'><a href=#>5</a></li>", id="item"),
        pytest.param("<div onclick=1 class='cell -disabled-' style='cursor:default'>5</div>", id="cell-of-a-picker"),
        pytest.param("<button style='cursor:not-allowed'>5</button>", id="cursor"),
    ],
)  # fmt: skip
async def test_a_control_that_looks_disabled_is_disabled(sheet: Sheet, html: str) -> None:
    line = next(each for each in (await sheet.text(html)).splitlines() if '"5" [ref' in each)
    assert "[disabled]" in line


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div class=disabled-days><button>5</button><button>6</button></div>", id="of-several"),
        pytest.param("<a href=# class=disabled>5</a>", id="class-alone"),
        pytest.param("<button class=not-disabledish style='opacity:.5'>5</button>", id="another-word"),
        pytest.param("<button style='opacity:.5'>5</button>", id="dim-alone"),
        pytest.param("<input readonly value=1 aria-label=5 style='cursor:not-allowed'>", id="read-only"),
    ],
)
async def test_a_control_that_does_not_look_disabled_is_not(sheet: Sheet, html: str) -> None:
    assert "[disabled]" not in await sheet.text(html)


@pytest.mark.parametrize(
    ("style", "mark"),
    [
        ("overflow-x:hidden;overflow-y:auto", "[scroll down=140]"),
        ("overflow-x:auto;overflow-y:hidden", "[scroll right=300]"),
        ("overflow:hidden", ""),
        ("overflow:auto", "[scroll down=140 right=300]"),
    ],
)
async def test_only_what_a_person_can_scroll_is_scrollable(sheet: Sheet, style: str, mark: str) -> None:
    text = await sheet.text(
        "<style>::-webkit-scrollbar{display:none}</style>"
        f"<div style='width:200px;height:60px;{style}'><p style='margin:0;width:500px;height:200px'>x</p></div>"
    )
    assert ("[scroll" in text) == bool(mark)
    assert mark in text
