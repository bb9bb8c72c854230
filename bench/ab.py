"""The A/B of two variants as a report: what differs, how sure that is, where, what it costs, and the worst cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from perception.bench.compare import (
    RULES,
    Difference,
    Group,
    Scale,
    compare_groups,
    compare_measure,
    mean_interval,
    paired_successes,
    stratify,
)
from perception.bench.ran import failures_of, left_out, memory_chart
from perception.bench.report.model import (
    Cell,
    Chart,
    ChartKind,
    Column,
    Estimate,
    Report,
    Series,
    Table,
    Unit,
)
from perception.bench.runstore import Run
from perception.bench.score import Measure
from perception.bench.scoring import Scored
from perception.bench.seen import Score
from perception.bench.stats import holm
from perception.bench.worst import worst_cases

SHARES = (
    Measure.RECALL,
    Measure.PRECISION,
    Measure.GHOSTS,
    Measure.NAMED,
    Measure.NAMES,
    Measure.FOUND,
    Measure.FOUND_BY_NAME,
    Measure.LINES,
    Measure.VISION_PRECISION,
    Measure.GROUNDING,
    Measure.LLM,
)
COSTS = (Measure.TOKENS, Measure.FIRST, Measure.WARM)
COUNTS = (Measure.LISTED, Measure.VISION_ADDED, Measure.UNVERIFIABLE, Measure.LLM_COST)

ALL = "all"

NOTES = {
    Measure.RECALL: "of what Chromium's hit test reaches, the share that the list offers as reachable",
    Measure.PRECISION: "of the page's own elements that the list offers as reachable, the share that is",
    Measure.GHOSTS: "of what Chromium's hit test does not reach, the share offered as reachable; lower is better",
    Measure.NAMED: "of what is reachable, the share that is offered with a name or text",
    Measure.NAMES: "of what is reachable and has a name, the share that is offered with that name",
    Measure.FOUND: "of the reachable, named controls of Chromium's tree, the share whose role and name a line has",
    Measure.FOUND_BY_NAME: "the same by name, whatever the role",
    Measure.LINES: "of the visible lines of text, the share that the list says where they stand",
    Measure.VISION_PRECISION: "of what only vision saw and can be verified, the share that is there",
    Measure.GROUNDING: "of the instructions, the share for which the deterministic policy clicks into the true box",
    Measure.LLM: "the same with a language model's choice",
    Measure.LLM_COST: "in the currency of the prices that were given",
    Measure.TOKENS: "o200k tokens of the text that a model is given",
    Measure.FIRST: "the first look at a page, ms: taking it when the sample was made, and the stages in this run",
    Measure.WARM: "a look at an unchanged page, ms: likewise",
    Measure.FIRST_STAGES: "the part of the first look after the capture, in this run",
    Measure.WARM_STAGES: "the part of a warm look after the capture, in this run",
    Measure.LISTED: "elements in the list",
    Measure.VISION_ADDED: "elements that only vision saw",
    Measure.UNVERIFIABLE: "of those, in pictures whose content nobody lists",
}


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a comparison, by name, with their scores."""

    a: str
    b: str
    scores_a: Sequence[Score]
    scores_b: Sequence[Score]

    def only(self, keep: Callable[[Score], bool]) -> Sides:
        return Sides(
            self.a,
            self.b,
            [each for each in self.scores_a if keep(each)],
            [each for each in self.scores_b if keep(each)],
        )


