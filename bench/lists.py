"""The reports of the suites that judge lists: `reachability`, `tokens`, `grounding`, `agreement`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from perception.bench.ab import NOTES, SHARES, estimate_of, mean_estimate
from perception.bench.agreement import WALKER, Agreement, AgreementReport
from perception.bench.compare import paired_ratio
from perception.bench.names import Suite
from perception.bench.peers import seen_of
from perception.bench.ran import failures_of, left_out, memory_chart
from perception.bench.recall import Miss
from perception.bench.report.model import Cell, Chart, ChartKind, Column, Report, Series, Table, Unit
from perception.bench.runstore import Run
from perception.bench.score import Measure
from perception.bench.scoring import Scored, only, records_of
from perception.bench.seen import Score
from perception.bench.stats import spread_of
from perception.datasets.sample import Broken

MEASURES = {
    Suite.REACHABILITY: (
        Measure.RECALL,
        Measure.FOUND,
        Measure.FOUND_BY_NAME,
        Measure.PRECISION,
        Measure.GHOSTS,
        Measure.NAMED,
        Measure.NAMES,
        Measure.LINES,
        Measure.VISION_PRECISION,
    ),
    Suite.TOKENS: (Measure.TOKENS, Measure.LISTED, Measure.RECALL, Measure.FOUND, Measure.LINES),
    Suite.GROUNDING: (Measure.GROUNDING, Measure.NAMED, Measure.TOKENS),
}

SAID = {
    Suite.REACHABILITY: (Measure.RECALL, Measure.FOUND),
    Suite.TOKENS: (Measure.TOKENS,),
    Suite.GROUNDING: (Measure.GROUNDING,),
}
"""What of a suite is said first."""

MISSES, EXAMPLES = 20, 3
"""Kinds of misses that are shown for each list, and pages of each."""

STRATA = ("ax-poor", "mixed", "accessible", "unknown")


def list_report(suite: Suite, run: Run, scored: Scored, command: str) -> Report:
    """A suite's measures for everybody who looked: our variants and the peers, over all samples and by stratum."""
    measures = MEASURES[suite]
    tables = [_table("all", "Over all samples", scored.scores, measures)]
    looked = {score.sample for who, scores in scored.scores.items() if who not in run.facts.who for score in scores}
    if looked and any(score.sample not in looked for scores in scored.scores.values() for score in scores):
        beside = {who: [each for each in scores if each.sample in looked] for who, scores in scored.scores.items()}
        tables.append(_table("beside", "Over the samples that peers looked at", beside, measures))
    for stratum in STRATA:
        part = {who: only(scores, stratum=stratum) for who, scores in scored.scores.items()}
        if any(part.values()):
            tables.append(_table(stratum, f"On {stratum} pages", part, measures))
    if suite is Suite.TOKENS:
        tables[1:1] = [_token_spreads(scored.scores), _token_ratios(scored.scores, run.facts.who)]
    if suite is Suite.REACHABILITY and any(scored.missed.values()):
        tables.append(_misses(scored.missed))
    samples = max((len(scores) for scores in scored.scores.values()), default=0)
    return Report(
        title=suite.value.capitalize(),
        summary=tuple(_say(who, scores, each) for each in SAID[suite] for who, scores in scored.scores.items()),
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


def _say(who: str, scores: Sequence[Score], measure: Measure) -> str:
    found = mean_estimate(scores, str(measure))
    if found is None:
        return f"{who}: {measure} does not apply."
    ends = (found.value, found.low, found.high)
    value, low, high = (f"{each:.1%}" if measure in SHARES else f"{each:.0f}" for each in ends)
    return f"{who}: {measure} {value} [{low}, {high}] over {len(scores)} samples."


def _table(name: str, title: str, scores: Mapping[str, Sequence[Score]], measures: Sequence[Measure]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for who, each in scores.items():
        if each:
            found = [mean_estimate(each, str(measure)) for measure in measures]
            rows.append((who, len(each), *found))
    columns = (
        Column("who"),
        Column("samples", Unit.COUNT),
        *(
            Column(str(measure), Unit.SHARE if measure in SHARES else Unit.NUMBER, NOTES[measure])
            for measure in measures
        ),
    )
    return Table(name, title, columns, tuple(rows), "Intervals: 95 %, over pages. Peers list the whole page.")


def _token_ratios(scores: Mapping[str, Sequence[Score]], ours: Sequence[str]) -> Table:
    """Ours to each peer's, over the samples that both saw."""
    rows: list[tuple[Cell, ...]] = []
    for who in ours:
        for other in scores:
            if other not in ours:
                found = paired_ratio(scores[other], scores[who], str(Measure.TOKENS))
                if found is not None:
                    rows.append((who, other, estimate_of(found), found.samples))
    columns = (
        Column("ours"),
        Column("peer"),
        Column("tokens, ours / peer's", Unit.RATIO, "of the totals; 95 % interval over pages"),
        Column("samples", Unit.COUNT),
    )
    return Table("ratios", "Against the peers", columns, tuple(rows))


def _token_spreads(scores: Mapping[str, Sequence[Score]]) -> Table:
    """How many tokens a look takes, over samples."""
    rows: list[tuple[Cell, ...]] = []
    for who, each in scores.items():
        if sizes := [score.tallies[Measure.TOKENS].hit for score in each if Measure.TOKENS in score.tallies]:
            spread = spread_of(sizes)
            rows.append((who, *(round(value) for value in (spread.minimum, spread.median, spread.maximum)), len(sizes)))
    counts = (Column(name, Unit.COUNT) for name in ("least", "median", "most", "samples"))
    return Table("spreads", "Tokens a look", (Column("who"), *counts), tuple(rows))


def _misses(missed: Mapping[str, Sequence[tuple[str, Miss]]]) -> Table:
    """What of the tree's reachable, named controls lists do not have, by kind: the most frequent."""
    rows: list[tuple[Cell, ...]] = []
    for who, misses in missed.items():
        kinds = Counter((miss.role, miss.why) for _, miss in misses)
        for (role, why), count in kinds.most_common(MISSES):
            alike = [(page, miss.name) for page, miss in misses if (miss.role, miss.why) == (role, why)]
            pages = dict(reversed(alike))  # the first of each page
            named = "; ".join(f"{page}: {name[:40]}" for page, name in list(reversed(pages.items()))[:EXAMPLES])
            rows.append((who, role, why, count, len(pages), named))
    columns = (
        Column("who"),
        Column("role"),
        Column("what the list says"),
        Column("controls", Unit.COUNT),
        Column("pages", Unit.COUNT),
        Column("for example"),
    )
    note = "Reachable, named controls of Chromium's tree that no line has by role and name."
    return Table("misses", "What lists do not name", columns, tuple(rows), note)


def _chart(measure: Measure, scores: Mapping[str, Sequence[Score]]) -> Chart:
    series = []
    for who, each in scores.items():
        found = [mean_estimate(only(each, stratum=stratum), str(measure)) for stratum in STRATA]
        series.append(Series(who, STRATA, tuple(found)))
    unit = Unit.SHARE if measure in SHARES else Unit.NUMBER
    return Chart("strata", str(measure).capitalize(), ChartKind.BARS, "", str(measure), tuple(series), unit)


def agreement_report(
    datasets: Sequence[str], home: Path, machine: Mapping[str, str], *, limit: int, command: str
) -> Report:
    """Our walker and the peers against Chromium's accessibility tree, over the samples' own captures."""
    found = AgreementReport()
    broken = []
    for record in records_of(datasets, home, limit=limit):
        if isinstance(record, Broken):
            broken.append((record.record, record.reason))
        else:
            item = record.load()
            views = [
                seen_of(view, item.sample.name, item.id, viewport=item.sample.viewport) for view in item.sample.peers
            ]
            found.add(item.sample, views)
    measures = tuple(Agreement)
    rows: list[tuple[Cell, ...]] = []
    for who, scores in found.scores.items():
        ends = [mean_estimate(scores, str(measure)) for measure in measures]
        rows.append((who, len(scores), *ends))
    share = [Unit.NUMBER if measure is Agreement.EXTRA else Unit.SHARE for measure in measures]
    overall = Table(
        "agreement",
        "Against the accessibility tree",
        (
            Column("who"),
            Column("samples", Unit.COUNT),
            *(Column(str(measure), unit) for measure, unit in zip(measures, share, strict=True)),
        ),
        tuple(rows),
        "In the viewport. Peers' lists name no nodes: only their pairs of role and name can be held against the tree, "
        "which agent-browser's list is made of.",
    )
    roles = Table(
        "roles",
        "Nodes of different roles",
        (Column("the tree says"), Column("the walker says"), Column("nodes", Unit.COUNT)),
        tuple((tree, walker, count) for (tree, walker), count in found.roles.most_common()),
    )
    examples = Table(
        "examples",
        "Where they differ",
        (Column("sample"), Column("what"), Column("the tree says"), Column("the walker says")),
        tuple((each.sample, each.what, each.tree, each.walker) for each in found.examples),
    )
    return Report(
        title="Agreement with Chromium's accessibility tree",
        summary=tuple(_agreed(who, scores) for who, scores in found.scores.items()),
        facts={"data sets": ", ".join(datasets), **machine},
        tables=tuple(table for table in (overall, roles, examples) if table.rows),
        skipped=left_out(broken),
        command=command,
    )


def _agreed(who: str, scores: Sequence[Score]) -> str:
    wanted = (Agreement.ROLES, Agreement.NAMES, Agreement.LISTED) if who == WALKER else (Agreement.PAIRS,)
    said = [
        f"{measure} {found.value:.1%}"
        for measure in wanted
        if (found := mean_estimate(scores, str(measure))) is not None
    ]
    return f"{who}: {'; '.join(said)}."
