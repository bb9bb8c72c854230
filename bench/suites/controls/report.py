"""The report of `controls`: one table over all, then the first reader by package, role, height and confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from perception.bench.comparison.measure_estimates import mean_estimate
from perception.bench.metrics.box_matching import ScoredBoxes, average_precision
from perception.bench.metrics.control_matching import TrueControl
from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.report.run_notes import failures_of, left_out
from perception.bench.run_store import Run
from perception.bench.suites.controls.control_scores import (
    CPU,
    LINES,
    PRECISION,
    PRECISION_IOU,
    RECALL,
    RECALL_IOU,
    ROLES,
    TOKENS,
    WALL,
    JudgedImage,
    role_pairs,
    scores_of,
    tallies_of,
)
from perception.geometry import stack

HEIGHTS = {"16 or less": 16.0, "17 to 24": 24.0, "25 to 48": 48.0, "more than 48": float("inf")}
"""Classes of heights, CSS px, by their upper ends."""

BINS = 10

DENSE_LINES = 40
"""Least lines of text in a dense screenshot."""

UNSAID = "not said"
"""The role of a control in a data set without roles."""


def controls_report(run: Run, judged: Mapping[str, list[JudgedImage]], command: str) -> Report:
    """Compares the readers, and shows the first one in parts."""
    first, images = next(iter(judged.items()))
    parts = (
        _packages(images),
        _roles(images),
        _confusions(images),
        _heights(images),
        _calibration(images),
    )
    skipped = [
        (f"{who}: {each.sample.name}", why)
        for who, seen in judged.items()
        for each in seen
        for why in each.output.skipped
    ]
    return Report(
        title="Controls",
        summary=tuple(_say(who, seen) for who, seen in judged.items()),
        facts={
            "data sets": ", ".join(run.facts.datasets),
            "images": str(len(images)),
            **{f"reader {name}": text for name, text in run.facts.config.items()},
            **run.facts.machine,
            "run": run.facts.id,
        },
        tables=(_readers(judged), *_times(judged), *(_titled(table, first) for table in parts if table.rows)),
        skipped=(*failures_of(run), *left_out(skipped)),
        command=command,
        made=run.facts.started,
    )


def _titled(table: Table, reader: str) -> Table:
    return Table(table.id, f"{table.title}: {reader}", table.columns, table.rows, table.note)


def _say(who: str, images: Sequence[JudgedImage]) -> str:
    scores = scores_of(list(images))
    parts = []
    for measure in (RECALL, PRECISION):
        found = mean_estimate(scores, measure)
        if found is not None:
            interval = f" ({found.low:.1%} to {found.high:.1%})" if found.low < found.high else ""
            parts.append(f"{measure} {found.value:.1%}{interval}")
    return f"{who}: {', '.join(parts) or 'no truth to judge it by'}."


def _readers(judged: Mapping[str, list[JudgedImage]]) -> Table:
    shares = (RECALL, PRECISION, RECALL_IOU, PRECISION_IOU, "AP50", ROLES, LINES)
    columns = (
        Column("reader"),
        Column("true", ColumnUnit.COUNT),
        Column("served", ColumnUnit.COUNT),
        Column("not judged", ColumnUnit.COUNT),
        *(Column(each, ColumnUnit.SHARE) for each in shares),
        Column(TOKENS, ColumnUnit.COUNT, "a screenshot, mean"),
        Column(WALL, ColumnUnit.MILLISECONDS, "median"),
        Column(CPU, ColumnUnit.MILLISECONDS, "median"),
    )
    note = (
        "True: controls with a role that a real click reaches. A served control is right (precision) if its center is "
        "in a true one of at least a quarter of its area; a control is found (recall) if the center of a right one is "
        "in it. Not judged: at places that only listen for clicks, or in pictures whose content is not known. At IoU "
        ".5 each control is matched once. Right roles: of found controls. Lines read: in the list at their place, four "
        "fifths of it or more. Time: from pixels to the list, with loaded models; CPU of the whole process."
    )
    return Table(
        "readers",
        "What is served for a screenshot",
        columns,
        tuple(_reader_row(*each) for each in judged.items()),
        note,
    )


def _times(judged: Mapping[str, list[JudgedImage]]) -> tuple[Table, ...]:
    """What each reader takes for dense screenshots, and the first one's share of that."""
    times = {
        who: np.asarray([each.output.wall_ms for each in images if len(each.sample.lines) >= DENSE_LINES])
        for who, images in judged.items()
    }
    first = next(iter(times.values()))
    if len(times) < 2 or not len(first) or len({len(each) for each in times.values()}) > 1:
        return ()
    columns = (
        Column("reader"),
        Column("images", ColumnUnit.COUNT),
        Column(WALL, ColumnUnit.MILLISECONDS, "median"),
        Column("the first one's share of it", ColumnUnit.RATIO, "median"),
    )
    rows = [(who, len(each), float(np.median(each)), float(np.median(first / each))) for who, each in times.items()]
    note = f"Screenshots with {DENSE_LINES} lines and more, read one after the other in one process."
    return (Table("times", "Time for dense screenshots", columns, tuple(rows), note),)


