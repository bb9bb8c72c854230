"""Parts of a recording that are left out: a person has control, and what they do is not recorded. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

LEFT_OUT = "what a person did while they had control (StartRecording with include_person records it)"


@dataclass(slots=True)
class Gaps:
    """The gaps of one recording. `clock`: seconds since 1970."""

    clock: Callable[[], float] = time.time
    _ended: list[tuple[float, float]] = field(default_factory=list)
    _since_s: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether what happens now is left out."""
        return self._since_s is not None

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the recording lacks, in words; empty for nothing."""
        return (LEFT_OUT,) if self._ended or self.is_open else ()

    def begin(self) -> None:
        if self._since_s is None:
            self._since_s = self.clock()

    def end(self) -> None:
        if self._since_s is not None:
            self._ended.append((self._since_s, self.clock()))
            self._since_s = None

    def hold(self, at_s: float) -> bool:
        """Whether a time is in one of them."""
        if self._since_s is not None and at_s >= self._since_s:
            return True
        return any(since <= at_s <= until for since, until in self._ended)
