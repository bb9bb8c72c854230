"""Settling: waiting until a page has come to rest, within a time that the caller gives.

Rule 1: `awaited` decides what a page is waited for; here it is only watched.
Rule 2: what is still pending when the time is up is not an error, and a page that is at rest except for what may never
end is at rest: the result lists both.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import dataclass, field

from perception.browser.capture.probe import Counters, RestFacts, probe_rest
from perception.browser.capture.redaction import screenshot_bytes
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.awaited import QUIET_SECONDS, STREAM_SECONDS, Awaited, PageActivity, awaited, names_of
from perception.browser.page.navigation import Settled
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import DeadlineError

SETTLE_POLL_SECONDS = 0.025
"""Interval between probes of a page. Chosen by hand."""

PIXELS_PATIENCE_SECONDS = 3.0
"""How long pixels may change in a page that is at rest otherwise: a moving picture does so for ever. Chosen by hand."""

FIRST_PICTURE_SECONDS = 0.06
"""How long before a page may count as at rest the first of two pictures is taken: the second has to equal it. Chosen by
hand."""

TICKING_SECONDS = 0.08
"""Scripts that run again and again for so long while the page is at rest, long after input, go on like that. Chosen by
hand."""

LONG_AFTER_SECONDS = 2.5
"""After input for longer than scripts are waited for."""

MAX_FRAMES = 8
"""Frames that are watched. Chosen by hand."""


@dataclass(slots=True)
class _Watch:
    """What the probes of one wait have seen.

    Attributes:
        start_s, timeout_s: of the wait.
        quiet_since_s: when the page last changed.
        quiet_s: how long it has to be without a change.
        changes: counts of changes of the frames.
        scripts_s: time spent in scripts so far.
        noticed: counts of what our own listeners were told of, which takes some of that time.
        ran_s: when the page's scripts were last seen to have run; -inf for never.
        ticking_since_s: since when they have been running again and again; inf for not.
        timers: how many scripts have set so far, by frame; None where some frame was not asked.
        pixels: the last picture; empty before the first.
        pictured_s: when this wait took its first picture of the page as it is since `quiet_since_s`; -inf before.
        still_since_s: when the page was found at rest except for its pixels; inf before.
        has_moving_picture: a video or an endless animation is in view: its pixels say nothing.
    """

    start_s: float
    timeout_s: float
    quiet_since_s: float
    quiet_s: float = QUIET_SECONDS
    changes: list[int] = field(default_factory=list)
    scripts_s: float = math.inf
    noticed: list[int] = field(default_factory=list)
    ran_s: float = -math.inf
    ticking_since_s: float = math.inf
    timers: dict[str, int] | None = None
    pixels: bytes = b""
    pictured_s: float = -math.inf
    still_since_s: float = math.inf
    has_moving_picture: bool = False

    def note(self, facts: list[RestFacts], counters: Counters, now_s: float, arrived_s: float) -> None:
        """Takes in one probe.

        Args:
            arrived_s: when the document came, or had loaded.
        """
        changes = [each.changes for each in facts]
        if not self.changes:
            self.quiet_since_s = max(arrived_s, now_s - min(each.quiet for each in facts) / 1000)
        elif changes != self.changes:
            self.quiet_since_s = now_s
        self.changes = changes
        if now_s - self.ran_s > QUIET_SECONDS:
            self.ticking_since_s = math.inf
        noticed = [each.noticed for each in facts]
        if counters.scripts_s > self.scripts_s and noticed == self.noticed:
            self.ran_s, self.ticking_since_s = now_s, min(self.ticking_since_s, now_s)
        self.scripts_s, self.noticed = counters.scripts_s, noticed
        self.has_moving_picture = any(each.plays or each.running > each.moving for each in facts)


async def settle(page: PageLink, timeout_s: float, deadline: Deadline) -> Settled:
    """Waits until the page has loaded, its scripts wait for nothing that they were asked for, and neither its document,
    its animations nor its pixels change.

    Args:
        timeout_s: the longest wait; the rest of the deadline stays unused.

    Raises:
        PageCrashedError, SessionLostError
        DeadlineError: the page hangs.
    """
    start = deadline.clock()
    share = deadline.share(timeout_s)
    watch = _Watch(start, share.remaining(), start, pixels=page.rest.pixels)
    while True:
        waits = await _look(page, watch, share, deadline)
        now = deadline.clock()
        pending = names_of(each for each in waits if now < each.until_s)
        background = names_of(each for each in waits if each.goes_on and now >= each.until_s > -math.inf)
        if pending:
            watch.still_since_s = math.inf
            left_s = max(each.until_s for each in waits if now < each.until_s) - now
            if pending == ("changes",) and left_s < FIRST_PICTURE_SECONDS and watch.pictured_s < watch.quiet_since_s:
                watch.pixels, watch.pictured_s = await _thumbnail(page, deadline), now  # the other one comes at rest
        elif await _has_still_pixels(page, watch, deadline):
            return _at_rest(page, watch, background, deadline)
        else:
            pending = ("pixels",)
        if share.remaining() < SETTLE_POLL_SECONDS:
            return Settled(pending, deadline.clock() - start, background)
        await asyncio.sleep(SETTLE_POLL_SECONDS)


async def _look(page: PageLink, watch: _Watch, share: Deadline, deadline: Deadline) -> list[Awaited]:
    """What the page is waited for now, or was."""
    if page.is_leaving:  # the document does not answer any more
        with contextlib.suppress(DeadlineError):
            async with share.phase("following a navigation"), page.changed:
                await page.changed.wait_for(lambda: not page.is_leaving or page.crashed or page.gone)
        watch.changes = []
    if page.is_leaving:
        return [Awaited("navigation")]
    made = [frame for frame in page.worlds.made if page.session_of(frame) is page.session]
    frames = [page.main_frame, *[frame for frame in made if frame != page.main_frame][: MAX_FRAMES - 1]]
    try:
        facts, counters = await probe_rest(page, frames, deadline)
    except CdpCallError:  # it navigated meanwhile
        watch.changes = []
        return [Awaited("load")]
    now = deadline.clock()
    watch.note(facts, counters, now, page.requests.arrived_s)
    timers = {frame: each.timers for frame, each in zip(frames, facts, strict=True)}
    watch.timers = timers if timers.keys() == set(page.frames) else None
    activity = _activity(page, watch, facts, counters, now)
    watch.quiet_s = activity.quiet_s
    return awaited(activity, page.requests)


def _activity(page: PageLink, watch: _Watch, facts: list[RestFacts], counters: Counters, now_s: float) -> PageActivity:
    signs: dict[str, float] = {}
    for each in facts:
        for name, age_ms in each.signs.items():
            signs[name] = min(signs.get(name, math.inf), age_ms / 1000)
    end_s = watch.start_s + watch.timeout_s
    return PageActivity(
        now_s=now_s,
        timeout_s=watch.timeout_s,
        quiet_since_s=watch.quiet_since_s,
        made_s=max(now_s - each.unmade / 1000 if each.unmade >= 0 else -math.inf for each in facts),
        ready=facts[0].ready,
        is_load_late="load" in page.rest.restless,
        moving=sum(each.moving for each in facts),
        signs=signs,
        endless_s=min((each.endless / 1000 for each in facts if each.endless >= 0), default=math.inf),
        is_bare=facts[0].bare,
        is_switching=any(each.switching for each in facts),
        listens=counters.listeners > sum(each.listeners for each in facts),
        may_come_late=page.rest.late.may_come(watch.timers),
        scripts_run=now_s - watch.ran_s < QUIET_SECONDS and "scripts" not in page.rest.restless,
        is_leaving=page.navigation.due_s <= end_s,
        is_asked_to_leave=page.navigating,
    )


def _at_rest(page: PageLink, watch: _Watch, background: tuple[str, ...], deadline: Deadline) -> Settled:
    """The end of a wait. What never rests in this document is remembered: the next wait does not try it again."""
    now = deadline.clock()
    if now - watch.ticking_since_s >= TICKING_SECONDS and now - page.requests.input_s > LONG_AFTER_SECONDS:
        page.rest.restless.add("scripts")
    if "load" in background:
        page.rest.restless.add("load")
    page.requests.mute_silent_sockets(now - STREAM_SECONDS)
    page.rest.pixels = watch.pixels
    page.rest.late.note_rest(watch.timers, watch.scripts_s)
    still_moving = ("pixels",) if "pixels" in page.rest.restless else ()
    return Settled((), now - watch.start_s, (*background, *still_moving))


async def _has_still_pixels(page: PageLink, watch: _Watch, deadline: Deadline) -> bool:
    """Whether the viewport looks as it did at the last probe, never will, or has nothing that could paint it anew."""
    if watch.has_moving_picture or "pixels" in page.rest.restless or _paints_nothing(page, watch, deadline):
        return True
    before, watch.pixels = watch.pixels, await _thumbnail(page, deadline)
    if watch.pixels == before:
        return True
    now = deadline.clock()
    watch.still_since_s = min(watch.still_since_s, now)
    if now - watch.still_since_s < PIXELS_PATIENCE_SECONDS:
        return False
    page.rest.restless.add("pixels")
    return True


def _paints_nothing(page: PageLink, watch: _Watch, deadline: Deadline) -> bool:
    """Whether what is at rest since input cannot paint: no scripts run, in no process, and nothing has been loaded."""
    requests, is_known = page.requests, watch.timers is not None and not page.rest.late.has_workers
    if (
        not is_known
        or requests.input_s == -math.inf
        or any(each.ended_s >= requests.input_s for each in requests.ended)
    ):
        return False
    return deadline.clock() - max(watch.ran_s, watch.start_s) >= watch.quiet_s


async def _thumbnail(page: PageLink, deadline: Deadline) -> bytes:
    """A small picture of the viewport: equal bytes are equal pixels."""
    size = await page.ask(page.main_frame, "documentState", deadline, "reading the page")
    width, height, scale = size["viewport"]
    try:
        return await screenshot_bytes(
            page,
            deadline,
            format="jpeg",
            quality=50,
            optimizeForSpeed=True,
            clip={
                "x": size["scroll"][0],
                "y": size["scroll"][1],
                "width": width,
                "height": height,
                "scale": 0.25 / scale,
            },
        )
    except DeadlineError:
        return b""
