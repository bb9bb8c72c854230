"""The `detectors` suite: every installed detector looks at whole screenshots; boxes and lines against the truth.

Each detector runs in processes of its own, so that time and memory are its alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from perception.bench.memory import StageCost
from perception.bench.metrics.boxes import BoxCounts, ScoredBoxes, average_precision, count_boxes, summarise
from perception.bench.metrics.lines import LineCounts, count_lines, summarise_lines
from perception.bench.ran import left_out, memory_chart
from perception.bench.report.model import Cell, Column, Report, Table, Unit
from perception.bench.runstore import Run
from perception.bench.scoring import items_of
from perception.bench.stats import cluster_interval, spread_of
from perception.bench.work import Sighting, read_pixels
from perception.datasets.sample import Item, Sample, TextLine
from perception.detectors.marks import find_edges
from perception.detectors.registry import Registry
from perception.fusion.frames import SeenRegion
from perception.fusion.fuse import fuse
from perception.fusion.residual import whole_viewport
from perception.geometry import Box, Boxes, stack
from perception.types import Detections, Element, Pixels

TOGETHER, SERVED, ACTS, PLAIN = "together", "served", "served to act on", "plain contours + lines"
"""Rows of their own. What the detectors that are enabled by default see, all of it; the list that is served of it for
a look with pixels alone, text included, and without its text; and what a simple peer does: every contour that is no
speck, and the lines of the reader that is enabled by default."""

PEER = ("onnx", "rapidocr")
"""A model of one's own with a reader as it ships: also judged as one where both look."""

SPECK = 8
"""CSS px. Contours of a lower side are letters."""


@dataclass(slots=True)
class DetectorScore:
    """One detector over a data set.

    Attributes:
        seen, found: images that it looked at, and boxes in them; truth or not.
        images: what AP needs, 80 bytes a box.
        pages: of each image its page and counts, for intervals.
        costs: by stage, one for each image.
    """

    seen: int = 0
    found: int = 0
    boxes: BoxCounts = field(default_factory=BoxCounts)
    lines: LineCounts = field(default_factory=LineCounts)
    images: list[ScoredBoxes] = field(default_factory=list)
    pages: list[tuple[str, BoxCounts]] = field(default_factory=list)
    reads: bool = False
    costs: dict[str, list[StageCost]] = field(default_factory=dict)


def installed_detectors(names: Sequence[str] = ()) -> tuple[list[str], dict[str, str]]:
    """Those of the named detectors that can be used here, all for none; why not, for the others.

    Raises:
        UnknownDetectorError: there is none of a name.
    """
    registry = Registry.load()
    statuses = {name: registry.describe(name) for name in names or registry.names()}
    usable = [name for name, status in statuses.items() if status.installed]
    return usable, {name: status.missing for name, status in statuses.items() if not status.installed}


def default_detectors() -> tuple[str, ...]:
    """Those that the service asks unless it is told otherwise."""
    return Registry.load().defaults()


def score_detectors(
    runs: Sequence[Run], together: Sequence[str], home: Path
) -> tuple[dict[str, DetectorScore], tuple[str, ...]]:
    """Scores by detector, and lines on what was left out.

    Args:
        runs: one for each detector, over the same data sets.
        together: names of detectors whose sightings are also scored as one.
    """
    scores = {run.facts.who[0]: DetectorScore() for run in runs}
    groups = {TOGETHER: tuple(together), " + ".join(PEER): PEER}
    groups = {name: whose for name, whose in groups.items() if len(whose) > 1 and set(whose) <= set(scores)}
    extra = (SERVED, ACTS, PLAIN) if TOGETHER in groups else ()
    scores |= {name: DetectorScore() for name in (*groups, *extra)}
    skipped = [(f"{run.facts.who[0]}: {name}", why.reason) for run in runs for name, why in run.failures().items()]
    for item in items_of(runs[0], home):
        seen = {sight.who: sight for run in runs for sight in sightings_of(run, item.id)}
        if len(seen) < len(runs):
            continue  # only images that every detector has seen: the rows must be of the same images
        sights = {name: [sight] for name, sight in seen.items()}
        sights |= {name: [seen[each] for each in whose] for name, whose in groups.items()}
        for name, each in sights.items():
            _count(scores[name], each)
        if not item.sample.complete:
            skipped.append((item.sample.name, "its truth lists only some of what there is, or nothing"))
            continue
        for name, each in sights.items():
            _judge(scores[name], item.sample, each)
        if extra:
            _judge_served(scores, item, sights[TOGETHER])
    return scores, left_out(skipped)


def _judge_served(scores: dict[str, DetectorScore], item: Item, sights: Sequence[Sighting]) -> None:
    """Of complete truth only: what is served, all and without its text, and the simple peer beside it."""
    elements = serve_seen(item.sample, sights)
    lines = [TextLine(each.name, each.box) for each in elements if each.name]
    for name, listed in ((SERVED, elements), (ACTS, [each for each in elements if each.interactive])):
        boxes, sure = stack(each.box for each in listed), np.asarray([each.confidence for each in listed], np.float32)
        _add(scores[name], item.sample, boxes, sure, lines if name == SERVED else [])
    read = [line.box for each in sights for line in read_lines(each, item.sample.viewport.scale)]
    boxes = np.concatenate([plain_contours(read_pixels(item), item.sample.viewport.scale), stack(read)])
    _add(scores[PLAIN], item.sample, boxes, np.ones(len(boxes), np.float32), [])
    for name in (SERVED, ACTS, PLAIN):
        scores[name].seen += 1
        scores[name].found = scores[name].boxes.found


