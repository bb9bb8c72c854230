"""The measures of lists for reports: which are shares and which are costs, their definitions, and estimates."""

from __future__ import annotations

from collections.abc import Sequence

from perception.bench.comparison.paired import Difference, mean_interval
from perception.bench.looks.look_score import LookMeasure
from perception.bench.report.report_model import Estimate
from perception.bench.scores import Score

SHARES = (
    LookMeasure.RECALL,
    LookMeasure.PRECISION,
    LookMeasure.GHOSTS,
    LookMeasure.NAMED,
    LookMeasure.NAMES,
    LookMeasure.FOUND,
    LookMeasure.FOUND_BY_NAME,
    LookMeasure.LINES,
    LookMeasure.VISION_PRECISION,
    LookMeasure.GROUNDING,
    LookMeasure.LLM,
)
COSTS = (LookMeasure.TOKENS, LookMeasure.FIRST, LookMeasure.WARM)
COUNTS = (LookMeasure.LISTED, LookMeasure.VISION_ADDED, LookMeasure.UNVERIFIABLE, LookMeasure.LLM_COST)

NOTES = {
    LookMeasure.RECALL: "of what Chromium's hit test reaches, the share that the list offers as reachable",
    LookMeasure.PRECISION: "of the page's own elements that the list offers as reachable, the share that is",
    LookMeasure.GHOSTS: "of what Chromium's hit test does not reach, the share offered as reachable; lower is better",
    LookMeasure.NAMED: "of what is reachable, the share that is offered with a name or text",
    LookMeasure.NAMES: "of what is reachable and has a name, the share that is offered with that name",
    LookMeasure.FOUND: "of the reachable, named controls of Chromium's tree, the share whose role and name a line has",
    LookMeasure.FOUND_BY_NAME: "the same by name, whatever the role",
    LookMeasure.LINES: "of the visible lines of text, the share that the list says where they stand",
    LookMeasure.VISION_PRECISION: "of what only vision saw and can be verified, the share that is there",
    LookMeasure.GROUNDING: "of the instructions, the share for which the deterministic policy clicks into the true box",
    LookMeasure.LLM: "the same with a language model's choice",
    LookMeasure.LLM_COST: "in the currency of the prices that were given",
    LookMeasure.TOKENS: "o200k tokens of the text that a model is given",
    LookMeasure.FIRST: "the first look at a page, ms: taking it when the sample was made, and the stages in this run",
    LookMeasure.WARM: "a look at an unchanged page, ms: likewise",
    LookMeasure.FIRST_STAGES: "the part of the first look after the capture, in this run",
    LookMeasure.WARM_STAGES: "the part of a warm look after the capture, in this run",
    LookMeasure.LISTED: "elements in the list",
    LookMeasure.VISION_ADDED: "elements that only vision saw",
    LookMeasure.UNVERIFIABLE: "of those, in pictures whose content nobody lists",
}


def estimate_of(found: Difference) -> Estimate:
    """A difference as a cell; without an interval, the value only, and its verdict is the reason."""
    ends = (found.interval.low, found.interval.high) if found.interval else (found.value, found.value)
    return Estimate(found.value, *ends, str(found.verdict))


def mean_estimate(scores: Sequence[Score], measure: str) -> Estimate | None:
    """One side's mean with its interval over pages; None if nothing applies."""
    found = mean_interval(scores, measure)
    if found is None:
        return None
    value, interval = found
    return Estimate(value, interval.low, interval.high) if interval else Estimate(value, value, value)
