"""Lists that draw only the options in view: scrolled from their start to their end, as a person does to find one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing

import msgspec

from perception.browser.input.aiming import TARGET_POLL_SECONDS, TargetNode
from perception.errors import NoSuchOptionError, StaleRefError
from perception.server.actions.action_context import ActionContext
from perception.server.actions.options import Choices, Option, find_option, read_choices

DRAW_SECONDS = 0.3
"""How long a list may take to draw other options once it was scrolled, and at its end to get more: one that has drawn
all of them draws none. Chosen by hand."""

MAX_OLD_PLACES = 3
"""Places in a row without an option that is new, after which a list has ended though it moves: one of PrimeVue 4 draws
its last options in turns."""

DRAW_POLL_SECONDS = TARGET_POLL_SECONDS / 5
"""Interval at which the options are read again: lists draw in the next frame or the one after."""


async def find_by_scrolling(
    action: ActionContext, node: TargetNode, choices: Choices, wanted: Sequence[str]
) -> tuple[Choices, list[Option]]:
    """Scrolls a list until it has drawn all options that are wanted.

    Returns:
        All options that it has drawn, by their words, and the wanted ones; only those drawn last are there to click.

    Raises:
        NoSuchOptionError: it has drawn its last option; names those that it has drawn.
        What `find_option` raises, and DeadlineError.
    """
    seen: dict[tuple[str, str, str], Option] = {}
    async with aclosing(_scrolled(action, node)) as places:
        async for drawn in places:
            seen |= {option.words: option for option in drawn}
            offered = msgspec.structs.replace(choices, options=tuple(seen.values()))
            try:
                return offered, [find_option(node, offered, each) for each in wanted]
            except NoSuchOptionError as error:
                missing = error
    raise missing


async def drawn_option(action: ActionContext, node: TargetNode, option: Option) -> Option:
    """An option as the list draws it now; scrolls the list until it does.

    Raises:
        StaleRefError: the list does not have it any more.
    """
    now = (await read_choices(action, node)).options
    if found := [each for each in now if each.words == option.words]:
        return found[0]
    async with aclosing(_scrolled(action, node)) as places:
        async for drawn in places:
            if found := [each for each in drawn if each.words == option.words]:
                return found[0]
    raise StaleRefError.because(f"option {option.label[:60]!r}", "the list does not show it any more")


async def _scrolled(action: ActionContext, node: TargetNode) -> AsyncGenerator[tuple[Option, ...], None]:
    """The options that a list draws from its start to its end, each place sharing one with the next. Some lists scroll
    to what is selected a moment after they open: these are begun again."""
    drawn = (await read_choices(action, node)).options
    if was_on := await _scroll(action, node, None):
        drawn = await _drawn_next(action, node, {option.words for option in drawn})
    seen: set[tuple[str, str, str]] = set()
    old_places = 0
    while old_places < MAX_OLD_PLACES:
        yield drawn
        seen.update(option.words for option in drawn)
        moved = await _scroll(action, node, drawn[-1].number if drawn else None)
        drawn = await _drawn_next(action, node, seen)
        is_new = not seen.issuperset(option.words for option in drawn)
        if moved is False and not is_new:
            if not was_on:
                return
            was_on = False
            await _scroll(action, node, None)
            drawn = await _drawn_next(action, node, seen)
        old_places = 0 if is_new else old_places + 1


async def _scroll(action: ActionContext, node: TargetNode, last: int | None) -> bool | None:
    """Scrolls a list to its start, or on from the last option that it draws.

    Returns:
        Whether it has moved; None where that option is not its last one now.
    """
    phase = "scrolling the list"
    moved = await action.tab.link.ask(node.frame, "scrollOptions", action.deadline, phase, node.number, last)
    return None if moved is None else bool(moved)


async def _drawn_next(
    action: ActionContext, node: TargetNode, seen: Collection[tuple[str, str, str]]
) -> tuple[Option, ...]:
    """What the list draws after it was scrolled: other options than those seen, if it draws any in time."""
    patience = action.deadline.share(DRAW_SECONDS)
    while True:
        await asyncio.sleep(DRAW_POLL_SECONDS)
        drawn = (await read_choices(action, node)).options
        if any(option.words not in seen for option in drawn) or patience.spent():
            return drawn
