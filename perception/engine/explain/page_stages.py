"""Reports of the walker's stages: what it decided about a node of the page."""

from __future__ import annotations

from perception.engine.explain.model import ExplainStage, StageOutcome, StageReport
from perception.engine.explain.phrases import describe, describe_hidden, describe_rect, keys_of, px, quote
from perception.engine.explain.subject import Subject, WalkerExplanation
from perception.engine.explain.trace import LookTrace
from perception.types import Element, Scope

MIN_OPACITY = 0.05
"""Below it nothing is seen (walker, visibility)."""


def walk_report(facts: WalkerExplanation) -> StageReport:
    if facts.not_walked:
        why = facts.not_walked if facts.hidden_by is None else describe_hidden(facts.hidden_by)
        return StageReport(ExplainStage.WALK, StageOutcome.DROPPED, f"{facts.shown_as} is not walked: {why}")
    return StageReport(ExplainStage.WALK, StageOutcome.PASSED, f"the walker enters {facts.shown_as}")


def paint_report(facts: WalkerExplanation) -> StageReport:
    left, top, right, bottom = facts.box
    numbers = (
        ("opacity", f"{facts.opacity:g}"),
        ("width_px", px(right - left)),
        ("height_px", px(bottom - top)),
        ("clipped_to", "nothing" if facts.clipped is None else describe_rect(facts.clipped)),
    )
    reason = ""
    if facts.hidden_by is not None:
        reason = describe_hidden(facts.hidden_by)
    elif facts.opacity < MIN_OPACITY:
        reason = f"it is transparent: opacity {facts.opacity:g}"
    elif right - left < 1 or bottom - top < 1:
        reason = f"it has no size: {px(right - left)} × {px(bottom - top)} px"
    elif facts.clipped is None:
        reason = "all of it is clipped away by what contains it"
    if reason:
        return StageReport(ExplainStage.PAINT, StageOutcome.CHANGED, f"no person sees it: {reason}", numbers)
    return StageReport(ExplainStage.PAINT, StageOutcome.PASSED, "it is painted", numbers)


def name_report(facts: WalkerExplanation, trace: LookTrace, subject: Subject) -> StageReport:
    numbers = (("role", facts.role), ("name", facts.name), ("interactive", facts.interactive or "no"))
    named = f"{facts.role} {quote(facts.name)}" if facts.name else f"{facts.role} without a name"
    if facts.listed:
        outcome = StageOutcome.PASSED if facts.name or not facts.interactive else StageOutcome.CHANGED
        return StageReport(ExplainStage.NAME, outcome, named, numbers)
    if facts.structure:
        return StageReport(
            ExplainStage.NAME, StageOutcome.CHANGED, f"{named}: a container that only digests list", numbers
        )
    if facts.silenced and (speaker := _speaker(facts, trace, subject)) is not None:
        reason = f"{named} has no row of its own: {describe(speaker)} says what is in it"
        return StageReport(ExplainStage.NAME, StageOutcome.DROPPED, reason, numbers)
    if any(each.node in keys_of(subject) for each in trace.capture.elements):
        return StageReport(ExplainStage.NAME, StageOutcome.CHANGED, f"{named}: only its text has a row", numbers)
    if is_out_of_view(facts, trace):
        return StageReport(
            ExplainStage.NAME, StageOutcome.CHANGED, f"{named}: out of view only controls are named", numbers
        )
    why = "it is not a control, heading, picture or named container, and has no text of its own"
    if facts.hidden_by is not None:
        why = describe_hidden(facts.hidden_by)
    return StageReport(ExplainStage.NAME, StageOutcome.DROPPED, f"{named} has no row of its own: {why}", numbers)


def _speaker(facts: WalkerExplanation, trace: LookTrace, subject: Subject) -> Element | None:
    if not facts.speaker:
        return None
    key = subject.key(facts.speaker)
    return next((each for each in trace.fused if each.node == key), None)


def hit_test_report(facts: WalkerExplanation) -> StageReport:
    if not facts.interactive:
        return StageReport(ExplainStage.HIT_TEST, StageOutcome.SKIPPED, "it is not a target for clicks")
    if facts.point is not None:
        x, y = facts.point
        return StageReport(
            ExplainStage.HIT_TEST, StageOutcome.PASSED, f"a click at ({px(x)}, {px(y)}) of its frame lands on it"
        )
    if facts.blocker:
        return StageReport(ExplainStage.HIT_TEST, StageOutcome.CHANGED, f"covered by {facts.blocker}")
    if not facts.in_viewport:
        return StageReport(ExplainStage.HIT_TEST, StageOutcome.CHANGED, "out of view: it is not hit-tested there")
    why = "it is inert" if facts.inert else "no point of it takes a click"
    return StageReport(ExplainStage.HIT_TEST, StageOutcome.CHANGED, f"no click reaches it: {why}")


def is_out_of_view(facts: WalkerExplanation, trace: LookTrace) -> bool:
    """Whether the request is limited to the viewport, and the element is outside of it."""
    return trace.options.scope is Scope.VIEWPORT and not facts.in_viewport
