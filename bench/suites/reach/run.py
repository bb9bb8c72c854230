"""Visits pages for `reach`: surveys each, asks for our refs, and acts on a sample by ref and with a real mouse.

Rule 1: both ways act on a fresh copy of the page, which a seed does not change.
Rule 2: what a page changes by itself before it is acted upon does not count as an effect.
Rule 3: a missed thing that a real mouse changes nothing with is explained; others are misses.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from perception.bench.pages.page_visits import OnPage
from perception.bench.pages.shared_browser import SharedTab
from perception.bench.pages.still_pages import wait_until_still
from perception.bench.pages.tab_visits import visit_tabs
from perception.bench.suites.reach.judgment import (
    Effect,
    Finding,
    PageReach,
    ReachRun,
    RouteKind,
    Thing,
    differences,
    is_empty,
)
from perception.bench.suites.reach.survey import ReachProbe, find_things, read_listeners, read_peers
from perception.client import RemoteError
from perception.client.fields import MouseButton
from perception.datasets.sources.manifest import PageSpec
from perception.errors import PerceptionError, first_line
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

QUIET_SECONDS = 0.3
"""How long a page is watched before it is acted upon, for what it changes by itself."""

SETTLE_SECONDS = 0.6
"""How long an effect may take: transitions of component libraries last 0.2 to 0.4 s."""

PAGE_SECONDS = 240.0
"""Limit of one page. The widest of the corpus takes 40 s on 2 cores."""

MISSES_TRIED = 12
"""Missed things of one page that are tried, besides the sample: most misses of a page are of one kind."""

_CLICKED = frozenset(("click", "mousedown", "pointerdown", "pointer", "peer", "focus"))


@dataclass(slots=True)
class _ReachVisit:
    """One page during the run."""

    tab: SharedTab
    session: CDPSession
    url: str
    page: PageSpec | None

    async def bring(self) -> ReachProbe:
        """A fresh copy of the page."""
        for other in self.tab.theirs.context.pages:
            if other is not self.tab.theirs and await _opener_is(other, self.tab.theirs):
                await other.close()
        await self.tab.theirs.mouse.move(0, 0)
        if self.tab.theirs.url.split("#")[0] == self.url.split("#")[0]:
            await self.tab.go("about:blank")
        await self.tab.bring(self.url, self.page)
        await wait_until_still(self.tab.theirs)
        return await ReachProbe.of(self.tab.theirs, self.session)

    async def look(self) -> pb.Snapshot:
        return await self.tab.ours.snapshot(
            mode=perception_pb.MODE_TEXT, view=perception_pb.VIEW_FULL, scope=perception_pb.SCOPE_PAGE
        )


async def run_reach(
    pages: Mapping[str, str], known: Mapping[str, PageSpec], on_page: OnPage, *, tries: int = 4, seed: int = 1
) -> ReachRun:
    """Surveys pages one after another, each in a session of its own.

    Args:
        pages: address by page id.
        known: the manifest's facts of pages, by id: locale, time to wait, actions.
        on_page: called with each finished page, and the reason if it could not be read (empty: it was).
        tries: how many reached things of each page are acted upon.
        seed: draws them.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """

    async def read(page_id: str, tab: SharedTab) -> PageReach:
        session = await tab.theirs.context.new_cdp_session(tab.theirs)
        await session.send("Page.enable")
        visit = _ReachVisit(tab, session, pages[page_id], known.get(page_id))
        return await _read_page(page_id, visit, tries, random.Random(f"{seed} {page_id}"))

    found, failed, version = await visit_tabs(pages, known, on_page, read, seconds=PAGE_SECONDS)
    return ReachRun(tuple(found), failed, version)


async def _read_page(page_id: str, visit: _ReachVisit, tries: int, rng: random.Random) -> PageReach:
    probe = await visit.bring()
    listened = await read_listeners(visit.session, probe.nodes)
    refs = probe.refs_of(await visit.look())
    peers, still, note = await read_peers(probe)
    found = await find_things(probe, listened, peers)
    routes = await probe.routes([each["path"] for each in found], refs)
    things = [_thing(each, routes.get(each["path"])) for each in found]
    for index, each in enumerate(things):
        if not each.is_reached:
            things[index] = replace(each, reason=str(await probe.call("obstacle", each.path)))
    reached = [index for index, each in enumerate(things) if each.is_reached and _act_of(each)]
    for index in sorted(rng.sample(reached, min(tries, len(reached)))):
        things[index] = await _try_both(visit, things[index])
    missed = [index for index, each in enumerate(things) if each.is_missed and _act_of(each)]
    for index in sorted(rng.sample(missed, min(MISSES_TRIED, len(missed)))):
        things[index] = await _try_missed(visit, things[index])
    return PageReach(page_id, tuple(things), still, (note,) if note else ())


def _thing(found: Mapping[str, Any], route: tuple[str, str] | None) -> Thing:
    ref, kind = route or ("", "")
    return Thing(found["path"], found["tag"], found["role"], found["name"], tuple(found["kinds"]), RouteKind(kind), ref)


def _act_of(thing: Thing) -> str:
    """The event that is tried: `click`, `dblclick`, `contextmenu` or `mouseover`; empty for drags, drops and keys."""
    if _CLICKED.intersection(thing.kinds):
        return "click"
    for kind in ("dblclick", "contextmenu"):
        if kind in thing.kinds:
            return kind
    return "mouseover" if {"mouseenter", "mouseover", "hover rule"}.intersection(thing.kinds) else ""


async def _try_both(visit: _ReachVisit, thing: Thing) -> Thing:
    """Acts by ref on one copy of the page, with a real mouse on another."""
    act = _act_of(thing)
    probe = await visit.bring()
    told = await probe.call("told", thing.path)
    refs = probe.refs_of(await visit.look())
    route = (await probe.routes([thing.path], refs)).get(thing.path)
    if route is None:
        return replace(thing, finding=Finding.CHANGED, detail="its ref is gone")
    try:
        ours = await _effect(visit, probe, thing.path, lambda: _act_by_ref(visit, route[0], act))
    except RemoteError as exc:
        if obstacle := await probe.call("obstacle", thing.path):
            return replace(thing, detail=f"no mouse can act on it: {obstacle}")
        return replace(thing, finding=Finding.REFUSED, detail=first_line(exc))
    probe = await visit.bring()
    if await probe.call("told", thing.path) != told:
        return replace(thing, finding=Finding.CHANGED)
    if obstacle := await probe.call("obstacle", thing.path):
        return replace(thing, detail=f"no mouse can act on it: {obstacle}")
    theirs = await _effect(visit, probe, thing.path, lambda: _act_by_mouse(visit, probe, thing.path, act))
    found = differences(ours, theirs, act)
    return replace(thing, finding=Finding.OTHER if found else Finding.SAME, detail="; ".join(found))


async def _try_missed(visit: _ReachVisit, thing: Thing) -> Thing:
    """Acts with a real mouse on a thing that nothing leads to."""
    probe = await visit.bring()
    if not await probe.call("told", thing.path):
        return replace(thing, finding=Finding.CHANGED)
    if obstacle := await probe.call("obstacle", thing.path):
        return replace(thing, reason=str(obstacle))
    before = visit.tab.theirs.url
    act = _act_of(thing)
    effect = await _effect(visit, probe, thing.path, lambda: _act_by_mouse(visit, probe, thing.path, act))
    if is_empty(effect, before):
        return replace(thing, finding=Finding.NOTHING)
    return replace(thing, finding=Finding.ACTS, detail=_say_effect(effect, before))


def _say_effect(effect: Effect, before: str) -> str:
    said = [f"goes to {effect.url}"] if effect.left or effect.url != before else []
    said += [f"focuses {effect.focus}"] if effect.focus else []
    said += [f"changes {', '.join(effect.changed[:3])}"] if effect.changed else []
    return "; ".join(said) or "opens a page"


async def _effect(visit: _ReachVisit, probe: ReachProbe, path: str, act: Any) -> Effect:
    """What an action changes beside what changes by itself. Raises what `act` raises."""
    tab = visit.tab.theirs
    pages = len(tab.context.pages)
    await probe.call("record", path)
    await asyncio.sleep(QUIET_SECONDS)
    by_itself = set((await probe.call_in(probe.prefix_of(path), "settle"))["changed"])
    await act()
    await asyncio.sleep(SETTLE_SECONDS)
    opened = len(tab.context.pages) - pages
    with contextlib.suppress(PlaywrightError):
        found = await probe.call_in(probe.prefix_of(path), "settle")
        changed = tuple(each for each in found["changed"] if each not in by_itself)
        return Effect(tab.url, opened, found["focus"], tuple(found["heard"]), changed)
    return Effect(tab.url, opened, "", (), (), left=True)


async def _act_by_ref(visit: _ReachVisit, ref: str, act: str) -> None:
    ours = visit.tab.ours
    if act == "mouseover":
        await ours.hover(ref, skip_diff=True)
    else:
        button: MouseButton = "right" if act == "contextmenu" else "left"
        await ours.click(ref, skip_diff=True, click_count=2 if act == "dblclick" else 1, button=button)


async def _act_by_mouse(visit: _ReachVisit, probe: ReachProbe, path: str, act: str) -> None:
    """A real mouse at the painted middle. Raises PerceptionError: it has none."""
    point = await probe.call("point", path)
    if point is None:
        raise PerceptionError(f"nothing is painted of {path}")
    x, y = point["x"], point["y"]
    for prefix in [each for each in probe.worlds if each and path.startswith(f"{each}/")]:
        offset = await probe.call("point", prefix.removesuffix("/d"))
        x, y = x + offset["left"], y + offset["top"]
    mouse = visit.tab.theirs.mouse
    if act == "mouseover":
        await mouse.move(x, y)
    else:
        await mouse.click(
            x, y, click_count=2 if act == "dblclick" else 1, button="right" if act == "contextmenu" else "left"
        )


async def _opener_is(page: Any, wanted: Any) -> bool:
    with contextlib.suppress(PlaywrightError):
        return bool(await page.opener() is wanted)
    return False
