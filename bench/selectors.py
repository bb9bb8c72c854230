"""Whether selectors find their element again: at once, after a reload, after a rebuild of the page. And what a list of
interactables costs beside a map of the whole page.

Rule 1: Playwright asks the page what a selector finds, and `selector_probe.js` says which node that is, by its place.
The page walker, whose work is judged, is not asked.
Rule 2: an element that the page itself has changed at its reload is not counted.
Rule 3: a rebuild renames each id and class that looks made by the probe's own rule, which is not the walker's, and puts
strangers between elements; the elements stay the same nodes, so that there is no doubt which is meant.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from playwright.async_api import Error as PlaywrightError

from perception.bench.click_probe import ClickProbe, Held, World
from perception.bench.clicks import Told, spread
from perception.bench.shared import SharedTab, shared_browser
from perception.client import RemoteError
from perception.datasets.manifest import Page
from perception.datasets.render import SWITCHES
from perception.errors import PerceptionError, first_line
from perception.render.tokens import count_tokens
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb

PROBE = Path(__file__).with_name("selector_probe.js").read_text("utf-8")

CAP = 40
"""Elements of one page that are followed; of more, as many evenly from first to last."""

SEED = 7
"""Of the strangers' places; any number would do."""

ANSWER_MS = 5_000
"""How long Playwright may take over one selector: it answers in some ms."""


class Maker(StrEnum):
    """Who makes a selector."""

    OURS = "ours"
    PLAYWRIGHT = "Playwright"
    PATH = "nth-child path"


class Stage(StrEnum):
    """When it is asked for."""

    NOW = "at once"
    RELOAD = "after a reload"
    REBUILD = "after a rebuild"
    RECLASSED = "after a rebuild with all classes changed"


class Finding(StrEnum):
    """What it finds."""

    SAME = "the same element"
    OTHER = "another element"
    NONE = "nothing"
    MANY = "several elements"


@dataclass(frozen=True, slots=True)
class Sighting:
    """One selector asked for once. `shared`: all makers have one for this element."""

    page: str
    element: str
    maker: Maker
    stage: Stage
    selector: str
    finding: Finding
    shared: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one page takes as a list and as a map.

    Attributes:
        ours_ms, map_ms: means of two visits, over gRPC and over Playwright.
        again_ms: ours, of a page that has not changed since.
        json_bytes, text_bytes, map_bytes, html_bytes: of the list as JSON and as text, the map, the page's markup.
        json_tokens, text_tokens, map_tokens: o200k_base.
    """

    page: str
    count: int
    elements: int
    ours_ms: float
    again_ms: float
    map_ms: float
    json_bytes: int
    text_bytes: int
    map_bytes: int
    html_bytes: int
    json_tokens: int
    text_tokens: int
    map_tokens: int


@dataclass(frozen=True, slots=True)
class Selected:
    """A run. `unnamed`: elements without a selector, by page; `changed`: those that the page changed at its reload."""

    pages: tuple[str, ...]
    sightings: tuple[Sighting, ...]
    costs: tuple[Cost, ...]
    unnamed: Mapping[str, int]
    changed: int
    failed: Mapping[str, str]
    browser: str


@dataclass(frozen=True, slots=True)
class _Followed:
    """One element, and how each maker calls it for Playwright."""

    shown_as: str
    held: Held
    selectors: Mapping[Maker, str]
    reason: str


@dataclass(slots=True)
class _Visit:
    page: str
    tab: SharedTab
    probe: ClickProbe
    sightings: list[Sighting]
    changed: int = 0
    unnamed: int = 0


async def run_selectors(pages: Mapping[str, str], known: Mapping[str, Page], told: Told) -> Selected:
    """Follows selectors on pages one after the other, each in a session of its own.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    sightings: list[Sighting] = []
    costs: list[Cost] = []
    failed: dict[str, str] = {}
    unnamed: dict[str, int] = {}
    changed = 0
    async with shared_browser(pages.values(), switches=SWITCHES) as shared:
        for page_id, url in pages.items():
            try:
                options = session_pb.SessionOptions(locale=known[page_id].locale if page_id in known else "")
                tab = await shared.open_tab(options)
                try:
                    visit = _Visit(page_id, tab, await ClickProbe.of(tab.theirs), [])
                    costs.append(await _follow(visit, url, known.get(page_id)))
                    sightings += visit.sightings
                    changed += visit.changed
                    unnamed[page_id] = visit.unnamed
                finally:
                    await tab.ours.close()
            except (RemoteError, PlaywrightError, PerceptionError, TimeoutError) as exc:
                failed[page_id] = first_line(exc)
            told(page_id, failed.get(page_id, ""))
        version = shared.browser.version
    return Selected(tuple(pages), tuple(sightings), tuple(costs), unnamed, changed, failed, version)


