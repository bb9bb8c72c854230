"""Actions with the keyboard: typing text and secrets, pressing keys."""

from __future__ import annotations

from dataclasses import dataclass

from perception.browser.input.aiming import Aim, TargetNode
from perception.browser.input.clipboard_keys import clipboard_chord
from perception.browser.input.key_takers import require_editable, takes_keys_alone
from perception.browser.input.keys import key_chord
from perception.browser.input.text_entry import Permit, TextInput, TextPosition
from perception.browser.page.navigation import stop_leaving
from perception.engine.request import Target
from perception.geometry import Point
from perception.ref_entries import VisionRef
from perception.server.actions.action_context import ActionContext
from perception.server.actions.focus import focus_to_type
from perception.server.actions.forms import pick
from perception.server.actions.resolve import aim_at, resolve
from perception.server.actions.sliders import slide

_STAYED = "the page that was on its way was stopped, as Escape does in a browser; the key was not sent to the page"


@dataclass(frozen=True, slots=True)
class TypeOptions:
    """How to type.

    Attributes:
        clear: empty the field first.
        submit: press Enter after it.
        keystrokes: press a key for each character.
        position: where in the existing text; None for the end of a target's, and where the caret is without one.
        shown_as: what messages say in place of the text; empty to show the text.
    """

    clear: bool = False
    submit: bool = False
    keystrokes: bool = False
    position: TextPosition | None = None
    shown_as: str = ""


async def type_text(
    action: ActionContext, target: Target | None, text: str, options: TypeOptions, permit: Permit
) -> None:
    """Types into a target, or into what has the focus.

    Args:
        permit: raises unless the text may be typed in a frame.

    Raises:
        BadInputError: the field does not take this text.
        NotTakenError: the field took nothing of it.
        As `aim` and `permit`.
    """
    with action.stages.stage("act"):
        given = TextInput(
            text,
            clear=options.clear,
            submit=options.submit,
            keystrokes=options.keystrokes,
            position=options.position or (TextPosition.CARET if target is None else TextPosition.END),
            is_secret=bool(options.shown_as),
        )
        if target is not None and not await _focus_field(action, target, given, options.shown_as, permit):
            return
        if note := await action.input.typing.type(given, action.deadline, permit):
            action.notes.append(note)


async def press_key(action: ActionContext, target: Target | None, key: str) -> None:
    """Presses a key or a combination, on a target or on what has the focus. Raises as `aim`."""
    if target is None and key == "Escape" and action.tab.link.is_leaving:  # the page that is left hears no keys
        await stop_leaving(action.tab.link, action.deadline)
        action.notes.append(_STAYED)
        return
    with action.stages.stage("act"):
        if target is not None:
            found = await resolve(action, target)
            if isinstance(found, TargetNode):  # a click might do what the key is meant to do
                await action.input.focus_node(found, action.deadline)
            else:
                await action.input.focus(await aim_at(action, found), action.deadline)
        if clipboard_chord(key_chord(key)) is not None:
            await action.session.browser.collect_copied(action.deadline)
        if note := await action.input.press(key, action.deadline):
            action.notes.append(note)


async def _focus_field(action: ActionContext, target: Target, given: TextInput, shown_as: str, permit: Permit) -> bool:
    """Focuses a field. False where its value was set by script or by keys: there is nothing left to type."""
    found = await resolve(action, target)
    if isinstance(found, TargetNode):
        await permit(found.frame)
        for set_value in () if given.keystrokes else (slide, pick):
            if await set_value(action, found, given.text, submit=given.submit, shown_as=shown_as):
                return False
        if await _focus_painted_field(action, found):
            return True
        if given.may_go_to_keys_alone and takes_keys_alone(await action.targets.look_at(found, action.deadline)):
            if await action.input.is_plain_cell(found, action.deadline):
                await action.input.focus(await aim_at(action, found), action.deadline)
            else:
                await action.input.focus_node(found, action.deadline)
            return True
    aimed = await _aim_at_field(action, found)
    await focus_to_type(action, aimed)
    return True


async def _focus_painted_field(action: ActionContext, node: TargetNode) -> bool:
    """Focuses the field that takes the keys for what an element paints; False where there is none.

    Raises:
        NotEditableError: it is read-only.
        As `Targets.look_at`.
    """
    facts = await action.targets.look_at(node, action.deadline)
    if facts.disabled or (facts.editable and facts.point):
        return False
    if not facts.inViewport:
        await action.targets.reveal(node, action.deadline)
    has_focus = await action.input.focus_painted_field(node, action.deadline)
    if not has_focus and not facts.point and "readonly" in facts.states:
        require_editable(facts, node.shown_as)
    return has_focus


async def _aim_at_field(action: ActionContext, found: TargetNode | VisionRef | Point) -> Aim:
    """Aims at what takes text: of a frame that shows an editor, at its document.

    Raises:
        NotEditableError: it takes no text.
        As `aim_at`.
    """
    aimed = await aim_at(action, found)
    if aimed.node is None or aimed.facts is None:
        return aimed
    if aimed.facts.tag in ("iframe", "frame"):
        body = await action.input.typing.editing_body(aimed.node.frame, aimed.node.number, action.deadline)
        if body is not None:
            return await aim_at(action, TargetNode(*body, aimed.node.shown_as))
    require_editable(aimed.facts, aimed.node.shown_as)
    return aimed
