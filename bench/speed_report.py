"""A speed run as it was measured, as a table for people and as JSON for programs. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from perception.bench.stats import Spread, median_by, paired_ratios, spread_of

WARM_LOOKS = 5
"""Looks at a page that has been looked at already, in each visit."""


class Measure(StrEnum):
    """What is timed, in milliseconds. First: the first look at a page just loaded; warm: the looks after it."""

    TEXT_FIRST = "text first"
    TEXT_WARM = "text warm"
    FUSED_FIRST = "fused first"
    FUSED_WARM = "fused warm"
    PLAYWRIGHT_FIRST = "playwright first"
    PLAYWRIGHT_WARM = "playwright warm"


class Size(StrEnum):
    """What is counted, in o200k tokens."""

    FULL = "full, viewport"
    INTERACTIVE = "interactive, viewport"
    PAGE = "full, page"
    PLAYWRIGHT = "playwright, boxes"
    PLAYWRIGHT_PLAIN = "playwright, no boxes"


COMPARISONS = (
    (Measure.TEXT_FIRST, Measure.PLAYWRIGHT_FIRST),
    (Measure.TEXT_WARM, Measure.PLAYWRIGHT_WARM),
    (Measure.FUSED_FIRST, Measure.TEXT_WARM),
    (Measure.FUSED_WARM, Measure.TEXT_WARM),
    (Size.FULL, Size.PLAYWRIGHT),
    (Size.INTERACTIVE, Size.PLAYWRIGHT),
    (Size.PAGE, Size.PLAYWRIGHT),
    (Size.PAGE, Size.PLAYWRIGHT_PLAIN),
)
"""Ratios that are shown, first to second."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: milliseconds of a Measure, tokens of a Size."""

    page: str
    round: int
    of: Measure | Size
    value: float


@dataclass(frozen=True, slots=True)
class SpeedReport:
    """A run as it was measured.

    Attributes:
        machine: facts of it and of what ran on it, by name.
        skipped: what was not measured, and why; a line each.
    """

    samples: tuple[Sample, ...]
    rounds: int
    machine: dict[str, str]
    skipped: tuple[str, ...]


def page_medians(report: SpeedReport, of: Measure | Size) -> dict[str, float]:
    """Each page's median of all its looks; pages without a measurement are left out."""
    return median_by((sample.page, sample.value) for sample in report.samples if sample.of is of)


def ratio_spreads(report: SpeedReport) -> dict[tuple[str, str], Spread]:
    """For each of COMPARISONS that any page has both sides of: the spread over pages of the ratio of medians."""
    ratios = {
        (above, below): paired_ratios(page_medians(report, above), page_medians(report, below))
        for above, below in COMPARISONS
    }
    return {(str(above), str(below)): spread_of(each.values()) for (above, below), each in ratios.items() if each}


def render_table(report: SpeedReport) -> str:
    """Pages, ratios, machine and what was skipped, as aligned plain text."""
    pages = list(dict.fromkeys(sample.page for sample in report.samples))
    parts = [
        f"Milliseconds a look, median of all; rounds: {report.rounds}, warm looks in each: {WARM_LOOKS}",
        _by_page(report, pages, tuple(Measure)),
        "Tokens (o200k): medians",
        _by_page(report, pages, tuple(Size)),
        "Ratios of a page's medians, over pages",
        _grid([("", "least", "lower", "median", "upper", "most", "pages"), *_ratio_rows(report)]),
        "Both sides look at one tab of one browser; each loads the page anew before its first look.\n"
        "Playwright's text is of the whole page: compare it with `full, page`.",
        "; ".join(f"{name} {value}" for name, value in report.machine.items()),
    ]
    if report.skipped:
        parts.append("\n".join(("Skipped:", *(f"  {line}" for line in report.skipped))))
    return "\n\n".join(parts) + "\n"


def to_json(report: SpeedReport) -> str:
    """The whole report: every measurement, and the medians and ratios that are computed from them."""
    document = {
        **asdict(report),
        "warm_looks": WARM_LOOKS,
        "medians": {of: page_medians(report, of) for of in (*Measure, *Size)},
        "ratios": [
            {"above": above, "below": below, **asdict(spread)}
            for (above, below), spread in ratio_spreads(report).items()
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _by_page(report: SpeedReport, pages: Iterable[str], columns: Sequence[Measure | Size]) -> str:
    medians = {of: page_medians(report, of) for of in columns}
    rows = [(page, *(_number(medians[of].get(page)) for of in columns)) for page in pages]
    return _grid([("", *columns), *rows])


def _ratio_rows(report: SpeedReport) -> list[tuple[str, ...]]:
    return [
        (
            f"{above} / {below}",
            *(f"{each:.2f}" for each in (row.minimum, row.lower, row.median, row.upper, row.maximum)),
            str(row.count),
        )
        for (above, below), row in ratio_spreads(report).items()
    ]


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if value < 100 and value != int(value) else f"{value:.0f}"


def _grid(rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned: the first to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
