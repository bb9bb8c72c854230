"""The samples where a side is worst, as pictures: A, truth and B side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from perception.bench.looks.look_output import LookOutput
from perception.bench.looks.look_score import LookMeasure, is_vision_only, match_elements
from perception.bench.looks.stored_looks import items_of, looks_of
from perception.bench.report.report_model import BoxMark, Pane, ShownCase, Tone
from perception.bench.run_store import Run
from perception.bench.sample_worker import read_pixels
from perception.bench.scores import Score
from perception.datasets.sample import Item, Sample
from perception.imaging.codec import encode_jpeg

QUALITY = 60
"""Width of the JPEG in the report: enough for boxes and words, 60 to 150 kB each."""

MAX_PANE_TEXT = 20_000
"""Characters of a pane's text."""


def worst_cases(
    run: Run, home: Path, a: str, b: str, scores_a: Sequence[Score], scores_b: Sequence[Score], count: int
) -> Iterator[ShownCase]:
    """Cases, the worst first: where B lost most compared with A, then where B finds least."""
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
    """The first case of each page and stratum: a page's other viewports would show the same."""
    seen: dict[tuple[str, str], Score] = {}
    for score in scores:
        seen.setdefault((score.page, score.sample.partition("painted-")[1]), score)
    return list(seen.values())


def _case(item: Item, a: LookOutput, b: LookOutput, score_a: Score, score_b: Score) -> ShownCase:
    sample = item.sample
    return ShownCase(
        title=sample.name,
        note=f"{sample.stratum}; {sample.category or 'no category'}; recall {_percent(score_a)} → {_percent(score_b)}",
        image=encode_jpeg(read_pixels(item), QUALITY),
        width=sample.viewport.width,
        height=sample.viewport.height,
        panes=(
            Pane(a.who, _found(sample, a), a.text[:MAX_PANE_TEXT]),
            Pane("truth", _truth(sample, b), "\n".join(line.text for line in sample.lines)[:MAX_PANE_TEXT]),
            Pane(b.who, _found(sample, b), b.text[:MAX_PANE_TEXT]),
        ),
    )


def _truth(sample: Sample, seen: LookOutput) -> tuple[BoxMark, ...]:
    """Marks of the reachable elements, found or missed by B, and of the unreachable ones."""
    match = match_elements(sample.truth, [each for each in seen.elements if each.interactive and each.reachable])
    marks = []
    for each, found in zip(sample.truth, match.seen_of, strict=True):
        if each.reachable is not None:
            tone = Tone.NEUTRAL if not each.reachable else Tone.TRUE if found >= 0 else Tone.MISSED
            label = f'{each.role} "{each.name}"' + ("" if each.reachable else ", not reachable")
            marks.append(BoxMark(each.box, label, tone))
    return tuple(marks)


def _found(sample: Sample, seen: LookOutput) -> tuple[BoxMark, ...]:
    offered = [each for each in seen.elements if each.interactive and each.reachable and each.in_viewport]
    match = match_elements(sample.truth, offered)
    marks = []
    for each, index in zip(offered, match.truth_of, strict=True):
        if each.box is not None:
            right = index >= 0 and sample.truth[index].reachable is not False
            tone = Tone.FOUND if right else Tone.NEUTRAL if is_vision_only(each) else Tone.WRONG
            marks.append(BoxMark(each.box, f'{each.ref} {each.role} "{each.name or each.text}"', tone))
    return tuple(marks)


def _recall(score: Score) -> float | None:
    tally = score.tallies.get(LookMeasure.RECALL)
    return tally.hit / tally.of if tally is not None and tally.of else None


def _gain(a: Score, b: Score) -> float:
    return (_recall(b) or 0.0) - (_recall(a) or 0.0)


def _percent(score: Score) -> str:
    value = _recall(score)
    return "–" if value is None else f"{value:.0%}"
