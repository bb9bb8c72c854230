"""What has changed in a tab since its last capture, at the cost of two round trips.

The walker knows changes of the document; Chromium's counters of style and layout passes reveal what it cannot know (a
rule changed in a style sheet); its counter of listeners shows when to ask for click listeners again.

Rule 1: counters are asked for when the walker has answered. Chromium (156) answers `Performance.getMetrics` in the
middle of a running script: asked together, the counters would often be of before the layout that the walker updates.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from perception.browser.capture.frame_facts import WalkReply
from perception.browser.cdp.cdp_link import consume
from perception.browser.page.awaited import awaited_requests, names_of
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Counters:
    """Chromium's counters of one renderer process.

    Attributes:
        styles: style passes since the process started.
        layouts: layout passes since the process started.
        listeners: event listeners that exist.
        scripts_s: time spent in the page's own scripts, in seconds; what we evaluate is not in it.
    """

    styles: int
    layouts: int
    listeners: int
    scripts_s: float = 0.0

    def same_pixels(self, other: Counters) -> bool:
        """Whether there was no style or layout pass in between."""
        return (self.styles, self.layouts) == (other.styles, other.layouts)


class FrameProbe(msgspec.Struct, kw_only=True):
    """The walker's state in one frame, without a capture.

    Attributes:
        dirty: the document changed since the last capture.
        changes: count of changes; only grows.
        running: animations that run.
        moving: those of them that end.
        ready: the document's `readyState`.
        url: its address, which a script may change without touching the document.
        visible: the tab is in the foreground.
    """

    dirty: bool
    changes: int
    running: int
    moving: int
    ready: str
    url: str = ""
    visible: bool = True


class ProbeWithWalk(FrameProbe):
    """A `FrameProbe` with a walk of what had changed; None where nothing had."""

    walk: WalkReply | None = None


class RestFacts(FrameProbe):
    """A `FrameProbe` with what shows whether the frame is at work. Times are ms.

    Attributes:
        quiet: since the last change that was counted, or since changes are counted.
        unmade: since a script last changed content; -1 if none has.
        listeners: our own event listeners.
        signs: what in view says that something is under way, and for how long the newest has been there.
        endless: for how long the newest animation without an end runs in view; -1 for none.
        plays: a video plays in view.
        bare: the frame has scripts and shows nothing yet.
        switching: a view transition is under way.
    """

    quiet: float
    unmade: float
    listeners: int
    signs: dict[str, float]
    endless: float
    plays: bool
    bare: bool
    switching: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """One moment of all frames.

    Attributes:
        frames: by frame id.
        counters: by CDP session id.
    """

    frames: dict[str, FrameProbe]
    counters: dict[str, Counters]


_decode = msgspec.json.Decoder(FrameProbe).decode
_decode_walk = msgspec.json.Decoder(ProbeWithWalk).decode
_decode_rest = msgspec.json.Decoder(RestFacts).decode


async def probe(page: PageLink, frames: list[str], deadline: Deadline) -> Probe:
    """Probes all given frames at once.

    Raises:
        CdpCallError: one of them is gone.
        DeadlineError, PageCrashedError, SessionLostError
    """
    found = await probe_frames(page, frames, deadline)
    return Probe(found, await count_all(page, frames, deadline))


async def probe_frames(page: PageLink, frames: list[str], deadline: Deadline) -> dict[str, FrameProbe]:
    """As `probe`, without counters: what the walkers know."""
    texts = await asyncio.gather(*(page.ask_text(frame, "probe", deadline, "looking for changes") for frame in frames))
    return {frame: _decode(text) for frame, text in zip(frames, texts, strict=True)}


async def probe_and_walk(
    page: PageLink, frames: list[str], deadline: Deadline, *, inner: Deadline, wide: bool, reveal: bool
) -> tuple[Probe, WalkReply | None]:
    """As `probe`, with a walk of the top document in the same round trip if it has changed. The changes that the walk
    has read are reported no more: who does not use it has to walk afresh.

    Args:
        frames: with the top one.
        deadline: for the top document.
        inner: for the frames in it.
    """
    top, rest = page.main_frame, [frame for frame in frames if frame != page.main_frame]
    text, others = await asyncio.gather(
        page.ask_text(top, "probeAndWalk", deadline, "reading the page", wide, reveal),
        probe_frames(page, rest, inner),
    )
    found = _decode_walk(text)
    return Probe({top: found} | others, await count_all(page, frames, deadline)), found.walk


async def probe_rest(page: PageLink, frames: list[str], deadline: Deadline) -> tuple[list[RestFacts], Counters]:
    """Whether frames of the top document's process are at work, the top one first, and the counters of that process.

    Raises: as `probe`.
    """
    texts = await asyncio.gather(
        *(page.ask_text(frame, "restProbe", deadline, "looking for changes") for frame in frames)
    )
    counters = await count_all(page, [page.main_frame], deadline)
    return [_decode_rest(text) for text in texts], counters[page.session.session_id]


async def count_all(page: PageLink, frames: Iterable[str], deadline: Deadline) -> dict[str, Counters]:
    """Current counters of all processes that frames live in, by CDP session id."""
    return await read_counts(begin_count(page, frames), deadline)


Counting = dict[str, asyncio.Future[dict[str, Any]]]
"""Counts that were asked for, by CDP session id."""


def begin_count(page: PageLink, frames: Iterable[str]) -> Counting:
    """Asks for the counters without waiting."""
    sessions = {page.session_of(frame).session_id: page.session_of(frame) for frame in frames}
    counting = {session_id: session.start("Performance.getMetrics") for session_id, session in sessions.items()}
    for reply in counting.values():
        reply.add_done_callback(consume)  # nobody reads it if what is asked next fails
    return counting


async def read_counts(counting: Counting, deadline: Deadline) -> dict[str, Counters]:
    """The counters that were asked for, by CDP session id."""
    async with deadline.phase("looking for changes"):
        return {session_id: _counters(await reply) for session_id, reply in counting.items()}


def _counters(reply: dict[str, Any]) -> Counters:
    values = {each["name"]: each["value"] for each in reply["metrics"]}
    return Counters(
        int(values.get("RecalcStyleCount", 0)),
        int(values.get("LayoutCount", 0)),
        int(values.get("JSEventListeners", 0)),
        float(values.get("ScriptDuration", 0.0)),
    )


def pending_of(page: PageLink, *, ready: str, moving: int) -> list[str]:
    """What a page has still to do, as far as is known without waiting: DOMContentLoaded, load, animations, and the
    requests that it waits for.

    Args:
        ready: the top document's `readyState`.
        moving: how many of its running animations end.
    """
    pending = []
    if ready == "loading":
        pending.append("DOMContentLoaded")
    if ready != "complete":
        pending.append("load")
    if moving:
        pending.append("animations")
    now = page.requests.clock()
    return [*pending, *names_of([each for each in awaited_requests(page.requests) if now < each.until_s])]
