"""What has changed in a tab since it was last looked at, at the cost of a round trip.

The walker knows what changed in the document; Chromium's counters of style and layout passes tell of what it cannot
know (a rule changed in a style sheet); its counter of listeners tells when to ask again who listens for clicks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from perception.browser.cdp import CdpSession
from perception.browser.page import PageLink
from perception.budget import Budget


@dataclass(frozen=True, slots=True)
class Counters:
    """Of one renderer process, since it began: passes over style and layout, listeners there are."""

    styles: int
    layouts: int
    listeners: int

    def same_pixels(self, other: Counters) -> bool:
        return (self.styles, self.layouts) == (other.styles, other.layouts)


class FrameProbe(msgspec.Struct):
    """What the walker says of one frame without looking at it. `changes` only grows; of the `running` animations
    those that end are `moving`."""

    dirty: bool
    changes: int
    running: int
    moving: int
    ready: str


@dataclass(frozen=True, slots=True)
class Probe:
    """One moment of all frames: by frame id, and counters by CDP session id."""

    frames: dict[str, FrameProbe]
    counters: dict[str, Counters]


_decode = msgspec.json.Decoder(FrameProbe).decode


async def probe(page: PageLink, frames: list[str], budget: Budget) -> Probe:
    """Asks all given frames at once.

    Raises:
        CdpCallError: one of them is gone.
        DeadlineError, PageCrashedError, SessionLostError
    """
    # In order: a frame's layout is brought up to date by its probe, and counted after that.
    texts, counters = await asyncio.gather(
        asyncio.gather(*(page.ask_text(frame, "probe", budget, "looking for changes") for frame in frames)),
        count_all(page, frames, budget),
    )
    return Probe({frame: _decode(text) for frame, text in zip(frames, texts, strict=True)}, counters)


async def count_all(page: PageLink, frames: Iterable[str], budget: Budget) -> dict[str, Counters]:
    """Counters of all processes that frames live in, as they are now, by CDP session id."""
    sessions = {page.session_of(frame).session_id: page.session_of(frame) for frame in frames}
    counters = await asyncio.gather(*(_count(session, budget) for session in sessions.values()))
    return dict(zip(sessions, counters, strict=True))


async def _count(session: CdpSession, budget: Budget) -> Counters:
    reply = await session.call("Performance.getMetrics", budget, "looking for changes")
    values = {each["name"]: each["value"] for each in reply["metrics"]}
    return Counters(
        int(values.get("RecalcStyleCount", 0)),
        int(values.get("LayoutCount", 0)),
        int(values.get("JSEventListeners", 0)),
    )


def pending_of(page: PageLink, *, ready: str, moving: int) -> list[str]:
    """What a page has still to do, as far as can be told without waiting.

    Args:
        ready: the top document's `readyState`.
        moving: how many animations run in it that come to an end.
    """
    done = page.lifecycle[page.loader]
    pending = []
    if ready == "loading":
        pending.append("DOMContentLoaded")
    if ready != "complete":
        pending.append("load")
    elif "init" in done and not done & {"networkIdle", "networkAlmostIdle"}:
        pending.append("network")
    if moving:
        pending.append("animations")
    return pending
