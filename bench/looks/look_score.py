"""Scores a list of elements against the truth of its sample. Pure.

Rule 1: our lists and the peers' are judged alike, by node if both name it, else by box, else by click point.
Rule 2: a measure is a pair of counts, so that samples add up; if it does not apply it is absent, not 0.
Rule 3: what cannot be verified is neither right nor wrong: elements that vision finds in a page's own picture, whose
content nothing lists, are counted separately.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from rapidfuzz import fuzz

from perception.bench.looks.control_recall import recall_of
from perception.bench.looks.grounding_policy import Choice, choose, click_point
from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.scores import Score, Tally
from perception.datasets.sample import Sample, TextLine, TruthElement
from perception.datasets.truth.instructions import fold
from perception.fusion.label_hints import SIDE_GAP, TICKS
from perception.geometry import Box, Boxes, Point, coverage, iou, stack
from perception.types import Source

GroundingPolicy = Callable[[str, LookOutput], Choice | None]

SAME_BOX = 0.5
"""Intersection over union from which a listed box matches a true one: the usual threshold of box benchmarks."""

LARGEST = 6.0
"""A listed box that is this many times larger than a true one does not match it, even if its center is inside."""

SAME_NAME = 85.0
"""Similarity (rapidfuzz ratio, 0 … 100) from which a name matches the true one: an OCR error in one letter of seven."""

VISION = {Source.OCR, Source.DETECTOR}


class LookMeasure(StrEnum):
    """The measures; `HIGHER_IS_BETTER` has their directions."""

    RECALL = "reachable recall"
    PRECISION = "reachable precision"
    GHOSTS = "unreachable listed as reachable"
    NAMED = "named share"
    NAMES = "right names"
    FOUND = "controls by role and name"
    FOUND_BY_NAME = "controls by name"
    LINES = "text lines"
    VISION_ADDED = "vision elements"
    VISION_PRECISION = "vision precision"
    UNVERIFIABLE = "unverifiable vision elements"
    LISTED = "listed elements"
    TOKENS = "tokens"
    FIRST = "first look ms"
    WARM = "warm look ms"
    FIRST_STAGES = "first look ms, after the capture"
    WARM_STAGES = "warm look ms, after the capture"
    GROUNDING = "grounding"
    LLM = "grounding by a language model"
    LLM_COST = "language model, cost of a task"


HIGHER_IS_BETTER: Mapping[LookMeasure, bool | None] = {
    LookMeasure.RECALL: True,
    LookMeasure.PRECISION: True,
    LookMeasure.GHOSTS: False,
    LookMeasure.NAMED: True,
    LookMeasure.NAMES: True,
    LookMeasure.FOUND: True,
    LookMeasure.FOUND_BY_NAME: True,
    LookMeasure.LINES: True,
    LookMeasure.VISION_ADDED: None,
    LookMeasure.VISION_PRECISION: True,
    LookMeasure.UNVERIFIABLE: None,
    LookMeasure.LISTED: None,
    LookMeasure.TOKENS: False,
    LookMeasure.FIRST: False,
    LookMeasure.WARM: False,
    LookMeasure.FIRST_STAGES: False,
    LookMeasure.WARM_STAGES: False,
    LookMeasure.GROUNDING: True,
    LookMeasure.LLM: True,
    LookMeasure.LLM_COST: False,
}
"""None: neither direction is better."""


TIMES = {
    LookMeasure.FIRST: "first",
    LookMeasure.WARM: "warm",
    LookMeasure.FIRST_STAGES: "first stages",
    LookMeasure.WARM_STAGES: "warm stages",
}
"""Keys of `LookOutput.milliseconds` by measure."""


@dataclass(frozen=True, slots=True)
class ListMatch:
    """Which listed element matches which true one. -1: none.

    Attributes:
        truth_of: (N,) for each listed element, an index into the truth.
        seen_of: (M,) for each true element, the index of the matching listed one.
    """

    truth_of: tuple[int, ...]
    seen_of: tuple[int, ...]


def match_elements(truth: Sequence[TruthElement], seen: Sequence[ListedElement]) -> ListMatch:
    """By node, else by the most similar box, else by the smallest true box that contains the click point."""
    nodes: dict[int, list[int]] = {}  # ids are per process: two frames may have the same
    for index, true in enumerate(truth):
        if true.backend_node_id is not None:
            nodes.setdefault(true.backend_node_id, []).append(index)
    true_boxes = stack(each.box for each in truth)
    boxes = stack(each.box or Box(0, 0, 0, 0) for each in seen)
    overlap = iou(boxes, true_boxes)
    sizes = (true_boxes[:, 2:] - true_boxes[:, :2]).prod(axis=1) if len(truth) else np.zeros(0)
    truth_of = []
    for index, each in enumerate(seen):
        same = [one for one in nodes.get(each.backend_node_id or -1, ()) if _meet(truth[one], each)]
        if same:
            truth_of.append(same[0])
        elif not len(truth) or each.box is None:
            truth_of.append(-1)
        elif overlap[index].max() >= SAME_BOX:
            truth_of.append(int(overlap[index].argmax()))
        else:
            truth_of.append(_holder(each, true_boxes, sizes))
    seen_of = [-1] * len(truth)
    # The most similar one matches, then the first listed.
    order = sorted(
        (index for index, found in enumerate(truth_of) if found >= 0),
        key=lambda index: (-float(overlap[index, truth_of[index]]), index),
    )
    for index in order:
        if seen_of[truth_of[index]] < 0:
            seen_of[truth_of[index]] = index
    return ListMatch(tuple(truth_of), tuple(seen_of))


def _meet(truth: TruthElement, seen: ListedElement) -> bool:
    """Whether their boxes overlap: those of one node do, though ours may be a part of Chromium's."""
    a, b = truth.box, seen.box
    return b is None or (a.left <= b.right and b.left <= a.right and a.top <= b.bottom and b.top <= a.bottom)


