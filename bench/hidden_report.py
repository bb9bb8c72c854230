"""The report of `hidden`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from perception.bench.alarms import Alarms
from perception.bench.hidden import FUSED, PLAYWRIGHT, TEXT, Verdict
from perception.bench.report.model import Cell, Column, Report, Table, Unit

WORST = 20
"""Pages with alarms that are named."""

_HOW = {
    "text": "live pages, style and geometry",
    "fused": "live pages, with pixels",
    "stored": "kept captures, pixels alone",
}


def hidden_report(
    verdicts: Sequence[Verdict],
    alarms: Sequence[Alarms],
    failed: Mapping[str, str],
    machine: Mapping[str, str],
    command: str,
) -> Report:
    """The report of a run. `failed`: why pages could not be judged, by page."""
    tables = (_sums(verdicts), _cases(verdicts), _alarms(alarms), _worst(alarms))
    return Report(
        title="Text that no person can see",
        summary=tuple(_say(verdicts, who) for who in (TEXT, FUSED, PLAYWRIGHT)),
        facts=dict(machine),
        tables=tuple(table for table in tables if table.rows),
        skipped=tuple(f"{page}: {why}" for page, why in failed.items()),
        command=command,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _count(verdicts: Sequence[Verdict], who: str, *, hides: bool) -> tuple[int, int]:
    """How many are right, of how many."""
    own = [each for each in verdicts if each.who == who and each.case.hides is hides]
    return sum(each.is_right for each in own), len(own)


def _say(verdicts: Sequence[Verdict], who: str) -> str:
    (caught, tricks), (shown, honest) = (_count(verdicts, who, hides=hides) for hides in (True, False))
    return f"{who}: {caught} of {tricks} tricks caught, {shown} of {honest} honest pages told in full."


def _sums(verdicts: Sequence[Verdict]) -> Table:
    rows = []
    for who in (TEXT, FUSED, PLAYWRIGHT):
        (caught, tricks), (shown, honest) = (_count(verdicts, who, hides=hides) for hides in (True, False))
        rows.append((who, caught, tricks, shown, honest))
    columns = (
        Column("who looks"),
        Column("caught", Unit.COUNT),
        Column("tricks", Unit.COUNT),
        Column("told", Unit.COUNT),
        Column("honest pages", Unit.COUNT, "the same pages without the trick, and such as only look like one"),
    )
    return Table("sums", "Tricks and honest pages", columns, tuple(rows))


def _cases(verdicts: Sequence[Verdict]) -> Table:
    by_case: dict[tuple[str, bool, bool], dict[str, bool]] = {}
    for each in verdicts:
        by_case.setdefault((each.case.id, each.case.hides, each.case.by_pixels), {})[each.who] = each.is_right
    rows: list[tuple[Cell, ...]] = [
        (name, *("yes" if right[who] else "no" for who in (TEXT, FUSED, PLAYWRIGHT)), "by pixels alone" * pixels)
        for (name, hides, pixels), right in by_case.items()
        if hides
    ]
    columns = tuple(Column(title) for title in ("trick", TEXT, FUSED, PLAYWRIGHT, "note"))
    note = "Whether the hidden sentence is left out of what a model is given."
    return Table("tricks", "Each trick", columns, tuple(rows), note)


def _alarms(alarms: Sequence[Alarms]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for how, what in _HOW.items():
        own = [each for each in alarms if each.how == how]
        lines, wrong = sum(each.lines for each in own), sum(len(each.unseen) for each in own)
        if lines:
            rows.append((what, len(own), lines, wrong, wrong / lines))
    columns = (
        Column("looked at"),
        Column("pages", Unit.COUNT),
        Column("visible lines", Unit.COUNT),
        Column("taken for hidden", Unit.COUNT),
        Column("share", Unit.SHARE),
    )
    return Table("alarms", "False alarms", columns, tuple(rows), "What is visible is Chromium's own word.")


def _worst(alarms: Sequence[Alarms]) -> Table:
    worst = sorted((each for each in alarms if each.unseen), key=lambda each: -len(each.unseen))[:WORST]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (each.page, _HOW[each.how], len(each.unseen), each.lines, "; ".join(each.unseen[:5])[:200]) for each in worst
    )
    columns = (
        Column("page"),
        Column("looked at"),
        Column("taken for hidden", Unit.COUNT),
        Column("visible lines", Unit.COUNT),
        Column("for example"),
    )
    return Table("worst", "Pages with false alarms", columns, rows)
