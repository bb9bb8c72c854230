"""Whether a click on what is listed as reachable lands on it: by ref, at its coordinate, by a selector; and how long it
takes beside Playwright's.

Rule 1: a page is opened by the service; every click goes through its gRPC Click. What is hit is heard by a probe that
knows the node by its backend id (`click_probe`), and that keeps the page from reacting.
Rule 2: each way of clicking has a snapshot of its own, and what that lists as reachable in the viewport is clicked.
Rule 3: a click by ref or selector that hits another node is a miss. One that is refused, or missed at a coordinate, may
be since the page has changed by itself: then a new snapshot is taken. What it does not list as reachable does not
count; what it lists elsewhere or by another ref, and any coordinate, is clicked once more. Both are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from playwright.async_api import Error as PlaywrightError

from perception.bench.click_probe import ClickProbe, Held, landing_of, say_heard
from perception.bench.click_speed import ClickTime, Contestant, click, time_clicks
from perception.bench.shared import SharedTab, shared_browser
from perception.client import RemoteError
from perception.datasets.manifest import Page
from perception.datasets.render import SWITCHES
from perception.errors import PerceptionError, first_line
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

T = TypeVar("T")

CAP = 60
"""Elements of one page that are clicked each way; of more, as many evenly from first to last."""

TIMED = 8
"""Pages that clicks are timed on, too, evenly from first to last: medians of 45 clicks of each side on each."""

USUAL = 30
"""Pages, where none are named: every project has one of them, and a second where there is room."""

MOVED = 1.0
"""CSS px. A click point that is further off is another place."""


class Way(StrEnum):
    """What a click is asked for by."""

    REF = "ref"
    COORDINATE = "coordinate"
    SELECTOR = "selector"


class Ending(StrEnum):
    """What came of a click."""

    ON = "on it"
    LABEL = "on its label"
    INSIDE = "on something inside it"
    """A control, or the page that a frame shows."""
    MISS = "missed"
    GONE = "no longer reachable"
    """The page changed by itself: it is not counted as tried."""


LANDED = frozenset((Ending.ON, Ending.LABEL, Ending.INSIDE))

_LANDINGS = {"on": Ending.ON, "label": Ending.LABEL, "inside": Ending.INSIDE}


Told = Callable[[str, str], None]
"""Is told each page that is done, and why one could not be clicked through."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One element clicked one way.

    Attributes:
        element: ref, role and name.
        why: of a miss, or of what is no longer reachable: what the service said, or what was hit.
        again: it was clicked a second time, as the page had changed by itself.
    """

    page: str
    way: Way
    element: str
    ending: Ending
    why: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Clicks:
    """A run.

    Attributes:
        skipped: how many elements were not clicked, by way and reason.
        failed: why pages could not be clicked through, by page.
        notes: what else was left out, a line each.
    """

    pages: tuple[str, ...]
    trials: tuple[Trial, ...]
    skipped: Mapping[tuple[Way, str], int]
    times: tuple[ClickTime, ...]
    failed: Mapping[str, str]
    notes: tuple[str, ...]
    browser: str


@dataclass(slots=True)
class _Visit:
    """One page, as it is clicked through."""

    page: str
    tab: SharedTab
    probe: ClickProbe
    trials: list[Trial]
    skipped: Counter[tuple[Way, str]]


async def run_clicks(pages: Mapping[str, str], known: Mapping[str, Page], told: Told, *, timed: int = TIMED) -> Clicks:
    """Clicks through pages one after the other, each in a session of its own.

    Args:
        pages: address by page id.
        known: what is known of pages, by id: locale, time to wait, actions.
        timed: on how many pages clicks are timed, too.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    trials: list[Trial] = []
    times: list[ClickTime] = []
    skipped: Counter[tuple[Way, str]] = Counter()
    failed: dict[str, str] = {}
    notes: list[str] = []
    with_times = set(spread(list(pages), timed))
    async with shared_browser(pages.values(), switches=SWITCHES) as shared:
        for page_id, url in pages.items():
            try:
                options = session_pb.SessionOptions(locale=known[page_id].locale if page_id in known else "")
                tab = await shared.open_tab(options)
                try:
                    visit = _Visit(page_id, tab, await ClickProbe.of(tab.theirs), trials, skipped)
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
            told(page_id, failed.get(page_id, ""))
        version = shared.browser.version
    return Clicks(tuple(pages), tuple(trials), skipped, tuple(times), failed, tuple(notes), version)


def usual_pages(pages: Iterable[Page]) -> list[str]:
    """A spread over all projects: the ids of the first page of each, then of the second, and so on."""
    ranks: Counter[str] = Counter()
    ranked = []
    for page in pages:
        ranked.append((ranks[page.family], page.id))
        ranks[page.family] += 1
    # The sort keeps the order of those with one rank.
    return [page_id for _, page_id in sorted(ranked, key=lambda each: each[0])][:USUAL]


