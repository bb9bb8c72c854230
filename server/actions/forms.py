"""Form fields that take no typed text: those that are checked, and those with a picker."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import TARGET_PATIENCE_SECONDS, TARGET_POLL_SECONDS, Aim, TargetNode
from perception.browser.page.target_types import TargetFacts
from perception.engine.request import NamedTarget
from perception.errors import (
    AmbiguousTargetError,
    BadInputError,
    NoMatchError,
    NotCheckableError,
    NotTakenError,
    PageChangingError,
    StaleRefError,
)
from perception.server.actions.action_context import ActionContext
from perception.server.actions.resolve import aim_at, find_now

PICKED = {
    "date": "2026-12-31",
    "time": "23:59",
    "datetime-local": "2026-12-31T23:59",
    "month": "2026-12",
    "week": "2026-W52",
    "color": "#1a2b3c",
    "range": "a number within its limits and by its steps",
}
"""Fields that take no plain text, with the form of their values (HTML, section 2.3)."""


async def is_now(action: ActionContext, node: TargetNode, wanted: bool) -> bool:
    """Whether an element says that it is checked, or that it is not; False for one that is gone."""
    try:
        return await checked_state(action, replace(node, expected=None)) is wanted
    except StaleRefError:
        return False


async def watch_box(action: ActionContext, node: TargetNode) -> bool:
    """Remembers where a box stands that is about to be clicked. Returns whether it is the only one of its name."""
    return bool(await action.tab.link.ask(node.frame, "watchBox", action.deadline, "checking", node.number))


async def require_checked(action: ActionContext, clicked: Aim, wanted: bool, *, is_only: bool) -> None:
    """Waits until what was clicked has the state that the click was to give it. One that does not say gets a note, and
    so does one that the page has replaced by another.

    Args:
        clicked: an element.
        is_only: what `watch_box` said of it.

    Raises:
        NotTakenError: it does not get it.
    """
    assert clicked.node is not None
    assert clicked.facts is not None
    node = replace(clicked.node, expected=None)  # its name may depend on its state
    state = "checked" if wanted else "unchecked"
    patience = action.deadline.share(TARGET_PATIENCE_SECONDS / 2)
    is_sure = True
    while True:
        try:
            if await checked_state(action, node) is wanted:
                return
            is_over = patience.spent()
            is_untold = is_over and (await action.targets.look_at(node, action.deadline)).untold
        except StaleRefError:
            replaced = await _replacement_of(action, node, clicked.facts) if is_only else None
            is_sure = replaced is not None
            replaced = replaced or await _in_place_of(action, node)
            if replaced is None:
                _note_replaced(action, node, state)
                return
            node = replaced
            continue
        if is_untold:
            action.notes.append(
                f"{node.shown_as} was clicked, and does not say whether it is {state}: look at what the page shows"
            )
            return
        if is_over and not is_sure:
            _note_replaced(action, node, state)
            return
        if is_over:
            raise NotTakenError(f"{node.shown_as} was clicked and is not {state}: look at what the page shows now")
        await asyncio.sleep(TARGET_POLL_SECONDS)


def _note_replaced(action: ActionContext, node: TargetNode, state: str) -> None:
    action.notes.append(f"{node.shown_as} was clicked, and the page has replaced it: look whether it is {state} now")


async def _in_place_of(action: ActionContext, node: TargetNode) -> TargetNode | None:
    """The box at the place of the one that `watch_box` remembers; None for none."""
    try:
        number = await action.tab.link.ask(node.frame, "boxInPlace", action.deadline, "checking")
    except CdpCallError:  # its frame is gone
        return None
    return replace(node, number=number) if number else None


async def _replacement_of(action: ActionContext, node: TargetNode, facts: TargetFacts) -> TargetNode | None:
    """The element that the page shows in place of one that is gone: the only one of its role and name."""
    try:
        found = await find_now(action, NamedTarget(facts.role, facts.name))
    except (AmbiguousTargetError, NoMatchError, PageChangingError):
        return None
    return replace(found, shown_as=node.shown_as) if isinstance(found, TargetNode) else None


async def checked_state(action: ActionContext, node: TargetNode) -> bool | None:
    """Whether something that can be checked or pressed is; None for something in between, or that does not say.

    Raises:
        NotCheckableError: it has no such state.
    """
    facts = await action.targets.look_at(node, action.deadline)
    if facts.toggles:
        return None if "mixed" in facts.states else "pressed" in facts.states
    if not facts.checkable:
        raise NotCheckableError(
            f"{node.shown_as} is a {facts.role}, which has no such state: leave `checked` out to click it"
        )
    return None if facts.untold or "mixed" in facts.states else "checked" in facts.states


async def pick(action: ActionContext, node: TargetNode, text: str, *, submit: bool, shown_as: str = "") -> bool:
    """Sets a date, color or slider by script, since such a field takes no plain text.

    Returns:
        Whether the element is such a field.

    Args:
        shown_as: what messages say in place of the text; empty to show the text.

    Raises:
        BadInputError: it does not take this text; the message says in which form it would.
    """
    facts = await action.targets.look_at(node, action.deadline)
    if facts.tag != "input" or facts.type not in PICKED:
        return False
    if facts.type == "range" and not facts.point and not facts.disabled:  # its handle may be drawn elsewhere
        await action.input.focus_node(node, action.deadline)
    else:
        await aim_at(action, node)
    action.deadline.dispatched = True
    action.tab.link.note_input()
    reply = await action.tab.link.ask(
        node.frame, "setPickerValue", action.deadline, "setting the field", node.number, text
    )
    if reply is None:
        return False
    if not reply["taken"]:
        raise BadInputError(
            f"{node.shown_as} is a field of type {facts.type}, which takes no {(shown_as or text[:40])!r}: write it as "
            f"{PICKED[facts.type]}",
            field="text",
        )
    action.notes.append(f"a field of type {facts.type} takes no plain text: its value was set by script")
    if submit:
        await action.input.focus_node(node, action.deadline)
        await action.input.press("Enter", action.deadline)
    return True