def ab_report(run: Run, scored: Scored, home: Path, *, cases: int, command: str) -> Report:
    """The report of a run of two variants; peers that looked at the same samples stand beside them.

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
        charts=(*_charts(sides, strata), memory_chart([run])),
        cases=tuple(worst_cases(run, home, sides.a, sides.b, sides.scores_a, sides.scores_b, cases)),
        skipped=(*failures_of(run), *left_out(scored.skipped)),
        command=command,
        made=run.facts.started,
    )


def _in(sides: Sides, stratum: str) -> Sides:
    return sides if stratum == ALL else sides.only(lambda score: score.stratum == stratum)


def difference(sides: Sides, measure: Measure) -> Difference | None:
    """Of a measure, over all samples: a difference of shares and counts, a ratio of costs."""
    return compare_measure(sides.scores_a, sides.scores_b, measure, RULES[measure])


def differences(sides: Sides, measure: Measure, by: Group) -> dict[str, Difference | None]:
    """Of a measure, group by group, with intervals that hold together."""
    return compare_groups(sides.scores_a, sides.scores_b, measure, RULES[measure], by)


def estimate_of(found: Difference) -> Estimate:
    """A difference as a cell; without an interval it is the value alone, and its verdict says why."""
    ends = (found.interval.low, found.interval.high) if found.interval else (found.value, found.value)
    return Estimate(found.value, *ends, str(found.verdict))


def mean_estimate(scores: Sequence[Score], measure: str) -> Estimate | None:
    """One side's mean with its interval over pages; None where nothing applies."""
    found = mean_interval(scores, measure)
    if found is None:
        return None
    value, interval = found
    return Estimate(value, interval.low, interval.high) if interval else Estimate(value, value, value)


def _summary(sides: Sides) -> list[str]:
    """What differs over all samples, and in each part of each data set."""
    parts = stratify(sides.scores_a, Group.PART)
    lines = [_said("all samples", sides)]
    if len(parts) > 1:
        for name, scores in parts.items():
            samples = {score.sample for score in scores}
            lines.append(_said(name, sides.only(_is_among(samples))))
    return [line for line in lines if line]


def _said(where: str, sides: Sides) -> str:
    said = []
    for measure in (Measure.RECALL, Measure.LINES, Measure.GROUNDING):
        if (found := difference(sides, measure)) is not None:
            said.append(
                f"{measure} {found.a:.1%} → {found.b:.1%} ({found.value * 100:+.1f} points{_interval(found, 100)}, "
                f"{found.verdict})"
            )
    for measure in (Measure.TOKENS, Measure.WARM):
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
            Column(sides.a, Unit.SHARE),
            Column(sides.b, Unit.SHARE),
            Column("difference", Unit.DIFFERENCE, "95 % interval over pages"),
            Column("pages", Unit.COUNT),
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
            Column(sides.a, Unit.NUMBER, "shares in per cent"),
            Column(sides.b, Unit.NUMBER, "shares in per cent"),
            Column("compared by"),
            Column("value", Unit.NUMBER),
            Column("low", Unit.NUMBER),
            Column("high", Unit.NUMBER),
            Column("verdict"),
            Column("samples", Unit.COUNT),
            Column("pages", Unit.COUNT),
        ),
        tuple(rows),
        "A measure's intervals hold together at 95 % over the strata (Bonferroni); measures are not corrected for each "
        "other. Times of this run and its samples' captures differ beyond 10 % before a verdict is given.",
    )


def _by_group(sides: Sides, by: Group, table_id: str, title: str) -> Table:
    shares = (Measure.RECALL, Measure.LINES, Measure.GROUNDING)
    found = {measure: differences(sides, measure, by) for measure in (*shares, Measure.TOKENS, Measure.WARM)}
    rows: list[tuple[Cell, ...]] = []
    for name, scores in stratify(sides.scores_a, by).items():
        cells: list[Cell] = [name or "none", len(scores)]
        for measure in shares:
            each = found[measure][name]
            cells += [each.a, each.b, estimate_of(each)] if each else [None, None, None]
        for cost in (Measure.TOKENS, Measure.WARM):
            ratio = found[cost][name]
            cells.append(ratio.value if ratio else None)
        rows.append(tuple(cells))
    columns = [Column(str(by)), Column("samples", Unit.COUNT)]
    for measure in shares:
        columns += [
            Column(f"{measure}, {sides.a}", Unit.SHARE),
            Column(sides.b, Unit.SHARE),
            Column("difference", Unit.DIFFERENCE),
        ]
    columns += [Column("tokens ratio", Unit.RATIO), Column("warm look ratio", Unit.RATIO)]
    note = "A measure's intervals hold together at 95 % over the rows (Bonferroni)."
    return Table(table_id, title, tuple(columns), tuple(rows), note)


