"""Parameters of fusion: the thresholds that an experiment may change (`bench/variants/*.toml`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from perception.fusion.regions import PlacedDetection
from perception.types import Element, Opaque


@runtime_checkable
class MatchRule(Protocol):
    """A way to match detections with the page's elements: a function at the top of a module."""

    def __call__(
        self, page: tuple[Element, ...], texts: list[PlacedDetection], boxes: list[PlacedDetection], /
    ) -> tuple[tuple[Element, ...], list[PlacedDetection], list[PlacedDetection]]:
        """The page's elements, named by what matched, and the texts and boxes that are left."""


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
        rule: how detections are matched with the page's elements, in place of our way; None: our way.

    Raises:
        ValueError: a number is out of its range.
    """

    look_at: tuple[Opaque, ...] = tuple(kind for kind in Opaque if kind is not Opaque.GLYPH)
    nameless_padding: float = 4.0
    same_box: float = 0.5
    largest_control: tuple[float, float] = (480.0, 160.0)
    min_score: float = 0.0
    rule: MatchRule | None = None

    def __post_init__(self) -> None:
        if not (0 < self.same_box <= 1 and 0 <= self.min_score <= 1 and self.nameless_padding >= 0):
            raise ValueError("same_box is in (0, 1], min_score in [0, 1], nameless_padding is not negative")


DEFAULTS = FusionParameters()
