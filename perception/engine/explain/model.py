"""What an explanation says: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from perception.types import Element


class ExplainStage(Enum):
    """The stages of a look, in the order of the work."""

    WALK = "walk"
    PAINT = "paint"
    NAME = "name"
    HIT_TEST = "hit test"
    SCOPE = "scope"
    REF = "ref"
    RESIDUAL = "residual"
    DETECT = "detect"
    FUSE = "fuse"
    VIEW = "view"
    FOLD = "fold"
    BUDGET = "budget"


class StageOutcome(Enum):
    """What a stage did with the element."""

    PASSED = "passed"
    CHANGED = "changed"
    DROPPED = "dropped"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class StageReport:
    """One stage of a look, about one element.

    Attributes:
        stage: which one.
        outcome: what it did. DROPPED is the reason that the element is not listed.
        reason: in words, with the page's own words quoted.
        facts: names and values of the numbers that decided; names carry their unit.
    """

    stage: ExplainStage
    outcome: StageOutcome
    reason: str
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of one node or pixel.

    Attributes:
        summary: one sentence.
        element: as it is listed; None where it is not.
        stages: reports in order, up to the stage that dropped it.
    """

    summary: str
    element: Element | None
    stages: tuple[StageReport, ...]
