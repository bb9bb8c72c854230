"""A report as a value. It contains everything that is shown; rendering computes nothing.

Rule 1: a number is a number here; the renderer chooses the number of digits by the column's unit.
Rule 2: an interval is in the same cell as its estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perception.geometry import Box


class ColumnUnit(StrEnum):
    """The unit of a column's numbers."""

    TEXT = ""
    COUNT = "count"
    SHARE = "share"
    """In [0, 1]; shown as a percentage."""
    DIFFERENCE = "difference"
    """The difference of two shares, in [-1, 1]; shown in percentage points with its sign."""
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
"""None: no value, shown as a dash."""


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    unit: ColumnUnit = ColumnUnit.TEXT
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
    """Groups of bars: `x` are categories; with intervals if there are any."""
    POINTS = "points"
    """A point for each pair of numbers; `labels` identify them."""
    DISTRIBUTION = "distribution"
    """`y` of each series as a box with all points."""
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class Series:
    """One color of a chart. `y` may have Estimates (drawn with their intervals)."""

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
    y_unit: ColumnUnit = ColumnUnit.NUMBER
    diagonal: bool = False
    """Draws the line on which both axes are equal."""
    note: str = ""
    logarithmic: bool = False
    """Both axes are logarithmic: positive numbers only. A power law is a straight line."""


class Tone(StrEnum):
    """How a box is drawn."""

    TRUE = "true"
    """Truth, found."""
    MISSED = "missed"
    """Truth, not found."""
    FOUND = "found"
    """Found and correct."""
    WRONG = "wrong"
    """Found, but nothing is there."""
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class BoxMark:
    """A box on an image, CSS px of its viewport."""

    box: Box
    label: str = ""
    tone: Tone = Tone.NEUTRAL


@dataclass(frozen=True, slots=True)
class Pane:
    """One copy of the case's image with boxes over it, and collapsible text under it."""

    title: str
    marks: tuple[BoxMark, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A sample to view: one image file (PNG or JPEG bytes), shown in each pane side by side.

    `width` and `height` are its size in the coordinates of the marks.
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
        summary: sentences with the findings, the most important first.
        facts: machine, versions, data set, variants: by name.
        skipped: what was not measured and why, one line each.
        command: the command that reproduces the report.
    """

    title: str
    summary: tuple[str, ...]
    facts: dict[str, str]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...] = ()
    cases: tuple[ShownCase, ...] = ()
    skipped: tuple[str, ...] = ()
    command: str = ""
    made: str = ""
    """When, as ISO 8601."""