def spread(items: Sequence[T], count: int) -> list[T]:
    """So many of them, evenly from the first on; all where there are no more."""
    if len(items) <= count:
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]


async def _open(visit: _Visit, url: str, page: Page | None) -> None:
    """Goes to a page and brings it to its state; from then on it hears of no click."""
    await visit.tab.bring(url, page)
    await visit.probe.arm()


@dataclass(frozen=True, slots=True)
class Listed:
    """An element as a snapshot lists it."""

    element: pb.Element
    snapshot_id: str


async def _look(visit: _Visit, way: Way) -> list[Listed]:
    """What is listed as reachable now, with selectors where these are clicked by."""
    snapshot = await visit.tab.ours.snapshot(
        mode=perception_pb.MODE_TEXT, view=perception_pb.VIEW_INTERACTIVE, include_selectors=way is Way.SELECTOR
    )
    found = (each for each in snapshot.elements if each.ref and each.reachable and each.in_viewport)
    return [Listed(each, snapshot.snapshot_id) for each in found]


async def _click_through(visit: _Visit) -> list[Contestant]:
    """Clicks what is listed, every way; what landed by its ref and has a selector, for clicks to be timed on."""
    contestants = []
    for way in Way:
        await visit.probe.arm()
        for listed in spread(await _look(visit, way), CAP):
            held = await _hold(visit, way, listed.element)
            if held is None:
                continue
            trial = await _try(visit, way, listed, held)
            visit.trials.append(trial)
            # Playwright's locators look in one frame.
            is_simple = trial.ending is Ending.ON and not trial.again and not listed.element.frame
            if way is Way.REF and is_simple and held.selector:
                contestants.append(Contestant(listed.element.ref, trial.element, held))
    return contestants


async def _hold(visit: _Visit, way: Way, element: pb.Element) -> Held | None:
    """The element's node, if it can be clicked and judged; else it is counted as skipped."""
    held = None
    if "disabled" in element.states:
        why = "disabled: clicks on it are refused"
    elif not element.HasField("backend_node_id"):
        why = "without a backend node id"
    elif (held := await visit.probe.hold(element.frame, element.backend_node_id)) is None:
        why = "gone before its turn"
    elif element.selector or way is not Way.SELECTOR:
        return held
    else:
        why = "without a selector"
    visit.skipped[way, why] += 1
    return None


async def _try(visit: _Visit, way: Way, listed: Listed, held: Held) -> Trial:
    """One click; a second one where the page has changed by itself (rule 3)."""
    ending, why, sent = await _click(visit, way, listed, held)
    trial = Trial(visit.page, way, named(listed.element), ending, why)
    if ending is not Ending.MISS or (sent and way is not Way.COORDINATE):
        return trial
    await visit.probe.arm()
    now = next((each for each in await _look(visit, way) if _is_same(each.element, listed.element)), None)
    if now is None:
        return replace(trial, ending=Ending.GONE)
    held_now = await visit.probe.hold(now.element.frame, now.element.backend_node_id)
    is_worth = way is Way.COORDINATE or _is_elsewhere(now.element, listed.element)
    if held_now is None or not is_worth:
        return trial
    ending, why, _ = await _click(visit, way, now, held_now)
    return Trial(visit.page, way, named(now.element), ending, why, again=True)


async def _click(visit: _Visit, way: Way, listed: Listed, held: Held) -> tuple[Ending, str, bool]:
    """What came of it, why, and whether input was sent."""
    await visit.probe.take()
    try:
        await click(visit.tab.ours, _target(way, listed))
    except RemoteError as exc:
        said = first_line(exc)
        return Ending.MISS, f"{exc.reason or exc.code.name}: {said}", False
    heard = await visit.probe.judge(held)
    landing = landing_of(heard)
    return (_LANDINGS[landing], "", True) if landing else (Ending.MISS, say_heard(heard), True)


def _target(way: Way, listed: Listed) -> pb.Target:
    if way is Way.REF:
        return pb.Target(ref=listed.element.ref)
    if way is Way.SELECTOR:
        return pb.Target(selector=listed.element.selector)
    point = listed.element.click_point
    return pb.Target(coordinate=pb.Coordinate(x=point.x, y=point.y, snapshot_id=listed.snapshot_id))


def named(element: pb.Element) -> str:
    """An element in words."""
    return f'{element.ref} {element.role} "{element.name[:60]}"'


def _is_same(one: pb.Element, other: pb.Element) -> bool:
    return (one.frame, one.backend_node_id) == (other.frame, other.backend_node_id)


def _is_elsewhere(now: pb.Element, then: pb.Element) -> bool:
    """It has another ref, or its click point another place."""
    a, b = now.click_point, then.click_point
    return now.ref != then.ref or abs(a.x - b.x) > MOVED or abs(a.y - b.y) > MOVED
