"""Parameters of fusion: the thresholds that an experiment may change (`bench/variants/*.toml`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from perception.types import Opaque


class MatchRule(Enum):
    """Ways to match detections with the page's elements."""

    ASSIGN = "assign"
    UFO2 = "ufo2"
    OMNIPARSER = "omniparser"


@dataclass(frozen=True, slots=True)
class FusionParameters:
    """Parameters of fusion. The service uses the defaults.

    Attributes:
        look_at: kinds of opaque elements whose pixels go to the detectors. Glyphs of icon fonts are not words: only
            detectors that name icons look at them.
        nameless_padding: CSS px around a nameless control: its icon may be drawn up to its border, and OCR models
            need a margin. Chosen by hand; guarded by `tests/unit/fusion/test_residual.py`.
        same_box: intersection over union from which a detected box and an element are one; 0.5 is the usual bar of
            box benchmarks.
        largest_control: (width, height), CSS px. A larger element contains other things (a card, a page with one
            listener), so text in it is not its name. The widest text buttons and search boxes of common style sheets
            are smaller. Chosen by hand; guarded by `tests/unit/fusion/test_fuse.py`.
        min_score: detections with a lower score are dropped.
        rule: how detections are matched with the page's elements: ASSIGN is ours, the others are baselines to compare
            with (`baselines`).

    Raises:
        ValueError: a number is out of its range.
    """

    look_at: tuple[Opaque, ...] = tuple(kind for kind in Opaque if kind is not Opaque.GLYPH)
    nameless_padding: float = 4.0
    same_box: float = 0.5
    largest_control: tuple[float, float] = (480.0, 160.0)
    min_score: float = 0.0
    rule: MatchRule = MatchRule.ASSIGN

    def __post_init__(self) -> None:
        if not (0 < self.same_box <= 1 and 0 <= self.min_score <= 1 and self.nameless_padding >= 0):
            raise ValueError("same_box is in (0, 1], min_score in [0, 1], nameless_padding is not negative")


DEFAULTS = FusionParameters()