def _holder(each: ListedElement, true_boxes: Boxes, sizes: np.ndarray) -> int:
    point = click_point(each)
    assert each.box is not None
    if point is None:
        return -1
    x, y = point
    holds = (true_boxes[:, 0] <= x) & (x < true_boxes[:, 2]) & (true_boxes[:, 1] <= y) & (y < true_boxes[:, 3])
    holds &= each.box.area <= LARGEST * sizes
    return int(np.where(holds, sizes, np.inf).argmin()) if holds.any() else -1


def score_look(sample: Sample, seen: LookOutput, decide: GroundingPolicy = choose) -> Score:
    """All measures of one look. A failed look has none: it is reported as a failure.

    Args:
        decide: chooses the element that an instruction means.
    """
    tallies: dict[str, Tally] = {
        LookMeasure.TOKENS: Tally(seen.tokens, 1),
        **{measure: Tally(seen.milliseconds[name], 1) for measure, name in TIMES.items() if name in seen.milliseconds},
    }
    outcomes: dict[str, tuple[bool, ...]] = {}
    if sample.complete and (recall := recall_of(sample, seen)) is not None:
        tallies |= {LookMeasure.FOUND: recall.pairs, LookMeasure.FOUND_BY_NAME: recall.names}
    if sample.complete and seen.placed:
        tallies |= _score_list(sample, [each for each in seen.elements if each.in_viewport])
    if sample.tasks and seen.placed:
        outcomes[LookMeasure.GROUNDING] = tuple(
            _lands(decide(task.instruction, seen), task.box) for task in sample.tasks
        )
        tallies[LookMeasure.GROUNDING] = Tally(sum(outcomes[LookMeasure.GROUNDING]), len(sample.tasks))
    return Score(
        sample=seen.sample,
        who=seen.who,
        page=sample.page,
        category=sample.category,
        stratum=sample.stratum.value,
        tallies=tallies,
        outcomes=outcomes,
        id=seen.id,
        source=sample.source,
    )


def _lands(choice: Choice | None, box: Box) -> bool:
    return choice is not None and box.contains(Point(*choice.point))


