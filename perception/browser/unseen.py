"""Controls that a tab's page has and nobody sees: of closed menus, of other tabs of a dialog."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from perception.browser.cdp import CdpCallError
from perception.browser.page import PageLink
from perception.budget import Budget
from perception.errors import DeadlineError
from perception.geometry import Box
from perception.types import Element, NodeKey, Reach, Skipped

FRAME_SECONDS = 2.0
"""As for a look at a frame: a hung one never answers."""

MOST = 20_000
"""Of one frame; a page with more is a table of buttons, each of which has its like among those that are listed."""

NOWHERE = Box(0, 0, 0, 0)


class _Control(msgspec.Struct, array_like=True):
    """What the walker says of one (unseen.js)."""

    number: int
    before: int
    role: str
    name: str
    states: list[str]
    hint: str


class _Reply(msgspec.Struct):
    found: list[_Control]
    more: bool


_decode = msgspec.json.Decoder(_Reply).decode


@dataclass(frozen=True, slots=True)
class Unseen:
    """A control that is not painted, and the listed one that stands before it in its frame's document, if one does."""

    element: Element
    after: NodeKey | None


async def find_unseen(page: PageLink, frames: list[str], budget: Budget) -> tuple[list[Unseen], list[Skipped]]:
    """Controls of frames that have been looked at, in document order within each."""
    found: list[Unseen] = []
    skipped: list[Skipped] = []
    for frame in frames:
        share = budget if frame == page.main_frame else budget.share(FRAME_SECONDS)
        try:
            reply = _decode(await page.ask_text(frame, "unseen", share, "looking for hidden controls", MOST))
            loader = (await page.world(frame, share)).loader
        except (CdpCallError, DeadlineError) as exc:
            if frame == page.main_frame:
                raise
            skipped.append(Skipped("hidden controls of a frame", str(exc)))
            continue
        shown_as = "" if frame == page.main_frame else frame
        found += [_unseen(each, loader, shown_as) for each in reply.found]
        if reply.more:
            skipped.append(Skipped("hidden controls", f"there are more than {MOST}"))
    return found, skipped


def _unseen(control: _Control, loader: str, frame: str) -> Unseen:
    element = Element(
        role=control.role,
        name=control.name,
        box=NOWHERE,
        states=tuple(control.states),
        hint=control.hint,
        frame=frame,
        in_viewport=False,
        visible=False,
        interactive=True,
        node=NodeKey(loader, control.number),
        reach=Reach.NEVER,
    )
    return Unseen(element, NodeKey(loader, control.before) if control.before else None)