async def _follow(visit: _Visit, url: str, page: Page | None) -> Cost:
    await visit.tab.bring(url, page)
    ours_s, listed = await _list(visit)
    map_s, whole = await _map(visit)
    followed = await _choose(visit, listed)
    for each in followed:
        await _look(visit, each, Stage.NOW, await _place(each.held))
    before = {id(each): await _call(each.held, "describe") for each in followed}

    await visit.tab.bring(url, page)
    map_again_s, _ = await _map(visit)
    ours_again_s, _ = await _list(visit)
    for each in followed:
        await _look_again(visit, each, before[id(each)])

    relisted_s, relisted = await _list(visit)
    rebuilt = await _choose(visit, relisted)
    for stage, every in ((Stage.REBUILD, False), (Stage.RECLASSED, True)):
        for frame in visit.tab.theirs.frames:
            with contextlib.suppress(PlaywrightError):  # it has gone away
                await frame.evaluate(f"{PROBE}; selectorProbe.rebuild({SEED}, {str(every).lower()})")
        for each in rebuilt:
            with contextlib.suppress(PerceptionError, PlaywrightError):  # the page itself took it away
                await _look(visit, each, stage, await _place(each.held))
    html = await visit.tab.theirs.content()
    times = statistics.mean((ours_s, ours_again_s)), relisted_s, statistics.mean((map_s, map_again_s))
    return _cost(visit.page, listed, whole, html, times)


async def _list(visit: _Visit) -> tuple[float, list[extraction_pb.ExtractInteractablesResponse]]:
    """Seconds, and all pages of the list."""
    client = visit.tab.ours._client
    request = extraction_pb.ExtractInteractablesRequest(session_id=visit.tab.ours.session_id, page_size=1000)
    replies: list[extraction_pb.ExtractInteractablesResponse] = []
    started = time.perf_counter()
    while not replies or replies[-1].next_page_token:
        request.page_token = replies[-1].next_page_token if replies else ""
        replies.append(await client.call(client.extraction.ExtractInteractables, request))
    return time.perf_counter() - started, replies


async def _map(visit: _Visit) -> tuple[float, str]:
    """Seconds, and the map of the page as JSON."""
    await visit.tab.theirs.evaluate(PROBE)
    started = time.perf_counter()
    whole = await visit.tab.theirs.evaluate("selectorProbe.domMap()")
    return time.perf_counter() - started, str(whole)


async def _choose(visit: _Visit, listed: Sequence[extraction_pb.ExtractInteractablesResponse]) -> list[_Followed]:
    """The elements that are followed, with every maker's selector."""
    found = [each for reply in listed for each in reply.interactables]
    visit.unnamed = listed[0].total_count - len(found)
    snapshot = await visit.tab.ours.snapshot(
        mode=perception_pb.MODE_TEXT, view=perception_pb.VIEW_INTERACTIVE, scope=perception_pb.SCOPE_PAGE
    )
    nodes = {each.ref: each for each in snapshot.elements if each.ref}
    await visit.probe.arm()
    followed = []
    for each in spread([each for each in found if each.ref in nodes and each.playwright_selector], CAP):
        element = nodes[each.ref]
        held = await visit.probe.hold(element.frame, element.backend_node_id)
        if held is None:
            continue
        await _install(held.world)
        path = held.selector if held.selector.startswith(":root") and not element.frame else ""
        theirs = await _normalized(visit, path) if path else ""
        selectors = {Maker.OURS: each.playwright_selector, Maker.PLAYWRIGHT: theirs, Maker.PATH: path}
        shown_as = f'{each.role} "{each.name[:40]}"'
        followed.append(_Followed(shown_as, held, {m: s for m, s in selectors.items() if s}, each.stability_reason))
    return followed


async def _normalized(visit: _Visit, path: str) -> str:
    """Playwright's own selector; empty where it gives up."""
    with contextlib.suppress(PlaywrightError):
        locator: Any = await visit.tab.theirs.locator(path).normalize()
        return str(locator._impl_obj._selector)
    return ""


