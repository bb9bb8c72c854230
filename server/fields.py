"""Fields that are not typed into: those that are checked, and those with a picker."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from perception.browser.targets import PATIENCE_SECONDS, POLL_SECONDS, Node
from perception.errors import BadInputError, NotCheckableError, NotTakenError
from perception.server.deed import Deed
from perception.v1 import types_pb2

CHECKABLE = ("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio")

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


async def is_checked(deed: Deed, target: types_pb2.Target) -> bool | None:
    """Whether something that can be checked is; None for something in between.

    Raises:
        NotCheckableError: it has no such state.
    """
    return await checked_state(deed, await deed.find_node(target, "checking"))


async def require_checked(deed: Deed, node: Node, wanted: bool) -> None:
    """Waits for a state that a click has asked for.

    Raises:
        NotTakenError: it does not come.
    """
    node = replace(node, expected=None)  # its name may tell of its state
    patience = deed.budget.share(PATIENCE_SECONDS / 2)
    while await checked_state(deed, node) is not wanted:
        if patience.spent():
            state = "checked" if wanted else "unchecked"
            raise NotTakenError(f"{node.shown_as} was clicked and is not {state}: look at what the page shows now")
        await asyncio.sleep(POLL_SECONDS)


async def checked_state(deed: Deed, node: Node) -> bool | None:
    """As `is_checked`, of an element that was found."""
    facts = await deed.targets.look_at(node, deed.budget)
    if facts.role not in CHECKABLE:
        raise NotCheckableError(
            f"{node.shown_as} is a {facts.role}, which has no such state: leave `checked` out to click it"
        )
    return None if "mixed" in facts.states else "checked" in facts.states


async def pick(deed: Deed, node: Node, text: str, *, submit: bool, told: str = "") -> bool:
    """Sets a date, colour or slider by script, since such a field takes no plain text. Says whether it is one.

    Args:
        told: what messages say in place of the text, where they may not say that.

    Raises:
        BadInputError: it does not take this text; says in which form it would.
    """
    facts = await deed.targets.look_at(node, deed.budget)
    if facts.tag != "input" or facts.type not in PICKED:
        return False
    await deed.aim_at(node)
    deed.budget.dispatched = True
    reply = await deed.tab.link.ask(node.frame, "setPicked", deed.budget, "setting the field", node.number, text)
    if reply is None:
        return False
    if not reply["taken"]:
        raise BadInputError(
            f"{node.shown_as} is a field of type {facts.type}, which takes no {(told or text[:40])!r}: write it as "
            f"{PICKED[facts.type]}",
            field="text",
        )
    deed.notes.append(f"a field of type {facts.type} takes no plain text: its value was set by script")
    if submit:
        await deed.hands.focus_node(node, deed.budget)
        await deed.hands.press("Enter", deed.budget)
    return True
