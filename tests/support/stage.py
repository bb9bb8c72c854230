"""A recording of what is done in one tab, on pages of a test."""

from __future__ import annotations

from urllib.parse import quote

from perception.browser.recording.recorder import Recorder
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.subroutines.recording import Recording


class Stage:
    """One tab with a page of its own, and a recording of it."""

    def __init__(self, tab: Tab, site: str) -> None:
        self.tab = tab
        self.page = tab.page
        self.site = site
        self.deadline = Deadline.of(60)
        self.recorder: Recorder | None = None
        self._is_recording = False

    async def open(self, html: str) -> None:
        await self.page.goto(f"{self.site}/html?body={quote(html)}")

    async def record(self, html: str) -> None:
        """Begins on an empty page, so that the patch is there before the page's own scripts."""
        await self.page.set_content("x")
        await self.record_here()
        await self.open(html)

    async def record_here(self, recording_id: str = "r1") -> None:
        """Begins on the page that is open."""
        self.recorder = await Recorder.start(self.tab, recording_id, self.deadline)
        self._is_recording = True

    async def stop(self) -> Recording:
        assert self.recorder is not None
        self._is_recording = False
        return await self.recorder.stop(self.deadline)

    async def close(self) -> None:
        """Ends what a test that failed has left."""
        if self._is_recording:
            await self.stop()