def _recovered(sides: Sides, strata: Sequence[str]) -> Table:
    """What B finds more, and what each of these costs."""
    rows: list[tuple[Cell, ...]] = []
    for stratum in [ALL, *strata]:
        part = _in(sides, stratum)
        sums = [
            {
                measure: sum(score.tallies[measure].hit for score in scores if measure in score.tallies)
                for measure in Measure
            }
            for scores in (part.scores_a, part.scores_b)
        ]
        more = {measure: sums[1][measure] - sums[0][measure] for measure in Measure}
        recovered = more[Measure.RECALL]
        costs = [more[cost] / recovered if recovered > 0 else None for cost in COSTS]
        vision = mean_estimate(part.scores_b, Measure.VISION_PRECISION)
        rows.append(
            (
                stratum,
                len(part.scores_a),
                recovered,
                more[Measure.LINES],
                more[Measure.VISION_ADDED],
                more[Measure.UNVERIFIABLE],
                vision,
                *costs,
            )
        )
    return Table(
        "recovered",
        f"What {sides.b} finds more, and what it costs",
        (
            Column("stratum"),
            Column("samples", Unit.COUNT),
            Column("reachable elements recovered", Unit.COUNT),
            Column("text lines recovered", Unit.COUNT),
            Column("elements that only vision saw", Unit.COUNT),
            Column("of those, unverifiable", Unit.COUNT),
            Column("precision of the others", Unit.SHARE),
            Column("tokens for each", Unit.NUMBER),
            Column("first-look ms for each", Unit.NUMBER),
            Column("warm-look ms for each", Unit.NUMBER),
        ),
        tuple(rows),
        "Costs are all that it spends more, over the elements that it recovers; a dash where it recovers none. "
        "Unverifiable is what it sees in pictures whose content nobody lists.",
    )


def _successes(sides: Sides, strata: Sequence[str]) -> Table:
    parts = {stratum: _in(sides, stratum) for stratum in [ALL, *strata]}
    tests = {
        stratum: paired_successes(part.scores_a, part.scores_b, Measure.GROUNDING)
        for stratum, part in parts.items()
        if any(Measure.GROUNDING in score.outcomes for score in part.scores_a)
    }
    adjusted = holm({stratum: test.p for stratum, test in tests.items()})
    return Table(
        "successes",
        "Grounding, task by task",
        (
            Column("stratum"),
            Column("both", Unit.COUNT),
            Column(f"only {sides.a}", Unit.COUNT),
            Column(f"only {sides.b}", Unit.COUNT),
            Column("neither", Unit.COUNT),
            Column("p", Unit.NUMBER, "McNemar, exact; Holm-adjusted over the rows"),
        ),
        tuple((stratum, test.both, test.b, test.c, test.neither, adjusted[stratum]) for stratum, test in tests.items()),
        "Tasks of one page are not independent: where p and the interval above disagree, go by the interval.",
    )


