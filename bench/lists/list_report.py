"""The reports of the suites that judge lists: `reachability`, `tokens`, `grounding`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from perception.bench.comparison.measure_estimates import NOTES, SHARES, estimate_of, mean_estimate
from perception.bench.comparison.paired import paired_ratio
from perception.bench.lists.score_run import Scored, only
from perception.bench.looks.control_recall import Miss
from perception.bench.looks.look_score import LookMeasure
from perception.bench.report.report_model import Cell, Chart, ChartKind, Column, ColumnUnit, Report, Series, Table
from perception.bench.report.run_notes import failures_of, left_out, memory_chart
from perception.bench.run_store import Run
from perception.bench.scores import Score
from perception.bench.stats import spread_of

LIST_MEASURES = {
    "reachability": (
        LookMeasure.RECALL,
        LookMeasure.FOUND,
        LookMeasure.FOUND_BY_NAME,
        LookMeasure.PRECISION,
        LookMeasure.GHOSTS,
        LookMeasure.NAMED,
        LookMeasure.NAMES,
        LookMeasure.LINES,
        LookMeasure.VISION_PRECISION,
    ),
    "tokens": (LookMeasure.TOKENS, LookMeasure.LISTED, LookMeasure.RECALL, LookMeasure.FOUND, LookMeasure.LINES),
    "grounding": (LookMeasure.GROUNDING, LookMeasure.NAMED, LookMeasure.TOKENS),
}

SUMMARY_MEASURES = {
    "reachability": (LookMeasure.RECALL, LookMeasure.FOUND),
    "tokens": (LookMeasure.TOKENS,),
    "grounding": (LookMeasure.GROUNDING,),
}
"""The measures that a suite's report shows first."""

MISS_KINDS, MISS_EXAMPLES = 20, 3
"""Kinds of misses that are shown for each list, and pages of each."""

STRATA = ("ax-poor", "mixed", "accessible", "unknown")


def list_report(suite: str, run: Run, scored: Scored, command: str) -> Report:
    """A suite's measures for all variants and peers, over all samples and by stratum."""
    measures = LIST_MEASURES[suite]
    tables = [_table("all", "Over all samples", scored.scores, measures)]
    looked = {score.sample for who, scores in scored.scores.items() if who not in run.facts.who for score in scores}
    if looked and any(score.sample not in looked for scores in scored.scores.values() for score in scores):
        beside = {who: [each for each in scores if each.sample in looked] for who, scores in scored.scores.items()}
        tables.append(_table("beside", "Over the samples that peers looked at", beside, measures))
    for stratum in STRATA:
        part = {who: only(scores, stratum=stratum) for who, scores in scored.scores.items()}
        if any(part.values()):
            tables.append(_table(stratum, f"On {stratum} pages", part, measures))
    if suite == "tokens":
        tables[1:1] = [_token_spreads(scored.scores), _token_ratios(scored.scores, run.facts.who)]
    if suite == "reachability" and any(scored.missed.values()):
        tables.append(_misses(scored.missed))
    samples = max((len(scores) for scores in scored.scores.values()), default=0)
    return Report(
        title=suite.capitalize(),
        summary=tuple(
            _say(who, scores, each) for each in SUMMARY_MEASURES[suite] for who, scores in scored.scores.items()
        ),
        facts={
            "data sets": ", ".join(run.facts.datasets),
            "samples": str(samples),
            **{f"variant {name}": text for name, text in run.facts.config.items()},
            **run.facts.machine,
            "run": run.facts.id,
        },
        tables=tuple(tables),
        charts=(_chart(measures[0], scored.scores), memory_chart([run])),
        skipped=(*failures_of(run), *left_out(scored.skipped)),
        command=command,
        made=run.facts.started,
    )


def _say(who: str, scores: Sequence[Score], measure: LookMeasure) -> str:
    found = mean_estimate(scores, str(measure))
    if found is None:
        return f"{who}: {measure} does not apply."
    ends = (found.value, found.low, found.high)
    value, low, high = (f"{each:.1%}" if measure in SHARES else f"{each:.0f}" for each in ends)
    return f"{who}: {measure} {value} [{low}, {high}] over {len(scores)} samples."