def _reader_row(who: str, images: Sequence[JudgedImage]) -> tuple[Cell, ...]:
    totals = _totals(images)
    return (
        who,
        sum(len(each.truth.controls) for each in images),
        sum(len(each.served) for each in images),
        sum(int((~each.judgment.judged).sum()) for each in images),
        totals[RECALL],
        totals[PRECISION],
        totals[RECALL_IOU],
        totals[PRECISION_IOU],
        _average_precision(images),
        totals[ROLES],
        totals[LINES],
        round(float(np.mean([each.output.tokens for each in images]))) if images else None,
        float(np.median([each.output.wall_ms for each in images])) if images else None,
        float(np.median([each.output.cpu_ms for each in images])) if images else None,
    )


def _totals(images: Sequence[JudgedImage]) -> dict[str, float | None]:
    """Each measure over all images: hits divided by counts."""
    tallies = [tallies_of(each) for each in images]
    names = tallies[0] if tallies else ()
    sums = {name: (sum(each[name].hit for each in tallies), sum(each[name].of for each in tallies)) for name in names}
    return {name: hit / of if of else None for name, (hit, of) in sums.items()}


def _average_precision(images: Sequence[JudgedImage]) -> float | None:
    scored = []
    for each in images:
        if each.truth.complete:
            judged = each.judgment.judged
            boxes = stack(control.box for control in each.truth.controls)
            served = stack(element.box for element in each.served if element.box is not None)
            scored.append(ScoredBoxes(boxes, served[judged], each.confidence[judged]))
    return average_precision(scored).value


def _packages(images: Sequence[JudgedImage]) -> Table:
    groups: dict[str, list[JudgedImage]] = {}
    for each in images:
        groups.setdefault(each.sample.group, []).append(each)
    measures = (RECALL, PRECISION, RECALL_IOU, PRECISION_IOU, ROLES, LINES)
    rows = []
    for group, seen in sorted(groups.items()):
        totals = _totals(seen)
        true = sum(len(each.truth.controls) for each in seen)
        rows.append((group, len(seen), true, *(totals[measure] for measure in measures)))
    columns = (
        Column("package"),
        Column("images", ColumnUnit.COUNT),
        Column("true", ColumnUnit.COUNT),
        *(Column(each, ColumnUnit.SHARE) for each in measures),
    )
    return Table("packages", "By package", columns, tuple(rows))


