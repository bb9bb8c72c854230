"""Actions with the keyboard: typing text and secrets, pressing keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from perception.browser.input.aiming import TargetNode
from perception.browser.input.dispatch import require_editable
from perception.engine.request import Target
from perception.server.actions.action_context import ActionContext
from perception.server.actions.forms import pick
from perception.server.actions.resolve import aim_at, resolve


@dataclass(frozen=True, slots=True)
class TypeOptions:
    """How to type.

    Attributes:
        clear: empty the field first.
        submit: press Enter after it.
        keystrokes: press a key for each character.
        shown_as: what messages say in place of the text; empty to show the text.
    """

    clear: bool = False
    submit: bool = False
    keystrokes: bool = False
    shown_as: str = ""


Permit = Callable[[str], Awaitable[None]]
"""Raises unless the text may be typed in that frame."""


async def type_text(
    action: ActionContext, target: Target | None, text: str, options: TypeOptions, permit: Permit
) -> None:
    """Types into a target, or into what has the focus.

    Raises:
        BadInputError: the field does not take this text.
        As `aim` and `permit`.
    """
    with action.stages.stage("act"):
        if target is not None and not await _focus_field(action, target, text, options, permit):
            return
        await action.input.type_text(
            text,
            clear=options.clear,
            submit=options.submit,
            keystrokes=options.keystrokes,
            deadline=action.deadline,
            permit=permit,
        )


async def press_key(action: ActionContext, target: Target | None, key: str) -> None:
    """Presses a key or a combination, on a target or on what has the focus. Raises as `aim`."""
    with action.stages.stage("act"):
        if target is not None:
            found = await resolve(action, target)
            if isinstance(found, TargetNode):  # a click might do what the key is meant to do
                await action.input.focus_node(found, action.deadline)
            else:
                await action.input.focus(await aim_at(action, found), action.deadline)
        await action.input.press(key, action.deadline)


async def _focus_field(action: ActionContext, target: Target, text: str, options: TypeOptions, permit: Permit) -> bool:
    """Focuses a field. False where its value was set by script: there is nothing left to type."""
    found = await resolve(action, target)
    if isinstance(found, TargetNode):
        await permit(found.frame)
        if not options.keystrokes and await pick(action, found, text, submit=options.submit, shown_as=options.shown_as):
            return False
    aimed = await aim_at(action, found)
    if aimed.node is not None and aimed.facts is not None:
        require_editable(aimed.facts, aimed.node.shown_as)
    await action.input.focus(aimed, action.deadline)
    return True
