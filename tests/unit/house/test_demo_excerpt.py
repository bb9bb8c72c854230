"""README's excerpt and picture of the demo page are compared with what a look makes."""

import runpy
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.paths import ROOT

TEXT = """<untrusted-page 7>
- main
  - heading "Orders"
  - img "Chart" [ref=e9]
    - button "Zoom" [ref=v2] [at=10,20]
  - button "Pay" [ref=e10]
</untrusted-page 7>
"""
EXCERPT = """<untrusted-page 1>
- heading "Orders"
- img "Chart" [ref=e9]
  - button "Zoom" [ref=v2] [at=10,20]
</untrusted-page 1>"""


@pytest.fixture(scope="module")
def demo() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / ".ci/demo.py"))


ZOOM, PAY, CHART = '- button "Zoom" [ref=v2] [at=10,20]', '- button "Pay" [ref=e10]', '- img "Chart" [ref=e9]'


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        pytest.param("", "", [], id="as it is made"),
        pytest.param("at=10,20", "at=11,20", [ZOOM.replace("10,", "11,")], id="another position"),
        pytest.param("  - button", "- button", [], id="a parent is left out"),
        pytest.param(ZOOM, PAY, [PAY], id="another parent"),
        pytest.param('- heading "Orders"', PAY, [CHART, ZOOM], id="another order"),
    ],
)
def test_a_line_that_a_look_does_not_make_is_found(
    demo: dict[str, Any], old: str, new: str, missing: list[str]
) -> None:
    assert demo["missing_lines"](EXCERPT.replace(old, new, 1), TEXT) == missing


def test_refreshing_keeps_the_choice_of_lines_and_says_which_are_gone(demo: dict[str, Any]) -> None:
    made = TEXT.replace("ref=v2", "ref=v5").replace("Orders", "Sales")
    new, gone = demo["refreshed"](EXCERPT, made)
    assert new == EXCERPT.replace("ref=v2", "ref=v5").replace('- heading "Orders"\n', "")
    assert gone == ['- heading "Orders"']
    assert demo["missing_lines"](new, made) == []


def test_a_picture_may_differ_in_details_and_not_in_size_or_in_a_label(demo: dict[str, Any], tmp_path: Path) -> None:
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    pixels = np.full((160, 320, 3), 255, np.uint8)
    cv2.imwrite(str(first), pixels)
    for change, said in (
        ((pixels - 5), ""),
        (pixels[:, :300], f"{second} has 300 × 160 px, not 320 × 160"),
        (cv2.rectangle(pixels.copy(), (40, 40), (60, 53), (125, 20, 200), -1), "squares of 16 px have another color"),
    ):
        cv2.imwrite(str(second), change)
        assert said in demo["picture_difference"](first, second)
        assert bool(demo["picture_difference"](first, second)) is bool(said)


def test_the_excerpt_is_in_the_readme(demo: dict[str, Any]) -> None:
    assert "- dialog" in demo["excerpt_of"]((ROOT / "README.md").read_text("utf-8"))