def _table(name: str, title: str, scores: Mapping[str, Sequence[Score]], measures: Sequence[LookMeasure]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for who, each in scores.items():
        if each:
            found = [mean_estimate(each, str(measure)) for measure in measures]
            rows.append((who, len(each), *found))
    columns = (
        Column("who"),
        Column("samples", ColumnUnit.COUNT),
        *(
            Column(str(measure), ColumnUnit.SHARE if measure in SHARES else ColumnUnit.NUMBER, NOTES[measure])
            for measure in measures
        ),
    )
    return Table(name, title, columns, tuple(rows), "Intervals: 95 %, over pages. Peers list the whole page.")


def _token_ratios(scores: Mapping[str, Sequence[Score]], ours: Sequence[str]) -> Table:
    """Ours compared with each peer's, over the samples that both saw."""
    rows: list[tuple[Cell, ...]] = []
    for who in ours:
        for other in scores:
            if other not in ours:
                found = paired_ratio(scores[other], scores[who], str(LookMeasure.TOKENS))
                if found is not None:
                    rows.append((who, other, estimate_of(found), found.samples))
    columns = (
        Column("ours"),
        Column("peer"),
        Column("tokens, ours / peer's", ColumnUnit.RATIO, "of the totals; 95 % interval over pages"),
        Column("samples", ColumnUnit.COUNT),
    )
    return Table("ratios", "Against the peers", columns, tuple(rows))


def _token_spreads(scores: Mapping[str, Sequence[Score]]) -> Table:
    """Tokens per look, over samples."""
    rows: list[tuple[Cell, ...]] = []
    for who, each in scores.items():
        if sizes := [score.tallies[LookMeasure.TOKENS].hit for score in each if LookMeasure.TOKENS in score.tallies]:
            spread = spread_of(sizes)
            rows.append((who, *(round(value) for value in (spread.minimum, spread.median, spread.maximum)), len(sizes)))
    counts = (Column(name, ColumnUnit.COUNT) for name in ("least", "median", "most", "samples"))
    return Table("spreads", "Tokens a look", (Column("who"), *counts), tuple(rows))


def _misses(missed: Mapping[str, Sequence[tuple[str, Miss]]]) -> Table:
    """The tree's reachable, named controls that lists lack, by kind: the most frequent ones."""
    rows: list[tuple[Cell, ...]] = []
    for who, misses in missed.items():
        kinds = Counter((miss.role, miss.why) for _, miss in misses)
        for (role, why), count in kinds.most_common(MISS_KINDS):
            alike = [(page, miss.name) for page, miss in misses if (miss.role, miss.why) == (role, why)]
            pages = dict(reversed(alike))  # the first of each page
            named = "; ".join(f"{page}: {name[:40]}" for page, name in list(reversed(pages.items()))[:MISS_EXAMPLES])
            rows.append((who, role, why, count, len(pages), named))
    columns = (
        Column("who"),
        Column("role"),
        Column("what the list says"),
        Column("controls", ColumnUnit.COUNT),
        Column("pages", ColumnUnit.COUNT),
        Column("for example"),
    )
    note = "Reachable, named controls of Chromium's tree that no line has by role and name."
    return Table("misses", "What lists do not name", columns, tuple(rows), note)


def _chart(measure: LookMeasure, scores: Mapping[str, Sequence[Score]]) -> Chart:
    series = []
    for who, each in scores.items():
        found = [mean_estimate(only(each, stratum=stratum), str(measure)) for stratum in STRATA]
        series.append(Series(who, STRATA, tuple(found)))
    unit = ColumnUnit.SHARE if measure in SHARES else ColumnUnit.NUMBER
    return Chart("strata", str(measure).capitalize(), ChartKind.BARS, "", str(measure), tuple(series), unit)
