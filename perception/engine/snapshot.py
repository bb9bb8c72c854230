"""One look at a tab, from request to answer, in a straight line.

settle → capture → (unchanged: the last snapshot again) → interpret (refs → residual → detect → fuse) → root → present
→ locate

Rule 1: the whole tab is captured for any root: refs and `nth` count over the whole document, and what vision
sees outside of the root keeps its refs.
Rule 2: after fusion the browser is visited once, by `locate`, for the elements that are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from perception.browser.browser_session import Tab
from perception.browser.capture.settle import settle
from perception.browser.input.hit_test import Membership, Root, ask_membership
from perception.browser.page.navigation import Settled
from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import DetectorPool
from perception.engine.cache import SnapshotCache
from perception.engine.interpret import InterpretContext, interpret
from perception.engine.last_look import LastLook
from perception.engine.locate import locate
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.target_lookup import find_root
from perception.engine.verify import verify
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.render.present import Presented, present
from perception.render.select import keep_indexed
from perception.snapshot import Snapshot
from perception.types import Capture, Element, Mode, Skipped


class ClaimableLook(Protocol):
    """A look that nobody had asked for when it began: `look_ahead`. `spent_ms`: what it took."""

    spent_ms: float

    async def leave_tab(self, options: SnapshotOptions, deadline: Deadline) -> None:
        """Returns when it does not use the tab any more."""

    async def claim(
        self, options: SnapshotOptions, capture: Capture, refs: RefTable, deadline: Deadline
    ) -> PresentedSnapshot | None:
        """Its snapshot, if a look with these options would show the same now; else None, and it has ended."""


@dataclass(frozen=True, slots=True)
class EngineContext:
    """What looks at a tab work with; all of it lasts longer than one look.

    Attributes:
        tab: the tab that is looked at. The caller holds its lock.
        refs, memory, cache: the session's.
        pool: detectors.
        ahead: a look at the tab that was taken before anyone asked, or is under way; None for none.
    """

    tab: Tab
    refs: RefTable
    memory: DetectionCache
    cache: SnapshotCache
    pool: DetectorPool
    ahead: ClaimableLook | None = None

    def interpreting(self, stages: Stages, deadline: Deadline) -> InterpretContext:
        """What an interpretation of the tab works with."""
        return InterpretContext(self.tab.tab_id, self.refs, self.memory, self.pool, stages, deadline)


@dataclass(frozen=True, slots=True)
class RootedCapture:
    """A capture, with which of its elements are in the root.

    Attributes:
        capture: of the whole tab.
        membership: None without a root.
    """

    capture: Capture
    membership: Membership | None


async def take_snapshot(context: EngineContext, request: SnapshotRequest, deadline: Deadline) -> PresentedSnapshot:
    """Takes a snapshot of a tab.

    Raises:
        PageCrashedError, SessionLostError: there is nothing to look at.
        DeadlineError: the top document did not answer in time.
        As `find_root` for the root.
    """
    tab, refs, options = context.tab, context.refs, request.options
    stages = Stages()
    settled = await settle_page(tab, options.settle_s, stages, deadline)
    if context.ahead is not None:
        await context.ahead.leave_tab(options, deadline)
    captured = await capture_page(tab, refs, options, stages, deadline)
    capture = captured.capture
    last = context.cache.find(tab.tab_id, options, capture, refs)
    if context.ahead is not None and last is None:
        last = await _claim(context, context.ahead, options, capture, stages, deadline)
    if last is not None:
        return _serve_again(last, request.snapshot_id, capture, settled, stages)
    answer = await present_capture(context, request, captured, stages, deadline)
    context.cache.keep(answer, capture, refs)
    return replace(answer, snapshot=_with_settled(answer.snapshot, settled))


async def present_capture(
    context: EngineContext, request: SnapshotRequest, captured: RootedCapture, stages: Stages, deadline: Deadline
) -> PresentedSnapshot:
    """The snapshot of a capture, as it is served."""
    tab, refs, options, capture = context.tab, context.refs, request.options, captured.capture
    last = context.cache.last_look(tab.tab_id)
    made = await interpret(context.interpreting(stages, deadline), capture, options, last)
    elements, notes = made.elements, tuple[str, ...]()
    if options.verify:
        checked = await verify(
            elements, capture, options.detectors, context.pool, context.memory.crops, stages, deadline
        )
        elements, notes = checked.elements, (checked.note,)
    elements = keep_members(elements, captured.membership)
    presented = present_elements(elements, refs, tab.tab_id, options, last)
    locations = await locate(tab, presented.listed, stages, deadline, with_selectors=options.selectors)
    snapshot = make_snapshot(request.snapshot_id, capture, locations.apply(elements), made.skipped, stages)
    return PresentedSnapshot(
        snapshot=replace(snapshot, notes=notes),
        tab_id=tab.tab_id,
        listed=locations.apply(presented.listed),
        text=presented.text,
        options=options,
        last_look=last,
    )


async def _claim(
    context: EngineContext,
    ahead: ClaimableLook,
    options: SnapshotOptions,
    capture: Capture,
    stages: Stages,
    deadline: Deadline,
) -> PresentedSnapshot | None:
    """The snapshot that was taken ahead, if it is of this capture; None where another has to be made."""
    made = await ahead.claim(options, capture, context.refs, deadline)
    if made is not None:
        context.cache.keep(made, capture, context.refs)
        stages.timings_ms["look_ahead"] = ahead.spent_ms
    return made


async def take_elements(context: EngineContext, options: SnapshotOptions, deadline: Deadline) -> Snapshot:
    """A snapshot of a whole tab with all elements in scope: no root, no view, no text, and never a cached one."""
    stages = Stages()
    settled = await settle_page(context.tab, options.settle_s, stages, deadline)
    captured = await capture_page(context.tab, context.refs, options, stages, deadline)
    made = await interpret(context.interpreting(stages, deadline), captured.capture, options)
    return _with_settled(make_snapshot("", captured.capture, made.elements, made.skipped, stages), settled)


async def settle_page(tab: Tab, settle_s: float, stages: Stages, deadline: Deadline) -> Settled | None:
    """Waits for a tab to come to rest; None where `settle_s` is 0."""
    if settle_s <= 0:
        return None
    with stages.stage("settle"):
        return await settle(tab.link, settle_s, deadline)


async def capture_page(
    tab: Tab, refs: RefTable, options: SnapshotOptions, stages: Stages, deadline: Deadline
) -> RootedCapture:
    """Captures a tab. The root is found first: what it names is what is there before the capture.

    Refs of documents that are gone become stale.
    """
    membership = None
    with stages.stage("capture") as span:
        root: Root | None = None
        if options.root is not None:
            root = await find_root(tab, refs, options.root, options.mode, deadline)
        if options.mode is Mode.VISION:
            capture = await tab.capturer.capture_pixels(deadline, reveal=options.reveal)
        else:
            capture = await tab.capturer.capture(
                engine=options.engine,
                scope=options.scope,
                with_pixels=options.with_pixels or options.verify or options.mode is Mode.FUSED,
                reveal=options.reveal,
                node_ids=options.node_ids,
                deadline=deadline,
            )
        span.set_attribute("perception.elements", len(capture.elements))
        if root is not None:
            membership = await ask_membership(tab.link, root, capture.elements, deadline)
    refs.drop_documents(tab.tab_id, tab.link.loaders)
    return RootedCapture(capture, membership)


def keep_members(elements: tuple[Element, ...], membership: Membership | None) -> tuple[Element, ...]:
    """The elements in the root; all of them without one."""
    if membership is None:
        return elements
    inside = membership.of(elements)
    return keep_indexed(elements, lambda index, _: inside[index])


def present_elements(
    elements: Sequence[Element],
    refs: RefTable,
    tab_id: str,
    options: SnapshotOptions,
    last_look: LastLook | None = None,
) -> Presented:
    """What the view lists, and its text. Regions that the text names get refs."""
    return present(
        elements,
        view=options.view,
        style=options.style,
        max_tokens=options.max_tokens,
        unfolded=options.root is not None,
        boxed=options.boxes,
        name_regions=partial(refs.assign_regions, tab_id),
        moved=last_look.view if last_look is not None else None,
        written=last_look.text if last_look is not None else None,
    )


def make_snapshot(
    snapshot_id: str, capture: Capture, elements: tuple[Element, ...], skipped: tuple[Skipped, ...], stages: Stages
) -> Snapshot:
    """The snapshot of a capture."""
    return Snapshot(
        snapshot_id=snapshot_id,
        url=capture.url,
        title=capture.title,
        loader=capture.loader,
        viewport=capture.viewport,
        scroll=capture.scroll,
        elements=elements,
        screenshot=capture.screenshot,
        skipped=skipped,
        timings_ms=stages.timings_ms,
        page_visible=capture.page_visible,
        torn=capture.torn,
        pending=capture.pending,
    )


def _serve_again(
    last: PresentedSnapshot, snapshot_id: str, capture: Capture, settled: Settled | None, stages: Stages
) -> PresentedSnapshot:
    """The last snapshot under a new id: the page has not changed since."""
    snapshot = replace(
        last.snapshot,
        snapshot_id=snapshot_id,
        timings_ms=stages.timings_ms,
        pending=capture.pending,
        waited_s=0.0,
        background=(),
    )
    return replace(last, snapshot=_with_settled(snapshot, settled))


def _with_settled(snapshot: Snapshot, settled: Settled | None) -> Snapshot:
    """With how the wait for the page ended, if it was waited for."""
    if settled is None:
        return snapshot
    return replace(snapshot, pending=settled.pending, waited_s=settled.waited_s, background=settled.background)
