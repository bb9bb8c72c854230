"""Several actions in one tab, one after the other.

Rule 1: the first step that fails, that opens a dialog, or that takes the tab to another document unexpectedly ends the
batch. What was done before is reported.
Rule 2: the caller holds the tab for all steps: no other call acts between them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from perception.browser.input.aiming import TargetNode
from perception.deadline import Deadline
from perception.engine.request import NamedTarget, SelectorTarget, Target
from perception.errors import DialogOpenError, PageCrashedError, PerceptionError
from perception.geometry import Point
from perception.server.actions.action_context import ActionContext, saying_input
from perception.server.actions.effects import (
    ActionEffects,
    collect_effects,
    collect_interrupted,
    collect_step,
    collect_whole,
)
from perception.server.actions.resolve import find_now
from perception.server.sessions.tab_guards import recover_page

STEPS_SHARE = 0.9
"""Share of the time that steps may use: the rest is for what the batch did, and its diff. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class BatchStep:
    """One step.

    Attributes:
        act: does it.
        settle_s: how long the diff waits for the page to come to rest where this is the last step.
        targets: what it acts on.
        may_navigate: it may take the tab to another document.
        timeout_s: most time for it; None for all that is left.
        beside_chooser: it goes on while a file chooser is open.
    """

    act: Callable[[ActionContext], Awaitable[Any]]
    settle_s: float
    targets: tuple[Target, ...] = ()
    may_navigate: bool = False
    timeout_s: float | None = None
    beside_chooser: bool = False


class StopCause(Enum):
    """Why a batch ended before its last step was done."""

    FAILED = "failed"
    NAVIGATED = "navigated"
    DIALOG = "dialog"


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a batch that is not complete: its cause, the index of its step, and the error of a step that
    failed."""

    cause: StopCause
    step: int
    error: PerceptionError | None = None


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a step did, and what else it returned; None where a dialog interrupted it."""

    effects: ActionEffects
    answer: Any
    is_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What a batch came to.

    Attributes:
        done: the steps that were done, in order.
        stop: None where all were.
        whole: what they did together, with the diff.
    """

    done: tuple[StepOutcome, ...]
    stop: Stop | None
    whole: ActionEffects


async def run_batch(first: ActionContext, steps: Sequence[BatchStep], *, settles: bool) -> BatchOutcome:
    """Runs the steps until one of them ends the batch.

    Args:
        first: an action that begins now; its deadline is that of the batch.
        settles: the caller says how long the diff waits; otherwise the last step decides.

    Raises:
        SessionLostError: the browser ended.
    """
    end = first.deadline.part(STEPS_SHARE)
    done: list[StepOutcome] = []
    stop, action, documents = None, first, first.baseline.documents
    for index, step in enumerate(steps):
        action = _begin(first, step, end, settles=settles)
        is_last = index == len(steps) - 1
        try:
            if action.baseline.documents != documents:  # after the step before was followed
                stop = Stop(StopCause.NAVIGATED, max(index - 1, 0))
                break
            done.append(await _run_step(action, step, first.deadline, is_last=is_last))
        except PerceptionError as exc:
            if not first.session.browser.alive:
                raise
            if isinstance(exc, PageCrashedError):
                exc.metadata["epoch"] = str(first.tab.epoch)
            stop = Stop(StopCause.FAILED, index, exc)
            break
        finally:
            first.deadline.dispatched |= action.deadline.dispatched
        documents = first.tab.link.documents
        if (cause := _cause_after(done[-1], step, action, is_last=is_last)) is not None:
            stop = Stop(cause, index)
            break
    return BatchOutcome(tuple(done), stop, await _whole(first, action, done, stop))


async def target_error(action: ActionContext, step: BatchStep) -> PerceptionError | None:
    """Why the refs, nodes and coordinates that a step names are not on the page now; None where they are.

    What an earlier step may reveal is not looked for: names, and what selectors match.
    """
    for target in step.targets:
        try:
            if isinstance(target, NamedTarget | SelectorTarget):
                continue
            found = await find_now(action, target)
            if isinstance(found, TargetNode):
                await action.targets.look_at(found, action.deadline)
            elif isinstance(found, Point):
                await action.targets.aim_at_point(found, action.deadline)
        except PerceptionError as exc:
            return exc
    return None


def _begin(first: ActionContext, step: BatchStep, end: Deadline, *, settles: bool) -> ActionContext:
    """The action of a step. Its deadline says whether the step itself has sent input."""
    action = first.begin_next()
    left = end if step.timeout_s is None else end.at_most(step.timeout_s)
    action.deadline = Deadline(left.deadline_s, left.clock)
    if not settles:
        action.answer = replace(action.answer, settle_s=step.settle_s)
    return action


async def _run_step(action: ActionContext, step: BatchStep, whole: Deadline, *, is_last: bool) -> StepOutcome:
    session, tab = action.session, action.tab
    session.browser.tab(tab.tab_id)  # raises where the step before has closed it
    with tab.hearing_console() as action.console_notes, saying_input(action.deadline):
        try:
            async with recover_page(tab):
                tab.link.dialogs.check()
                if not step.beside_chooser:
                    tab.link.file_choosers.check(tab.tab_id)
                answer = await step.act(action)
                if is_last:
                    action.deadline = _with_input(action.deadline, whole)
                    effects = await collect_effects(action)
                else:
                    effects = await collect_step(action)
        except DialogOpenError:
            if not action.deadline.dispatched:
                raise
            return StepOutcome(await collect_interrupted(action), None, is_interrupted=True)
    if effects.navigated and effects.url:
        await session.leave_blocked_page(tab, action.deadline)
    return StepOutcome(effects, answer)


def _with_input(step: Deadline, whole: Deadline) -> Deadline:
    """The deadline of the batch, for the end of its last step."""
    whole.dispatched |= step.dispatched
    return whole


def _cause_after(done: StepOutcome, step: BatchStep, action: ActionContext, *, is_last: bool) -> StopCause | None:
    """Why no step may follow one that was done; None where one may."""
    if is_last:
        return None
    if done.is_interrupted or action.tab.link.dialogs.open is not None:
        return StopCause.DIALOG
    if done.effects.navigated and not step.may_navigate:
        return StopCause.NAVIGATED
    return None


async def _whole(
    first: ActionContext, action: ActionContext, done: Sequence[StepOutcome], stop: Stop | None
) -> ActionEffects:
    """What the steps did together. After a step that ended the batch, the page is looked at once more."""
    parts = [each.effects for each in done]
    if stop is not None and not (done and done[-1].is_interrupted):
        action = first.begin_next()
        parts.append(await _look_after_stop(action))
    return await collect_whole(action, first.baseline, parts)


async def _look_after_stop(action: ActionContext) -> ActionEffects:
    try:
        if action.tab.link.dialogs.open is None:
            await action.tab.link.watchdog.wait_freed(action.deadline)
            async with recover_page(action.tab):
                return await collect_effects(action)
    except PerceptionError as exc:
        action.notes.append(f"no diff: {exc.marked}")
    return await collect_interrupted(action)
