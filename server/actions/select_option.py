"""Choosing from a list: what a person does with the mouse and the arrow keys.

Rule 1: options are chosen by real input. Where a native list takes none, they are set by script; the
answer reports that.
Rule 2: nothing is chosen before every option that was asked for has been found.
Rule 3: what the page was told of is not done again: it may move the option elsewhere, or add what was chosen to
something and show the list as it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from perception.browser.input.aiming import TARGET_PATIENCE_SECONDS, TARGET_POLL_SECONDS, TargetNode
from perception.browser.page.target_types import named
from perception.errors import (
    BadInputError,
    NoSuchOptionError,
    NotReachableError,
    NotSelectableError,
    NotTakenError,
    PerceptionError,
    StaleRefError,
)
from perception.page_words import quoted_words
from perception.server.actions.action_context import ActionContext
from perception.server.actions.list_opening import closing_on_error, open_list
from perception.server.actions.long_lists import drawn_option, find_by_scrolling
from perception.server.actions.options import Choices, Option, find_option, read_choices
from perception.server.actions.resolve import aim_at

MAX_STEPS = 200
"""Arrow keys on the way to an option; in a longer list it is set by script. One takes 2 ms."""

MAX_REDRAWS = 3
"""How often an option is looked for again that is drawn anew as it comes into view. Chosen by hand."""


async def select_options(action: ActionContext, node: TargetNode, wanted: Sequence[str]) -> None:
    """Makes options of a list the selected ones.

    Raises:
        NotSelectableError: it offers none.
        NoSuchOptionError: names those there are.
        AmbiguousTargetError: says how to name one of several that are alike.
        BadInputError: several of a list that takes one.
        ElementDisabledError, NotTakenError, and what aiming raises.
    """
    choices = await read_choices(action, node, anew=True)
    if not choices.kind and (behind := await _ask_number(action, node, "listBehind")):
        node, choices = behind, await read_choices(action, behind)
    if not choices.kind:
        facts = await action.targets.look_at(node, action.deadline)
        raise NotSelectableError(
            f"{node.shown_as} ({named(facts)}) offers no options: name a list or combobox, or click what opens the list"
        )
    if choices.kind not in ("select", "listbox"):
        await _in_list(action, node, choices, wanted)
        return
    if len(wanted) > 1 and not choices.multiple:
        raise BadInputError(f"{node.shown_as} takes one option, not {len(wanted)}: give one", field="options")
    found = [find_option(node, choices, each) for each in wanted]
    if painted := await _ask_number(action, node, "listPaintedFor"):
        with suppress(NotSelectableError):  # it opens nothing
            await _in_painted(action, node, painted, choices, found)
            return
    try:
        if choices.kind == "select":
            await _by_keys(action, node, choices, found[0])
        else:
            await _by_clicks(action, node, choices, found)
    except NotReachableError:
        await _by_script(action, node, found)


async def _by_keys(action: ActionContext, node: TargetNode, choices: Choices, option: Option) -> None:
    """Opens a native list, walks to the option and takes it."""
    if option.selected:
        action.notes.append(f"{quoted_words(option.label)} was selected already")
        return
    enabled = [each for each in choices.options if not each.disabled]
    await _watch(action, node, {option.number})
    steps = enabled.index(option) - next((index for index, each in enumerate(enabled) if each.selected), 0)
    if abs(steps) <= MAX_STEPS:
        await action.input.focus(await aim_at(action, node), action.deadline)
        await read_choices(action, node)  # a page may draw itself again as the field before loses the focus
        for _ in range(abs(steps)):
            await action.input.press("ArrowDown" if steps > 0 else "ArrowUp", action.deadline)
        await action.input.press("Enter", action.deadline)
        if await _is_taken(action, node, {option.number}):
            return
        await action.input.press("Escape", action.deadline)  # the list may still be open
    await _by_script(action, node, [option])


async def _by_clicks(action: ActionContext, node: TargetNode, choices: Choices, found: Sequence[Option]) -> None:
    """Clicks options of a list that is open, the first one alone, the others with Control."""
    wanted = {each.number for each in found}
    if {each.number for each in choices.options if each.selected} == wanted:
        action.notes.append("these options were selected already")
        return
    await _watch(action, node, wanted)
    for index, option in enumerate(found):
        aim = await aim_at(action, _node(node, option))
        modifiers = ("Control",) if index else ()
        await action.input.click(aim, button="left", count=1, modifiers=modifiers, deadline=action.deadline)
    if not found or not await _is_taken(action, node, wanted):
        await _by_script(action, node, found)


async def _watch(action: ActionContext, node: TargetNode, wanted: set[int]) -> None:
    """Begins to watch what the page does with a choice."""
    phase = "selecting"
    await action.tab.link.ask(node.frame, "watchChoice", action.deadline, phase, node.number, sorted(wanted))


async def _is_taken(action: ActionContext, node: TargetNode, wanted: set[int]) -> bool:
    """Whether the options are the selected ones, or the page has done something else with the choice.

    Raises:
        NotTakenError: the page was told of the choice, and has only undone it.
    """
    with suppress(StaleRefError):
        if await _comes_true(action, node, wanted):
            return True
    link = action.tab.link
    if link.documents != action.baseline.documents:
        return True  # the choice has led elsewhere
    made = await link.ask(node.frame, "choiceMade", action.deadline, "reading the options", node.number)
    if made["told"] and made["shown"]:
        return True  # drawn again
    if made["told"] and not made["changed"]:
        raise _not_kept(node)
    if made["told"]:
        action.notes.append(
            "the page has taken the option, and does not show it as selected here: look at what it shows"
        )
    return bool(made["told"])


def _not_kept(node: TargetNode) -> NotTakenError:
    return NotTakenError(f"{node.shown_as} did not keep the option: look at what it shows now")


async def _by_script(action: ActionContext, node: TargetNode, found: Sequence[Option]) -> None:
    action.deadline.dispatched = True
    action.tab.link.note_input()
    numbers = [each.number for each in found]
    await action.tab.link.ask(node.frame, "setSelected", action.deadline, "selecting", node.number, numbers)
    if not await _comes_true(action, node, set(numbers)):
        raise _not_kept(node)
    action.notes.append("the list took no keys or clicks: the option was set by script")
    phase = "reading the options"
    if await action.tab.link.ask(node.frame, "isLeftBehind", action.deadline, phase, node.number, numbers):
        action.notes.append(
            "nobody sees this list, and what the page shows beside it does not show the option: choose it there"
        )


async def _ask_number(action: ActionContext, node: TargetNode, query: str) -> TargetNode | None:
    """Another list that a query of the walker finds for one; None where there is none."""
    number = await action.tab.link.ask(node.frame, query, action.deadline, "looking at the target", node.number)
    return TargetNode(node.frame, int(number), node.shown_as) if number else None


async def _in_painted(
    action: ActionContext, node: TargetNode, painted: TargetNode, choices: Choices, found: Sequence[Option]
) -> None:
    """Chooses in the list that a page paints for a native one, as a person does. Several that are chosen already stay
    so.

    Raises:
        NotTakenError: the native list does not follow.
    """
    missing = [option for option in found if not option.selected]
    for option in found:
        if option.selected:
            action.notes.append(f"{quoted_words(option.label)} was selected already")
    for option in missing:
        offered = await read_choices(action, painted)
        await _in_list(action, painted, offered, [option.label])
    patience = action.deadline.share(TARGET_PATIENCE_SECONDS / 2)
    wanted = {option.value for option in found}
    while not wanted.issubset(each.value for each in (await read_choices(action, node)).options if each.selected):
        if patience.spent():
            raise _not_kept(node)
        await asyncio.sleep(TARGET_POLL_SECONDS)


async def _in_list(action: ActionContext, node: TargetNode, choices: Choices, labels: Sequence[str]) -> None:
    """Chooses in a list that the page has made itself: opens it first where it is closed, and closes it again where
    nothing can be chosen."""
    if choices.kind == "aria-listbox":
        await _in_widget(action, node, choices, labels)
        return
    async with closing_on_error(action, node):
        choices = choices if choices.kind == "aria-open" else await open_list(action, node)
        await _in_widget(action, node, choices, labels)


async def _in_widget(action: ActionContext, node: TargetNode, choices: Choices, labels: Sequence[str]) -> None:
    """Clicks options of a list that the page has made itself. What a list has not drawn yet keeps its state. One that
    opens may close with each choice."""
    if len(labels) > 1 and not choices.multiple:
        raise BadInputError(f"{node.shown_as} does not say that it takes several options: give one", field="options")
    is_drawn = True
    try:
        found = [find_option(node, choices, each) for each in labels]
    except NoSuchOptionError:
        choices, found = await find_by_scrolling(action, node, choices, labels)
        is_drawn = False
    now = choices
    for option in choices.options:
        is_wanted = option in found
        if choices.multiple and option.selected == is_wanted:  # a click would deselect it
            if is_wanted:
                action.notes.append(f"{quoted_words(option.label)} was selected already")
            continue
        if is_wanted or choices.multiple:
            if now.kind == "aria-closed":
                now, is_drawn = await open_list(action, node), False
            await _click(action, node, option if is_drawn else await drawn_option(action, node, option))
            if choices.kind == "aria-open":
                now = await _changed(action, node, now, option)


async def _changed(action: ActionContext, node: TargetNode, before: Choices, option: Option) -> Choices:
    """What a list that was open offers once an option of it was clicked.

    Raises:
        NotTakenError: the page has changed nothing.
    """
    patience = action.deadline.share(TARGET_PATIENCE_SECONDS / 2)
    while True:
        try:
            now = await read_choices(action, node)
        except PerceptionError:  # its page has gone on, or draws it anew
            if action.deadline.spent():
                raise
            return msgspec.structs.replace(before, kind="aria-closed")
        if now != before or option.selected or now.changed is None:
            return now
        if patience.spent():
            raise NotTakenError(f"{node.shown_as} did not take option {option.label[:60]!r}: look at what it shows")
        await asyncio.sleep(TARGET_POLL_SECONDS)


async def _click(action: ActionContext, node: TargetNode, option: Option) -> None:
    """Clicks an option. A list that draws only the options in view draws this one again as it comes into view.

    Raises:
        StaleRefError: the list does not show it any more.
    """
    for redraws in range(MAX_REDRAWS + 1):
        try:
            aim = await aim_at(action, _node(node, option))
            await action.input.click(aim, button="left", count=1, modifiers=(), deadline=action.deadline)
            return
        except StaleRefError:
            if redraws == MAX_REDRAWS:
                raise
            option = await drawn_option(action, node, option)


async def _comes_true(action: ActionContext, node: TargetNode, wanted: set[int]) -> bool:
    """Whether these options, and no others, are the selected ones; Chromium needs a moment to close its list."""
    patience = action.deadline.share(TARGET_PATIENCE_SECONDS / 2)
    while True:
        choices = await read_choices(action, node)
        if {option.number for option in choices.options if option.selected} == wanted:
            return True
        if patience.spent():
            return False
        await asyncio.sleep(TARGET_POLL_SECONDS)


def _node(owner: TargetNode, option: Option) -> TargetNode:
    return TargetNode(owner.frame, option.number, f"option {option.label[:60]!r}")
