"""One look with all that its stages made, kept side by side."""

from __future__ import annotations

from dataclasses import dataclass

from perception.deadline import Deadline
from perception.engine.detect import Detected
from perception.engine.interpret import Unexplained, interpret
from perception.engine.request import SnapshotOptions
from perception.engine.snapshot import EngineContext, capture_page, keep_members, present_elements, settle_page
from perception.instrumentation.stages import Stages
from perception.render.present import Presented
from perception.types import Capture, Element


@dataclass(frozen=True, slots=True)
class LookTrace:
    """What each stage of a look made.

    Attributes:
        options: what was asked for.
        capture: the whole tab, before scope and refs; no elements in mode VISION.
        assigned: elements in scope, with refs.
        unexplained: what detectors were to look at; None in mode TEXT.
        detected: what they found; None in mode TEXT.
        fused: elements after fusion, with refs; those in scope in mode TEXT.
        rooted: of these, those in the root.
        presented: what the view lists, and its text.
    """

    options: SnapshotOptions
    capture: Capture
    assigned: tuple[Element, ...]
    unexplained: Unexplained | None
    detected: Detected | None
    fused: tuple[Element, ...]
    rooted: tuple[Element, ...]
    presented: Presented


async def trace_look(context: EngineContext, options: SnapshotOptions, deadline: Deadline) -> LookTrace:
    """Looks as `take_snapshot` does, and keeps what each stage made. Nothing is served from or kept in the cache."""
    tab, refs, stages = context.tab, context.refs, Stages()
    await settle_page(tab, options.settle_s, stages, deadline)
    captured = await capture_page(tab, refs, options, stages, deadline)
    made = await interpret(context.interpreting(stages, deadline), captured.capture, options)
    rooted = keep_members(made.elements, captured.membership)
    presented = present_elements(rooted, refs, tab.tab_id, options)
    return LookTrace(
        options, captured.capture, made.assigned, made.unexplained, made.detected, made.elements, rooted, presented
    )
