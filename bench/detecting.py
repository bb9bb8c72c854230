"""The `detectors` suite: every installed detector looks at whole screenshots; boxes and lines against the truth.

Each detector runs in processes of its own, so that time and memory are its alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from perception.bench.metrics.boxes import BoxCounts, ScoredBoxes, average_precision, count_boxes, summarise
from perception.bench.metrics.lines import LineCounts, count_lines, summarise_lines
from perception.bench.report.model import Cell, Column, Report, Table, Unit
from perception.bench.runstore import Run
from perception.bench.scoring import items_of
from perception.bench.stats import Spread, spread_of
from perception.bench.work import Sighting, bench_registry
from perception.datasets.sample import Item, Sample, TextLine
from perception.detectors.registry import Registry
from perception.geometry import Box, Boxes, stack

TOGETHER = "together"
"""A row of its own: what the detectors that are enabled by default see, all of it."""


@dataclass(slots=True)
class DetectorScore:
    """One detector over a data set. `images` holds what AP needs, 80 bytes a box."""

    boxes: BoxCounts = field(default_factory=BoxCounts)
    lines: LineCounts = field(default_factory=LineCounts)
    milliseconds: list[float] = field(default_factory=list)
    resident: int = 0
    images: list[ScoredBoxes] = field(default_factory=list)
    reads: bool = False


def installed_detectors(names: Sequence[str] = ()) -> tuple[list[str], dict[str, str]]:
    """Those of the named detectors that can be used here, all for none; why not, for the others.

    Raises:
        UnknownDetectorError: there is none of a name.
    """
    registry = bench_registry()
    statuses = {name: registry.describe(name) for name in names or registry.names()}
    usable = [name for name, status in statuses.items() if status.installed]
    return usable, {name: status.missing for name, status in statuses.items() if not status.installed}


def default_detectors() -> tuple[str, ...]:
    """Those that the service asks unless it is told otherwise."""
    return Registry.load().defaults()


def score_detectors(
    runs: Sequence[Run], together: Sequence[str], home: Path
) -> tuple[dict[str, DetectorScore], list[str]]:
    """Scores by detector, and what was left out, a line each.

    Args:
        runs: one for each detector, over the same data sets.
        together: names of detectors whose sightings are also scored as one.
    """
    scores = {run.facts.who[0]: DetectorScore() for run in runs}
    if len(together) > 1 and set(together) <= set(scores):
        scores[TOGETHER] = DetectorScore()
    skipped = [f"{run.facts.who[0]}: {name}: {why.reason}" for run in runs for name, why in run.failures().items()]
    for item in items_of(runs[0], home):
        seen = {sight.who: sight for run in runs for sight in sightings_of(run, item.id)}
        if len(seen) < len(runs):
            continue  # only images that every detector has seen: the rows must be of the same images
        if not item.sample.complete:
            skipped.append(f"{item.sample.name}: its truth lists only some of what there is")
            continue
        for name, sight in seen.items():
            _add(scores[name], item, [sight])
        if TOGETHER in scores:
            _add(scores[TOGETHER], item, [seen[name] for name in together])
    return scores, skipped


def sightings_of(run: Run, sample: str) -> Iterator[Sighting]:
    """What the run's detector saw in a sample, by its id."""
    for line in run.outputs(sample):
        yield msgspec.json.decode(line, type=Sighting)


def _add(score: DetectorScore, item: Item, sights: Sequence[Sighting]) -> None:
    sample = item.sample
    truth = true_boxes(sample)
    scale = sample.viewport.scale
    boxes = found_boxes(sights, scale)
    sure = np.concatenate([np.asarray(each.score, np.float32) for each in sights])
    score.boxes += count_boxes(truth, boxes)
    score.images.append(ScoredBoxes(truth, boxes, sure))
    lines = [line for each in sights for line in read_lines(each, scale)]
    score.reads = score.reads or bool(lines)
    score.lines += count_lines(sample.lines, lines)
    score.milliseconds.append(sum(each.milliseconds for each in sights))
    score.resident = max(score.resident, max(each.resident for each in sights))


def true_boxes(sample: Sample) -> Boxes:
    """Of what can be reached, clipped to the viewport; two in one place (a link around a button) are one."""
    shown = [each.box.intersect(sample.viewport.box) for each in sample.truth if each.reachable]
    return stack(dict.fromkeys(box for box in shown if box is not None))


def found_boxes(sights: Sequence[Sighting], scale: float) -> Boxes:
    """All boxes that were seen, CSS px of the viewport."""
    device = np.concatenate([np.asarray(each.xyxy, np.float32).reshape(-1, 4) for each in sights])
    return np.asarray(device / scale, np.float32)


