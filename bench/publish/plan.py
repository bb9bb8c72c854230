"""The plan of what is published: `bench/published/plan.toml`."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path

from perception.bench.publish.published import FOLDER
from perception.bench.suite import no_suite, suite_names
from perception.errors import BadInputError

PLAN = FOLDER / "plan.toml"


@dataclass(frozen=True, slots=True)
class PlannedSuite:
    """One suite of the plan.

    Attributes:
        name: the suite's.
        parts: the options of each run, by the name of its data: `""` where there is one.
    """

    name: str
    parts: dict[str, tuple[str, ...]]


def read_plan(path: Path = PLAN) -> tuple[PlannedSuite, ...]:
    """The suites in the order in which they are run. Raises BadInputError for a suite that there is not."""
    tables = tomllib.loads(path.read_text("utf-8"))
    if unknown := [name for name in tables if name not in suite_names()]:
        raise BadInputError(f"{path}: {no_suite(unknown[0])}")
    return tuple(
        PlannedSuite(name, {"" if part == "options" else part: tuple(shlex.split(words)) for part, words in of.items()})
        for name, of in tables.items()
    )


def choose(plan: tuple[PlannedSuite, ...], names: list[str]) -> tuple[PlannedSuite, ...]:
    """The suites of these names, in the plan's order; all for none. Raises BadInputError for one not in the plan."""
    known = {each.name for each in plan}
    if unknown := [name for name in names if name not in known]:
        raise BadInputError(f"the plan has no suite {unknown[0]!r}: it has {', '.join(sorted(known))}")
    return tuple(each for each in plan if not names or each.name in names)
