"""What fusion can be told to do otherwise: the part of an experiment that is data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from perception.types import Opaque


class Rule(Enum):
    """Ways to match what was seen with what the page says."""

    ASSIGN = "assign"
    UFO2 = "ufo2"
    OMNIPARSER = "omniparser"


@dataclass(frozen=True, slots=True)
class FusionParameters:
    """The defaults are what the service does.

    Attributes:
        look_at: kinds of unexplained pixels that detectors are shown.
        nameless_padding: CSS px around a nameless control: its icon may be drawn up to its border, and readers need
            a margin.
        same_box: intersection over union from which a box seen and an element are one; 0.5 is the usual bar of box
            benchmarks.
        largest_control: (width, height), CSS px. What is larger holds things of its own (a card, a page with one
            listener), so that text in it does not name it. The widest text buttons and search boxes of common style
            sheets stay below.
        min_score: what detectors are less sure of is not taken.
        rule: how what was seen is matched with the page's elements: ours, or another's to compare with (`baselines`).

    Raises:
        ValueError: a number is out of its range.
    """

    look_at: tuple[Opaque, ...] = tuple(Opaque)
    nameless_padding: float = 4.0
    same_box: float = 0.5
    largest_control: tuple[float, float] = (480.0, 160.0)
    min_score: float = 0.0
    rule: Rule = Rule.ASSIGN

    def __post_init__(self) -> None:
        if not (0 < self.same_box <= 1 and 0 <= self.min_score <= 1 and self.nameless_padding >= 0):
            raise ValueError("same_box lies in (0, 1], min_score in [0, 1], nameless_padding is not negative")


DEFAULTS = FusionParameters()