def _roles(images: Sequence[JudgedImage]) -> Table:
    pairs = Counter(pair for each in images for pair in role_pairs(each))
    right = {role: count for (role, served), count in pairs.items() if role == served}
    rows = [
        (role, true, found / true, right.get(role, 0) / found if found and role != UNSAID else None)
        for role, (true, found) in _found_by(images, lambda control: control.role or UNSAID).items()
    ]
    wordless = _found_by(images, lambda control: "button or link without words" if control.wordless else "")
    rows += [(role, true, found / true, None) for role, (true, found) in wordless.items() if role]
    columns = (
        Column("true role"),
        Column("true", ColumnUnit.COUNT),
        Column("found", ColumnUnit.SHARE),
        Column("of these with this role", ColumnUnit.SHARE),
    )
    return Table("roles", "By role", columns, tuple(rows))


def _confusions(images: Sequence[JudgedImage]) -> Table:
    pairs = Counter(pair for each in images for pair in role_pairs(each))
    true_roles = sorted(
        {true for true, _ in pairs}, key=lambda role: -sum(n for (t, _), n in pairs.items() if t == role)
    )
    served = [*true_roles, *sorted({each for _, each in pairs} - set(true_roles))]
    rows = tuple((true, *(pairs[true, each] or None for each in served)) for true in true_roles)
    columns = (Column("true, served as:"), *(Column(each, ColumnUnit.COUNT) for each in served))
    return Table("confusions", "Roles of found controls", columns, rows, "How many, by true role and served role.")


def _heights(images: Sequence[JudgedImage]) -> Table:
    found = _found_by(images, lambda control: _height_class(control.box.height))
    served: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for each in images:
        for element, good, counts in zip(each.served, each.judgment.right, each.judgment.judged, strict=True):
            if counts and each.truth.complete and element.box is not None:
                served[_height_class(element.box.height)] += 1
                right[_height_class(element.box.height)] += bool(good)
    rows = tuple(
        (name, found[name][0], found[name][1] / found[name][0], right[name] / served[name] if served[name] else None)
        for name in HEIGHTS
        if name in found
    )
    columns = (
        Column("height, CSS px"),
        Column("true", ColumnUnit.COUNT),
        Column("found", ColumnUnit.SHARE),
        Column("precision of what is served so high", ColumnUnit.SHARE),
    )
    return Table("heights", "By height", columns, rows)


def _height_class(height: float) -> str:
    return next(name for name, end in HEIGHTS.items() if height <= end)


def _found_by(images: Sequence[JudgedImage], key: Callable[[TrueControl], str]) -> dict[str, tuple[int, int]]:
    """How many true controls there are, and how many of them were found, by a key; the most frequent key first."""
    true: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for each in images:
        for control, hit in zip(each.truth.controls, each.judgment.found.tolist(), strict=True):
            true[key(control)] += 1
            found[key(control)] += hit
    return {name: (count, found[name]) for name, count in true.most_common()}


def _calibration(images: Sequence[JudgedImage]) -> Table:
    whole = [each for each in images if each.truth.complete]
    empty = np.zeros(0, np.float32)
    sure = np.concatenate([empty, *(each.confidence[each.judgment.judged] for each in whole)])
    right = np.concatenate([empty, *(each.judgment.right[each.judgment.judged] for each in whole)])
    at = np.minimum((sure * BINS).astype(int), BINS - 1)
    rows = []
    error = 0.0
    for bin_ in range(BINS):
        inside = at == bin_
        if inside.any():
            said, is_right = float(sure[inside].mean()), float(right[inside].mean())
            error += inside.mean() * abs(said - is_right)
            rows.append((f"{bin_ / BINS:.1f} to {(bin_ + 1) / BINS:.1f}", int(inside.sum()), said, is_right))
    columns = (
        Column("confidence"),
        Column("served", ColumnUnit.COUNT),
        Column("mean confidence", ColumnUnit.SHARE),
        Column("right", ColumnUnit.SHARE),
    )
    note = f"Expected calibration error: {error:.1%}, the mean distance of the two, weighed by how many are served."
    return Table("calibration", "Confidence and how often it is right", columns, tuple(rows), note if rows else "")
