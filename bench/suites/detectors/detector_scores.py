"""The `detectors` suite: every installed detector looks at whole screenshots; boxes and lines against the truth.

Each detector runs in processes of its own, so that time and memory are measured separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.bench.comparison.paired import LATENCY_MARGIN, RULES, ComparisonRule, Scale
from perception.bench.detector_outputs import detector_outputs_of, found_boxes, read_lines, true_boxes
from perception.bench.looks.stored_looks import items_of
from perception.bench.memory_meter import StageCost
from perception.bench.metrics.box_matching import BoxCounts, ScoredBoxes, box_tallies, count_boxes
from perception.bench.metrics.line_matching import LineCounts, count_lines, line_tallies
from perception.bench.report.run_notes import left_out
from perception.bench.run_store import Run
from perception.bench.sample_worker import DetectorOutput, read_pixels
from perception.bench.scores import Score, Tally
from perception.datasets.sample import Item, Sample, TextLine
from perception.detectors.edges import find_steps
from perception.fusion.fuse import fuse
from perception.fusion.regions import SeenRegion
from perception.fusion.residual import whole_viewport
from perception.geometry import Boxes, stack
from perception.types import Detections, Element, Pixels

BOXES = "boxes_per_image"

CONTOUR_STEP = 14
"""Least difference of adjacent pixels, of 255 in any channel, that is an outline: `#f0f0f0` next to white is 15."""

MILLISECONDS = "ms"

FALLING = ("stray_", "cer_", "wer_")
"""Prefixes of names, as `line_tallies` returns them, for which less is better."""

TOGETHER, SERVED, ACTS, PLAIN_CONTOURS = "together", "served", "served to act on", "plain contours + lines"
"""Additional rows: everything that the default detectors find; the list served from it for a look with pixels only,
text included, and without its text; and a simple peer: every contour larger than a speck, and the lines of the default
reader."""

PEER = ("onnx", "rapidocr")
"""A user's model with a built-in reader: also judged as one if both look."""

SPECK = 8
"""CSS px. Lower contours are letters."""


@dataclass(slots=True)
class DetectorScore:
    """One detector over a data set.

    Attributes:
        seen, found: images that it looked at, and boxes in them, with or without truth.
        images: input of AP, 80 bytes per box.
        pages: page and counts of each image, for intervals.
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


def score_detectors(
    runs: Sequence[Run], together: Sequence[str], home: Path
) -> tuple[dict[str, DetectorScore], tuple[str, ...]]:
    """Scores by detector, and lines on omissions.

    Args:
        runs: one for each detector, over the same data sets.
        together: names of detectors whose outputs are also scored as one.
    """
    scores = {run.facts.who[0]: DetectorScore() for run in runs}
    groups = {TOGETHER: tuple(together), " + ".join(PEER): PEER}
    groups = {name: whose for name, whose in groups.items() if len(whose) > 1 and set(whose) <= set(scores)}
    extra = (SERVED, ACTS, PLAIN_CONTOURS) if TOGETHER in groups else ()
    scores |= {name: DetectorScore() for name in (*groups, *extra)}
    skipped = [(f"{run.facts.who[0]}: {name}", why.reason) for run in runs for name, why in run.failures().items()]
    for item in items_of(runs[0], home):
        seen = {sight.who: sight for run in runs for sight in detector_outputs_of(run, item.id)}
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


def _judge_served(scores: dict[str, DetectorScore], item: Item, sights: Sequence[DetectorOutput]) -> None:
    """For complete truth only: what is served, with and without its text, and the simple peer."""
    elements = serve_seen(item.sample, sights)
    lines = [TextLine(each.name, each.box) for each in elements if each.name]
    for name, listed in ((SERVED, elements), (ACTS, [each for each in elements if each.interactive])):
        boxes, sure = stack(each.box for each in listed), np.asarray([each.confidence for each in listed], np.float32)
        _add(scores[name], item.sample, boxes, sure, lines if name == SERVED else [])
    read = [line.box for each in sights for line in read_lines(each, item.sample.viewport.scale)]
    boxes = np.concatenate([plain_contours(read_pixels(item), item.sample.viewport.scale), stack(read)])
    _add(scores[PLAIN_CONTOURS], item.sample, boxes, np.ones(len(boxes), np.float32), [])
    for name in (SERVED, ACTS, PLAIN_CONTOURS):
        scores[name].seen += 1
        scores[name].found = scores[name].boxes.found


def serve_seen(sample: Sample, sights: Sequence[DetectorOutput]) -> tuple[Element, ...]:
    """The list that a look with pixels only serves, from the outputs of detectors."""
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
    contours, _ = cv2.findContours(find_steps(pixels, 3, CONTOUR_STEP), cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    boxes = np.asarray([cv2.boundingRect(each) for each in contours], np.float32).reshape(-1, 4) / np.float32(scale)
    kept = (boxes[:, 2:].min(axis=1, initial=np.inf) >= SPECK) & (boxes[:, 2] * boxes[:, 3] < 0.9 * pixels[..., 0].size)
    boxes[:, 2:] += boxes[:, :2]
    return np.asarray(boxes[kept])


def _count(score: DetectorScore, sights: Sequence[DetectorOutput]) -> None:
    score.seen += 1
    score.found += sum(len(each.xyxy) for each in sights)
    for each in sights:
        for stage, cost in each.stages.items():
            score.costs.setdefault(stage, []).append(cost)


def _judge(score: DetectorScore, sample: Sample, sights: Sequence[DetectorOutput]) -> None:
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


def detector_scores(run: Run, home: Path) -> list[Score]:
    scores = []
    for item in items_of(run, home):
        sample = item.sample
        for sight in detector_outputs_of(run, item.id):
            boxes = count_boxes(true_boxes(sample), found_boxes([sight], sample.viewport.scale))
            lines = count_lines(sample.lines, read_lines(sight, sample.viewport.scale))
            tallies = {
                **box_tallies(boxes, complete=sample.complete),
                **(line_tallies(lines) if "text" in sight.kind else {}),
                MILLISECONDS: Tally(sight.stages["detect"].milliseconds, 1),
            }
            tallies = {name: tally for name, tally in tallies.items() if tally.of}
            names = sample.name, sight.who, sample.page, sample.category, sample.stratum.value
            scores.append(Score(*names, tallies, id=item.id))
    return list({score.sample: score for score in scores}.values())


def detector_rules(scores: Sequence[Score]) -> Mapping[str, ComparisonRule]:
    """How each measure is compared."""
    names = dict.fromkeys(name for score in scores for name in score.tallies)
    return {name: RULES.get(name) or _rule(name) for name in names}


def _rule(name: str) -> ComparisonRule:
    if name == MILLISECONDS:
        return ComparisonRule(False, Scale.PAGES, margin=LATENCY_MARGIN)
    if name == BOXES:
        return ComparisonRule(None)
    return ComparisonRule(not name.startswith(FALLING))
