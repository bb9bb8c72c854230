"""Clicks elements listed as reachable, by ref, coordinate and selector: whether the click hits, and how long it takes
compared with Playwright's.

Rule 1: the service opens a page, and every click uses its gRPC Click. A probe that knows the node by its backend id
records what is hit (`click_probe`), and prevents the page from reacting.
Rule 2: each way of clicking has a snapshot of its own, and the elements that it lists as reachable in the viewport are
clicked.
Rule 3: what hits another node than a checkbox or radio button is clicked once more while the page reacts, as what
paints a box may take the click for it. It landed if the box changed.
Rule 4: a click by ref or selector that hits another node otherwise is a miss. If one is refused, or misses at a
coordinate, the page may have changed by itself: a new snapshot is taken. Elements that it does not list as reachable do
not count; elements at another position or with another ref, and any coordinate, are clicked once more. Both are counted
separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from playwright.async_api import Error as PlaywrightError

from perception.bench.pages.click_probe import ClickProbe, Held, landing_of, say_heard
from perception.bench.pages.page_visits import OnPage, spread
from perception.bench.pages.shared_browser import SharedTab, shared_browser
from perception.bench.suite_options import LOCAL
from perception.bench.suites.clicks.click_speed import ClickTime, Contestant, click, time_clicks
from perception.client import RemoteError
from perception.datasets.sources.manifest import PageSpec
from perception.datasets.sources.rendering import SWITCHES
from perception.errors import PerceptionError, first_line
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

T = TypeVar("T")

CLICKED_ELEMENTS = 60
"""Maximum number of elements of one page that are clicked each way, evenly spread from first to last."""

TIMED = 8
"""Pages on which clicks are timed, evenly spread from first to last: medians of 45 clicks of each side on each."""

MOVED = 1.0
"""CSS px. A click point that differs by more is another position."""


class TargetKind(StrEnum):
    """How the target of a click is specified."""

    REF = "ref"
    COORDINATE = "coordinate"
    SELECTOR = "selector"


class ClickEnding(StrEnum):
    """The result of a click."""

    ON = "on it"
    LABEL = "on its label"
    INSIDE = "on something inside it"
    """A control, or the page in a frame."""
    TOGGLED = "changed it"
    """Another node took the click, and the box changed."""
    MISS = "missed"
    GONE = "no longer reachable"
    """The page changed by itself: the trial does not count."""


LANDED = frozenset((ClickEnding.ON, ClickEnding.LABEL, ClickEnding.INSIDE, ClickEnding.TOGGLED))

_LANDINGS = {"on": ClickEnding.ON, "label": ClickEnding.LABEL, "inside": ClickEnding.INSIDE}


@dataclass(frozen=True, slots=True)
class ClickTrial:
    """One element clicked one way.

    Attributes:
        element: ref, role and name.
        why: reason of a miss, or of an element that is no longer reachable: the service's message, or what was hit.
        again: it was clicked a second time because the page had changed by itself.
    """

    page: str
    way: TargetKind
    element: str
    ending: ClickEnding
    why: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class SkippedTargets:
    """How many elements were not clicked one way, and why."""

    way: TargetKind
    why: str
    count: int


@dataclass(frozen=True, slots=True)
class ClicksRun:
    """A run.

    Attributes:
        pages: ids of the pages to click through.
        trials: every element clicked, each way.
        skipped: elements that were not clicked.
        times: of the timed clicks.
        failed: why pages could not be clicked through, by page.
        notes: other omissions, one line each.
    """

    pages: tuple[str, ...]
    trials: tuple[ClickTrial, ...]
    skipped: tuple[SkippedTargets, ...]
    times: tuple[ClickTime, ...]
    failed: Mapping[str, str]
    notes: tuple[str, ...]
    browser: str


@dataclass(slots=True)
class _ClickVisit:
    """One page during the run."""

    page: str
    tab: SharedTab
    probe: ClickProbe
    trials: list[ClickTrial]
    skipped: Counter[tuple[TargetKind, str]]


async def run_clicks(
    pages: Mapping[str, str],
    known: Mapping[str, PageSpec],
    on_page: OnPage,
    *,
    timed: int = TIMED,
    placement: str = LOCAL,
) -> ClicksRun:
    """Clicks through pages one after another, each in a session of its own.

    Args:
        pages: address by page id.
        known: the manifest's facts of pages, by id: locale, time to wait, actions.
        timed: the number of pages on which clicks are timed, too.
        placement: of the service, see `placements`.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    trials: list[ClickTrial] = []
    times: list[ClickTime] = []
    skipped: Counter[tuple[TargetKind, str]] = Counter()
    failed: dict[str, str] = {}
    notes: list[str] = []
    with_times = set(spread(list(pages), timed))
    async with shared_browser(pages.values(), switches=SWITCHES, placement=placement) as shared:
        for page_id, url in pages.items():
            try:
                options = session_pb.SessionOptions(locale=known[page_id].locale if page_id in known else "")
                tab = await shared.open_tab(options)
                try:
                    visit = _ClickVisit(page_id, tab, await ClickProbe.of(tab.theirs), trials, skipped)
                    await _open(visit, url, known.get(page_id))
                    contestants = await _click_through(visit)
                    if page_id in with_times:
                        timed_now, untimed = await time_clicks(page_id, tab, visit.probe, contestants)
                        times += timed_now
                        notes += untimed
                finally:
                    await tab.ours.close()
            except (RemoteError, PlaywrightError, PerceptionError, TimeoutError) as exc:
                failed[page_id] = first_line(exc)
            on_page(page_id, failed.get(page_id, ""))
        version = shared.browser.version
    left_out = tuple(SkippedTargets(*key, count) for key, count in sorted(skipped.items()))
    return ClicksRun(tuple(pages), tuple(trials), left_out, tuple(times), failed, tuple(notes), version)


