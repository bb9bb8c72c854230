"""Actions at a point: click, tap, hover, drag, scroll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perception.browser.input.aiming import Aim, TargetNode
from perception.browser.page.target_types import Disabled
from perception.engine.request import Target
from perception.errors import BadInputError, TouchDisabledError
from perception.geometry import Point
from perception.server.actions.action_context import ActionContext
from perception.server.actions.forms import checked_state, is_now, require_checked, watch_box
from perception.server.actions.resolve import aim, aim_at, resolve, resolve_node
from perception.types import Scroll


@dataclass(frozen=True, slots=True)
class ClickOptions:
    """How to click.

    Attributes:
        button: left, right or middle.
        count: 2 for a double click.
        modifiers: Playwright's names of keys that are held meanwhile.
        checked: the state that a checkbox or radio button is to have; None to click in any case.
        hold_s: how long the button stays down, s; 0 for a short press.
    """

    button: str = "left"
    count: int = 1
    modifiers: Sequence[str] = ()
    checked: bool | None = None
    hold_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Scrolled:
    """Where the top document stands after scrolling; `moved` is whether anything scrolled."""

    scroll: Scroll
    moved: bool


async def click(action: ActionContext, target: Target, options: ClickOptions) -> None:
    """Clicks a target, unless it has the state already that was asked for.

    Raises:
        NotCheckableError, NotTakenError: it has no such state, or does not take it.
        As `aim`.
    """
    before, is_only = None, False
    if options.checked is not None:
        node = await resolve_node(action, target, "checking")
        before = await checked_state(action, node)
        if before is options.checked:
            action.notes.append("it had that state already: it was not clicked")
            return
        is_only = await watch_box(action, node)
    aimed = await aim(action, target, Disabled.ANNOUNCED)
    _note_disabled(action, aimed)
    await _click_once(action, aimed, options)
    if options.checked is None or aimed.node is None:
        return
    if before is None and await is_now(action, aimed.node, not options.checked):  # of something in between
        aimed = await aim_at(action, replace(aimed.node, expected=None), Disabled.ANNOUNCED)
        await _click_once(action, aimed, options)
    await require_checked(action, aimed, options.checked, is_only=is_only)


async def _click_once(action: ActionContext, aimed: Aim, options: ClickOptions) -> None:
    """Clicks what was aimed at, and notes what became of it."""
    with action.stages.stage("act"):
        await action.input.click(
            aimed,
            button=options.button,
            count=options.count,
            modifiers=options.modifiers,
            hold_s=options.hold_s,
            deadline=action.deadline,
        )
        outcome = await action.input.press_outcome(aimed, action.deadline)
    if outcome.refused:
        action.notes.append(outcome.refused)
    if outcome.was_lost:
        action.notes.append(
            "the target disappeared when the button went down: it was pressed, and got no click; look at what the "
            "page shows now"
        )
    if outcome.was_missed:
        action.notes.append(
            "the target moved away, was covered or was drawn again when the button went down: it was pressed, and got "
            "no click; look at what the page shows now, and click again if that is still needed"
        )


async def hover(action: ActionContext, target: Target) -> None:
    """Moves the pointer to a target and leaves it there. Raises as `aim`."""
    aimed = await aim(action, target, Disabled.ANY)
    with action.stages.stage("act"):
        await action.input.hover(aimed, action.deadline)


async def tap(action: ActionContext, target: Target, hold_s: float) -> None:
    """Touches a target with one finger.

    Args:
        hold_s: how long, s; 0 for a short touch.

    Raises:
        TouchDisabledError: the session's screen takes no touches.
        As `aim`.
    """
    screen = action.tab.link.emulation.screen
    if screen is None or not screen.touch:
        raise TouchDisabledError(
            "the screen of this session takes no touches: open it with `touch` or a phone as `device`, or set `touch` "
            "by SetViewport; or click"
        )
    aimed = await aim(action, target, Disabled.ANNOUNCED)
    _note_disabled(action, aimed)
    with action.stages.stage("act"):
        await action.input.tap(aimed, hold_s, action.deadline)


def _note_disabled(action: ActionContext, aimed: Aim) -> None:
    if aimed.facts is not None and aimed.facts.disabled:
        action.notes.append("the target says that it is disabled (aria-disabled): it got the input, but may ignore it")


async def drag(action: ActionContext, start: Target, end: Target) -> None:
    """Drags one target to another. Raises as `aim`, of both."""
    found_end = await resolve(action, end)
    await aim_at(action, found_end)  # before the button is down: it has to be there, and come into view
    aimed = await aim(action, start)

    async def find_end() -> Point:
        return await action.targets.place_of(found_end, action.deadline)

    with action.stages.stage("act"):
        action.point = await action.input.drag(aimed, find_end, action.deadline)


async def scroll_by(action: ActionContext, target: Target | None, delta_x: float, delta_y: float) -> Scrolled:
    """Turns the wheel over a target, or over the middle of the viewport. Deltas are CSS px.

    Raises:
        As `aim`.
    """
    with action.stages.stage("act"):
        before, width, height = await action.targets.scroll_state(action.deadline)
        aimed = Aim(Point(width / 2, height / 2)) if target is None else await aim(action, target)
        moved = await action.input.wheel(aimed, delta_x, delta_y, action.deadline)
    return await _scrolled(action, before, moved=moved)


async def scroll_into_view(action: ActionContext, target: Target) -> Scrolled:
    """Brings an element into view, in every frame that holds it.

    Raises:
        BadInputError: the target is not an element.
        As `resolve`.
    """
    with action.stages.stage("act"):
        before, _, _ = await action.targets.scroll_state(action.deadline)
        found = await resolve(action, target)
        if not isinstance(found, TargetNode):
            raise BadInputError(
                "only an element can be brought into view: give a ref or selector, or a delta", field="target"
            )
        await action.targets.reveal(found, action.deadline)
    return await _scrolled(action, before, moved=False)


async def _scrolled(action: ActionContext, before: Scroll, *, moved: bool) -> Scrolled:
    scroll, _, _ = await action.targets.scroll_state(action.deadline)
    return Scrolled(scroll, moved or scroll != before)
