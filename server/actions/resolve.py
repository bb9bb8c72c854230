"""From a target to the place where input for it goes: the first two steps of an action."""

from __future__ import annotations

import asyncio

from perception.browser.browser_session import Tab
from perception.browser.input.aiming import Aim, TargetNode
from perception.browser.page.target_types import Disabled
from perception.deadline import Deadline
from perception.engine.request import NamedTarget, Target
from perception.engine.target_lookup import find_target
from perception.errors import BadInputError, NoMatchError, PageChangingError, StaleRefError
from perception.geometry import Point
from perception.page_words import quoted_words
from perception.ref_entries import VisionRef
from perception.refs import RefTable
from perception.server.actions.action_context import ActionContext

APPEAR_SECONDS = 5.0
"""How long an element by role and name may take to appear: as long as a step of a subroutine waits for its target."""

POLL_SECONDS = 0.05


async def resolve(action: ActionContext, target: Target) -> TargetNode | VisionRef | Point:
    """What a target names, without touching it. One by role and name is waited for. Raises as `find_target`."""
    return await find_shown(action.tab, action.session.shown.refs, target, action.deadline)


async def find_shown(tab: Tab, refs: RefTable, target: Target, deadline: Deadline) -> TargetNode | VisionRef | Point:
    """What a target names on a tab. One by role and name is waited for. Raises as `find_target`."""
    if not isinstance(target, NamedTarget):
        return await find_target(tab, refs, target, deadline)
    share = deadline.share(APPEAR_SECONDS)
    while True:
        try:
            return await find_target(tab, refs, target, deadline)
        except (NoMatchError, PageChangingError):
            if share.spent():
                raise
        await asyncio.sleep(POLL_SECONDS)


async def find_now(action: ActionContext, target: Target) -> TargetNode | VisionRef | Point:
    """What a target names at this moment. Raises as `find_target`."""
    return await find_target(action.tab, action.session.shown.refs, target, action.deadline)


async def resolve_node(action: ActionContext, target: Target, purpose: str) -> TargetNode:
    """The element that a target names.

    Args:
        purpose: what needs an element, for the error: `selecting`.

    Raises:
        BadInputError: it is not an element.
        As `find_target`.
    """
    found = await resolve(action, target)
    if not isinstance(found, TargetNode):
        raise BadInputError(f"{purpose} needs an element: give a ref (e…), a selector or a node id", field="target")
    return found


async def aim(action: ActionContext, target: Target, disabled: Disabled = Disabled.NONE) -> Aim:
    """Resolves a target, and waits until input for it would land on it.

    Args:
        disabled: whether it may be disabled.

    Raises:
        As `find_target` and `aim_at`.
    """
    with action.stages.stage("aim"):
        return await aim_at(action, await resolve(action, target), disabled)


async def aim_at(
    action: ActionContext, found: TargetNode | VisionRef | Point, disabled: Disabled = Disabled.NONE
) -> Aim:
    """Waits until input for what was resolved would land on it; notes the point.

    Raises:
        StaleRefError, ElementDisabledError, ElementObscuredError, NotReachableError, CoordinateOutOfViewportError
    """
    targets, deadline = action.targets, action.deadline
    if isinstance(found, TargetNode):
        aimed = await targets.aim_at(found, deadline, disabled)
    elif isinstance(found, VisionRef):
        scroll, _, _ = await targets.scroll_state(deadline)
        aimed = await targets.aim_at_vision(found, scroll, deadline)
        await _check_pixels(action.tab, found, aimed.point, deadline)
    else:
        aimed = await targets.aim_at_point(found, deadline)
    action.point = aimed.point
    return aimed


async def _check_pixels(tab: Tab, seen: VisionRef, point: Point, deadline: Deadline) -> None:
    """Raises StaleRefError unless what only vision saw is still painted where it is about to be clicked."""
    if seen.likeness is None:
        return
    capture = await tab.capturer.capture_pixels(deadline, reveal=False)
    box = seen.box.shift(point.x - seen.point.x, point.y - seen.point.y)
    assert capture.screenshot is not None
    if not seen.likeness.holds(capture.screenshot, box):
        raise StaleRefError(
            f"ref {seen.ref} is stale: something else is painted where {seen.role} {quoted_words(seen.name)} was; "
            "take a new snapshot",
            ref=seen.ref,
        )
