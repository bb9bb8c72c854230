"""What has changed in a tab since its last capture, at the cost of one round trip.

The walker knows changes of the document; Chromium's counters of style and layout passes reveal what it cannot know (a
rule changed in a style sheet); its counter of listeners shows when to ask for click listeners again.

Rule 1: counters are those of right after the walker's answer, said by the same script (`page/process_counters`).
Asked for beside it, they would often be of before the layout that the walker updates.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from perception.browser.capture.frame_facts import WalkReply
from perception.browser.capture.known_rows import NO_WALK, KnownRows
from perception.browser.cdp.cdp_link import consume
from perception.browser.page.awaited import awaited_requests, names_of
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline

PHASE = "looking for changes"


@dataclass(frozen=True, slots=True)
class Counters:
    """Chromium's counters of one renderer process.

    Attributes:
        styles: style passes since the process started.
        layouts: layout passes since the process started.
        listeners: event listeners that exist.
        own: those of them that are the walker's; 0 where that was not asked.
        nodes: of documents that exist.
        scripts_s: time spent in scripts, in seconds: the page's, and our listeners and observers; what we evaluate is
            not in it.
        collections: of garbage that the walkers have seen in the process: listeners of what was removed go by them.
    """

    styles: int
    layouts: int
    listeners: int
    scripts_s: float = 0.0
    own: int = 0
    collections: int = 0
    nodes: int = 0

    @property
    def theirs(self) -> int:
        """Listeners of the pages' own scripts."""
        return self.listeners - self.own

    @property
    def passes(self) -> int:
        """Style and layout passes; only grows."""
        return self.styles + self.layouts

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
        collections: of garbage, since the walker is there.
    """

    dirty: bool
    changes: int
    running: int
    moving: int
    ready: str
    url: str = ""
    visible: bool = True
    collections: int = 0


class ProbeWithWalk(FrameProbe):
    """A `FrameProbe` with a walk of what had changed; None where nothing had."""

    walk: WalkReply | None = None


class RestFacts(FrameProbe):
    """A `FrameProbe` with what shows whether the frame is at work. Times are ms.

    Attributes:
        quiet: since the last change that was counted, or since changes are counted.
        unmade: since a script last changed content; -1 if none has.
        listeners: our own event listeners.
        timers: how many the document's scripts have set since it came.
        noticed: count of what our own listeners and observers were told of; only grows.
        signs: what in view says that something is under way, and for how long the newest has been there.
        endless: for how long the newest animation without an end runs in view; -1 for none.
        plays: a video plays in view.
        bare: the frame has scripts and shows nothing yet.
        switching: a view transition is under way.
    """

    quiet: float
    unmade: float
    listeners: int
    timers: int
    noticed: int
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
    answers = await asyncio.gather(*(ask_counted(page, frame, "probe", deadline, PHASE) for frame in frames))
    found = {frame: _decode(text) for frame, (text, _) in zip(frames, answers, strict=True)}
    counters = await _counters_of(page, frames, [counters for _, counters in answers], deadline)
    return Probe(found, _with_collections(page, found, counters))


async def probe_and_walk(
    page: PageLink,
    frames: list[str],
    deadline: Deadline,
    *,
    inner: Deadline,
    wide: bool,
    reveal: bool,
    known: KnownRows | None = None,
) -> tuple[Probe, WalkReply | None]:
    """As `probe`, with a walk of the top document in the same round trip if it has changed. The changes that the walk
    has read are reported no more: who does not use it has to walk again from the start.

    Args:
        frames: with the top one.
        deadline: for the top document.
        inner: for the frames in it.
        known: the top document's rows; None where all of them are to be sent.
    """
    base = known.walk if known is not None else NO_WALK
    top, rest = page.main_frame, [frame for frame in frames if frame != page.main_frame]
    answers = await asyncio.gather(
        ask_counted(page, top, "probeAndWalk", deadline, "reading the page", wide, reveal, base),
        *(ask_counted(page, frame, "probe", inner, PHASE) for frame in rest),
    )
    found = _decode_walk(answers[0][0])
    if known is not None and found.walk is not None:
        known.complete(found.walk)
    probes = {top: found} | {frame: _decode(text) for frame, (text, _) in zip(rest, answers[1:], strict=True)}
    counters = await _counters_of(page, [top, *rest], [each for _, each in answers], deadline)
    return Probe(probes, _with_collections(page, probes, counters)), found.walk


def _with_collections(
    page: PageLink, probes: Mapping[str, FrameProbe], counters: Mapping[str, Counters]
) -> dict[str, Counters]:
    seen = dict.fromkeys(counters, 0)
    for frame, each in probes.items():
        seen[page.session_of(frame).session_id] += each.collections
    return {key: replace(each, collections=seen[key]) for key, each in counters.items()}


async def ask_counted(
    page: PageLink, frame: str, call: str, deadline: Deadline, phase: str, *arguments: Any
) -> tuple[str, Counters | None]:
    """A walker's answer, still encoded, and the counters of its process right after it."""
    with page.counters.asking() as title:
        text = await page.worlds.ask_stamped(frame, call, title, deadline, phase, *arguments)
        told = page.counters.reported(title)
    return text, _counters(told) if told is not None else None


async def _counters_of(
    page: PageLink, frames: Sequence[str], told: Sequence[Counters | None], deadline: Deadline
) -> dict[str, Counters]:
    """The last counters that the frames of each process reported, by CDP session id; asked for where there are none."""
    latest: dict[str, Counters] = {}
    for frame, counters in zip(frames, told, strict=True):
        session_id = page.session_of(frame).session_id
        last = latest.get(session_id)
        if counters is not None and (last is None or counters.passes >= last.passes):
            latest[session_id] = counters
    untold = [frame for frame in frames if page.session_of(frame).session_id not in latest]
    return latest | (await count_all(page, untold, deadline) if untold else {})


async def probe_rest(page: PageLink, frames: list[str], deadline: Deadline) -> tuple[list[RestFacts], Counters]:
    """Whether frames of the top document's process are at work, the top one first, and the counters of that process.

    Raises: as `probe`.
    """
    texts = await asyncio.gather(*(page.ask_text(frame, "restProbe", deadline, PHASE) for frame in frames))
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
    async with deadline.phase(PHASE):
        return {session_id: _counters(await reply) for session_id, reply in counting.items()}


def _counters(reply: dict[str, Any]) -> Counters:
    values = {each["name"]: each["value"] for each in reply["metrics"]}
    return Counters(
        int(values.get("RecalcStyleCount", 0)),
        int(values.get("LayoutCount", 0)),
        int(values.get("JSEventListeners", 0)),
        float(values.get("ScriptDuration", 0.0)),
        nodes=int(values.get("Nodes", 0)),
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
