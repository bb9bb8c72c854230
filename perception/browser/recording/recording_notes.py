"""What one recording has taken so far, of its tab and of the pop-ups that the tab opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perception.browser.recording.event_reading import EventReader
from perception.browser.recording.gaps import Gaps
from perception.secrets import Masker
from perception.subroutines.masking import RecordingMasker
from perception.subroutines.recording import Event

MAX_LEFT_OUT = 300
"""Characters that say what was left out. Chosen by hand."""


@dataclass(slots=True, eq=False)
class RecordingNotes:
    """Shared by the recorders of a tab and of its pop-ups.

    Attributes:
        masker: masks the secrets that no answer may show; None where there are none.
        vault: masks the recording's own secrets.
        named: values of the secrets of `masker`.
        gaps: what is left out while a person has control.
        begun_ms: the page's time at the beginning, milliseconds since 1970; 0 until the page has said it.
        events: actions, in the order in which they were reported.
        tokens: kinds and names of tokens that the page holds; dicts stand for sets that keep their order.
        left_out: what the recording lacks, in words.
        unrecorded: what was done and cannot be recorded, in words.
    """

    masker: Masker | None
    vault: RecordingMasker = field(default_factory=RecordingMasker)
    named: set[str] = field(default_factory=set)
    gaps: Gaps = field(default_factory=Gaps)
    begun_ms: float = 0.0
    events: list[Event] = field(default_factory=list)
    tokens: dict[tuple[str, str], None] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)
    unrecorded: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for secret in self.masker.secrets if self.masker is not None else ():
            self.named.add(secret.value)
            self.vault.give(f"secret {secret.name}", secret.value, secret.name)

    def leave_out(self, what: str) -> None:
        """Notes what the recording lacks."""
        self.left_out[what] = None

    def read_event(self, report: Mapping[str, Any], tab_number: int) -> Event:
        """A reported action, redacted. Raises what `EventReader.read` does."""
        return EventReader(self.vault, self.masker, self.named).read(report, self.begun_ms, tab_number)

    def mask_words(self, text: str) -> str:
        """Words of a page without secrets."""
        return self.vault.mask_text(text if self.masker is None else self.masker.text(text))

    def mask_line(self, text: str) -> str:
        """What a line of what was left out may say of the page, in MAX_LEFT_OUT characters."""
        return self.vault.mask_text(text)[:MAX_LEFT_OUT]