async def _look(visit: _Visit, each: _Followed, stage: Stage, place: str) -> None:
    """Asks for each maker's selector. `place`: where the element is now."""
    for maker, selector in each.selectors.items():
        count, found = await _ask(visit, selector, "place")
        finding = _judge(count, found == place)
        _note(visit, each, maker, stage, finding)


async def _look_again(visit: _Visit, each: _Followed, before: Mapping[str, Any]) -> None:
    """As `_look`, in a new document. An element that is no longer described as it was is another now."""
    seen = {maker: await _ask(visit, selector, "describe") for maker, selector in each.selectors.items()}
    alike = await _count(visit, before["words"])
    if alike != before["alike"]:
        visit.changed += 1
        return
    for maker, (count, found) in seen.items():
        same = found is not None and (found["words"], found["rank"]) == (before["words"], before["rank"])
        _note(visit, each, maker, Stage.RELOAD, _judge(count, same))


async def _count(visit: _Visit, words: str) -> int:
    """How many elements of all frames are described so."""
    most = 0
    for frame in visit.tab.theirs.frames:
        with contextlib.suppress(PlaywrightError):  # it has gone away
            most = max(most, int(await frame.evaluate(_asking("alike", "words"), words)))
    return most


async def _ask(visit: _Visit, selector: str, what: str) -> tuple[int, Any]:
    """How many elements a selector finds, and what the probe says of it if it is one."""
    try:
        locator = visit.tab.theirs.locator(selector)
        count = await locator.count()
        if count != 1:
            return count, None
        return 1, await locator.evaluate(_asking(what, "node"), timeout=ANSWER_MS)
    except PlaywrightError:
        return 0, None


def _asking(what: str, argument: str) -> str:
    """A function of the page's own world that asks the probe, and puts it there first."""
    return (
        f"({argument}) => {{ if (!globalThis.selectorProbe) {{ {PROBE} }} return selectorProbe.{what}({argument}); }}"
    )


def _judge(count: int, same: bool) -> Finding:
    if count == 1:
        return Finding.SAME if same else Finding.OTHER
    return Finding.MANY if count else Finding.NONE


def _note(visit: _Visit, each: _Followed, maker: Maker, stage: Stage, finding: Finding) -> None:
    shared = len(each.selectors) == len(Maker)
    reason = each.reason if maker is Maker.OURS else ""
    selector = each.selectors[maker]
    visit.sightings.append(Sighting(visit.page, each.shown_as, maker, stage, selector, finding, shared, reason))


async def _install(world: World) -> None:
    await world.session.send("Runtime.evaluate", {"expression": PROBE, "contextId": world.context_id})


async def _place(held: Held) -> str:
    return str(await _call(held, "place"))


async def _call(held: Held, what: str) -> Any:
    reply = await held.world.session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": f"function() {{ return selectorProbe.{what}(this); }}",
            "objectId": held.object_id,
            "returnByValue": True,
        },
    )
    if "exceptionDetails" in reply:
        raise PerceptionError(f"the selector probe failed: {str(reply['exceptionDetails'])[:300]}")
    return reply["result"].get("value")


def _cost(
    page: str,
    listed: Sequence[extraction_pb.ExtractInteractablesResponse],
    whole: str,
    html: str,
    times: tuple[float, float, float],
) -> Cost:
    text = "".join(reply.text for reply in listed)
    as_json = json_of(listed)
    return Cost(
        page=page,
        count=sum(len(reply.interactables) for reply in listed),
        elements=whole.count('"tag":'),
        ours_ms=times[0] * 1000,
        again_ms=times[1] * 1000,
        map_ms=times[2] * 1000,
        json_bytes=len(as_json.encode()),
        text_bytes=len(text.encode()),
        map_bytes=len(whole.encode()),
        html_bytes=len(html.encode()),
        json_tokens=count_tokens(as_json),
        text_tokens=count_tokens(text),
        map_tokens=count_tokens(whole),
    )


def json_of(listed: Sequence[extraction_pb.ExtractInteractablesResponse]) -> str:
    """The elements as protobuf JSON without white space, as the map is written."""
    return json.dumps([MessageToDict(each) for reply in listed for each in reply.interactables], separators=(",", ":"))
