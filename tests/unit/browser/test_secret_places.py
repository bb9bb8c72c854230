"""What is painted over in a frame, by samples of where something sensitive was."""

from __future__ import annotations

from typing import Any

import pytest

from perception.browser.capture.redaction import Secrets
from perception.browser.live import secret_places
from perception.browser.live.secret_places import LATENCY_SECONDS, SecretPlaces
from perception.deadline import Deadline
from perception.geometry import Box
from perception.imaging.zoomed import PicturedView

VIEW = PicturedView(480, 320, Box(0, 0, 480, 320))


class Page:
    """A field that goes to the right, 10 px in .1 s, until it stands still at `end_px`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, end_px: float) -> None:
        self.now_s, self.end_px = 0.0, end_px
        link: Any = None
        self.places = SecretPlaces(link)
        monkeypatch.setattr(secret_places, "find_secrets", self._find)
        monkeypatch.setattr(secret_places, "loop_time", lambda: self.now_s)

    def field_at(self, time_s: float) -> Box:
        left = min(self.end_px, time_s * 100)
        return Box(left, 0, left + 120, 30)

    async def sample(self, time_s: float) -> None:
        self.now_s = time_s
        await self.places.sample([False], Deadline.of(1))

    def covers(self, captured_s: float, painted_s: float) -> bool:
        """Whether a frame that was captured then, of what was laid out then, is shown with the field covered."""
        covered = self.places.covering(captured_s, False)
        field = self.field_at(painted_s)
        return covered is not None and any(box.left <= field.left and field.right <= box.right for box in covered)

    async def _find(self, *_: object, **__: object) -> Secrets:
        return Secrets((self.field_at(self.now_s),), VIEW, (0, 0), True, {})


async def test_what_moves_is_not_shown_before_it_is_known_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page(monkeypatch, 400)
    await page.sample(1.0)
    await page.sample(1.1)
    assert page.places.covering(1.05, False) is None, "it may be from before the first sample, further to the left"
    await page.sample(1.2)
    await page.sample(1.3)
    await page.sample(1.4)
    assert page.covers(1.35, 1.35 - LATENCY_SECONDS)


async def test_what_stands_still_is_covered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page(monkeypatch, 50)
    await page.sample(1.0)
    await page.sample(1.1)
    assert page.covers(1.05, 1.0)
