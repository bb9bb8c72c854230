"""The recordings that run in one session. A recording ends with its tab."""

from __future__ import annotations

from perception.browser.browser_session import Tab
from perception.browser.recording.recorder import Recorder
from perception.deadline import Deadline
from perception.errors import RecordingError, UnknownRecordingError


class Recorders:
    """Recorders of one session by recording id; at most one for each tab."""

    def __init__(self) -> None:
        self._recorders: dict[str, Recorder] = {}
        self._is_paused = False

    def pause(self) -> None:
        """A person has control: nothing of what they do is recorded, unless that was asked for."""
        self._is_paused = True
        for each in self._recorders.values():
            if not each.include_person:
                each.gaps.begin()

    def unpause(self) -> None:
        """The agent has control again."""
        self._is_paused = False
        for each in self._recorders.values():
            each.gaps.end()

    def require_unrecorded(self, tab: Tab) -> None:
        """Raises RecordingError if the tab is being recorded."""
        for recording_id, recorder in self._recorders.items():
            if recorder.records(tab.tab_id):
                raise RecordingError(f"tab {tab.tab_id} is being recorded as {recording_id}: stop that first")

    def records(self, tab_id: str) -> bool:
        """Whether a tab is being recorded."""
        return any(each.records(tab_id) for each in self._recorders.values())

    def add(self, recorder: Recorder) -> None:
        """Keeps a recorder until it is taken or its tab closes."""
        self._recorders[recorder.recording_id] = recorder
        if self._is_paused and not recorder.include_person:
            recorder.gaps.begin()

    def find(self, recording_id: str) -> Recorder:
        """The recorder of that id. Raises UnknownRecordingError if there is none."""
        if recording_id not in self._recorders:
            raise UnknownRecordingError(
                f"no recording {recording_id[:40]!r} is running in this session (a recording ends when its tab "
                "closes): start one with StartRecording"
            )
        return self._recorders[recording_id]

    def remove(self, recording_id: str) -> None:
        """Forgets a recorder that its caller stops. An unknown id changes nothing."""
        self._recorders.pop(recording_id, None)

    async def follow_popup(self, tab: Tab, deadline: Deadline) -> None:
        """Records a window that a recorded tab has opened."""
        for recorder in self._recorders.values():
            if recorder.records(tab.opener):
                await recorder.follow_popup(tab, deadline)

    def drop_tab(self, tab_id: str) -> None:
        """Cancels and forgets the recorder of a tab that has closed; a pop-up's events stay."""
        for recording_id, recorder in list(self._recorders.items()):
            recorder.end_popup(tab_id)
            if recorder.tab.tab_id == tab_id:
                recorder.cancel()
                del self._recorders[recording_id]
