"""From a capture to its elements: refs → residual → detect → fuse → icons. The same for a tab and a stored sample.

Each stage is timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import DetectorPool
from perception.engine.detect import Detected, detect
from perception.engine.detect_context import DetectContext
from perception.engine.drawn_grids import with_grids
from perception.engine.last_look import LastLook
from perception.engine.name_icons import name_icons
from perception.engine.request import SnapshotOptions
from perception.fusion.blank_boxes import drop_blank_boxes
from perception.fusion.cell_boxes import drop_in_cells
from perception.fusion.fuse import fuse
from perception.fusion.ink import mark_unseen
from perception.fusion.parameters import FusionParameters
from perception.fusion.photographs import drop_in_photographs
from perception.fusion.residual import find_residual, hide_explained, whole_viewport
from perception.fusion.tick_shapes import without_false_ticks
from perception.fusion.word_pieces import drop_pieces_of_words
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.render.present import tells_regions
from perception.render.select import in_scope
from perception.types import Capture, Element, Mode, Region, Screenshot, Skipped


@dataclass(frozen=True, slots=True)
class Unexplained:
    """What detectors are to look at.

    Attributes:
        capture: with what its pixels do not show marked as unseen.
        screenshot: with what the page explains painted over.
        regions: parts of the viewport that the page does not explain.
    """

    capture: Capture
    screenshot: Screenshot
    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Interpreted:
    """What the stages of an interpretation made.

    Attributes:
        assigned: elements in scope, with refs.
        unexplained: what detectors were to look at; None in mode TEXT.
        detected: what they found; None in mode TEXT.
        elements: after fusion, with refs; `assigned` in mode TEXT.
        skipped: what capture and detectors left out.
    """

    assigned: tuple[Element, ...]
    unexplained: Unexplained | None
    detected: Detected | None
    elements: tuple[Element, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class InterpretContext:
    """What an interpretation works with.

    Attributes:
        tab_id: of the tab.
        refs: of the session; elements get theirs.
        memory: what detectors saw in the last frame of each tab; it is updated.
        pool: detectors.
        stages: takes the time that each stage needs.
        deadline: of the look.
    """

    tab_id: str
    refs: RefTable
    memory: DetectionCache
    pool: DetectorPool
    stages: Stages
    deadline: Deadline

    def detecting(self, names: Sequence[str]) -> DetectContext:
        """What these detectors work with."""
        frame = self.memory.of_tab(self.tab_id)
        return DetectContext(names, self.pool, self.memory.crops, frame, self.stages, self.deadline)


async def interpret(
    context: InterpretContext, capture: Capture, options: SnapshotOptions, last_look: LastLook | None = None
) -> Interpreted:
    """The elements in the scope that was asked for, with refs, and what each stage made of them.

    Args:
        context: of the look.
        capture: with a screenshot, unless the mode is TEXT; without elements where it is VISION.
        last_look: of the tab; None where it is not known.
    """
    refs, tab_id, stages = context.refs, context.tab_id, context.stages
    capture = assign_refs(capture, refs, tab_id, options, last_look)
    if options.mode is Mode.TEXT:
        return Interpreted(capture.elements, None, None, capture.elements, capture.skipped)
    left = find_unexplained(capture, options, stages)
    detecting = context.detecting(options.detectors)
    detected = await detect(detecting, left.screenshot, left.regions, left.capture.elements, left.capture.language)
    fused = fuse_detected(left.capture, detected, options.fusion, stages)
    shot = capture.screenshot or left.screenshot
    named = await name_icons(detecting, fused, shot)
    elements = refs.assign_vision(tab_id, left.capture, named.elements)
    skipped = capture.skipped + detected.skipped + named.skipped
    return Interpreted(capture.elements, left, detected, elements, skipped)


def assign_refs(
    capture: Capture, refs: RefTable, tab_id: str, options: SnapshotOptions, last_look: LastLook | None = None
) -> Capture:
    """The capture limited to the scope that was asked for, its elements with refs."""
    structures = tells_regions(options.view, options.style, options.max_tokens)
    moved = last_look.scope if last_look is not None else None
    elements = in_scope(capture.elements, options.scope, structures=structures, moved=moved)
    return replace(capture, elements=refs.assign(tab_id, elements))


def find_unexplained(capture: Capture, options: SnapshotOptions, stages: Stages) -> Unexplained:
    """The residual in mode FUSED, the whole viewport in mode VISION. `capture` has a screenshot."""
    assert capture.screenshot is not None
    if options.mode is not Mode.FUSED:
        return Unexplained(capture, capture.screenshot, (whole_viewport(capture.viewport),))
    with stages.stage("residual") as span:
        capture = replace(capture, elements=mark_unseen(capture))
        screenshot, regions = hide_explained(capture, find_residual(capture, options.fusion), options.fusion)
        span.set_attribute("perception.regions", len(regions))
    return Unexplained(capture, screenshot, regions)


def fuse_detected(
    capture: Capture, detected: Detected, parameters: FusionParameters, stages: Stages
) -> tuple[Element, ...]:
    """One list of what the page says and what detectors found."""
    with stages.stage("fuse"):
        regions = detected.regions
        if capture.screenshot is not None:
            regions = drop_blank_boxes(drop_in_photographs(regions, capture.screenshot), capture.screenshot)
            regions = drop_pieces_of_words(without_false_ticks(regions, capture.screenshot), capture.screenshot)
            regions = drop_in_cells(with_grids(regions, capture.screenshot), capture.screenshot)
        return fuse(capture.elements, regions, parameters)