def read_lines(sight: Sighting, scale: float) -> list[TextLine]:
    """The lines of text that were read, CSS px of the viewport."""
    return [
        TextLine(text, Box(*(side / scale for side in box)))
        for box, kind, text in zip(sight.xyxy, sight.kind, sight.text, strict=True)
        if kind == "text"
    ]


def detectors_report(
    scores: dict[str, DetectorScore], skipped: Sequence[str], runs: Sequence[Run], command: str
) -> Report:
    """The detectors side by side."""
    facts = runs[0].facts
    return Report(
        title="Detectors",
        summary=tuple(_say(name, score) for name, score in scores.items()),
        facts={
            "data sets": ", ".join(facts.datasets),
            "images": str(next(iter(scores.values())).boxes.images),
            **facts.machine,
            "runs": ", ".join(run.facts.id for run in runs),
        },
        tables=(_boxes_table(scores), _lines_table(scores), _cost_table(scores)),
        skipped=tuple(skipped),
        command=command,
        made=facts.started,
    )


def _say(name: str, score: DetectorScore) -> str:
    found = summarise(score.boxes)
    return (
        f"{name}: {score.boxes.images} images, {score.boxes.found} boxes; "
        f"centre recall {_percent(found.center_recall)}, centre precision {_percent(found.center_precision)}."
    )


def _boxes_table(scores: dict[str, DetectorScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    notes = []
    for name, score in scores.items():
        found, precision = summarise(score.boxes), average_precision(score.images)
        if precision.value is None:
            notes.append(f"{name} has no AP50: {precision.reason}.")
        rows.append(
            (
                name,
                found.truth,
                found.found,
                found.precision,
                found.recall,
                found.f1,
                precision.value,
                found.center_recall,
                found.center_precision,
                found.boxes_per_image,
            )
        )
    shares = ("precision", "recall", "F1", "AP50", "centre recall", "centre precision")
    columns = (
        Column("detector"),
        Column("true", Unit.COUNT),
        Column("boxes", Unit.COUNT),
        *(Column(each, Unit.SHARE) for each in shares),
        Column("boxes an image", Unit.NUMBER),
    )
    about = (
        "Against what Chromium's hit test reaches, at an intersection over union of 0.5; AP50 by faster-coco-eval with "
        "10,000 detections an image. Centre: the middle of a box lies in a true one. A reader of text is held against "
        "controls here, too: its boxes are words, not buttons. "
    )
    return Table("boxes", "User-interface elements", columns, tuple(rows), about + " ".join(notes))


def _lines_table(scores: dict[str, DetectorScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, score in scores.items():
        if score.reads and name != TOGETHER:
            found = summarise_lines(score.lines)
            of_found, of_all = found.of_found_lines, found.of_all_lines
            rows.append(
                (
                    name,
                    found.lines,
                    found.line_recall,
                    found.exact_lines,
                    found.exact_lines_without_spaces,
                    of_found.cer,
                    of_found.cer_without_spaces,
                    of_found.wer,
                    of_found.wer_without_spaces,
                    of_all.cer,
                    found.stray_pieces,
                )
            )
    titles = (
        "line recall",
        "exact lines",
        "exact, no spaces",
        "CER",
        "CER, no spaces",
        "WER",
        "WER, no spaces",
        "CER, missed lines too",
        "stray pieces",
    )
    columns = (Column("detector"), Column("lines", Unit.COUNT), *(Column(each, Unit.SHARE) for each in titles))
    note = "Error rates by jiwer after NFKC; of found lines unless it says otherwise. Stray: read where no line is."
    return Table("lines", "Text", columns, tuple(rows), note)


def _cost_table(scores: dict[str, DetectorScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, score in scores.items():
        if score.milliseconds and name != TOGETHER:
            spread: Spread = spread_of(score.milliseconds)
            rows.append(
                (
                    name,
                    spread.minimum,
                    spread.lower,
                    spread.median,
                    spread.upper,
                    spread.maximum,
                    score.resident / 2**20,
                )
            )
    titles = ("least", "lower quartile", "median", "upper quartile", "most")
    columns = (
        Column("detector"),
        *(Column(each, Unit.MILLISECONDS) for each in titles),
        Column("memory", Unit.MEBIBYTES),
    )
    note = "A whole screenshot, one thread; memory is that of a process that holds this detector and nothing else."
    return Table("cost", "Time and memory", columns, tuple(rows), note)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
