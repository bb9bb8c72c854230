"""What a watched tab shows is what a new screenshot of it shows, whatever paints, and watching it cannot be noticed."""

from __future__ import annotations

import pytest

from perception.browser.capture.redaction import Shot
from perception.imaging.zoomed import PicturedView


@pytest.mark.parametrize(
    ("before", "after", "shows"),
    [
        pytest.param({"top": 3, "inner": 1}, {"top": 3, "inner": 1}, True, id="nothing-changed"),
        pytest.param({"top": 2, "inner": 1}, {"top": 3, "inner": 1}, False, id="changed-before-the-walk"),
        pytest.param({"top": 3, "inner": 1}, {"top": 3, "inner": 2}, False, id="changed-after-the-walk"),
        pytest.param({"top": 3, "inner": 1}, {"top": 3}, False, id="a-frame-no-longer-answers"),
        pytest.param({"top": 3}, {"top": 3, "inner": 1}, True, id="a-frame-was-not-asked-before"),
    ],
)
def test_a_screenshot_shows_a_walk_if_nothing_changed_from_before_it_until_after_it(
    before: dict[str, int], after: dict[str, int], *, shows: bool
) -> None:
    shot = Shot("", b"", None, (), PicturedView.whole(10, 10), before, after)
    assert shot.shows({"top": 3, "inner": 1}) is shows
