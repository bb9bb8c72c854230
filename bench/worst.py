"""The samples where a side is worst, to look at: A, truth and B side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from perception.bench.report.model import Case, Mark, Pane, Tone
from perception.bench.runstore import Run
from perception.bench.score import Measure, is_vision_only, match_elements
from perception.bench.scoring import items_of, looks_of
from perception.bench.seen import Score, Seen
from perception.bench.work import read_pixels
from perception.datasets.sample import Item, Sample
from perception.images import encode_jpeg

QUALITY = 60
"""Of the JPEG that stands in the report: boxes and words are what is looked at, 60 to 150 kB each."""

MAX_TEXT = 20_000
"""Characters of a pane's text."""


def worst_cases(
    run: Run, home: Path, a: str, b: str, scores_a: Sequence[Score], scores_b: Sequence[Score], count: int
) -> Iterator[Case]:
    """Cases, the worst first: what B lost against A, then where B finds least."""
    theirs = {score.sample: score for score in scores_a}
    ranked = sorted(
        (score for score in scores_b if score.sample in theirs and _recall(score) is not None),
        key=lambda score: (min(0.0, _gain(theirs[score.sample], score)), _recall(score) or 0.0),
    )
    wanted = [score.sample for score in _one_a_page(ranked)][:count]
    items = {item.sample.name: item for item in items_of(run, home, names=set(wanted))}
    by_name = {score.sample: score for score in scores_b}
    for name in wanted:
        looks = {seen.who: seen for seen in looks_of(run, items[name], peers=False)}
        yield _case(items[name], looks[a], looks[b], theirs[name], by_name[name])


def _one_a_page(scores: Sequence[Score]) -> list[Score]:
    """The first of each page and stratum: a page's other viewports would show the same."""
    seen: dict[tuple[str, str], Score] = {}
    for score in scores:
        seen.setdefault((score.page, score.sample.partition("painted-")[1]), score)
    return list(seen.values())


def _case(item: Item, a: Seen, b: Seen, score_a: Score, score_b: Score) -> Case:
    sample = item.sample
    return Case(
        title=sample.name,
        note=f"{sample.stratum}; {sample.category or 'no category'}; recall {_percent(score_a)} → {_percent(score_b)}",
        image=encode_jpeg(read_pixels(item), QUALITY),
        width=sample.viewport.width,
        height=sample.viewport.height,
        panes=(
            Pane(a.who, _found(sample, a), a.text[:MAX_TEXT]),
            Pane("truth", _truth(sample, b), "\n".join(line.text for line in sample.lines)[:MAX_TEXT]),
            Pane(b.who, _found(sample, b), b.text[:MAX_TEXT]),
        ),
    )


def _truth(sample: Sample, seen: Seen) -> tuple[Mark, ...]:
    """What is reachable: found by B, or missed by it; and what is not reachable."""
    match = match_elements(sample.truth, [each for each in seen.elements if each.interactive and each.reachable])
    marks = []
    for each, found in zip(sample.truth, match.seen_of, strict=True):
        if each.reachable is not None:
            tone = Tone.NEUTRAL if not each.reachable else Tone.TRUE if found >= 0 else Tone.MISSED
            label = f'{each.role} "{each.name}"' + ("" if each.reachable else ", not reachable")
            marks.append(Mark(each.box, label, tone))
    return tuple(marks)


def _found(sample: Sample, seen: Seen) -> tuple[Mark, ...]:
    offered = [each for each in seen.elements if each.interactive and each.reachable and each.in_viewport]
    match = match_elements(sample.truth, offered)
    marks = []
    for each, index in zip(offered, match.truth_of, strict=True):
        if each.box is not None:
            right = index >= 0 and sample.truth[index].reachable is not False
            tone = Tone.FOUND if right else Tone.NEUTRAL if is_vision_only(each) else Tone.WRONG
            marks.append(Mark(each.box, f'{each.ref} {each.role} "{each.name or each.text}"', tone))
    return tuple(marks)


def _recall(score: Score) -> float | None:
    tally = score.tallies.get(Measure.RECALL)
    return tally.hit / tally.of if tally is not None and tally.of else None


def _gain(a: Score, b: Score) -> float:
    return (_recall(b) or 0.0) - (_recall(a) or 0.0)


def _percent(score: Score) -> str:
    value = _recall(score)
    return "–" if value is None else f"{value:.0%}"
