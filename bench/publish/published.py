"""Published files: what a suite found on one commit, small enough to be kept in the repository.

bench/published/plan.toml       which suites are run, with which options: `perception.bench.publish.plan`
                <suite>.json    `Published`, at most `MAX_BYTES`
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from perception.bench.comparison.paired import ComparisonRule
from perception.bench.report.report_model import Cell, Estimate, Table
from perception.bench.scores import Score, Tally
from perception.bench.suite import Comparable
from perception.errors import BadInputError

FOLDER = Path(__file__).resolve().parents[1] / "published"
MAX_BYTES = 50_000
QUIET_SHARE = 0.1
"""A machine of which other work takes more than this is not quiet. Chosen by hand: on two cores a benchmark that needs
both loses a tenth of its time."""

MAX_ROWS = 40
"""Rows of a published table; a longer one is found in the report of the run."""

PAGE_GROUPS = (1000, 60, 30, 15, 8)
"""Pages are put together into so many groups at the most, by name, until a file is small enough. Intervals over 30
groups of pages are about those over the pages; over 8 they are wider."""

SHORTEST = ((8, 1), (4, 1))
"""What is tried after that: groups, and how many tables of each part are kept."""

Sums = dict[str, dict[str, dict[str, tuple[float, float]]]]
"""By who was measured, measure and page (or group of pages): the sum of the values, and their number."""


@dataclass(frozen=True, slots=True)
class Part:
    """One run of a suite.

    Attributes:
        name: of the data: `dev` or `unseen`; empty where a suite has one part.
        command: as it can be typed again.
        started: ISO 8601, UTC.
        seconds: how long it took.
        machine: facts about the machine and the software.
        busy: share of the processors that other work took meanwhile, in [0, 1].
        failed: inputs that could not be measured, or were found wrong.
        summary: the findings of its report, in sentences.
        tables: of its report; long ones are left out.
        sums: what `perception bench compare` compares.
        rules: how, by measure.
        wrong: how many outcomes are wrong, by kind.
    """

    name: str
    command: str
    started: str
    seconds: float
    machine: Mapping[str, str]
    busy: float
    failed: int
    summary: tuple[str, ...]
    tables: tuple[Table, ...]
    sums: Sums = field(default_factory=dict)
    rules: Mapping[str, ComparisonRule] = field(default_factory=dict)
    wrong: Mapping[str, int] = field(default_factory=dict)

    def means(self) -> dict[tuple[str, str], float]:
        """The mean over all pages, by who was measured and measure."""
        return {
            (who, measure): hit / of
            for who, measures in self.sums.items()
            for measure, pages in measures.items()
            for hit, of in [map(sum, zip(*pages.values(), strict=True))]
            if of
        }

    def comparable(self) -> Comparable:
        """What the part has to compare: each page, or group of pages, is a sample."""
        scores = []
        for who, measures in self.sums.items():
            pages = dict.fromkeys(page for of_page in measures.values() for page in of_page)
            for page in pages:
                tallies = {name: Tally(*found[page]) for name, found in measures.items() if page in found}
                scores.append(Score(page, who, page, "", "", tallies))
        return Comparable(scores, self.rules, self.wrong)


@dataclass(frozen=True, slots=True)
class Published:
    """What one suite found on one commit."""

    suite: str
    commit: str
    parts: tuple[Part, ...]

    def part(self, name: str = "") -> Part | None:
        """The part of a name; for no name the first."""
        return next((each for each in self.parts if name in ("", each.name)), None)


def sums_of(scores: Iterable[Score], groups: int) -> Sums:
    """Sums of scores by page, or by group of pages.

    Args:
        groups: how many at the most.
    """
    return _grouped(
        (
            (score.who, measure, score.page, (tally.hit, tally.of))
            for score in scores
            for measure, tally in score.tallies.items()
        ),
        groups,
    )


def regrouped(sums: Sums, groups: int) -> Sums:
    """Sums by fewer groups of pages, where there are more."""
    return _grouped(
        (
            (who, measure, page, found)
            for who, measures in sums.items()
            for measure, pages in measures.items()
            for page, found in pages.items()
        ),
        groups,
    )


def _grouped(rows: Iterable[tuple[str, str, str, tuple[float, float]]], groups: int) -> Sums:
    rows = list(rows)
    pages = {page for _, _, page, _ in rows}
    sums: Sums = {}
    for who, measure, page, (hit, of) in rows:
        place = page if len(pages) <= groups else f"group {zlib.crc32(page.encode()) % groups + 1}"
        found = sums.setdefault(who, {}).setdefault(measure, {})
        before = found.get(place, (0.0, 0.0))
        found[place] = before[0] + hit, before[1] + of
    return sums


def read_published(folder: Path = FOLDER) -> dict[str, Published]:
    """The published files of a folder, by suite. Raises BadInputError for one that cannot be read."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        try:
            published = msgspec.json.decode(path.read_bytes(), type=Published)
        except (OSError, msgspec.DecodeError) as exc:
            raise BadInputError(f"{path} is not a published file of this version: {exc}") from exc
        found[published.suite] = published
    return found


def write_published(published: Published, scores: Mapping[str, Sequence[Score]], folder: Path = FOLDER) -> Path:
    """Writes a published file of at most `MAX_BYTES`.

    Args:
        scores: of each part, by its name; they are summed by page, or by groups of pages.

    Raises:
        BadInputError: it stays larger.
    """
    parts = tuple(replace(part, tables=_short(part.tables)) for part in published.parts)
    for groups, tables in (*((each, None) for each in PAGE_GROUPS), *SHORTEST):
        summed = tuple(
            replace(
                part,
                tables=part.tables[:tables],
                sums=sums_of(scores[part.name], groups) if part.name in scores else regrouped(part.sums, groups),
            )
            for part in parts
        )
        text = _encode(replace(published, parts=summed))
        if len(text) <= MAX_BYTES:
            path = folder / f"{published.suite}.json"
            path.write_bytes(text)
            return path
    raise BadInputError(f"{published.suite}: what it found takes {len(text):,} bytes, of {MAX_BYTES:,} allowed")


def _short(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Tables that are not long; JSON has no number that is not finite."""
    short = (table for table in tables if len(table.rows) <= MAX_ROWS)
    return tuple(replace(table, rows=tuple(tuple(map(_finite, row)) for row in table.rows)) for table in short)


def _finite(cell: Cell) -> Cell:
    numbers = (cell.value, cell.low, cell.high) if isinstance(cell, Estimate) else (cell,)
    return None if any(isinstance(each, float) and not math.isfinite(each) for each in numbers) else cell


def _encode(published: Published) -> bytes:
    rounded = _rounded(msgspec.to_builtins(published, enc_hook=str))
    return msgspec.json.format(msgspec.json.encode(rounded), indent=0) + b"\n"


def _rounded(value: object) -> object:
    """Numbers with five significant digits: more say nothing, and take room."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
