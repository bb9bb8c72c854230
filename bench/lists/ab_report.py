"""The A/B comparison of two variants as a report: differences, their certainty, location and cost, and the worst
cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from perception.bench.comparison.measure_estimates import COSTS, COUNTS, NOTES, SHARES, estimate_of, mean_estimate
from perception.bench.comparison.paired import (
    RULES,
    Difference,
    Group,
    Scale,
    compare_groups,
    compare_measure,
    paired_successes,
    stratify,
)
from perception.bench.lists.ab_charts import ALL, Sides, ab_charts, value_of
from perception.bench.lists.score_run import Scored
from perception.bench.lists.worst_cases import worst_cases
from perception.bench.looks.look_score import LookMeasure
from perception.bench.report.report_model import (
    Cell,
    Column,
    ColumnUnit,
    Report,
    Table,
)
from perception.bench.report.run_notes import failures_of, left_out, memory_chart
from perception.bench.run_store import Run
from perception.bench.scores import Score
from perception.bench.stats import holm


def ab_report(run: Run, scored: Scored, home: Path, *, cases: int, command: str) -> Report:
    """The report of a run of two variants, with the peers that looked at the same samples.

    Args:
        cases: how many of the worst samples are shown.
    """
    a, b = run.facts.who[:2]
    sides = Sides(a, b, scored.scores[a], scored.scores[b])
    strata = [stratum for stratum in ("ax-poor", "mixed", "accessible", "unknown") if _in(sides, stratum).scores_a]
    peers = [who for who in scored.scores if who not in run.facts.who]
    return Report(
        title=f"{a} against {b}",
        summary=tuple(_summary(sides)),
        facts={
            "data sets": ", ".join(run.facts.datasets),
            "samples": str(len(sides.scores_a)),
            "pages": str(len({score.page for score in sides.scores_a})),
            **{f"variant {name}": text for name, text in run.facts.config.items()},
            **({"language model": scored.model} if scored.model else {}),
            **run.facts.machine,
            "run": run.facts.id,
        },
        tables=tuple(
            table
            for table in (
                _headline(sides),
                _by_group(sides, Group.PART, "parts", "By data set and stratum"),
                _by_stratum(sides, strata),
                _by_group(sides, Group.CATEGORY, "categories", "By category"),
                _recovered(sides, strata),
                _successes(sides, strata),
                _peers(scored, (a, b), peers),
                _samples(sides),
            )
            if table.rows
        ),
        charts=(*ab_charts(sides, strata), memory_chart([run])),
        cases=tuple(worst_cases(run, home, sides.a, sides.b, sides.scores_a, sides.scores_b, cases)),
        skipped=(*failures_of(run), *left_out(scored.skipped)),
        command=command,
        made=run.facts.started,
    )


def _in(sides: Sides, stratum: str) -> Sides:
    return sides if stratum == ALL else sides.only(lambda score: score.stratum == stratum)


def difference(sides: Sides, measure: LookMeasure) -> Difference | None:
    """Compares a measure over all samples: shares and counts by difference, costs by ratio."""
    return compare_measure(sides.scores_a, sides.scores_b, measure, RULES[measure])


def differences(sides: Sides, measure: LookMeasure, by: Group) -> dict[str, Difference | None]:
    """Compares a measure by group, with intervals that hold simultaneously."""
    return compare_groups(sides.scores_a, sides.scores_b, measure, RULES[measure], by)


def _summary(sides: Sides) -> list[str]:
    """Differences over all samples, and in each part of each data set."""
    parts = stratify(sides.scores_a, Group.PART)
    lines = [_said("all samples", sides)]
    if len(parts) > 1:
        for name, scores in parts.items():
            samples = {score.sample for score in scores}
            lines.append(_said(name, sides.only(_is_among(samples))))
    return [line for line in lines if line]


def _said(where: str, sides: Sides) -> str:
    said = []
    for measure in (LookMeasure.RECALL, LookMeasure.LINES, LookMeasure.GROUNDING):
        if (found := difference(sides, measure)) is not None:
            said.append(
                f"{measure} {found.a:.1%} → {found.b:.1%} ({found.value * 100:+.1f} points{_interval(found, 100)}, "
                f"{found.verdict})"
            )
    for measure in (LookMeasure.TOKENS, LookMeasure.WARM):
        if (found := difference(sides, measure)) is not None:
            said.append(f"{measure} ×{found.value:.2f}{_interval(found, 1)}")
    return f"{where}: {'; '.join(said)}." if said else ""


def _interval(found: Difference, factor: float) -> str:
    if found.interval is None:
        return ""
    low, high = found.interval.low * factor, found.interval.high * factor
    return f" [{low:.2f}, {high:.2f}]" if factor == 1 else f" [{low:+.1f}, {high:+.1f}]"


def _headline(sides: Sides) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for measure in SHARES:
        if (found := difference(sides, measure)) is not None:
            rows.append((str(measure), found.a, found.b, estimate_of(found), found.pages, NOTES[measure]))
    return Table(
        "shares",
        "What is found",
        (
            Column("measure"),
            Column(sides.a, ColumnUnit.SHARE),
            Column(sides.b, ColumnUnit.SHARE),
            Column("difference", ColumnUnit.DIFFERENCE, "95 % interval over pages"),
            Column("pages", ColumnUnit.COUNT),
            Column("what it is"),
        ),
        tuple(rows),
    )


def _by_stratum(sides: Sides, strata: Sequence[str]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    found = {
        measure: {ALL: difference(sides, measure), **differences(sides, measure, Group.STRATUM)}
        for measure in (*SHARES, *COSTS, *COUNTS)
    }
    for stratum in [ALL, *strata]:
        for measure, by_stratum in found.items():
            each = by_stratum.get(stratum)
            if each is not None:
                scale = 100 if measure in SHARES else 1
                kind = (
                    str(each.scale)
                    if each.scale is not Scale.DIFFERENCE
                    else "points"
                    if scale == 100
                    else "difference"
                )
                ends = (each.interval.low * scale, each.interval.high * scale) if each.interval else (None, None)
                rows.append(
                    (
                        stratum,
                        str(measure),
                        each.a * scale,
                        each.b * scale,
                        kind,
                        each.value * scale,
                        *ends,
                        str(each.verdict),
                        each.samples,
                        each.pages,
                    )
                )
    return Table(
        "strata",
        "By how much the accessibility tree explains",
        (
            Column("stratum"),
            Column("measure"),
            Column(sides.a, ColumnUnit.NUMBER, "shares in per cent"),
            Column(sides.b, ColumnUnit.NUMBER, "shares in per cent"),
            Column("compared by"),
            Column("value", ColumnUnit.NUMBER),
            Column("low", ColumnUnit.NUMBER),
            Column("high", ColumnUnit.NUMBER),
            Column("verdict"),
            Column("samples", ColumnUnit.COUNT),
            Column("pages", ColumnUnit.COUNT),
        ),
        tuple(rows),
        "A measure's intervals hold together at 95 % over the strata (Bonferroni); measures are not corrected for each "
        "other. Times of this run and its samples' captures differ beyond 10 % before a verdict is given.",
    )


def _by_group(sides: Sides, by: Group, table_id: str, title: str) -> Table:
    shares = (LookMeasure.RECALL, LookMeasure.LINES, LookMeasure.GROUNDING)
    found = {measure: differences(sides, measure, by) for measure in (*shares, LookMeasure.TOKENS, LookMeasure.WARM)}
    rows: list[tuple[Cell, ...]] = []
    for name, scores in stratify(sides.scores_a, by).items():
        cells: list[Cell] = [name or "none", len(scores)]
        for measure in shares:
            each = found[measure][name]
            cells += [each.a, each.b, estimate_of(each)] if each else [None, None, None]
        for cost in (LookMeasure.TOKENS, LookMeasure.WARM):
            ratio = found[cost][name]
            cells.append(ratio.value if ratio else None)
        rows.append(tuple(cells))
    columns = [Column(str(by)), Column("samples", ColumnUnit.COUNT)]
    for measure in shares:
        columns += [
            Column(f"{measure}, {sides.a}", ColumnUnit.SHARE),
            Column(sides.b, ColumnUnit.SHARE),
            Column("difference", ColumnUnit.DIFFERENCE),
        ]
    columns += [Column("tokens ratio", ColumnUnit.RATIO), Column("warm look ratio", ColumnUnit.RATIO)]
    note = "A measure's intervals hold together at 95 % over the rows (Bonferroni)."
    return Table(table_id, title, tuple(columns), tuple(rows), note)


def _recovered(sides: Sides, strata: Sequence[str]) -> Table:
    """What B finds in addition, and its cost per element."""
    rows: list[tuple[Cell, ...]] = []
    for stratum in [ALL, *strata]:
        part = _in(sides, stratum)
        sums = [
            {
                measure: sum(score.tallies[measure].hit for score in scores if measure in score.tallies)
                for measure in LookMeasure
            }
            for scores in (part.scores_a, part.scores_b)
        ]
        more = {measure: sums[1][measure] - sums[0][measure] for measure in LookMeasure}
        recovered = more[LookMeasure.RECALL]
        costs = [more[cost] / recovered if recovered > 0 else None for cost in COSTS]
        vision = mean_estimate(part.scores_b, LookMeasure.VISION_PRECISION)
        rows.append(
            (
                stratum,
                len(part.scores_a),
                recovered,
                more[LookMeasure.LINES],
                more[LookMeasure.VISION_ADDED],
                more[LookMeasure.UNVERIFIABLE],
                vision,
                *costs,
            )
        )
    return Table(
        "recovered",
        f"What {sides.b} finds more, and what it costs",
        (
            Column("stratum"),
            Column("samples", ColumnUnit.COUNT),
            Column("reachable elements recovered", ColumnUnit.COUNT),
            Column("text lines recovered", ColumnUnit.COUNT),
            Column("elements that only vision saw", ColumnUnit.COUNT),
            Column("of those, unverifiable", ColumnUnit.COUNT),
            Column("precision of the others", ColumnUnit.SHARE),
            Column("tokens for each", ColumnUnit.NUMBER),
            Column("first-look ms for each", ColumnUnit.NUMBER),
            Column("warm-look ms for each", ColumnUnit.NUMBER),
        ),
        tuple(rows),
        "Costs are all that it spends more, over the elements that it recovers; a dash where it recovers none. "
        "Unverifiable is what it sees in pictures whose content nobody lists.",
    )


def _successes(sides: Sides, strata: Sequence[str]) -> Table:
    parts = {stratum: _in(sides, stratum) for stratum in [ALL, *strata]}
    tests = {
        stratum: paired_successes(part.scores_a, part.scores_b, LookMeasure.GROUNDING)
        for stratum, part in parts.items()
        if any(LookMeasure.GROUNDING in score.outcomes for score in part.scores_a)
    }
    adjusted = holm({stratum: test.p for stratum, test in tests.items()})
    return Table(
        "successes",
        "Grounding, task by task",
        (
            Column("stratum"),
            Column("both", ColumnUnit.COUNT),
            Column(f"only {sides.a}", ColumnUnit.COUNT),
            Column(f"only {sides.b}", ColumnUnit.COUNT),
            Column("neither", ColumnUnit.COUNT),
            Column("p", ColumnUnit.NUMBER, "McNemar, exact; Holm-adjusted over the rows"),
        ),
        tuple((stratum, test.both, test.b, test.c, test.neither, adjusted[stratum]) for stratum, test in tests.items()),
        "Tasks of one page are not independent: where p and the interval above disagree, go by the interval.",
    )


def _peers(scored: Scored, ours: Sequence[str], peers: Sequence[str]) -> Table:
    """Over the samples that a peer also looked at."""
    measures = (*(each for each in SHARES if each not in (LookMeasure.VISION_PRECISION, LookMeasure.LLM)), *COSTS)
    looked = {score.sample for name in peers for score in scored.scores[name]}
    rows: list[tuple[Cell, ...]] = []
    for name in [*ours, *peers] if peers else []:
        scores = [score for score in scored.scores[name] if score.sample in looked]
        found = [mean_estimate(scores, measure) for measure in measures]
        rows.append((name, len(scores), *(each.value if each else None for each in found)))
    units = [ColumnUnit.SHARE if each in SHARES else ColumnUnit.NUMBER for each in measures]
    return Table(
        "peers",
        "Beside the peers, at the same moments",
        (
            Column("who"),
            Column("samples", ColumnUnit.COUNT),
            *(Column(str(each), unit) for each, unit in zip(measures, units, strict=True)),
        ),
        tuple(rows),
        "A peer's text is of the whole page, ours of the viewport unless the variant says otherwise; what is judged is "
        "what is in view. agent-browser's text names no places: what depends on them cannot be judged.",
    )


def _samples(sides: Sides) -> Table:
    theirs = {score.sample: score for score in sides.scores_a}
    rows: list[tuple[Cell, ...]] = []
    for score in sides.scores_b:
        other = theirs.get(score.sample)
        if other is not None:
            cells: list[Cell] = [score.sample, score.stratum, score.category]
            for measure in (LookMeasure.RECALL, LookMeasure.GROUNDING, LookMeasure.TOKENS, LookMeasure.WARM):
                cells += [value_of(other, measure), value_of(score, measure)]
            rows.append(tuple(cells))
    columns = [Column("sample"), Column("stratum"), Column("category")]
    for measure in (LookMeasure.RECALL, LookMeasure.GROUNDING, LookMeasure.TOKENS, LookMeasure.WARM):
        unit = ColumnUnit.SHARE if measure in SHARES else ColumnUnit.NUMBER
        columns += [Column(f"{measure}, {sides.a}", unit), Column(f"{measure}, {sides.b}", unit)]
    return Table("samples", "Sample by sample", tuple(columns), tuple(rows[:MAX_SAMPLE_ROWS]), _left_out(len(rows)))


MAX_SAMPLE_ROWS = 2000
"""Rows of the table of samples, for a browser to sort. The JSON of the run has all of them."""


def _left_out(count: int) -> str:
    return f"The first {MAX_SAMPLE_ROWS} of {count}." if count > MAX_SAMPLE_ROWS else ""


def _is_among(samples: set[str]) -> Callable[[Score], bool]:
    return lambda score: score.sample in samples
