"""What became of each selector over loads and deployments of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class PageChange(StrEnum):
    """What happened to the page since the selector was made."""

    NOTHING = "at once"
    RELOAD = "after a reload"
    DEPLOYMENT = "after a deployment"


@dataclass(frozen=True, slots=True)
class StabilityTrial:
    """One selector, and how often it found its element again.

    Attributes:
        page: id of the page.
        part: part of the manifest that the page belongs to: `train` or `held-out`.
        element: role and name.
        selector: as the list has it.
        stability: as promised, in 0 … 1.
        reason: what the selector is based on.
        asked: by change, how many loads had the element.
        same: by change, in how many of them the selector found it, and nothing else.
    """

    page: str
    part: str
    element: str
    selector: str
    stability: float
    reason: str
    asked: Mapping[PageChange, int]
    same: Mapping[PageChange, int]

    def survives(self, change: PageChange) -> bool | None:
        """Whether it found its element each time; None if the element was never there again."""
        asked = self.asked.get(change, 0)
        return None if not asked else self.same.get(change, 0) == asked


@dataclass(frozen=True, slots=True)
class StabilityRun:
    """A run. `outside`: listed elements that are in no widget, which are not followed, by page."""

    pages: tuple[str, ...]
    trials: tuple[StabilityTrial, ...]
    outside: Mapping[str, int]
    failed: Mapping[str, str]
    browser: str
