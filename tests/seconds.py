"""How long each test file takes: the budget, in `seconds.toml`, and which files took more."""

from __future__ import annotations

import statistics
import tomllib
from pathlib import Path

SECONDS = Path(__file__).with_suffix(".toml")

FACTOR = 2.0
"""A file is named that takes this many times its seconds."""

LEAST_SECONDS = 2.0
"""Files that take less are not named, and do not say how fast the machine is."""


def read_seconds() -> dict[str, float]:
    """Seconds of the files, `tests/…/test_x.py`, with two cores and nothing beside."""
    return tomllib.loads(SECONDS.read_text("utf-8")) if SECONDS.exists() else {}


def write_seconds(took: dict[str, float]) -> None:
    """Keeps the seconds of these files; those of the others stay."""
    kept = {file: seconds for file, seconds in (read_seconds() | took).items() if (SECONDS.parents[1] / file).exists()}
    SECONDS.write_text("".join(f'"{file}" = {seconds:.1f}\n' for file, seconds in sorted(kept.items())), "utf-8")


def over_budget(took: dict[str, float], budget: dict[str, float]) -> list[tuple[str, float, float]]:
    """Files that took over twice their seconds, on this machine: each with what it took and what it may take.

    How fast the machine is, the other files say.
    """
    ratios = [seconds / budget[file] for file, seconds in took.items() if budget.get(file, 0.0) >= LEAST_SECONDS]
    pace = max(1.0, statistics.median(ratios)) if ratios else 1.0
    allowed = {file: max(budget.get(file, 0.0), LEAST_SECONDS) * pace for file in took}
    found = [(file, seconds, allowed[file]) for file, seconds in took.items() if seconds > FACTOR * allowed[file]]
    return sorted(found, key=lambda each: each[2] - each[1])
