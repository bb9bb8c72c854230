"""The reports of one tab's scripts, the recorder and the patch, taken into the recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import structlog

from perception.browser.page.page_link import PageLink
from perception.browser.recording.recording_notes import RecordingNotes
from perception.browser.recording.request_reading import SubmittedFiles
from perception.subroutines.bodies import Sent
from perception.subroutines.form_fields import form_states
from perception.subroutines.recording import ADDRESSED, Event, Field, FormState

log = structlog.get_logger(__name__)

MAX_EVENTS = 2000
"""Actions of one recording. Chosen by hand."""


class TabReports:
    """What the scripts of one tab have reported.

    Attributes:
        sent: requests, as the patch saw them.
        files: files of the forms that were sent, each with its time.
        forms: states of the forms.
        refused: fields for which the browser did not send a form, in words.
    """

    def __init__(self, notes: RecordingNotes, tab_number: int, link: PageLink, on_input: Callable[[str], None]) -> None:
        """
        Args:
            notes: take the events.
            tab_number: 0, or the number of the pop-up.
            on_input: called with the kind of each action.
        """
        self._notes = notes
        self._tab_number = tab_number
        self._link = link
        self._on_input = on_input
        self._chooser: Event | None = None
        self.sent: list[Sent] = []
        self.files: list[SubmittedFiles] = []
        self.forms: list[FormState] = []
        self.refused: dict[str, None] = {}

    def take(self, payload: str) -> None:
        """Takes one report, as JSON. One that cannot be read is left out and logged; the recording continues."""
        try:
            self._take(msgspec.json.decode(payload))
        except (KeyError, TypeError, ValueError, msgspec.MsgspecError) as exc:
            self._notes.leave_out(f"a report that could not be read ({type(exc).__name__})")
            log.warning("recording: a report could not be read", error=type(exc).__name__)

    def _take(self, report: dict[str, Any]) -> None:
        if report["type"] == "tokens":
            for kind, token, value in report["tokens"]:
                if self._notes.vault.keep_token(kind, token, value):
                    self._notes.tokens[kind, token] = None
        elif self._notes.gaps.is_open:
            self._mask_typed(report)
        elif report["type"] == "event":
            self._take_event(report)
        elif report["type"] == "unrecorded":
            self._notes.unrecorded[self._notes.mask_line(str(report["what"]))] = None
        elif report["type"] == "chooser":
            clicks = [each for each in self._notes.events[-1:] if each.kind == "click" and each.tab == self._tab_number]
            self._chooser = clicks[0] if clicks else None
        elif report["type"] == "files":
            self._take_files(report)
        elif report["type"] == "forms":
            self.forms += form_states(report, report["at"] - self._notes.begun_ms, self._notes.vault)
        elif report["type"] == "invalid":
            self.refused[self._notes.mask_line(str(report["what"]))] = None
        elif report["type"] == "submit":
            self.refused.clear()
            files = tuple((each["field"], each["name"], each["type"], each["size"]) for each in report["files"])
            self.files.append((report["at"], files))
        else:
            self.sent.append(Sent.of(report))

    def _mask_typed(self, report: dict[str, Any]) -> None:
        """What is typed in a gap is a secret of the recording: later reports, such as what forms hold, repeat it."""
        if report["type"] == "event" and report["kind"] in ("type", "write"):
            self._notes.read_event({**report, "secret": "typed by a person"}, self._tab_number)

    def _take_event(self, report: dict[str, Any]) -> None:
        if len(self._notes.events) >= MAX_EVENTS:
            self._notes.leave_out(f"what was done after {MAX_EVENTS} events")
            return
        event = self._notes.read_event(report, self._tab_number)
        self._on_input(event.kind)
        if event.kind == "upload" and self._chooser is not None:
            event = self._by_chooser(event)
        self._notes.events.append(event)

    def _by_chooser(self, event: Event) -> Event:
        """An upload to what opened the file chooser, in place of the click that opened it."""
        clicked, self._chooser = self._chooser, None
        assert clicked is not None
        self._notes.events[:] = [each for each in self._notes.events if each is not clicked]
        return msgspec.structs.replace(event, target=clicked.target)

    def _take_files(self, report: dict[str, Any]) -> None:
        """Files that a field took which is in no document: it has no name but that of what opened its chooser."""
        if self._chooser is None:
            self._notes.unrecorded["files that were chosen: what opened the file chooser is not known"] = None
            return
        names = [self._notes.vault.mask_text(str(each)) for each in report["names"]]
        at_ms = report["at"] - self._notes.begun_ms
        url = self._notes.vault.mask_url(self._link.url)
        event = Event("upload", at_ms, url, ADDRESSED, names, field=Field(type="file"), tab=self._tab_number)
        self._notes.events.append(self._by_chooser(event))
