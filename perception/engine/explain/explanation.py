"""From a traced look to an explanation: one report for each stage, up to the one that dropped the element. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perception.engine.explain.model import ExplainStage, Explanation, StageOutcome, StageReport
from perception.engine.explain.page_stages import (
    hit_test_report,
    is_out_of_view,
    name_report,
    paint_report,
    walk_report,
)
from perception.engine.explain.phrases import describe, describe_hidden, describe_rect, find_index, quote
from perception.engine.explain.subject import Subject, WalkerExplanation
from perception.engine.explain.trace import LookTrace
from perception.fusion.regions import PlacedDetection, place_detections
from perception.geometry import Box, Point
from perception.render.redundancy import is_beyond_use
from perception.render.text import LinePlace
from perception.types import Element, Mode, Reach, View

SHOWN_DETECTIONS = 5
"""Detections that a report quotes."""


def explain(trace: LookTrace, subject: Subject) -> Explanation:
    """What became of a subject at each stage."""
    reports = list(_Explainer(trace, subject).reports())
    last = reports[-1]
    element = None if last.outcome is StageOutcome.DROPPED else _listed_element(trace, subject)
    if element is None:
        return Explanation(f"not listed: {last.reason}", None, tuple(reports))
    remarks = [each.reason for each in reports if each.outcome is StageOutcome.CHANGED]
    return Explanation(
        f"listed as {describe(element)}" + "".join(f"; {each}" for each in remarks), element, tuple(reports)
    )


def _listed_element(trace: LookTrace, subject: Subject) -> Element | None:
    index = find_index(trace.presented.listed, subject)
    return None if index < 0 else trace.presented.listed[index]


@dataclass(frozen=True, slots=True)
class _Explainer:
    trace: LookTrace
    subject: Subject

    def reports(self) -> Iterator[StageReport]:
        """The stages in order; ends after one that dropped the subject."""
        for report in self._all():
            yield report
            if report.outcome is StageOutcome.DROPPED:
                return

    def _all(self) -> Iterator[StageReport]:
        if self.subject.walker is not None and self.trace.options.mode is not Mode.VISION:
            facts = self.subject.walker
            yield walk_report(facts)
            yield paint_report(facts)
            yield name_report(facts, self.trace, self.subject)
            yield hit_test_report(facts)
        else:
            why = "only vision sees it" if self.subject.walker is None else "mode VISION uses pixels alone"
            for stage in (ExplainStage.WALK, ExplainStage.PAINT, ExplainStage.NAME, ExplainStage.HIT_TEST):
                yield StageReport(stage, StageOutcome.SKIPPED, why)
        yield self._scope()
        yield self._ref()
        yield self._residual()
        yield self._detect()
        yield self._fuse()
        yield self._view()
        yield from self._text()

    # What the engine decided.

    def _scope(self) -> StageReport:
        options = self.trace.options
        if (
            self.subject.walker is not None
            and options.mode is not Mode.VISION
            and find_index(self.trace.assigned, self.subject) < 0
        ):
            return self._out_of_scope(self.subject.walker)
        if options.root is not None and find_index(self.trace.fused, self.subject) >= 0 > find_index(
            self.trace.rooted, self.subject
        ):
            return StageReport(ExplainStage.SCOPE, StageOutcome.DROPPED, f"it is outside of the root, {options.root}")
        return StageReport(ExplainStage.SCOPE, StageOutcome.PASSED, f"it is in scope: {options.scope.value}")

    def _out_of_scope(self, facts: WalkerExplanation) -> StageReport:
        numbers = (("box_px", describe_rect(facts.box)), ("viewport_px", describe_rect(facts.viewport)))
        if facts.structure:
            return StageReport(
                ExplainStage.SCOPE,
                StageOutcome.DROPPED,
                "only digests and compact texts list such a container",
                numbers,
            )
        if is_out_of_view(facts, self.trace):
            return StageReport(
                ExplainStage.SCOPE,
                StageOutcome.DROPPED,
                "it is out of view: scroll to it, or ask with scope PAGE",
                numbers,
            )
        skipped = "; ".join(f"{each.name}: {each.reason}" for each in self.trace.capture.skipped)
        why = (
            f"the look left something out: {skipped}"
            if skipped
            else "nothing of it is left to show, or it is clipped away"
        )
        return StageReport(ExplainStage.SCOPE, StageOutcome.DROPPED, why, numbers)

    def _ref(self) -> StageReport:
        index = find_index(self.trace.fused, self.subject)
        if index < 0:
            return StageReport(ExplainStage.REF, StageOutcome.SKIPPED, "no element is of this place alone")
        ref = self.trace.fused[index].ref
        if ref:
            return StageReport(ExplainStage.REF, StageOutcome.PASSED, f"it is {ref}")
        return StageReport(ExplainStage.REF, StageOutcome.PASSED, "it gets no ref: there is nothing to act on")

    def _box(self) -> Box | None:
        """Where it is, CSS px of the viewport."""
        if self.subject.vision is not None:
            return self.subject.vision.box
        index = find_index(self.trace.assigned, self.subject)
        if index >= 0:
            return self.trace.assigned[index].box
        point = self.subject.point
        return None if point is None else Box(point.x, point.y, point.x, point.y)

    def _residual(self) -> StageReport:
        if self.trace.unexplained is None:
            return StageReport(ExplainStage.RESIDUAL, StageOutcome.SKIPPED, "mode TEXT looks at no pixels")
        box, regions = self._box(), self.trace.unexplained.regions
        numbers = (("regions", str(len(regions))),)
        if box is None:
            return StageReport(ExplainStage.RESIDUAL, StageOutcome.SKIPPED, "its place is not known", numbers)
        held = [each for each in regions if each.box.contains(box.center)]
        if not held:
            return StageReport(
                ExplainStage.RESIDUAL,
                StageOutcome.PASSED,
                "the page explains its pixels: vision does not look there",
                numbers,
            )
        inner = min(held, key=lambda each: each.box.area)
        why = f": {inner.why.value}"
        return StageReport(
            ExplainStage.RESIDUAL,
            StageOutcome.PASSED,
            f"vision looks at a region of {inner.box.width:.0f} × {inner.box.height:.0f} px there{why}",
            numbers,
        )

    def _detect(self) -> StageReport:
        if self.trace.detected is None:
            return StageReport(ExplainStage.DETECT, StageOutcome.SKIPPED, "mode TEXT runs no detector")
        skipped = tuple((f"skipped {each.name}", each.reason) for each in self.trace.detected.skipped)
        here = self._detections()
        if not here:
            return StageReport(ExplainStage.DETECT, StageOutcome.PASSED, "detectors found nothing there", skipped)
        best = sorted(here, key=lambda each: -each.score)[:SHOWN_DETECTIONS]
        said = ", ".join(
            f"{quote(each.text) if each.text else each.label or 'a box'} ({each.score:.2f})" for each in best
        )
        return StageReport(
            ExplainStage.DETECT, StageOutcome.PASSED, f"detectors found {said}", (("found", str(len(here))), *skipped)
        )

    def _detections(self) -> list[PlacedDetection]:
        box, point = self._box(), self.subject.point
        if self.trace.detected is None or box is None:
            return []
        placed = [each for seen in self.trace.detected.regions for each in place_detections(seen)]
        if point is not None:
            return [each for each in placed if each.box.contains(point)]
        return [each for each in placed if box.contains(each.box.center)]

    def _fuse(self) -> StageReport:
        index = find_index(self.trace.fused, self.subject)
        if self.trace.detected is None or index < 0:
            return self._fused_at_point()
        element = self.trace.fused[index]
        before = find_index(self.trace.assigned, self.subject)
        numbers = (
            ("sources", ", ".join(each.name for each in element.sources)),
            ("confidence", f"{element.confidence:.2f}"),
        )
        if before < 0:
            return StageReport(
                ExplainStage.FUSE, StageOutcome.PASSED, f"only vision sees it: {describe(element)}", numbers
            )
        if self.subject.point is not None and (here := self._vision_at(self.subject.point)):
            said = ", ".join(describe(each) for each in here)
            return StageReport(ExplainStage.FUSE, StageOutcome.CHANGED, f"vision lists there: {said}", numbers)
        old = self.trace.assigned[before]
        if old.name != element.name:
            return StageReport(
                ExplainStage.FUSE,
                StageOutcome.CHANGED,
                f"it gets its name from its pixels: {quote(element.name)}",
                numbers,
            )
        if old.visible and not element.visible:
            return StageReport(
                ExplainStage.FUSE, StageOutcome.CHANGED, "its text is not in the picture: no person sees it", numbers
            )
        return StageReport(ExplainStage.FUSE, StageOutcome.PASSED, "vision changes nothing about it", numbers)

    def _vision_at(self, point: Point) -> list[Element]:
        return [each for each in self.trace.fused if each.ref.startswith("v") and each.box.contains(point)]

    def _fused_at_point(self) -> StageReport:
        point = self.subject.point
        if self.trace.detected is None:
            return StageReport(ExplainStage.FUSE, StageOutcome.SKIPPED, "mode TEXT fuses nothing")
        here = self._vision_at(point) if point is not None else []
        said = ", ".join(describe(each) for each in here)
        reason = f"vision lists there: {said}" if said else "no element comes of it"
        return StageReport(ExplainStage.FUSE, StageOutcome.PASSED if said else StageOutcome.DROPPED, reason)

    # What the text shows.

    def _view(self) -> StageReport:
        view = self.trace.options.view
        index = find_index(self.trace.presented.listed, self.subject)
        if index >= 0:
            return self._view_of(index)
        at = find_index(self.trace.rooted, self.subject)
        if at < 0:
            return StageReport(ExplainStage.VIEW, StageOutcome.DROPPED, "no element of the list is of this place alone")
        return StageReport(ExplainStage.VIEW, StageOutcome.DROPPED, _why_not_in_view(self.trace.rooted[at], view))

    def _view_of(self, index: int) -> StageReport:
        listed, view = self.trace.presented.listed, self.trace.options.view
        said_with = self.trace.presented.text.place_of(index).said_with
        if said_with < 0:
            return StageReport(ExplainStage.VIEW, StageOutcome.PASSED, f"view {view.name} lists it")
        element = listed[index]
        if not element.visible and not element.interactive:
            facts = self.subject.walker
            hidden = (
                f": {describe_hidden(facts.hidden_by)}" if facts is not None and facts.hidden_by is not None else ""
            )
            return StageReport(
                ExplainStage.VIEW,
                StageOutcome.DROPPED,
                f"no person sees it{hidden}; the text leaves it out",
            )
        reason = f"its line would say nothing that {describe(listed[said_with])} does not"
        if is_beyond_use(element):
            reason = "no person sees it, no click reaches it, and it is not a field; the text leaves it out"
        return StageReport(ExplainStage.VIEW, StageOutcome.DROPPED, reason)

    def _text(self) -> Iterator[StageReport]:
        index = find_index(self.trace.presented.listed, self.subject)
        place = self.trace.presented.text.place_of(index)
        yield _fold_report(place)
        yield self._budget_report(place)

    def _budget_report(self, place: LinePlace) -> StageReport:
        limit = self.trace.options.max_tokens
        numbers = (("max_tokens", str(limit) if limit else "no limit"), ("page", str(place.page)))
        if place.page:
            return StageReport(
                ExplainStage.BUDGET,
                StageOutcome.CHANGED,
                f"the token budget puts it on page {place.page + 1}: use the cursor",
                numbers,
            )
        return StageReport(ExplainStage.BUDGET, StageOutcome.PASSED, "its line is on the first page", numbers)


def _fold_report(place: LinePlace) -> StageReport:
    if place.folded_into:
        return StageReport(
            ExplainStage.FOLD,
            StageOutcome.CHANGED,
            f"its line is folded into one of a run of alike lines: {quote(place.folded_into)}",
        )
    return StageReport(ExplainStage.FOLD, StageOutcome.PASSED, "its line is not folded")


def _why_not_in_view(element: Element, view: View) -> str:
    if view is View.DIGEST:
        return "a digest has a line for each region, not for each element"
    if view is View.INTERACTIVE and not element.interactive:
        return "view INTERACTIVE lists what can be acted on, and headings: ask with view FULL"
    if view is View.INTERACTIVE and element.reach is Reach.NEVER:
        return "view INTERACTIVE leaves out what no click can ever reach"
    return f"{describe(element)} has no name and nothing to operate: a line for it would say nothing"