def serve_seen(sample: Sample, sights: Sequence[Sighting]) -> tuple[Element, ...]:
    """The list that a look with pixels alone serves of what detectors saw."""
    seen = tuple(
        Detections(
            each.who,
            np.asarray(each.xyxy, np.float32).reshape(-1, 4),
            np.asarray(each.score, np.float32),
            tuple(each.kind),
            tuple(each.text),
        )
        for each in sights
    )
    return fuse((), (SeenRegion(whole_viewport(sample.viewport), sample.viewport.scale, seen),))


def plain_contours(pixels: Pixels, scale: float) -> Boxes:
    """(N, 4) CSS px: the bounding box of every outline between a speck and the whole image."""
    contours, _ = cv2.findContours(find_edges(pixels), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    boxes = np.asarray([cv2.boundingRect(each) for each in contours], np.float32).reshape(-1, 4) / np.float32(scale)
    kept = (boxes[:, 2:].min(axis=1, initial=np.inf) >= SPECK) & (boxes[:, 2] * boxes[:, 3] < 0.9 * pixels[..., 0].size)
    boxes[:, 2:] += boxes[:, :2]
    return np.asarray(boxes[kept])


def sightings_of(run: Run, sample: str) -> Iterator[Sighting]:
    """What the run's detector saw in a sample, by its id."""
    for line in run.outputs(sample):
        yield msgspec.json.decode(line, type=Sighting)


def _count(score: DetectorScore, sights: Sequence[Sighting]) -> None:
    score.seen += 1
    score.found += sum(len(each.xyxy) for each in sights)
    for each in sights:
        for stage, cost in each.stages.items():
            score.costs.setdefault(stage, []).append(cost)


def _judge(score: DetectorScore, sample: Sample, sights: Sequence[Sighting]) -> None:
    scale = sample.viewport.scale
    sure = np.concatenate([np.asarray(each.score, np.float32) for each in sights])
    lines = [line for each in sights for line in read_lines(each, scale)]
    _add(score, sample, found_boxes(sights, scale), sure, lines)


def _add(
    score: DetectorScore, sample: Sample, boxes: Boxes, sure: NDArray[np.float32], lines: Sequence[TextLine]
) -> None:
    truth = true_boxes(sample)
    counts = count_boxes(truth, boxes)
    score.boxes += counts
    score.pages.append((sample.page, counts))
    score.images.append(ScoredBoxes(truth, boxes, sure))
    score.reads = score.reads or bool(lines)
    score.lines += count_lines(sample.lines, lines)


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
            "images": str(next(iter(scores.values())).seen),
            **facts.machine,
            "runs": ", ".join(run.facts.id for run in runs),
        },
        tables=tuple(
            table for table in (_boxes_table(scores), _lines_table(scores), _cost_table(scores)) if table.rows
        ),
        charts=(memory_chart(runs),),
        skipped=tuple(skipped),
        command=command,
        made=facts.started,
    )


def _say(name: str, score: DetectorScore) -> str:
    said = f"{name}: {score.seen:,} images, {score.found:,} boxes"
    if not score.boxes.images:
        return f"{said}; no truth to judge them by."
    found = summarise(score.boxes)
    recall = _say_interval(score.pages, lambda counts: (counts.centers_hit, counts.truth))
    precision = _say_interval(score.pages, lambda counts: (counts.centers_right, counts.found))
    return (
        f"{said}; centre recall {_percent(found.center_recall)}{recall}, "
        f"centre precision {_percent(found.center_precision)}{precision}."
    )


def _say_interval(pages: Sequence[tuple[str, BoxCounts]], share_of: Callable[[BoxCounts], tuple[int, int]]) -> str:
    """Where a share may lie when other pages are drawn; nothing for too few pages."""
    sums: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(2))
    for page, counts in pages:
        sums[page] += share_of(counts)
    interval = cluster_interval(np.asarray(list(sums.values())), lambda of: of[..., 0] / of[..., 1])
    return f" ({interval.low:.1%} to {interval.high:.1%})" if interval else ""


def _boxes_table(scores: dict[str, DetectorScore]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    notes = []
    for name, score in scores.items():
        if not score.boxes.images:
            continue
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
        for stage, costs in score.costs.items() if name != TOGETHER else ():
            spread = spread_of(cost.milliseconds for cost in costs)
            times = (spread.minimum, spread.lower, spread.median, spread.upper, spread.maximum)
            peaks = [cost.peak_bytes for cost in costs if cost.peak_bytes is not None]
            resident = max(cost.resident_bytes for cost in costs) / 2**20
            rows.append((name, stage, *times, resident, max(peaks) / 2**20 if peaks else None))
    titles = ("least", "lower quartile", "median", "upper quartile", "most")
    columns = (
        Column("detector"),
        Column("stage"),
        *(Column(each, Unit.MILLISECONDS) for each in titles),
        Column("memory after it", Unit.MEBIBYTES, "the most over images"),
        Column("peak in it", Unit.MEBIBYTES, "the most over images"),
    )
    note = (
        "A whole screenshot, one thread. Memory (RSS) is that of a process that holds this detector and nothing else; "
        "load is once in each of the processes."
    )
    return Table("cost", "Time and memory by stage", columns, tuple(rows), note)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
