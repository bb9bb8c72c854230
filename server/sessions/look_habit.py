"""Whether looks ahead pay in a session: learned from what its client does and what became of earlier ones. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from perception.engine.request import SnapshotOptions
from perception.types import Engine

UNUSED = 2
"""So many looks ahead in a row that nobody used turn them off."""

LONGEST_PAUSE = 16
"""Looks after an action without a look ahead, at most, in a session whose pages always change before they are looked
at. The pause doubles from one to the next."""


@dataclass(slots=True)
class LookHabit:
    """How the client of one session looks.

    Attributes:
        options: how its client last looked, or can be expected to look first; None before.
        is_on: its client looks at what an action has done, or can be expected to.
    """

    options: SnapshotOptions | None = None
    is_on: bool = False
    _unused: int = 0
    _stale: int = 0
    _pause: int = 0

    @property
    def wants(self) -> SnapshotOptions | None:
        """How to look ahead; None for not at all. Facts from Chromium's accessibility tree cannot be served again, and
        private values are revealed to nobody who has not asked."""
        options = self.options
        if not self.is_on or options is None or options.engine is Engine.AX or options.reveal:
            return None
        return options

    def note_look(self, options: SnapshotOptions, *, after_action: bool) -> None:
        """The client looked."""
        self.options = options
        if after_action and self._pause:
            self._pause -= 1
        elif after_action:
            self.is_on = True

    def note_used(self) -> None:
        """A look ahead was served."""
        self._unused = self._stale = 0

    def note_unused(self) -> None:
        """Nobody asked for a look ahead, made or due: the next action, or another call, came first."""
        self._unused += 1
        if self._unused >= UNUSED:
            self.is_on, self._unused = False, 0

    def note_stale(self) -> None:
        """The client looked, and the page had changed since the look ahead."""
        self._stale += 1
        if self._stale >= UNUSED:
            self.is_on, self._pause = False, min(2 ** (self._stale - 1), LONGEST_PAUSE)
