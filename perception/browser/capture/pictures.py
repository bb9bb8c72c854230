"""The screenshots of one tab: the last one is kept, and watched for as long as Chromium can tell that it is true."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from perception.browser.capture.frame_watch import FrameWatch, Taken
from perception.browser.capture.redaction import Secrets, Shot, ShotKey, take_shot
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.types import Capture, Opaque, Screenshot

_UNWATCHED = (Opaque.CANVAS, Opaque.VIDEO, Opaque.FRAME)
"""What may be shown without a frame of a document that is watched."""


@dataclass(frozen=True, slots=True)
class _Pictured:
    """The last picture of a tab.

    Attributes:
        key: identifies the picture.
        bare: the capture that it was taken with, without pixels.
        whole: the same with pixels.
    """

    key: ShotKey
    bare: Capture
    whole: Capture


class Pictures:
    """The pictures of one tab.

    Attributes:
        watch: tells whether the last one is still true.
    """

    def __init__(self, page: PageLink) -> None:
        self.watch = FrameWatch(page)
        self._page = page
        self._last: _Pictured | None = None
        self._is_still = False

    def shoot(self, frames: frozenset[str], deadline: Deadline, *, reveal: bool) -> asyncio.Task[Shot]:
        """Begins a screenshot that can be watched. `frames`: those that it will show."""
        self.watch.prepare(frames, is_still=self._is_still)
        known = self._last.key[0] if self._last is not None else b""
        shot = take_shot(self._page, deadline, reveal=reveal, known=known, on_asked=self.watch.note_asked)
        return asyncio.create_task(shot, name="screenshot")

    async def join(self, capture: Capture, shot: Shot) -> Capture:
        """The capture with its picture; the same object as last time if both are the same."""
        last, key = self._last, shot.key
        self._is_still = last is not None and last.key == key
        if last is not None and last.key == key:
            return self._joined(key, capture, last.whole.screenshot)
        pixels = await asyncio.to_thread(shot.pixels)
        return self._joined(key, capture, Screenshot(pixels, pixels.shape[1] / capture.viewport.width))

    def join_last(self, capture: Capture, secrets: Secrets) -> Capture | None:
        """The capture with the last picture, if it has the same elements and secrets; else None."""
        last = self._last
        if last is None or capture.elements is not last.bare.elements or not secrets.are_covered_by(last.key):
            return None
        return self._joined(last.key, capture, last.whole.screenshot)

    def bare_of(self, capture: Capture) -> Capture:
        """The last capture without pixels where this one equals it, as an object; else this one."""
        return self._last.bare if self._last is not None and self._last.bare == capture else capture

    def begin_watch(self, capture: Capture, shot: Shot, frames: frozenset[str]) -> None:
        """Watches whether the picture of a capture stays true, if Chromium can tell."""
        screenshot = capture.screenshot
        if (
            screenshot is None
            or screenshot.scale != 1  # a screencast has one pixel for each CSS px (Chromium 156)
            or not capture.page_visible
            or any(each.opaque in _UNWATCHED for each in capture.elements)
        ):
            self.watch.end()
            return
        height, width = screenshot.pixels.shape[:2]
        self.watch.begin(Taken(shot.data, (width, height), frames, self._page.loaders), is_still=self._is_still)

    def let_go(self) -> None:
        """Drops the last picture."""
        self.watch.end()
        self._last = None

    def _joined(self, key: ShotKey, capture: Capture, screenshot: Screenshot | None) -> Capture:
        last = self._last
        if last is not None and last.key == key and last.bare is capture:
            return last.whole
        self._last = _Pictured(key, capture, replace(capture, screenshot=screenshot))
        return self._last.whole
