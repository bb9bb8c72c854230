"""Choosing from a list: what a person does with the mouse and the arrow keys.

Rule 1: options are chosen by real input. Where a native list takes none, they are set by script, which the answer says.
Rule 2: nothing is chosen before every option that was asked for has been found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from perception.browser.targets import PATIENCE_SECONDS, POLL_SECONDS, Node
from perception.errors import (
    BadInputError,
    ElementDisabledError,
    NoSuchOptionError,
    NotSelectableError,
    NotTakenError,
    StaleRefError,
)
from perception.server.deed import Deed

SHOWN_OPTIONS = 20
"""How many of a list's options an error names."""

MAX_STEPS = 200
"""Arrow keys on the way to an option; in a longer list it is set by script. One takes 2 ms."""


class Option(msgspec.Struct, frozen=True):
    """One option as the page has it: its walker number, label and value."""

    number: int
    label: str
    value: str
    selected: bool
    disabled: bool


class Choices(msgspec.Struct, frozen=True):
    """What a list offers now. `kind`: select (opens), listbox, aria-closed, aria-open, aria-listbox; empty for none."""

    kind: str
    multiple: bool
    options: tuple[Option, ...]


async def choose(deed: Deed, node: Node, wanted: Sequence[str]) -> None:
    """Makes options of a list the selected ones.

    Raises:
        NotSelectableError: it offers none.
        NoSuchOptionError: names those there are.
        BadInputError: several of a list that takes one.
        ElementDisabledError, NotTakenError, and what aiming raises.
    """
    choices = await _choices(deed, node)
    if not choices.kind:
        facts = await deed.targets.look_at(node, deed.budget)
        raise NotSelectableError(
            f"{node.shown_as} ({facts.role} {facts.name[:60]!r}) offers no options: name a list or combobox, or click "
            "what opens the list"
        )
    if len(wanted) > 1 and not choices.multiple:
        raise BadInputError(f"{node.shown_as} takes one option, not {len(wanted)}: give one", field="options")
    if choices.kind == "aria-closed":
        choices = await _open(deed, node)
    found = [_find(node, choices, each) for each in wanted]
    if choices.kind == "select":
        await _by_keys(deed, node, choices, found[0])
    elif choices.kind == "listbox":
        await _by_clicks(deed, node, choices, found)
    else:
        await _in_widget(deed, node, choices, found)


async def _by_keys(deed: Deed, node: Node, choices: Choices, option: Option) -> None:
    """Opens a native list, walks to the option and takes it."""
    if option.selected:
        deed.notes.append(f"{option.label!r} was selected already")
        return
    enabled = [each for each in choices.options if not each.disabled]
    steps = enabled.index(option) - next((index for index, each in enumerate(enabled) if each.selected), 0)
    if abs(steps) <= MAX_STEPS:
        await deed.hands.focus(await deed.aim_at(node), deed.budget)
        for _ in range(abs(steps)):
            await deed.hands.press("ArrowDown" if steps > 0 else "ArrowUp", deed.budget)
        await deed.hands.press("Enter", deed.budget)
        if await _comes_true(deed, node, {option.number}):
            return
        await deed.hands.press("Escape", deed.budget)  # the list may still be open
    await _by_script(deed, node, [option])


async def _by_clicks(deed: Deed, node: Node, choices: Choices, found: Sequence[Option]) -> None:
    """Clicks options of a list that is open, the first one alone, the others with Control."""
    wanted = {each.number for each in found}
    if {each.number for each in choices.options if each.selected} == wanted:
        deed.notes.append("these options were selected already")
        return
    for index, option in enumerate(found):
        aim = await deed.aim_at(_node(node, option))
        modifiers = ("Control",) if index else ()
        await deed.hands.click(aim, button="left", count=1, modifiers=modifiers, budget=deed.budget)
    if not found or not await _comes_true(deed, node, wanted):
        await _by_script(deed, node, found)


async def _by_script(deed: Deed, node: Node, found: Sequence[Option]) -> None:
    deed.budget.dispatched = True
    numbers = [each.number for each in found]
    await deed.tab.link.ask(node.frame, "setSelected", deed.budget, "selecting", node.number, numbers)
    if not await _comes_true(deed, node, set(numbers)):
        raise NotTakenError(f"{node.shown_as} did not keep the option: look at what it shows now")
    deed.notes.append("the list took no keys or clicks: the option was set by script")


async def _in_widget(deed: Deed, node: Node, choices: Choices, found: Sequence[Option]) -> None:
    """Clicks options of a list that the page has made itself."""
    wanted = {each.number for each in found}
    for option in choices.options:
        is_wanted = option.number in wanted
        if choices.multiple and option.selected == is_wanted:
            continue  # a click would turn it round
        if is_wanted or choices.multiple:
            await _click(deed, node, option)


async def _click(deed: Deed, node: Node, option: Option) -> None:
    aim = await deed.aim_at(_node(node, option))
    await deed.hands.click(aim, button="left", count=1, modifiers=(), budget=deed.budget)


async def _open(deed: Deed, node: Node) -> Choices:
    """Clicks what opens a list, and waits until it shows options."""
    await deed.hands.focus(await deed.aim_at(node), deed.budget)
    patience = deed.budget.share(PATIENCE_SECONDS)
    while True:
        choices = await _choices(deed, node)
        if choices.options:
            return choices
        if patience.spent():
            raise NotSelectableError(f"{node.shown_as} was clicked and shows no options: look at what it opened")
        await asyncio.sleep(POLL_SECONDS)


async def _choices(deed: Deed, node: Node) -> Choices:
    text = await deed.tab.link.ask_text(node.frame, "choices", deed.budget, "reading the options", node.number)
    choices = msgspec.json.decode(text, type=Choices | None)
    if choices is None:
        raise StaleRefError(f"{node.shown_as} is stale: its element is gone; take a new snapshot")
    return choices


def _find(node: Node, choices: Choices, wanted: str) -> Option:
    """By label, else by value, else by label whatever its case."""
    tests: tuple[Callable[[Option], bool], ...] = (
        lambda option: option.label == wanted,
        lambda option: option.value == wanted,
        lambda option: option.label.casefold() == wanted.strip().casefold(),
    )
    for fits in tests:
        found = next((option for option in choices.options if fits(option)), None)
        if found is not None and found.disabled:
            raise ElementDisabledError(f"option {wanted[:60]!r} of {node.shown_as} is disabled: choose another one")
        if found is not None:
            return found
    offered = ", ".join(repr(option.label[:60]) for option in choices.options[:SHOWN_OPTIONS])
    more = f" and {len(choices.options) - SHOWN_OPTIONS} more" if len(choices.options) > SHOWN_OPTIONS else ""
    raise NoSuchOptionError(f"{node.shown_as} has no option {wanted[:60]!r}: it has {offered or 'none'}{more}")


async def _comes_true(deed: Deed, node: Node, wanted: set[int]) -> bool:
    """Whether these options, and no others, are the selected ones; Chromium needs a moment to close its list."""
    patience = deed.budget.share(PATIENCE_SECONDS / 2)
    while True:
        choices = await _choices(deed, node)
        if {option.number for option in choices.options if option.selected} == wanted:
            return True
        if patience.spent():
            return False
        await asyncio.sleep(POLL_SECONDS)


def _node(owner: Node, option: Option) -> Node:
    return Node(owner.frame, option.number, f"option {option.label[:60]!r}")