def _score_list(sample: Sample, seen: Sequence[ListedElement]) -> dict[str, Tally]:
    truth = sample.truth
    offered = [each for each in seen if each.interactive and each.reachable]
    match = match_elements(truth, offered)
    reachable = [index for index, each in enumerate(truth) if each.reachable]
    found = [index for index in reachable if match.seen_of[index] >= 0]
    hidden = [index for index, each in enumerate(truth) if each.reachable is False]
    tallies = {
        LookMeasure.LISTED: Tally(len(seen), 1),
        LookMeasure.RECALL: Tally(len(found), len(reachable)),
        LookMeasure.NAMED: Tally(sum(bool(_says(offered[match.seen_of[index]])) for index in found), len(reachable)),
        LookMeasure.NAMES: Tally(
            sum(_is_named(truth[index].name, offered[match.seen_of[index]]) for index in found if truth[index].name),
            sum(bool(truth[index].name) for index in reachable),
        ),
        LookMeasure.LINES: Tally(sum(is_read(line, seen) for line in sample.lines), len(sample.lines)),
        LookMeasure.GHOSTS: Tally(sum(match.seen_of[index] >= 0 for index in hidden), len(hidden)),
        **_score_precision(sample, offered, match),
    }
    return {measure: tally for measure, tally in tallies.items() if tally.of}


def _score_precision(sample: Sample, offered: Sequence[ListedElement], match: ListMatch) -> dict[LookMeasure, Tally]:
    """How much of what is offered as reachable is reachable: page elements and elements that only vision saw,
    separately."""
    right = wrong = vision_right = vision_wrong = unverifiable = 0
    pictures = stack(sample.unknown)
    for each, index in zip(offered, match.truth_of, strict=True):
        is_true = index >= 0 and sample.truth[index].reachable is not False
        if not is_vision_only(each):
            right, wrong = right + is_true, wrong + (not is_true)
        elif is_true or any(_is_same_place(each, line.box) for line in sample.lines):
            vision_right += 1
        elif each.box is not None and _lies_in(each.box, pictures):
            unverifiable += 1
        else:
            vision_wrong += 1
    added = vision_right + vision_wrong + unverifiable
    return {
        LookMeasure.PRECISION: Tally(right, right + wrong),
        LookMeasure.VISION_ADDED: Tally(added, 1),
        LookMeasure.VISION_PRECISION: Tally(vision_right, vision_right + vision_wrong),
        LookMeasure.UNVERIFIABLE: Tally(unverifiable, 1),
    }


def is_vision_only(element: ListedElement) -> bool:
    """Whether it was found in pixels only."""
    return bool(element.sources) and set(element.sources) <= VISION


def _lies_in(box: Box, pictures: Boxes) -> bool:
    return bool(len(pictures)) and float(coverage(stack([box]), pictures).max()) >= 0.5


def _is_same_place(element: ListedElement, box: Box) -> bool:
    """Whether the center of one is inside the other, and neither is much larger."""
    if element.box is None:
        return False
    a, b = element.box, box
    near = b.contains(a.center) or a.contains(b.center)
    return near and max(a.area, b.area) <= LARGEST * max(1.0, min(a.area, b.area))


def _says(element: ListedElement) -> str:
    return element.name or element.text or element.value


def _is_named(name: str, element: ListedElement) -> bool:
    wanted = fold(name)
    said = [fold(each) for each in (element.name, element.text, element.value) if each]
    if not wanted:
        return bool(said)
    return any(fuzz.ratio(wanted, each) >= SAME_NAME for each in said)


def _is_label_of(line: Box, element: ListedElement) -> bool:
    box = element.box
    if box is None or element.role not in TICKS or not box.top < line.center.y < box.bottom:
        return False
    return 0 <= max(line.left - box.right, box.left - line.right) <= SIDE_GAP


def is_read(line: TextLine, seen: Sequence[ListedElement]) -> bool:
    """Whether a listed element has a line's text at its position, or a part of the list without boxes has it. A tick
    has the line beside it: that is its name."""
    wanted = fold(line.text)
    for each in seen:
        if each.box is not None and each.box.intersect(line.box) is None and not _is_label_of(line.box, each):
            continue
        for said in (each.name, each.text, each.value):
            folded = fold(said)
            if (
                wanted in folded
                if len(wanted) < 4
                else fuzz.partial_ratio(wanted, folded) >= SAME_NAME and len(folded) >= len(wanted) * 0.8
            ):
                return True
    return False
