"""Focus for typing: a click on a field, and whether the field is still there then."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import Aim
from perception.browser.page.target_types import TargetFacts
from perception.errors import StaleRefError
from perception.geometry import Box
from perception.server.actions.action_context import ActionContext


async def focus_to_type(action: ActionContext, aim: Aim) -> None:
    """Focuses a field by a click. A page may draw itself again as the field before loses the focus.

    Raises:
        StaleRefError: the field is gone then, and what has the focus is not what the page shows in its place.
    """
    await action.input.focus(aim, action.deadline)
    if aim.node is None or aim.facts is None:
        return
    focused = None
    with suppress(CdpCallError):  # its frame is gone
        text = await action.tab.link.ask_text(aim.node.frame, "focusedFacts", action.deadline, "looking for the focus")
        focused = msgspec.json.decode(text, type=TargetFacts | None)
    if focused is not None and focused.number == aim.node.number:
        return
    try:
        await action.targets.look_at(replace(aim.node, expected=None), action.deadline)
    except StaleRefError:
        if focused is None or not _is_in_place_of(aim, aim.facts, focused, action.tab.link.main_frame):
            raise


def _is_in_place_of(aim: Aim, facts: TargetFacts, focused: TargetFacts, main_frame: str) -> bool:
    """Whether what has the focus is the field again, or is where it was clicked."""
    if (focused.role, focused.name) == (facts.role, facts.name):
        return True
    assert aim.node is not None
    return focused.editable and (aim.node.frame != main_frame or Box(*focused.box).contains(aim.point))