async def _open(visit: _ClickVisit, url: str, page: PageSpec | None) -> None:
    """Opens a page and brings it to its state; after that it receives no clicks."""
    await visit.tab.bring(url, page)
    await visit.probe.arm()


@dataclass(frozen=True, slots=True)
class ListedTarget:
    """An element as a snapshot lists it."""

    element: pb.Element
    snapshot_id: str


async def _look(visit: _ClickVisit, way: TargetKind) -> list[ListedTarget]:
    """The elements now listed as reachable, with selectors if these are used for clicks."""
    snapshot = await visit.tab.ours.snapshot(
        mode=perception_pb.MODE_TEXT, view=perception_pb.VIEW_INTERACTIVE, include_selectors=way is TargetKind.SELECTOR
    )
    found = (each for each in snapshot.elements if each.ref and each.reachable and each.in_viewport)
    return [ListedTarget(each, snapshot.snapshot_id) for each in found]


async def _click_through(visit: _ClickVisit) -> list[Contestant]:
    """Clicks the listed elements every way; returns those hit by ref that have a selector, for timing."""
    contestants = []
    for way in TargetKind:
        await visit.probe.arm()
        for listed in spread(await _look(visit, way), CLICKED_ELEMENTS):
            held = await _hold(visit, way, listed.element)
            if held is None:
                continue
            trial = await _try(visit, way, listed, held)
            visit.trials.append(trial)
            # Playwright's locators search in one frame.
            is_simple = trial.ending is ClickEnding.ON and not trial.again and not listed.element.frame
            if way is TargetKind.REF and is_simple and held.selector:
                contestants.append(Contestant(listed.element.ref, trial.element, held))
    return contestants


async def _hold(visit: _ClickVisit, way: TargetKind, element: pb.Element) -> Held | None:
    """The element's node, if it can be clicked and judged; otherwise it is counted as skipped."""
    held = None
    if "disabled" in element.states:
        why = "disabled: clicks on it are refused"
    elif not element.HasField("backend_node_id"):
        why = "without a backend node id"
    elif (held := await visit.probe.hold(element.frame, element.backend_node_id)) is None:
        why = "gone before its turn"
    elif element.selector or way is not TargetKind.SELECTOR:
        return held
    else:
        why = "without a selector"
    visit.skipped[way, why] += 1
    return None


async def _try(visit: _ClickVisit, way: TargetKind, listed: ListedTarget, held: Held) -> ClickTrial:
    """One click; a second one if the page has changed by itself (rule 4)."""
    ending, why, sent = await _click(visit, way, listed, held)
    trial = ClickTrial(visit.page, way, named(listed.element), ending, why)
    if ending is not ClickEnding.MISS or (sent and way is not TargetKind.COORDINATE):
        return trial
    await visit.probe.arm()
    now = next((each for each in await _look(visit, way) if _is_same(each.element, listed.element)), None)
    if now is None:
        return replace(trial, ending=ClickEnding.GONE)
    held_now = await visit.probe.hold(now.element.frame, now.element.backend_node_id)
    is_worth = way is TargetKind.COORDINATE or _is_elsewhere(now.element, listed.element)
    if held_now is None or not is_worth:
        return trial
    ending, why, _ = await _click(visit, way, now, held_now)
    return ClickTrial(visit.page, way, named(now.element), ending, why, again=True)


async def _toggles(visit: _ClickVisit, way: TargetKind, listed: ListedTarget, held: Held) -> bool:
    """Whether a click that the page may react to changes a checkbox or radio button (rule 3)."""
    before = await visit.probe.checked(held)
    if before is None:
        return False
    await visit.probe.disarm()
    try:
        await click(visit.tab.ours, _target(way, listed))
        return await visit.probe.checked(held) is not before
    except RemoteError:
        return False
    finally:
        await visit.probe.arm()


async def _click(
    visit: _ClickVisit, way: TargetKind, listed: ListedTarget, held: Held
) -> tuple[ClickEnding, str, bool]:
    """The result, its reason, and whether input was sent."""
    await visit.probe.take()
    try:
        await click(visit.tab.ours, _target(way, listed))
    except RemoteError as exc:
        said = first_line(exc)
        return ClickEnding.MISS, f"{exc.reason or exc.code.name}: {said}", False
    heard = await visit.probe.judge(held)
    landing = landing_of(heard)
    if landing:
        return _LANDINGS[landing], "", True
    ending = ClickEnding.TOGGLED if await _toggles(visit, way, listed, held) else ClickEnding.MISS
    return ending, say_heard(heard), True


def _target(way: TargetKind, listed: ListedTarget) -> pb.Target:
    if way is TargetKind.REF:
        return pb.Target(ref=listed.element.ref)
    if way is TargetKind.SELECTOR:
        return pb.Target(selector=listed.element.selector)
    point = listed.element.click_point
    return pb.Target(coordinate=pb.Coordinate(x=point.x, y=point.y, snapshot_id=listed.snapshot_id))


def named(element: pb.Element) -> str:
    """An element in words."""
    return f'{element.ref} {element.role} "{element.name[:60]}"'


def _is_same(one: pb.Element, other: pb.Element) -> bool:
    return (one.frame, one.backend_node_id) == (other.frame, other.backend_node_id)


def _is_elsewhere(now: pb.Element, then: pb.Element) -> bool:
    """Whether it has another ref, or its click point another position."""
    a, b = now.click_point, then.click_point
    return now.ref != then.ref or abs(a.x - b.x) > MOVED or abs(a.y - b.y) > MOVED
