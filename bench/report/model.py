"""A report as a value. Everything that is shown is in it; nothing is computed when it is drawn.

Rule 1: a number is a number here; how many digits are shown is the renderer's business, by the column's unit.
Rule 2: an interval stands beside its estimate, in the same cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perception.geometry import Box


class Unit(StrEnum):
    """What a column's numbers are."""

    TEXT = ""
    COUNT = "count"
    SHARE = "share"
    """In [0, 1]; shown as a percentage."""
    DIFFERENCE = "difference"
    """Of two shares, in [-1, 1]; shown in percentage points with its sign."""
    RATIO = "ratio"
    MILLISECONDS = "ms"
    MEBIBYTES = "MiB"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with the ends of its interval. `verdict`: `better`, `worse`, `no difference shown`, or empty."""

    value: float
    low: float
    high: float
    verdict: str = ""


Cell = str | float | int | Estimate | None
"""None: there is nothing to say, shown as a dash."""


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    unit: Unit = Unit.TEXT
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` are as wide as `columns`. `id` is short and unique in the report, for links and JSON."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"table {self.id}: a row is not as wide as its columns")


class ChartKind(StrEnum):
    BARS = "bars"
    """Groups of bars: `x` are categories; intervals where there are."""
    POINTS = "points"
    """A point for each pair of numbers; `labels` say which it is."""
    DISTRIBUTION = "distribution"
    """`y` of each series as a box with all points."""
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class Series:
    """One colour of a chart. `y` may have Estimates (drawn with their intervals)."""

    name: str
    x: tuple[str | float, ...]
    y: tuple[float | Estimate | None, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    id: str
    title: str
    kind: ChartKind
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    y_unit: Unit = Unit.NUMBER
    diagonal: bool = False
    """Draws the line on which both axes are equal: points off it differ."""
    note: str = ""
    logarithmic: bool = False
    """Both axes: numbers above 0 only. A power law is a straight line then."""


class Tone(StrEnum):
    """How a box is drawn."""

    TRUE = "true"
    """Truth, found."""
    MISSED = "missed"
    """Truth, not found."""
    FOUND = "found"
    """Found and right."""
    WRONG = "wrong"
    """Found, and nothing is there."""
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Mark:
    """A box on an image, CSS px of its viewport."""

    box: Box
    label: str = ""
    tone: Tone = Tone.NEUTRAL


@dataclass(frozen=True, slots=True)
class Pane:
    """One copy of the case's image with boxes over it, and text to unfold under it."""

    title: str
    marks: tuple[Mark, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A sample to look at: one image file (PNG or JPEG bytes), shown in each pane side by side.

    `width` and `height` are its size in the frame that the marks are in.
    """

    title: str
    note: str
    image: bytes
    width: float
    height: float
    panes: tuple[Pane, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report.

    Attributes:
        summary: sentences that say what was found, the most important first.
        facts: machine, versions, data set, variants: by name.
        skipped: what was not measured and why, a line each.
        command: what to type to get it again.
    """

    title: str
    summary: tuple[str, ...]
    facts: dict[str, str]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...] = ()
    cases: tuple[Case, ...] = ()
    skipped: tuple[str, ...] = ()
    command: str = ""
    made: str = ""
    """When, as ISO 8601."""