def _peers(scored: Scored, ours: Sequence[str], peers: Sequence[str]) -> Table:
    """Over the samples that a peer looked at."""
    measures = (*(each for each in SHARES if each not in (Measure.VISION_PRECISION, Measure.LLM)), *COSTS)
    looked = {score.sample for name in peers for score in scored.scores[name]}
    rows: list[tuple[Cell, ...]] = []
    for name in [*ours, *peers] if peers else []:
        scores = [score for score in scored.scores[name] if score.sample in looked]
        found = [mean_estimate(scores, measure) for measure in measures]
        rows.append((name, len(scores), *(each.value if each else None for each in found)))
    units = [Unit.SHARE if each in SHARES else Unit.NUMBER for each in measures]
    return Table(
        "peers",
        "Beside the peers, at the same moments",
        (
            Column("who"),
            Column("samples", Unit.COUNT),
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
            for measure in (Measure.RECALL, Measure.GROUNDING, Measure.TOKENS, Measure.WARM):
                cells += [_value(other, measure), _value(score, measure)]
            rows.append(tuple(cells))
    columns = [Column("sample"), Column("stratum"), Column("category")]
    for measure in (Measure.RECALL, Measure.GROUNDING, Measure.TOKENS, Measure.WARM):
        unit = Unit.SHARE if measure in SHARES else Unit.NUMBER
        columns += [Column(f"{measure}, {sides.a}", unit), Column(f"{measure}, {sides.b}", unit)]
    return Table("samples", "Sample by sample", tuple(columns), tuple(rows[:MAX_ROWS]), _left_out(len(rows)))


MAX_ROWS = 2000
"""Of the table of samples; a browser sorts so many at once. All of them are in the JSON of the run."""


def _left_out(count: int) -> str:
    return f"The first {MAX_ROWS} of {count}." if count > MAX_ROWS else ""


def _value(score: Score, measure: Measure) -> float | None:
    tally = score.tallies.get(measure)
    return tally.hit / tally.of if tally is not None and tally.of else None


def _charts(sides: Sides, strata: Sequence[str]) -> list[Chart]:
    charts = []
    for measure in (Measure.RECALL, Measure.GROUNDING):
        series = []
        for name, scores in ((sides.a, sides.scores_a), (sides.b, sides.scores_b)):
            found = [mean_estimate(list(filter(_is_of(each), scores)), measure) for each in [ALL, *strata]]
            series.append(Series(name, (ALL, *strata), tuple(found)))
        if any(y is not None for each in series for y in each.y):
            charts.append(
                Chart(
                    f"{measure.name.lower()}-strata",
                    f"{measure} by stratum".capitalize(),
                    ChartKind.BARS,
                    "",
                    str(measure),
                    tuple(series),
                    Unit.SHARE,
                    note="Bars are shares over all samples; whiskers 95 % intervals over pages.",
                )
            )
    charts += [
        _scatter(sides, strata, Measure.RECALL, Unit.SHARE),
        _scatter(sides, strata, Measure.TOKENS, Unit.NUMBER),
        _spread(sides, Measure.WARM),
        _spread(sides, Measure.FIRST),
    ]
    return [chart for chart in charts if any(each.y for each in chart.series)]


def _is_among(samples: set[str]) -> Callable[[Score], bool]:
    return lambda score: score.sample in samples


def _is_of(stratum: str) -> Callable[[Score], bool]:
    return lambda score: stratum in (ALL, score.stratum)


def _scatter(sides: Sides, strata: Sequence[str], measure: Measure, unit: Unit) -> Chart:
    theirs = {score.sample: score for score in sides.scores_a}
    series = []
    for stratum in strata:
        points = [
            (x, y, score.sample)
            for score in sides.scores_b
            if score.stratum == stratum
            and score.sample in theirs
            and (x := _value(theirs[score.sample], measure)) is not None
            and (y := _value(score, measure)) is not None
        ]
        series.append(
            Series(
                stratum,
                tuple(x for x, _, _ in points),
                tuple(y for _, y, _ in points),
                tuple(name for *_, name in points),
            )
        )
    return Chart(
        f"{measure.name.lower()}-samples",
        f"{measure}, sample by sample".capitalize(),
        ChartKind.POINTS,
        sides.a,
        sides.b,
        tuple(series),
        unit,
        diagonal=True,
        note=f"Above the line {sides.b} has more.",
    )


def _spread(sides: Sides, measure: Measure) -> Chart:
    series = [
        Series(name, (), tuple(value for each in scores if (value := _value(each, measure)) is not None))
        for name, scores in ((sides.a, sides.scores_a), (sides.b, sides.scores_b))
    ]
    return Chart(
        f"{measure.name.lower()}-spread",
        str(measure).capitalize(),
        ChartKind.DISTRIBUTION,
        "",
        "ms",
        tuple(series),
        Unit.MILLISECONDS,
    )
