"""Opening the list of a field, and closing it again where nothing was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from perception.browser.input.aiming import TARGET_PATIENCE_SECONDS, TARGET_POLL_SECONDS, TargetNode
from perception.deadline import loop_time
from perception.errors import NotReachableError, NotSelectableError, PerceptionError
from perception.server.actions.action_context import ActionContext
from perception.server.actions.options import Choices, read_choices
from perception.server.actions.resolve import aim_at

REST_SECONDS = 0.15
"""How long an open list shows the same options before one is clicked: some scroll to what is selected a moment after
they open, and another one would be under the mouse. Chosen by hand; a person needs longer."""

KEY_SECONDS = 0.6
"""How long a field that was pressed may open nothing until it is told so by a key: opening transitions of the common
component libraries take 0.15 to 0.6 s."""

OPENING_KEY = "Alt+ArrowDown"
"""What opens the list of a combobox that no click opens (ARIA Authoring Practices, combobox pattern)."""


async def open_list(action: ActionContext, node: TargetNode) -> Choices:
    """Opens a list by a click, or by a key where nobody sees its field or a click does not open it, and waits until it
    shows options, with their words, and the same ones for a while: they may fade in, and a list may scroll to what is
    selected.

    Raises:
        NotSelectableError: it shows none.
    """
    await _ask(action, node, "watchOpening")
    facts = await action.targets.look_at(node, action.deadline)
    if facts.seen or facts.point or facts.disabled or facts.locked or not await _press(action, node, "ArrowDown"):
        await action.input.focus(await aim_at(action, node), action.deadline)
    patience, shown, since_s = action.deadline.share(TARGET_PATIENCE_SECONDS), None, 0.0
    key_patience = action.deadline.share(KEY_SECONDS)
    is_pressed = facts.role != "combobox"
    while True:
        choices = await read_choices(action, node)
        if (words := [each.words for each in choices.options]) != shown:
            shown, since_s = words, loop_time()
        is_still = (
            any(each.label and not each.disabled for each in choices.options) and loop_time() - since_s >= REST_SECONDS
        )
        if is_still or (choices.options and patience.spent()):
            return choices
        if patience.spent():
            raise NotSelectableError(f"{node.shown_as} was opened and shows no options: look at what it shows")
        if not is_pressed and key_patience.spent():
            is_pressed = True
            if not await _is_opened(action, node):
                await _press(action, node, OPENING_KEY)
        await asyncio.sleep(TARGET_POLL_SECONDS)


@asynccontextmanager
async def closing_on_error(action: ActionContext, node: TargetNode) -> AsyncGenerator[None]:
    """Closes what a field has opened where nothing is chosen from it: it may cover the next field."""
    try:
        yield
    except PerceptionError:
        if not action.deadline.spent():
            with suppress(PerceptionError):
                await _close(action, node)
        raise


async def _close(action: ActionContext, node: TargetNode) -> None:
    """By the key Escape; by a second press where that key would close a dialog around the field, or has no effect."""
    if not await _is_opened(action, node):
        return
    if not await _ask(action, node, "isInDialog"):
        await action.input.press("Escape", action.deadline)
        if await _is_gone(action, node):
            return
    await action.input.focus(await aim_at(action, node), action.deadline)


async def _is_gone(action: ActionContext, node: TargetNode) -> bool:
    """Whether what a field has opened is closed by now, or soon."""
    patience = action.deadline.share(KEY_SECONDS)
    while True:
        if not await _is_opened(action, node):
            return True
        if patience.spent():
            return False
        await asyncio.sleep(TARGET_POLL_SECONDS)


async def _press(action: ActionContext, node: TargetNode, key: str) -> bool:
    """Opens a list as from the keyboard: what is painted for a field out of sight may be no target of its own. False
    where it takes no focus."""
    try:
        await action.input.focus_node(node, action.deadline)
    except NotReachableError:
        return False
    await action.input.press(key, action.deadline)
    return True


async def _is_opened(action: ActionContext, node: TargetNode) -> bool:
    return await _ask(action, node, "isOpened")


async def _ask(action: ActionContext, node: TargetNode, query: str) -> bool:
    return bool(await action.tab.link.ask(node.frame, query, action.deadline, "opening the list", node.number))
