"""Controls that are on a page but not painted: of closed menus, or of other tabs of a dialog."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.browser.walker.row_layout import HiddenControl
from perception.deadline import Deadline
from perception.errors import DeadlineError
from perception.geometry import Box
from perception.types import Element, NodeKey, Reach, Skipped

HIDDEN_CONTROLS_FRAME_SECONDS = 2.0
"""How long one frame is asked; a hung one never answers. Chosen by hand."""

MAX_HIDDEN_CONTROLS = 20_000
"""Limit of one frame. A page with more is a table of buttons that resemble listed ones. Chosen by hand."""

NOWHERE = Box(0, 0, 0, 0)
"""The box of what is not painted."""


class _Reply(msgspec.Struct):
    found: list[HiddenControl]
    more: bool


_decode = msgspec.json.Decoder(_Reply).decode


@dataclass(frozen=True, slots=True)
class HiddenControls:
    """A control that is not painted.

    Attributes:
        element: the control.
        after: the last listed element before it in its frame's document; None where there is none.
    """

    element: Element
    after: NodeKey | None


async def find_unseen(
    page: PageLink, frames: list[str], deadline: Deadline
) -> tuple[list[HiddenControls], list[Skipped]]:
    """Hidden controls of captured frames, in document order within each frame, and the frames that were skipped.

    Raises:
        CdpCallError, DeadlineError: of the top document.
    """
    found: list[HiddenControls] = []
    skipped: list[Skipped] = []
    for frame in frames:
        share = deadline if frame == page.main_frame else deadline.share(HIDDEN_CONTROLS_FRAME_SECONDS)
        try:
            reply = _decode(
                await page.ask_text(frame, "hiddenControls", share, "looking for hidden controls", MAX_HIDDEN_CONTROLS)
            )
            loader = (await page.world(frame, share)).loader
        except (CdpCallError, DeadlineError) as exc:
            if frame == page.main_frame:
                raise
            skipped.append(Skipped("hidden controls of a frame", str(exc)))
            continue
        shown_as = "" if frame == page.main_frame else frame
        found += [_unseen(each, loader, shown_as) for each in reply.found]
        if reply.more:
            skipped.append(Skipped("hidden controls", f"there are more than {MAX_HIDDEN_CONTROLS}"))
    return found, skipped


def _unseen(control: HiddenControl, loader: str, frame: str) -> HiddenControls:
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
    return HiddenControls(element, NodeKey(loader, control.before) if control.before else None)
