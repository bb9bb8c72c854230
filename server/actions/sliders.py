"""Sliders, and spin buttons that a page has made itself: they take a value by keys, as from a person.

Rule: the value is read after each round of keys; a step is what one key press has changed.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from perception.browser.input.aiming import TargetNode, named
from perception.errors import BadInputError, ElementDisabledError, NotTakenError, StaleRefError
from perception.server.actions.action_context import ActionContext

MOVED_BY_KEYS = ("slider", "spinbutton")

KEYS = (("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown"))
"""Keys that raise a value and lower it (ARIA Authoring Practices, Slider). The first that work are used."""

PAGE_KEYS = ("PageUp", "PageDown")

MAX_PRESSES = 200
"""Key presses in one round; farther away, larger steps come first. One takes 2 ms."""

ROUNDS = 12
"""Rounds of keys: two find the keys and the step, one or two arrive. The rest is for steps that differ."""

CHANGE_SECONDS = 0.4
"""How long a value may take to follow the keys: some sliders move in a transition. Chosen by hand."""

POLL_SECONDS = 0.02


class SliderState(msgspec.Struct, frozen=True):
    """What a slider says of itself; None for what it does not say. A native one alone has a step."""

    now: float | None = None
    least: float | None = None
    most: float | None = None
    step: float | None = None


@dataclass(slots=True)
class Way:
    """How a value is moved: the keys that raise and lower it, and how much one press changes."""

    up: str
    down: str
    step: float = 0.0


async def slide(action: ActionContext, node: TargetNode, text: str, *, submit: bool, shown_as: str = "") -> bool:
    """Moves a slider, or a spin button that is not a field, to a value by keys.

    Returns:
        Whether the element is one. False also for a native slider that takes no such value, or does not follow.

    Args:
        shown_as: what messages say in place of the text; empty to show the text.

    Raises:
        BadInputError: the text is not a number within its limits and by its steps. The slider is where it was.
        ElementDisabledError, NotReachableError: it cannot be moved.
        NotTakenError: it does not follow the keys.
    """
    facts = await action.targets.look_at(node, action.deadline)
    is_native = facts.tag == "input"
    if facts.role not in MOVED_BY_KEYS or (is_native and (facts.type != "range" or facts.disabled)):
        return False
    if facts.disabled:
        raise ElementDisabledError(f"{node.shown_as} ({named(facts)}) is disabled: nothing can be done with it")
    state = await _state(action, node)
    if facts.editable and not is_native:
        return await _fill_segment(action, node, state, text, submit=submit, shown_as=shown_as)
    if state.now is None:
        return False
    if is_native:
        if not await _slide_native(action, node, state, text):
            return False
    else:
        wanted = _wanted(node, facts.role, state, text, shown_as)
        await action.input.focus_node(node, action.deadline)
        await _move(action, node, state.now, wanted)
    if submit:
        await action.input.press("Enter", action.deadline)
    return True


async def _fill_segment(
    action: ActionContext, node: TargetNode, state: SliderState, text: str, *, submit: bool, shown_as: str
) -> bool:
    """Types a number into a part of a date or a time, which digits replace and no other key empties; moves it by keys
    where they lead elsewhere.

    Returns:
        Whether it is one, and the text a number that it may have.
    """
    least, most = state.least, state.most
    if least is None or most is None or not re.fullmatch(r"\d{1,5}", text) or not least <= int(text) <= most:
        return False
    await action.input.focus_node(node, action.deadline)
    for digit in text:
        await action.input.press(digit, action.deadline)
    now = await _value_once(action, node, lambda now: now == int(text))
    if now != int(text):
        if now is None:
            raise NotTakenError(f"{node.shown_as} did not take {shown_as or text}: look at what it shows now")
        await action.input.focus_node(node, action.deadline)  # a full part passes the focus on
        await _move(action, node, now, int(text))
    if submit:
        await action.input.press("Enter", action.deadline)
    return True


async def _slide_native(action: ActionContext, node: TargetNode, state: SliderState, text: str) -> bool:
    """Moves a native slider, from far away by script next to the value: the page sees a key arrive there.

    Returns:
        Whether it is there.
    """
    try:
        wanted = float(text)
    except ValueError:
        return False
    assert state.now is not None
    least, most, step = state.least or 0.0, 100.0 if state.most is None else state.most, state.step or 0.0
    if not step or not least <= wanted <= most or not _is_same(round((wanted - least) / step) * step, wanted - least):
        return False
    await action.input.focus_node(node, action.deadline)
    value = state.now
    if abs(wanted - value) / step > MAX_PRESSES:
        value = wanted - step if wanted - step >= least else wanted + step
        action.deadline.dispatched = True
        action.tab.link.note_input()
        phase = "setting the field"
        await action.tab.link.ask(node.frame, "setPickerValue", action.deadline, phase, node.number, f"{value:.12g}")
    try:
        await _move(action, node, value, wanted)
    except (BadInputError, NotTakenError):
        return False
    return True


def _wanted(node: TargetNode, role: str, state: SliderState, text: str, shown_as: str) -> float:
    try:
        wanted = float(text)
    except ValueError:
        wanted = math.nan
    least = -math.inf if state.least is None else state.least
    most = math.inf if state.most is None else state.most
    if not least <= wanted <= most:
        limits = f" from {least:g} to {most:g}" if math.isfinite(least) and math.isfinite(most) else ""
        given = shown_as or repr(text[:40])
        raise BadInputError(f"{node.shown_as} is a {role}{limits}, which takes no {given}: give a number", field="text")
    return wanted


async def _move(action: ActionContext, node: TargetNode, value: float, wanted: float) -> None:
    first, ways = value, [Way(*keys) for keys in KEYS]
    pages = Way(*PAGE_KEYS)
    for _ in range(ROUNDS):
        if _is_same(value, wanted):
            return
        way = ways[0]
        distance = abs(wanted - value)
        if way.step and distance / way.step > MAX_PRESSES:
            way = pages
        elif way.step and distance < way.step * 0.999:
            value = await _put_back(action, node, way, value, first)
            raise BadInputError(
                f"{node.shown_as} moves in steps of {way.step:g}, past this value: it is at "
                f"{value:g} {'as before' if _is_same(value, first) else 'now'}",
                field="text",
            )
        presses = min(max(1, round(distance / way.step)), MAX_PRESSES) if way.step else 1
        before, value = value, await _press(action, node, way, value, wanted, presses)
        if value == before:
            if way is pages or len(ways) == 1:
                break
            ways.pop(0)
            continue
        if (value - before) * (wanted - before) < 0:  # in a slider from right to left
            way.up, way.down = way.down, way.up
        way.step = abs(value - before) / presses
    if _is_same(value, wanted):
        return
    raise NotTakenError(f"{node.shown_as} is at {value:g} and does not follow the keys: drag it, or click in it")


async def _put_back(action: ActionContext, node: TargetNode, way: Way, value: float, first: float) -> float:
    """Moves a slider back to where it was. Returns where it is then."""
    for _ in range(ROUNDS):
        presses = min(round(abs(first - value) / way.step), MAX_PRESSES)
        if not presses:
            break
        before, value = value, await _press(action, node, way, value, first, presses)
        if abs(first - value) >= abs(first - before):
            break
    return value


async def _press(action: ActionContext, node: TargetNode, way: Way, value: float, wanted: float, presses: int) -> float:
    """The value after some presses of a key that leads to the wanted one."""
    for _ in range(presses):
        await action.input.press(way.up if wanted > value else way.down, action.deadline)
    expected = way.step * presses * 0.999

    def has_moved(now: float | None) -> bool:
        return now is not None and (_is_same(now, wanted) or (now != value and abs(now - value) >= expected))

    now = await _value_once(action, node, has_moved)
    return value if now is None else now


async def _value_once(
    action: ActionContext, node: TargetNode, is_there: Callable[[float | None], bool]
) -> float | None:
    """What a slider says once it is as it is to be, or has had the time for it."""
    patience = action.deadline.share(CHANGE_SECONDS)
    while True:
        now = (await _state(action, node)).now
        if is_there(now) or patience.spent():
            return now
        await asyncio.sleep(POLL_SECONDS)


def _is_same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)


async def _state(action: ActionContext, node: TargetNode) -> SliderState:
    text = await action.tab.link.ask_text(node.frame, "sliderState", action.deadline, "reading the slider", node.number)
    state = msgspec.json.decode(text, type=SliderState | None)
    if state is None:
        raise StaleRefError.because(node.shown_as, "its element is gone")
    return state
