"""Two sets of published files: what got better or worse, with intervals over pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from perception.bench.publish.published import Part, Published, read_published
from perception.bench.report.report_model import Report
from perception.bench.stored_comparison import Measured, compare_measured
from perception.errors import BadInputError


def compare_published(before: Path, after: Path, command: str) -> tuple[Report, int]:
    """One report of all suites that both sets have, and how many measures got worse.

    Raises:
        BadInputError: they share no suite.
    """
    old, new = read_published(before), read_published(after)
    shared = [suite for suite in old if suite in new]
    if not shared:
        raise BadInputError(f"{before} and {after} have no published suite in common")
    reports, worse = [], 0
    for suite in shared:
        for part in old[suite].parts:
            other = next((each for each in new[suite].parts if each.name == part.name), None)
            if other is not None and (part.sums or part.wrong):
                report, lost = compare_measured(_measured(old[suite], part), _measured(new[suite], other), command)
                reports.append((" ".join(filter(None, (suite, part.name))), report))
                worse += lost
    tables = [
        replace(table, id=f"{name}-{table.id}".replace(" ", "-"), title=f"{name}: {table.title.lower()}")
        for name, report in reports
        for table in report.tables
    ]
    return (
        Report(
            title=f"{before} → {after}",
            summary=tuple(f"{name}: {line}" for name, report in reports for line in report.summary),
            facts={"before": _commits(old), "after": _commits(new)},
            tables=tuple(tables),
            skipped=tuple(f"{suite}: only one of the two has it" for suite in sorted({*old} ^ {*new})),
            command=command,
        ),
        worse,
    )


def _measured(published: Published, part: Part) -> Measured:
    name = f"{published.suite} of {published.commit}"
    return Measured(name, tuple(part.sums), f"{part.started}, commit {published.commit}", (), part.comparable())


def _commits(published: dict[str, Published]) -> str:
    return ", ".join(dict.fromkeys(each.commit for each in published.values()))
